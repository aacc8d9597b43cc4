/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs' words: each means an attribute that there is, in whichever spelling. */
#include "workloads/description/foreign_words.h"

#include "base/error.h"
#include "tests/testlib.h"
#include "workloads/description/attribute.h"
#include "workloads/description/workload.h"

#include <string.h>

static void
test_table(void)
{
    const char *word = NULL, *attribute = NULL;
    guint n = 0;
    for (; lp_foreign_word_at(n, &word, &attribute); n++) {
        lp_test_true(word, lp_attribute_find(attribute, NULL) != NULL);
        lp_test_text(word, lp_foreign_word_attribute(word), attribute);
    }
    lp_test_true("many", n > 150);
}

static void
test_spellings(void)
{
    static const struct {
        const char *word, *attribute;
    } rows[] = {
        {"batch", "global-batch"},
        {"mbs", "micro-batch"},
        {"gbs", "global-batch"},
        {"tensor-parallel", "tp"},
        {"tensor_parallel_size", "tp"},
        {"--tensor-model-parallel-size", "tp"},
        {"tensor_parallel_degree", "tp"},
        {"pipeline-parallel", "pp"},
        {"data-parallel", "dp"},
        {"context_parallel_size", "cp"},
        {"Expert-Parallel", "ep"},
        {"sequence_length", "seq"},
        {"seq_len", "seq"},
        {"num_layers", "layers"},
        {"num_hidden_layers", "layers"},
        {"hidden_size", "hidden"},
        {"intermediate_size", "ffn"},
        {"num_key_value_heads", "kv-heads"},
        {"vocab_size", "vocab"},
        {"train_micro_batch_size_per_gpu", "micro-batch"},
        {"zero_optimization.stage", "zero"},
        {"activation_checkpoint.mode", "recompute"},
        {"local_batch_size", "micro-batch"},
        {"overlap_p2p_comm", "overlap-pp"},
        {"--overlap-p2p-communication-warmup-flush", "overlap-pp"},
        {"nonsense", NULL},
        {"", NULL},
        {"-size", NULL},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_text(rows[i].word, lp_foreign_word_attribute(rows[i].word), rows[i].attribute);
    g_autoptr(GError) error = NULL;
    lp_test_true("unknown", lp_attribute_find("tensor-parallel", &error) == NULL);
    lp_test_error("unknown", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                  "unknown attribute \"tensor-parallel\", the nearest known one is \"tp\"");
}

/* Another program's word for a value sets all that it says, whoever gives it. */
static void
test_values(void)
{
    static const struct {
        const char *name, *word, *wanted; /* "name=value name=value" */
    } rows[] = {
        {"zero", "FULL_SHARD", "zero=3 reshard=yes shard-degree=0"},
        {"zero", "ShardingStrategy.SHARD_GRAD_OP", "zero=3 reshard=no"},
        {"zero", "hybrid_shard", "zero=3 shard-degree=domains reshard=yes"},
        {"zero", "_HYBRID_SHARD_ZERO2", "zero=3 shard-degree=domains reshard=no"},
        {"zero", "NO_SHARD", "zero=0"},
        {"zero", "ZeRO-2", "zero=2"},
        {"zero", "1", "zero=1"},
        {"framework", "PyTorch DDP", "framework=ddp"},
        {"framework", "HYBRID_SHARD", "framework=fsdp zero=3 shard-degree=domains"},
        {"framework", "fsdp", "framework=fsdp"},
        {"framework", "TorchTitan", "framework=torchtitan"},
        {"framework", "verl (v0.4)", "framework=verl"},
        {"framework", "prime-rl@559b4477", "framework=prime-rl"},
        {"framework", "Axolotl 0.9.2", "framework=transformers-ddp"},
        {"framework", "LLaMA-Factory", "framework=transformers-ddp"},
        {"framework", "HF Trainer", "framework=transformers-ddp"},
        {"framework", "NeMo", "framework=megatron-core"},
        {"framework", "NeMo 24.07", "framework=megatron-core-2024"},
        {"framework", "NeMo 25.09.01", "framework=megatron-core-2025-09"},
        {"framework", "OpenRLHF", "framework=transformers-deepspeed zero=2"},
        {"framework", "DeepSpeed ZeRO-3", "framework=deepspeed zero=3"},
        {"zero", "zero3", "zero=3"},
        {"zero", "stage 2", "zero=2"},
        {"zero", "ZeRO stage 1", "zero=1"},
        {"attention", "FA2", "attention=flash attention-kernel=flash-2"},
        {"attention", "flash-1", "attention=flash attention-kernel=flash-1"},
        {"attention", "SDPBackend.EFFICIENT_ATTENTION", "attention=flash attention-kernel=flash-1"},
        {"attention", "xformers", "attention=flash attention-kernel=flash-1"},
        {"attention", "triton", "attention=flash attention-kernel=triton"},
        {"attention", "flash_attention_2", "attention=flash attention-kernel=flash-2"},
        {"attention", "FlashAttention-3", "attention=flash attention-kernel=vendor"},
        {"attention", "kernels-community/flash-attn3", "attention=flash attention-kernel=vendor"},
        {"attention", "FA4", "attention=flash attention-kernel=vendor"},
        {"attention", "cuDNN", "attention=flash attention-kernel=vendor"},
        {"attention", "flex", "attention=flash attention-kernel=flash-2"},
        {"attention", "sdpa", "attention=flash attention-kernel=torch"},
        {"attention", "flash", "attention=flash attention-kernel=auto"},
        {"attention", "eager", "attention=unfused attention-kernel=auto"},
        {"attention-kernel", "sdpa", "attention=flash attention-kernel=torch"},
        {"attention-kernel", "unfused", "attention-kernel=unfused"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpWorkload) workload = g_new0(LpWorkload, 1);
        lp_attribute_set_defaults(workload);
        const LpAttribute *given = lp_attribute_find(rows[i].name, NULL);
        lp_test_true(rows[i].word,
                     lp_attribute_set(given, workload, rows[i].word, LP_ORIGIN_SETTING, NULL));
        g_auto(GStrv) wanted = g_strsplit(rows[i].wanted, " ", -1);
        for (guint k = 0; wanted[k] != NULL; k++) {
            g_auto(GStrv) pair = g_strsplit(wanted[k], "=", 2);
            g_autofree char *value = lp_attribute_get(lp_attribute_find(pair[0], NULL), workload);
            lp_test_text(rows[i].word, value, pair[1]);
        }
        lp_test_true(rows[i].word, lp_attribute_origin(given, workload) == LP_ORIGIN_SETTING);
    }
    static const char *const refused[][3] = {
        {"attention", "FA9", "\"FA9\" is not one of unfused, flash"},
        {"zero", "HALF_SHARD", "\"HALF_SHARD\" is not a whole number"},
        {"zero", "4", "\"4\" is out of range"},
        {"framework", "TorchDPP", "\"TorchDPP\" is not one of"},
        {"framework", "Llama.c", "\"Llama.c\" is not one of"},
        {"framework", "veScale 1.0",
         "got \"veScale 1.0\", which is not modelled; the nearest is \"torchtitan\""},
        {"zero", "ZeRO-3 offload", "which is not modelled; the nearest is \"3\""},
        {"precision", "FA2", "\"FA2\" is not one of"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_autoptr(LpWorkload) workload = g_new0(LpWorkload, 1);
        g_autoptr(GError) error = NULL;
        const LpAttribute *given = lp_attribute_find(refused[i][0], NULL);
        lp_test_true(refused[i][1],
                     !lp_attribute_set(given, workload, refused[i][1], LP_ORIGIN_SETTING, &error));
        lp_test_true(refused[i][1], error != NULL && strstr(error->message, refused[i][2]) != NULL);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"the table", test_table},
                                       {"spellings", test_spellings},
                                       {"values", test_values},
                                       {NULL, NULL}};
    return lp_test_run("foreign words", cases);
}
