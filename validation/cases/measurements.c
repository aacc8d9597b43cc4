/* SPDX-License-Identifier: Apache-2.0 */
/* Tells tables of measurements by their headers. */
#include "validation/cases/measurements.h"

#include "base/error.h"

const char *const lp_table_kind_names[] = {"training", "collectives", "gemm", "contention", NULL};

LpTableKind
lp_table_kind(const LpTable *table)
{
    static const char *const telling[LP_N_TABLE_KINDS] = {"iteration_s", "busbw_GBps", "M N K",
                                                          "machine run base"};
    for (LpTableKind kind = 0; kind < LP_N_TABLE_KINDS; kind++)
        if (lp_table_has_columns(table, telling[kind]))
            return kind;
    return LP_N_TABLE_KINDS;
}

LpTable *
lp_measurements_load(const char *path, GError **error)
{
    g_autoptr(LpTable) self = lp_table_load(path, error);
    if (self == NULL)
        return NULL;
    if (lp_table_kind(self) == LP_N_TABLE_KINDS) {
        g_autofree char *shown = lp_table_header(self);
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "%s: got the header %s, wanted one with iteration_s, with busbw_GBps, with M, "
                    "N and K, or with machine, run and base",
                    lp_table_path(self), shown);
        return NULL;
    }
    if (lp_table_n_rows(self) == 0) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "%s: got a header alone, wanted rows too", lp_table_path(self));
        return NULL;
    }
    return g_steal_pointer(&self);
}
