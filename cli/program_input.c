/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a workload and a platform, and makes the program. */
#include "cli/program_input.h"

#include "cli/inputs.h"

#include "sim/mapping/setup.h"
#include "workloads/program/training_program.h"

LpProgram *
lp_program_input_load(const LpPlanArguments *plan, const char *workload_name,
                      const char *platform_name, LpWorkload **out_workload, LpMachine **out_machine,
                      GError **error)
{
    if (!lp_load_inputs(workload_name, platform_name, lp_plan_arguments_settings(plan),
                        plan->choice, out_workload, out_machine, error))
        return NULL;
    g_autoptr(LpSetup) setup = lp_setup_new(*out_workload, *out_machine, error);
    return setup == NULL
               ? NULL
               : lp_training_program_new(*out_workload, &(*out_machine)->accelerator, error);
}
