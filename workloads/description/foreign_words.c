/* SPDX-License-Identifier: Apache-2.0 */
/* The table of other programs' words, with the places that they were read in. */
#include "workloads/description/foreign_words.h"

#include <string.h>

typedef struct {
    const char *word, *attribute;
} Word;

/* Several attributes may follow from one word; the table has the one that says it directly. */
static const Word words[] = {
    /* What people say; names of ours stand here for their other ends. */
    {"bucket", "bucket"},
    {"cp", "cp"},
    {"dp", "dp"},
    {"ep", "ep"},
    {"experts", "experts"},
    {"ffn", "ffn"},
    {"hidden", "hidden"},
    {"pp", "pp"},
    {"seq", "seq"},
    {"tp", "tp"},
    {"zero", "zero"},
    {"accumulation", "global-batch"},
    {"accumulation-steps", "global-batch"},
    {"activation-checkpointing", "recompute"},
    {"attention-heads", "heads"},
    {"batch", "global-batch"},
    {"bs", "global-batch"},
    {"checkpointing", "recompute"},
    {"context", "cp"},
    {"context-length", "seq"},
    {"context-parallel", "cp"},
    {"context-parallelism", "cp"},
    {"data", "dp"},
    {"data-parallel", "dp"},
    {"data-parallelism", "dp"},
    {"ddp", "dp"},
    {"dtype", "precision"},
    {"embedding-dim", "hidden"},
    {"etp", "expert-tp"},
    {"expert-parallel", "ep"},
    {"expert-parallelism", "ep"},
    {"fsdp", "zero"},
    {"ga", "global-batch"},
    {"gas", "global-batch"},
    {"gbs", "global-batch"},
    {"grad-accum", "global-batch"},
    {"gradient-accumulation", "global-batch"},
    {"hidden-dim", "hidden"},
    {"kv-head", "kv-heads"},
    {"layer", "layers"},
    {"max-seq-len", "seq"},
    {"mb", "micro-batch"},
    {"mbs", "micro-batch"},
    {"microbatch", "micro-batch"},
    {"model-parallel", "tp"},
    {"mp", "tp"},
    {"n-experts", "experts"},
    {"parallel-folding", "expert-tp"},
    {"pipeline", "pp"},
    {"pipeline-parallel", "pp"},
    {"pipeline-parallelism", "pp"},
    {"replicas", "dp"},
    {"seqlen", "seq"},
    {"seq-len", "seq"},
    {"sequence", "seq"},
    {"sequence-length", "seq"},
    {"sp", "sequence-parallel"},
    {"stages", "pp"},
    {"tensor", "tp"},
    {"tensor-parallel", "tp"},
    {"tensor-parallelism", "tp"},
    {"vpp", "virtual-stages"},
    {"vp", "virtual-stages"},
    {"zero-stage", "zero"},
    /* Megatron-LM, megatron/training/arguments.py and megatron/core/transformer/
       transformer_config.py. */
    {"attention-backend", "attention-kernel"},
    {"bf16", "precision"},
    {"decoder-seq-length", "decoder-seq"},
    {"expert-model-parallel", "ep"},
    {"expert-tensor-parallel", "expert-tp"},
    {"ffn-hidden", "ffn"},
    {"fp16", "precision"},
    {"fp8", "precision"},
    {"fp8-format", "precision"},
    {"global-batch", "global-batch"},
    {"grad-reduce-in-fp32", "gradient-precision"},
    {"accumulate-allreduce-grads-in-fp32", "gradient-precision"},
    {"kv-channels", "head-width"},
    {"kv-lora-rank", "kv-rank"},
    {"make-vocab-size-divisible-by", "vocab"},
    {"max-position-embeddings", "seq"},
    {"micro-batch", "micro-batch"},
    {"moe-expert-capacity-factor", "capacity-factor"},
    {"moe-ffn-hidden", "expert-ffn"},
    {"moe-layer-freq", "expert-every"},
    {"moe-router-group-topk", "group-limit"},
    {"moe-router-num-groups", "expert-groups"},
    {"moe-router-topk", "top-k"},
    {"moe-shared-expert-intermediate", "shared-experts"},
    {"mtp-num-layers", "mtp-layers"},
    {"normalization", "norm"},
    {"num-attention-heads", "heads"},
    {"num-distributed-optimizer-instances", "shard-degree"},
    {"num-experts", "experts"},
    {"num-layers", "layers"},
    {"num-layers-per-virtual-pipeline-stage", "virtual-stages"},
    {"num-query-groups", "kv-heads"},
    {"num-virtual-stages-per-pipeline-rank", "virtual-stages"},
    {"optimizer-cpu-offload", "optimizer"},
    {"overlap-grad-reduce", "overlap-dp"},
    {"overlap-moe-expert-parallel-comm", "overlap-ep"},
    {"overlap-p2p-comm", "overlap-pp"},
    {"overlap-p2p-communication", "overlap-pp"},
    {"overlap-p2p-communication-warmup-flush", "overlap-pp"},
    {"overlap-param-gather", "overlap-param"},
    {"padded-vocab", "vocab"},
    {"params-dtype", "precision"},
    {"pipeline-model-parallel", "pp"},
    {"pipeline-model-parallel-layout", "stage-layers"},
    {"position-embedding-type", "positions"},
    {"q-lora-rank", "query-rank"},
    {"qk-head-dim", "head-width"},
    {"qk-pos-emb-head-dim", "rope-width"},
    {"recompute-activations", "recompute"},
    {"recompute-granularity", "recompute"},
    {"recompute-modules", "selective"},
    {"recompute-num-layers", "recompute-layers"},
    {"seq-length", "seq"},
    {"sequence-parallel", "sequence-parallel"},
    {"swiglu", "ffn-kind"},
    {"tensor-model-parallel", "tp"},
    {"tp-comm-overlap", "overlap-tp"},
    {"untie-embeddings-and-output-weights", "tied-embeddings"},
    {"use-distributed-optimizer", "zero"},
    {"use-flash-attn", "attention"},
    {"v-head-dim", "value-width"},
    {"virtual-pipeline-model-parallel", "virtual-stages"},
    {"vocab", "vocab"},
    {"window", "window"},
    /* DeepSpeed, docs/_pages/config-json.md. */
    {"allgather-bucket", "gather-bucket"},
    {"autotp", "tp"},
    {"gradient-accumulation-steps", "global-batch"},
    {"overlap-comm", "overlap-dp"},
    {"reduce-bucket", "bucket"},
    {"stage", "zero"},
    {"stage3-max-live-parameters", "live-parameters"},
    {"stage3-prefetch-bucket", "gather-ahead"},
    {"train-batch", "global-batch"},
    {"train-micro-batch-size-per-gpu", "micro-batch"},
    {"zero-hpz-partition", "shard-degree"},
    {"zero-optimization", "zero"},
    {"zero-optimization-stage", "zero"},
    /* torchtitan, torchtitan/config/job_config.py of 2025 and configs.py of August 2026. */
    {"activation-checkpoint", "recompute"},
    {"activation-checkpoint-mode", "recompute"},
    {"data-parallel-replicate", "dp"},
    {"data-parallel-shard", "shard-degree"},
    {"dim", "hidden"},
    {"enable-async-tensor-parallel", "overlap-tp"},
    {"enable-sequence-parallel", "sequence-parallel"},
    {"fsdp-reshard-after-forward", "reshard"},
    {"local-batch", "micro-batch"},
    {"mixed-precision-param", "precision"},
    {"mixed-precision-reduce", "gradient-precision"},
    {"n-heads", "heads"},
    {"n-kv-heads", "kv-heads"},
    {"n-layers", "layers"},
    {"pipeline-parallel-first-stage-less-layers", "stage-layers"},
    {"pipeline-parallel-last-stage-less-layers", "stage-layers"},
    {"pipeline-parallel-layers-per-stage", "virtual-stages"},
    {"pipeline-parallel-microbatch", "micro-batch"},
    {"pipeline-parallel-schedule", "schedule"},
    {"reshard-after-forward", "reshard"},
    {"selective-ac-option", "selective"},
    /* Configurations of Hugging Face, and its Trainer. */
    {"attn-implementation", "attention-kernel"},
    {"first-k-dense-replace", "dense-layers"},
    {"gradient-checkpointing", "recompute"},
    {"head-dim", "head-width"},
    {"hidden-act", "ffn-kind"},
    {"intermediate", "ffn"},
    {"moe-intermediate", "expert-ffn"},
    {"n-ctx", "seq"},
    {"n-embd", "hidden"},
    {"n-group", "expert-groups"},
    {"n-head", "heads"},
    {"n-inner", "ffn"},
    {"n-layer", "layers"},
    {"n-positions", "seq"},
    {"n-routed-experts", "experts"},
    {"n-shared-experts", "shared-experts"},
    {"num-experts-per-tok", "top-k"},
    {"num-heads", "heads"},
    {"num-hidden-layers", "layers"},
    {"num-key-value-heads", "kv-heads"},
    {"num-kv-heads", "kv-heads"},
    {"num-local-experts", "experts"},
    {"num-nextn-predict-layers", "mtp-layers"},
    {"per-device-train-batch", "micro-batch"},
    {"qk-nope-head-dim", "head-width"},
    {"qk-rope-head-dim", "rope-width"},
    {"sliding-window", "window"},
    {"tie-word-embeddings", "tied-embeddings"},
    {"topk-group", "group-limit"},
    {"torch-dtype", "precision"},
};

/* Ends that say nothing of their own. */
static const char *const ends[] = {"-size", "-degree", "-dim", "-degrees", "-world-size"};

gboolean
lp_foreign_word_at(guint index, const char **out_word, const char **out_attribute)
{
    if (index >= G_N_ELEMENTS(words))
        return FALSE;
    *out_word = words[index].word;
    *out_attribute = words[index].attribute;
    return TRUE;
}

static const char *
find(const char *word)
{
    for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].attribute;
    return NULL;
}

const char *
lp_foreign_word_attribute(const char *word)
{
    g_autofree char *plain = g_ascii_strdown(word + strspn(word, "-"), -1);
    (void)g_strdelimit(plain, "_.", '-');
    const char *attribute = find(plain);
    for (gsize i = 0; attribute == NULL && i < G_N_ELEMENTS(ends); i++) {
        if (!g_str_has_suffix(plain, ends[i]))
            continue;
        g_autofree char *stem = g_strndup(plain, strlen(plain) - strlen(ends[i]));
        attribute = find(stem);
    }
    return attribute;
}
