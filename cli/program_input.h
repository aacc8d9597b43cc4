/* SPDX-License-Identifier: Apache-2.0 */
/* What ranks do by a workload and a platform that a command line names. */
#pragma once

#include "platforms/machine/machine.h"
#include "workloads/description/workload.h"
#include "workloads/program/program.h"

G_BEGIN_DECLS

/** What the options of such a command say: --framework, which the command adds to the settings
 * (lp_settings_add_framework()), --plan and --set. */
typedef struct {
    char *framework, *plan; /* owned */
    char **settings;        /* owned */
} LpProgramInput;

void lp_program_input_clear(LpProgramInput *self);

/** The program of the workload called @workload_name on the platform called @platform_name. It
 * borrows @out_workload; that and @out_machine are (transfer full), also on errors, or NULL.
 * Errors: as lp_load_inputs(), lp_setup_new() and lp_training_program_new(). Returns: (transfer
 * full). */
LpProgram *lp_program_input_load(const LpProgramInput *self, const char *workload_name,
                                 const char *platform_name, LpWorkload **out_workload,
                                 LpMachine **out_machine, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
