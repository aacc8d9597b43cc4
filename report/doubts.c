/* SPDX-License-Identifier: Apache-2.0 */
/* The causes that make an estimate doubtful. */
#include "report/doubts.h"

#include "model/plan/plan_parameters.h"
#include "model/plan/plan_routing.h"
#include "platforms/machine/describe.h"
#include "report/difference_parts.h"

/* Stages whose sizes differ by less are taken for equal: embeddings have parameters and no work. */
#define UNEQUAL 0.05

static void
add_network(GPtrArray *texts, const LpMachine *machine)
{
    double oversubscription = lp_machine_facts(machine).oversubscription;
    if (oversubscription > 1.0)
        g_ptr_array_add(texts, g_strdup_printf("contention: links between switches have 1/%.4g of "
                                               "their ports' bandwidth, and whoever meets there "
                                               "waits",
                                               oversubscription));
    if (machine->path_choice == LP_PATH_CHOICE_HASH)
        g_ptr_array_add(texts, g_strdup("contention: paths are hashed, and some collide"));
    if (lp_circuit_switch_is_switched(&machine->circuits) ||
        lp_circuit_switch_is_rotor(&machine->circuits))
        g_ptr_array_add(texts, g_strdup("circuits: who waits for them, and for how long, follows "
                                        "from the order of events"));
}

static void
add_imbalance(GPtrArray *texts, const LpWorkload *workload)
{
    const LpPlan *plan = &workload->plan;
    guint32 n_stages = plan->degree[LP_AXIS_PP];
    double largest = 0.0, sum = 0.0;
    for (guint32 stage = 0; stage < n_stages; stage++) {
        double size = lp_plan_stage_parameters(plan, &workload->transformer, stage);
        largest = MAX(largest, size);
        sum += size;
    }
    double more = largest * n_stages / sum - 1.0;
    if (n_stages > 1 && more > UNEQUAL)
        g_ptr_array_add(texts, g_strdup_printf("imbalance: the largest stage has %.0f %% more "
                                               "parameters than the mean one",
                                               100.0 * more));
    if (lp_plan_has_expert_loads(plan, &workload->transformer))
        g_ptr_array_add(texts, g_strdup("imbalance: experts' loads differ, and the fullest rank "
                                        "sets the pace"));
}

/* Adds the doubt about several collectives that hide behind the same computing: the form lets each
 * of them hide behind all of it. */
static void
add_overlap(GPtrArray *texts, const LpPlan *plan)
{
    const struct {
        const char *name;
        gboolean is_on;
    } hidden[] = {
        {"overlap-dp", plan->degree[LP_AXIS_DP] > 1 && plan->overlap.dp},
        {"overlap-tp", plan->degree[LP_AXIS_TP] > 1 && plan->overlap.tp != LP_OVERLAP_TP_NO},
        {"overlap-pp", plan->degree[LP_AXIS_PP] > 1 && plan->overlap.pp},
        {"overlap-ep", plan->degree[LP_AXIS_EP] > 1 && plan->overlap.ep},
    };
    g_autoptr(GString) names = g_string_new(NULL);
    guint n = 0;
    for (guint i = 0; i < G_N_ELEMENTS(hidden); i++)
        if (hidden[i].is_on)
            g_string_append_printf(names, "%s%s", n++ > 0 ? ", " : "", hidden[i].name);
    if (n > 1)
        g_ptr_array_add(texts,
                        g_strdup_printf("overlap: %s hide behind the same computing", names->str));
    if (plan->overlap.slowdown > 1.0)
        g_ptr_array_add(texts, g_strdup("overlap: computing is slower beside communication"));
}

static void
add_host(GPtrArray *texts, const LpReport *self)
{
    double share = self->closed_form.s[LP_TERM_HOST] / lp_terms_sum(&self->closed_form);
    if (share > LP_DIFFERENCE_LARGE)
        g_ptr_array_add(texts, g_strdup_printf("host: it keeps the accelerator waiting for %.1f %% "
                                               "of the time, by rules of thumb",
                                               100.0 * share));
}

GPtrArray *
lp_doubts(const LpReport *self)
{
    GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
    add_network(texts, self->machine);
    add_imbalance(texts, self->workload);
    add_overlap(texts, &self->workload->plan);
    add_host(texts, self);
    return texts;
}
