/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of measured contention: seconds of what shares links, or the ratio of two such times. */
#pragma once

#include "validation/cases/case_kind.h"

G_BEGIN_DECLS

/** Columns "machine" and "run" (validation/cases/contention_run.h); "base" and "base_machine": what
 * it is divided by, on the same machine unless said; and "seconds" or "ratio", what was measured.
 */
extern const LpCaseKind lp_contention_case;

G_END_DECLS
