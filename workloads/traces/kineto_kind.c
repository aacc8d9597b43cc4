/* SPDX-License-Identifier: Apache-2.0 */
/* A table of words. */
#include "workloads/traces/kineto_kind.h"

#include <string.h>

const char *const lp_kineto_kind_names[] = {"products", "attention",     "others",
                                            "copies",   "communication", NULL};

/* What DeepEP's and other kernels of experts are called (github.com/deepseek-ai/DeepEP, csrc). */
static const char *const expert_words[] = {"ep::internode", "ep::intranode", "deep_ep", NULL};

/* The first word that a name has decides: attention's kernels are made of products, too. Of NCCL,
 * RCCL, NVSHMEM, cuBLAS, CUTLASS, cuDNN, hipBLASLt, FlashAttention, and of PyTorch's compiler,
 * whose fused kernels are called by all that they do: "tem" are those that hold a product. */
static const struct {
    const char *word; /* in lower case */
    LpKinetoKind kind;
} words[] = {{"triton_poi", LP_KINETO_OTHERS},   {"triton_red", LP_KINETO_OTHERS},
             {"triton_per", LP_KINETO_OTHERS},   {"nccl", LP_KINETO_COMMUNICATION},
             {"rccl", LP_KINETO_COMMUNICATION},  {"nvshmem", LP_KINETO_COMMUNICATION},
             {"memcpy", LP_KINETO_COPIES},       {"memset", LP_KINETO_COPIES},
             {"flash", LP_KINETO_ATTENTION},     {"fmha", LP_KINETO_ATTENTION},
             {"attention", LP_KINETO_ATTENTION}, {"attn", LP_KINETO_ATTENTION},
             {"sdpa", LP_KINETO_ATTENTION},      {"triton_tem", LP_KINETO_PRODUCTS},
             {"gemm", LP_KINETO_PRODUCTS},       {"cutlass", LP_KINETO_PRODUCTS},
             {"cublas", LP_KINETO_PRODUCTS},     {"xmma", LP_KINETO_PRODUCTS},
             {"nvjet", LP_KINETO_PRODUCTS},      {"cijk_", LP_KINETO_PRODUCTS},
             {"convert", LP_KINETO_OTHERS},      {"conv", LP_KINETO_PRODUCTS},
             {"scudnn", LP_KINETO_PRODUCTS},     {"dgrad", LP_KINETO_PRODUCTS},
             {"wgrad", LP_KINETO_PRODUCTS},      {"winograd", LP_KINETO_PRODUCTS},
             {"matmul", LP_KINETO_PRODUCTS}};

static gboolean
has_expert_word(const char *low)
{
    for (guint i = 0; expert_words[i] != NULL; i++)
        if (strstr(low, expert_words[i]) != NULL)
            return TRUE;
    return FALSE;
}

LpKinetoKind
lp_kineto_kind_of(const char *name)
{
    g_autofree char *low = g_ascii_strdown(name, -1);
    if (has_expert_word(low))
        return LP_KINETO_COMMUNICATION;
    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        if (strstr(low, words[i].word) != NULL)
            return words[i].kind;
    return LP_KINETO_OTHERS;
}

gboolean
lp_kineto_kind_is_expert(const char *name)
{
    g_autofree char *low = g_ascii_strdown(name, -1);
    return has_expert_word(low);
}
