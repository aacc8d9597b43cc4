/* SPDX-License-Identifier: Apache-2.0 */
/* Plans in the words of training software. What is expected was read in that software's own
 * sources, which report/export_*.c name. */
#include "report/plan_export.h"

#include "report/export_rules.h"
#include "report/export_value.h"
#include "tests/testlib.h"
#include "workloads/description/attribute.h"

#include <jansson.h>
#include <string.h>

/* A workload that each row changes. */
#define BASE                                                                                       \
    "layers=16 hidden=512 heads=8 ffn=2048 seq=1024 vocab=1024 micro-batch=1 global-batch=64 "     \
    "precision=bf16"

static LpWorkload *
make(const char *settings)
{
    g_autofree char *all = g_strchomp(g_strconcat(BASE, " ", settings, NULL));
    g_auto(GStrv) list = g_strsplit(all, " ", -1);
    GError *error = NULL;
    LpWorkload *workload = lp_workload_new("test", "drawn", (const char *const *)list, &error);
    lp_test_true(error != NULL ? error->message : settings, workload != NULL);
    g_clear_error(&error);
    return workload;
}

/* What has to stand in a line of its own, parted by "; ", or behind "!" must not be there. */
typedef struct {
    const char *settings, *lines;
} Row;

#define LATENT                                                                                     \
    "head-width=64 kv-rank=32 query-rank=48 rope-width=16 value-width=24 ffn-kind=swiglu "
#define EXPERTS "experts=8 top-k=2 "

static const Row megatron[] = {
    {"", "--num-layers 16; --hidden-size 512; --num-attention-heads 8; --ffn-hidden-size 2048; "
         "--kv-channels 64; --seq-length 1024 --max-position-embeddings 1024; --vocab-size 1024; "
         "--micro-batch-size 1; --global-batch-size 64; --tensor-model-parallel-size 1; "
         "--pipeline-model-parallel-size 1; --context-parallel-size 1; --bf16; --optimizer adam; "
         "--attention-backend unfused; --normalization LayerNorm; "
         "--position-embedding-type learned_absolute; !--swiglu; !--sequence-parallel; "
         "!--group-query-attention; !--use-distributed-optimizer"},
    {"dp=4", "# on 4 processes, one an accelerator, of which dp is 4; as run by framework none"},
    {"kv-heads=2", "--group-query-attention --num-query-groups 2"},
    {"ffn-kind=swiglu", "--swiglu; --normalization RMSNorm; --disable-bias-linear; "
                        "--attention-dropout 0 --hidden-dropout 0"},
    {"bias=qkv", "--disable-bias-linear --add-qkv-bias"},
    {"attention=flash", "--attention-backend fused"},
    {"attention=flash attention-kernel=flash-2", "--attention-backend flash"},
    {"attention=flash attention-kernel=triton", "# no flag: attention-kernel=triton"},
    {"positions=rotary", "--position-embedding-type rope"},
    {"tied-embeddings=no", "--untie-embeddings-and-output-weights"},
    {"head-norms=yes", "--qk-layernorm"},
    {"parallel-blocks=yes", "# no flag, but the model's own code: parallel-blocks=yes"},
    {LATENT, "--multi-latent-attention --kv-lora-rank 32; --q-lora-rank 48; --qk-head-dim 64; "
             "--qk-pos-emb-head-dim 16; --v-head-dim 24; !--kv-channels 64"},
    {"mtp-layers=1", "--mtp-num-layers 1"},
    {"layer-pattern=M-M*- layers=8 mamba-heads=32 mamba-state=64 mamba-head-width=32 "
     "mamba-groups=4 positions=none",
     "--hybrid-layer-pattern M-M*-M-M --spec megatron.core.models.hybrid.hybrid_layer_specs "
     "hybrid_stack_spec; --mamba-num-heads 32; --mamba-state-dim 64; --mamba-head-dim 32; "
     "--mamba-num-groups 4; "
     "--position-embedding-type none; !--num-layers 8"},
    {"layer-pattern=3*gated-delta-net+1*full",
     "# no flag, but the model's own code: layer-pattern=3*gated-delta-net+1*full"},
    {EXPERTS "expert-latent=128", "--moe-latent-size 128"},
    {EXPERTS,
     "--num-experts 8; --moe-router-topk 2; --moe-ffn-hidden-size 2048; --moe-grouped-gemm; "
     "--expert-model-parallel-size 1; !--moe-layer-freq 1"},
    {EXPERTS "expert-ffn=256 shared-experts=2", "--moe-ffn-hidden-size 256; "
                                                "--moe-shared-expert-intermediate-size 512"},
    {EXPERTS "dense-layers=3", "--moe-layer-freq ([0]*3+[1]*13)"},
    {EXPERTS "expert-every=2", "--moe-layer-freq 2"},
    {EXPERTS "expert-groups=4 group-limit=2", "--moe-router-num-groups 4; "
                                              "--moe-router-group-topk 2"},
    {EXPERTS "capacity-factor=1.5",
     "--moe-expert-capacity-factor 1.5 --moe-pad-expert-input-to-capacity"},
    {EXPERTS "experts-one-by-one=yes", "!--moe-grouped-gemm"},
    {EXPERTS "ep=4 dp=8", "--expert-model-parallel-size 4; --expert-tensor-parallel-size 1; "
                          "--moe-token-dispatcher-type alltoall"},
    {EXPERTS "ep=4 dp=8 fused-dispatch=yes ep-relay=2",
     "--moe-token-dispatcher-type flex --moe-flex-dispatcher-backend deepep; "
     "!# no flag: ep-relay=2"},
    {EXPERTS "ep=4 dp=8 ep-relay=2", "# no flag: ep-relay=2"},
    {"tp=4 sequence-parallel=yes", "--tensor-model-parallel-size 4; --sequence-parallel"},
    {"pp=4 virtual-stages=2", "--pipeline-model-parallel-size 4; "
                              "--num-virtual-stages-per-pipeline-rank 2"},
    {"pp=3", "--pipeline-model-parallel-layout Et*5|t*6|t*5L"},
    {"pp=4 stage-layers=3,5,5,3", "--pipeline-model-parallel-layout Et*3|t*5|t*5|t*3L"},
    {"pp=4 virtual-stages=2 stage-layers=1,2,2,2,2,2,2,3",
     "--pipeline-model-parallel-layout Et*1|t*2|t*2|t*2|t*2|t*2|t*2|t*3L; "
     "!--num-virtual-stages-per-pipeline-rank 2"},
    {"layers=14 pp=4 virtual-stages=2 stage-layers=with-ends",
     "--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split; "
     "--num-virtual-stages-per-pipeline-rank 2"},
    {"pp=4 schedule=zero-bubble", "# no flag: schedule=zero-bubble"},
    {"pp=4 schedule=gpipe", "# no flag: schedule=gpipe"},
    {"cp=2", "--context-parallel-size 2; --cp-comm-type p2p"},
    {"cp=2 cp-kind=ulysses", "--cp-comm-type a2a"},
    {"cp=2 cp-kind=gather", "--cp-comm-type all_gather"},
    {"cp=2 cp-kind=gathered-ring", "# no flag: cp-kind=gathered-ring"},
    {"rank-order=tp-cp-ep-pp-dp", "--use-tp-pp-dp-mapping"},
    {"rank-order=pp-tp-cp-ep-dp", "# no flag: rank-order=pp-tp-cp-ep-dp"},
    {"placement=scattered", "# no flag: placement=scattered"},
    {"recompute=full",
     "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1"},
    {"recompute=full recompute-layers=3",
     "--recompute-granularity full --recompute-method block --recompute-num-layers 3"},
    {"recompute=full recompute-layers=1/3",
     "# no flag: recompute=full; # no flag: recompute-layers=1/3"},
    {"recompute=selective", "--recompute-granularity selective --recompute-modules core_attn"},
    {"recompute=selective selective=alternate",
     "# no flag: recompute=selective; # no flag: selective=alternate"},
    {"recompute=light", "--recompute-granularity selective --recompute-modules layernorm"},
    {EXPERTS "recompute=light",
     "--recompute-granularity selective --recompute-modules layernorm moe_act"},
    {LATENT "recompute=light",
     "--recompute-granularity selective --recompute-modules layernorm mla_up_proj"},
    {LATENT EXPERTS "recompute=light",
     "--recompute-granularity selective --recompute-modules layernorm moe_act mla_up_proj"},
    {"offload-activations=yes", "--cpu-offloading-num-layers 16"},
    {"dp=8 zero=1", "--use-distributed-optimizer"},
    {"dp=8 zero=2", "--use-distributed-optimizer --use-megatron-fsdp "
                    "--data-parallel-sharding-strategy optim_grads"},
    {"dp=8 zero=3", "--use-distributed-optimizer --use-megatron-fsdp "
                    "--data-parallel-sharding-strategy optim_grads_params"},
    {"dp=8 zero=1 zero-variant=deepspeed", "# no flag: zero-variant=deepspeed"},
    {"dp=8 zero=1 shard-degree=2", "--num-distributed-optimizer-instances 4"},
    {"optimizer=sgd", "--optimizer sgd"},
    {"optimizer=adam-8bit", "# no flag: optimizer=adam-8bit"},
    {"precision=fp16", "--fp16; !--bf16"},
    {"precision=fp8", "--bf16 --fp8-format hybrid --fp8-recipe delayed"},
    {"precision=fp8 scaling=current", "--bf16 --fp8-format hybrid --fp8-recipe tensorwise"},
    {"precision=fp8-block", "--bf16 --fp8-format e4m3 --fp8-recipe blockwise"},
    {"precision=mxfp8 narrow-parameters=yes", "--bf16 --fp8-format e4m3 --fp8-recipe mxfp8; "
                                              "--fp8-param-gather"},
    {"precision=nvfp4 narrow-parameters=yes", "--bf16 --fp4-format e2m1 --fp4-recipe nvfp4; "
                                              "--fp4-param-gather"},
    {"precision=int8", "# no flag: precision=int8"},
    {"gradient-precision=fp32", "--accumulate-allreduce-grads-in-fp32"},
    {"gradient-precision=bf16", "--grad-reduce-in-bf16"},
    {"dp=8 overlap-dp=yes bucket=4000000-parameters", "--overlap-grad-reduce; "
                                                      "--ddp-bucket-size 4000000"},
    {"dp=8 overlap-dp=yes bucket=25MB", "# no flag: bucket=25000000B"},
    {"dp=8 zero=1 overlap-param=yes", "--overlap-param-gather"},
    {"tp=2 overlap-tp=yes", "--tp-comm-overlap"},
    {"tp=2 overlap-tp=bulk", "!--tp-comm-overlap"},
    {"tp=2 overlap-tp=no", "# no flag: overlap-tp=no"},
    {"pp=4 virtual-stages=2 overlap-pp=no", "--no-overlap-p2p-communication"},
    {"pp=4 virtual-stages=2 overlap-pp=yes", "!--no-overlap-p2p-communication"},
    {EXPERTS "ep=4 dp=8 overlap-ep=yes", "--overlap-moe-expert-parallel-comm"},
    {"cuda-graphs=yes", "--cuda-graph-impl full_iteration"},
    {"fused-accumulation=no", "--no-gradient-accumulation-fusion"},
    {"fused-loss=yes", "--cross-entropy-loss-fusion --cross-entropy-fusion-impl te"},
    {"fused-loss=native", "--cross-entropy-loss-fusion --cross-entropy-fusion-impl native"},
    {"fused-loss=liger", "# no flag: fused-loss=liger"},
    {"algorithm-dp=ring", "# no flag: algorithm-dp=ring"},
    {"kernels=eager", "# no flag: kernels=eager"},
    {"slowdown=1.2", "!# no flag: slowdown=1.2"},
};

static const Row torchtitan[] = {
    {"", "[training]; seq_len = 1024; local_batch_size = 1; global_batch_size = 64; "
         "mixed_precision_param = \"bfloat16\"; [parallelism]; tensor_parallel_degree = 1; "
         "pipeline_parallel_degree = 1; context_parallel_degree = 1; [activation_checkpoint]; "
         "mode = \"none\"; [optimizer]; name = \"AdamW\"; implementation = \"fused\"; [compile]; "
         "enable = true; data_parallel_replicate_degree = 1; data_parallel_shard_degree = 1"},
    {"", "# no key, but the model's own code: layers=16 hidden=512 heads=8 ffn=2048 vocab=1024"},
    {"tp=4 sequence-parallel=yes", "tensor_parallel_degree = 4"},
    {"tp=4", "# no key: sequence-parallel=no"},
    {"tp=4 sequence-parallel=yes parallel-loss=no", "disable_loss_parallel = true"},
    {"tp=4 sequence-parallel=yes parallel-loss=yes", "disable_loss_parallel = false"},
    {"tp=4 overlap-tp=yes", "enable_async_tensor_parallel = true"},
    {"tp=4 overlap-tp=no", "enable_async_tensor_parallel = false"},
    {"tp=4 overlap-tp=bulk", "# no key: overlap-tp=bulk"},
    {"dp=8", "data_parallel_replicate_degree = 8; data_parallel_shard_degree = 1"},
    {"dp=8 zero=1", "# no key: zero=1; data_parallel_shard_degree = 8"},
    {"dp=8 zero=3", "data_parallel_replicate_degree = 1; data_parallel_shard_degree = 8; "
                    "fsdp_reshard_after_forward = \"always\""},
    {"dp=8 zero=3 shard-degree=4 reshard=no",
     "data_parallel_replicate_degree = 2; data_parallel_shard_degree = 4; "
     "fsdp_reshard_after_forward = \"never\""},
    {"dp=4 cp=2 zero=3 shard-degree=4",
     "data_parallel_replicate_degree = 2; data_parallel_shard_degree = 2"},
    {"dp=8 zero=3 prefetch=2", "# no key: prefetch=2"},
    {"cp=2", "context_parallel_degree = 2; context_parallel_rotate_method = \"alltoall\""},
    {"cp=2 cp-kind=gathered-ring", "context_parallel_rotate_method = \"allgather\""},
    {"cp=2 cp-kind=ulysses", "# no key: cp-kind=ulysses"},
    {EXPERTS "ep=4 dp=8 expert-tp=1",
     "expert_parallel_degree = 4; expert_tensor_parallel_degree = 1; "
     "expert_parallel_comm_backend = \"standard\""},
    {EXPERTS "ep=4 dp=8 fused-dispatch=yes", "expert_parallel_comm_backend = \"deepep\""},
    {"dp=4 pp=4 micro-batch=2",
     "local_batch_size = 16; pipeline_parallel_microbatch_size = 2; "
     "pipeline_parallel_degree = 4; pipeline_parallel_schedule = \"1F1B\"; "
     "pipeline_parallel_first_stage_less_layers = 0; "
     "pipeline_parallel_last_stage_less_layers = 0"},
    {"pp=4 schedule=gpipe", "pipeline_parallel_schedule = \"GPipe\""},
    {"pp=4 schedule=zero-bubble", "# no key: schedule=zero-bubble"},
    {"pp=4 virtual-stages=2", "pipeline_parallel_schedule = \"Interleaved1F1B\"; "
                              "pipeline_parallel_layers_per_stage = 2"},
    {"layers=14 pp=4 virtual-stages=2 stage-layers=with-ends",
     "pipeline_parallel_layers_per_stage = 2; pipeline_parallel_first_stage_less_layers = 1; "
     "pipeline_parallel_last_stage_less_layers = 1"},
    {"pp=3", "# no key: stage-layers=even"},
    {"recompute=full", "mode = \"full\""},
    {"recompute=full early-stop=yes", "early_stop = true"},
    {"recompute=full early-stop=no", "early_stop = false"},
    {"recompute=full recompute-layers=1/3", "mode = \"selective\"; selective_ac_option = \"3\""},
    {"recompute=selective selective=alternate",
     "mode = \"selective\"; selective_ac_option = \"op\""},
    {"recompute=selective", "# no key: recompute=selective; # no key: selective=core"},
    {"precision=fp32", "mixed_precision_param = \"float32\""},
    {"precision=fp8 scaling=current narrow-parameters=yes",
     "converters = [\"quantize.linear.float8\"]; [quantize.linear.float8]; "
     "recipe_name = \"tensorwise\"; enable_fsdp_float8_all_gather = true"},
    {"precision=fp8", "# no key: precision=fp8; # no key: scaling=delayed"},
    {"precision=mxfp8", "converters = [\"quantize.linear.mx\"]; [quantize.linear.mx]; "
                        "recipe_name = \"mxfp8_cublas\""},
    {"gradient-precision=fp32", "mixed_precision_reduce = \"float32\""},
    {"eager-optimizer=yes", "implementation = \"foreach\""},
    {"kernels=eager", "enable = false"},
    {"rank-order=pp-tp-cp-ep-dp", "# no key: rank-order=pp-tp-cp-ep-dp"},
};

static const Row deepspeed[] = {
    {"dp=4", "train_batch_size = 64; train_micro_batch_size_per_gpu = 1; "
             "gradient_accumulation_steps = 16; zero_optimization.stage = 0; bf16.enabled = true; "
             "optimizer.type = \"AdamW\"; data_types.grad_accum_dtype = \"bf16\""},
    {"", "# no key, but the model's own code: layers=16 hidden=512 heads=8 ffn=2048 seq=1024 "
         "vocab=1024"},
    {"precision=fp16", "fp16.enabled = true"},
    {"precision=fp32", "bf16.enabled = false; fp16.enabled = false"},
    {"precision=fp8", "# no key: precision=fp8"},
    {"gradient-precision=fp32", "data_types.grad_accum_dtype = \"fp32\""},
    {"tp=4", "tensor_parallel.autotp_size = 4; tensor_parallel.tp_overlap_comm = false"},
    {"tp=4 overlap-tp=bulk", "tensor_parallel.tp_overlap_comm = true"},
    {"tp=4 sequence-parallel=yes", "# no key: sequence-parallel=yes"},
    {"cp=2 cp-kind=ulysses dp=4", "sequence_parallel_size = 2; data_parallel_size = 4"},
    {"dp=4", "!data_parallel_size = 4"},
    {"cp=2", "# no key: cp=2; # no key: cp-kind=ring"},
    {EXPERTS "ep=4 dp=8", "expert_parallel.enabled = true; expert_parallel.autoep_size = 4; "
                          "expert_parallel.expert_tensor_parallel_size = 1"},
    {"pp=4", "pipeline.stages = 4; pipeline.partition = \"uniform\"; "
             "pipeline.activation_checkpoint_interval = 0"},
    {"pp=4 stage-layers=by-weight", "pipeline.partition = \"parameters\""},
    {"pp=4 stage-layers=3,5,5,3", "# no key: stage-layers=3,5,5,3"},
    {"pp=4 virtual-stages=2", "# no key: virtual-stages=2"},
    {"pp=4 recompute=full", "pipeline.activation_checkpoint_interval = 1"},
    {"recompute=full", "# no key: recompute=full"},
    {"pp=4 tp=2 scatter-gather=outputs", "pipeline.pipe_partitioned = true"},
    {"pp=4 tp=2 scatter-gather=no", "pipeline.pipe_partitioned = false"},
    {"dp=8 zero=1 overlap-dp=yes bucket=5000000-parameters zero-variant=deepspeed",
     "zero_optimization.stage = 1; zero_optimization.overlap_comm = true; "
     "zero_optimization.reduce_bucket_size = 5000000"},
    {"dp=8 zero=2 zero-variant=standard", "# no key: zero-variant=standard; "
                                          "zero_optimization.overlap_comm = false"},
    {"dp=8 zero=3 shard-degree=4", "zero_optimization.mics_shard_size = 4"},
    {"dp=8 zero=3 gather-unit=tensor gather-bucket=50000000 live-parameters=1000000000",
     "zero_optimization.stage3_prefetch_bucket_size = 50000000; "
     "zero_optimization.stage3_max_live_parameters = 1000000000"},
};

static const struct {
    const Row *rows;
    guint n;
    const LpExportRule *rules;
} tables[] = {
    [LP_EXPORT_MEGATRON] = {megatron, G_N_ELEMENTS(megatron), lp_export_megatron},
    [LP_EXPORT_TORCHTITAN] = {torchtitan, G_N_ELEMENTS(torchtitan), lp_export_torchtitan},
    [LP_EXPORT_DEEPSPEED] = {deepspeed, G_N_ELEMENTS(deepspeed), lp_export_deepspeed},
};

/* Lines of JSON: "path = value", and "# " before each remark. */
static void
flatten(GString *out, const char *path, json_t *node)
{
    const char *key;
    json_t *value;
    json_object_foreach (node, key, value) {
        g_autofree char *at = g_strconcat(path, *path != '\0' ? "." : "", key, NULL);
        if (json_is_object(value)) {
            flatten(out, at, value);
        } else if (json_is_array(value)) {
            for (size_t i = 0; i < json_array_size(value); i++)
                g_string_append_printf(out, "# %s\n", json_string_value(json_array_get(value, i)));
        } else {
            char *text = json_dumps(value, JSON_ENCODE_ANY);
            g_string_append_printf(out, "%s = %s\n", at, text);
            free(text);
        }
    }
}

/* The lines of the export with @settings. Returns: (transfer full). */
static char **
lines_of(const char *settings, LpExport format)
{
    g_autoptr(LpWorkload) workload = make(settings);
    g_autofree char *text = lp_plan_export(workload, format);
    if (format != LP_EXPORT_DEEPSPEED)
        return g_strsplit(text, "\n", -1);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    lp_test_true("JSON", root != NULL);
    g_autoptr(GString) flat = g_string_new(NULL);
    flatten(flat, "", root);
    json_decref(root);
    return g_strsplit(flat->str, "\n", -1);
}

static void
expect(const Row *row, LpExport format)
{
    g_auto(GStrv) lines = lines_of(row->settings, format);
    g_auto(GStrv) parts = g_strsplit(row->lines, "; ", -1);
    for (guint i = 0; parts[i] != NULL; i++) {
        /* A remark may have "; " itself. */
        gboolean rest = g_str_has_prefix(parts[i], "# on ");
        const char *part = rest ? row->lines : parts[i];
        gboolean wanted = *part != '!';
        g_autofree char *label =
            g_strdup_printf("%s: %s: %s", lp_export_names[format], row->settings, part);
        lp_test_true(label, g_strv_contains((const char *const *)lines, part + !wanted) == wanted);
        if (rest)
            break;
    }
}

static void
test_rows(void)
{
    for (LpExport format = 0; format < LP_N_EXPORTS; format++)
        for (guint i = 0; i < tables[format].n; i++)
            expect(&tables[format].rows[i], format);
}

/* Whether a row of @format expects a line that begins as @text does before its first value. */
static gboolean
is_expected(const char *text, LpExport format)
{
    g_autofree char *head = g_strndup(text, strcspn(text, "{"));
    const char *dot = format == LP_EXPORT_TORCHTITAN ? strchr(head, '=') : NULL;
    while (dot != NULL && dot > head && dot[-1] != '.')
        dot--;
    for (guint i = 0; i < tables[format].n; i++)
        if (strstr(tables[format].rows[i].lines, dot != NULL ? dot : head) != NULL)
            return TRUE;
    return FALSE;
}

/* Each thing that a rule can say is expected somewhere above, and rules name what there is. */
static void
test_rules(void)
{
    g_autoptr(LpWorkload) workload = make("pp=4 shard-degree=0 bucket=4-parameters recompute=full "
                                          "recompute-layers=1/2 " EXPERTS);
    for (LpExport format = 0; format < LP_N_EXPORTS; format++)
        for (const LpExportRule *rule = tables[format].rules; rule->attribute != NULL; rule++) {
            lp_test_true(rule->attribute, lp_attribute_find(rule->attribute, NULL) != NULL);
            g_auto(GStrv) texts = g_strsplit(rule->text, "; ", -1);
            for (guint i = 0; texts[i] != NULL; i++)
                lp_test_true(texts[i], is_expected(texts[i], format));
            g_auto(GStrv) conditions = g_strsplit(rule->when != NULL ? rule->when : "", " ", -1);
            for (guint i = 0; conditions[i] != NULL && *conditions[i] != '\0'; i++) {
                g_autofree char *name = g_strndup(conditions[i], strcspn(conditions[i], "!=>"));
                g_autofree char *value = lp_export_value(workload, name);
                lp_test_true(name, value != NULL || strncmp(name, "slice-", 6) == 0);
            }
        }
}

/* What a file or a setting gives is either said or listed, whatever it is. */
static void
test_nothing_is_lost(void)
{
    static const char *const settings[] = {
        "protocol=ll128", "algorithm-tp=tree", "dispatch-precision=fp8", "host-sync=passes",
        "window=256",     "document=512",      "gradient-copies=2",      "drop-gradients=yes",
    };
    for (LpExport format = 0; format < LP_N_EXPORTS; format++)
        for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
            g_auto(GStrv) lines = lines_of(settings[i], format);
            gboolean found = FALSE;
            for (guint k = 0; lines[k] != NULL; k++)
                found = found || (g_str_has_prefix(lines[k], "# no ") &&
                                  strstr(lines[k], settings[i]) != NULL);
            lp_test_true(settings[i], found);
        }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"rows", test_rows},
                                       {"rules", test_rules},
                                       {"nothing is lost", test_nothing_is_lost},
                                       {NULL, NULL}};
    return lp_test_run("plan export", cases);
}
