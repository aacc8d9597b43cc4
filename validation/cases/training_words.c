/* SPDX-License-Identifier: Apache-2.0 */
/* What a row of measured training says in words, beyond its columns. */
#include "validation/cases/training_words.h"

#include <math.h>
#include <string.h>

/* Forward FLOP over those of all passes, where nothing is recomputed. */
#define FORWARD_SHARE (1.0 / 3.0)

static gboolean
says(const LpTrainingRestatement *self, const char *word)
{
    return strstr(lp_table_text(self->row, "note"), word) != NULL;
}

/* The number behind @word in the note, or 0. */
static double
number_behind(const LpTrainingRestatement *self, const char *word)
{
    const char *at = strstr(lp_table_text(self->row, "note"), word);
    double number = at != NULL ? g_ascii_strtod(at + strlen(word), NULL) : 0.0;
    return isfinite(number) && number > 0.0 ? number : 0.0;
}

static gboolean
set(LpTrainingRestatement *self, const char *name, const char *value, GError **error)
{
    return lp_training_restatement_set(self, "note", name, value, error);
}

static gboolean
take_compiler(LpTrainingRestatement *self, GError **error)
{
    if (!says(self, "torch.compile") || lp_settings_is(&self->settings, "kernels", "fused"))
        return TRUE;
    lp_outcome_infer(self->outcome, "kernels fused: torch.compile is stated");
    return set(self, "kernels", "fused", error);
}

/* Ranks that share one set of states; 0: nothing is said, or all. */
static guint64
stated_shards(const LpTrainingRestatement *self)
{
    guint64 domain = 0;
    if (says(self, "HSDP") &&
        lp_table_count(self->row, "accelerators_per_domain", 1, G_MAXUINT32, &domain, NULL))
        return domain;
    return 0;
}

static gboolean
take_shards(LpTrainingRestatement *self, GError **error)
{
    guint64 shards = stated_shards(self), replicas = lp_settings_number(&self->settings, "dp") *
                                                     lp_settings_number(&self->settings, "cp");
    if (shards == 0 || shards >= replicas || replicas % shards != 0 ||
        lp_settings_is(&self->settings, "zero", "0") ||
        lp_settings_get(&self->settings, "shard-degree") != NULL)
        return TRUE;
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, shards);
    lp_outcome_infer(self->outcome, "shard-degree %s: states are shared inside groups", text);
    return set(self, "shard-degree", text, error);
}

/* The share of layers whose forward pass hardware FLOP have once more, in hundredths; 0 where that
 * is not said, or selective recomputation has scores to compute. */
static guint
hundredths_again(const LpTrainingRestatement *self)
{
    double model = number_behind(self, "MFU "), hardware = number_behind(self, "HFU ");
    if (model == 0.0 || hardware <= model ||
        strcmp(lp_table_text(self->row, "recompute"), "selective") != 0 ||
        !lp_settings_is(&self->settings, "attention", "flash"))
        return 0;
    return (guint)lround(100.0 * fmin(1.0, (hardware / model - 1.0) / FORWARD_SHARE));
}

static gboolean
take_recomputed_layers(LpTrainingRestatement *self, GError **error)
{
    guint hundredths = hundredths_again(self);
    if (hundredths == 0)
        return TRUE;
    g_autofree char *text = g_strdup_printf("%u/100", hundredths);
    lp_outcome_infer(self->outcome,
                     "recompute full of %s of the layers: by hardware over model FLOP", text);
    return set(self, "recompute-layers", text, error);
}

gboolean
lp_training_words_take(LpTrainingRestatement *self, GError **error)
{
    return take_compiler(self, error) && take_shards(self, error) &&
           take_recomputed_layers(self, error);
}

const char *
lp_training_words_recompute(const LpTrainingRestatement *self)
{
    return hundredths_again(self) > 0 ? "full" : lp_table_text(self->row, "recompute");
}
