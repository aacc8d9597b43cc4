/* SPDX-License-Identifier: Apache-2.0 */
/* The rules by which a row of measured training becomes a workload and a machine. */
#include "validation/cases/training_case.h"

#include "base/error.h"
#include "platforms/catalogue/catalogue.h"
#include "platforms/generation/generate.h"
#include "sim/run/simulation.h"
#include "validation/cases/accelerator_name.h"
#include "validation/cases/framework.h"
#include "validation/cases/public_model.h"
#include "workloads/description/attribute.h"

#include <math.h>
#include <string.h>

/* A row on the way to being a workload. */
typedef struct {
    const LpTableRow *row;      /* borrowed */
    LpPublicModels *models;     /* owned */
    const LpPublicModel *model; /* borrowed from models; NULL: the name says nothing */
    const LpMachine *machine;   /* borrowed */
    LpOutcome *outcome;         /* borrowed: takes the notes */
    LpSettings settings;        /* owned */
    LpWorkload *scratch;        /* owned: values are tried on it, each for itself */
    gboolean is_layer;
} Restating;

/* Checks the value of @column as the attribute would, so that the message names the column. */
static gboolean
set_from_column(Restating *self, const char *column, const char *name, const char *value,
                GError **error)
{
    const LpAttribute *attribute = lp_attribute_find(name, error);
    if (attribute == NULL || !lp_attribute_set(attribute, self->scratch, value, error))
        return lp_table_prefix(self->row, column, error);
    lp_settings_set(&self->settings, name, value);
    return TRUE;
}

static gboolean
says(const Restating *self, const char *column)
{
    return lp_table_has(self->row, column);
}

/* --- the rules, in the order in which they are applied --- */

/* A model that is known by name supplies what its row does not say. */
static gboolean
take_model(Restating *self, GError **error)
{
    if (self->model == NULL && !says(self, "layers"))
        return lp_table_fault(self->row, "model",
                              "the name of a public model where column layers is empty", error);
    for (guint i = 0; self->model != NULL && self->model->settings[i] != NULL; i++)
        lp_settings_set_all(&self->settings, self->model->settings[i]);
    if (!says(self, "layers"))
        lp_outcome_infer(self->outcome, "shape: that of %s, by its name", self->model->name);
    return TRUE;
}

/* "Llama 3.1 405B-proxy (8 layers)": a model cut short says so in its name. */
static gboolean
take_layers_of_name(Restating *self, GError **error)
{
    g_autofree char *words = lp_public_model_words(lp_table_text(self->row, "model"));
    g_auto(GStrv) parts = g_strsplit(words, " ", -1);
    for (guint i = 1; parts[0] != NULL && parts[i] != NULL; i++) {
        if (strcmp(parts[i], "layers") != 0 || !g_ascii_isdigit(*parts[i - 1]))
            continue;
        lp_outcome_infer(self->outcome, "layers %s: the name of the model says so", parts[i - 1]);
        return set_from_column(self, "model", "layers", parts[i - 1], error);
    }
    return TRUE;
}

/* Columns that are attributes of a workload under another name. */
static gboolean
take_columns(Restating *self, GError **error)
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
                   {"virtual_stages", "virtual-stages", "1"},
                   {"zero", "zero", "0"},
                   {"global_batch", "global-batch", NULL}};
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
        const char *text = lp_table_text(self->row, columns[i].column);
        if (*text == '\0')
            text = columns[i].absent;
        if (text != NULL &&
            !set_from_column(self, columns[i].column, columns[i].attribute, text, error))
            return FALSE;
    }
    return TRUE;
}

/* What neither the row nor a model says of the shape. */
static gboolean
complete_shape(Restating *self, GError **error)
{
    (void)error;
    /* Models with gated networks (Llama and later) rotate queries and keys, those before learn
     * positions. */
    lp_settings_set_unless_said(&self->settings, "positions",
                                lp_settings_is(&self->settings, "ffn-kind", "swiglu") ? "rotary"
                                                                                      : "learned");
    /* Rows say "yes" where embeddings are tied. */
    lp_settings_set_unless_said(&self->settings, "tied-embeddings", "no");
    if (lp_settings_get(&self->settings, "experts") != NULL &&
        lp_settings_get(&self->settings, "top-k") == NULL) {
        lp_settings_set(&self->settings, "top-k", "2");
        lp_outcome_infer(self->outcome, "top-k 2: as in GShard and Mixtral");
    }
    return TRUE;
}

/* Megatron pads vocabularies to a multiple of 128 tp (data's README); others do alike. */
static gboolean
pad_vocabulary(Restating *self, GError **error)
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
    lp_settings_set(&self->settings, "vocab", padded);
    return TRUE;
}

/* A row of one layer is that layer: nothing before, behind, or after its backward pass. */
static gboolean
cut_to_layer(Restating *self, GError **error)
{
    (void)error;
    if (!self->is_layer)
        return TRUE;
    lp_settings_set(&self->settings, "layers", "1");
    lp_settings_set(&self->settings, "embedding", "no");
    lp_settings_set(&self->settings, "tied-embeddings", "no");
    return TRUE;
}

/* The accelerators are tp x pp x dp x cp; dp may be left to follow from the others. */
static gboolean
take_replicas(Restating *self, GError **error)
{
    guint64 n_accelerators = 0;
    if (!says(self, "accelerators"))
        return lp_table_fault(self->row, "accelerators", "their number", error);
    if (!lp_table_count(self->row, "accelerators", 1, LP_MACHINE_HOSTS_MAX, &n_accelerators, error))
        return FALSE;
    double n_others = (double)lp_settings_number(&self->settings, "tp") *
                      (double)lp_settings_number(&self->settings, "pp") *
                      (double)lp_settings_number(&self->settings, "cp");
    g_autofree char *dp = g_strdup(lp_table_text(self->row, "dp"));
    if (*dp == '\0') {
        g_free(dp);
        dp = g_strdup_printf("%.0f", MAX((double)n_accelerators / n_others, 1.0));
        lp_outcome_infer(self->outcome, "dp %s: the accelerators over tp, pp and cp", dp);
    }
    if (!set_from_column(self, "dp", "dp", dp, error))
        return FALSE;
    double n_ranks = n_others * (double)lp_settings_number(&self->settings, "dp");
    if (n_ranks == (double)n_accelerators)
        return TRUE;
    /* Some count replicas of experts, or of a part of the model: the accelerators decide. */
    if (fmod((double)n_accelerators, n_others) == 0.0) {
        g_autofree char *own = g_strdup_printf("%.0f", (double)n_accelerators / n_others);
        lp_settings_set(&self->settings, "dp", own);
        lp_outcome_infer(self->outcome, "dp %s: the accelerators over tp, pp and cp, not %s", own,
                         dp);
        return TRUE;
    }
    g_autofree char *wanted = g_strdup_printf("%.0f, the product of tp, pp, dp and cp", n_ranks);
    return lp_table_fault(self->row, "accelerators", wanted, error);
}

/* A row that says nothing of sequence parallelism: with flash attention it ran on software that is
 * younger than the paper that proposed it (Korthikanti et al., 2022), and shares sequences out
 * wherever there is tensor parallelism. */
static gboolean
take_sequence_parallel(Restating *self, GError **error)
{
    gboolean is_wide = lp_settings_number(&self->settings, "tp") > 1;
    const char *text = lp_table_text(self->row, "sequence_parallel");
    if (*text != '\0' &&
        !set_from_column(self, "sequence_parallel", "sequence-parallel", text, error))
        return FALSE;
    if (!is_wide)
        lp_settings_set(&self->settings, "sequence-parallel", "no");
    else if (*text == '\0' && lp_settings_is(&self->settings, "attention", "flash")) {
        lp_settings_set(&self->settings, "sequence-parallel", "yes");
        lp_outcome_infer(self->outcome,
                         "sequence parallelism: with tensor parallelism and flash attention");
    }
    return TRUE;
}

static gboolean
is_on_efa(const LpTableRow *row)
{
    return strstr(lp_table_text(row, "system"), "EFA") != NULL;
}

static gboolean
take_framework(Restating *self, GError **error)
{
    (void)error;
    lp_settings_set(&self->settings, "library", is_on_efa(self->row) ? "nccl-efa-hf" : "auto");
    LpFramework framework = lp_framework_of(self->row, &self->settings);
    lp_framework_apply(framework, self->row, &self->settings, self->outcome);
    return TRUE;
}

/* Block-scaled formats are taken as fp8, in whose units they are multiplied or nearly so. */
static gboolean
take_precision(Restating *self, GError **error)
{
    static const struct {
        const char *stated, *taken;
    } formats[] = {{"mxfp8", "fp8"},     {"nvfp4", "fp8"},    {"mxfp4", "fp8"}, {"fp4", "fp8"},
                   {"bfloat16", "bf16"}, {"float16", "fp16"}, {"mixed", "bf16"}};
    const char *text = lp_table_text(self->row, "precision");
    if (*text == '\0') {
        text = "bf16";
        lp_outcome_infer(self->outcome, "precision bf16: nothing is stated");
    }
    for (guint i = 0; i < G_N_ELEMENTS(formats); i++)
        if (strcmp(text, formats[i].stated) == 0) {
            lp_outcome_infer(self->outcome, "precision %s: in place of %s", formats[i].taken, text);
            text = formats[i].taken;
            break;
        }
    return set_from_column(self, "precision", "precision", text, error);
}

/* Frameworks count embedding and logits as layers when they divide a model into slices; here every
 * slice has a layer unless they are listed. */
static gboolean
limit_slices(Restating *self, GError **error)
{
    (void)error;
    guint64 most =
        lp_settings_number(&self->settings, "layers") / lp_settings_number(&self->settings, "pp");
    if (most == 0 || lp_settings_number(&self->settings, "virtual-stages") <= most)
        return TRUE;
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, most);
    lp_settings_set(&self->settings, "virtual-stages", text);
    lp_outcome_infer(self->outcome, "virtual stages %s: as many as there are layers for", text);
    return TRUE;
}

static gboolean (*const rules[])(Restating *self, GError **error) = {
    take_model,     take_layers_of_name, take_columns,  complete_shape,
    pad_vocabulary, cut_to_layer,        take_replicas, take_sequence_parallel,
    take_precision, take_framework,      limit_slices,
};

/* --- what depends on memory --- */

/* The workload of the settings so far, with these two. */
static LpWorkload *
build(const Restating *self, const char *recompute, guint64 micro_batch, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < self->settings.texts->len; i++)
        g_ptr_array_add(all, g_strdup(self->settings.texts->pdata[i]));
    g_ptr_array_add(all, g_strconcat("recompute=", recompute, NULL));
    g_ptr_array_add(all, g_strdup_printf("micro-batch=%" G_GUINT64_FORMAT, micro_batch));
    g_ptr_array_add(all, NULL);
    g_autofree char *where = lp_table_where(self->row);
    const char *name = lp_table_text(self->row, "model");
    return lp_workload_new(where, *name != '\0' ? name : self->outcome->id,
                           (const char *const *)all->pdata, error);
}

static gboolean
fits(const Restating *self, const char *recompute, guint64 micro_batch)
{
    g_autoptr(LpWorkload) workload = build(self, recompute, micro_batch, NULL);
    return workload != NULL && lp_simulation_check_memory(workload, self->machine, NULL);
}

/* The time of a plan by the closed form: infinite if it does not fit. */
static double
plan_s(const Restating *self, const char *recompute, guint64 micro_batch)
{
    g_autoptr(LpWorkload) workload = build(self, recompute, micro_batch, NULL);
    if (workload == NULL || !lp_simulation_check_memory(workload, self->machine, NULL) ||
        lp_plan_n_ranks(&workload->plan) > self->machine->n_accelerators)
        return INFINITY;
    return lp_prediction_consistent_s(workload, self->machine);
}

/* Left out: of the powers of two that divide the replica's batch and fit the one that is fastest by
 * the closed form, since who measures has tuned; the larger of equals. Without stages that is
 * mostly the largest, with stages larger ones wait longer for each other. */
static guint64
choose_micro_batch(const Restating *self, const char *recompute)
{
    guint64 sequences = lp_settings_number(&self->settings, "global-batch") /
                        lp_settings_number(&self->settings, "dp"),
            chosen = 1;
    double best_s = INFINITY;
    for (guint64 size = 1; sequences > 0 && sequences % size == 0; size *= 2) {
        double own_s = plan_s(self, recompute, size);
        if (own_s <= best_s && own_s < INFINITY) {
            best_s = own_s;
            chosen = size;
        }
    }
    lp_outcome_infer(self->outcome,
                     "micro-batch %" G_GUINT64_FORMAT ": the fastest by the closed form that fits",
                     chosen);
    return chosen;
}

/* Ways to hold a plan in memory, from what costs least. */
typedef struct {
    const char *recompute, *gradients;
} Saving;

static const Saving savings[] = {{"none", "fp32"},  {"none", "bf16"},      {"light", "fp32"},
                                 {"light", "bf16"}, {"selective", "fp32"}, {"selective", "bf16"},
                                 {"full", "fp32"},  {"full", "bf16"}};

/* Whether the plan fits so; leaves its gradients set. Gradients that nobody widened stay. */
static gboolean
fits_with(Restating *self, const Saving *saving, guint64 micro_batch)
{
    gboolean is_wide = lp_settings_get(&self->settings, "gradient-precision") != NULL;
    if (!is_wide && strcmp(saving->gradients, "fp32") != 0)
        return FALSE;
    if (is_wide)
        lp_settings_set(&self->settings, "gradient-precision", saving->gradients);
    return fits(self, saving->recompute, micro_batch);
}

/* What was measured did fit: where our count says that it does not, gradients are in 16 bits, or
 * more is recomputed than the row states, or it states nothing. */
static const char *
choose_recompute(Restating *self, guint64 micro_batch)
{
    const char *stated = lp_table_text(self->row, "recompute");
    guint first = 0, n = G_N_ELEMENTS(savings);
    while (first < n && *stated != '\0' && strcmp(savings[first].recompute, stated) != 0)
        first++;
    guint chosen = first;
    while (chosen < n && !fits_with(self, &savings[chosen], micro_batch))
        chosen++;
    if (chosen == n) { /* to be refused as stated */
        (void)fits_with(self, &savings[first], micro_batch);
        return savings[first].recompute;
    }
    const Saving *saving = &savings[chosen];
    gboolean is_first = strcmp(saving->recompute, savings[first].recompute) == 0;
    if (*stated == '\0' || !is_first)
        lp_outcome_infer(self->outcome, "recompute %s: the plan %s", saving->recompute,
                         is_first ? "fits so" : "does not fit with less");
    if (chosen > first && strcmp(saving->gradients, "bf16") == 0)
        lp_outcome_infer(self->outcome, "gradients in bf16: the plan does not fit with fp32");
    return saving->recompute;
}

static LpWorkload *
complete_plan(Restating *self, GError **error)
{
    guint64 micro_batch = 1;
    const char *recompute = lp_table_text(self->row, "recompute");
    if (!lp_table_count(self->row, "micro_batch", 1, G_MAXUINT32, &micro_batch, error) ||
        (says(self, "recompute") &&
         !set_from_column(self, "recompute", "recompute", recompute, error)))
        return NULL;
    recompute = choose_recompute(self, micro_batch);
    if (!says(self, "micro_batch"))
        micro_batch = choose_micro_batch(self, recompute);
    return build(self, recompute, micro_batch, error);
}

/* --- the machine --- */

/* The texts of generate's options. */
typedef struct {
    char *accelerators, *domain_size, *domain_bandwidth, *scale_out, *nics; /* owned */
} MachineTexts;

static void
clear_texts(MachineTexts *self)
{
    g_free(self->accelerators);
    g_free(self->domain_size);
    g_free(self->domain_bandwidth);
    g_free(self->scale_out);
    g_free(self->nics);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MachineTexts, clear_texts)

/* The number in @column with @unit behind it; NULL if it says nothing. */
static gboolean
read_rate(const LpTableRow *row, const char *column, const char *unit, char **out_text,
          GError **error)
{
    double value = 0.0;
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    if (!lp_table_has(row, column))
        return TRUE;
    if (!lp_table_number(row, column, 1e-3, 1e6, &value, error))
        return FALSE;
    *out_text = g_strconcat(g_ascii_dtostr(digits, sizeof digits, value), unit, NULL);
    return TRUE;
}

/* Rates are per accelerator; several may share a card, and more cards than accelerators act as one
 * for each. */
static gboolean
read_scale_out(MachineTexts *texts, const LpTableRow *row, guint64 domain_size, LpOutcome *outcome,
               GError **error)
{
    guint64 n_nics = domain_size;
    if (!read_rate(row, "scale_out_Gbps", "Gbps", &texts->scale_out, error) ||
        !lp_table_count(row, "nics_per_domain", 1, G_MAXUINT32, &n_nics, error))
        return FALSE;
    texts->nics = g_strdup_printf("%" G_GUINT64_FORMAT, MIN(n_nics, domain_size));
    if (texts->scale_out != NULL)
        return TRUE;
    texts->scale_out = g_strdup("200Gbps");
    lp_outcome_infer(outcome, "scale-out 200 Gb/s an accelerator: nothing is stated");
    return TRUE;
}

static gboolean
read_texts(MachineTexts *texts, const LpTableRow *row, gboolean *out_is_large, LpOutcome *outcome,
           GError **error)
{
    guint64 n = 0, size = 8;
    if (!lp_table_has(row, "accelerators"))
        return lp_table_fault(row, "accelerators", "their number", error);
    if (!lp_table_count(row, "accelerators", 1, LP_MACHINE_HOSTS_MAX, &n, error) ||
        !lp_table_count(row, "accelerators_per_domain", 1, LP_MACHINE_HOSTS_MAX, &size, error) ||
        !read_rate(row, "scale_up_GBps", "GBps", &texts->domain_bandwidth, error))
        return FALSE;
    if (!lp_table_has(row, "accelerators_per_domain"))
        lp_outcome_infer(outcome, "8 accelerators a domain: nothing is stated");
    if (texts->domain_bandwidth == NULL)
        lp_outcome_infer(outcome, "scale-up 300 GB/s an accelerator: nothing is stated");
    texts->accelerators = g_strdup_printf("%" G_GUINT64_FORMAT, (n + size - 1) / size * size);
    texts->domain_size = g_strdup_printf("%" G_GUINT64_FORMAT, size);
    *out_is_large = n > size;
    return n <= size || read_scale_out(texts, row, size, outcome, error);
}

/* By the catalogue's name, another one that is listed, or the words of a text. */
static gboolean
find_accelerator(const LpTableRow *row, const LpPublicModels *models,
                 LpAccelerator *out_accelerator, LpOutcome *outcome, GError **error)
{
    g_autoptr(GError) fault = NULL;
    const char *name = lp_table_text(row, "accelerator");
    const char *other = lp_public_models_accelerator(models, name);
    if (lp_catalogue_find(other != NULL ? other : name, out_accelerator, &fault))
        return TRUE;
    g_autofree char *matched = lp_accelerator_name_match(name, NULL);
    if (matched == NULL) {
        g_propagate_error(error, g_steal_pointer(&fault));
        return FALSE;
    }
    g_autofree char *shown = lp_error_quote(name);
    lp_outcome_infer(outcome, "accelerator %s: by the words of %s", matched, shown);
    return lp_catalogue_find(matched, out_accelerator, error);
}

/* The machine of whole domains that the row states. */
static LpMachine *
read_machine(const LpTableRow *row, const LpPublicModels *models, LpOutcome *outcome,
             GError **error)
{
    g_auto(MachineTexts) texts = {0};
    gboolean is_large = FALSE;
    if (!read_texts(&texts, row, &is_large, outcome, error))
        return NULL;
    LpAccelerator accelerator;
    if (!find_accelerator(row, models, &accelerator, outcome, error)) {
        (void)lp_table_prefix(row, "accelerator", error);
        return NULL;
    }
    gboolean is_efa = is_large && is_on_efa(row);
    LpGenerateOptions options = {.system = is_efa ? "p5" : "generic",
                                 .accelerators = texts.accelerators,
                                 .accelerator = accelerator.name,
                                 .domain_size = texts.domain_size,
                                 .domain_bandwidth = texts.domain_bandwidth};
    if (is_large && !is_efa) {
        options.scale_out_bandwidth = texts.scale_out;
        options.nics_per_domain = texts.nics;
        options.port_order = "rail";
    }
    g_autofree char *xml = lp_generate(&options, error);
    g_autofree char *where = lp_table_where(row);
    LpMachine *machine = xml != NULL ? lp_machine_parse(where, xml, error) : NULL;
    if (machine == NULL)
        g_prefix_error(error, "%s: ", where);
    return machine;
}

/* --- the row --- */

static gboolean
is_in_scope(const Restating *self, GError **error)
{
    if (self->model == NULL || self->model->out_of_scope == NULL)
        return TRUE;
    g_autofree char *wanted = g_strdup_printf("a model without %s", self->model->out_of_scope);
    (void)lp_table_fault(self->row, "model", wanted, error);
    return FALSE;
}

static gboolean
restate(Restating *self, LpTrainingCase *out_case, GError **error)
{
    const char *kind = lp_table_text(self->row, "kind");
    self->is_layer = strcmp(kind, "layer") == 0;
    if (!self->is_layer && *kind != '\0' && strcmp(kind, "training") != 0)
        return lp_table_fault(self->row, "kind", "training or layer", error);
    out_case->scope = self->is_layer ? LP_PREDICTION_PASSES : LP_PREDICTION_ITERATION;
    for (guint i = 0; i < G_N_ELEMENTS(rules); i++)
        if (!rules[i](self, error))
            return FALSE;
    out_case->machine = read_machine(self->row, self->models, self->outcome, error);
    self->machine = out_case->machine;
    if (out_case->machine != NULL)
        out_case->workload = complete_plan(self, error);
    return out_case->workload != NULL;
}

static void
clear_restating(Restating *self)
{
    lp_public_models_free(self->models);
    lp_settings_clear(&self->settings);
    lp_workload_free(self->scratch);
}

gboolean
lp_training_case_read(LpTrainingCase *self, const LpTableRow *row, LpOutcome *outcome,
                      GError **error)
{
    *self = (LpTrainingCase){NULL, NULL, LP_PREDICTION_ITERATION};
    g_autoptr(LpPublicModels) models = lp_public_models_load(error);
    if (models == NULL)
        return FALSE;
    Restating restating = {.row = row, .outcome = outcome};
    restating.model = lp_public_models_find(models, lp_table_text(row, "model"));
    restating.models = g_steal_pointer(&models);
    lp_settings_init(&restating.settings);
    restating.scratch = g_new0(LpWorkload, 1);
    gboolean good = is_in_scope(&restating, error);
    if (!good)
        lp_outcome_fail(outcome, LP_OUTCOME_OUT_OF_SCOPE, restating.model->out_of_scope);
    else
        good = restate(&restating, self, error);
    clear_restating(&restating);
    return good;
}

void
lp_training_case_clear(LpTrainingCase *self)
{
    g_clear_pointer(&self->workload, lp_workload_free);
    g_clear_pointer(&self->machine, lp_machine_free);
}

/* Rows of the same work: model, batch, precision and accelerators; plans are what differs. */
static char *
group_of(const LpTableRow *row)
{
    static const char *const columns[] = {
        "kind",      "model",    "layers",      "hidden",    "ffn",          "ffn_kind",
        "heads",     "kv_heads", "vocab",       "tied",      "seq",          "experts",
        "attention", "system",   "accelerator", "precision", "accelerators", "global_batch"};
    GString *group = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        g_string_append_printf(group, "%s%s", i > 0 ? " " : "", lp_table_text(row, columns[i]));
    return g_string_free(group, FALSE);
}

static void
describe(const LpTableRow *row, LpOutcome *outcome)
{
    g_autoptr(GError) fault = NULL;
    outcome->group = group_of(row);
    if (!lp_table_measured(row, "iteration_s", &outcome->measured, &fault))
        lp_outcome_fail(outcome, LP_OUTCOME_FAILED, fault->message);
}

static void
predict(const LpTableRow *row, const LpConstants *constants, LpOutcome *outcome)
{
    g_autoptr(GError) fault = NULL;
    g_auto(LpTrainingCase) restated = {0};
    if (!lp_training_case_read(&restated, row, outcome, &fault) ||
        !lp_prediction_run(restated.workload, restated.machine, restated.scope, constants, outcome,
                           &fault))
        lp_outcome_fail(outcome, LP_OUTCOME_FAILED, fault->message);
}

const LpCaseKind lp_training_case = {LP_MEASURE_TIME, describe, predict};
