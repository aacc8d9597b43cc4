/* SPDX-License-Identifier: Apache-2.0 */
/* Tells tables of measurements by their headers. */
#include "validation/cases/measurements.h"

#include "base/error.h"
#include "base/units.h"

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

/* By LpTableKind: the columns that are read, and those that published tables have for people. */
static const char *const known_columns[LP_N_TABLE_KINDS] = {
    "id source where kind model layers hidden ffn ffn_kind heads kv_heads vocab tied seq experts "
    "attention system accelerator accelerators accelerators_per_domain scale_up_GBps "
    "scale_out_Gbps nics_per_domain tp pp dp cp ep virtual_stages micro_batch global_batch "
    "recompute recompute_as_stated zero sequence_parallel precision overlap iteration_s "
    "iteration_origin tflops_per_accelerator tflops_kind allreduce_GBps allgather_GBps "
    "reducescatter_GBps memory_GB framework set note",
    "id source operation variant accelerator accelerators_per_domain scale_up_GBps nics_per_domain "
    "nic_Gbps ranks domains bytes bytes_as_stated time_us busbw_GBps hardware_as_stated note "
    "usable",
    "id source gpu groups kernel M N K dtype time_ms tflops confidence note",
    "id source where machine run base_machine base seconds ratio note"};

char *
lp_measurements_unknown_columns(const LpTable *table)
{
    LpTableKind kind = lp_table_kind(table);
    g_return_val_if_fail(kind < LP_N_TABLE_KINDS, NULL);
    g_auto(GStrv) known = g_strsplit(known_columns[kind], " ", -1);
    g_autoptr(GString) names = g_string_new(NULL);
    guint n = 0;
    for (guint i = 0; lp_table_column(table, i) != NULL; i++) {
        const char *name = lp_table_column(table, i);
        if (g_strv_contains((const char *const *)known, name))
            continue;
        const char *like = *name != '\0' ? lp_like_name(name, (const char *const *)known) : NULL;
        g_autofree char *shown = lp_error_quote(name);
        g_string_append_printf(names, "%s%s%s%s%s", n++ > 0 ? ", " : "", shown,
                               like != NULL ? " (the nearest known is " : "",
                               like != NULL ? like : "", like != NULL ? ")" : "");
    }
    if (n == 0)
        return NULL;
    return g_strdup_printf("got the unknown column%s %s, which nothing reads, wanted those of %s "
                           "rows",
                           n == 1 ? "" : "s", names->str, lp_table_kind_names[kind]);
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
