/* SPDX-License-Identifier: Apache-2.0 */
/* What a row's columns become: attributes of a workload, and notes of what is inferred. */
#include "validation/cases/training_restatement.h"

#include "tests/testlib.h"
#include "tests/validation/training_row.h"

/* Sixteen experts on two domains of eight. */
#define EXPERTS FLASH "tp=1;pp=1;dp=16;ep=16;experts=16;micro_batch=1;"

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
         "framework=none scatter-gather=no schedule=1f1b library=auto overlap-dp=no overlap-tp=no "
         "host-sync=none kernels=fused slowdown=1",
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
        {"no framework stated", "framework=", "framework=none host-sync=none",
         "framework none: nothing is stated"},
        {"a framework's habits", "framework=megatron-lm-2021",
         "framework=megatron-lm-2021 scatter-gather=yes host-sync=passes overlap-tp=no", NULL},
        {"and against them", "framework=megatron-lm-2021;set=host-sync=none overlap-tp=bulk",
         "host-sync=none overlap-tp=bulk scatter-gather=yes", NULL},
        {"beyond them", "set=kernels=eager", "framework=none kernels=eager", NULL},
        {"what a column states beats them", "framework=megatron-core;sequence_parallel=no",
         "sequence-parallel=no overlap-tp=no", "virtual stages 12: the framework's habit"},
        {"virtual stages left out are the framework's", FLASH "framework=megatron-core",
         "virtual-stages=12 overlap-pp=yes schedule=interleaved",
         "virtual stages 12: the framework's habit; one takes +"},
        {"and stated ones are not", FLASH "framework=megatron-core;virtual_stages=1",
         "virtual-stages=1 overlap-pp=no host-sync=messages", NULL},
        {"more slices than layers", "layers=4;virtual_stages=5;micro_batch=1", "virtual-stages=2",
         "virtual stages 2: as many as there are layers for"},
        /* GPT of 22 layers in 24 slices (Qi et al., arXiv 2401.10241, table 3). */
        {"slices of embedding and logits", "layers=22;virtual_stages=12;micro_batch=1",
         "virtual-stages=12 stage-layers=with-ends", "stage-layers with-ends"},
        /* DeepSeek-V3's 61 layers in 16 slices are listed. */
        {"slices that never are equal", "layers=13;virtual_stages=2;micro_batch=1",
         "virtual-stages=2 stage-layers=balanced", "stage-layers balanced"},
        {"nor where the framework has a list of its own",
         "framework=megatron-core;layers=13;virtual_stages=2;micro_batch=1;set=mtp-layers=1",
         "virtual-stages=2 stage-layers=front", NULL},
        {"but where the framework deals layers itself",
         "framework=nanotron;layers=14;pp=8;dp=1;micro_batch=1", "stage-layers=by-weight", NULL},
        {"a source that is a framework's own", "source=InternEvo tables;framework=megatron-core",
         "framework=internevo kernels=eager overlap-dp=yes overlap-param=no",
         "framework internevo: the source is named so"},
        {"and one like another but for its attention",
         "source=MosaicML llm-foundry benchmarking;framework=fsdp",
         "framework=llm-foundry attention-kernel=triton overlap-dp=yes kernels=eager",
         "framework llm-foundry: the source is named so"},
        {"DeepSpeed's stages keep what they send", "framework=deepspeed",
         "scatter-gather=outputs host-sync=passes overlap-tp=no", NULL},
        {"but not without tensor parallelism", "framework=deepspeed;tp=1;dp=8",
         "scatter-gather=no host-sync=passes", NULL},
        {"and one whose scripts block launches", "source=BigScience BLOOM;framework=deepspeed",
         "framework=bigscience host-sync=kernels", "framework bigscience: the source is named so"},
        {"a container has its version of a framework",
         FLASH "where=26.06.01 NeMo Container;framework=megatron-core;virtual_stages=1",
         "framework=megatron-core-2026 overlap-dp=yes", "of NeMo container 26.06.01"},
        {"and an older one the older",
         FLASH "where=24.07 NeMo Container;framework=megatron-core;virtual_stages=1",
         "framework=megatron-core", NULL},
        {"a publication too",
         FLASH "source=NVIDIA dgxc-benchmarking;framework=megatron-core;precision=bf16;"
               "virtual_stages=1",
         "framework=megatron-core-2025-04 fused-loss=yes gradient-precision=fp32",
         "framework megatron-core-2025-04: of that publication"},
        {"gradients are summed in 16 bits from then on",
         FLASH "where=25.09 NeMo Container;framework=megatron-core;precision=bf16;"
               "virtual_stages=1",
         "framework=megatron-core-2025-09 gradient-precision=bf16", "of NeMo container 25.09"},
        {"of that framework alone", "where=26.06 NeMo Container", "framework=none", NULL},
        {"block-scaled precision", "precision=mxfp8;accelerator=b200", "precision=mxfp8", NULL},
        {"four bits", "precision=fp4;accelerator=b200", "precision=nvfp4", "in place of \"fp4\""},
        {"a precision by its long name", "precision=bfloat16", "precision=bf16",
         "precision bf16: in place of \"bfloat16\""},
        {"accelerators left over", "accelerators=18", "dp=4", "not 4"},
        {"heads that tp does not divide", "heads=25;hidden=1600;ffn=6400;tp=4;dp=2",
         "heads=28 head-width=64 kv-heads=28", "heads 28: 25 do not divide by tp"},
        {"keys' heads that tp does not divide",
         "heads=24;hidden=3072;ffn=8192;kv_heads=3;tp=2;ffn_kind=swiglu", "heads=24 kv-heads=4",
         "kv-heads 4: 3 neither divide tp"},
        {"a network that tp does not divide", "ffn=8191", "ffn=8192", "ffn 8192: 8191"},
        {"sequences that cp does not divide", "seq=2047;cp=2;dp=2", "seq=2048", "seq 2048: 2047"},
        {"experts that ep does not divide", "experts=6;ep=4", "ep=2", "ep 2: 4 divides neither"},
        {"a batch that dp does not divide", "global_batch=62", "global-batch=64",
         "global-batch 64: 62 do not divide by dp"},
        {"a last pass that is shorter", "global_batch=48;micro_batch=5",
         "global-batch=48 micro-batch=4", "micro-batch 4: a replica's 12 sequences"},
        {"and one that is shorter with any micro-batch", "global_batch=68;micro_batch=4",
         "global-batch=72 micro-batch=3", "global-batch 72: 68 do not divide by the micro-batch"},
        {"a last round of micro-batches that is shorter",
         "virtual_stages=2;global_batch=20;micro_batch=1;pp=4;dp=2;layers=24",
         "virtual-stages=2 global-batch=24",
         "global-batch 24: 10 micro-batches are no multiple of the stages"},
        {"virtual stages without stages", "pp=1;dp=8;virtual_stages=2;micro_batch=1",
         "virtual-stages=1", "virtual stages 1"},
        {"heads left out", "heads=", "heads=16", "heads 16: of 128"},
        {"recomputation by another word", "recompute=uniform", "recompute=full",
         "recompute full: in place of \"uniform\""},
        {"a count with a point", "global_batch=1024.0", "global-batch=1024",
         "global_batch 1024: in place of \"1024.0\""},
        {"a framework by another name", "framework=NeMo", "framework=megatron-core",
         "framework megatron-core: in place of \"NeMo\""},
        {"one that is not known", "framework=abacus", "framework=none",
         "framework none: nothing is known of \"abacus\""},
        {"states shared where they fit only so",
         "layers=32;hidden=4096;heads=32;ffn=16384;tp=1;pp=1;dp=16;micro_batch=1;zero=", "zero=1",
         "zero 1: the plan does not fit without"},
        {"and parameters where nothing else helps",
         "layers=60;hidden=8192;heads=64;ffn=32768;tp=1;pp=1;dp=16;micro_batch=1;zero=", "zero=3",
         "zero 3: the plan does not fit without"},
        {"heads wider than the model over their number", "note=head_dim 256 (differs)",
         "head-width=256", "head-width 256: its note says so"},
        {"but not against what is set", "note=head_dim 256;set=head-width=64", "head-width=64",
         NULL},
        {"slots that are padded", "note=dropping capacity factor 1.25;experts=8;tp=1;pp=1;dp=16",
         "capacity-factor=1.25", "capacity-factor 1.25: its note says so"},
        {"what recipes recompute",
         "model=DeepSeek-V2-Lite;where=26.02 NeMo Container;tp=1;pp=1;dp=16;ep=8;micro_batch=1;"
         "global_batch=16;framework=megatron-core;accelerator=b300;zero=1;precision=bf16;"
         "recompute=",
         "recompute=selective selective=latent", "recompute selective: the framework's habit"},
        {"tokens that are dropped", "model=Mixtral-8x7B (tokendrop);tp=1;pp=1;dp=16",
         "capacity-factor=1", "capacity-factor 1: the model's name says that tokens are dropped"},
        {"compiled, whatever was read", FLASH "note=2 nodes with torch.compile;set=kernels=eager",
         "kernels=fused", "kernels fused: torch.compile is stated"},
        {"or not", FLASH "note=no compile;set=kernels=eager", "kernels=eager", NULL},
        {"or said not to be", FLASH "note=2 nodes without torch.compile;set=kernels=eager",
         "kernels=eager", NULL},
        {"hybrid sharding is inside domains",
         FLASH "note=HSDP;zero=3;tp=1;pp=1;dp=16;micro_batch=1", "shard-degree=8",
         "shard-degree 8: its note says how many replicas share states"},
        {"so many replicas share states",
         FLASH "note=zero1=4 (inside node);zero=1;tp=1;pp=1;dp=16;micro_batch=1", "shard-degree=4",
         "shard-degree 4: its note says how many replicas share states"},
        {"or all do", FLASH "note=zero1=-1;zero=1;tp=1;pp=1;dp=16;micro_batch=1", "shard-degree=0",
         NULL},
        {"tokens that DeepEP relays", EXPERTS "note=DeepEP", "ep-relay=domains",
         "ep-relay domains: DeepEP is stated"},
        {"or HybridEP, beside computing", EXPERTS "overlap=HybridEP with 1F1B", "ep-relay=domains",
         "ep-relay domains: HybridEP is stated"},
        {"or not", EXPERTS "note=without DeepEP", "ep-relay=1", "top-k 2"},
        {"nothing to relay", FLASH "note=DeepEP", "ep-relay=1", NULL},
        {"selective of whole layers, by FLOP", FLASH "recompute=selective;note=MFU 0.55 HFU 0.61",
         "recompute=full recompute-layers=33/100", "recompute full of 33/100 of the layers"},
        {"all of them, at most", FLASH "recompute=selective;note=MFU 0.55 HFU 0.77",
         "recompute=full recompute-layers=100/100", "of 100/100"},
        {"but scores where attention keeps them", "recompute=selective;note=MFU 0.55 HFU 0.61",
         "recompute=selective recompute-layers=all", NULL},
        {"a policy of XLA, whatever it is counted as",
         FLASH "recompute=full;recompute_as_stated=qkv_proj_offloaded",
         "recompute=selective selective=norms,ffn,attention,projection",
         "recompute selective of norms,attention,projection,ffn: what \"qkv_proj_offloaded\" does "
         "not keep"},
        {"and offloads",
         FLASH "recompute=full;recompute_as_stated=custom: layer input and q,k,v projections "
               "offloaded to host, rest recomputed",
         "selective=norms,ffn,attention,projection offload-inputs=yes", NULL},
        {"by its own words", FLASH "recompute=none;recompute_as_stated=minimal",
         "recompute=selective selective=norms,attention,activation", "what \"minimal\" does"},
        {"but not by a word among others", FLASH "recompute=none;recompute_as_stated=minimal use",
         "recompute=none selective=core", NULL},
        {"replicas of something else", "dp=2", "dp=4",
         "dp 4: the accelerators over tp, pp and cp, not 2"},
        {"an accelerator by its words", "accelerator=NVIDIA A100-SXM4-80GB cluster", "tp=2",
         "accelerator a100-80: by the words of"},
        {"no precision", "precision=", "precision=bf16", "precision bf16"},
        {"experts whose routing is not limited are not relayed",
         FLASH "framework=megatron-core;accelerators=64;tp=1;pp=1;dp=64;ep=16;experts=32;"
               "micro_batch=1",
         "ep-relay=1", "top-k 2"},
        {"a layer",
         "kind=layer;layers=1;vocab=;accelerators=8;tp=8;pp=1;dp=1;micro_batch=4;"
         "global_batch=4",
         "layers=1 embedding=no optimizer=none", NULL},
        {"a public model", "model=LLAMA3_8B (w/ MTP);layers=;hidden=;heads=;vocab=;tied=",
         "layers=32 hidden=4096 heads=32 kv-heads=8 ffn=14336 ffn-kind=swiglu vocab=128256 "
         "tied-embeddings=no positions=rotary",
         "shape: that of Llama 3 8B"},
        {"its plan is not taken", "model=Qwen3_30B_a3B;layers=;hidden=;heads=;vocab=;tied=",
         "experts=128 top-k=8 overlap-dp=no bucket=all", "shape: that of Qwen 3 30B"},
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
