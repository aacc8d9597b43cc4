/* SPDX-License-Identifier: Apache-2.0 */
/* What is recomputed, as texts: parts of a layer, and layers. */
#include "workloads/description/attribute_text.h"

#include "base/error.h"
#include "base/units.h"

#include <string.h>

/* --- parts of a layer --- */

/* Groups ahead of their parts. */
static const struct {
    const char *name;
    guint32 parts;
} parts[] = {
    {"norms", LP_RECOMPUTED_NORMS},
    {"qkv", LP_RECOMPUTED_QKV},
    {"ffn", LP_RECOMPUTED_FFN},
    {"latent", LP_RECOMPUTED_LATENT},
    {"queries", LP_RECOMPUTED_QUERIES},
    {"keys", LP_RECOMPUTED_KEYS},
    {"values", LP_RECOMPUTED_VALUES},
    {"core", LP_RECOMPUTED_CORE},
    {"attention", LP_RECOMPUTED_ATTENTION},
    {"projection", LP_RECOMPUTED_PROJECTION | LP_RECOMPUTED_RESIDUAL},
    {"up", LP_RECOMPUTED_UP},
    {"gate", LP_RECOMPUTED_GATE},
    {"activation", LP_RECOMPUTED_ACTIVATION},
};

/* The parts that @name stands for; 0: none. */
static guint32
parts_of(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
        if (strcmp(parts[i].name, name) == 0)
            return parts[i].parts;
    return 0;
}

static gboolean
set_selective(LpPlan *plan, const char *text, GError **error)
{
    g_auto(GStrv) names = g_strsplit(text, ",", -1);
    guint32 sum = strcmp(text, "alternate") == 0 ? LP_RECOMPUTED_ALTERNATE : 0;
    for (guint i = 0; sum != LP_RECOMPUTED_ALTERNATE && (i == 0 || names[i] != NULL); i++) {
        guint32 more = names[i] != NULL ? parts_of(names[i]) : 0;
        if (more == 0 || (sum & more) != 0) {
            g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                        "\"%s\" is neither alternate nor a list, each part once, of norms, latent, "
                        "queries, keys, values (qkv), core, attention, projection, up, gate, "
                        "activation (ffn)",
                        text);
            return FALSE;
        }
        sum |= more;
    }
    plan->selective = sum;
    return TRUE;
}

static char *
get_selective(const LpPlan *plan)
{
    guint32 rest = plan->selective != 0 ? plan->selective : LP_RECOMPUTED_CORE;
    g_autoptr(GString) text = g_string_new("");
    if (rest == LP_RECOMPUTED_ALTERNATE)
        return g_strdup("alternate");
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
        if ((rest & parts[i].parts) == parts[i].parts) {
            g_string_append_printf(text, "%s%s", text->len > 0 ? "," : "", parts[i].name);
            rest &= ~parts[i].parts;
        }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

const LpAttributeText lp_text_selective = {set_selective, get_selective};

/* --- layers that are recomputed --- */

static gboolean
set_layers(LpPlan *plan, const char *text, GError **error)
{
    g_auto(GStrv) numbers = g_strsplit(text, "/", 3);
    guint n = g_strv_length(numbers);
    guint64 part = 0, of = 0;
    gboolean is_all = strcmp(text, "all") == 0;
    gboolean good =
        is_all ||
        (n >= 1 && n <= 2 && lp_count_parse(numbers[0], 1, LP_PLAN_COUNT_MAX, &part, NULL) &&
         (n == 1 || lp_count_parse(numbers[1], part, LP_PLAN_COUNT_MAX, &of, NULL)));
    if (!good) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "\"%s\" is none of all, a count of each slice's first layers such as 4, and a "
                    "fraction of all layers such as 1/3",
                    text);
        return FALSE;
    }
    LpRecomputeLayers fraction = {.part = (guint32)part, .of = (guint32)of};
    plan->recompute_layers = n == 1 ? (LpRecomputeLayers){.first = (guint32)part} : fraction;
    return TRUE;
}

static char *
get_layers(const LpPlan *plan)
{
    LpRecomputeLayers layers = plan->recompute_layers;
    if (layers.first > 0)
        return g_strdup_printf("%u", layers.first);
    return layers.of > 0 ? g_strdup_printf("%u/%u", layers.part, layers.of) : g_strdup("all");
}

const LpAttributeText lp_text_recompute_layers = {set_layers, get_layers};
