/* SPDX-License-Identifier: Apache-2.0 */
/* A row of measured training for tests, and what becomes of it when some of its columns change. */
#include "tests/validation/training_row.h"

#include "tests/testlib.h"
#include "tests/support/temporary.h"
#include "validation/cases/training_case.h"

#include <string.h>

/* A row that is good as it stands; "name=value" replaces or adds. */
static const char *const base_row[] = {"id=r1",
                                       "kind=training",
                                       "model=a model",
                                       "layers=24",
                                       "hidden=2048",
                                       "heads=16",
                                       "ffn=8192",
                                       "ffn_kind=gelu",
                                       "seq=1024",
                                       "vocab=51200",
                                       "tied=yes",
                                       "attention=unfused",
                                       "accelerator=a100-80",
                                       "accelerators=16",
                                       "tp=2",
                                       "pp=2",
                                       "virtual_stages=1",
                                       "dp=4",
                                       "zero=0",
                                       "sequence_parallel=no",
                                       "micro_batch=2",
                                       "global_batch=64",
                                       "recompute=full",
                                       "framework=none",
                                       "precision=fp16",
                                       "accelerators_per_domain=8",
                                       "scale_up_GBps=300",
                                       "scale_out_Gbps=200",
                                       "nics_per_domain=8",
                                       "iteration_s=1"};

static void
put(GPtrArray *names, GPtrArray *values, const char *setting)
{
    const char *equals = strchr(setting, '=');
    g_autofree char *name = g_strndup(setting, (gsize)(equals - setting));
    guint at = 0;
    while (at < names->len && strcmp(names->pdata[at], name) != 0)
        at++;
    if (at == names->len) {
        g_ptr_array_add(names, g_steal_pointer(&name));
        g_ptr_array_add(values, g_strdup(equals + 1));
        return;
    }
    g_free(values->pdata[at]);
    values->pdata[at] = g_strdup(equals + 1);
}

static char *
joined(GPtrArray *texts)
{
    for (guint i = 0; i < texts->len; i++) {
        char *text = texts->pdata[i];
        if (strchr(text, ',') == NULL)
            continue;
        texts->pdata[i] = g_strconcat("\"", text, "\"", NULL);
        g_free(text);
    }
    g_ptr_array_add(texts, NULL);
    return g_strjoinv(",", (char **)texts->pdata);
}

LpTable *
lp_training_row_table(const char *changes)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < G_N_ELEMENTS(base_row); i++)
        put(names, values, base_row[i]);
    g_auto(GStrv) all = g_strsplit(changes, ";", -1);
    for (guint i = 0; all[i] != NULL && *all[i] != '\0'; i++)
        put(names, values, all[i]);
    g_autofree char *header = joined(names), *row = joined(values);
    g_autofree char *text = g_strconcat(header, "\n", row, "\n", NULL);
    char *path = lp_temporary_file(text, -1);
    LpTable *table = lp_measurements_load(path, NULL, NULL);
    lp_temporary_remove(path);
    return table;
}

static char *
attribute_of(const LpWorkload *workload, const char *wanted)
{
    const char *name;
    char *value;
    for (guint i = 0; (value = lp_workload_attribute(workload, i, &name)) != NULL; i++) {
        if (strcmp(name, wanted) == 0)
            return value;
        g_free(value);
    }
    return NULL;
}

static void
check_attributes(const char *label, const LpWorkload *workload, const char *wanted)
{
    g_auto(GStrv) all = g_strsplit(wanted, " ", -1);
    for (guint i = 0; all[i] != NULL && *all[i] != '\0'; i++) {
        char *equals = strchr(all[i], '=');
        *equals = '\0';
        g_autofree char *got = attribute_of(workload, all[i]);
        g_autofree char *shown = g_strconcat(label, ": ", all[i], NULL);
        lp_test_text(shown, got, equals + 1);
    }
}

/* Notes beside that of the framework's defaults. */
static guint
count_inferred(const LpOutcome *outcome)
{
    guint n = 0;
    for (guint i = 0; i < outcome->inferred->len; i++)
        n += g_str_has_prefix(outcome->inferred->pdata[i], "by ") ? 0 : 1;
    return n;
}

static gboolean
is_noted(const LpOutcome *outcome, const char *part)
{
    for (guint i = 0; i < outcome->inferred->len; i++)
        if (strstr(outcome->inferred->pdata[i], part) != NULL)
            return TRUE;
    return FALSE;
}

void
lp_training_row_expect(const char *label, const char *changes, const char *attributes,
                       const char *note)
{
    g_autoptr(LpTable) table = lp_training_row_table(changes);
    g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, "r1", "s");
    g_auto(LpTrainingCase) got = {.workload = NULL};
    g_autoptr(GError) error = NULL;
    gboolean good = lp_training_case_read(&got, lp_table_row(table, 0), outcome, &error);
    lp_test_text(label, error != NULL ? error->message : NULL, NULL);
    if (!good)
        return;
    check_attributes(label, got.workload, attributes);
    lp_test_true(label, note != NULL ? is_noted(outcome, note) : count_inferred(outcome) == 0);
}
