/* SPDX-License-Identifier: Apache-2.0 */
/* What ranks do by a workload and a platform that a command line names. */
#pragma once

#include "cli/plan_arguments.h"

#include "workloads/program/program.h"

G_BEGIN_DECLS

/** The program of the workload called @workload_name, with the plan that @plan asks for, on the
 * platform called @platform_name. It
 * borrows @out_workload; that and @out_machine are (transfer full), also on errors, or NULL.
 * Errors: as lp_load_inputs(), lp_setup_new() and lp_training_program_new(). Returns: (transfer
 * full). */
LpProgram *lp_program_input_load(const LpPlanArguments *plan, const char *workload_name,
                                 const char *platform_name, LpWorkload **out_workload,
                                 LpMachine **out_machine, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
