/* SPDX-License-Identifier: Apache-2.0 */
/* What a row of measured training says in words, beyond its columns. */
#include "validation/cases/training_words.h"

#include "validation/cases/remat_policy.h"
#include "validation/cases/row_word.h"

#include <math.h>
#include <string.h>

/* Forward FLOP over those of all passes, where nothing is recomputed. */
#define FORWARD_SHARE (1.0 / 3.0)
/* Accelerators of a domain where a row does not state them. */
#define DOMAIN_USUAL 8

/* Whether @at, a place in @note where @word stands, is between words that deny it. */
static gboolean
is_denied(const char *note, const char *at, const char *word)
{
    static const char *const before[] = {"no ", "not ", "without ", "w/o "};
    static const char *const behind[] = {"=false", "=no", "=off", "=0", " off", ": false", ": no"};
    for (guint i = 0; i < G_N_ELEMENTS(before); i++) {
        size_t length = strlen(before[i]);
        gboolean fits = (size_t)(at - note) >= length;
        if (fits && g_ascii_strncasecmp(at - length, before[i], length) == 0)
            return TRUE;
    }
    for (guint i = 0; i < G_N_ELEMENTS(behind); i++)
        if (g_ascii_strncasecmp(at + strlen(word), behind[i], strlen(behind[i])) == 0)
            return TRUE;
    return FALSE;
}

static gboolean
column_says(const LpTableRow *row, const char *column, const char *word)
{
    const char *text = lp_table_text(row, column), *at = strstr(text, word);
    return at != NULL && !is_denied(text, at, word);
}

static gboolean
says(const LpTableRow *row, const char *word)
{
    return column_says(row, "note", word);
}

/* The number behind @word in the note, or 0. */
static double
number_behind(const LpTableRow *row, const char *word)
{
    const char *at = strstr(lp_table_text(row, "note"), word);
    double number = at != NULL ? g_ascii_strtod(at + strlen(word), NULL) : 0.0;
    return isfinite(number) && number > 0.0 ? number : 0.0;
}

static void
take_compiler(const LpTableRow *row, LpSettings *settings, LpOutcome *outcome)
{
    if (!says(row, "torch.compile") || lp_settings_is(settings, "kernels", "fused"))
        return;
    lp_outcome_infer(outcome, "kernels fused: torch.compile is stated");
    lp_settings_set(settings, "kernels", "fused");
}

/* Replicas that share states by the note's words; 0: it has none. */
static guint64
stated_shards(const LpTableRow *row)
{
    guint64 shards = DOMAIN_USUAL;
    if (says(row, "HSDP") &&
        lp_row_count(row, "accelerators_per_domain", 1, G_MAXUINT32, &shards, NULL, NULL))
        return shards;
    double stated = number_behind(row, "zero1=");
    return stated <= G_MAXUINT32 ? (guint64)stated : 0;
}

static void
take_shards(const LpTableRow *row, LpSettings *settings, LpOutcome *outcome)
{
    guint64 replicas = lp_settings_number(settings, "dp") * lp_settings_number(settings, "cp"),
            shards = stated_shards(row);
    if (shards == 0 || shards >= replicas || replicas % shards != 0 ||
        lp_settings_is(settings, "zero", "0") || lp_settings_get(settings, "shard-degree") != NULL)
        return;
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, shards);
    lp_outcome_infer(outcome, "shard-degree %s: its note says how many replicas share states",
                     text);
    lp_settings_set(settings, "shard-degree", text);
}

/* Both send a token once to each domain that has one of its experts (deepseek-ai/DeepEP, README.md:
 * forwarding between NVLink and RDMA domains; HybridEP is its later form). */
static void
take_relay(const LpTableRow *row, LpSettings *settings, LpOutcome *outcome)
{
    static const char *const names[] = {"DeepEP", "HybridEP"};
    const char *name = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (says(row, names[i]) || column_says(row, "overlap", names[i]))
            name = names[i];
    if (name == NULL || lp_settings_number(settings, "ep") <= 1 ||
        lp_settings_get(settings, "ep-relay") != NULL)
        return;
    lp_outcome_infer(outcome, "ep-relay domains: %s is stated", name);
    lp_settings_set(settings, "ep-relay", "domains");
}

/* The share of layers whose forward pass hardware FLOP have once more, in hundredths; 0 where that
 * is not said, or selective recomputation has scores to compute. */
static guint
hundredths_again(const LpTableRow *row, const LpSettings *settings)
{
    double model = number_behind(row, "MFU "), hardware = number_behind(row, "HFU ");
    if (model == 0.0 || hardware <= model ||
        strcmp(lp_table_text(row, "recompute"), "selective") != 0 ||
        !lp_settings_is(settings, "attention", "flash"))
        return 0;
    return (guint)lround(100.0 * fmin(1.0, (hardware / model - 1.0) / FORWARD_SHARE));
}

static void
take_recomputed_layers(const LpTableRow *row, LpSettings *settings, LpOutcome *outcome)
{
    guint hundredths = hundredths_again(row, settings);
    if (hundredths == 0)
        return;
    g_autofree char *text = g_strdup_printf("%u/100", hundredths);
    lp_outcome_infer(outcome, "recompute full of %s of the layers: by hardware over model FLOP",
                     text);
    lp_settings_set(settings, "recompute-layers", text);
}

/* What the source calls recomputation, where that says more than column recompute does; NULL if it
 * does not. */
static const char *
policy_parts(const LpTableRow *row, const char **out_name)
{
    return lp_remat_policy_parts(lp_table_text(row, "recompute_as_stated"), out_name);
}

static void
take_policy(const LpTableRow *row, LpSettings *settings, LpOutcome *outcome)
{
    const char *name = NULL, *parts = policy_parts(row, &name);
    if (parts == NULL || lp_settings_get(settings, "selective") != NULL)
        return;
    lp_outcome_infer(outcome, "recompute selective of %s: what \"%s\" does not keep", parts, name);
    lp_settings_set(settings, "selective", parts);
    if (strstr(lp_table_text(row, "recompute_as_stated"), "layer input and") != NULL &&
        lp_settings_get(settings, "offload-inputs") == NULL)
        lp_settings_set(settings, "offload-inputs", "yes");
}

/* Numbers of the shape for which there is no column. */
static void
take_numbers(const LpTableRow *row, LpSettings *settings, LpOutcome *outcome)
{
    static const struct {
        const char *word, *attribute;
    } numbers[] = {{"capacity factor ", "capacity-factor"}, {"head_dim ", "head-width"}};
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
        double number = number_behind(row, numbers[i].word);
        if (number == 0.0 || lp_settings_get(settings, numbers[i].attribute) != NULL)
            continue;
        g_autofree char *text = g_strdup_printf("%.4g", number);
        lp_outcome_infer(outcome, "%s %s: its note says so", numbers[i].attribute, text);
        lp_settings_set(settings, numbers[i].attribute, text);
    }
}

/* Megatron-Bridge's recipes that drop tokens cut experts' buffers at their mean load and fill them
 * up to it (src/megatron/bridge/training/utils/moe_token_drop.py: apply_moe_token_drop). */
static void
take_dropped_tokens(const LpTableRow *row, LpSettings *settings, LpOutcome *outcome)
{
    static const char *const words[] = {"tokendrop", "token drop", "token-drop"};
    g_autofree char *model = g_ascii_strdown(lp_table_text(row, "model"), -1);
    gboolean drops = FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        drops = drops || strstr(model, words[i]) != NULL;
    if (!drops || lp_settings_get(settings, "capacity-factor") != NULL)
        return;
    lp_outcome_infer(outcome, "capacity-factor 1: the model's name says that tokens are dropped");
    lp_settings_set(settings, "capacity-factor", "1");
}

void
lp_training_words_take(const LpTableRow *row, LpSettings *settings, LpOutcome *outcome)
{
    take_compiler(row, settings, outcome);
    take_shards(row, settings, outcome);
    take_relay(row, settings, outcome);
    take_recomputed_layers(row, settings, outcome);
    take_policy(row, settings, outcome);
    take_numbers(row, settings, outcome);
    take_dropped_tokens(row, settings, outcome);
}

const char *
lp_training_words_recompute(const LpTableRow *row, const LpSettings *settings)
{
    const char *name = NULL;
    if (hundredths_again(row, settings) > 0)
        return "full";
    return policy_parts(row, &name) != NULL ? "selective" : lp_table_text(row, "recompute");
}
