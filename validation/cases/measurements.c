/* SPDX-License-Identifier: Apache-2.0 */
/* Tells tables of measurements by their headers. */
#include "validation/cases/measurements.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "validation/cases/prepared_table.h"

const char *const lp_table_kind_names[] = {"training", "collectives", "gemm", "contention", NULL};

/* Columns that decide the kind of a table. */
static const char *const deciding[LP_N_TABLE_KINDS] = {"machine workload", "machine run busbw_GBps",
                                                       "machine run tflops", "machine run"};
/* Columns that decide the kind of a table in columns of its own, which is restated. */
static const char *const own_deciding[LP_N_TABLE_KINDS] = {"iteration_s", "busbw_GBps", "M N K",
                                                           "machine run"};

static LpTableKind
kind_by(const LpTable *table, const char *const *columns)
{
    LpTableKind kind = 0;
    while (kind < LP_N_TABLE_KINDS && !lp_table_has_columns(table, columns[kind]))
        kind++;
    return kind;
}

LpTableKind
lp_table_kind(const LpTable *table)
{
    return kind_by(table, deciding);
}

/* For each LpTableKind the columns that are read, and those that published tables have for people.
 */
static const char *const known_columns[LP_N_TABLE_KINDS] = {
    "id source publisher where kind model framework machine workload iteration_s memory_GB "
    "iteration_origin "
    "inferred unchecked refused group note",
    "id source publisher where machine run seconds busbw_GBps inferred refused note",
    "id source publisher where machine run seconds tflops inferred refused note",
    "id source publisher where machine run base_machine base seconds ratio inferred refused note"};
static const char *const own_columns[LP_N_TABLE_KINDS] = {
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

/* "got the unknown column ..."; NULL: all columns of @table are known. */
static char *
unknown_columns(const LpTable *table, const char *columns, const char *kind)
{
    g_auto(GStrv) known = g_strsplit(columns, " ", -1);
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
                           n == 1 ? "" : "s", names->str, kind);
}

LpTable *
lp_measurements_load(const char *path, char **out_unknown, GError **error)
{
    g_autoptr(GBytes) bytes = lp_file_read(path, error);
    if (bytes == NULL)
        return NULL;
    gsize length = 0;
    const char *text = g_bytes_get_data(bytes, &length);
    g_autoptr(LpTable) self = lp_table_parse(path, length > 0 ? text : "", length, error);
    if (self == NULL)
        return NULL;
    LpTableKind kind = lp_table_kind(self), own = kind_by(self, own_deciding);
    gboolean is_own = kind == LP_N_TABLE_KINDS;
    if (is_own)
        kind = own;
    if (kind == LP_N_TABLE_KINDS) {
        g_autofree char *shown = lp_table_header(self);
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "%s: got the header %s, wanted one with machine, and workload or run; or one "
                    "that is restated: with iteration_s, with busbw_GBps, or with M, N and K",
                    lp_table_path(self), shown);
        return NULL;
    }
    if (lp_table_n_rows(self) == 0) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "%s: got a header alone, wanted rows too", lp_table_path(self));
        return NULL;
    }
    if (out_unknown != NULL)
        *out_unknown = unknown_columns(self, is_own ? own_columns[kind] : known_columns[kind],
                                       lp_table_kind_names[kind]);
    return is_own ? lp_prepared_table_new(path, bytes, error) : g_steal_pointer(&self);
}
