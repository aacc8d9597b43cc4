/* SPDX-License-Identifier: Apache-2.0 */
/* Utilisation and throughput. */
#include "report/figures.h"

double
lp_figures_n_tokens(const LpWorkload *workload)
{
    return workload->given != NULL
               ? 0.0
               : (double)workload->plan.batch.global * workload->transformer.seq;
}

LpFigures
lp_figures(const LpWorkload *workload, const LpMachine *machine, double iteration_time_s)
{
    const LpPlan *plan = &workload->plan;
    double accelerator_s = (double)lp_plan_n_ranks(plan) * iteration_time_s;
    double model = lp_plan_model_flop(plan, &workload->transformer) / accelerator_s;
    double hardware = lp_plan_hardware_flop(plan, &workload->transformer) / accelerator_s;
    double peak = lp_accelerator_peak_flop_per_s(&machine->accelerator, plan->format.precision);
    return (LpFigures){.iteration_time_s = iteration_time_s,
                       .mfu = model / peak,
                       .hfu = hardware / peak,
                       .tokens_per_s = lp_figures_n_tokens(workload) / iteration_time_s,
                       .model_tflops_per_accelerator = model * 1e-12,
                       .hardware_tflops_per_accelerator = hardware * 1e-12};
}
