/* SPDX-License-Identifier: Apache-2.0 */
/* How fast the network cards of a domain are, and what they leave to an accelerator. */
#pragma once

#include "platforms/generation/specification.h"

G_BEGIN_DECLS

/** Rate of a scale-out port in one plane, each way. Cards of which the caller says only how many
 * there are keep the rate that the system's have; a rate per accelerator that is given holds, and
 * so does one per card. @n_cards: of a domain. */
double lp_cards_bytes_per_s(const LpMachineSpecification *specification, guint32 n_cards);

/** What the cards of a domain have for each accelerator, all planes together, each way. */
double lp_cards_accelerator_bytes_per_s(const LpMachineSpecification *specification,
                                        guint32 n_cards);

/** What the number of cards that was given means for an accelerator or for a card, where it is not
 * what the system has. Returns: (transfer full): a line, or NULL. */
char *lp_cards_warning(const LpMachineSpecification *specification, guint32 n_cards);

G_END_DECLS
