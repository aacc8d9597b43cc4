/* SPDX-License-Identifier: Apache-2.0 */
/* Rates that follow from an iteration's time. */
#pragma once

#include "platforms/machine/machine.h"
#include "workloads/description/workload.h"

G_BEGIN_DECLS

/** Rates of an iteration. */
typedef struct {
    double iteration_time_s;
    double mfu; /**< model FLOP over the dense peak of the precision */
    double hfu; /**< hardware FLOP, recomputation included, over the same */
    double tokens_per_s;
    double model_tflops_per_accelerator;
    double hardware_tflops_per_accelerator;
} LpFigures;

/** Tokens of an iteration. */
double lp_figures_n_tokens(const LpWorkload *workload);
/** The rates of an iteration of @iteration_time_s seconds, over all accelerators of the plan: FLOP
 * by lp_plan_model_flop() and lp_plan_hardware_flop(), the peak by
 * lp_accelerator_peak_flop_per_s(). */
LpFigures lp_figures(const LpWorkload *workload, const LpMachine *machine, double iteration_time_s);

G_END_DECLS
