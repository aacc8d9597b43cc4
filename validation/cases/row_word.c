/* SPDX-License-Identifier: Apache-2.0 */
/* Other words for the values of columns. */
#include "validation/cases/row_word.h"

#include "base/error.h"
#include "base/units.h"

#include <string.h>

/* Of several that a text holds the first counts. */
typedef struct {
    const char *words, *value; /* words: in lower case, one of them is enough; NULL-ended list */
} Meaning;

static const Meaning precisions[] = {{"mxfp4", "mxfp4"},
                                     {"nvfp4 fp4 float4", "nvfp4"},
                                     {"mxfp8 mx", "mxfp8"},
                                     {"block blockwise subchannel", "fp8-block"},
                                     {"fp8 float8 e4m3 hybrid", "fp8"},
                                     {"int8 aqt", "int8"},
                                     {"tf32", "tf32"},
                                     {"bf16 bfloat16", "bf16"},
                                     {"fp16 float16 half amp", "fp16"},
                                     {"mixed", "bf16"},
                                     {"fp32 float32 single", "fp32"},
                                     {NULL, NULL}};
static const Meaning recomputations[] = {{"selective attention attn core op partial", "selective"},
                                         {"full uniform block all yes true on 1", "full"},
                                         {"none no false off never 0", "none"},
                                         {NULL, NULL}};
static const Meaning attentions[] = {
    {"unfused standard naive math eager", "unfused"},
    {"flash flash1 flash2 flash3 fa fa2 fa3 flashattention sdpa cudnn fused triton xformers "
     "splash memory",
     "flash"},
    {NULL, NULL}};
static const Meaning networks[] = {{"swiglu geglu reglu glu silu gated", "swiglu"},
                                   {"gelu relu relu2 squared mlp", "gelu"},
                                   {NULL, NULL}};
static const Meaning answers[] = {
    {"no not false off n 0 untied", "no"}, {"yes true on y 1 tied", "yes"}, {NULL, NULL}};
static const Meaning frameworks[] = {{"torchtitan", "torchtitan"},
                                     {"nanotron", "nanotron"},
                                     {"internevo internlm", "internevo"},
                                     {"foundry composer", "llm-foundry"},
                                     {"deepspeed neox", "deepspeed"},
                                     {"megatron mcore nemo primus", "megatron-core"},
                                     {"maxtext", "maxtext"},
                                     {"pax paxml jax xla neuron levanter t5x gspmd", "xla"},
                                     {"fsdp fsdp2 ddp pytorch torch torchtune", "fsdp"},
                                     {NULL, NULL}};

static const struct {
    const char *column;
    const Meaning *meanings;
} columns[] = {{"precision", precisions}, {"recompute", recomputations},
               {"attention", attentions}, {"ffn_kind", networks},
               {"tied", answers},         {"sequence_parallel", answers},
               {"framework", frameworks}};

static const char *const counts[] = {"layers",
                                     "hidden",
                                     "heads",
                                     "kv_heads",
                                     "ffn",
                                     "vocab",
                                     "seq",
                                     "experts",
                                     "tp",
                                     "pp",
                                     "dp",
                                     "cp",
                                     "ep",
                                     "zero",
                                     "virtual_stages",
                                     "global_batch",
                                     "micro_batch",
                                     "accelerators",
                                     "accelerators_per_domain",
                                     "nics_per_domain",
                                     NULL};

/* Words of one character mean something alone: "N/A" is no "n", "1.5" no 1. */
static gboolean
means(const char *const *known, const char *word, gboolean is_alone)
{
    return g_strv_contains(known, word) && (is_alone || strlen(word) > 1);
}

static const char *
meaning_of(const Meaning *meanings, const char *text)
{
    g_autofree char *lower = g_strstrip(g_ascii_strdown(text, -1));
    gboolean is_alone = strlen(lower) == 1;
    g_strcanon(lower, "abcdefghijklmnopqrstuvwxyz0123456789", ' ');
    g_auto(GStrv) words = g_strsplit(lower, " ", -1);
    for (; meanings->words != NULL; meanings++) {
        g_auto(GStrv) known = g_strsplit(meanings->words, " ", -1);
        for (guint i = 0; words[i] != NULL; i++)
            if (*words[i] != '\0' && means((const char *const *)known, words[i], is_alone))
                return meanings->value;
    }
    return NULL;
}

/* "1,024" and "1024.0" are 1024. */
static char *
count_of(const char *text)
{
    g_auto(GStrv) groups = g_strsplit(text, ",", -1);
    char *plain = g_strjoinv("", groups);
    char *point = strchr(plain, '.');
    if (point != NULL && point > plain && strspn(point + 1, "0") == strlen(point + 1))
        *point = '\0';
    return plain;
}

char *
lp_row_word(const char *column, const char *text)
{
    if (g_strv_contains(counts, column))
        return count_of(text);
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        if (strcmp(columns[i].column, column) == 0) {
            const char *value = meaning_of(columns[i].meanings, text);
            return g_strdup(value != NULL ? value : text);
        }
    return g_strdup(text);
}

char **
lp_row_words(const char *text)
{
    g_autofree char *lower = g_ascii_strdown(text, -1);
    g_strcanon(lower, "abcdefghijklmnopqrstuvwxyz0123456789-", ' ');
    return g_strsplit(lower, " ", -1);
}

gboolean
lp_row_count(const LpTableRow *row, const char *column, guint64 minimum, guint64 maximum,
             guint64 *io_value, LpOutcome *outcome, GError **error)
{
    const char *text = lp_table_text(row, column);
    g_autofree char *word = lp_row_word(column, text);
    if (strcmp(word, text) == 0 || !lp_count_parse(word, minimum, maximum, io_value, NULL))
        return lp_table_count(row, column, minimum, maximum, io_value, error);
    if (outcome == NULL)
        return TRUE;
    g_autofree char *shown = lp_error_quote(text);
    lp_outcome_infer(outcome, "%s %s: in place of %s", column, word, shown);
    return TRUE;
}
