/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a CSV, described and predicted in a test. */
#include "tests/validation/predicted_row.h"

#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <string.h>

LpTable *
lp_rows_table(const char *header, const char *row)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = NULL;
    g_autofree char *text = g_strconcat(header, "\n", row, "\n", NULL);
    int file = g_file_open_tmp("lightpath-XXXXXX.csv", &path, &error);
    lp_test_true(row,
                 file >= 0 && g_close(file, NULL) && g_file_set_contents(path, text, -1, &error));
    LpTable *table = lp_measurements_load(path, NULL, &error);
    lp_test_text(row, error != NULL ? error->message : "", "");
    (void)g_unlink(path);
    return table;
}

LpOutcome *
lp_rows_outcome(const LpTable *table, guint index)
{
    const LpCaseKind *kind = lp_case_kind(lp_table_kind(table));
    const LpTableRow *row = lp_table_row(table, index);
    LpOutcome *outcome = lp_case_describe(kind, row);
    if (outcome->status == LP_OUTCOME_OK)
        kind->predict(row, NULL, outcome);
    return outcome;
}

void
lp_rows_expect(const char *label, const char *header, const char *row, const char *wanted)
{
    g_autoptr(LpTable) table = lp_rows_table(header, row);
    if (table == NULL)
        return;
    g_autoptr(LpOutcome) outcome = lp_rows_outcome(table, 0);
    const char *reason = outcome->reason != NULL ? outcome->reason : "";
    if (wanted == NULL) {
        lp_test_text(label, reason, "");
        lp_test_true(label, outcome->predicted[LP_PREDICTION_SIMULATED] > 0.0);
        return;
    }
    lp_test_true(label, outcome->status == LP_OUTCOME_FAILED);
    g_autofree char *shown = g_strconcat(label, ": ", reason, NULL);
    lp_test_true(shown, strstr(reason, wanted) != NULL && strchr(reason, '\n') == NULL);
}
