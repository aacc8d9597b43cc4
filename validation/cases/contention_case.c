/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts the run and, of ratios, what it is compared with. */
#include "validation/cases/contention_case.h"

#include "platforms/generation/generate.h"
#include "validation/cases/contention_run.h"

static void
describe(const LpTableRow *row, LpOutcome *outcome)
{
    g_autoptr(GError) error = NULL;
    gboolean is_ratio = lp_table_has(row, "ratio");
    outcome->measure = is_ratio ? LP_MEASURE_RATIO : LP_MEASURE_TIME;
    if (!lp_table_measured(row, is_ratio ? "ratio" : "seconds", &outcome->measured, &error))
        lp_outcome_fail(outcome, LP_OUTCOME_FAILED, error->message);
}

/* The run in @column on the machine in @machine_column. */
static gboolean
run_s(const LpTableRow *row, const char *column, const char *machine_column, double *out_time_s,
      GError **error)
{
    g_autoptr(LpMachineSpecification) specification =
        lp_specification_parse(lp_table_text(row, machine_column), error);
    g_autoptr(LpMachine) machine =
        specification == NULL ? NULL : lp_generate_machine(specification, "machine", error);
    if (machine == NULL)
        return lp_table_prefix(row, machine_column, error);
    return lp_contention_run_s(lp_table_text(row, column), machine, out_time_s, error) ||
           lp_table_prefix(row, column, error);
}

static gboolean
predict_row(const LpTableRow *row, LpOutcome *outcome, GError **error)
{
    double time_s = 0.0, base_s = 1.0;
    const char *base_machine = lp_table_has(row, "base_machine") ? "base_machine" : "machine";
    if (outcome->measure == LP_MEASURE_RATIO && !lp_table_has(row, "base"))
        return lp_table_fault(row, "base", "what the ratio is to", error);
    if (!run_s(row, "run", "machine", &time_s, error) ||
        (lp_table_has(row, "base") && !run_s(row, "base", base_machine, &base_s, error)))
        return FALSE;
    outcome->predicted[LP_PREDICTION_SIMULATED] = time_s / base_s;
    return TRUE;
}

/* Constants are of accelerators and libraries; none is fitted to these rows. */
static void
predict(const LpTableRow *row, const LpConstants *constants, LpOutcome *outcome)
{
    (void)constants;
    g_autoptr(GError) error = NULL;
    if (!predict_row(row, outcome, &error))
        lp_outcome_fail(outcome, LP_OUTCOME_FAILED, error->message);
}

const LpCaseKind lp_contention_case = {LP_MEASURE_TIME, describe, NULL, predict};
