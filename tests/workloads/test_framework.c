/* SPDX-License-Identifier: Apache-2.0 */
/* Frameworks: the shipped ones, their conditions, what beats them, and where values come from. */
#include "workloads/description/framework.h"

#include "base/error.h"
#include "tests/testlib.h"
#include "workloads/description/attribute.h"
#include "workloads/description/framework_defaults.h"
#include "workloads/description/workload.h"

#include <string.h>

#define LOOP "<frameworks><framework name='own' description='d' like='own'/></frameworks>"
#define GPT3 "resource:///lightpath/workloads/gpt3-175b.xml"

static LpWorkload *
load(const char *text)
{
    g_auto(GStrv) settings = g_strsplit(text, " ", -1);
    g_autoptr(GError) error = NULL;
    LpWorkload *workload = lp_workload_load(GPT3, (const char *const *)settings, &error);
    lp_test_text(text, error != NULL ? error->message : NULL, NULL);
    return workload;
}

static guint
index_of(const char *name)
{
    guint index = 0;
    while (strcmp(lp_attribute_name(lp_attribute_at(index)), name) != 0)
        index++;
    return index;
}

static void
check_value(const char *label, const LpWorkload *workload, const char *name, const char *wanted)
{
    const char *found;
    g_autofree char *value = lp_workload_attribute(workload, index_of(name), &found);
    g_autofree char *shown = g_strconcat(label, ": ", name, NULL);
    lp_test_text(shown, value, wanted);
}

/* A text that leans on another, which is not shown beside it. */
#define LEANS "as above|as below|\\(the same|The same where|Those "

/* Every setting of every shipped framework names an attribute and a value that it takes, has a
 * source that stands alone, and every condition an attribute. */
static void
test_shipped(void)
{
    g_auto(GStrv) names = lp_framework_names(NULL);
    lp_test_true("some", names != NULL && g_strv_length(names) >= 9);
    for (guint i = 0; names != NULL && names[i] != NULL; i++) {
        g_autoptr(LpFramework) framework = lp_framework_find(names[i], NULL);
        lp_test_true(names[i], framework != NULL);
        for (guint k = 0; framework != NULL && k < framework->settings->len; k++) {
            const LpFrameworkSetting *setting = framework->settings->pdata[k];
            g_autofree char *label = g_strdup_printf("%s: %s", names[i], setting->name);
            g_autoptr(LpWorkload) workload = load("framework=none");
            const LpAttribute *attribute = lp_attribute_find(setting->name, NULL);
            lp_test_true(label, attribute != NULL && strlen(setting->source) > 10 &&
                                    !g_regex_match_simple(LEANS, setting->source, 0, 0) &&
                                    lp_attribute_set(attribute, workload, setting->value,
                                                     LP_ORIGIN_FRAMEWORK, NULL));
            for (guint c = 0; c < setting->conditions->len; c++) {
                const LpFrameworkCondition *condition = setting->conditions->pdata[c];
                lp_test_true(label, lp_framework_condition_is_of_machine(condition) ||
                                        lp_attribute_find(condition->name, NULL) != NULL);
            }
        }
    }
}

/* What the software does, from its sources, as frameworks.xml names them. */
static void
test_defaults(void)
{
    static const struct {
        const char *label, *settings;
        const char *wanted; /* "name=value name=value" */
    } rows[] = {
        {"nothing", "framework=none", "host-sync=none overlap-tp=no scatter-gather=no slowdown=1"},
        {"the file's", "pp=8", "framework=megatron-lm-2021 host-sync=passes overlap-tp=no"},
        {"stages scatter", "framework=megatron-lm-2022", "overlap-tp=bulk host-sync=passes"},
        {"sums of bf16 are in fp32",
         "framework=megatron-core precision=bf16 gradient-precision=fp32",
         "gradient-precision=fp32"},
        /* 12 layers a stage. */
        {"recipes interleave", "framework=megatron-core schedule=1f1b virtual-stages=finest",
         "virtual-stages=12 schedule=interleaved overlap-pp=yes host-sync=none"},
        {"and wait for messages where they do not", "framework=megatron-core virtual-stages=1",
         "overlap-pp=no host-sync=messages"},
        {"a finest stage of DualPipe is one",
         "framework=none schedule=dualpipe virtual-stages=finest", "virtual-stages=1"},
        {"nor where micro-batches do not divide",
         "framework=none virtual-stages=finest pp=8 dp=1 global-batch=9", "virtual-stages=1"},
        {"user buffers need sequence parallelism", "framework=megatron-core sequence-parallel=yes",
         "overlap-tp=yes"},
        {"in four bits, too", "framework=megatron-core sequence-parallel=yes precision=nvfp4",
         "overlap-tp=yes"},
        {"and are not there without", "framework=megatron-core sequence-parallel=no",
         "overlap-tp=no"},
        {"coarse experts are divided as all else is",
         "framework=megatron-core experts=8 expert-ffn=64 top-k=2 micro-batch=1",
         "expert-tp=8 overlap-ep=no"},
        {"fine-grained experts stay whole",
         "framework=megatron-core experts=128 expert-ffn=64 top-k=8 ep=16 pp=8 dp=16 "
         "sequence-parallel=yes",
         "expert-tp=1 ep-relay=1 overlap-ep=no overlap-tp=bulk experts-eager=yes"},
        {"HybridEP sends a token once to each domain, since September 2025",
         "framework=megatron-core-2025-09 experts=128 expert-ffn=64 top-k=8 ep=16 pp=8 dp=16 "
         "sequence-parallel=yes",
         "expert-tp=1 ep-relay=domains overlap-ep=no overlap-tp=bulk capacity-factor=0 "
         "layer-graphs=routing "
         "eager-dispatch=no experts-padded=no"},
        {"the recipes of April 2025 drop tokens",
         "framework=megatron-core-2025-04 experts=8 expert-ffn=64 top-k=2 ep=8 pp=1 dp=128 "
         "sequence-parallel=yes",
         "overlap-tp=bulk capacity-factor=1"},
        {"which is gone in September",
         "framework=megatron-core-2025-09 experts=128 expert-ffn=64 top-k=8 ep=16 pp=4 dp=16 "
         "expert-groups=8 group-limit=4 kv-rank=64 rope-width=32",
         "selective=latent attention-kernel=auto capacity-factor=0 ep-relay=domains"},
        {"NeMo's scripts of 2025 fuse the loss",
         "framework=megatron-core-2025-04 precision=fp8 zero=1",
         "fused-loss=yes scaling=delayed cuda-graphs=no overlap-param=yes"},
        {"which older ones do not", "framework=megatron-core", "fused-loss=no"},
        {"NeMo's launcher of 2024 turns cuDNN's attention off", "framework=megatron-core-2024",
         "attention-kernel=flash-2 fused-loss=no"},
        {"and later ones do not", "framework=megatron-core-2024-09", "attention-kernel=auto"},
        {"Megatron-Bridge scales by the tensor",
         "framework=megatron-core-2025-09 precision=fp8 pp=8 zero=1",
         "fused-loss=yes scaling=current cuda-graphs=no overlap-param=yes"},
        {"four bits are cast by rows and columns",
         "framework=megatron-core-2025-09 precision=nvfp4 pp=8 dp=16",
         "casts-apart=yes scales-apart=yes bucket=134217728-parameters narrow-parameters=yes"},
        {"at once from April 2026", "framework=megatron-core-2026-04 precision=nvfp4 pp=8 dp=16",
         "casts-apart=no scales-apart=yes"},
        {"what needs no Hadamard transform", "framework=mlperf-2025 precision=nvfp4 pp=1 dp=128",
         "casts-apart=no scales-apart=yes bucket=134217728-parameters narrow-parameters=no"},
        {"MLPerf's captures stages, too", "framework=mlperf-2025 precision=fp8 pp=8 dp=16",
         "cuda-graphs=yes bucket=134217728-parameters"},
        {"hosts wait for counts of tokens",
         "framework=megatron-core experts=8 expert-ffn=64 top-k=2 micro-batch=1", "count-sync=yes"},
        {"where there are experts", "framework=megatron-core", "count-sync=no"},
        {"routing is fused since September 2025",
         "framework=megatron-core-2025-09 experts=128 expert-ffn=64 top-k=8 ep=16 pp=1 dp=128",
         "routing-kernels=2 experts-one-by-one=yes ep-relay=domains eager-dispatch=no"},
        {"experts' tokens are padded by copies",
         "framework=megatron-core experts=8 expert-ffn=64 top-k=2 micro-batch=1",
         "experts-padded=yes"},
        {"but by HybridEP, where it is",
         "framework=megatron-core-2025-09 experts=128 expert-ffn=64 top-k=8 ep=16 pp=1 dp=128 "
         "micro-batch=4",
         "experts-padded=no"},
        {"latent attention's products are run again",
         "framework=megatron-core-2025-09 experts=128 expert-ffn=64 top-k=8 ep=16 pp=1 dp=128 "
         "kv-rank=64 rope-width=32",
         "selective=latent"},
        {"the recipes of June 2026",
         "framework=megatron-core-2026 experts=128 expert-ffn=64 top-k=8 ep=16 pp=1 dp=128 "
         "precision=mxfp8 sequence-parallel=yes",
         "experts-one-by-one=no experts-fused=yes routing-kernels=2 expert-tp=1 experts-eager=no "
         "fused-dispatch=yes layer-graphs=attention"},
        {"do so with MXFP8, and else what was before",
         "framework=megatron-core-2026 experts=128 expert-ffn=64 top-k=8 ep=16 pp=1 dp=128 "
         "sequence-parallel=yes",
         "experts-one-by-one=yes experts-fused=no experts-eager=yes routing-kernels=2"},
        {"61 layers and a module for further tokens",
         "framework=megatron-core layers=61 mtp-layers=1 pp=16 dp=1", "stage-layers=front"},
        {"and 64 without", "framework=megatron-core layers=64 pp=16 dp=1", "stage-layers=even"},
        {"gathers need ZeRO", "framework=megatron-core zero=1", "overlap-param=yes"},
        {"and are not there without", "framework=megatron-core zero=0", "overlap-param=no"},
        {"DeepSpeed's sums", "framework=deepspeed zero=1", "zero-variant=deepspeed"},
        {"DeepSpeed's stages", "framework=deepspeed pp=8", "host-sync=passes cast-gradients=no"},
        {"its sums of bf16", "framework=deepspeed precision=bf16", "cast-gradients=yes"},
        {"BLOOM's are as DeepSpeed's", "framework=bigscience precision=bf16 pp=8",
         "host-sync=kernels cast-gradients=yes"},
        {"HF's", "framework=transformers-deepspeed", "rotary-slices=yes gradient-copies=0"},
        {"DeepSpeed's gathers", "framework=deepspeed zero=3 pp=1 dp=128",
         "overlap-param=yes bucket=500000000-parameters unit-copies=yes slowdown=1.189 "
         "gather-unit=tensor gather-bucket=50000000 live-parameters=1000000000 "
         "gradient-copies=3"},
        {"gradients are added where they are made", "framework=megatron-core",
         "fused-accumulation=yes gradient-buffers=yes"},
        {"and in 2021 by a kernel of their own", "framework=megatron-lm-2021",
         "fused-accumulation=no gradient-buffers=yes"},
        {"in 2022 they are", "framework=megatron-lm-2022",
         "fused-accumulation=yes gradient-buffers=yes"},
        {"BLOOM's scripts block launches", "framework=bigscience zero=1",
         "host-sync=kernels zero-variant=deepspeed overlap-tp=no"},
        {"which hides nothing", "framework=bigscience zero=3 pp=1 dp=128",
         "host-sync=kernels overlap-dp=no overlap-param=no gather-unit=tensor"},
        {"AutoModel's models with experts",
         "framework=automodel zero=3 experts=128 expert-ffn=64 top-k=8 ep=16 pp=1 dp=128",
         "ep-relay=domains count-sync=yes optimizer=adam-bf16 kernels=fused "
         "attention-kernel=vendor reshard=no gradient-sync=last"},
        {"and dense ones", "framework=automodel zero=3 pp=1 dp=128",
         "count-sync=no optimizer=adam-bf16 kernels=fused attention-kernel=vendor reshard=yes"},
        {"its attention", "framework=torchtitan kernels=fused", "attention-kernel=torch"},
        {"torchtitan's selective recomputation", "framework=torchtitan precision=fp8 pp=1 dp=128",
         "selective=alternate scaling=current layout=batch-first overlap-tp-pairs=yes reshard=yes"},
        {"torchtitan's Llama", "framework=torchtitan zero=3",
         "separate-projections=yes complex-rotary=yes repeat-heads=yes unit-copies=yes "
         "keep-gathered=yes reshard=no gradient-sync=last"},
        {"fms-fsdp is compiled", "framework=fms-fsdp pp=1 dp=128",
         "zero=3 kernels=fused separate-projections=yes repeat-heads=yes eager-norms=no "
         "early-stop=yes"},
        {"or goes by operations", "framework=fms-fsdp kernels=eager pp=1 dp=128",
         "eager-norms=yes complex-rotary=yes early-stop=no"},
        {"fully sharded, as its name says", "framework=fsdp", "zero=3 cast-shards=yes"},
        {"unless the plan says otherwise", "framework=torchtitan zero=1", "zero=1 unit-copies=no"},
        {"checkpoints of today's PyTorch", "framework=torchtitan", "early-stop=yes"},
        {"and of an older one", "framework=fsdp", "early-stop=no"},
        {"but what is compiled leaves out what nothing takes", "framework=fsdp kernels=fused",
         "early-stop=yes"},
        {"the compiler gathers arrays", "framework=xla zero=3 pp=1 dp=128",
         "array-units=yes root-unit=no shard-degree=0 cuda-graphs=yes"},
        {"PAX does not pipeline them over its loop", "framework=pax zero=3 pp=1 dp=128",
         "array-units=yes overlap-param=no overlap-dp=no"},
        {"T5X divides nothing", "framework=t5x tp=8 pp=1 dp=128", "sequence-parallel=no"},
        {"of slices", "framework=maxtext zero=3 pp=1 dp=128",
         "array-units=yes root-unit=no shard-degree=domains"},
        {"experts by masks", "framework=maxtext experts=8 top-k=2 ep=8 expert-groups=2 pp=1 dp=128",
         "zero=3 shard-degree=domains mask-dispatch=yes ep-relay=no"},
        {"DistributedDataParallel shards nothing", "framework=ddp pp=1 dp=128",
         "zero=0 overlap-param=no bucket=26214400B kernels=eager"},
        {"InternEvo sums over all", "framework=internevo zero=1 pp=1 dp=128",
         "zero-variant=deepspeed"},
        {"nanotron without stages", "framework=nanotron pp=1 dp=128",
         "stage-layers=even overlap-tp=bulk"},
        {"nanotron's DistributedDataParallel", "framework=nanotron pp=1 dp=128 zero=0",
         "bucket=52428800B zero-variant=standard gather-lists=no"},
        {"which its shared states do without", "framework=nanotron pp=1 dp=128 zero=1",
         "bucket=all zero-variant=deepspeed gather-lists=yes"},
        {"nanotron with stages", "framework=nanotron", "stage-layers=by-weight overlap-dp=no"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpWorkload) workload = load(rows[i].settings);
        g_auto(GStrv) wanted = g_strsplit(rows[i].wanted, " ", -1);
        for (guint k = 0; workload != NULL && wanted[k] != NULL; k++) {
            char *equals = strchr(wanted[k], '=');
            *equals = '\0';
            check_value(rows[i].label, workload, wanted[k], equals + 1);
        }
    }
}

/* A setting beats the file, the file beats the framework, the framework beats the default. */
static void
test_origins(void)
{
    static const struct {
        const char *settings, *name, *value;
        LpOrigin origin;
    } rows[] = {
        {"framework=megatron-core", "overlap-dp", "no", LP_ORIGIN_FILE},
        {"framework=megatron-core overlap-pp=yes", "overlap-pp", "yes", LP_ORIGIN_SETTING},
        {"framework=megatron-core", "slowdown", "1.189", LP_ORIGIN_FRAMEWORK},
        {"framework=none", "slowdown", "1", LP_ORIGIN_DEFAULT},
        {"framework=none", "framework", "none", LP_ORIGIN_SETTING},
        {"tp=4", "framework", "megatron-lm-2021", LP_ORIGIN_FILE},
        {"framework=megatron-core", "library", "auto", LP_ORIGIN_DEFAULT},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpWorkload) workload = load(rows[i].settings);
        if (workload == NULL)
            continue;
        guint index = index_of(rows[i].name);
        check_value(rows[i].settings, workload, rows[i].name, rows[i].value);
        lp_test_text(rows[i].settings, lp_origin_names[lp_workload_origin(workload, index)],
                     lp_origin_names[rows[i].origin]);
        lp_test_true(rows[i].settings, (lp_workload_source(workload, index) != NULL) ==
                                           (rows[i].origin == LP_ORIGIN_FRAMEWORK));
    }
}

static LpFramework *
parse(const char *settings, GError **error)
{
    g_autofree char *text = g_strdup_printf(
        "<frameworks><framework name='own' description='d'>%s</framework></frameworks>", settings);
    g_autoptr(GBytes) content = g_bytes_new(text, strlen(text));
    return lp_framework_parse("own.xml", content, "own", error);
}

/* The first setting of a name whose conditions hold counts; later conditions see earlier settings.
 * GPT-3 has tp 8. */
static void
test_conditions(void)
{
    static const struct {
        const char *settings, *name, *value;
    } rows[] = {
        {"<setting name='prefetch' value='3' when='tp>7'>s</setting>", "prefetch", "3"},
        {"<setting name='prefetch' value='3' when='tp>8'>s</setting>", "prefetch", "1"},
        {"<setting name='prefetch' value='3' when='heads>tp'>s</setting>", "prefetch", "3"},
        {"<setting name='prefetch' value='3' when='tp>heads'>s</setting>", "prefetch", "1"},
        {"<setting name='prefetch' value='3' when='tp=8 pp=8'>s</setting>", "prefetch", "3"},
        {"<setting name='prefetch' value='3' when='tp=8 pp=4'>s</setting>", "prefetch", "1"},
        {"<setting name='prefetch' value='3' when='recompute!=full'>s</setting>", "prefetch", "1"},
        {"<setting name='prefetch' value='3'>s</setting>"
         "<setting name='prefetch' value='4'>s</setting>",
         "prefetch", "3"},
        {"<setting name='overlap-pp' value='yes'>s</setting>"
         "<setting name='prefetch' value='5' when='overlap-pp=yes'>s</setting>",
         "prefetch", "5"},
        {"<setting name='tp' value='4'>s</setting>", "tp", "8"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpFramework) framework = parse(rows[i].settings, &error);
        g_autoptr(LpWorkload) workload = load("framework=none");
        lp_test_text(rows[i].settings, error != NULL ? error->message : NULL, NULL);
        if (framework == NULL || workload == NULL)
            continue;
        lp_test_true(rows[i].settings, lp_framework_defaults_give(framework, workload, &error));
        check_value(rows[i].settings, workload, rows[i].name, rows[i].value);
    }
}

/* What ran in a container, of that framework alone. */
static void
test_versions(void)
{
    static const struct {
        const char *name, *container, *version;
    } rows[] = {
        {"megatron-core", "23.11", "megatron-core"},
        {"megatron-core", "24.03.01", "megatron-core-2024"},
        {"megatron-core", "24.12", "megatron-core-2024-09"},
        {"megatron-core", "25.04", "megatron-core-2025-04"},
        {"megatron-core", "25.09", "megatron-core-2025-09"},
        {"megatron-core", "26.04.01", "megatron-core-2026-04"},
        {"megatron-core", "26.06.01", "megatron-core-2026"},
        {"megatron-core-2025-09", "26.06", "megatron-core-2026"},
        {"torchtitan", "26.06", "torchtitan"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *version = lp_framework_version(rows[i].name, rows[i].container);
        lp_test_text(rows[i].version, version, rows[i].version);
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) loop = g_bytes_new_static(LOOP, strlen(LOOP));
    g_autoptr(LpFramework) none = lp_framework_parse("own.xml", loop, "own", &error);
    lp_test_true("its own older version", none == NULL);
    lp_test_error("its own older version", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                  "framework own: like: got \"own\", wanted a framework that stands above it");
}

static void
test_faults(void)
{
    static const struct {
        const char *settings;
        const char *refused_by_schema; /* of the message, or NULL */
        const char *refused_later;
    } rows[] = {
        {"<setting name='tp' value='4'></setting>", "own.xml:1: ", NULL},
        {"<setting name='tp' value='4' when='pp'>s</setting>", "own.xml:1: ", NULL},
        {"<setting name='tp' value='4' when='pp&gt;1yes'>s</setting>", "own.xml:1: ", NULL},
        {"<setting name='overlap-pp' value='yes' when='pp&gt;yes'>s</setting>", NULL,
         "own.xml:1: <setting> overlap-pp: unknown attribute \"yes\""},
        {"<setting name='tpp' value='4'>s</setting>", NULL,
         "own.xml:1: <setting> tpp: unknown attribute"},
        {"<setting name='overlap-pp' value='4'>s</setting>", NULL,
         "own.xml:1: <setting> overlap-pp: "},
        {"<setting name='overlap-pp' value='yes' when='ppp=4'>s</setting>", NULL,
         "own.xml:1: <setting> overlap-pp: unknown attribute \"ppp\""},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpFramework) framework = parse(rows[i].settings, &error);
        lp_test_true(rows[i].settings, (framework == NULL) == (rows[i].refused_by_schema != NULL));
        g_autoptr(LpWorkload) workload = load("framework=none");
        if (framework != NULL)
            lp_test_true(rows[i].settings,
                         !lp_framework_defaults_give(framework, workload, &error));
        const char *wanted = framework == NULL ? rows[i].refused_by_schema : rows[i].refused_later;
        lp_test_true(rows[i].settings, error != NULL && strstr(error->message, wanted) != NULL);
    }
    const char *unknown[] = {"framework=megatrom", NULL};
    g_autoptr(GError) error = NULL;
    g_autoptr(LpWorkload) refused = lp_workload_load(GPT3, unknown, &error);
    lp_test_true("unknown", refused == NULL);
    lp_test_error("unknown", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                  "--set framework=megatrom: \"megatrom\" is not one of none, megatron-lm-2021");
}

/* Who is told of a value that stands nowhere in the file is told whose it is. */
static void
test_refused_defaults(void)
{
    static const struct {
        const char *settings, *wanted;
    } rows[] = {
        {"framework=bigscience overlap-dp=yes",
         "a host that waits for each kernel hides nothing (host-sync is framework bigscience's "
         "unless the file or --set gives it)"},
        {"framework=bigscience host-sync=kernels overlap-dp=yes", "kernel hides nothing"},
        {"framework=torchtitan schedule=dualpipe",
         "at once (zero is framework torchtitan's unless the file or --set gives it)"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_auto(GStrv) settings = g_strsplit(rows[i].settings, " ", -1);
        g_autoptr(GError) error = NULL;
        g_autoptr(LpWorkload) refused =
            lp_workload_load(GPT3, (const char *const *)settings, &error);
        lp_test_true(rows[i].settings, refused == NULL);
        lp_test_true(rows[i].settings,
                     error != NULL && g_str_has_suffix(error->message, rows[i].wanted));
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"shipped", test_shipped},
                                       {"defaults", test_defaults},
                                       {"origins", test_origins},
                                       {"conditions", test_conditions},
                                       {"versions", test_versions},
                                       {"faults", test_faults},
                                       {"refused defaults", test_refused_defaults},
                                       {NULL, NULL}};
    return lp_test_run("framework", cases);
}
