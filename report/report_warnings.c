/* SPDX-License-Identifier: Apache-2.0 */
/* What of a run may mislead. */
#include "report/report_warnings.h"

#include "base/units.h"
#include "model/kernels/kernel_variants.h"
#include "model/memory/memory.h"
#include "model/plan/group.h"
#include "model/plan/plan_routing.h"
#include "platforms/catalogue/libraries.h"
#include "sim/mapping/exchange_flows.h"

#include <string.h>

static void
warn_memory(LpReport *self)
{
    const LpPlan *plan = &self->workload->plan;
    LpMemory memory = lp_memory_fullest(&self->workload->transformer, plan);
    LpMemoryFit fit = lp_memory_fit(&memory, plan, &self->machine->accelerator);
    if (fit.fits)
        return;
    g_autofree char *wanted = lp_quantity_format(LP_QUANTITY_SIZE, fit.total_bytes);
    g_autofree char *capacity = lp_quantity_format(LP_QUANTITY_SIZE, fit.capacity_bytes);
    g_autofree char *reserve = lp_quantity_format(LP_QUANTITY_SIZE, fit.reserve_bytes);
    g_ptr_array_add(self->warnings,
                    g_strdup_printf("memory: the fullest stage needs %s an accelerator; %s has %s, "
                                    "of which a reserve of %s stays free",
                                    wanted, self->machine->accelerator.name, capacity, reserve));
}

static void
warn_precision(LpReport *self)
{
    LpPrecision precision = self->workload->plan.format.precision;
    const LpAccelerator *accelerator = &self->machine->accelerator;
    if (accelerator->peak_flop_per_s[precision] > 0.0)
        return;
    g_ptr_array_add(self->warnings,
                    g_strdup_printf("precision: %s has no %s unit; rates are over %.4g FLOP/s, the "
                                    "peak of the next wider precision that it has",
                                    accelerator->name, lp_precision_names[precision],
                                    lp_accelerator_peak_flop_per_s(accelerator, precision)));
}

/* Classes whose flows are as slow as the slowest of them. */
static void
warn_cut(LpReport *self)
{
    if (self->simulation == NULL || self->simulation->is_alone ||
        self->simulation->quotient.n_rounds == 0)
        return;
    double time_s = self->simulation->run.iteration_time_s;
    double contention_s = time_s - self->simulation->uncontended.iteration_time_s;
    g_ptr_array_add(
        self->warnings,
        g_strdup_printf("collapse: approximate, since links would tell more flows apart after "
                        "round %u of refinement; contention, which it may misjudge, is %.2f %% of "
                        "the iteration",
                        self->simulation->quotient.n_rounds, 100.0 * contention_s / time_s));
}

/* All-to-alls of unequal blocks that are too many to be followed. */
static void
warn_exchanges(LpReport *self)
{
    const LpTransformer *shape = &self->workload->transformer;
    const LpPlan *plan = &self->workload->plan;
    if (lp_transformer_n_expert_layers(shape) == 0 || !lp_plan_has_expert_loads(plan, shape))
        return;
    double n = (double)lp_group_size(shape, plan, LP_GROUP_EP);
    double n_pairs = n * (double)lp_plan_n_ranks(plan);
    if (n <= LP_EXCHANGE_MEMBERS_MAX && n_pairs <= LP_EXCHANGE_PAIRS_MAX)
        return;
    g_ptr_array_add(self->warnings,
                    g_strdup_printf("all-to-alls: %.3g pairs of ranks, more than %.3g, or more "
                                    "than %u ranks in one: links above the ports carry their "
                                    "blocks as if all were equal",
                                    n_pairs, (double)LP_EXCHANGE_PAIRS_MAX,
                                    LP_EXCHANGE_MEMBERS_MAX));
}

/* Times that a table has, and what of it is no measurement. */
static void
warn_measured(LpReport *self)
{
    for (guint32 i = 0; self->library != NULL && i < lp_library_n_mixed(self->library); i++) {
        char *text = lp_library_measured_text(lp_library_mixed(self->library, i));
        if (text != NULL)
            g_ptr_array_add(self->warnings, text);
    }
    if (self->library != NULL && lp_library_n_mixed(self->library) > 1 &&
        self->workload->given == NULL)
        g_ptr_array_add(self->warnings,
                        g_strdup("libraries: closed forms take each collective as its own library "
                                 "was measured, else as rings and all-to-alls over links"));
}

/* Warns where no library goes with the accelerator, whose collectives then cost no protocol. */
static void
warn_library(LpReport *self)
{
    gboolean is_auto = strcmp(self->workload->plan.library.name, LP_LIBRARY_AUTO) == 0;
    if (self->library == NULL || !is_auto || self->machine->n_accelerators < 2 ||
        strcmp(self->library->name, LP_LIBRARY_SINGLE_RING) != 0)
        return;
    g_ptr_array_add(self->warnings,
                    g_strdup_printf("library: none is known for %s, whose collectives are plain "
                                    "rings; wanted library=NAME, or like=NAME in its own entry",
                                    self->machine->accelerator.name));
}

/* Experts that Python calls one by one: how fast, its host decides. */
static void
warn_loop(LpReport *self)
{
    const LpPlan *plan = &self->workload->plan;
    guint64 loops = lp_kernel_variant("expert-loop");
    if (lp_transformer_n_expert_layers(&self->workload->transformer) == 0 ||
        (plan->variants & loops) == 0 || plan->host.cuda_graphs)
        return;
    g_ptr_array_add(self->warnings,
                    g_strdup("experts: a loop in Python calls them one after the other, and its "
                             "host binds the step; measured hosts of one model differ in such "
                             "loops by more than twice (validation/gpu)"));
}

void
lp_report_warn(LpReport *self)
{
    warn_measured(self);
    warn_library(self);
    if (self->workload->given == NULL)
        warn_memory(self);
    warn_precision(self);
    warn_cut(self);
    if (self->workload->given != NULL)
        return;
    warn_exchanges(self);
    warn_loop(self);
}
