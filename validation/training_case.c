/* SPDX-License-Identifier: Apache-2.0 */
/* The rules by which a row of measured training becomes a workload and a machine. */
#include "validation/training_case.h"

#include "base/error.h"
#include "platforms/catalogue.h"
#include "platforms/generate.h"
#include "sim/simulation.h"
#include "validation/accelerator_name.h"
#include "validation/public_model.h"
#include "workloads/attribute.h"

#include <math.h>
#include <string.h>

/* A row on the way to being a workload. */
typedef struct {
    const LpTableRow *row;      /* borrowed */
    LpPublicModels *models;     /* owned */
    const LpPublicModel *model; /* borrowed from models; NULL: the name says nothing */
    const LpMachine *machine;   /* borrowed */
    LpOutcome *outcome;         /* borrowed: takes the notes */
    GPtrArray *settings;        /* owned: "name=value", the last of a name holds */
    LpWorkload *scratch;        /* owned: values are tried on it, each for itself */
    gboolean is_layer;
} Restating;

/* --- settings --- */

/* The value that holds, borrowed; NULL if nothing has been said. */
static const char *
setting(const Restating *self, const char *name)
{
    gsize length = strlen(name);
    for (guint i = self->settings->len; i > 0; i--) {
        const char *text = self->settings->pdata[i - 1];
        if (strncmp(text, name, length) == 0 && text[length] == '=')
            return text + length + 1;
    }
    return NULL;
}

static gboolean
is_set_to(const Restating *self, const char *name, const char *value)
{
    return g_strcmp0(setting(self, name), value) == 0;
}

static void
set(Restating *self, const char *name, const char *value)
{
    g_ptr_array_add(self->settings, g_strconcat(name, "=", value, NULL));
}

static void
set_unless_said(Restating *self, const char *name, const char *value)
{
    if (setting(self, name) == NULL)
        set(self, name, value);
}

/* A whole number that has been set before by a column or a shape. */
static guint64
number_of(const Restating *self, const char *name)
{
    const char *text = setting(self, name);
    return text != NULL ? g_ascii_strtoull(text, NULL, 10) : 1;
}

/* Checks the value of @column as the attribute would, so that the message names the column. */
static gboolean
set_from_column(Restating *self, const char *column, const char *name, const char *value,
                GError **error)
{
    const LpAttribute *attribute = lp_attribute_find(name, error);
    if (attribute == NULL || !lp_attribute_set(attribute, self->scratch, value, error))
        return lp_table_prefix(self->row, column, error);
    set(self, name, value);
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
        g_ptr_array_add(self->settings, g_strdup(self->model->settings[i]));
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
    set_unless_said(self, "positions",
                    is_set_to(self, "ffn-kind", "swiglu") ? "rotary" : "learned");
    /* Rows say "yes" where embeddings are tied. */
    set_unless_said(self, "tied-embeddings", "no");
    if (setting(self, "experts") != NULL && setting(self, "top-k") == NULL) {
        set(self, "top-k", "2");
        lp_outcome_infer(self->outcome, "top-k 2: as in GShard and Mixtral");
    }
    return TRUE;
}

/* Megatron pads vocabularies to a multiple of 128 tp (data's README); others do alike. */
static gboolean
pad_vocabulary(Restating *self, GError **error)
{
    (void)error;
    if (!self->is_layer && setting(self, "vocab") == NULL) {
        set(self, "vocab", "51200");
        lp_outcome_infer(self->outcome, "vocabulary 51200: GPT-2's as Megatron pads it");
    }
    guint64 block = 128 * number_of(self, "tp"), vocab = number_of(self, "vocab");
    g_autofree char *padded =
        g_strdup_printf("%" G_GUINT64_FORMAT, (vocab + block - 1) / block * block);
    set(self, "vocab", padded);
    return TRUE;
}

/* A row of one layer is that layer: nothing before, behind, or after its backward pass. */
static gboolean
cut_to_layer(Restating *self, GError **error)
{
    (void)error;
    if (!self->is_layer)
        return TRUE;
    set(self, "layers", "1");
    set(self, "embedding", "no");
    set(self, "tied-embeddings", "no");
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
    double n_others = (double)number_of(self, "tp") * (double)number_of(self, "pp") *
                      (double)number_of(self, "cp");
    g_autofree char *dp = g_strdup(lp_table_text(self->row, "dp"));
    if (*dp == '\0') {
        g_free(dp);
        dp = g_strdup_printf("%.0f", MAX((double)n_accelerators / n_others, 1.0));
        lp_outcome_infer(self->outcome, "dp %s: the accelerators over tp, pp and cp", dp);
    }
    if (!set_from_column(self, "dp", "dp", dp, error))
        return FALSE;
    double n_ranks = n_others * (double)number_of(self, "dp");
    if (n_ranks == (double)n_accelerators)
        return TRUE;
    /* Some count replicas of experts, or of a part of the model: the accelerators decide. */
    if (fmod((double)n_accelerators, n_others) == 0.0) {
        g_autofree char *own = g_strdup_printf("%.0f", (double)n_accelerators / n_others);
        set(self, "dp", own);
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
    gboolean is_wide = number_of(self, "tp") > 1;
    const char *text = lp_table_text(self->row, "sequence_parallel");
    if (*text != '\0' &&
        !set_from_column(self, "sequence_parallel", "sequence-parallel", text, error))
        return FALSE;
    if (!is_wide)
        set(self, "sequence-parallel", "no");
    else if (*text == '\0' && is_set_to(self, "attention", "flash")) {
        set(self, "sequence-parallel", "yes");
        lp_outcome_infer(self->outcome,
                         "sequence parallelism: with tensor parallelism and flash attention");
    }
    return TRUE;
}

/* DeepSpeed's pipeline sends whole activations, its ZeRO sums gradients by all-reduce (Anthony et
 * al., HOTI 2024), and its ZeRO-3 of 2021 gathers parameter by parameter, in one ring, when they
 * are needed. It is told by ZeRO or unbucketed gradients on software without flash attention,
 * unless that calls itself FSDP. */
static gboolean
is_deepspeed(const Restating *self)
{
    const char *overlap = lp_table_text(self->row, "overlap");
    return !is_set_to(self, "attention", "flash") && strstr(overlap, "FSDP") == NULL &&
           (number_of(self, "zero") > 0 || strstr(overlap, "gradient_bucket") != NULL);
}

static gboolean
is_on_efa(const LpTableRow *row)
{
    return strstr(lp_table_text(row, "system"), "EFA") != NULL;
}

static const char *
library_of(const Restating *self)
{
    if (is_deepspeed(self) && is_set_to(self, "zero", "3"))
        return "ideal";
    return is_on_efa(self->row) ? "nccl-efa-hf" : "auto";
}

static gboolean
take_framework(Restating *self, GError **error)
{
    (void)error;
    gboolean is_wide = number_of(self, "tp") > 1, gathers = is_set_to(self, "zero", "3");
    set(self, "schedule", "1f1b");
    set(self, "library", library_of(self));
    if (is_deepspeed(self)) {
        if (number_of(self, "zero") > 0 && !gathers)
            set(self, "zero-variant", "deepspeed");
        lp_outcome_infer(self->outcome,
                         "DeepSpeed: ZeRO or unbucketed gradients, no flash attention");
    }
    if (is_deepspeed(self) && gathers) {
        set(self, "prefetch", "0");
        /* Its reduce_bucket_size, of 500 million elements by default. */
        set(self, "bucket", "1GB");
    }
    /* bf16 has too few digits for sums: frameworks keep gradients in fp32. */
    if (is_set_to(self, "precision", "bf16") && !gathers)
        set(self, "gradient-precision", "fp32");
    /* Megatron-LM of 2021 sends 1/tp of a boundary's activations from each rank and gathers them
     * (SC 2021, section 4.1). */
    if (is_wide && !is_set_to(self, "sequence-parallel", "yes") &&
        !is_set_to(self, "attention", "flash") && !is_deepspeed(self))
        set(self, "scatter-gather", "yes");
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

/* What a row states of overlap, word by word; flash attention without a word is Megatron-Core,
 * whose recipes overlap everything. */
static const struct {
    const char *word;     /* in column overlap; NULL: the column is empty */
    const char *settings; /* name=value, separated by blanks */
} overlaps[] = {
    /* FSDP gathers ahead and reduces behind the backward pass. */
    {"FSDP", "overlap-dp=yes overlap-param=yes"},
    /* Megatron-Core's --overlap-grad-reduce, --overlap-param-gather, its buckets of 40 million
     * parameters, and Transformer Engine's user buffers. */
    {"grad-reduce", "overlap-dp=yes overlap-param=yes bucket=80MB overlap-tp=yes overlap-pp=yes"},
    {NULL, "overlap-dp=yes overlap-param=yes bucket=80MB overlap-tp=yes overlap-pp=yes"},
    /* nanotron's asynchronous tensor parallelism: whole collectives behind products. It deals
     * blocks out to stages by what they cost, logits among them, and sums gradients in large
     * buckets. */
    {"tp_async", "overlap-tp=bulk stage-layers=balanced bucket=250MB"},
};

static void
set_overlap(Restating *self, const char *settings)
{
    g_auto(GStrv) all = g_strsplit(settings, " ", -1);
    for (guint i = 0; all[i] != NULL; i++) {
        gboolean needs_zero = g_str_has_prefix(all[i], "overlap-param=");
        gboolean needs_tp = g_str_has_prefix(all[i], "overlap-tp=");
        if ((needs_zero && number_of(self, "zero") == 0) ||
            (needs_tp && number_of(self, "tp") == 1))
            continue;
        g_ptr_array_add(self->settings, g_strdup(all[i]));
    }
}

static gboolean
take_overlap(Restating *self, GError **error)
{
    (void)error;
    const char *stated = lp_table_text(self->row, "overlap");
    gboolean is_silent = *stated == '\0' && is_set_to(self, "attention", "flash");
    for (guint i = 0; i < G_N_ELEMENTS(overlaps); i++) {
        const char *word = overlaps[i].word;
        if (word == NULL ? is_silent : strstr(stated, word) != NULL)
            set_overlap(self, overlaps[i].settings);
    }
    /* Sequence parallelism came with gathers and sums behind the products of the backward pass
     * (Korthikanti et al., 2022, section 4.2.2). */
    if (setting(self, "overlap-tp") == NULL && is_set_to(self, "sequence-parallel", "yes"))
        set(self, "overlap-tp", "bulk");
    /* nanotron sums gradients behind the backward pass, but not those that ZeRO shares out. */
    if (strstr(stated, "tp_async") != NULL && number_of(self, "zero") == 0)
        set(self, "overlap-dp", "yes");
    if (is_silent)
        lp_outcome_infer(self->outcome,
                         "overlap: of all communication, as recipes with flash attention have it");
    return TRUE;
}

/* Frameworks count embedding and logits as layers when they divide a model into slices; here every
 * slice has a layer. */
static gboolean
limit_slices(Restating *self, GError **error)
{
    (void)error;
    guint64 most = number_of(self, "layers") / number_of(self, "pp");
    if (most == 0 || number_of(self, "virtual-stages") <= most)
        return TRUE;
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, most);
    set(self, "virtual-stages", text);
    lp_outcome_infer(self->outcome, "virtual stages %s: as many as there are layers for", text);
    return TRUE;
}

static gboolean (*const rules[])(Restating *self, GError **error) = {
    take_model,     take_layers_of_name, take_columns,  complete_shape,
    pad_vocabulary, cut_to_layer,        take_replicas, take_sequence_parallel,
    take_precision, take_framework,      take_overlap,  limit_slices,
};

/* --- what depends on memory --- */

/* The workload of the settings so far, with these two. */
static LpWorkload *
build(const Restating *self, const char *recompute, guint64 micro_batch, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < self->settings->len; i++)
        g_ptr_array_add(all, g_strdup(self->settings->pdata[i]));
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
    guint64 sequences = number_of(self, "global-batch") / number_of(self, "dp"), chosen = 1;
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

/* Left out: selective if the plan does not fit without, full if it does not fit so either. */
static const char *
choose_recompute(const Restating *self, guint64 micro_batch)
{
    static const char *const modes[] = {"none", "selective", "full"};
    guint chosen = 0;
    while (chosen + 1 < G_N_ELEMENTS(modes) && !fits(self, modes[chosen], micro_batch))
        chosen++;
    lp_outcome_infer(self->outcome, "recompute %s: the plan %s", modes[chosen],
                     chosen == 0 ? "fits without" : "does not fit with less");
    return modes[chosen];
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
    if (!says(self, "recompute"))
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
    g_auto(MachineTexts) texts = {NULL};
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
    g_ptr_array_unref(self->settings);
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
    restating.settings = g_ptr_array_new_with_free_func(g_free);
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
    g_auto(LpTrainingCase) restated = {NULL};
    if (!lp_training_case_read(&restated, row, outcome, &fault) ||
        !lp_prediction_run(restated.workload, restated.machine, restated.scope, constants, outcome,
                           &fault))
        lp_outcome_fail(outcome, LP_OUTCOME_FAILED, fault->message);
}

const LpCaseKind lp_training_case = {LP_MEASURE_TIME, describe, predict};
