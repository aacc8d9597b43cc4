/* SPDX-License-Identifier: Apache-2.0 */
/* What a row's columns become: attributes of a workload, a machine, notes, or a reason. */
#include "validation/cases/training_case.h"

#include "base/error.h"
#include "platforms/catalogue/catalogue.h"
#include "sim/run/simulation.h"
#include "tests/testlib.h"
#include "tests/validation/temporary.h"
#include "validation/prediction/prediction.h"
#include "validation/cases/public_model.h"

#include <math.h>
#include <string.h>

/* A row that is good as it stands; "name=value" replaces or adds. */
static const char *const base_row[] = {"id=r1",
                                       "kind=training",
                                       "model=a model",
                                       "layers=24",
                                       "hidden=2048",
                                       "heads=16",
                                       "seq=1024",
                                       "vocab=51200",
                                       "tied=yes",
                                       "attention=unfused",
                                       "accelerator=a100-80",
                                       "accelerators=16",
                                       "tp=2",
                                       "pp=2",
                                       "dp=4",
                                       "micro_batch=2",
                                       "global_batch=64",
                                       "recompute=full",
                                       "precision=fp16",
                                       "accelerators_per_domain=8",
                                       "scale_up_GBps=300",
                                       "scale_out_Gbps=200",
                                       "nics_per_domain=8",
                                       "iteration_s=1"};

static void
put(GPtrArray *names, GPtrArray *values, const char *setting)
{
    const char *equals = strchr(setting, '=');
    g_autofree char *name = g_strndup(setting, (gsize)(equals - setting));
    guint at = 0;
    while (at < names->len && strcmp(names->pdata[at], name) != 0)
        at++;
    if (at == names->len) {
        g_ptr_array_add(names, g_steal_pointer(&name));
        g_ptr_array_add(values, g_strdup(equals + 1));
        return;
    }
    g_free(values->pdata[at]);
    values->pdata[at] = g_strdup(equals + 1);
}

static char *
joined(GPtrArray *texts)
{
    g_ptr_array_add(texts, NULL);
    return g_strjoinv(",", (char **)texts->pdata);
}

/* A table of that row with the changes in @changes, separated by ";". */
static LpTable *
table_of(const char *changes)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < G_N_ELEMENTS(base_row); i++)
        put(names, values, base_row[i]);
    g_auto(GStrv) all = g_strsplit(changes, ";", -1);
    for (guint i = 0; all[i] != NULL && *all[i] != '\0'; i++)
        put(names, values, all[i]);
    g_autofree char *header = joined(names), *row = joined(values);
    g_autofree char *text = g_strconcat(header, "\n", row, "\n", NULL);
    char *path = lp_temporary_file(text, -1);
    LpTable *table = lp_table_load(path, NULL);
    lp_temporary_remove(path);
    return table;
}

static char *
attribute_of(const LpWorkload *workload, const char *wanted)
{
    const char *name;
    char *value;
    for (guint i = 0; (value = lp_workload_attribute(workload, i, &name)) != NULL; i++) {
        if (strcmp(name, wanted) == 0)
            return value;
        g_free(value);
    }
    return NULL;
}

static void
check_attributes(const char *label, const LpWorkload *workload, const char *wanted)
{
    g_auto(GStrv) all = g_strsplit(wanted, " ", -1);
    for (guint i = 0; all[i] != NULL && *all[i] != '\0'; i++) {
        char *equals = strchr(all[i], '=');
        *equals = '\0';
        g_autofree char *got = attribute_of(workload, all[i]);
        g_autofree char *shown = g_strconcat(label, ": ", all[i], NULL);
        lp_test_text(shown, got, equals + 1);
    }
}

static gboolean
is_noted(const LpOutcome *outcome, const char *part)
{
    for (guint i = 0; i < outcome->inferred->len; i++)
        if (strstr(outcome->inferred->pdata[i], part) != NULL)
            return TRUE;
    return FALSE;
}

#define FLASH "attention=flash;ffn_kind=swiglu;sequence_parallel=;"

static void
test_rules(void)
{
    static const struct {
        const char *label, *changes, *attributes;
        const char *note; /* NULL: there is none at all */
    } rows[] = {
        {"all stated", "",
         "layers=24 hidden=2048 heads=16 ffn=8192 ffn-kind=gelu kv-heads=16 vocab=51200 "
         "tied-embeddings=yes positions=learned tp=2 pp=2 dp=4 cp=1 ep=1 virtual-stages=1 zero=0 "
         "micro-batch=2 global-batch=64 recompute=full precision=fp16 sequence-parallel=no "
         "scatter-gather=yes schedule=1f1b library=auto overlap-dp=no overlap-tp=no "
         "host-sync=passes kernels=fused slowdown=1",
         NULL},
        {"grouped queries", "kv_heads=8;ffn=5632;ffn_kind=swiglu",
         "kv-heads=8 ffn=5632 ffn-kind=swiglu positions=rotary", NULL},
        {"untied where nothing is said", "tied=", "tied-embeddings=no", NULL},
        {"vocabulary padded to 128 tp", "vocab=50257", "vocab=50432", NULL},
        {"vocabulary left out", "vocab=", "vocab=51200", "vocabulary 51200"},
        {"dp follows", "dp=", "dp=4", "dp 4"},
        {"virtual stages interleave", "virtual_stages=3;micro_batch=1",
         "virtual-stages=3 schedule=interleaved", NULL},
        {"sequence parallelism stated", "sequence_parallel=yes",
         "sequence-parallel=yes scatter-gather=no", NULL},
        {"without tensor parallelism there is none", "tp=1;dp=8;sequence_parallel=yes",
         "sequence-parallel=no scatter-gather=no", NULL},
        {"with flash attention it is inferred", FLASH "overlap=none",
         "sequence-parallel=yes attention=flash positions=rotary scatter-gather=no",
         "sequence parallelism"},
        {"overlap of FSDP", FLASH "overlap=FSDP prefetch;tp=1;pp=1;dp=16;zero=3;micro_batch=1",
         "overlap-dp=yes overlap-param=yes zero=3 overlap-tp=no kernels=eager slowdown=1.189 "
         "host-sync=none",
         NULL},
        /* 24 layers on 2 stages, messages behind computing. */
        {"overlap of Megatron-Core", FLASH "sequence_parallel=no;overlap=grad-reduce + TP;zero=1",
         "overlap-dp=yes overlap-param=yes overlap-tp=yes overlap-pp=yes bucket=80000000B "
         "virtual-stages=12 host-sync=none slowdown=1.189",
         "interleaved"},
        {"not where slices are stated",
         FLASH "sequence_parallel=no;overlap=grad-reduce + TP;zero=1;virtual_stages=2",
         "overlap-pp=yes virtual-stages=2", NULL},
        {"nothing is gathered without ZeRO", "overlap=grad-reduce;virtual_stages=1",
         "overlap-dp=yes overlap-param=no", NULL},
        {"its hosts wait where nothing is overlapped", FLASH "sequence_parallel=yes;overlap=none",
         "overlap-tp=bulk overlap-pp=no host-sync=messages slowdown=1", NULL},
        /* A layer has 16 h^2 weights, the logits 25 h^2: 24 and 1.56 layers on 2 stages, 12.78
         * each. */
        {"overlap of nanotron", "overlap=tp_async_comm",
         "overlap-tp=bulk overlap-dp=no stage-layers=13,11 bucket=250000000B host-sync=messages "
         "kernels=eager slowdown=1.189",
         NULL},
        /* 16 layers of 4 h^2 + 12 h^2, logits of 64 h^2: 5 layers a stage, and none on the last. */
        {"whose stages end where they reach their share",
         "overlap=tp_async_comm;layers=16;ffn=8192;vocab=131072;pp=4;dp=2;tp=2;global_batch=32",
         "stage-layers=5,5,5,1", NULL},
        {"or more stages than layers",
         "overlap=tp_async_comm;layers=2;ffn=8192;vocab=131072;pp=4;dp=2;tp=2;global_batch=32",
         "stage-layers=2,0,0,0", NULL},
        {"without stages it sums behind the backward pass", "overlap=tp_async_comm;pp=1;dp=8",
         "overlap-dp=yes overlap-tp=bulk", NULL},
        {"nanotron shares out what it has not hidden",
         FLASH "sequence_parallel=yes;overlap=tp_async_comm;zero=1",
         "overlap-tp=bulk overlap-dp=no overlap-param=no bucket=250000000B", NULL},
        {"sequence parallelism hides its gathers", "sequence_parallel=yes",
         "overlap-tp=bulk overlap-dp=no", NULL},
        {"ZeRO without flash attention is DeepSpeed's", "zero=1",
         "zero-variant=deepspeed scatter-gather=no library=auto", "DeepSpeed"},
        {"its ZeRO-3 gathers one ring at a time", "zero=3;tp=1;pp=1;dp=16;micro_batch=1",
         "prefetch=0 library=ideal gradient-precision=fp16", "DeepSpeed"},
        {"its pipeline without ZeRO", "overlap=gradient_bucket none",
         "zero=0 scatter-gather=no overlap-dp=no", "DeepSpeed"},
        {"sums of bf16 are in fp32", "precision=bf16", "gradient-precision=fp32", NULL},
        {"but not where they are shared out",
         FLASH "tp=1;pp=1;dp=16;zero=3;precision=bf16;micro_batch=1;overlap=FSDP",
         "precision=bf16 gradient-precision=bf16", NULL},
        {"EFA has a library of its own", "system=p5 (EFA)", "library=nccl-efa-hf", NULL},
        {"more slices than layers", "layers=4;virtual_stages=5;micro_batch=1", "virtual-stages=2",
         "virtual stages 2: as many as there are layers for"},
        {"silent with flash attention", FLASH "zero=1", "overlap-dp=yes overlap-pp=yes",
         "overlap: of all communication"},
        {"block-scaled precision", "precision=mxfp8;accelerator=h100-sxm", "precision=fp8",
         "in place of mxfp8"},
        {"four bits", "precision=fp4;accelerator=h100-sxm", "precision=fp8", "in place of fp4"},
        {"a precision by its long name", "precision=bfloat16", "precision=bf16",
         "precision bf16: in place of bfloat16"},
        {"replicas of something else", "dp=2", "dp=4",
         "dp 4: the accelerators over tp, pp and cp, not 2"},
        {"an accelerator by its words", "accelerator=NVIDIA A100-SXM4-80GB cluster", "tp=2",
         "accelerator a100-80: by the words of"},
        {"no precision", "precision=", "precision=bf16", "precision bf16"},
        {"recomputation left out, and it fits", "recompute=", "recompute=none",
         "recompute none: the plan fits so"},
        /* 8.3 billion parameters of 16 bytes over t are 33 GB; 40 layers of s b h (10 + 24/t) are
         * 43 GB and of 5 a s^2 b / t, the scores, 54 GB (Korthikanti et al., eq. 2). */
        {"recomputation left out, and it does not fit",
         "recompute=;layers=40;heads=32;hidden=4096;seq=2048;pp=1;dp=4;tp=4;micro_batch=8",
         "recompute=selective", "recompute selective: the plan does not fit with less"},
        /* The same at t 2 and b 4: 66, 30 and 54 GB. */
        {"nor with the scores again",
         "recompute=;layers=40;heads=32;hidden=4096;seq=2048;pp=1;dp=8;tp=2;micro_batch=4",
         "recompute=full", "recompute full: the plan does not fit with less"},
        /* 8 billion parameters over t 4 need 41 GB with sums in fp32, 37 in 16 bits; 12 sequences
         * of 32 layers of s b h (8 + ...)/t some 47 GB, and 37 without the outputs of norms and
         * gates. */
        {"it was measured, so it did fit",
         FLASH
         "layers=32;hidden=4096;heads=32;ffn=14336;vocab=128256;seq=4096;tied=;tp=4;pp=1;dp=1;"
         "accelerators=4;micro_batch=12;global_batch=24;recompute=none;precision=bf16",
         "recompute=light gradient-precision=bf16", "gradients in bf16"},
        /* 64 ranks in 8 domains; 16 experts' ranks stand in two, or alone, where tp is inside. */
        {"tokens are relayed between domains",
         FLASH "accelerators=64;tp=1;pp=1;dp=64;ep=16;experts=32;micro_batch=1", "ep-relay=2",
         "top-k 2"},
        {"with tensor parallelism inside",
         FLASH "accelerators=64;tp=2;pp=1;dp=32;ep=16;experts=32;micro_batch=1;global_batch=64",
         "ep-relay=4", "top-k 2"},
        {"not within a domain",
         FLASH "accelerators=64;tp=1;pp=1;dp=64;ep=8;experts=32;micro_batch=1", "ep-relay=1",
         "top-k 2"},
        {"micro-batch of an odd batch", "micro_batch=;global_batch=36", "micro-batch=1",
         "micro-batch 1"},
        {"a layer",
         "kind=layer;layers=1;vocab=;accelerators=8;tp=8;pp=1;dp=1;micro_batch=4;"
         "global_batch=4",
         "layers=1 embedding=no", NULL},
        {"a public model", "model=LLAMA3_8B (w/ MTP);layers=;hidden=;heads=;vocab=;tied=",
         "layers=32 hidden=4096 heads=32 kv-heads=8 ffn=14336 ffn-kind=swiglu vocab=128256 "
         "tied-embeddings=no positions=rotary",
         "shape: that of Llama 3 8B"},
        {"its plan is not taken", "model=Qwen3_30B_a3B;layers=;hidden=;heads=;vocab=;tied=",
         "experts=128 top-k=8 overlap-dp=no zero=0 bucket=all", "shape: that of Qwen 3 30B"},
        {"cut short in its name", "model=Llama 3.1 8B proxy (4 layers);layers=;hidden=;heads=",
         "layers=4 hidden=4096", "layers 4"},
        {"columns beat the name", "model=Llama 3.1 8B;layers=8;hidden=1024;ffn=512",
         "layers=8 hidden=1024 heads=16 kv-heads=8 ffn=512", NULL},
        {"the name fills gaps", "model=MPT-7b;vocab=50368", "bias=no dropout=no", NULL},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpTable) table = table_of(rows[i].changes);
        g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, "r1", "s");
        g_auto(LpTrainingCase) got = {0};
        g_autoptr(GError) error = NULL;
        gboolean good = lp_training_case_read(&got, lp_table_row(table, 0), outcome, &error);
        lp_test_text(rows[i].label, error != NULL ? error->message : NULL, NULL);
        if (!good)
            continue;
        check_attributes(rows[i].label, got.workload, rows[i].attributes);
        lp_test_true(rows[i].label, rows[i].note != NULL ? is_noted(outcome, rows[i].note)
                                                         : outcome->inferred->len == 0);
    }
}

/* The plan's time by the closed form with @changes; infinite where there is no plan that fits. */
static double
plan_s(const char *changes, guint32 *out_micro_batch)
{
    g_autoptr(LpTable) table = table_of(changes);
    g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, "r1", "s");
    g_auto(LpTrainingCase) got = {0};
    if (!lp_training_case_read(&got, lp_table_row(table, 0), outcome, NULL) ||
        !lp_simulation_check_memory(got.workload, got.machine, NULL))
        return INFINITY;
    *out_micro_batch = got.workload->plan.micro_batch;
    return lp_prediction_consistent_s(got.workload, got.machine);
}

/* Of the powers of two that divide a replica's batch, none that fits is faster than the one taken,
 * and no larger one as fast. */
static void
test_micro_batch(void)
{
    static const struct {
        const char *label, *changes;
        guint64 sequences; /* of a replica */
    } rows[] = {
        {"a pipeline", "", 16},
        {"no pipeline", "tp=2;pp=1;dp=8", 8},
        {"a deep one of few batches", "tp=1;pp=8;dp=2;global_batch=16", 8},
        {"little memory", "layers=40;heads=32;hidden=4096;seq=2048;tp=4;pp=1;dp=4;recompute=none",
         16},
        {"one sequence", "global_batch=4", 1},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        guint32 chosen = 0;
        g_autofree char *open = g_strconcat(rows[i].changes, ";micro_batch=", NULL);
        double chosen_s = plan_s(*rows[i].changes != '\0' ? open : open + 1, &chosen);
        lp_test_true(rows[i].label, chosen >= 1 && rows[i].sequences % chosen == 0);
        for (guint64 size = 1; size <= rows[i].sequences; size *= 2) {
            guint32 stated = 0;
            g_autofree char *text =
                g_strdup_printf("%s;micro_batch=%" G_GUINT64_FORMAT, rows[i].changes, size);
            double size_s = plan_s(*rows[i].changes != '\0' ? text : text + 1, &stated);
            g_autofree char *label =
                g_strdup_printf("%s: %g s with %" G_GUINT64_FORMAT ", %g s with %u", rows[i].label,
                                size_s, size, chosen_s, chosen);
            lp_test_true(label, size <= chosen ? chosen_s <= size_s : chosen_s < size_s);
        }
    }
}

static void
test_machine(void)
{
    static const struct {
        const char *label, *changes;
        guint64 n_accelerators;
        guint32 domain_size, n_cards;
        double scale_out_bytes_per_s; /* 0: none */
    } rows[] = {
        {"as stated", "", 16, 8, 8, 25e9},
        {"whole domains", "accelerators=6;dp=1;pp=3;layers=24", 8, 8, 0, 0.0},
        {"two accelerators a card", "nics_per_domain=4;scale_out_Gbps=100", 16, 8, 4, 12.5e9},
        {"more cards than accelerators", "nics_per_domain=32;scale_out_Gbps=400", 16, 8, 8, 50e9},
        {"a name of its own", "accelerator=A100-SXM4-80GB", 16, 8, 8, 25e9},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpTable) table = table_of(rows[i].changes);
        g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, "r1", "s");
        g_auto(LpTrainingCase) got = {0};
        g_autoptr(GError) error = NULL;
        gboolean good = lp_training_case_read(&got, lp_table_row(table, 0), outcome, &error);
        lp_test_text(rows[i].label, error != NULL ? error->message : NULL, NULL);
        if (!good)
            continue;
        lp_test_true(rows[i].label, got.machine->n_accelerators == rows[i].n_accelerators &&
                                        got.machine->domain_size == rows[i].domain_size);
        lp_test_text(rows[i].label, got.machine->accelerator.name, "a100-80");
        lp_test_true(rows[i].label,
                     got.machine->has_scale_out == (rows[i].scale_out_bytes_per_s > 0.0));
        if (!got.machine->has_scale_out)
            continue;
        lp_test_true(rows[i].label, got.machine->cards_per_domain == rows[i].n_cards);
        lp_test_close(rows[i].label, lp_machine_scale_out_bytes_per_s(got.machine),
                      rows[i].scale_out_bytes_per_s, 1e-9);
    }
}

static void
test_faults(void)
{
    static const struct {
        const char *changes, *part;
        LpOutcomeStatus status;
    } rows[] = {
        {"tp=0", "column tp: \"0\"", LP_OUTCOME_OK},
        {"tp=-2", "column tp: \"-2\"", LP_OUTCOME_OK},
        {"tp=99999999999", "column tp:", LP_OUTCOME_OK},
        {"layers=nan", "column layers: \"nan\"", LP_OUTCOME_OK},
        {"heads=3", ":2: ", LP_OUTCOME_OK},
        {"accelerators=", "column accelerators: got \"\"", LP_OUTCOME_OK},
        {"accelerators=18", "column accelerators: got \"18\", wanted 16, the product of tp, pp, dp",
         LP_OUTCOME_OK},
        {"accelerators=4294967296", "column accelerators: got", LP_OUTCOME_OK},
        {"accelerator=abacus", "column accelerator: ", LP_OUTCOME_OK},
        {"accelerator=", "column accelerator: ", LP_OUTCOME_OK},
        {"scale_up_GBps=-1", "column scale_up_GBps: got \"-1\"", LP_OUTCOME_OK},
        {"scale_out_Gbps=1e99", "column scale_out_Gbps: got \"1e99\"", LP_OUTCOME_OK},
        {"nics_per_domain=3", ":2: ", LP_OUTCOME_OK},
        {"micro_batch=0", "column micro_batch: got \"0\"", LP_OUTCOME_OK},
        {"micro_batch=3", "global-batch: got 64", LP_OUTCOME_OK},
        {"global_batch=", ":2: ", LP_OUTCOME_OK},
        {"recompute=some", "column recompute: ", LP_OUTCOME_OK},
        {"precision=int3", "column precision: ", LP_OUTCOME_OK},
        {"attention=none", "column attention: ", LP_OUTCOME_OK},
        {"zero=4", "column zero: \"4\"", LP_OUTCOME_OK},
        {"kind=inference", "column kind: got \"inference\", wanted training or layer",
         LP_OUTCOME_OK},
        {"layers=;model=", "column model: got \"\", wanted the name of a public model",
         LP_OUTCOME_OK},
        {"layers=;model=Unheard 5B", "column model: got \"Unheard 5B\"", LP_OUTCOME_OK},
        {"model=Nemotron_3_Nano", "wanted a model without state-space layers",
         LP_OUTCOME_OUT_OF_SCOPE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpTable) table = table_of(rows[i].changes);
        g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, "r1", "s");
        g_auto(LpTrainingCase) got = {0};
        g_autoptr(GError) error = NULL;
        lp_test_true(rows[i].changes,
                     !lp_training_case_read(&got, lp_table_row(table, 0), outcome, &error));
        g_autofree char *shown = g_strdup(error != NULL ? error->message : "nothing");
        g_autofree char *label = g_strconcat(rows[i].changes, " gave ", shown, NULL);
        lp_test_true(label, strstr(shown, rows[i].part) != NULL && strchr(shown, '\n') == NULL);
        lp_test_true(rows[i].changes, outcome->status == rows[i].status);
    }
}

/* Every shape is a workload by itself, and every other name an accelerator's. */
static void
test_models(void)
{
    static const char *const plan[] = {"seq=2048", "micro-batch=1", "global-batch=1"};
    g_autoptr(GError) error = NULL;
    g_autoptr(LpPublicModels) models = lp_public_models_load(&error);
    lp_test_text("loads", error != NULL ? error->message : NULL, NULL);
    lp_test_true("many", models != NULL && lp_public_models_n(models) > 100);
    for (guint i = 0; models != NULL && i < lp_public_models_n(models); i++) {
        const LpPublicModel *model = lp_public_models_at(models, i);
        lp_test_true(model->name, lp_public_models_find(models, model->name) == model);
        if (model->out_of_scope != NULL)
            continue;
        g_autoptr(GPtrArray) settings = g_ptr_array_new();
        for (guint j = 0; j < G_N_ELEMENTS(plan); j++)
            g_ptr_array_add(settings, (gpointer)(guintptr)plan[j]);
        for (guint j = 0; model->settings[j] != NULL; j++)
            g_ptr_array_add(settings, model->settings[j]);
        g_ptr_array_add(settings, NULL);
        g_autoptr(LpWorkload) workload = lp_workload_new(
            "models.xml", model->name, (const char *const *)settings->pdata, &error);
        lp_test_text(model->name, error != NULL ? error->message : NULL, NULL);
        lp_test_true(model->name, workload != NULL);
        g_clear_error(&error);
    }
}

/* Parameters by the count against those that a model's publisher states. */
static void
test_sizes(void)
{
    static const struct {
        const char *name;
        double parameters, within; /* within: rounding of the published figure */
        const char *source;
    } rows[] = {
        {"Llama 13B", 13.0e9, 0.01, "arXiv 2302.13971, table 2"},
        {"LLaMA-65B", 65.2e9, 0.01, "arXiv 2302.13971, table 2"},
        {"Llama 2 13B", 13.0e9, 0.01, "arXiv 2307.09288, table 1: 13B"},
        {"Llama 3.2 1B", 1.23e9, 0.01, "model card of meta-llama/Llama-3.2-1B"},
        {"Llama 4 Scout", 109e9, 0.02, "model card: 109B in all, without its image encoder"},
        {"Llama 4 Maverick", 400e9, 0.02, "model card: 400B in all"},
        {"Mistral 7B", 7.24e9, 0.01, "model card of mistralai/Mistral-7B-v0.1"},
        {"Mixtral 8x22B", 141e9, 0.01, "mistral.ai, April 2024: 141B"},
        {"Qwen2.5-72B", 72.7e9, 0.01, "model card of Qwen/Qwen2.5-72B"},
        {"Qwen3 32B", 32.8e9, 0.01, "model card of Qwen/Qwen3-32B"},
        {"Gemma 2 27B", 27.2e9, 0.01, "arXiv 2408.00118, table 2: 1,180M + 26,047M"},
        {"GPT NeoX 20B", 20.6e9, 0.01, "arXiv 2204.06745, section 2: 20,554,567,680"},
        {"Falcon 40B", 41.3e9, 0.01, "files of tiiuae/falcon-40b"},
        {"Falcon 180B", 179.5e9, 0.01, "files of tiiuae/falcon-180B"},
        {"Nemotron4 15B", 15.6e9, 0.02, "arXiv 2402.16819: 3.2B embedding, 12.5B other"},
        {"Nemotron4-340B", 341e9, 0.01, "arXiv 2406.11704: 9.4B embedding, 331.6B other"},
        {"DeepSeek-V2", 236e9, 0.01, "arXiv 2405.04434: 236B"},
        {"DeepSeek V2 Lite", 15.7e9, 0.02, "arXiv 2405.04434, appendix B: 15.7B"},
        {"GPT OSS 20B", 20.9e9, 0.01, "arXiv 2508.10925, table 1: 20.9B"},
        {"Grok-1", 314e9, 0.01, "x.ai: 314B"},
        {"DBRX", 132e9, 0.01, "databricks.com: 132B"},
        {"OLMoE", 6.92e9, 0.01, "arXiv 2409.02060: 6.9B"},
        {"PaLM 62B", 62.5e9, 0.01, "arXiv 2204.02311, table 1"},
        {"Command R Plus", 104e9, 0.01, "model card: 104B"},
        {"GLM 4.5", 355e9, 0.02, "arXiv 2508.06471: 355B, its layer for two tokens besides"},
        {"MPT-30b", 30e9, 0.01, "model card of mosaicml/mpt-30b: 29.95B"},
    };
    g_autoptr(LpPublicModels) models = lp_public_models_load(NULL);
    for (guint i = 0; models != NULL && i < G_N_ELEMENTS(rows); i++) {
        const LpPublicModel *model = lp_public_models_find(models, rows[i].name);
        lp_test_true(rows[i].name, model != NULL);
        g_autoptr(GPtrArray) settings = g_ptr_array_new();
        g_ptr_array_add(settings, (gpointer)(guintptr) "seq=2048");
        g_ptr_array_add(settings, (gpointer)(guintptr) "micro-batch=1");
        g_ptr_array_add(settings, (gpointer)(guintptr) "global-batch=1");
        for (guint j = 0; model != NULL && model->settings[j] != NULL; j++)
            g_ptr_array_add(settings, model->settings[j]);
        g_ptr_array_add(settings, NULL);
        g_autoptr(LpWorkload) workload =
            lp_workload_new("models.xml", rows[i].name, (const char *const *)settings->pdata, NULL);
        if (workload != NULL)
            lp_test_close(rows[i].name,
                          lp_plan_stage_parameters(&workload->plan, &workload->transformer, 0),
                          rows[i].parameters, rows[i].within);
    }
}

static void
test_names(void)
{
    static const struct {
        const char *text, *name; /* NULL: none */
    } rows[] = {{"LLAMA3.1_405B", "Llama 3 405B"},
                {"Llama 3.1 405B-proxy (30 layers)", "Llama 3 405B"},
                {"LLAMA2-70B", "Llama 2 70B"},
                {"llama-7b", "Llama 7B"},
                {"Qwen3_235B_a22B (tokendrop)", "Qwen 3 235B A22B"},
                {"DeepSeekV3 (dropless)", "DeepSeek V3"},
                {"DeepSeek-V3 671B (MoE 256 experts)", "DeepSeek V3"},
                {"DeepSeek-V2-Lite", "DeepSeek V2 Lite"},
                {"Gemma2 9B", "Gemma 2 9B"},
                {"Nemotron_3_Super", "Nemotron 3"},
                {"Nemotron-3-8B", "Nemotron 8B"},
                {"GPT3-175B", "GPT 3 175B"},
                {"GPT-3 175B", "GPT 3 175B"},
                {"GPT 1.7B", NULL},
                {"Llama-style 3.98G", NULL},
                {"", NULL}};
    g_autoptr(LpPublicModels) models = lp_public_models_load(NULL);
    for (guint i = 0; models != NULL && i < G_N_ELEMENTS(rows); i++) {
        const LpPublicModel *model = lp_public_models_find(models, rows[i].text);
        lp_test_text(rows[i].text, model != NULL ? model->name : NULL, rows[i].name);
    }
    lp_test_text("accelerator", lp_public_models_accelerator(models, "H100-SXM5-80GB"), "h100-sxm");
    lp_test_text("unknown accelerator", lp_public_models_accelerator(models, "abacus"), NULL);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"rules", test_rules},     {"micro-batch", test_micro_batch},
                                       {"machine", test_machine}, {"faults", test_faults},
                                       {"models", test_models},   {"sizes", test_sizes},
                                       {"names", test_names},     {NULL, NULL}};
    return lp_test_run("training case", cases);
}
