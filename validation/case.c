/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of measured rows that can be predicted. */
#include "validation/case.h"

#include "validation/collective_case.h"
#include "validation/gemm_case.h"
#include "validation/training_case.h"

const LpCaseKind *
lp_case_kind(LpTableKind kind)
{
    switch (kind) {
    case LP_TABLE_TRAINING:
        return &lp_training_case;
    case LP_TABLE_COLLECTIVES:
        return &lp_collective_case;
    case LP_TABLE_GEMM:
        return &lp_gemm_case;
    case LP_N_TABLE_KINDS:
        return NULL;
    }
    g_assert_not_reached();
}

LpOutcome *
lp_case_describe(const LpCaseKind *kind, const LpTableRow *row)
{
    g_autofree char *id = lp_table_id(row);
    const char *source = lp_table_text(row, "source");
    LpOutcome *outcome = lp_outcome_new(kind->measure, id, *source != '\0' ? source : "(none)");
    kind->describe(row, outcome);
    return outcome;
}
