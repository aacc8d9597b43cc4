/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of public models, and the names by which they are found. */
#include "validation/cases/public_model.h"

#include "tests/testlib.h"
#include "workloads/description/workload.h"

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
        g_auto(GStrv) shape = lp_public_model_settings(models, model, &error);
        lp_test_true(model->name, shape != NULL);
        g_autoptr(GPtrArray) settings = g_ptr_array_new();
        for (guint j = 0; j < G_N_ELEMENTS(plan); j++)
            g_ptr_array_add(settings, (gpointer)(guintptr)plan[j]);
        for (guint j = 0; shape != NULL && shape[j] != NULL; j++)
            g_ptr_array_add(settings, shape[j]);
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
        g_auto(GStrv) shape = model != NULL ? lp_public_model_settings(models, model, NULL) : NULL;
        for (guint j = 0; shape != NULL && shape[j] != NULL; j++)
            g_ptr_array_add(settings, shape[j]);
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
    lp_test_text("Google's names", lp_public_models_accelerator(models, "TPU v5 lite"), "tpu-v5e");
    lp_test_text("of chips", lp_public_models_accelerator(models, "Trillium"), "tpu-v6e");
    lp_test_text("unknown accelerator", lp_public_models_accelerator(models, "abacus"), NULL);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"models", test_models}, {"sizes", test_sizes}, {"names", test_names}, {NULL, NULL}};
    return lp_test_run("public model", cases);
}
