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

/* A gradient is reduced in one of the formats that libraries sum in. */
static void
set_gradient(LpPlan *plan, guint choice)
{
    static const guint32 bytes[] = {4, 2, 2}; /* fp32, fp16, bf16 */
    plan->format.gradient_bytes = bytes[choice];
}

/* The format of gradients; of the two formats of 2 bytes the one that goes with the plan's
 * precision. */
static guint
get_gradient(const LpPlan *plan)
{
    if (plan->format.gradient_bytes == 4)
        return 0;
    return plan->format.precision == LP_PRECISION_FP16 ? 1 : 2;
}

const LpAttributeChoice lp_choice_gradient_precision = {set_gradient, get_gradient};

/* Formats in which activations cross the wire: auto, as they stand in memory, fp32, fp16, bf16 and
 * fp8. */
static const guint32 wire_bytes[] = {0, 4, 2, 2, 1};

static guint
wire_of(guint32 bytes)
{
    guint choice = 0;
    while (wire_bytes[choice] != bytes) {
        choice++;
        g_assert(choice < G_N_ELEMENTS(wire_bytes));
    }
    return choice;
}

static void
set_wire(LpPlan *plan, guint choice)
{
    plan->format.communication_bytes = wire_bytes[choice];
}

static guint
get_wire(const LpPlan *plan)
{
    return wire_of(plan->format.communication_bytes);
}

const LpAttributeChoice lp_choice_communication_precision = {set_wire, get_wire};

static void
set_dispatch(LpPlan *plan, guint choice)
{
    plan->format.dispatch_bytes = wire_bytes[choice];
}

static guint
get_dispatch(const LpPlan *plan)
{
    return wire_of(plan->format.dispatch_bytes);
}

const LpAttributeChoice lp_choice_dispatch_precision = {set_dispatch, get_dispatch};

/* --- layers of the stages --- */

/* The names of LpStages; a list of layers has no name. */
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

/* --- what is hidden --- */

typedef enum { /* in the order of the table */
    OVERLAP_NO,
    OVERLAP_YES,
    OVERLAP_REPLICAS, /* of gradients */
    OVERLAP_ACCELERATOR,
    OVERLAP_DOMAINS = OVERLAP_REPLICAS /* of experts */
} Overlap;

static void
set_overlap_dp(LpPlan *plan, guint choice)
{
    plan->overlap.dp = choice != OVERLAP_NO;
    plan->overlap.dp_waits = choice == OVERLAP_REPLICAS;
    plan->overlap.dp_by_accelerator = choice == OVERLAP_ACCELERATOR;
}

static guint
get_overlap_dp(const LpPlan *plan)
{
    if (plan->overlap.dp_by_accelerator)
        return OVERLAP_ACCELERATOR;
    if (plan->overlap.dp_waits)
        return OVERLAP_REPLICAS;
    return plan->overlap.dp ? OVERLAP_YES : OVERLAP_NO;
}

const LpAttributeChoice lp_choice_overlap_dp = {set_overlap_dp, get_overlap_dp};

static void
set_overlap_ep(LpPlan *plan, guint choice)
{
    plan->overlap.ep = choice == OVERLAP_YES;
    plan->overlap.ep_by_domain = choice == OVERLAP_DOMAINS;
}

static guint
get_overlap_ep(const LpPlan *plan)
{
    if (plan->overlap.ep_by_domain)
        return OVERLAP_DOMAINS;
    return plan->overlap.ep ? OVERLAP_YES : OVERLAP_NO;
}

const LpAttributeChoice lp_choice_overlap_ep = {set_overlap_ep, get_overlap_ep};

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
