/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of measured rows. */
#pragma once

#include "validation/cases/case_kind.h"

G_BEGIN_DECLS

/** How rows of @kind are treated, static; NULL if they cannot be predicted. */
const LpCaseKind *lp_case_kind(LpTableKind kind);

/** The reason why @row counts in its source alone and no constant is fitted to it, static: its time
 * was composed of times of parts, or it measures memory only. NULL: it counts. */
const char *lp_case_exclusion(const LpTableRow *row);

/** An outcome with what the row states, before anything is run. Returns: (transfer full). */
LpOutcome *lp_case_describe(const LpCaseKind *kind, const LpTableRow *row);

G_END_DECLS
