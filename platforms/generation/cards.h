/* SPDX-License-Identifier: Apache-2.0 */
/* The rates of a domain's network cards, and their shares for accelerators. */
#pragma once

#include "platforms/generation/specification.h"

G_BEGIN_DECLS

/** Rate of a scale-out port in one plane, each way. Cards of which the caller says only how many
 * there are keep the rate that the system's have; a rate per accelerator that is given holds, and
 * so does one per card. @n_cards: of a domain. */
double lp_cards_bytes_per_s(const LpMachineSpecification *specification, guint32 n_cards);

/** The rate of a domain's cards for each accelerator, all planes together, each way. */
double lp_cards_accelerator_bytes_per_s(const LpMachineSpecification *specification,
                                        guint32 n_cards);

/** A warning about the rate that follows for an accelerator or a card from the given number of
 * cards, if it is not the system's. Returns: (transfer full): a line, or NULL. */
char *lp_cards_warning(const LpMachineSpecification *specification, guint32 n_cards);

G_END_DECLS
