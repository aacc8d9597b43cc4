/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts: a workload made of one is the one that is loaded with the same settings, and their cheap
 * rules refuse nothing that loading takes. */
#include "tests/testlib.h"
#include "workloads/description/workload.h"

#include <string.h>

static const struct {
    const char *workload, *first, *settings;
} rows[] = {
    {"gpt3-175b", NULL, NULL},
    {"gpt3-175b", "tp=4", "dp=32 micro-batch=2"},
    {"gpt3-175b", "framework=none", "pp=16 virtual-stages=2 framework=megatron-core"},
    {"llama-3-8b", "dp=8", "tp=2 zero=1 recompute=full"},
    {"deepseek-v3", "placement=scattered", "ep=32"},
    {"mixtral-8x7b", NULL, "ep=4 experts=16"},
    {"gpt3-175b", NULL, "tp=7"},
    {"gpt3-175b", NULL, "tp=16 dp=24"},
    {"mixtral-8x7b", NULL, "ep=3"},
    {"llama-3-8b", "dp=8", "micro-batch=24"},
    {"llama-3-8b", "dp=8", "virtual-stages=2"},
    {"llama-3-8b", "dp=8", "cp=3"},
    {"llama-3-8b", "dp=8", "zero=7"},
};

static char **
words(const char *text)
{
    return g_strsplit(text != NULL ? text : "", " ", -1);
}

static void
check_same(const char *label, const LpWorkload *one, const LpWorkload *other)
{
    const char *name;
    char *text;
    for (guint i = 0; (text = lp_workload_attribute(one, i, &name)) != NULL; i++) {
        g_autofree char *first = text, *second = lp_workload_attribute(other, i, &name);
        g_autofree char *shown = g_strdup_printf("%s: %s", label, name);
        lp_test_text(shown, second, first);
        lp_test_true(shown, lp_workload_origin(one, i) == lp_workload_origin(other, i));
    }
    lp_test_true(label, memcmp(&one->plan, &other->plan, sizeof one->plan) == 0);
    lp_test_true(label,
                 memcmp(&one->transformer, &other->transformer, sizeof one->transformer) == 0);
}

static void
test_same_as_loaded(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *path =
            g_strdup_printf("resource:///lightpath/workloads/%s.xml", rows[i].workload);
        g_autofree char *text =
            g_strjoin(rows[i].first != NULL && rows[i].settings != NULL ? " " : "",
                      rows[i].first != NULL ? rows[i].first : "",
                      rows[i].settings != NULL ? rows[i].settings : "", NULL);
        g_autofree char *label = g_strdup_printf("%s %s", rows[i].workload, text);
        g_auto(GStrv) all = words(text), first = words(rows[i].first),
                      more = words(rows[i].settings);
        g_autoptr(GError) refused = NULL, fault = NULL, cheap = NULL;
        g_autoptr(LpWorkload) loaded = lp_workload_load(path, (const char *const *)all, &refused);
        g_autoptr(LpWorkloadDraft) draft =
            lp_workload_draft_load(path, (const char *const *)first, NULL);
        g_autoptr(LpWorkload) made =
            lp_workload_draft_complete(draft, (const char *const *)more, &fault);
        lp_test_text(label, fault != NULL ? fault->message : NULL,
                     refused != NULL ? refused->message : NULL);
        if (loaded != NULL && made != NULL)
            check_same(label, loaded, made);
        gboolean passes = lp_workload_draft_check(draft, (const char *const *)more, TRUE, &cheap);
        lp_test_true(label, loaded == NULL || passes);
        lp_test_true(label, passes || strstr(refused->message, cheap->message) != NULL);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"same as loaded", test_same_as_loaded}, {NULL, NULL}};
    return lp_test_run("workload_draft", cases);
}
