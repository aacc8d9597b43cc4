/* SPDX-License-Identifier: Apache-2.0 */
/* A kind of measured rows: how a row is described, and how what it measured is predicted. */
#pragma once

#include "validation/cases/measurements.h"
#include "validation/prediction/constant.h"
#include "validation/prediction/outcome.h"

G_BEGIN_DECLS

/** How rows of one kind are treated. */
typedef struct {
    LpMeasure measure; /**< unless describe() finds another */
    /** Fills in what is measured and, of plans, the group: without running anything. A row whose
     * measured value cannot be read has failed. */
    void (*describe)(const LpTableRow *row, LpOutcome *outcome);
    /** All that predict() looks at, but for constants, as a text: rows with the same text have the
     * same predictions. Takes the notes that predict() begins with. NULL: the row cannot be
     * predicted, or is like no other. The member is NULL where no two rows are the same. Returns:
     * (transfer full). */
    char *(*inputs)(const LpTableRow *row, LpOutcome *scratch);
    /** Fills in the predictions, or fails @outcome. Runs in a process of its own, once a process,
     * and need not free what it takes. Never reads the measured columns. @constants: in
     * place of the shipped ones; NULL: none. */
    void (*predict)(const LpTableRow *row, const LpConstants *constants, LpOutcome *outcome);
} LpCaseKind;

G_END_DECLS
