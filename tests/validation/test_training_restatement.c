/* SPDX-License-Identifier: Apache-2.0 */
/* What a row's columns become: attributes of a workload, and notes of what is inferred. */
#include "validation/cases/training_restatement.h"

#include "tests/testlib.h"
#include "tests/validation/training_row.h"

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
        {"block-scaled precision", "precision=mxfp8;accelerator=b200", "precision=mxfp8", NULL},
        {"four bits", "precision=fp4;accelerator=b200", "precision=nvfp4", "in place of fp4"},
        {"a precision by its long name", "precision=bfloat16", "precision=bf16",
         "precision bf16: in place of bfloat16"},
        {"replicas of something else", "dp=2", "dp=4",
         "dp 4: the accelerators over tp, pp and cp, not 2"},
        {"an accelerator by its words", "accelerator=NVIDIA A100-SXM4-80GB cluster", "tp=2",
         "accelerator a100-80: by the words of"},
        {"no precision", "precision=", "precision=bf16", "precision bf16"},
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
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_training_row_expect(rows[i].label, rows[i].changes, rows[i].attributes, rows[i].note);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"rules", test_rules}, {NULL, NULL}};
    return lp_test_run("training restatement", cases);
}
