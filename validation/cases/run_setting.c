/* SPDX-License-Identifier: Apache-2.0 */
/* What column "set" may say. */
#include "validation/cases/run_setting.h"

#include <string.h>

gboolean
lp_run_setting_check(const LpTableRow *row, const char *name, const char *value, GError **error)
{
    g_auto(GStrv) columns = g_strsplit(
        "framework layers hidden heads kv_heads ffn ffn_kind vocab tied seq experts attention tp "
        "pp dp cp ep precision virtual_stages micro_batch global_batch recompute",
        " ", -1);
    static const char *const habits[] = {"zero", "sequence_parallel", NULL};
    g_autofree char *column =
        g_strdelimit(g_strdup(strcmp(name, "tied-embeddings") != 0 ? name : "tied"), "-", '_');
    gboolean is_habit = g_strv_contains(habits, column);
    if (!is_habit && !g_strv_contains((const char *const *)columns, column))
        return TRUE;
    if (!lp_table_knows(row, column))
        return TRUE;
    if (!lp_table_has(row, column) ? is_habit : strcmp(lp_table_text(row, column), value) == 0)
        return TRUE;
    g_autofree char *wanted = g_strdup_printf("%s in column %s", name, column);
    return lp_table_fault(row, "set", wanted, error);
}
