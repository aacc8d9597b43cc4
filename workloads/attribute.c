/* SPDX-License-Identifier: Apache-2.0 */
/* The attribute table: name, element, kind, place in the workload, and range. */
#include "workloads/attribute.h"

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
    KIND_FIXED, /* known to the file format, but one value only so far */
} Kind;

struct LpAttribute {
    const char *element;
    const char *name;
    Kind kind;
    size_t offset;
    guint64 minimum, maximum;
    const char *const *choices;
    const char *fixed;
};

#define T(member) offsetof(LpWorkload, transformer.member)
#define P(member) offsetof(LpWorkload, plan.member)
/* Larger than any published count by a factor of a hundred; what products of counts may reach is
 * checked when an iteration is expanded. */
#define COUNT_MAX (1u << 24)
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
#define FIXED(element_, name_, value)                                                              \
    {                                                                                              \
        .element = element_, .name = name_, .kind = KIND_FIXED, .fixed = value                     \
    }

static const LpAttribute attributes[] = {
    COUNT("transformer", "layers", T(n_layers)),
    COUNT("transformer", "hidden", T(hidden)),
    COUNT("transformer", "heads", T(n_heads)),
    COUNT("transformer", "kv-heads", T(n_kv_heads)),
    COUNT("transformer", "ffn", T(ffn)),
    CHOICE("transformer", "ffn-kind", T(ffn_kind), lp_ffn_kind_names),
    CHOICE("transformer", "attention", T(attention), lp_attention_kind_names),
    CHOICE("transformer", "positions", T(positions), lp_positions_names),
    COUNT("transformer", "seq", T(seq)),
    COUNT("transformer", "vocab", T(vocab)),
    BOOLEAN("transformer", "tied-embeddings", T(tied_embeddings)),
    BOOLEAN("transformer", "embedding", T(embedding)),
    FIXED("transformer", "experts", "0"),
    FIXED("transformer", "top-k", "0"),
    COUNT("plan", "tp", P(degree[LP_AXIS_TP])),
    COUNT("plan", "pp", P(degree[LP_AXIS_PP])),
    COUNT("plan", "dp", P(degree[LP_AXIS_DP])),
    COUNT("plan", "cp", P(degree[LP_AXIS_CP])),
    COUNT("plan", "ep", P(degree[LP_AXIS_EP])),
    {.element = "plan", .name = "rank-order", .kind = KIND_ORDER, .offset = P(order)},
    COUNT("plan", "virtual-stages", P(virtual_stages)),
    COUNT("plan", "micro-batch", P(micro_batch)),
    COUNT("plan", "global-batch", P(global_batch)),
    CHOICE("plan", "schedule", P(schedule), lp_schedule_names),
    CHOICE("plan", "recompute", P(recompute), lp_recompute_names),
    BOOLEAN("plan", "sequence-parallel", P(sequence_parallel)),
    BOOLEAN("plan", "scatter-gather", P(scatter_gather)),
    FIXED("plan", "zero", "0"),
    CHOICE("plan", "precision", P(precision), lp_precision_names),
    {.element = "plan", .name = "gradient-precision", .kind = KIND_GRADIENT},
    BOOLEAN("options", "overlap-dp", P(overlap_dp)),
    FIXED("options", "overlap-tp", "no"),
    FIXED("options", "overlap-pp", "no"),
    {.element = "options", .name = "bucket", .kind = KIND_SIZE, .offset = P(bucket_bytes)},
    {.element = "options",
     .name = "overlap-fraction",
     .kind = KIND_FRACTION,
     .offset = P(overlap_fraction)},
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
    workload->plan.gradient_bytes = gradient_precisions[index].bytes;
    return TRUE;
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

gboolean
lp_attribute_set(const LpAttribute *self, LpWorkload *workload, const char *text, GError **error)
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
        return lp_number_parse(text, 0.0, 1.0, place, error);
    case KIND_SIZE:
        if (strcmp(text, "all") == 0) {
            *(double *)place = 0.0;
            return TRUE;
        }
        if (!lp_quantity_parse(LP_QUANTITY_SIZE, text, place, error))
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
    case KIND_FIXED:
        if (strcmp(text, self->fixed) == 0)
            return TRUE;
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "got \"%s\", wanted \"%s\", the only value available yet", text, self->fixed);
        return FALSE;
    }
    g_assert_not_reached();
}

static char *
order_to_text(const LpAxis *order)
{
    const char *names[LP_N_AXES + 1] = {NULL};
    for (guint i = 0; i < LP_N_AXES; i++)
        names[i] = lp_axis_names[order[i]];
    return g_strjoinv("-", (char **)(gpointer)names);
}

static char *
double_to_text(double value, const char *unit)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    return g_strconcat(g_ascii_dtostr(buffer, sizeof buffer, value), unit, NULL);
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
        return g_strdup(workload->plan.gradient_bytes == 4 ? "fp32" : "fp16");
    case KIND_FIXED:
        return g_strdup(self->fixed);
    }
    g_assert_not_reached();
}
