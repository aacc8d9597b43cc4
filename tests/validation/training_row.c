/* SPDX-License-Identifier: Apache-2.0 */
/* A row of measured training for tests, and what becomes of it when some of its columns change. */
#include "tests/validation/training_row.h"

#include "base/table.h"
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

static guint
column(GPtrArray *names, const char *name)
{
    guint at = 0;
    while (at < names->len && strcmp(names->pdata[at], name) != 0)
        at++;
    if (at == names->len)
        g_ptr_array_add(names, g_strdup(name));
    return at;
}

/* Puts "name=value" into the cells of a row. */
static void
put(GPtrArray *names, GPtrArray *cells, const char *setting)
{
    const char *equals = strchr(setting, '=');
    g_autofree char *name = g_strndup(setting, (gsize)(equals - setting));
    guint at = column(names, name);
    while (cells->len <= at)
        g_ptr_array_add(cells, g_strdup(""));
    g_free(cells->pdata[at]);
    cells->pdata[at] = g_strdup(equals + 1);
}

static void
append_line(GString *text, GPtrArray *cells, guint n_columns)
{
    for (guint i = 0; i < n_columns; i++) {
        const char *cell = i < cells->len ? cells->pdata[i] : "";
        const char *quote = strchr(cell, ',') != NULL ? "\"" : "";
        g_string_append_printf(text, "%s%s%s%s", i > 0 ? "," : "", quote, cell, quote);
    }
    g_string_append_c(text, '\n');
}

LpTable *
lp_training_rows_table(const char *const *changes, guint n_rows)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    for (guint row = 0; row < n_rows; row++) {
        GPtrArray *cells = g_ptr_array_new_with_free_func(g_free);
        g_ptr_array_add(rows, cells);
        for (guint i = 0; i < G_N_ELEMENTS(base_row); i++)
            put(names, cells, base_row[i]);
        g_autofree char *id = g_strdup_printf("id=r%u", row + 1);
        put(names, cells, id);
        g_auto(GStrv) all = g_strsplit(changes[row], ";", -1);
        for (guint i = 0; all[i] != NULL && *all[i] != '\0'; i++)
            put(names, cells, all[i]);
    }
    g_autoptr(GString) text = g_string_new(NULL);
    append_line(text, names, names->len);
    for (guint row = 0; row < n_rows; row++)
        append_line(text, rows->pdata[row], names->len);
    char *path = lp_temporary_file(text->str, -1);
    g_autoptr(GError) error = NULL;
    LpTable *table = lp_measurements_load(path, NULL, &error);
    lp_test_text("the table", error != NULL ? error->message : NULL, NULL);
    lp_temporary_remove(path);
    return table;
}

LpTable *
lp_training_row_table(const char *changes)
{
    return lp_training_rows_table(&changes, 1);
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

static void
check_row(const LpTrainingRow *wanted, const LpTableRow *row)
{
    g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, "r1", "s");
    g_auto(LpTrainingCase) got = {.workload = NULL};
    g_autoptr(GError) error = NULL;
    gboolean good = lp_training_case_read(&got, row, outcome, &error);
    lp_test_text(wanted->label, error != NULL ? error->message : NULL, NULL);
    if (!good)
        return;
    check_attributes(wanted->label, got.workload, wanted->attributes);
    lp_test_true(wanted->label, wanted->note != NULL ? is_noted(outcome, wanted->note)
                                                     : count_inferred(outcome) == 0);
}

void
lp_training_rows_expect(const LpTrainingRow *rows, guint n_rows)
{
    g_autofree const char **changes = g_new(const char *, n_rows);
    for (guint i = 0; i < n_rows; i++)
        changes[i] = rows[i].changes;
    g_autoptr(LpTable) table = lp_training_rows_table(changes, n_rows);
    lp_test_true("a row for each", table != NULL && lp_table_n_rows(table) == n_rows);
    for (guint i = 0; table != NULL && i < n_rows; i++)
        check_row(&rows[i], lp_table_row(table, i));
}
