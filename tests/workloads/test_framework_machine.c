/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of frameworks that depend on the accelerator, as recipes for one do. */
#include "platforms/catalogue/catalogue.h"
#include "tests/testlib.h"
#include "workloads/description/attribute.h"
#include "workloads/description/framework.h"
#include "workloads/description/workload.h"

#include <string.h>

#define SHAPE "layers=96 hidden=4096 heads=32 seq=2048 vocab=51200 global-batch=1024 micro-batch=1 "
#define EXPERTS "experts=128 expert-ffn=64 top-k=8 tp=1 "
#define QWEN EXPERTS "ep=32 pp=4 dp=32 "
#define DEEPSEEK EXPERTS "kv-rank=64 rope-width=32 mtp-layers=1 precision=mxfp8 ep=32 pp=4 dp=32 "

static LpWorkload *
load(const char *framework, const char *text)
{
    g_autofree char *all = g_strconcat(SHAPE "framework=", framework, " ", text, NULL);
    g_strchomp(all);
    g_auto(GStrv) settings = g_strsplit(all, " ", -1);
    g_autoptr(GError) error = NULL;
    LpWorkload *workload = lp_workload_new("test", "test", (const char *const *)settings, &error);
    lp_test_text(all, error != NULL ? error->message : NULL, NULL);
    return workload;
}

static char *
value_of(const LpWorkload *workload, const char *name)
{
    const LpAttribute *attribute = lp_attribute_find(name, NULL);
    return lp_attribute_get(attribute, workload);
}

/* Recipes of Megatron-Bridge are for one accelerator each, whatever plan has their shape. */
static void
test_recipes(void)
{
    static const struct {
        const char *framework, *settings, *accelerator, *name, *value;
    } rows[] = {
        {"megatron-core-2026-04", QWEN, "gb200", "experts-padded", "no"},
        {"megatron-core-2026-04", QWEN, "gb300 (modified)", "experts-padded", "no"},
        {"megatron-core-2026-04", QWEN, "b200", "experts-padded", "yes"},
        {"megatron-core-2026-04", QWEN, "h100-sxm", "experts-padded", "yes"},
        {"megatron-core-2026-04", QWEN, "", "experts-padded", "yes"},
        {"megatron-core-2026-04", QWEN "eager-dispatch=yes ", "gb200", "eager-dispatch", "yes"},
        {"megatron-core-2026-04", QWEN "micro-batch=2 ", "b200", "eager-dispatch", "yes"},
        {"megatron-core-2026-04", DEEPSEEK, "b200", "recompute", "selective"},
        {"megatron-core-2025-04", DEEPSEEK, "h100-sxm", "selective", "latent"},
        {"megatron-core-2026", DEEPSEEK, "gb200", "recompute", "selective"},
        {"megatron-core-2026", DEEPSEEK, "gb200", "narrow-attention", "no"},
        {"megatron-core-2026", DEEPSEEK, "h100-sxm", "narrow-attention", "no"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *label =
            g_strconcat(rows[i].framework, " on ", rows[i].accelerator, ": ", rows[i].name, NULL);
        g_autoptr(LpWorkload) workload = load(rows[i].framework, rows[i].settings);
        if (workload == NULL)
            continue;
        LpAccelerator accelerator = {.name = ""};
        g_strlcpy(accelerator.name, rows[i].accelerator, sizeof accelerator.name);
        for (guint again = 0; again < 2; again++) {
            CU_ASSERT_TRUE(lp_workload_apply_machine(workload, 8, &accelerator, NULL));
            g_autofree char *value = value_of(workload, rows[i].name);
            lp_test_text(label, value, rows[i].value);
        }
    }
}

static void
check_names(const LpFrameworkCondition *condition)
{
    g_auto(GStrv) names = g_strsplit(condition->value, "|", -1);
    for (guint i = 0; names[i] != NULL; i++) {
        LpAccelerator accelerator;
        lp_test_true(names[i], lp_catalogue_find(names[i], &accelerator, NULL));
    }
}

/* The catalogue has every accelerator that a condition names. */
static void
test_names(void)
{
    guint n = 0;
    g_auto(GStrv) names = lp_framework_names(NULL);
    for (guint i = 0; names != NULL && names[i] != NULL; i++) {
        g_autoptr(LpFramework) framework = lp_framework_find(names[i], NULL);
        for (guint k = 0; framework != NULL && k < framework->settings->len; k++) {
            const LpFrameworkSetting *setting = framework->settings->pdata[k];
            for (guint c = 0; c < setting->conditions->len; c++)
                if (lp_framework_condition_is_of_machine(setting->conditions->pdata[c])) {
                    check_names(setting->conditions->pdata[c]);
                    n++;
                }
        }
    }
    lp_test_true("some", n >= 10);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"recipes", test_recipes}, {"names", test_names}, {NULL, NULL}};
    return lp_test_run("frameworks and machines", cases);
}
