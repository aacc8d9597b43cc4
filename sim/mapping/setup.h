/* SPDX-License-Identifier: Apache-2.0 */
/* A workload on a machine, checked: made once, and taken by whatever runs, estimates or reports it.
 */
#pragma once

#include "model/closed_form/closed_form_input.h"
#include "sim/mapping/placement.h"

G_BEGIN_DECLS

/** The communication library of a setup (model/network/library.h); no program needs to look inside.
 */
typedef struct LpLibrary LpLibrary;

/** A workload on a machine. */
typedef struct {
    const LpWorkload *workload; /* borrowed */
    const LpMachine *machine;   /* borrowed */
    LpPlacement *placement;     /* owned */
    LpLibrary *library;         /* owned: that the plan names, or several, with the protocol that
                                   it names */
} LpSetup;

/** Whether @machine has an accelerator for every rank of @workload, units for its precision, and
 * the communication library that it names, and whether its placement is one. Both are borrowed.
 * Errors: LP_SIMULATION_ERROR_FIT, LP_INPUT_ERROR. Returns: (transfer full). */
LpSetup *lp_setup_new(const LpWorkload *workload, const LpMachine *machine,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** For ranks that have been placed already, on accelerators that there are. @placement: (transfer
 * full), also on errors. Errors: as of lp_setup_new(). Returns: (transfer full). */
LpSetup *lp_setup_new_placed(const LpWorkload *workload, const LpMachine *machine,
                             LpPlacement *placement, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_setup_free(LpSetup *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpSetup, lp_setup_free)

/** The input of the closed forms, which borrows @self and @fabric, that of its machine. */
LpClosedFormInput lp_setup_closed_form_input(const LpSetup *self, const LpFabric *fabric);

/** Checks what does not depend on the number of ranks: that the accelerator has units for the
 * plan's precision, and the library what the plan names. Errors: LP_SIMULATION_ERROR_FIT,
 * LP_INPUT_ERROR. */
gboolean lp_setup_check_kind(const LpWorkload *workload, const LpMachine *machine,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Whether the plan fits into the memory of @machine's accelerators, on the fullest stage, beside
 * what is to stay free (model/memory/memory_fit.h).
 * Error: LP_SIMULATION_ERROR_MEMORY. */
gboolean lp_setup_check_memory(const LpWorkload *workload, const LpMachine *machine,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
