/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes that do not divide, made to. */
#include "validation/cases/training_remainder.h"

#include <string.h>

static guint64
number(const LpSettings *self, const char *name)
{
    return lp_settings_number(self, name);
}

static gboolean
is_said(const LpSettings *self, const char *name)
{
    return lp_settings_get(self, name) != NULL;
}

/* Sets @name and says why. */
static void
take(LpSettings *self, LpOutcome *outcome, const char *name, guint64 size, const char *why)
{
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, size);
    lp_outcome_infer(outcome, "%s %s: %" G_GUINT64_FORMAT " %s", name, text, number(self, name),
                     why);
    lp_settings_set(self, name, text);
}

static void
pad(LpSettings *self, LpOutcome *outcome, const char *name, guint64 block, const char *why)
{
    guint64 size = number(self, name);
    if (is_said(self, name) && block > 0 && size % block != 0)
        take(self, outcome, name, (size + block - 1) / block * block, why);
}

/* Heads keep their width. */
static void
pad_heads(LpSettings *self, LpOutcome *outcome)
{
    guint64 heads = number(self, "heads"), hidden = number(self, "hidden"), tp = number(self, "tp");
    if (!is_said(self, "heads") || heads == 0 || heads % tp == 0 || hidden % heads != 0)
        return;
    g_autofree char *width = g_strdup_printf("%" G_GUINT64_FORMAT, hidden / heads);
    lp_settings_set_unless_said(self, "head-width", width);
    gboolean shares = is_said(self, "kv-heads") && number(self, "kv-heads") != heads;
    pad(self, outcome, "heads", tp, "do not divide by tp");
    if (!shares)
        lp_settings_set(self, "kv-heads", lp_settings_get(self, "heads"));
}

static gboolean
suits(guint64 kv_heads, guint64 heads, guint64 tp)
{
    return heads % kv_heads == 0 && (kv_heads % tp == 0 || tp % kv_heads == 0);
}

static void
pad_kv_heads(LpSettings *self, LpOutcome *outcome)
{
    guint64 heads = number(self, "heads"), tp = number(self, "tp"), kv = number(self, "kv-heads");
    if (!is_said(self, "kv-heads") || !is_said(self, "heads") || kv == 0 || suits(kv, heads, tp))
        return;
    guint64 size = kv;
    while (size < heads && !suits(size, heads, tp))
        size++;
    if (size != kv)
        take(self, outcome, "kv-heads", size,
             "neither divide tp nor are divided by it, or do not divide heads");
}

static void
pad_sequences(LpSettings *self, LpOutcome *outcome)
{
    guint64 block = number(self, "cp");
    if (!lp_settings_is(self, "sequence-parallel", "no"))
        block *= number(self, "tp");
    pad(self, outcome, "seq", block, "do not divide over tp and cp");
    pad(self, outcome, "decoder-seq", block, "do not divide over tp and cp");
}

static guint64
common_divisor(guint64 a, guint64 b)
{
    while (b != 0) {
        guint64 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Experts lie on ranks of tp, cp and dp. */
static void
limit_experts(LpSettings *self, LpOutcome *outcome)
{
    guint64 ep = number(self, "ep"), experts = number(self, "experts");
    if (ep < 2 || !is_said(self, "experts"))
        return;
    guint64 ranks = number(self, "tp") * number(self, "cp") * number(self, "dp");
    guint64 most = common_divisor(common_divisor(ep, experts), ranks);
    if (most != ep)
        take(self, outcome, "ep", most, "divides neither the experts nor the ranks");
}

/* The fullest replica decides when a step ends. */
static void
pad_batch(LpSettings *self, LpOutcome *outcome)
{
    pad(self, outcome, "global-batch", number(self, "dp"), "do not divide by dp");
}

void
lp_training_remainder_pad(LpSettings *self, LpOutcome *outcome)
{
    pad_heads(self, outcome);
    pad_kv_heads(self, outcome);
    pad(self, outcome, "ffn", number(self, "tp"), "do not divide by tp");
    pad_sequences(self, outcome);
    limit_experts(self, outcome);
    pad_batch(self, outcome);
}

/* Sequences of a replica's batch with the last pass as long as the others. */
static guint64
padded(guint64 own, guint64 micro_batch)
{
    return (own + micro_batch - 1) / micro_batch * micro_batch;
}

/* The size from half of @most to @most by which @own sequences are padded least; of several the
 * largest. Sizes, or the numbers of passes that they make, are gone through: whichever are fewer,
 * and so never more than the root of @own. */
static guint64
least_padded(guint64 own, guint64 most)
{
    guint64 least = (most + 1) / 2, chosen = most;
    if (most >= own)
        return MAX(own, least);
    if (most <= own / most) {
        for (guint64 size = most; size >= least; size--)
            if (padded(own, size) < padded(own, chosen))
                chosen = size;
        return chosen;
    }
    for (guint64 n = own / most; n <= own / least + 1; n++) {
        guint64 size = CLAMP((own + n - 1) / n, least, most);
        if (padded(own, size) < padded(own, chosen))
            chosen = size;
    }
    return chosen;
}

guint64
lp_training_remainder_micro_batch(LpSettings *self, guint64 micro_batch, LpOutcome *outcome)
{
    guint64 dp = MAX(number(self, "dp"), 1), own = number(self, "global-batch") / dp;
    if (own == 0 || micro_batch == 0 || own % micro_batch == 0)
        return micro_batch;
    guint64 chosen = MIN(least_padded(own, micro_batch), own);
    lp_outcome_infer(outcome,
                     "micro-batch %" G_GUINT64_FORMAT ": a replica's %" G_GUINT64_FORMAT
                     " sequences are no multiple of %" G_GUINT64_FORMAT,
                     chosen, own, micro_batch);
    if (own % chosen != 0)
        take(self, outcome, "global-batch", padded(own, chosen) * dp,
             "do not divide by the micro-batch");
    return chosen;
}
