/* SPDX-License-Identifier: Apache-2.0 */
/* Rank orders, lists of layers, number formats, buckets and relays as texts. */
#include "workloads/description/attribute_text.h"

#include "base/error.h"
#include "base/units.h"

#include <string.h>

/* More than any gradients. */
#define SIZE_BYTES_MAX 1e15

char *
lp_text_of_double(double value, const char *unit)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    (void)g_ascii_formatd(buffer, sizeof buffer, "%.15g", value);
    if (g_ascii_strtod(buffer, NULL) != value)
        (void)g_ascii_dtostr(buffer, sizeof buffer, value);
    return g_strconcat(buffer, unit, NULL);
}

/* --- number formats --- */

/* A gradient is reduced in one of the formats that libraries sum in; each has its size. */
static const struct {
    const char *name;
    guint32 bytes;
} gradient_precisions[] = {{"fp32", 4}, {"fp16", 2}, {"bf16", 2}};

static gboolean
set_gradient(LpPlan *plan, const char *text, GError **error)
{
    const char *const names[] = {"fp32", "fp16", "bf16", NULL};
    int index = lp_choice_parse(text, names, error);
    if (index < 0)
        return FALSE;
    plan->format.gradient_bytes = gradient_precisions[index].bytes;
    return TRUE;
}

/* Of the two formats of 2 bytes, the one that goes with the plan's precision. */
static char *
get_gradient(const LpPlan *plan)
{
    if (plan->format.gradient_bytes == 4)
        return g_strdup("fp32");
    return g_strdup(plan->format.precision == LP_PRECISION_FP16 ? "fp16" : "bf16");
}

const LpAttributeText lp_text_gradient_precision = {set_gradient, get_gradient};

/* Formats in which activations cross the wire; 0: as they stand in memory. */
static const char *const wire_names[] = {"auto", "fp32", "fp16", "bf16", "fp8", NULL};
static const guint32 wire_bytes[] = {0, 4, 2, 2, 1};

static gboolean
parse_wire(const char *text, guint32 *out_bytes, GError **error)
{
    int index = lp_choice_parse(text, wire_names, error);
    if (index < 0)
        return FALSE;
    *out_bytes = wire_bytes[index];
    return TRUE;
}

static char *
name_wire(guint32 bytes)
{
    for (guint i = 0; i < G_N_ELEMENTS(wire_bytes); i++)
        if (wire_bytes[i] == bytes)
            return g_strdup(wire_names[i]);
    g_assert_not_reached();
}

static gboolean
set_wire(LpPlan *plan, const char *text, GError **error)
{
    return parse_wire(text, &plan->format.communication_bytes, error);
}

static char *
get_wire(const LpPlan *plan)
{
    return name_wire(plan->format.communication_bytes);
}

const LpAttributeText lp_text_communication_precision = {set_wire, get_wire};

static gboolean
set_dispatch(LpPlan *plan, const char *text, GError **error)
{
    return parse_wire(text, &plan->format.dispatch_bytes, error);
}

static char *
get_dispatch(const LpPlan *plan)
{
    return name_wire(plan->format.dispatch_bytes);
}

const LpAttributeText lp_text_dispatch_precision = {set_dispatch, get_dispatch};

/* --- layers of the stages --- */

/* By LpStages; a list has no name. */
static const char *const stage_rules[] = {"even",      "balanced", "by-weight",
                                          "with-ends", "front",    NULL};
G_STATIC_ASSERT(LP_STAGES_LIST == G_N_ELEMENTS(stage_rules) - 1);

static gboolean
set_stages(LpPlan *plan, const char *text, GError **error)
{
    plan->pipeline.n_listed = 0;
    int rule = lp_choice_parse(text, stage_rules, NULL);
    plan->pipeline.stages = rule >= 0 ? (LpStages)rule : LP_STAGES_EVEN;
    if (rule >= 0)
        return TRUE;
    g_auto(GStrv) parts = g_strsplit(text, ",", LP_STAGE_LIST_MAX + 1);
    guint n = g_strv_length(parts);
    gboolean good = n >= 1 && n <= LP_STAGE_LIST_MAX;
    for (guint i = 0; good && i < n; i++) {
        guint64 count = 0;
        good = lp_count_parse(parts[i], 0, LP_PLAN_COUNT_MAX, &count, NULL);
        plan->pipeline.listed_layers[i] = (guint32)count;
    }
    if (!good) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "\"%s\" is none of even, balanced, by-weight, with-ends, front, and up to %u "
                    "counts of layers such as 10,12,12,14",
                    text, LP_STAGE_LIST_MAX);
        return FALSE;
    }
    plan->pipeline.stages = LP_STAGES_LIST;
    plan->pipeline.n_listed = n;
    return TRUE;
}

static char *
get_stages(const LpPlan *plan)
{
    if (plan->pipeline.stages != LP_STAGES_LIST)
        return g_strdup(stage_rules[plan->pipeline.stages]);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < plan->pipeline.n_listed; i++)
        g_string_append_printf(text, "%s%u", i > 0 ? "," : "", plan->pipeline.listed_layers[i]);
    return g_string_free(text, FALSE);
}

const LpAttributeText lp_text_stage_layers = {set_stages, get_stages};

static gboolean
set_virtual_stages(LpPlan *plan, const char *text, GError **error)
{
    guint64 count = 1;
    plan->pipeline.is_finest = strcmp(text, "finest") == 0;
    if (!plan->pipeline.is_finest && !lp_count_parse(text, 1, LP_PLAN_COUNT_MAX, &count, error))
        return FALSE;
    plan->pipeline.virtual_stages = (guint32)count;
    return TRUE;
}

static char *
get_virtual_stages(const LpPlan *plan)
{
    return g_strdup_printf("%u", plan->pipeline.virtual_stages);
}

const LpAttributeText lp_text_virtual_stages = {set_virtual_stages, get_virtual_stages};

/* --- rank order --- */

static gboolean
set_order(LpPlan *plan, const char *text, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, "-", -1);
    gboolean seen[LP_N_AXES] = {FALSE};
    gboolean good = g_strv_length(parts) == LP_N_AXES;
    for (guint i = 0; good && i < LP_N_AXES; i++) {
        int axis = lp_choice_parse(parts[i], lp_axis_names, NULL);
        good = axis >= 0 && !seen[axis];
        if (good) {
            seen[axis] = TRUE;
            plan->order[i] = (LpAxis)axis;
        }
    }
    if (!good)
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "\"%s\" is not an order of all of tp, cp, ep, dp, pp, such as tp-cp-ep-dp-pp",
                    text);
    return good;
}

static char *
get_order(const LpPlan *plan)
{
    const char *names[LP_N_AXES + 1] = {NULL};
    for (guint i = 0; i < LP_N_AXES; i++)
        names[i] = lp_axis_names[plan->order[i]];
    return g_strjoinv("-", (char **)(gpointer)names);
}

const LpAttributeText lp_text_rank_order = {set_order, get_order};

/* --- what stays free of memory --- */

static gboolean
set_memory_reserve(LpPlan *plan, const char *text, GError **error)
{
    plan->footprint.states_reserve = strcmp(text, "auto") != 0;
    plan->footprint.reserve_bytes = 0.0;
    return !plan->footprint.states_reserve ||
           lp_quantity_parse_in(LP_QUANTITY_SIZE, text, 0.0, SIZE_BYTES_MAX,
                                &plan->footprint.reserve_bytes, error);
}

static char *
get_memory_reserve(const LpPlan *plan)
{
    return plan->footprint.states_reserve ? lp_text_of_double(plan->footprint.reserve_bytes, "B")
                                          : g_strdup("auto");
}

const LpAttributeText lp_text_memory_reserve = {set_memory_reserve, get_memory_reserve};

/* --- buckets of gradients --- */

#define PARAMETERS "-parameters"
#define BUCKET_PARAMETERS_MAX G_GUINT64_CONSTANT(1000000000000000)

/* @text: a number followed by PARAMETERS. */
static gboolean
set_bucket_parameters(LpPlanOverlap *overlap, const char *text, GError **error)
{
    g_autofree char *number = g_strndup(text, strlen(text) - strlen(PARAMETERS));
    guint64 count = 1;
    if (!lp_count_parse(number, 1, BUCKET_PARAMETERS_MAX, &count, error))
        return FALSE;
    overlap->bucket = LP_BUCKET_PARAMETERS;
    overlap->bucket_parameters = (double)count;
    return TRUE;
}

static gboolean
set_bucket(LpPlan *plan, const char *text, GError **error)
{
    LpPlanOverlap *overlap = &plan->overlap;
    overlap->bucket = LP_BUCKET_BYTES;
    if (strcmp(text, "all") == 0) {
        overlap->bucket_bytes = 0.0;
        return TRUE;
    }
    if (strcmp(text, "by-replicas") == 0) {
        overlap->bucket = LP_BUCKET_BY_REPLICAS;
        return TRUE;
    }
    if (g_str_has_suffix(text, PARAMETERS))
        return set_bucket_parameters(overlap, text, error);
    if (!lp_quantity_parse_in(LP_QUANTITY_SIZE, text, 0.0, SIZE_BYTES_MAX, &overlap->bucket_bytes,
                              error))
        return FALSE;
    if (overlap->bucket_bytes >= 1.0)
        return TRUE;
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                "got \"%s\", wanted at least 1B, \"all\" for one bucket, or \"by-replicas\"", text);
    return FALSE;
}

static char *
get_bucket(const LpPlan *plan)
{
    if (plan->overlap.bucket == LP_BUCKET_BY_REPLICAS)
        return g_strdup("by-replicas");
    if (plan->overlap.bucket == LP_BUCKET_PARAMETERS)
        return lp_text_of_double(plan->overlap.bucket_parameters, PARAMETERS);
    double bytes = plan->overlap.bucket_bytes;
    return bytes > 0.0 ? lp_text_of_double(bytes, "B") : g_strdup("all");
}

const LpAttributeText lp_text_bucket = {set_bucket, get_bucket};

/* --- relays of experts' tokens --- */

static gboolean
set_relay(LpPlan *plan, const char *text, GError **error)
{
    guint64 count = 1;
    plan->experts.relays_by_domain = strcmp(text, "domains") == 0;
    plan->experts.sends_each = strcmp(text, "no") == 0;
    if (!plan->experts.relays_by_domain && !plan->experts.sends_each &&
        !lp_count_parse(text, 1, LP_PLAN_COUNT_MAX, &count, error))
        return FALSE;
    plan->experts.relay = (guint32)count;
    return TRUE;
}

static char *
get_relay(const LpPlan *plan)
{
    if (plan->experts.sends_each)
        return g_strdup("no");
    return plan->experts.relays_by_domain ? g_strdup("domains")
                                          : g_strdup_printf("%u", plan->experts.relay);
}

const LpAttributeText lp_text_relay = {set_relay, get_relay};

/* --- sums of gradients --- */

typedef enum {
    SUMS_NO,
    SUMS_YES,
    SUMS_REPLICAS,
    SUMS_ACCELERATOR
} Sums;

static const char *const overlap_dp_names[] = {"no", "yes", "replicas", "accelerator", NULL};

static gboolean
set_overlap_dp(LpPlan *plan, const char *text, GError **error)
{
    int index = lp_choice_parse(text, overlap_dp_names, error);
    if (index < 0)
        return FALSE;
    plan->overlap.dp = index != SUMS_NO;
    plan->overlap.dp_waits = index == SUMS_REPLICAS;
    plan->overlap.dp_by_accelerator = index == SUMS_ACCELERATOR;
    return TRUE;
}

static char *
get_overlap_dp(const LpPlan *plan)
{
    Sums sums = plan->overlap.dp ? SUMS_YES : SUMS_NO;
    if (plan->overlap.dp_waits)
        sums = SUMS_REPLICAS;
    if (plan->overlap.dp_by_accelerator)
        sums = SUMS_ACCELERATOR;
    return g_strdup(overlap_dp_names[sums]);
}

const LpAttributeText lp_text_overlap_dp = {set_overlap_dp, get_overlap_dp};

/* --- woven passes --- */

static const char *const overlap_ep_names[] = {"no", "yes", "domains", NULL};

static gboolean
set_overlap_ep(LpPlan *plan, const char *text, GError **error)
{
    int index = lp_choice_parse(text, overlap_ep_names, error);
    if (index < 0)
        return FALSE;
    plan->overlap.ep = index == 1;
    plan->overlap.ep_by_domain = index == 2;
    return TRUE;
}

static char *
get_overlap_ep(const LpPlan *plan)
{
    return g_strdup(overlap_ep_names[plan->overlap.ep_by_domain ? 2 : plan->overlap.ep ? 1 : 0]);
}

const LpAttributeText lp_text_overlap_ep = {set_overlap_ep, get_overlap_ep};

/* --- sets of shards --- */

static gboolean
set_shards(LpPlan *plan, const char *text, GError **error)
{
    guint64 count = 0;
    plan->zero.shards_by_domain = strcmp(text, "domains") == 0;
    if (!plan->zero.shards_by_domain && !lp_count_parse(text, 0, LP_PLAN_COUNT_MAX, &count, error))
        return FALSE;
    plan->zero.shard_degree = (guint32)count;
    return TRUE;
}

static char *
get_shards(const LpPlan *plan)
{
    return plan->zero.shards_by_domain ? g_strdup("domains")
                                       : g_strdup_printf("%u", plan->zero.shard_degree);
}

const LpAttributeText lp_text_shards = {set_shards, get_shards};
