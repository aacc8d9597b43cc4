/* SPDX-License-Identifier: Apache-2.0 */
/* What each framework does, from its sources and papers, as attributes of a workload. */
#include "validation/cases/framework.h"

#include <string.h>

/* Computing takes 1.189 times as long while communication runs beside it: the mean over A100,
 * H100, MI210 and MI250 (Lee et al., arXiv 2507.03114). */
#define BESIDE " slowdown=1.189"

static gboolean
is_wide(const LpSettings *settings)
{
    return lp_settings_number(settings, "tp") > 1;
}

static gboolean
has_stages(const LpSettings *settings)
{
    return lp_settings_number(settings, "pp") > 1;
}

/* nanotron, FSDP and Megatron-Core are recognised by their words for overlap, the last also by
 * flash attention; DeepSpeed, without flash attention, by ZeRO or by gradients that are summed in
 * one bucket. */
LpFramework
lp_framework_of(const LpTableRow *row, const LpSettings *settings)
{
    const char *overlap = lp_table_text(row, "overlap");
    if (strstr(overlap, "tp_async") != NULL)
        return LP_FRAMEWORK_NANOTRON;
    if (strstr(overlap, "FSDP") != NULL)
        return LP_FRAMEWORK_FSDP;
    if (lp_settings_is(settings, "attention", "flash") || strstr(overlap, "grad-reduce") != NULL)
        return LP_FRAMEWORK_MEGATRON_CORE;
    if (lp_settings_number(settings, "zero") > 0 || strstr(overlap, "gradient_bucket") != NULL)
        return LP_FRAMEWORK_DEEPSPEED;
    return LP_FRAMEWORK_MEGATRON_LM;
}

/* Its host waits for the device around each pass: its timers do, and so does each batch of messages
 * (megatron/timers.py, megatron/p2p_communication.py of 2021). A rank sends 1/tp of a boundary's
 * activations, and the receivers gather them (SC 2021, section 4.1), which sequence parallelism
 * made needless. */
static void
apply_megatron_lm(LpSettings *settings)
{
    lp_settings_set(settings, "host-sync", "passes");
    if (is_wide(settings) && !lp_settings_is(settings, "sequence-parallel", "yes"))
        lp_settings_set(settings, "scatter-gather", "yes");
}

/* Its pipeline sends whole activations, its ZeRO sums gradients by all-reduce (Anthony et al., HOTI
 * 2024), and its ZeRO-3 of 2021 gathers parameter by parameter, in one ring, when they are needed;
 * the buckets of its sums are 500 million elements by default. Its hosts broadcast the sizes of
 * each micro-batch and wait for them, as Megatron-LM's do. */
static void
apply_deepspeed(LpSettings *settings, LpOutcome *outcome)
{
    lp_settings_set(settings, "host-sync", "passes");
    if (lp_settings_is(settings, "zero", "3"))
        lp_settings_set_all(settings, "prefetch=0 bucket=1GB library=ideal");
    else if (lp_settings_number(settings, "zero") > 0)
        lp_settings_set(settings, "zero-variant", "deepspeed");
    lp_outcome_infer(outcome, "DeepSpeed: ZeRO or unbucketed gradients, no flash attention");
}

static void
overlap_replicas(LpSettings *settings)
{
    lp_settings_set(settings, "overlap-dp", "yes");
    if (lp_settings_number(settings, "zero") > 0)
        lp_settings_set(settings, "overlap-param", "yes");
}

/* Gathers ahead, reduces behind the backward pass, runs PyTorch's operations one by one. */
static void
apply_fsdp(LpSettings *settings)
{
    overlap_replicas(settings);
    lp_settings_set_all(settings, "kernels=eager" BESIDE);
}

/* Assigns layers to a stage until their weights reach its share of all, logits among them, so that
 * late stages may be left without layers (nanotron 0.4, models/base.py, build_model()). In that
 * code a share has to be exceeded; measured steps of 16 layers on 4 stages took as long as 5 layers
 * need, so that a share just reached is enough. */
static void
assign_layers_by_weights(LpSettings *settings)
{
    double hidden = (double)lp_settings_number(settings, "hidden");
    double ffn = lp_settings_get(settings, "ffn") != NULL
                     ? (double)lp_settings_number(settings, "ffn")
                     : 4.0 * hidden;
    double vocab = (double)lp_settings_number(settings, "vocab");
    guint64 n_layers = lp_settings_number(settings, "layers");
    guint64 n_stages = lp_settings_number(settings, "pp"), stage = 0, count = 0;
    double layer = 4.0 * hidden * hidden + 3.0 * ffn * hidden;
    double share = ((double)n_layers * layer + vocab * hidden) / (double)n_stages;
    g_autoptr(GString) list = g_string_new(NULL);
    for (guint64 i = 1; i <= n_layers; i++) {
        count++;
        if ((double)i * layer < share * (double)(stage + 1))
            continue;
        g_string_append_printf(list, "%" G_GUINT64_FORMAT ",", count);
        count = 0;
        stage++;
    }
    for (; stage < n_stages; stage++, count = 0)
        g_string_append_printf(list, "%" G_GUINT64_FORMAT ",", count);
    g_string_truncate(list, list->len - 1);
    lp_settings_set(settings, "stage-layers", list->str);
}

/* Asynchronous tensor parallelism: whole collectives behind products. Its host waits for the
 * shape of each tensor that it receives (pipeline_parallel/p2p.py), and runs PyTorch's operations
 * one by one. Without stages DistributedDataParallel sums gradients behind the backward pass, but
 * not those that ZeRO shares out. */
static void
apply_nanotron(LpSettings *settings)
{
    lp_settings_set_all(settings, "bucket=250MB host-sync=messages kernels=eager" BESIDE);
    if (is_wide(settings))
        lp_settings_set(settings, "overlap-tp", "bulk");
    if (has_stages(settings))
        assign_layers_by_weights(settings);
    else if (lp_settings_is(settings, "zero", "0"))
        lp_settings_set(settings, "overlap-dp", "yes");
}

/* Its dispatchers of tokens (DeepEP, HybridEP) send a token once to each domain that has one of its
 * experts (Megatron-Bridge, docs/performance-guide.md). */
static void
relay_tokens(const LpTableRow *row, LpSettings *settings)
{
    guint64 domain = 8, ep = lp_settings_number(settings, "ep");
    if (ep < 2 || !lp_table_count(row, "accelerators_per_domain", 1, G_MAXUINT32, &domain, NULL))
        return;
    guint64 others = lp_settings_number(settings, "dp") * lp_settings_number(settings, "cp");
    guint64 spread = others % ep == 0 ? ep * lp_settings_number(settings, "tp") : ep;
    guint64 parts = spread / domain;
    if (parts < 2 || ep % parts != 0)
        return;
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, parts);
    lp_settings_set(settings, "ep-relay", text);
}

/* All communication is overlapped: --overlap-grad-reduce and --overlap-param-gather with buckets of
 * 40 million parameters, and Transformer Engine's user buffers. If the column says otherwise, only
 * sequence parallelism overlaps, and hosts wait for messages. */
static void
apply_megatron_core(const LpTableRow *row, LpSettings *settings, LpOutcome *outcome)
{
    const char *overlap = lp_table_text(row, "overlap");
    gboolean states_all = strstr(overlap, "grad-reduce") != NULL;
    relay_tokens(row, settings);
    if (!states_all && *overlap != '\0') {
        lp_settings_set(settings, "host-sync", "messages");
        return;
    }
    overlap_replicas(settings);
    /* fp8_param_gather and fp4_param_gather: recipes keep narrow parameters (Megatron-Bridge,
     * src/megatron/bridge/training/mixed_precision.py). */
    lp_settings_set(settings, "narrow-parameters", "yes");
    lp_settings_set_all(settings, "bucket=80MB overlap-pp=yes" BESIDE);
    if (is_wide(settings))
        lp_settings_set(settings, "overlap-tp", "yes");
    if (!states_all)
        lp_outcome_infer(outcome,
                         "overlap: of all communication, as recipes with flash attention have it");
    /* Megatron-Core overlaps messages only where stages are interleaved, so rows that state
     * overlap were interleaved; one layer a slice is the fastest, and hides the messages. */
    if (states_all && has_stages(settings) && !lp_table_has(row, "virtual_stages")) {
        lp_settings_set(settings, "virtual-stages", lp_settings_get(settings, "layers"));
        lp_outcome_infer(outcome, "interleaved: messages between stages are overlapped");
    }
}

/* bf16 has too few digits for sums: frameworks keep gradients in fp32. */
static void
choose_gradients(LpSettings *settings)
{
    if (lp_settings_is(settings, "precision", "bf16") && !lp_settings_is(settings, "zero", "3"))
        lp_settings_set(settings, "gradient-precision", "fp32");
}

static void
apply_own(LpFramework self, const LpTableRow *row, LpSettings *settings, LpOutcome *outcome)
{
    switch (self) {
    case LP_FRAMEWORK_MEGATRON_LM:
        apply_megatron_lm(settings);
        return;
    case LP_FRAMEWORK_MEGATRON_CORE:
        apply_megatron_core(row, settings, outcome);
        return;
    case LP_FRAMEWORK_DEEPSPEED:
        apply_deepspeed(settings, outcome);
        return;
    case LP_FRAMEWORK_FSDP:
        apply_fsdp(settings);
        return;
    case LP_FRAMEWORK_NANOTRON:
        apply_nanotron(settings);
        return;
    }
}

void
lp_framework_apply(LpFramework self, const LpTableRow *row, LpSettings *settings,
                   LpOutcome *outcome)
{
    lp_settings_set(settings, "schedule", "1f1b");
    choose_gradients(settings);
    apply_own(self, row, settings, outcome);
    /* Sequence parallelism came with gathers and sums behind the products of the backward pass
     * (Korthikanti et al., 2022, section 4.2.2). */
    if (lp_settings_is(settings, "sequence-parallel", "yes"))
        lp_settings_set_unless_said(settings, "overlap-tp", "bulk");
}
