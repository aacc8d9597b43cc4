/* SPDX-License-Identifier: Apache-2.0 */
/* Workload files and settings: shipped shapes, precedence, round trip, and every kind of fault. */
#include "workloads/description/workload.h"

#include "base/error.h"
#include "base/file.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"
#include "workloads/description/attribute.h"

#include <string.h>

#define GPT3 "resource:///lightpath/workloads/gpt3-175b.xml"

static LpWorkload *
load(const char *path, const char *setting, GError **error)
{
    const char *settings[] = {setting, NULL};
    return lp_workload_load(path, settings, error);
}

/* Narayanan et al., SC 2021, table 1: parameters (billions), heads, hidden, layers, tensor-parallel
 * size, pipeline-parallel size, GPUs, batch size; GPT-3 from Brown et al., table 2.1. */
static void
test_shipped(void)
{
    static const struct {
        const char *name;
        double billions;
        guint32 heads, hidden, layers, tp, pp, n_ranks, batch;
    } rows[] = {
        {"gpt3-175b", 174.6, 96, 12288, 96, 8, 8, 1024, 1536},
        {"megatron-1.7b", 1.7, 24, 2304, 24, 1, 1, 32, 512},
        {"megatron-3.6b", 3.6, 32, 3072, 30, 2, 1, 64, 512},
        {"megatron-7.5b", 7.5, 32, 4096, 36, 4, 1, 128, 512},
        {"megatron-18b", 18.4, 48, 6144, 40, 8, 1, 256, 1024},
        {"megatron-39b", 39.1, 64, 8192, 48, 8, 2, 512, 1536},
        {"megatron-76b", 76.1, 80, 10240, 60, 8, 4, 1024, 1792},
        {"megatron-145b", 145.6, 96, 12288, 80, 8, 8, 1536, 2304},
        {"megatron-310b", 310.1, 128, 16384, 96, 8, 16, 1920, 2160},
        {"megatron-530b", 529.6, 128, 20480, 105, 8, 35, 2520, 2520},
        {"megatron-1t", 1008.0, 160, 25600, 128, 8, 64, 3072, 3072},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *path = lp_file_find("workloads", rows[i].name, &error);
        g_autoptr(LpWorkload) workload = lp_workload_load(path, NULL, &error);
        lp_test_text(rows[i].name, error != NULL ? error->message : NULL, NULL);
        if (workload == NULL)
            continue;
        const LpTransformer *shape = &workload->transformer;
        const LpPlan *plan = &workload->plan;
        lp_test_text(rows[i].name, workload->name, rows[i].name);
        lp_test_true(
            rows[i].name,
            shape->n_heads == rows[i].heads && shape->hidden == rows[i].hidden &&
                shape->n_layers == rows[i].layers && shape->seq == 2048 && shape->vocab == 51200 &&
                plan->degree[LP_AXIS_TP] == rows[i].tp && plan->degree[LP_AXIS_PP] == rows[i].pp &&
                lp_plan_n_ranks(plan) == rows[i].n_ranks && plan->batch.global == rows[i].batch);
        /* The table rounds to one digit. */
        lp_test_close(rows[i].name, lp_transformer_parameters(shape) * 1e-9, rows[i].billions,
                      rows[i].billions < 5 ? 0.03 : 0.006);
    }
}

static void
test_all_shipped_load(void)
{
    g_auto(GStrv) names = lp_file_shipped("workloads");
    lp_test_true("some are shipped", g_strv_length(names) >= 11);
    for (guint i = 0; names[i] != NULL; i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *path = lp_file_find("workloads", names[i], &error);
        g_autoptr(LpWorkload) workload = lp_workload_load(path, NULL, &error);
        lp_test_text(names[i], error != NULL ? error->message : NULL, NULL);
        lp_test_true(names[i], workload != NULL);
    }
}

#define MINIMAL                                                                                    \
    "<workload name=\"small\">\n"                                                                  \
    "  <transformer layers=\"4\" hidden=\"64\" heads=\"4\" seq=\"128\" vocab=\"1000\"/>\n"         \
    "  <plan micro-batch=\"2\" global-batch=\"8\" tp=\"2\"/>\n"                                    \
    "</workload>\n"

/* Command line beats file beats default. */
static void
test_precedence(void)
{
    char *path = lp_temporary_with_suffix(".xml", MINIMAL, -1);
    g_autoptr(GError) error = NULL;
    g_autoptr(LpWorkload) plain = lp_workload_load(path, NULL, &error);
    lp_test_true("defaults", plain != NULL && plain->transformer.n_kv_heads == 4 &&
                                 plain->transformer.ffn == 256 &&
                                 plain->plan.degree[LP_AXIS_PP] == 1 &&
                                 plain->plan.degree[LP_AXIS_TP] == 2 &&
                                 plain->plan.format.gradient_bytes == 2 &&
                                 plain->plan.pipeline.schedule == LP_SCHEDULE_1F1B);
    const char *settings[] = {"tp=4", "heads=8", "precision=fp32", "tp=1", NULL};
    g_autoptr(LpWorkload) set = lp_workload_load(path, settings, &error);
    lp_test_true("settings",
                 set != NULL && set->plan.degree[LP_AXIS_TP] == 1 &&
                     set->transformer.n_heads == 8 && set->transformer.n_kv_heads == 8 &&
                     set->plan.format.gradient_bytes == 4 && set->transformer.hidden == 64);
    lp_temporary_remove(path);
}

static char *
echo(const LpWorkload *workload)
{
    GString *text = g_string_new(NULL);
    const char *name;
    char *value;
    for (guint i = 0; (value = lp_workload_attribute(workload, i, &name)) != NULL; i++) {
        if (strcmp(name, "with") != 0) /* which repeats others */
            g_string_append_printf(text, "%s=%s\n", name, value);
        g_free(value);
    }
    return g_string_free(text, FALSE);
}

/* What a workload says of itself, given back as settings to another file, makes the same one. */
static void
test_round_trip(void)
{
    g_autoptr(GError) error = NULL;
    static const char *const changes[] = {"virtual-stages=2",
                                          "schedule=gpipe",
                                          "recompute=selective",
                                          "selective=alternate",
                                          "selective=qkv,up,activation,norms",
                                          "selective=ffn,queries,attention",
                                          "overlap-dp=yes",
                                          "overlap-dp=replicas",
                                          "overlap-dp=accelerator",
                                          "bucket=25MB",
                                          "bucket=1000000-parameters",
                                          "overlap-fraction=0.1",
                                          "rank-order=pp-dp-tp-cp-ep",
                                          "precision=nvfp4",
                                          "precision=fp8-block",
                                          "narrow-parameters=yes",
                                          "lora-rank=8",
                                          "lora-targets=q_proj,values,ffn"};
    char *path = lp_temporary_with_suffix(".xml", MINIMAL, -1);
    for (guint i = 0; i < G_N_ELEMENTS(changes); i++) {
        g_autoptr(LpWorkload) first = load(GPT3, changes[i], &error);
        lp_test_text(changes[i], error != NULL ? error->message : NULL, NULL);
        g_autofree char *text = echo(first);
        g_auto(GStrv) settings = g_strsplit(g_strchomp(text), "\n", -1);
        g_autoptr(LpWorkload) second =
            lp_workload_load(path, (const char *const *)settings, &error);
        lp_test_text(changes[i], error != NULL ? error->message : NULL, NULL);
        g_autofree char *again = second != NULL ? g_strchomp(echo(second)) : NULL;
        lp_test_text(changes[i], again, text);
    }
    lp_temporary_remove(path);
}

/* Texts that are wrong for most attributes. */
static const char *const odd_values[] = {
    "",     "0",    "-1",         "nan",        "inf",
    "1e30", "text", "1.5",        " 8",         "8 ",
    "+8",   "0x8",  "4294967295", "4294967296", "16777217",
    "7",    "yes ", "tp",         "8GB",        "18446744073709551616"};

/* What GPT-3 with an attribute set to each of these texts is: sound (.), or refused for its syntax
 * (s), its value (v), its name (n), or since the shape (S) or the plan (P) that it makes
 * contradicts itself, as 7 heads do, which do not divide the width. */
static const struct {
    const char *outcomes;
    const char *attributes;
} odd_outcomes[] = {
    /* Choices take none of the texts. */
    {"nnnnnnnnnnnnnnnnnnnn",
     "kind ffn-kind attention positions norm bias dropout cp-kind schedule recompute "
     "scaling zero-variant "
     "scatter-gather gather-unit gather-ahead parameter-gather gradient-sync routing-draws "
     "optimizer precision "
     "gradient-precision "
     "communication-precision dispatch-precision "
     "overlap-dp overlap-tp overlap-ep "
     "host-sync collective-checks kernels amped-efficiency framework layout attention-kernel "
     "experts-kernel input-collectives kv-division layer-graphs library-switch root-unit "
     "parallel-loss separate-projections adapter-casts fused-loss"},
    {"ssssssssssssssssssss",
     "fused-accumulation keep-gathered unit-copies "
     "complex-rotary eager-rotary rotary-slices eager-norms eager-activation gelu-steps "
     "eager-softmax clip-gradients kept-steps repeat-heads "
     "cast-gradients gradient-buffers main-gradients score-biases triangular-softmax core-copies "
     "gradient-check "
     "first-buckets "
     "shifted-logits eager-optimizer "
     "clamped-activation fused-activation experts-eager eager-dispatch count-sync "
     "head-norms "
     "adjacent-experts "
     "narrow-logits narrow-attention experts-fused "
     "fused-dispatch mask-dispatch experts-padded "
     "gather-lists casts-apart scales-apart offload-activations lora-dropout"},
    {"ssssssssssssssssssss",
     "expert-loop expert-slices tensor-hooks autocast tied-embeddings embedding parallel-blocks "
     "sequence-parallel early-stop "
     "reshard narrow-parameters narrow-activations "
     "cast-shards array-units offload-inputs drop-gradients flat-gradients "
     "experts-one-by-one quantized-weights "
     "overlap-tp-pairs overlap-pp overlap-param cuda-graphs single-blocks"},
    {"vvvvvvvvvvvvvvvvvvvv", "rank-order algorithm-tp algorithm-cp algorithm-ep algorithm-dp"},
    /* Names, which are looked up once the machine is known. */
    {"v...................", "placement library protocol"},
    /* Traits by name. */
    {"nnnnnnnnnnnnnnnnnnnn", "with"},
    /* Of a model without experts, whatever the file. */
    {"vPPPPPPPPPPPPPPPPPPP", "routing-table"},
    /* Counts from 1 to 2^24, for which 7 is sound, is not a divisor, or is more than there are. */
    {"svssssssssssvvv.sssv",
     "seq window-every expert-every expert-groups group-limit channels pp virtual-stages"},
    {"svssssssssssvvvSsssv", "hidden heads kv-heads"},
    {"svssssssssssvvvPsssv", "layers ffn vocab tp dp cp ep expert-tp ep-relay micro-batch "
                             "global-batch"},
    /* Counts that may be 0. */
    {"s.ssssssssssvvv.sssv",
     "mtp-layers head-width document window chunk dense-layers prefetch routing-kernels "
     "seed gradient-copies delta-key-heads delta-value-heads delta-key-width delta-value-width "
     "delta-conv mamba-heads mamba-head-width mamba-state mamba-groups mamba-conv mamba-chunk "
     "index-heads index-width index-top-k selective-inner selective-expand selective-state "
     "selective-rank selective-conv selective-norms lora-rank"},
    {"s.ssssssssssvvvSsssv", "decoder-layers decoder-seq query-rank kv-rank rope-width value-width "
                             "experts top-k expert-ffn expert-latent shared-experts patch"},
    {"s.ssssssssssvvvPsssv", "shard-degree"},
    {"s.ssssssssssvvvvsssv", "zero"},
    {"vPvvvvvvvvvvvvvPvvvv", "stage-layers"},
    {"vvvvvvvvvvvvvvv.vvvv", "recompute-layers"},
    {"vvvvvvvvvvvvvvvvvvvv", "selective lora-targets"},
    /* What may be a mixer's name, lists are asked for. */
    {"vvvSSvSvvvvvvvvvvSvv", "layer-pattern"},
    /* Numbers, of ranges of their own. */
    {"s.vssvs.ssssvvv.sssv", "capacity-factor skew"},
    {"s.vssvsvssssvvvvsssv", "overlap-fraction"},
    {"s.ssssssssssvvv.sssv", "step-bytes"},
    {"s.vssvs.ssss....sssv", "gather-bucket live-parameters"},
    {"svvssvs.ssssvvv.sssv", "slowdown"},
    {"ssssssssssssssssss.s", "bucket memory-reserve"},
};

/* The row of an attribute, which is in one. */
static const char *
outcomes_of(const char *attribute)
{
    const char *outcomes = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(odd_outcomes); i++) {
        g_auto(GStrv) names = g_strsplit(odd_outcomes[i].attributes, " ", -1);
        if (!g_strv_contains((const char *const *)names, attribute))
            continue;
        lp_test_true(attribute, outcomes == NULL);
        outcomes = odd_outcomes[i].outcomes;
    }
    lp_test_true(attribute, outcomes != NULL);
    return outcomes;
}

static void
check_odd_value(const LpAttribute *attribute, const char *value, char outcome)
{
    static const struct {
        char letter;
        gboolean of_model; /* LP_MODEL_ERROR, else LP_INPUT_ERROR */
        int code;
    } letters[] = {{'s', FALSE, LP_INPUT_ERROR_SYNTAX},
                   {'v', FALSE, LP_INPUT_ERROR_VALUE},
                   {'n', FALSE, LP_INPUT_ERROR_NAME},
                   {'S', TRUE, LP_MODEL_ERROR_SHAPE},
                   {'P', TRUE, LP_MODEL_ERROR_PLAN}};
    g_autofree char *setting = g_strdup_printf("%s=%s", lp_attribute_name(attribute), value);
    g_autoptr(GError) error = NULL;
    g_autoptr(LpWorkload) workload = load(GPT3, setting, &error);
    lp_test_true(setting, (workload == NULL) == (error != NULL));
    if (outcome == '.') {
        lp_test_text(setting, error != NULL ? error->message : NULL, NULL);
        return;
    }
    g_autofree char *where = g_strdup_printf("--set %s: ", setting);
    for (guint i = 0; i < G_N_ELEMENTS(letters); i++)
        if (letters[i].letter == outcome) {
            lp_test_error(setting, &error, letters[i].of_model ? LP_MODEL_ERROR : LP_INPUT_ERROR,
                          letters[i].code, letters[i].of_model ? ": got " : where);
            return;
        }
    lp_test_failed(setting, "no such outcome");
}

/* Every attribute x every odd text: refused in one line that names it, or sound. */
static void
test_odd_values(void)
{
    const LpAttribute *attribute;
    guint n = 0;
    for (; (attribute = lp_attribute_at(n)) != NULL; n++) {
        const char *outcomes = outcomes_of(lp_attribute_name(attribute));
        for (guint k = 0; outcomes != NULL && k < G_N_ELEMENTS(odd_values); k++)
            check_odd_value(attribute, odd_values[k], outcomes[k]);
    }
    lp_test_true("attributes", n > 0);
}

static void
test_setting_faults(void)
{
    static const struct {
        const char *setting;
        gboolean of_model; /* LP_MODEL_ERROR, else LP_INPUT_ERROR */
        int code;
        const char *part;
    } rows[] = {
        {"layrs=3", FALSE, LP_INPUT_ERROR_NAME,
         "--set layrs=3: unknown attribute \"layrs\", the "
         "nearest known one is \"layers\""},
        {"layers", FALSE, LP_INPUT_ERROR_USAGE, "--set layers: got no \"=\""},
        {"layers=0", FALSE, LP_INPUT_ERROR_VALUE, "--set layers=0: \"0\" is out of range"},
        {"layers=x", FALSE, LP_INPUT_ERROR_SYNTAX, "--set layers=x: \"x\" is not a whole number"},
        {"zero=4", FALSE, LP_INPUT_ERROR_VALUE, "--set zero=4: \"4\" is out of range"},
        {"rank-order=tp-dp", FALSE, LP_INPUT_ERROR_VALUE, "\"tp-dp\" is not an order"},
        {"rank-order=tp-tp-ep-dp-pp", FALSE, LP_INPUT_ERROR_VALUE, "is not an order"},
        {"bucket=0B", FALSE, LP_INPUT_ERROR_VALUE, "at least 1B"},
        {"heads=5", TRUE, LP_MODEL_ERROR_SHAPE, "heads: got 5, wanted a divisor of hidden"},
        {"tp=5", TRUE, LP_MODEL_ERROR_PLAN, "tp: got 5, wanted a divisor of heads"},
        {"micro-batch=5", TRUE, LP_MODEL_ERROR_PLAN, "global-batch: got 1536"},
        {"pp=97", TRUE, LP_MODEL_ERROR_PLAN, "pp: got 97"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpWorkload) workload = load(GPT3, rows[i].setting, &error);
        lp_test_true(rows[i].setting, workload == NULL);
        lp_test_error(rows[i].setting, &error, rows[i].of_model ? LP_MODEL_ERROR : LP_INPUT_ERROR,
                      rows[i].code, rows[i].part);
        lp_test_true("by itself",
                     lp_workload_check_setting(rows[i].setting, NULL) == rows[i].of_model);
    }
}

/* Replaces the first @from in the minimal file by @to. */
static char *
edited(const char *from, const char *to)
{
    g_auto(GStrv) parts = g_strsplit(MINIMAL, from, 2);
    return g_strjoinv(to, parts);
}

static void
test_file_faults(void)
{
    static const struct {
        const char *from, *to;
        const char *part;  /* of the message, behind the path */
        gboolean of_model; /* LP_MODEL_ERROR, else LP_INPUT_ERROR */
        int code;
    } rows[] = {
        {"<plan", "<pln", ":3: ", FALSE, LP_INPUT_ERROR_SYNTAX},
        {"layers=\"4\" ", "", ":2: ", FALSE, LP_INPUT_ERROR_SYNTAX},
        {"layers=\"4\"", "layers=\"-4\"", ":2: ", FALSE, LP_INPUT_ERROR_SYNTAX},
        {"layers=\"4\"", "layers=\"0\"", ":2: <transformer> layers: ", FALSE, LP_INPUT_ERROR_VALUE},
        {"layers=\"4\"", "layers=\"four\"", ":2: ", FALSE, LP_INPUT_ERROR_SYNTAX},
        {"layers=\"4\"", "layers=\"99999999999\"", ":2: ", FALSE, LP_INPUT_ERROR_VALUE},
        {"tp=\"2\"", "tpp=\"2\"", ":3: ", FALSE, LP_INPUT_ERROR_SYNTAX},
        {"tp=\"2\"", "tp=\"3\"", ": tp: got 3, wanted a divisor of heads (4)", TRUE,
         LP_MODEL_ERROR_PLAN},
        {"tp=\"2\"", "schedule=\"fifo\"", ":3: <plan> schedule: ", FALSE, LP_INPUT_ERROR_NAME},
        {"tp=\"2\"", "sequence-parallel=\"maybe\"", ":3: ", FALSE, LP_INPUT_ERROR_SYNTAX},
        {"</workload>", "", ":5: ", FALSE, LP_INPUT_ERROR_SYNTAX},
        {"<workload", "<!DOCTYPE w [<!ENTITY a \"b\">]><workload", ":1: ", FALSE,
         LP_INPUT_ERROR_SYNTAX},
        {"name=\"small\"", "", ":1: ", FALSE, LP_INPUT_ERROR_SYNTAX},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = edited(rows[i].from, rows[i].to);
        char *path = lp_temporary_with_suffix(".xml", text, -1);
        g_autofree char *part = g_strconcat(path, rows[i].part, NULL);
        g_autoptr(GError) error = NULL;
        g_autoptr(LpWorkload) workload = lp_workload_load(path, NULL, &error);
        lp_test_true(rows[i].to, workload == NULL);
        lp_test_error(rows[i].to, &error, rows[i].of_model ? LP_MODEL_ERROR : LP_INPUT_ERROR,
                      rows[i].code, part);
        lp_temporary_remove(path);
    }
}

static void
test_truncated(void)
{
    for (gsize length = 0; length < strlen(MINIMAL) - 2; length += 7) {
        char *path = lp_temporary_with_suffix(".xml", MINIMAL, (gssize)length);
        g_autoptr(GError) error = NULL;
        g_autoptr(LpWorkload) workload = lp_workload_load(path, NULL, &error);
        g_autofree char *label = g_strdup_printf("first %" G_GSIZE_FORMAT " bytes", length);
        lp_test_true(label, workload == NULL);
        lp_test_error(label, &error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, path);
        lp_temporary_remove(path);
    }
}

static void
test_no_file(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(LpWorkload) missing = lp_workload_load("no-such.xml", NULL, &error);
    lp_test_true("missing", missing == NULL);
    lp_test_error("missing", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "no-such.xml: ");
    g_autoptr(LpWorkload) folder = lp_workload_load("/", NULL, &error);
    lp_test_true("folder", folder == NULL);
    lp_test_error("folder", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "/: ");
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"shipped", test_shipped},         {"all shipped load", test_all_shipped_load},
        {"precedence", test_precedence},   {"round trip", test_round_trip},
        {"odd values", test_odd_values},   {"setting faults", test_setting_faults},
        {"file faults", test_file_faults}, {"truncated", test_truncated},
        {"no file", test_no_file},         {NULL, NULL}};
    return lp_test_run("workload", cases);
}
