/* SPDX-License-Identifier: Apache-2.0 */
/* A row of measured training for tests, and what becomes of it when some of its columns change. */
#pragma once

#include "validation/cases/measurements.h"

G_BEGIN_DECLS

/** Columns of a row with flash attention, which says nothing of sequence parallelism. */
#define FLASH "attention=flash;ffn_kind=swiglu;sequence_parallel=;"

/** A table of one row that is good as it stands, with @changes: "column=value" separated by ";".
 * Returns: (transfer full). */
LpTable *lp_training_row_table(const char *changes);

/** A table with such a row for each of @changes, "r1", "r2" ..., whose reading takes as long as
 * that of one. All have the columns of all, empty where nothing changes them. Returns: (transfer
 * full). */
LpTable *lp_training_rows_table(const char *const *changes, guint n_rows);

/** What is to become of that row with @changes: the workload has @attributes ("name=value"
 * separated by spaces), and a note of what was inferred contains @note; NULL: there are no notes.
 */
typedef struct {
    const char *label, *changes, *attributes;
    const char *note;
} LpTrainingRow;

/** Restates such rows, all of one table, and asserts that. */
void lp_training_rows_expect(const LpTrainingRow *rows, guint n_rows);

G_END_DECLS
