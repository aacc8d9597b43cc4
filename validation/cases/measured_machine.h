/* SPDX-License-Identifier: Apache-2.0 */
/* The machine on which a collective was measured, as far as a row describes it. */
#pragma once

#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** What the row states; 0 where it does not: then that of the shipped system counts which is
 * nearest to the accelerator (lp_measured_machine_system()). */
typedef struct {
    const char *accelerator; /* borrowed: a name of the catalogue */
    guint32 domain_size, n_domains;
    double domain_bytes_per_s; /**< of an accelerator, each way */
    guint32 n_cards;           /**< network cards of a domain */
    double card_bytes_per_s;   /**< of a card, each way */
} LpMeasuredMachine;

/** The shipped system nearest to the accelerator, dgx-h100 if none of its own is shipped. Static.
 */
const char *lp_measured_machine_system(const LpMeasuredMachine *self);

/** Generates the machine in memory. Cards beyond one for an accelerator are counted as one of their
 * summed rate. Errors: LP_INPUT_ERROR, LP_MACHINE_ERROR. Returns: (transfer full). */
LpMachine *lp_measured_machine_new(const LpMeasuredMachine *self,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
