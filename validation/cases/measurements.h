/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of measurements. */
#pragma once

#include "base/table.h"

G_BEGIN_DECLS

/** What a file measures, by its header: attributes and options of a machine, or columns of its own,
 * which validation/prepare.py restates. */
typedef enum {
    LP_TABLE_TRAINING,    /**< has machine and workload; or iteration_s */
    LP_TABLE_COLLECTIVES, /**< has machine, run and busbw_GBps; or busbw_GBps */
    LP_TABLE_GEMM,        /**< has machine, run and tflops; or M, N and K */
    LP_TABLE_CONTENTION,  /**< has machine and run */
    LP_N_TABLE_KINDS
} LpTableKind;

/** The names of LpTableKind. */
extern const char *const lp_table_kind_names[];

/** Reads @path, which must be of one of the kinds and have a row. @out_unknown, unless NULL:
 * (transfer full) "got the unknown column "micro_bacth" (the nearest known is micro_batch), which
 * nothing reads, wanted those of training rows", a reader's own, or misspelt; NULL: all columns are
 * known. Errors: as lp_table_load() and lp_prepared_table_new(). Returns: (transfer full). */
LpTable *lp_measurements_load(const char *path, char **out_unknown,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** What @table, of lp_measurements_load(), measures. */
LpTableKind lp_table_kind(const LpTable *table);
G_END_DECLS
