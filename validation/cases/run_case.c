/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts the run and, of ratios, what it is compared with. */
#include "validation/cases/run_case.h"

#include "platforms/generation/generate.h"
#include "validation/cases/row_fields.h"
#include "validation/cases/run_line.h"

static const struct {
    const char *column;
    LpMeasure measure;
    double unit;
} measures[] = {
    {"ratio", LP_MEASURE_RATIO, 1.0},
    {"tflops", LP_MEASURE_RATE, 1e12},
    {"busbw_GBps", LP_MEASURE_BANDWIDTH, 1e9},
    {"seconds", LP_MEASURE_TIME, 1.0},
};

static void
describe(const LpTableRow *row, LpOutcome *outcome)
{
    g_autoptr(GError) error = NULL;
    guint i = 0;
    while (i + 1 < G_N_ELEMENTS(measures) && !lp_table_has(row, measures[i].column))
        i++;
    outcome->measure = measures[i].measure;
    if (!lp_table_measured(row, measures[i].column, &outcome->measured, &error))
        lp_outcome_fail_by(outcome, error);
    outcome->measured *= measures[i].unit;
}

/* The run in @column on the machine in @machine_column. */
static gboolean
run(const LpTableRow *row, const char *column, const char *machine_column,
    const LpConstants *constants, LpRunFigures *out, GError **error)
{
    g_autoptr(LpMachineSpecification) specification = lp_row_machine(row, machine_column, error);
    if (specification == NULL)
        return FALSE;
    g_autoptr(LpMachine) machine = lp_generate_machine(specification, "machine", error);
    if (machine == NULL)
        return lp_table_prefix(row, machine_column, error);
    return lp_run_line(lp_table_text(row, column), machine, constants, out, error) ||
           lp_table_prefix(row, column, error);
}

/* @time_s as what was measured; 0: there is none. */
static double
in_measure(LpMeasure measure, const LpRunFigures *figures, double time_s)
{
    if (!(time_s > 0.0))
        return 0.0;
    if (measure == LP_MEASURE_BANDWIDTH)
        return figures->counted_bytes / time_s;
    return measure == LP_MEASURE_RATE ? figures->flop / time_s : time_s;
}

static gboolean
predict_row(const LpTableRow *row, const LpConstants *constants, LpOutcome *outcome, GError **error)
{
    LpRunFigures figures = {0}, base = {.time_s = 1.0};
    const char *base_machine = lp_table_has(row, "base_machine") ? "base_machine" : "machine";
    lp_row_take_inferred(row, outcome);
    if (!lp_row_check_refused(row, outcome, error))
        return FALSE;
    if (outcome->measure == LP_MEASURE_RATIO && !lp_table_has(row, "base"))
        return lp_table_fault(row, "base", "what the ratio is to", error);
    if (!run(row, "run", "machine", constants, &figures, error) ||
        (lp_table_has(row, "base") && !run(row, "base", base_machine, constants, &base, error)))
        return FALSE;
    if ((outcome->measure == LP_MEASURE_BANDWIDTH && !(figures.counted_bytes > 0.0)) ||
        (outcome->measure == LP_MEASURE_RATE && !(figures.flop > 0.0)))
        return lp_table_fault(row, "run", "what has the rate that was measured", error);
    LpMeasure measure = outcome->measure;
    outcome->predicted[LP_PREDICTION_SIMULATED] =
        in_measure(measure, &figures, figures.time_s) / base.time_s;
    /* Neither closed form has two runs beside each other. */
    if (lp_table_knows(row, "base"))
        return TRUE;
    outcome->predicted[LP_PREDICTION_CONSISTENT] =
        in_measure(measure, &figures, figures.consistent_s);
    double rate = figures.amped_flop_per_s;
    if (rate > 0.0)
        outcome->predicted[LP_PREDICTION_AMPED] =
            measure == LP_MEASURE_RATE ? rate : figures.flop / rate;
    return TRUE;
}

static void
predict(const LpTableRow *row, const LpConstants *constants, LpOutcome *outcome)
{
    g_autoptr(GError) error = NULL;
    if (!predict_row(row, constants, outcome, &error))
        lp_outcome_fail_by(outcome, error);
}

const LpCaseKind lp_run_case = {LP_MEASURE_TIME, describe, NULL, predict};
