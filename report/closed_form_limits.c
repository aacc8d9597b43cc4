/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of a closed form: a number without them would mislead those who only estimate. */
#include "report/closed_form_limits.h"

#include "model/closed_form/amped.h"
#include "model/plan/plan_flop.h"
#include "model/plan/plan_routing.h"
#include "platforms/machine/describe.h"
#include "report/difference_parts.h"

/* The settings that hide communication which the form counts whole. */
static void
add_overlap(GPtrArray *texts, const LpPlan *plan, gboolean amped)
{
    gboolean overlaps =
        plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE && plan->degree[LP_AXIS_EP] > 1;
    const struct {
        const char *name;
        gboolean is_on;
    } settings[] = {
        {"overlap-dp", amped && plan->overlap.dp && plan->overlap.fraction == 0.0},
        {"overlap-tp", amped && plan->overlap.tp != LP_OVERLAP_TP_NO},
        {"overlap-pp", amped && plan->overlap.pp},
        {"overlap-param", amped && plan->overlap.param},
        {"schedule=dualpipe", overlaps},
    };
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(settings); i++)
        if (settings[i].is_on)
            g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", settings[i].name);
    if (names->len > 0)
        g_ptr_array_add(texts, g_strdup_printf("overlap: communication that %s would hide is "
                                               "counted whole",
                                               names->str));
}

/* Settings that AMPeD's form has no symbols for (model/README.md), as far as they change times. */
static void
add_unknown_to_amped(GPtrArray *texts, const LpWorkload *workload)
{
    const LpPlan *plan = &workload->plan;
    gboolean is_plain = plan->pipeline.schedule == LP_SCHEDULE_GPIPE ||
                        plan->pipeline.schedule == LP_SCHEDULE_1F1B ||
                        plan->pipeline.schedule == LP_SCHEDULE_INTERLEAVED;
    const struct {
        const char *name;
        gboolean is_on;
    } settings[] = {
        {"virtual-stages", plan->pipeline.virtual_stages > 1},
        {"schedule", !is_plain},
        {"scatter-gather", plan->pipeline.scatter_gather != LP_SCATTER_GATHER_NO},
        {"cp", plan->degree[LP_AXIS_CP] > 1},
        {"zero", plan->zero.stage > 0},
        {"document", workload->transformer.document > 0},
        {"window", workload->transformer.window.keys > 0},
        {"chunk", workload->transformer.chunk > 0},
        {"layer-pattern",
         workload->transformer.pattern.n_mixers > 0 || workload->transformer.pattern.single_blocks},
        {"expert-latent", workload->transformer.experts.latent > 0},
        {"host-sync", plan->traits[LP_TRAIT_HOST_SYNC] != LP_HOST_SYNC_NONE},
        {"kernels", plan->host.kernels != LP_KERNELS_FUSED},
    };
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(settings); i++)
        if (settings[i].is_on)
            g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", settings[i].name);
    if (names->len > 0)
        g_ptr_array_add(texts, g_strdup_printf("plan: the form has no symbols for %s", names->str));
}

/* Products that AMPeD's form does not time count in its MFU, which may exceed 1 therefore. */
#define AMPED_PRODUCTS_MIN 0.99

static void
add_operations(GPtrArray *texts, const LpWorkload *workload)
{
    const LpTransformer *model = &workload->transformer;
    /* Two operations a product and sum; forward, and by both gradients. */
    double timed = 6.0 * model->n_layers * lp_amped_layer_mac(model, &workload->plan);
    double share = timed / lp_plan_model_flop(&workload->plan, model);
    if (share >= AMPED_PRODUCTS_MIN)
        return;
    const struct {
        const char *name;
        gboolean is_on;
    } blocks[] = {
        {"logits", model->embedding},
        {"decoder-layers", model->kind == LP_TRANSFORMER_ENCODER_DECODER},
        {"mtp-layers", model->n_mtp > 0},
        {"head-width",
         model->head_width > 0 && model->n_heads * model->head_width != model->hidden},
    };
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(blocks); i++)
        if (blocks[i].is_on)
            g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : ", without ",
                                   blocks[i].name);
    g_ptr_array_add(texts, g_strdup_printf("operations: MFU counts all of the model's, the form "
                                           "takes time for %.0f %% of them%s",
                                           100.0 * share, names->str));
}

/* Adds the limit on oversubscription. The consistent form knows trees, and no other topologies. */
static void
add_oversubscription(GPtrArray *texts, const LpMachine *machine, gboolean amped)
{
    double oversubscription = lp_machine_facts(machine).oversubscription;
    if (oversubscription > 1.0 && (amped || lp_machine_fabric(machine).n_levels == 0))
        g_ptr_array_add(texts,
                        g_strdup_printf("oversubscription: links between switches count as wide as "
                                        "their ports, not 1/%.4g of it",
                                        oversubscription));
}

gboolean
lp_closed_form_limits_experts(const LpReport *self)
{
    return self->workload->plan.degree[LP_AXIS_EP] > 1 && self->amped.s[LP_TERM_EP] == 0.0;
}

GPtrArray *
lp_closed_form_limits(const LpReport *self, gboolean amped, const json_t *difference)
{
    /* Each of what the consistent form lacks is a part of the difference that was measured. */
    if (self->simulation != NULL && !amped)
        return lp_difference_large_parts(self, difference);
    GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
    add_overlap(texts, &self->workload->plan, amped);
    add_oversubscription(texts, self->machine, amped);
    if (self->workload->plan.overlap.slowdown > 1.0)
        g_ptr_array_add(texts, g_strdup("slowdown: computing is as fast beside communication"));
    if (amped) {
        add_unknown_to_amped(texts, self->workload);
        add_operations(texts, self->workload);
    }
    if (lp_plan_has_expert_loads(&self->workload->plan, &self->workload->transformer))
        g_ptr_array_add(texts, g_strdup("experts: their loads count as even"));
    if (amped && lp_closed_form_limits_experts(self))
        g_ptr_array_add(texts, g_strdup("experts: their all-to-alls take no time"));
    return texts;
}
