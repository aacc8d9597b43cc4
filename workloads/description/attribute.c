/* SPDX-License-Identifier: Apache-2.0 */
/* The attribute table: name, element, kind, place in the workload, and range. */
#include "workloads/description/attribute.h"

#include "base/error.h"
#include "base/units.h"

#include <stddef.h>
#include <string.h>

typedef enum {
    KIND_COUNT,
    KIND_CHOICE,
    KIND_BOOLEAN,
    KIND_FRACTION,
    KIND_SIZE,
    KIND_ORDER,
    KIND_GRADIENT,
    KIND_WIRE,
    KIND_STAGES,
    KIND_TEXT,
    KIND_NAME,
    KIND_ALGORITHMS,
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
};

#define T(member) offsetof(LpWorkload, transformer.member)
#define P(member) offsetof(LpWorkload, plan.member)
/* Larger than any published count by a factor of a hundred; what products of counts may reach is
 * checked before a program is built. */
#define COUNT_MAX (1u << 24)
/* A hundred times as many as any has; what follows takes time in proportion. */
#define LAYERS_MAX 100000u
/* More than any gradients. */
#define SIZE_BYTES_MAX 1e15
#define COUNT(element_, name_, place)                                                              \
    {                                                                                              \
        .element = element_, .name = name_, .kind = KIND_COUNT, .offset = place, .minimum = 1,     \
        .maximum = COUNT_MAX                                                                       \
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
        .maximum = COUNT_MAX                                                                       \
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
    BOOLEAN("transformer", "parallel-blocks", T(parallel_blocks)),
    OPTIONAL("transformer", "window", T(window.keys)),
    COUNT("transformer", "window-every", T(window.every)),
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
    COUNT("plan", "tp", P(degree[LP_AXIS_TP])),
    COUNT("plan", "pp", P(degree[LP_AXIS_PP])),
    COUNT("plan", "dp", P(degree[LP_AXIS_DP])),
    COUNT("plan", "cp", P(degree[LP_AXIS_CP])),
    CHOICE("plan", "cp-kind", P(context_kind), lp_context_kind_names),
    COUNT("plan", "ep", P(degree[LP_AXIS_EP])),
    COUNT("plan", "expert-tp", P(experts.tp)),
    COUNT("plan", "ep-relay", P(experts.relay)),
    {.element = "plan", .name = "rank-order", .kind = KIND_ORDER, .offset = P(order)},
    {.element = "plan",
     .name = "placement",
     .kind = KIND_TEXT,
     .offset = offsetof(LpWorkload, placement)},
    COUNT("plan", "virtual-stages", P(pipeline.virtual_stages)),
    {.element = "plan", .name = "stage-layers", .kind = KIND_STAGES},
    COUNT("plan", "micro-batch", P(batch.micro)),
    COUNT("plan", "global-batch", P(batch.global)),
    CHOICE("plan", "schedule", P(pipeline.schedule), lp_schedule_names),
    CHOICE("plan", "recompute", P(recompute), lp_recompute_names),
    BOOLEAN("plan", "sequence-parallel", P(sequence_parallel)),
    BOOLEAN("plan", "scatter-gather", P(pipeline.scatter_gather)),
    {.element = "plan", .name = "zero", .kind = KIND_COUNT, .offset = P(zero.stage), .maximum = 3},
    CHOICE("plan", "zero-variant", P(zero.variant), lp_zero_variant_names),
    OPTIONAL("plan", "shard-degree", P(zero.shard_degree)),
    {.element = "plan",
     .name = "reshard",
     .kind = KIND_NEGATED,
     .offset = P(zero.keeps_parameters)},
    OPTIONAL("plan", "prefetch", P(zero.prefetch)),
    CHOICE("plan", "gather-ahead", P(zero.gather_ahead), lp_gather_ahead_names),
    CHOICE("plan", "gradient-sync", P(zero.gradient_sync), lp_gradient_sync_names),
    CHOICE("plan", "optimizer", P(optimizer), lp_optimizer_names),
    CHOICE("plan", "precision", P(format.precision), lp_precision_names),
    BOOLEAN("plan", "narrow-parameters", P(format.narrow_parameters)),
    {.element = "plan", .name = "gradient-precision", .kind = KIND_GRADIENT},
    {.element = "plan", .name = "communication-precision", .kind = KIND_WIRE},
    NUMBER("plan", "skew", P(experts.skew), 0.0, 10.0),
    OPTIONAL("plan", "seed", P(experts.seed)),
    BOOLEAN("options", "overlap-dp", P(overlap.dp)),
    CHOICE("options", "overlap-tp", P(overlap.tp), lp_overlap_tp_names),
    BOOLEAN("options", "overlap-pp", P(overlap.pp)),
    BOOLEAN("options", "overlap-param", P(overlap.param)),
    {.element = "options", .name = "bucket", .kind = KIND_SIZE, .offset = P(overlap.bucket_bytes)},
    NUMBER("options", "overlap-fraction", P(overlap.fraction), 0.0, 1.0),
    CHOICE("options", "amped-efficiency", P(amped_efficiency), lp_amped_efficiency_names),
    NUMBER("options", "slowdown", P(overlap.slowdown), 1.0, 100.0),
    BOOLEAN("options", "cuda-graphs", P(host.cuda_graphs)),
    CHOICE("options", "host-sync", P(host.sync), lp_host_sync_names),
    CHOICE("options", "kernels", P(host.kernels), lp_kernels_names),
    NAME("library", P(library.name)),
    NAME("protocol", P(library.protocol)),
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
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                "unknown attribute \"%s\", the nearest known one is \"%s\"", name,
                lp_nearest_name(name, names));
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

/* A gradient is reduced in one of the formats that libraries sum in; each has its size. */
static const struct {
    const char *name;
    guint32 bytes;
} gradient_precisions[] = {{"fp32", 4}, {"fp16", 2}, {"bf16", 2}};

static gboolean
set_gradient(LpWorkload *workload, const char *text, GError **error)
{
    const char *const names[] = {"fp32", "fp16", "bf16", NULL};
    int index = lp_choice_parse(text, names, error);
    if (index < 0)
        return FALSE;
    workload->plan.format.gradient_bytes = gradient_precisions[index].bytes;
    return TRUE;
}

/* Of the two formats of 2 bytes, the one that goes with the plan's precision. */
static const char *
gradient_to_text(const LpPlan *plan)
{
    if (plan->format.gradient_bytes == 4)
        return "fp32";
    return plan->format.precision == LP_PRECISION_FP16 ? "fp16" : "bf16";
}

/* Formats in which activations cross the wire; 0: as they stand in memory. */
static const char *const wire_names[] = {"auto", "fp32", "fp16", "bf16", "fp8", NULL};
static const guint32 wire_bytes[] = {0, 4, 2, 2, 1};

static gboolean
set_wire(LpWorkload *workload, const char *text, GError **error)
{
    int index = lp_choice_parse(text, wire_names, error);
    if (index < 0)
        return FALSE;
    workload->plan.format.communication_bytes = wire_bytes[index];
    return TRUE;
}

static const char *
wire_to_text(guint32 bytes)
{
    for (guint i = 0; i < G_N_ELEMENTS(wire_bytes); i++)
        if (wire_bytes[i] == bytes)
            return wire_names[i];
    g_assert_not_reached();
}

/* "even", "balanced", or the layers of each slice: "10,12,12,14". */
static gboolean
set_stages(LpPlan *plan, const char *text, GError **error)
{
    plan->pipeline.n_listed = 0;
    plan->pipeline.stages = strcmp(text, "balanced") == 0 ? LP_STAGES_BALANCED : LP_STAGES_EVEN;
    if (strcmp(text, "even") == 0 || strcmp(text, "balanced") == 0)
        return TRUE;
    g_auto(GStrv) parts = g_strsplit(text, ",", LP_STAGE_LIST_MAX + 1);
    guint n = g_strv_length(parts);
    gboolean good = n >= 1 && n <= LP_STAGE_LIST_MAX;
    for (guint i = 0; good && i < n; i++) {
        guint64 count = 0;
        good = lp_count_parse(parts[i], 0, COUNT_MAX, &count, NULL);
        plan->pipeline.listed_layers[i] = (guint32)count;
    }
    if (!good) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "\"%s\" is none of even, balanced, and up to %u counts of layers such as "
                    "10,12,12,14",
                    text, LP_STAGE_LIST_MAX);
        return FALSE;
    }
    plan->pipeline.stages = LP_STAGES_LIST;
    plan->pipeline.n_listed = n;
    return TRUE;
}

static char *
stages_to_text(const LpPlan *plan)
{
    if (plan->pipeline.stages != LP_STAGES_LIST)
        return g_strdup(plan->pipeline.stages == LP_STAGES_EVEN ? "even" : "balanced");
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < plan->pipeline.n_listed; i++)
        g_string_append_printf(text, "%s%u", i > 0 ? "," : "", plan->pipeline.listed_layers[i]);
    return g_string_free(text, FALSE);
}

static gboolean
set_text(char **place, const char *text, GError **error)
{
    if (*text == '\0') {
        g_set_error_literal(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                            "got nothing, wanted packed, scattered, or a file");
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
set_order(LpAxis *order, const char *text, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, "-", -1);
    gboolean seen[LP_N_AXES] = {FALSE};
    gboolean good = g_strv_length(parts) == LP_N_AXES;
    for (guint i = 0; good && i < LP_N_AXES; i++) {
        int axis = lp_choice_parse(parts[i], lp_axis_names, NULL);
        good = axis >= 0 && !seen[axis];
        if (good) {
            seen[axis] = TRUE;
            order[i] = (LpAxis)axis;
        }
    }
    if (!good)
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "\"%s\" is not an order of all of tp, cp, ep, dp, pp, such as tp-cp-ep-dp-pp",
                    text);
    return good;
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
    case KIND_SIZE:
        if (strcmp(text, "all") == 0) {
            *(double *)place = 0.0;
            return TRUE;
        }
        if (!lp_quantity_parse_in(LP_QUANTITY_SIZE, text, 0.0, SIZE_BYTES_MAX, place, error))
            return FALSE;
        if (*(double *)place < 1.0) {
            g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                        "got \"%s\", wanted at least 1B, or \"all\" for one bucket", text);
            return FALSE;
        }
        return TRUE;
    case KIND_ORDER:
        return set_order(place, text, error);
    case KIND_GRADIENT:
        return set_gradient(workload, text, error);
    case KIND_WIRE:
        return set_wire(workload, text, error);
    case KIND_STAGES:
        return set_stages(&workload->plan, text, error);
    case KIND_TEXT:
        return set_text(place, text, error);
    case KIND_NAME:
        return set_name(place, text, error);
    case KIND_ALGORITHMS:
        return set_algorithms(place, text, error);
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

G_STATIC_ASSERT(G_N_ELEMENTS(attributes) <= LP_WORKLOAD_SAID_WORDS * 64);

gboolean
lp_attribute_set(const LpAttribute *self, LpWorkload *workload, const char *text, GError **error)
{
    gsize index = (gsize)(self - attributes);
    if (!parse_value(self, workload, text, error))
        return FALSE;
    workload->said[index / 64] |= (guint64)1 << index % 64;
    return TRUE;
}

static char *
order_to_text(const LpAxis *order)
{
    const char *names[LP_N_AXES + 1] = {NULL};
    for (guint i = 0; i < LP_N_AXES; i++)
        names[i] = lp_axis_names[order[i]];
    return g_strjoinv("-", (char **)(gpointer)names);
}

/* The shortest text that reads back as @value: 1.189, not 1.1890000000000001. */
static char *
double_to_text(double value, const char *unit)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    (void)g_ascii_formatd(buffer, sizeof buffer, "%.15g", value);
    if (g_ascii_strtod(buffer, NULL) != value)
        (void)g_ascii_dtostr(buffer, sizeof buffer, value);
    return g_strconcat(buffer, unit, NULL);
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
        return double_to_text(*(const double *)place, "");
    case KIND_SIZE:
        return *(const double *)place > 0.0 ? double_to_text(*(const double *)place, "B")
                                            : g_strdup("all");
    case KIND_ORDER:
        return order_to_text(place);
    case KIND_GRADIENT:
        return g_strdup(gradient_to_text(&workload->plan));
    case KIND_WIRE:
        return g_strdup(wire_to_text(workload->plan.format.communication_bytes));
    case KIND_STAGES:
        return stages_to_text(&workload->plan);
    case KIND_TEXT:
        return g_strdup(*(char *const *)place);
    case KIND_NAME:
        return g_strdup(place);
    case KIND_ALGORITHMS:
        return lp_algorithms_format(place);
    case KIND_NEGATED:
        return g_strdup(*(const gboolean *)place ? "no" : "yes");
    }
    g_assert_not_reached();
}
