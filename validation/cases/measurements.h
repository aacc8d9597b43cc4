/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of measurements. */
#pragma once

#include "base/table.h"

G_BEGIN_DECLS

/** What a file measures, by its header. */
typedef enum {
    LP_TABLE_TRAINING,    /**< has iteration_s */
    LP_TABLE_COLLECTIVES, /**< has busbw_GBps */
    LP_TABLE_GEMM,        /**< has M, N and K */
    LP_TABLE_CONTENTION,  /**< has machine, run and base */
    LP_N_TABLE_KINDS
} LpTableKind;

/** By LpTableKind. */
extern const char *const lp_table_kind_names[];

/** Reads @path, which must be of one of the kinds and have a row. Errors: as lp_table_load().
 * Returns: (transfer full). */
LpTable *lp_measurements_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** What @table, of lp_measurements_load(), measures. */
LpTableKind lp_table_kind(const LpTable *table);
/** "got the unknown column "micro_bacth" (the nearest known is micro_batch), which nothing reads,
 * wanted those of training rows": a reader's own, or misspelt. NULL: all columns
 * are known. Returns: (transfer full). */
char *lp_measurements_unknown_columns(const LpTable *table);

G_END_DECLS
