/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a user's framework that depend on the accelerator, as recipes for one do. */
#include "tests/testlib.h"
#include "workloads/description/attribute.h"
#include "workloads/description/workload.h"

#include <glib/gstdio.h>
#include <unistd.h>

#define SHAPE "layers=96 hidden=4096 heads=32 seq=2048 vocab=51200 global-batch=1024 micro-batch=1 "
#define EXPERTS SHAPE "experts=128 expert-ffn=64 top-k=8 tp=1 ep=32 pp=4 dp=32 "

/* Two recipes: one for two accelerators, and one for another shape. */
static const char own[] =
    "<frameworks><framework name=\"own\" like=\"megatron-core\" description=\"a user's\">"
    "<setting name=\"experts-padded\" value=\"no\" when=\"pp&gt;1 accelerator=gb200|gb300\">A "
    "recipe.</setting>"
    "<setting name=\"eager-dispatch\" value=\"no\" when=\"kv-rank&gt;0 accelerator=b200\">Another."
    "</setting></framework></frameworks>";

static LpWorkload *
load(const char *file, const char *text)
{
    g_autofree char *all = g_strconcat(EXPERTS "framework=", file, " ", text, NULL);
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

/* Recipes are for one accelerator each, whatever plan has their shape. */
static void
test_recipes(void)
{
    static const struct {
        const char *settings, *accelerator, *name, *value;
    } rows[] = {
        {"", "gb200", "experts-padded", "no"},
        {"", "gb300 (modified)", "experts-padded", "no"},
        {"", "b200", "experts-padded", "yes"},
        {"", "", "experts-padded", "yes"},
        {"experts-padded=yes ", "gb200", "experts-padded", "yes"},
        {"", "b200", "eager-dispatch", "yes"},
        {"kv-rank=64 rope-width=32 ", "b200", "eager-dispatch", "no"},
        {"kv-rank=64 rope-width=32 ", "gb200", "eager-dispatch", "yes"},
    };
    g_autofree char *file = g_build_filename(g_get_tmp_dir(), "lightpath-recipes-XXXXXX.xml", NULL);
    int descriptor = g_mkstemp(file);
    CU_ASSERT_TRUE_FATAL(descriptor >= 0 && g_file_set_contents(file, own, -1, NULL));
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *label =
            g_strconcat(rows[i].settings, "on ", rows[i].accelerator, ": ", rows[i].name, NULL);
        g_autoptr(LpWorkload) workload = load(file, rows[i].settings);
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
    (void)close(descriptor);
    (void)g_unlink(file);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"recipes", test_recipes}, {NULL, NULL}};
    return lp_test_run("frameworks and machines", cases);
}
