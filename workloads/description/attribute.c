/* SPDX-License-Identifier: Apache-2.0 */
/* The attribute table: name, element, kind, place in the workload, and range. */
#include "workloads/description/attribute.h"

#include "base/error.h"
#include "base/units.h"
#include "workloads/description/attribute_text.h"
#include "workloads/description/foreign_words.h"
#include "workloads/description/framework.h"
#include "workloads/description/layer_pattern.h"

#include <stddef.h>
#include <string.h>

typedef enum {
    KIND_COUNT,
    KIND_CHOICE,
    KIND_BOOLEAN,
    KIND_FRACTION,
    KIND_TEXT, /* of the plan, with its own reader */
    KIND_PATH,
    KIND_NAME,
    KIND_FRAMEWORK,
    KIND_ALGORITHMS,
    KIND_PATTERN,
    KIND_NEGATED, /* a boolean that the plan holds the other way round */
} Kind;

struct LpAttribute {
    const char *element;
    const char *name;
    Kind kind;
    size_t offset;
    guint64 minimum, maximum;
    double largest; /* of a fraction, and the smallest: */
    double smallest;
    const char *const *choices;
    const LpAttributeText *text;
};

#define T(member) offsetof(LpWorkload, transformer.member)
#define P(member) offsetof(LpWorkload, plan.member)
/* A hundred times as many as any has; what follows takes time in proportion. */
#define LAYERS_MAX 100000u
#define COUNT(element_, name_, place)                                                              \
    {                                                                                              \
        .element = element_, .name = name_, .kind = KIND_COUNT, .offset = place, .minimum = 1,     \
        .maximum = LP_PLAN_COUNT_MAX                                                               \
    }
#define CHOICE(element_, name_, place, names)                                                      \
    {                                                                                              \
        .element = element_, .name = name_, .kind = KIND_CHOICE, .offset = place, .choices = names \
    }
#define BOOLEAN(element_, name_, place)                                                            \
    {                                                                                              \
        .element = element_, .name = name_, .kind = KIND_BOOLEAN, .offset = place                  \
    }
#define OPTIONAL(element_, name_, place)                                                           \
    {                                                                                              \
        .element = element_, .name = name_, .kind = KIND_COUNT, .offset = place,                   \
        .maximum = LP_PLAN_COUNT_MAX                                                               \
    }
#define NUMBER(element_, name_, place, smallest_, largest_)                                        \
    {                                                                                              \
        .element = element_, .name = name_, .kind = KIND_FRACTION, .offset = place,                \
        .smallest = smallest_, .largest = largest_                                                 \
    }
#define NAME(name_, place)                                                                         \
    {                                                                                              \
        .element = "options", .name = name_, .kind = KIND_NAME, .offset = place                    \
    }
#define TEXT(element_, name_, text_)                                                               \
    {                                                                                              \
        .element = element_, .name = name_, .kind = KIND_TEXT, .text = text_                       \
    }
#define ALGORITHMS(name_, axis)                                                                    \
    {                                                                                              \
        .element = "options", .name = name_, .kind = KIND_ALGORITHMS,                              \
        .offset = P(library.algorithms[axis])                                                      \
    }

static const LpAttribute attributes[] = {
    CHOICE("transformer", "kind", T(kind), lp_transformer_kind_names),
    {.element = "transformer",
     .name = "layers",
     .kind = KIND_COUNT,
     .offset = T(n_layers),
     .minimum = 1,
     .maximum = LAYERS_MAX},
    {.element = "transformer",
     .name = "mtp-layers",
     .kind = KIND_COUNT,
     .offset = T(n_mtp),
     .maximum = LAYERS_MAX},
    COUNT("transformer", "hidden", T(hidden)),
    COUNT("transformer", "heads", T(n_heads)),
    COUNT("transformer", "kv-heads", T(n_kv_heads)),
    OPTIONAL("transformer", "head-width", T(head_width)),
    COUNT("transformer", "ffn", T(ffn)),
    CHOICE("transformer", "ffn-kind", T(ffn_kind), lp_ffn_kind_names),
    CHOICE("transformer", "attention", T(attention), lp_attention_kind_names),
    CHOICE("transformer", "positions", T(positions), lp_positions_names),
    COUNT("transformer", "seq", T(seq)),
    COUNT("transformer", "vocab", T(vocab)),
    BOOLEAN("transformer", "tied-embeddings", T(tied_embeddings)),
    BOOLEAN("transformer", "embedding", T(embedding)),
    {.element = "transformer",
     .name = "decoder-layers",
     .kind = KIND_COUNT,
     .offset = T(decoder.n_layers),
     .maximum = LAYERS_MAX},
    OPTIONAL("transformer", "decoder-seq", T(decoder.seq)),
    CHOICE("transformer", "norm", T(norm), lp_norm_names),
    CHOICE("transformer", "bias", T(bias), lp_bias_names),
    CHOICE("transformer", "dropout", T(dropout), lp_dropout_names),
    BOOLEAN("transformer", "head-norms", T(head_norms)),
    BOOLEAN("transformer", "clamped-activation", T(clamped)),
    BOOLEAN("transformer", "parallel-blocks", T(parallel_blocks)),
    OPTIONAL("transformer", "document", T(document)),
    OPTIONAL("transformer", "window", T(window.keys)),
    COUNT("transformer", "window-every", T(window.every)),
    OPTIONAL("transformer", "chunk", T(chunk)),
    {.element = "transformer", .name = "layer-pattern", .kind = KIND_PATTERN, .offset = T(pattern)},
    OPTIONAL("transformer", "query-rank", T(latent.query_rank)),
    OPTIONAL("transformer", "kv-rank", T(latent.kv_rank)),
    OPTIONAL("transformer", "rope-width", T(latent.rope_width)),
    OPTIONAL("transformer", "value-width", T(latent.value_width)),
    OPTIONAL("transformer", "experts", T(experts.n)),
    OPTIONAL("transformer", "top-k", T(experts.top_k)),
    OPTIONAL("transformer", "expert-ffn", T(experts.ffn)),
    OPTIONAL("transformer", "shared-experts", T(experts.n_shared)),
    OPTIONAL("transformer", "dense-layers", T(experts.n_dense_layers)),
    COUNT("transformer", "expert-every", T(experts.every)),
    COUNT("transformer", "expert-groups", T(experts.n_groups)),
    COUNT("transformer", "group-limit", T(experts.group_limit)),
    NUMBER("transformer", "capacity-factor", T(experts.capacity_factor), 0.0, 1024.0),
    OPTIONAL("transformer", "patch", T(image.patch)),
    COUNT("transformer", "channels", T(image.channels)),
    {.element = "plan",
     .name = "framework",
     .kind = KIND_FRAMEWORK,
     .offset = offsetof(LpWorkload, framework)},
    COUNT("plan", "tp", P(degree[LP_AXIS_TP])),
    COUNT("plan", "pp", P(degree[LP_AXIS_PP])),
    COUNT("plan", "dp", P(degree[LP_AXIS_DP])),
    COUNT("plan", "cp", P(degree[LP_AXIS_CP])),
    CHOICE("plan", "cp-kind", P(context_kind), lp_context_kind_names),
    COUNT("plan", "ep", P(degree[LP_AXIS_EP])),
    COUNT("plan", "expert-tp", P(experts.tp)),
    TEXT("plan", "ep-relay", &lp_text_relay),
    TEXT("plan", "rank-order", &lp_text_rank_order),
    {.element = "plan",
     .name = "placement",
     .kind = KIND_PATH,
     .offset = offsetof(LpWorkload, placement)},
    TEXT("plan", "virtual-stages", &lp_text_virtual_stages),
    TEXT("plan", "stage-layers", &lp_text_stage_layers),
    COUNT("plan", "micro-batch", P(batch.micro)),
    COUNT("plan", "global-batch", P(batch.global)),
    CHOICE("plan", "schedule", P(pipeline.schedule), lp_schedule_names),
    CHOICE("plan", "recompute", P(recompute), lp_recompute_names),
    TEXT("plan", "selective", &lp_text_selective),
    TEXT("plan", "recompute-layers", &lp_text_recompute_layers),
    BOOLEAN("plan", "early-stop", P(early_stop)),
    BOOLEAN("plan", "sequence-parallel", P(sequence_parallel)),
    BOOLEAN("plan", "keep-gathered", P(keeps_gathered)),
    CHOICE("plan", "input-collectives", P(input_collectives), lp_input_collectives_names),
    CHOICE("plan", "scatter-gather", P(pipeline.scatter_gather), lp_scatter_gather_names),
    {.element = "plan", .name = "zero", .kind = KIND_COUNT, .offset = P(zero.stage), .maximum = 3},
    CHOICE("plan", "zero-variant", P(zero.variant), lp_zero_variant_names),
    TEXT("plan", "shard-degree", &lp_text_shards),
    {.element = "plan",
     .name = "reshard",
     .kind = KIND_NEGATED,
     .offset = P(zero.keeps_parameters)},
    OPTIONAL("plan", "prefetch", P(zero.prefetch)),
    BOOLEAN("plan", "unit-copies", P(zero.copies_units)),
    BOOLEAN("plan", "gather-lists", P(zero.gathers_lists)),
    CHOICE("plan", "parameter-gather", P(zero.parameter_gather), lp_parameter_gather_names),
    CHOICE("plan", "gather-unit", P(zero.gather_unit), lp_gather_unit_names),
    NUMBER("plan", "gather-bucket", P(zero.gather_bucket), 0.0, 1e15),
    NUMBER("plan", "live-parameters", P(zero.live_parameters), 0.0, 1e15),
    CHOICE("plan", "gather-ahead", P(zero.gather_ahead), lp_gather_ahead_names),
    CHOICE("plan", "gradient-sync", P(zero.gradient_sync), lp_gradient_sync_names),
    CHOICE("plan", "optimizer", P(optimizer), lp_optimizer_names),
    BOOLEAN("plan", "eager-optimizer", P(eager_optimizer)),
    CHOICE("plan", "precision", P(format.precision), lp_precision_names),
    CHOICE("plan", "scaling", P(format.scaling), lp_scaling_names),
    BOOLEAN("plan", "casts-apart", P(format.casts_apart)),
    BOOLEAN("plan", "scales-apart", P(format.scales_apart)),
    BOOLEAN("plan", "narrow-parameters", P(format.narrow_parameters)),
    BOOLEAN("plan", "narrow-logits", P(format.narrow_logits)),
    BOOLEAN("plan", "narrow-attention", P(format.narrow_attention)),
    BOOLEAN("plan", "narrow-activations", P(format.narrow_activations)),
    TEXT("plan", "gradient-precision", &lp_text_gradient_precision),
    BOOLEAN("plan", "cast-shards", P(footprint.casts_shards)),
    {.element = "plan",
     .name = "root-unit",
     .kind = KIND_NEGATED,
     .offset = P(footprint.splits_root)},
    BOOLEAN("plan", "array-units", P(footprint.splits_layers)),
    BOOLEAN("plan", "offload-inputs", P(footprint.offloads_inputs)),
    BOOLEAN("plan", "offload-activations", P(footprint.offloads_activations)),
    BOOLEAN("plan", "drop-gradients", P(footprint.drops_gradients)),
    BOOLEAN("plan", "flat-gradients", P(footprint.flattens_gradients)),
    NUMBER("plan", "step-bytes", P(footprint.step_bytes), 0.0, 64.0),
    TEXT("plan", "memory-reserve", &lp_text_memory_reserve),
    TEXT("plan", "communication-precision", &lp_text_communication_precision),
    TEXT("plan", "dispatch-precision", &lp_text_dispatch_precision),
    BOOLEAN("plan", "experts-one-by-one", P(experts.one_by_one)),
    CHOICE("plan", "experts-kernel", P(experts.kernel), lp_experts_kernel_names),
    BOOLEAN("plan", "experts-eager", P(experts.eager)),
    BOOLEAN("plan", "experts-fused", P(experts.fused)),
    BOOLEAN("plan", "eager-dispatch", P(experts.eager_dispatch)),
    BOOLEAN("plan", "fused-dispatch", P(experts.fused_dispatch)),
    BOOLEAN("plan", "mask-dispatch", P(experts.masks)),
    BOOLEAN("plan", "experts-padded", P(experts.padded)),
    OPTIONAL("plan", "routing-kernels", P(experts.routing_kernels)),
    BOOLEAN("plan", "adjacent-experts", P(experts.adjacent)),
    NUMBER("plan", "skew", P(experts.skew), 0.0, 10.0),
    OPTIONAL("plan", "seed", P(experts.seed)),
    CHOICE("plan", "routing-draws", P(experts.draws), lp_routing_draws_names),
    {.element = "plan",
     .name = "routing-table",
     .kind = KIND_PATH,
     .offset = offsetof(LpWorkload, routing)},
    TEXT("options", "overlap-dp", &lp_text_overlap_dp),
    CHOICE("options", "overlap-tp", P(overlap.tp), lp_overlap_tp_names),
    BOOLEAN("options", "overlap-tp-pairs", P(overlap.tp_pairs)),
    BOOLEAN("options", "overlap-pp", P(overlap.pp)),
    TEXT("options", "overlap-ep", &lp_text_overlap_ep),
    BOOLEAN("options", "overlap-param", P(overlap.param)),
    TEXT("options", "bucket", &lp_text_bucket),
    BOOLEAN("options", "first-buckets", P(overlap.first_buckets)),
    NUMBER("options", "overlap-fraction", P(overlap.fraction), 0.0, 1.0),
    CHOICE("options", "amped-efficiency", P(amped_efficiency), lp_amped_efficiency_names),
    NUMBER("options", "slowdown", P(overlap.slowdown), 1.0, 100.0),
    BOOLEAN("options", "cuda-graphs", P(host.cuda_graphs)),
    CHOICE("options", "host-sync", P(host.sync), lp_host_sync_names),
    BOOLEAN("options", "count-sync", P(host.waits_for_counts)),
    BOOLEAN("options", "gradient-check", P(host.checks_gradients)),
    CHOICE("options", "collective-checks", P(host.checks), lp_collective_checks_names),
    CHOICE("options", "kernels", P(host.kernels), lp_kernels_names),
    CHOICE("options", "layout", P(host.layout), lp_activation_layout_names),
    CHOICE("options", "attention-kernel", P(host.attention_kernel), lp_attention_kernel_names),
    CHOICE("options", "separate-projections", P(host.projections), lp_projections_names),
    BOOLEAN("options", "complex-rotary", P(host.complex_rotary)),
    BOOLEAN("options", "eager-rotary", P(host.eager_rotary)),
    BOOLEAN("options", "rotary-slices", P(host.slices_halves)),
    BOOLEAN("options", "eager-norms", P(host.eager_norms)),
    BOOLEAN("options", "eager-activation", P(host.eager_activation)),
    BOOLEAN("options", "score-biases", P(host.biases_scores)),
    BOOLEAN("options", "triangular-softmax", P(host.triangular_softmax)),
    BOOLEAN("options", "core-copies", P(host.copies_core)),
    BOOLEAN("options", "autocast", P(host.autocasts)),
    BOOLEAN("options", "repeat-heads", P(host.repeats_heads)),
    BOOLEAN("options", "fused-accumulation", P(host.fuses_accumulation)),
    BOOLEAN("options", "fused-loss", P(host.fuses_loss)),
    BOOLEAN("options", "shifted-logits", P(host.shifts_logits)),
    CHOICE("options", "parallel-loss", P(host.parallel_loss), lp_parallel_loss_names),
    BOOLEAN("options", "cast-gradients", P(format.casts_gradients)),
    OPTIONAL("options", "gradient-copies", P(format.gradient_copies)),
    BOOLEAN("options", "gradient-buffers", P(format.gradient_buffers)),
    BOOLEAN("options", "main-gradients", P(format.main_gradients)),
    TEXT("options", "library", &lp_text_library),
    NAME("protocol", P(library.protocol)),
    CHOICE("options", "library-switch", P(library.change), lp_library_switch_names),
    ALGORITHMS("algorithm-tp", LP_AXIS_TP),
    ALGORITHMS("algorithm-cp", LP_AXIS_CP),
    ALGORITHMS("algorithm-ep", LP_AXIS_EP),
    ALGORITHMS("algorithm-dp", LP_AXIS_DP),
};

const LpAttribute *
lp_attribute_at(guint index)
{
    return index < G_N_ELEMENTS(attributes) ? &attributes[index] : NULL;
}

const LpAttribute *
lp_attribute_find(const char *name, GError **error)
{
    const char *names[G_N_ELEMENTS(attributes) + 1] = {NULL};
    for (guint i = 0; i < G_N_ELEMENTS(attributes); i++) {
        if (strcmp(attributes[i].name, name) == 0)
            return &attributes[i];
        names[i] = attributes[i].name;
    }
    const char *meant = lp_foreign_word_attribute(name);
    const char *like = meant != NULL ? meant : lp_like_name(name, names);
    g_autofree char *hint = like != NULL ? g_strdup_printf("the nearest known one is \"%s\"", like)
                                         : g_strdup("\"lightpath workload attributes\" lists all");
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME, "unknown attribute \"%s\", %s", name,
                hint);
    return NULL;
}

const char *
lp_attribute_name(const LpAttribute *self)
{
    return self->name;
}

const char *
lp_attribute_element(const LpAttribute *self)
{
    return self->element;
}

const char *const *
lp_attribute_choices(const LpAttribute *self)
{
    static const char *const either[] = {"no", "yes", NULL};
    return self->kind == KIND_BOOLEAN || self->kind == KIND_NEGATED ? either : self->choices;
}

static gboolean
set_path(char **place, const char *text, GError **error)
{
    if (*text == '\0') {
        g_set_error_literal(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                            "got nothing, wanted a word or the name of a file");
        return FALSE;
    }
    g_free(*place);
    *place = g_strdup(text);
    return TRUE;
}

/* A short name; whether there is such a thing shows where it is looked up. */
static gboolean
set_name(char *place, const char *text, GError **error)
{
    if (*text == '\0' || strlen(text) >= LP_LIBRARY_NAME_MAX) {
        g_autofree char *shown = lp_error_quote(text);
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "got %s, wanted auto or a name of 1 to %d characters", shown,
                    LP_LIBRARY_NAME_MAX - 1);
        return FALSE;
    }
    g_strlcpy(place, text, LP_LIBRARY_NAME_MAX);
    return TRUE;
}

static gboolean
set_framework(char *place, const char *text, GError **error)
{
    g_auto(GStrv) names = lp_framework_names(error);
    if (names == NULL || lp_choice_parse(text, (const char *const *)names, error) < 0)
        return FALSE;
    g_strlcpy(place, text, LP_FRAMEWORK_NAME_MAX);
    return TRUE;
}

static gboolean
set_algorithms(LpAlgorithms *place, const char *text, GError **error)
{
    if (lp_algorithms_parse(text, place))
        return TRUE;
    g_autofree char *shown = lp_error_quote(text);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                "got %s, wanted auto, one of ring, tree, doubling, halving-doubling, bruck, "
                "pairwise, direct, torus, in-network, or two or three of them from the inside out, "
                "such as ring+tree",
                shown);
    return FALSE;
}

static gboolean
set_count(const LpAttribute *self, guint32 *place, const char *text, GError **error)
{
    guint64 value;
    if (!lp_count_parse(text, self->minimum, self->maximum, &value, error))
        return FALSE;
    *place = (guint32)value;
    return TRUE;
}

static gboolean
parse_value(const LpAttribute *self, LpWorkload *workload, const char *text, GError **error)
{
    void *place = (char *)workload + self->offset;
    switch (self->kind) {
    case KIND_COUNT:
        return set_count(self, place, text, error);
    case KIND_CHOICE: {
        int index = lp_choice_parse(text, self->choices, error);
        if (index >= 0)
            *(guint *)place = (guint)index;
        return index >= 0;
    }
    case KIND_BOOLEAN:
        return lp_boolean_parse(text, place, error);
    case KIND_FRACTION:
        return lp_number_parse(text, self->smallest, self->largest, place, error);
    case KIND_TEXT:
        return self->text->set(&workload->plan, text, error);
    case KIND_PATH:
        return set_path(place, text, error);
    case KIND_NAME:
        return set_name(place, text, error);
    case KIND_FRAMEWORK:
        return set_framework(place, text, error);
    case KIND_ALGORITHMS:
        return set_algorithms(place, text, error);
    case KIND_PATTERN:
        return lp_layer_pattern_parse(text, place, error);
    case KIND_NEGATED: {
        gboolean value;
        if (!lp_boolean_parse(text, &value, error))
            return FALSE;
        *(gboolean *)place = !value;
        return TRUE;
    }
    }
    g_assert_not_reached();
}

G_STATIC_ASSERT(G_N_ELEMENTS(attributes) <= LP_WORKLOAD_ATTRIBUTES_MAX);

gboolean
lp_attribute_set(const LpAttribute *self, LpWorkload *workload, const char *text, LpOrigin origin,
                 GError **error)
{
    if (!parse_value(self, workload, text, error))
        return FALSE;
    workload->origin[self - attributes] = origin;
    return TRUE;
}

LpOrigin
lp_attribute_origin(const LpAttribute *self, const LpWorkload *workload)
{
    return workload->origin[self - attributes];
}

char *
lp_attribute_get(const LpAttribute *self, const LpWorkload *workload)
{
    const void *place = (const char *)workload + self->offset;
    switch (self->kind) {
    case KIND_COUNT:
        return g_strdup_printf("%" G_GUINT32_FORMAT, *(const guint32 *)place);
    case KIND_CHOICE:
        return g_strdup(self->choices[*(const guint *)place]);
    case KIND_BOOLEAN:
        return g_strdup(*(const gboolean *)place ? "yes" : "no");
    case KIND_FRACTION:
        return lp_text_of_double(*(const double *)place, "");
    case KIND_TEXT:
        return self->text->get(&workload->plan);
    case KIND_PATH:
        return g_strdup(*(char *const *)place);
    case KIND_NAME:
    case KIND_FRAMEWORK:
        return g_strdup(place);
    case KIND_ALGORITHMS:
        return lp_algorithms_format(place);
    case KIND_PATTERN:
        return lp_layer_pattern_format(place);
    case KIND_NEGATED:
        return g_strdup(*(const gboolean *)place ? "no" : "yes");
    }
    g_assert_not_reached();
}
