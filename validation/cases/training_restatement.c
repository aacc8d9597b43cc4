/* SPDX-License-Identifier: Apache-2.0 */
/* The rules by which a row of measured training becomes the attributes of a workload. */
#include "validation/cases/training_restatement.h"

#include "base/error.h"
#include "validation/cases/row_word.h"
#include "validation/cases/run_setting.h"
#include "validation/cases/training_framework.h"
#include "validation/cases/training_machine.h"
#include "validation/cases/training_remainder.h"
#include "validation/cases/training_words.h"
#include "workloads/description/attribute.h"

#include <math.h>
#include <string.h>

/* The usual width of a head, where none is stated. */
#define HEAD_WIDTH 128

gboolean
lp_training_restatement_init(LpTrainingRestatement *self, const LpTableRow *row, LpOutcome *outcome,
                             GError **error)
{
    *self = (LpTrainingRestatement){.row = row, .outcome = outcome};
    self->is_layer = strcmp(lp_table_text(row, "kind"), "layer") == 0;
    self->scratch = g_new0(LpWorkload, 1);
    lp_settings_init(&self->settings);
    self->models = lp_public_models_load(error);
    if (self->models == NULL)
        return FALSE;
    self->model = lp_public_models_find(self->models, lp_table_text(row, "model"));
    return TRUE;
}

void
lp_training_restatement_clear(LpTrainingRestatement *self)
{
    lp_public_models_free(self->models);
    lp_settings_clear(&self->settings);
    lp_workload_free(self->scratch);
}

/* Another word for @value that @attribute takes, or NULL. Returns: (transfer full). */
static char *
other_word(LpTrainingRestatement *self, const char *column, const LpAttribute *attribute,
           const char *value)
{
    g_autofree char *word = lp_row_word(column, value);
    if (strcmp(word, value) == 0 ||
        !lp_attribute_set(attribute, self->scratch, word, LP_ORIGIN_SETTING, NULL))
        return NULL;
    g_autofree char *shown = lp_error_quote(value);
    lp_outcome_infer(self->outcome, "%s %s: in place of %s", column, word, shown);
    return g_steal_pointer(&word);
}

gboolean
lp_training_restatement_set(LpTrainingRestatement *self, const char *column, const char *name,
                            const char *value, GError **error)
{
    const LpAttribute *attribute = lp_attribute_find(name, error);
    g_autoptr(GError) fault = NULL;
    if (attribute == NULL)
        return lp_table_prefix(self->row, column, error);
    g_autofree char *word = NULL;
    if (!lp_attribute_set(attribute, self->scratch, value, LP_ORIGIN_SETTING, &fault)) {
        word = other_word(self, column, attribute, value);
        if (word == NULL) {
            g_propagate_error(error, g_steal_pointer(&fault));
            return lp_table_prefix(self->row, column, error);
        }
    }
    lp_settings_set(&self->settings, name, word != NULL ? word : value);
    return TRUE;
}

/* A public model supplies what its row does not state. */
static gboolean
take_model(LpTrainingRestatement *self, GError **error)
{
    if (self->model == NULL && !lp_table_has(self->row, "layers"))
        return lp_table_fault(self->row, "model",
                              "the name of a public model where column layers is empty", error);
    if (self->model == NULL)
        return TRUE;
    g_auto(GStrv) shape = lp_public_model_settings(self->models, self->model, error);
    if (shape == NULL)
        return FALSE;
    for (guint i = 0; shape[i] != NULL; i++)
        lp_settings_set_all(&self->settings, shape[i]);
    if (!lp_table_has(self->row, "layers"))
        lp_outcome_infer(self->outcome, "shape: that of %s, by its name", self->model->name);
    return TRUE;
}

/* "Llama 3.1 405B-proxy (8 layers)": a model cut short says so in its name. */
static gboolean
take_layers_of_name(LpTrainingRestatement *self, GError **error)
{
    g_autofree char *words = lp_public_model_words(lp_table_text(self->row, "model"));
    g_auto(GStrv) parts = g_strsplit(words, " ", -1);
    for (guint i = 1; parts[0] != NULL && parts[i] != NULL; i++) {
        if (strcmp(parts[i], "layers") != 0 || !g_ascii_isdigit(*parts[i - 1]))
            continue;
        lp_outcome_infer(self->outcome, "layers %s: the name of the model says so", parts[i - 1]);
        return lp_training_restatement_set(self, "model", "layers", parts[i - 1], error);
    }
    return TRUE;
}

/* Columns that are attributes of a workload under another name. */
static gboolean
take_columns(LpTrainingRestatement *self, GError **error)
{
    static const struct {
        const char *column, *attribute;
        const char *absent; /* what an empty column means, NULL: nothing */
    } columns[] = {{"layers", "layers", NULL},
                   {"hidden", "hidden", NULL},
                   {"heads", "heads", NULL},
                   {"kv_heads", "kv-heads", NULL},
                   {"ffn", "ffn", NULL},
                   {"ffn_kind", "ffn-kind", NULL},
                   {"vocab", "vocab", NULL},
                   {"tied", "tied-embeddings", NULL},
                   {"seq", "seq", NULL},
                   {"experts", "experts", NULL},
                   {"attention", "attention", NULL},
                   {"tp", "tp", "1"},
                   {"pp", "pp", "1"},
                   {"cp", "cp", "1"},
                   {"ep", "ep", "1"},
                   {"virtual_stages", "virtual-stages", NULL},
                   {"zero", "zero", NULL},
                   {"global_batch", "global-batch", NULL}};
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
        const char *text = lp_table_text(self->row, columns[i].column);
        if (*text == '\0')
            text = columns[i].absent;
        if (text != NULL && !lp_training_restatement_set(self, columns[i].column,
                                                         columns[i].attribute, text, error))
            return FALSE;
    }
    return TRUE;
}

/* What nothing can stand for. */
static gboolean
check_needed(const LpTrainingRestatement *self, GError **error)
{
    static const struct {
        const char *column, *attribute, *wanted;
    } needed[] = {{"hidden", "hidden", "the width of the model"},
                  {"seq", "seq", "tokens of a sequence"},
                  {"global_batch", "global-batch", "sequences of an iteration"}};
    for (guint i = 0; i < G_N_ELEMENTS(needed); i++)
        if (lp_settings_get(&self->settings, needed[i].attribute) == NULL)
            return lp_table_fault(self->row, needed[i].column, needed[i].wanted, error);
    return TRUE;
}

/* A row of one layer has no embeddings. */
static void
note_open_shape(LpTrainingRestatement *self)
{
    static const struct {
        const char *attribute, *text;
        gboolean is_of_layer;
    } open[] = {{"ffn-kind", "ffn-kind gelu", TRUE},
                {"ffn", "ffn of four times hidden", TRUE},
                {"tied-embeddings", "embeddings not tied", FALSE}};
    g_autoptr(GString) texts = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(open); i++)
        if (lp_settings_get(&self->settings, open[i].attribute) == NULL &&
            (open[i].is_of_layer || !self->is_layer))
            g_string_append_printf(texts, "%s%s", texts->len > 0 ? ", " : "", open[i].text);
    if (texts->len > 0)
        lp_outcome_infer(self->outcome, "%s: nothing is stated", texts->str);
}

/* What neither the row nor a public model states of the shape. */
static gboolean
complete_shape(LpTrainingRestatement *self, GError **error)
{
    if (!check_needed(self, error))
        return FALSE;
    note_open_shape(self);
    /* Models with gated networks (Llama and later) rotate queries and keys, those before learn
     * positions. */
    lp_settings_set_unless_said(&self->settings, "positions",
                                lp_settings_is(&self->settings, "ffn-kind", "swiglu") ? "rotary"
                                                                                      : "learned");
    /* Rows say "yes" where embeddings are tied. */
    lp_settings_set_unless_said(&self->settings, "tied-embeddings", "no");
    guint64 hidden = lp_settings_number(&self->settings, "hidden");
    if (lp_settings_get(&self->settings, "heads") == NULL && hidden % HEAD_WIDTH == 0) {
        g_autofree char *heads = g_strdup_printf("%" G_GUINT64_FORMAT, hidden / HEAD_WIDTH);
        lp_settings_set(&self->settings, "heads", heads);
        lp_outcome_infer(self->outcome, "heads %s: of 128, as most have", heads);
    }
    if (lp_settings_number(&self->settings, "experts") > 1 &&
        lp_settings_get(&self->settings, "top-k") == NULL) {
        lp_settings_set(&self->settings, "top-k", "2");
        lp_outcome_infer(self->outcome, "top-k 2: as in GShard and Mixtral");
    }
    return TRUE;
}

/* Tables of models with and without experts have 0, or 1, where there are none. */
static gboolean
drop_single_expert(LpTrainingRestatement *self, GError **error)
{
    (void)error;
    if (lp_settings_get(&self->settings, "top-k") != NULL ||
        !lp_settings_is(&self->settings, "experts", "1"))
        return TRUE;
    lp_settings_set(&self->settings, "experts", "0");
    lp_outcome_infer(self->outcome, "experts 0: one of which each token takes is none");
    return TRUE;
}

/* Megatron pads vocabularies to a multiple of 128 tp (data's README); others do alike. */
static gboolean
pad_vocabulary(LpTrainingRestatement *self, GError **error)
{
    (void)error;
    if (!self->is_layer && lp_settings_get(&self->settings, "vocab") == NULL) {
        lp_settings_set(&self->settings, "vocab", "51200");
        lp_outcome_infer(self->outcome, "vocabulary 51200: GPT-2's as Megatron pads it");
    }
    guint64 block = 128 * lp_settings_number(&self->settings, "tp"),
            vocab = lp_settings_number(&self->settings, "vocab");
    g_autofree char *padded =
        g_strdup_printf("%" G_GUINT64_FORMAT, (vocab + block - 1) / block * block);
    if (!self->is_layer && (vocab + block - 1) / block * block != vocab)
        lp_outcome_infer(self->outcome,
                         "vocabulary %s: of %" G_GUINT64_FORMAT
                         " words, padded to a multiple of 128 for each rank of tp",
                         padded, vocab);
    lp_settings_set(&self->settings, "vocab", padded);
    return TRUE;
}

/* A row of one layer is that layer alone, without embedding, logits and optimiser. */
static gboolean
cut_to_layer(LpTrainingRestatement *self, GError **error)
{
    (void)error;
    if (!self->is_layer)
        return TRUE;
    lp_settings_set(&self->settings, "layers", "1");
    lp_settings_set(&self->settings, "embedding", "no");
    lp_settings_set(&self->settings, "tied-embeddings", "no");
    lp_settings_set(&self->settings, "optimizer", "none");
    return TRUE;
}

/* Some sources count replicas of experts, or of a part of the model: the accelerators decide, of
 * which some may be left over. */
static void
count_replicas(LpTrainingRestatement *self, double n, double n_ranks, const char *stated)
{
    g_autofree char *own = g_strdup_printf("%.0f", n);
    lp_settings_set(&self->settings, "dp", own);
    if (strcmp(own, stated) == 0)
        lp_outcome_infer(self->outcome, "%.0f accelerators: tp, pp, dp and cp; the rest is idle",
                         n_ranks);
    else
        lp_outcome_infer(self->outcome, "dp %s: the accelerators over tp, pp and cp, not %s", own,
                         stated);
}

/* The accelerators are tp x pp x dp x cp; a dp that is left out follows from the others. */
static gboolean
take_replicas(LpTrainingRestatement *self, GError **error)
{
    guint64 n_accelerators = 0;
    if (!lp_table_has(self->row, "accelerators"))
        return lp_table_fault(self->row, "accelerators", "their number", error);
    /* The machine's rules note other words for it. */
    if (!lp_row_count(self->row, "accelerators", 1, LP_MACHINE_HOSTS_MAX, &n_accelerators, NULL,
                      error))
        return FALSE;
    double n_others = (double)lp_settings_number(&self->settings, "tp") *
                      (double)lp_settings_number(&self->settings, "pp") *
                      (double)lp_settings_number(&self->settings, "cp");
    g_autofree char *dp = g_strdup(lp_table_text(self->row, "dp"));
    if (*dp == '\0') {
        g_free(dp);
        dp = g_strdup_printf("%.0f", MAX(floor((double)n_accelerators / n_others), 1.0));
        lp_outcome_infer(self->outcome, "dp %s: the accelerators over tp, pp and cp", dp);
    }
    if (!lp_training_restatement_set(self, "dp", "dp", dp, error))
        return FALSE;
    double n_ranks = n_others * (double)lp_settings_number(&self->settings, "dp");
    if (n_ranks == (double)n_accelerators)
        return TRUE;
    double n_replicas = floor((double)n_accelerators / n_others);
    if (n_replicas >= 1.0) {
        count_replicas(self, n_replicas, n_replicas * n_others, dp);
        return TRUE;
    }
    g_autofree char *wanted = g_strdup_printf("%.0f, the product of tp, pp, dp and cp", n_ranks);
    return lp_table_fault(self->row, "accelerators", wanted, error);
}

/* Without tensor parallelism there is nothing to divide, whatever a row says. */
static gboolean
take_sequence_parallel(LpTrainingRestatement *self, GError **error)
{
    const char *text = lp_table_text(self->row, "sequence_parallel");
    if (lp_settings_number(&self->settings, "tp") < 2)
        text = "no";
    return *text == '\0' ||
           lp_training_restatement_set(self, "sequence_parallel", "sequence-parallel", text, error);
}

static gboolean
take_framework(LpTrainingRestatement *self, GError **error)
{
    g_autofree char *name = lp_training_framework_name(self->row, self->outcome);
    return lp_training_restatement_set(self, "framework", "framework", name, error);
}

/* Settings of that run, beyond or against its framework's habits: "NAME=VALUE NAME=VALUE". */
static gboolean
take_settings(LpTrainingRestatement *self, GError **error)
{
    g_auto(GStrv) texts = g_strsplit(lp_table_text(self->row, "set"), " ", -1);
    for (guint i = 0; texts[i] != NULL; i++) {
        char *equals = strchr(texts[i], '=');
        if (*texts[i] == '\0')
            continue;
        if (equals == NULL)
            return lp_table_fault(self->row, "set", "NAME=VALUE", error);
        *equals = '\0';
        if (!lp_run_setting_check(self->row, texts[i], equals + 1, error) ||
            !lp_training_restatement_set(self, "set", texts[i], equals + 1, error))
            return FALSE;
    }
    return TRUE;
}

/* Four bits without a word more are NVIDIA's. */
static gboolean
take_precision(LpTrainingRestatement *self, GError **error)
{
    const char *text = lp_table_text(self->row, "precision");
    if (*text == '\0') {
        text = "bf16";
        lp_outcome_infer(self->outcome, "precision bf16: nothing is stated");
    }
    return lp_training_restatement_set(self, "precision", "precision", text, error);
}

/* What the framework decides of the attribute @name, which is said, or NULL.
 * Returns: (transfer full) (nullable). */
static char *
infer_default(LpTrainingRestatement *self, const char *name)
{
    char *value = lp_training_framework_default(&self->settings, name);
    if (value != NULL)
        lp_outcome_infer(self->outcome, "%s %s: as %s has it", name, value,
                         lp_settings_get(&self->settings, "framework"));
    return value;
}

/* What no column says of sequence parallelism the framework decides. */
static gboolean
note_sequence_parallel(LpTrainingRestatement *self, GError **error)
{
    (void)error;
    if (lp_settings_get(&self->settings, "sequence-parallel") != NULL)
        return TRUE;
    g_autofree char *value = infer_default(self, "sequence-parallel");
    if (value == NULL) {
        lp_settings_set(&self->settings, "sequence-parallel", "no");
        lp_outcome_infer(self->outcome, "sequence-parallel no: nothing is stated");
    }
    return TRUE;
}

/* Where nothing says which states replicas share: as the framework has it, else none unless the
 * plan fits so alone (lp_training_plan_new()). */
static gboolean
take_zero(LpTrainingRestatement *self, GError **error)
{
    (void)error;
    if (lp_settings_get(&self->settings, "zero") != NULL)
        return TRUE;
    g_autofree char *stage = infer_default(self, "zero");
    self->shares_open = stage == NULL;
    lp_settings_set(&self->settings, "zero", stage != NULL ? stage : "0");
    return TRUE;
}

/* Software without a rule of its own refuses slices that are not equal, so that they were listed:
 * where layers divide only with embedding and logits counted, these were counted; where they do not
 * at all, lists are balanced. */
static gboolean
deal_slices(LpTrainingRestatement *self, GError **error)
{
    (void)error;
    guint64 pp = lp_settings_number(&self->settings, "pp"),
            layers = lp_settings_number(&self->settings, "layers"),
            slices = pp * MAX(lp_settings_number(&self->settings, "virtual-stages"), 1);
    gboolean divides = (layers + 2) % slices == 0;
    g_autofree char *dealt = lp_training_framework_default(&self->settings, "stage-layers");
    if (pp < 2 || layers % slices == 0 || (layers < slices && !divides) ||
        lp_settings_get(&self->settings, "stage-layers") != NULL || dealt != NULL)
        return TRUE;
    lp_settings_set(&self->settings, "stage-layers", divides ? "with-ends" : "balanced");
    lp_outcome_infer(self->outcome,
                     divides ? "stage-layers with-ends: with embedding and logits they divide by "
                               "the slices"
                             : "stage-layers balanced: they do not divide by the slices");
    return TRUE;
}

/* Sizes that do not divide. */
static gboolean
pad_sizes(LpTrainingRestatement *self, GError **error)
{
    (void)error;
    lp_training_remainder_pad(&self->settings, self->outcome);
    return TRUE;
}

/* Else every slice has a layer unless they are listed, and without stages there is one. */
static gboolean
limit_slices(LpTrainingRestatement *self, GError **error)
{
    (void)error;
    if (lp_settings_get(&self->settings, "stage-layers") != NULL)
        return TRUE;
    guint64 pp = lp_settings_number(&self->settings, "pp"),
            most = pp > 1 ? lp_settings_number(&self->settings, "layers") / pp : 1;
    if (most == 0 || lp_settings_number(&self->settings, "virtual-stages") <= most)
        return TRUE;
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, most);
    lp_settings_set(&self->settings, "virtual-stages", text);
    lp_outcome_infer(self->outcome, "virtual stages %s: as many as there are layers for", text);
    return TRUE;
}

static gboolean
take_words(LpTrainingRestatement *self, GError **error)
{
    (void)error;
    lp_training_words_take(self->row, &self->settings, self->outcome);
    return TRUE;
}

static gboolean (*const rules[])(LpTrainingRestatement *self, GError **error) = {
    take_model,
    take_layers_of_name,
    take_columns,
    drop_single_expert,
    complete_shape,
    pad_vocabulary,
    cut_to_layer,
    take_replicas,
    take_sequence_parallel,
    take_precision,
    take_framework,
    take_settings,
    note_sequence_parallel,
    take_zero,
    take_words,
    pad_sizes,
    deal_slices,
    limit_slices,
};

gboolean
lp_training_restatement_apply(LpTrainingRestatement *self, GError **error)
{
    for (guint i = 0; i < G_N_ELEMENTS(rules); i++)
        if (!rules[i](self, error))
            return FALSE;
    return TRUE;
}
