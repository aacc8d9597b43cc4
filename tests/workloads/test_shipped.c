/* SPDX-License-Identifier: Apache-2.0 */
/* Shipped workloads: each has as many parameters as its publication says, and its size. */
#include "base/file.h"
#include "tests/testlib.h"
#include "workloads/description/workload.h"

/* What a publication counts. */
typedef enum {
    ALL,
    LAYERS, /* without embedding, logits and final norm */
} Counted;

typedef struct {
    const char *name;
    guint32 n_ranks;
    double published;
    double tolerance;
    guint32 vocab; /* as published, where the file pads it further; 0: as in the file */
    Counted counted;
    const char *source;
} Row;

/* Norms of queries and keys, pooling heads, relative positions and the like, which a workload
 * leaves out, are below 0.5 %. */
#define EXACT 5e-3
/* Half a unit of the last digit that is printed, where that is coarser. */
#define ROUNDED(half_unit, published) ((half_unit) / (published))

#define BROWN "Brown et al., arXiv 2005.14165, table 2.1"
#define NARAYANAN "Narayanan et al., SC 2021, table 1"
#define PYTHIA "the same shape in Biderman et al., arXiv 2304.01373, table 1, without embeddings"
#define SAFETENSORS "tensors of the named Hugging Face repository: "

static const Row rows[] = {
    {"gpt3-125m", 8, 125e6, EXACT, 50257, ALL, BROWN},
    /* 355.9 million come from the table's own shape. */
    {"gpt3-350m", 8, 350e6, 0.017, 50257, ALL, BROWN},
    {"gpt3-760m", 16, 760e6, EXACT, 50257, ALL, BROWN},
    {"gpt3-1.3b", 32, 1.3e9, ROUNDED(0.05, 1.3), 50257, ALL, BROWN},
    {"gpt3-2.7b", 64, 2.7e9, ROUNDED(0.05, 2.7), 50257, ALL, BROWN},
    {"gpt3-6.7b", 128, 6.7e9, ROUNDED(0.05, 6.7), 50257, ALL, BROWN},
    /* 12.95 billion with the table's width of 5,140, which its heads do not divide. */
    {"gpt3-13b", 256, 13.0e9, 0.012, 50257, ALL, BROWN},
    {"gpt3-175b", 1024, 175.0e9, EXACT, 50257, ALL, BROWN},
    {"megatron-1.7b", 32, 1.7e9, ROUNDED(0.05, 1.7), 0, ALL, NARAYANAN},
    {"megatron-3.6b", 64, 3.6e9, ROUNDED(0.05, 3.6), 0, ALL, NARAYANAN},
    {"megatron-7.5b", 128, 7.5e9, ROUNDED(0.05, 7.5), 0, ALL, NARAYANAN},
    {"megatron-18b", 256, 18.4e9, EXACT, 0, ALL, NARAYANAN},
    {"megatron-39b", 512, 39.1e9, EXACT, 0, ALL, NARAYANAN},
    {"megatron-76b", 1024, 76.1e9, EXACT, 0, ALL, NARAYANAN},
    {"megatron-145b", 1536, 145.6e9, EXACT, 0, ALL, NARAYANAN},
    {"megatron-310b", 1920, 310.1e9, EXACT, 0, ALL, NARAYANAN},
    {"megatron-530b", 2520, 529.6e9, EXACT, 0, ALL, NARAYANAN},
    {"megatron-1t", 3072, 1008.0e9, EXACT, 0, ALL, NARAYANAN},
    {"korthikanti-22b", 8, 22e9, EXACT, 0, ALL, "Korthikanti et al., arXiv 2205.05198, table 3"},
    {"korthikanti-175b", 64, 174.6e9, EXACT, 0, ALL, "the same; digits of SC 2021, table 2"},
    {"korthikanti-530b", 280, 529.6e9, EXACT, 0, ALL, "the same; digits of SC 2021, table 2"},
    {"korthikanti-1t", 512, 1008.0e9, EXACT, 0, ALL, "the same; digits of SC 2021, table 1"},
    {"gpt-neox-19m", 64, 18915328, EXACT, 0, LAYERS, PYTHIA},
    {"gpt-neox-125m", 64, 85056000, EXACT, 0, LAYERS, PYTHIA},
    {"gpt-neox-1.3b", 64, 1208602624, EXACT, 0, LAYERS, PYTHIA},
    {"gpt-neox-13b", 64, 13e9, ROUNDED(0.5, 13), 0, ALL, "Anthony et al., arXiv 2408.10197"},
    {"llama-2-7b", 128, 6738415616, EXACT, 0, ALL, SAFETENSORS "meta-llama/Llama-2-7b-hf"},
    {"llama-2-70b", 512, 68976648192, EXACT, 0, ALL, SAFETENSORS "meta-llama/Llama-2-70b-hf"},
    {"llama-3-8b", 128, 8030261248, EXACT, 0, ALL, SAFETENSORS "meta-llama/Llama-3.1-8B"},
    {"llama-3-70b", 256, 70553706496, EXACT, 0, ALL, SAFETENSORS "meta-llama/Llama-3.1-70B"},
    {"llama-3-405b", 16384, 405e9, EXACT, 0, ALL, "Llama team, arXiv 2407.21783, table 3"},
    {"bloom-176b", 384, 176247271424, EXACT, 0, ALL, SAFETENSORS "bigscience/bloom"},
    {"opt-175b", 992, 175e9, EXACT, 0, ALL, "Zhang et al., arXiv 2205.01068, table 1"},
    {"mt-nlg-530b", 2240, 530e9, EXACT, 0, ALL, "Smith et al., arXiv 2201.11990, section 2"},
    {"palm-540b", 6144, 540.35e9, EXACT, 256000, ALL,
     "Chowdhery et al., arXiv 2204.02311, table 1"},
    {"mixtral-8x7b", 64, 46702792704, EXACT, 0, ALL, SAFETENSORS "mistralai/Mixtral-8x7B-v0.1"},
    {"deepseek-v3", 2048, 671e9, EXACT, 0, ALL, "DeepSeek-AI, arXiv 2412.19437, section 4.2"},
    {"qwen3-30b-a3b", 16, 30532122624, EXACT, 0, ALL, SAFETENSORS "Qwen/Qwen3-30B-A3B"},
    {"qwen3-235b-a22b", 256, 235093634560, EXACT, 151936, ALL, SAFETENSORS "Qwen/Qwen3-235B-A22B"},
    {"gpt-oss-120b", 64, 116.83e9, EXACT, 0, ALL, "OpenAI, arXiv 2508.10925, table 1"},
    /* 1.026e12 with the first layer dense, as config.json has it; 1.043e12 had it experts too. */
    {"kimi-k2", 2048, 1.04e12, 0.014, 0, ALL, "Moonshot AI, arXiv 2507.20534, table 2"},
    {"nemotron-h-8b", 512, 8e9, ROUNDED(0.5, 8), 0, ALL, "NVIDIA, arXiv 2504.03624"},
    {"qwen3-next-80b-a3b", 64, 80e9, ROUNDED(0.5, 80), 0, ALL,
     "model card of Qwen/Qwen3-Next-80B-A3B-Instruct"},
    /* 49.1 billion; the name says 48. */
    {"kimi-linear-48b-a3b", 64, 48e9, 0.025, 0, ALL, "Kimi Team, arXiv 2510.26692"},
    /* The 671 billion of DeepSeek-V3 and the indexers, 14 million a layer. */
    {"deepseek-v3.2", 1024, 671e9 + 61 * 13.96e6, EXACT, 0, ALL,
     "arXiv 2412.19437, section 4.2, and inference/model.py of DeepSeek-V3.2-Exp: Indexer"},
    {"gemma-3-27b", 256, 25600e6, EXACT, 0, LAYERS, "Gemma Team, arXiv 2503.19786, table 1"},
    {"granite-4-h-small", 64, 32207337984, EXACT, 0, ALL,
     SAFETENSORS "ibm-granite/granite-4.0-h-small"},
    {"glam-64e", 1024, 1.2e12, ROUNDED(0.05, 1.2), 0, ALL, "Du et al., arXiv 2112.06905, table 4"},
    {"vit-22b", 1024, 21743e6, EXACT, 0, LAYERS, "Dehghani et al., arXiv 2302.05442, table 1"},
    {"t5-11b", 128, 11307321344, EXACT, 0, ALL, SAFETENSORS "google-t5/t5-11b"},
    /* With pooler and segments, 1.05 million. */
    {"bert-large", 64, 335141888, EXACT, 0, ALL, SAFETENSORS "google-bert/bert-large-uncased"},
};

/* Returns: (transfer full) the shipped workload, or NULL after a failed assertion. */
static LpWorkload *
load_shipped(const char *name)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = lp_file_find("workloads", name, &error);
    LpWorkload *workload = path != NULL ? lp_workload_load(path, NULL, &error) : NULL;
    lp_test_text(name, error != NULL ? error->message : NULL, NULL);
    return workload;
}

/* Training pads a vocabulary to what the tensor-parallel degree divides, and publications count it
 * unpadded: the comparison puts the published vocabulary into the shape, which no plan restricts
 * here. */
static void
test_parameters(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpWorkload) workload = load_shipped(rows[i].name);
        if (workload == NULL)
            continue;
        LpTransformer shape = workload->transformer;
        lp_test_true(rows[i].name, rows[i].vocab <= shape.vocab);
        if (rows[i].vocab > 0)
            shape.vocab = rows[i].vocab;
        if (rows[i].counted == LAYERS)
            shape.embedding = FALSE;
        g_autofree char *label = g_strdup_printf("%s: %s", rows[i].name, rows[i].source);
        lp_test_close(label, lp_transformer_parameters(&shape), rows[i].published,
                      rows[i].tolerance);
    }
}

/* Parameters that a token uses. OpenAI counts the output matrix, but not the embedding, of which a
 * token uses one row; the others count both. */
static void
test_active_parameters(void)
{
    static const struct {
        const char *name;
        double published, tolerance;
        gboolean without_embedding;
        const char *source;
    } active[] = {
        {"mixtral-8x7b", 12.9e9, EXACT, FALSE, "mistral.ai, Mixtral of experts (2023)"},
        /* 37.55 with, 36.63 without embedding. */
        {"deepseek-v3", 37e9, 0.016, FALSE, "DeepSeek-AI, arXiv 2412.19437, section 4.2"},
        /* 3.353. */
        {"qwen3-30b-a3b", 3.3e9, 0.017, FALSE, "README of Qwen/Qwen3-30B-A3B"},
        {"qwen3-235b-a22b", 22e9, ROUNDED(0.5, 22), FALSE, "README of Qwen/Qwen3-235B-A22B"},
        {"gpt-oss-120b", 5.13e9, EXACT, TRUE, "OpenAI, arXiv 2508.10925, table 1"},
        {"kimi-k2", 32.6e9, 0.01, FALSE, "Moonshot AI, arXiv 2507.20534, table 2"},
        {"qwen3-next-80b-a3b", 3.9e9, 0.02, FALSE, "3 billion, and 0.6 of embeddings and logits"},
        {"kimi-linear-48b-a3b", 3.5e9, 0.02, FALSE, "3 billion, and 0.4 of the embedding"},
        {"granite-4-h-small", 9e9, ROUNDED(0.5, 9), FALSE,
         "model card of ibm-granite/granite-4.0-h-small"},
        {"glam-64e", 96.6e9, EXACT, FALSE, "Du et al., arXiv 2112.06905, table 4"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(active); i++) {
        g_autoptr(LpWorkload) workload = load_shipped(active[i].name);
        if (workload == NULL)
            continue;
        const LpTransformer *shape = &workload->transformer;
        double got = lp_transformer_active_parameters(shape) -
                     (active[i].without_embedding ? lp_transformer_embedding_parameters(shape) : 0);
        g_autofree char *label = g_strdup_printf("%s: %s", active[i].name, active[i].source);
        lp_test_close(label, got, active[i].published, active[i].tolerance);
    }
}

/* Bytes that data parallelism reduces an accelerator and iteration, 2 P x with many replicas, of
 * the models of Anthony et al., HOTI 2024 (arXiv 2408.10197), whose embeddings are untied. */
static void
test_reduced_volumes(void)
{
    static const struct {
        const char *name;
        double gigabytes, half_unit;
    } volumes[] = {{"gpt-neox-125m", 0.65, 0.005},
                   {"gpt-neox-1.3b", 5.66, 0.005},
                   {"gpt-neox-13b", 52.4, 0.05}};
    for (guint i = 0; i < G_N_ELEMENTS(volumes); i++) {
        g_autoptr(LpWorkload) workload = load_shipped(volumes[i].name);
        if (workload == NULL)
            continue;
        lp_test_true(volumes[i].name, !workload->transformer.tied_embeddings);
        lp_test_close(volumes[i].name,
                      2.0 * 2.0 * lp_transformer_parameters(&workload->transformer),
                      volumes[i].gigabytes * 1e9, volumes[i].half_unit / volumes[i].gigabytes);
    }
}

/* The size that each plan has, published where a source says so. */
static void
test_sizes(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpWorkload) workload = load_shipped(rows[i].name);
        if (workload == NULL)
            continue;
        lp_test_text(rows[i].name, workload->name, rows[i].name);
        lp_test_true(rows[i].name, lp_plan_n_ranks(&workload->plan) == rows[i].n_ranks);
    }
}

/* No file is shipped without its row. */
static void
test_complete(void)
{
    g_auto(GStrv) names = lp_file_shipped("workloads");
    for (guint i = 0; names[i] != NULL; i++) {
        gboolean found = FALSE;
        for (guint k = 0; !found && k < G_N_ELEMENTS(rows); k++)
            found = g_str_equal(rows[k].name, names[i]);
        lp_test_true(names[i], found);
    }
    lp_test_true("as many rows as files", g_strv_length(names) == G_N_ELEMENTS(rows));
}

int
main(void)
{
    static const LpTestCase cases[] = {{"parameters", test_parameters},
                                       {"active parameters", test_active_parameters},
                                       {"reduced volumes", test_reduced_volumes},
                                       {"sizes", test_sizes},
                                       {"complete", test_complete},
                                       {NULL, NULL}};
    return lp_test_run("shipped", cases);
}
