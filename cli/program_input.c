/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a workload and a platform, and makes the program. */
#include "cli/program_input.h"

#include "cli/inputs.h"

#include "sim/mapping/setup.h"
#include "workloads/program/training_program.h"

void
lp_program_input_clear(LpProgramInput *self)
{
    g_free(self->framework);
    g_free(self->plan);
    g_strfreev(self->settings);
}

LpProgram *
lp_program_input_load(const LpProgramInput *self, const char *workload_name,
                      const char *platform_name, LpWorkload **out_workload, LpMachine **out_machine,
                      GError **error)
{
    LpPlanChoice plan;
    if (!lp_plan_choice_parse(self->plan, FALSE, &plan, error) ||
        !lp_load_inputs(workload_name, platform_name, (const char *const *)self->settings, plan,
                        out_workload, out_machine, error))
        return NULL;
    g_autoptr(LpSetup) setup = lp_setup_new(*out_workload, *out_machine, error);
    return setup == NULL
               ? NULL
               : lp_training_program_new(*out_workload, &(*out_machine)->accelerator, error);
}
