/* SPDX-License-Identifier: Apache-2.0 */
/* A fit in rounds: the rows are simulated, and constants searched on their surrogates; then the
 * rows left out are simulated. */
#include "validation/calibration/fit.h"

#include "base/error.h"
#include "validation/calibration/fitted_rows.h"
#include "validation/calibration/minimise.h"

#include <math.h>
#include <string.h>

/* A round that gains less is the last. */
#define SETTLED 5e-4
/* How far a constant is moved for a slope: of itself, and at least of its range. */
#define STEP_OF_VALUE 0.2
#define STEP_OF_RANGE 0.02

typedef struct {
    const LpTable *table;        /* borrowed */
    const LpFitOptions *options; /* borrowed */
    LpFit *fit;                  /* borrowed */
} Fitting;

/* --- simulating --- */

static void report_stage(const Fitting *self, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void
report_stage(const Fitting *self, const char *format, ...)
{
    if (self->options->stage == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    self->options->stage(text, self->options->stage_data);
}

static gboolean
is_good(const LpOutcome *outcome)
{
    return outcome->status == LP_OUTCOME_OK && outcome->predicted[LP_PREDICTION_SIMULATED] > 0.0;
}

/* The indices (guint) of those of @rows (LpSurrogate) that depend on @constant and are of @source;
 * NULL: whatever the constant, whatever the source. */
static GArray *
rows_of(const GPtrArray *rows, const LpConstant *constant, const char *source)
{
    GArray *indices = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < rows->len; i++) {
        const LpSurrogate *row = rows->pdata[i];
        if ((constant == NULL || lp_surrogate_depends_on(row, constant)) &&
            (source == NULL || strcmp(row->source, source) == 0))
            g_array_append_val(indices, i);
    }
    return indices;
}

static void
free_outcome(gpointer data)
{
    lp_outcome_free(data);
}

static LpOutcome *
copy_outcome(const LpOutcome *outcome)
{
    LpOutcome *copy = lp_outcome_new(outcome->measure, outcome->id, outcome->source);
    g_autofree char *text = lp_outcome_to_text(outcome);
    gboolean good = lp_outcome_from_text(copy, text);
    g_assert(good);
    return copy;
}

/* Outcomes of rows_of(): those that failed in the first run have that outcome again, since what ran
 * into the limit of time would do so in every pass. @first: of all @rows; NULL: this is it. */
static GPtrArray *
simulate_some(Fitting *self, const GPtrArray *rows, const GArray *indices, const GPtrArray *first,
              const LpConstants *constants, GError **error)
{
    g_autoptr(GArray) wanted = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < indices->len; i++) {
        const LpSurrogate *row = rows->pdata[g_array_index(indices, guint, i)];
        if (!row->has_failed)
            g_array_append_val(wanted, row->row);
    }
    LpRunnerOptions run = self->options->run;
    run.rows = wanted;
    run.constants = constants;
    self->fit->n_simulated += wanted->len;
    g_autoptr(GPtrArray) outcomes = lp_runner_run(self->table, &run, error);
    if (outcomes == NULL)
        return NULL;
    GPtrArray *all = g_ptr_array_new_with_free_func(free_outcome);
    for (guint i = 0, next = 0; i < indices->len; i++) {
        guint index = g_array_index(indices, guint, i);
        LpSurrogate *row = rows->pdata[index];
        if (row->has_failed)
            g_ptr_array_add(all, copy_outcome(first->pdata[index]));
        else
            g_ptr_array_add(all, g_steal_pointer(&outcomes->pdata[next++]));
        row->has_failed |= first == NULL && !is_good(all->pdata[i]);
    }
    return all;
}

static GPtrArray *
simulate(Fitting *self, const GPtrArray *rows, const GPtrArray *first, const LpConstants *constants,
         GError **error)
{
    g_autoptr(GArray) indices = rows_of(rows, NULL, NULL);
    return simulate_some(self, rows, indices, first, constants, error);
}

static double
objective_of(Fitting *self, const GPtrArray *outcomes)
{
    g_autoptr(LpObjective) objective = lp_objective_new(self->fit->rows, NULL);
    double sum = 0.0;
    for (guint i = 0; i < outcomes->len; i++) {
        const LpOutcome *outcome = outcomes->pdata[i];
        if (!(objective->weights[i] > 0.0))
            continue;
        /* One that fails only now counts with a loss of 1. */
        sum += objective->weights[i] *
               (is_good(outcome) ? lp_objective_loss(outcome->predicted[LP_PREDICTION_SIMULATED],
                                                     outcome->measured)
                                 : 1.0);
    }
    return sum;
}

static void
anchor(Fitting *self, const LpConstants *constants, const GPtrArray *outcomes)
{
    for (guint i = 0; i < outcomes->len; i++) {
        const LpOutcome *outcome = outcomes->pdata[i];
        if (is_good(outcome))
            lp_surrogate_anchor(self->fit->rows->pdata[i], constants,
                                outcome->predicted[LP_PREDICTION_SIMULATED]);
    }
}

/* --- slopes --- */

/* A value beside the constant's own, on the side where there is room. */
static double
value_beside(const LpConstant *constant)
{
    const LpConstantKind *kind = &lp_constant_kinds[constant->kind];
    double step =
        MAX(STEP_OF_VALUE * constant->value, STEP_OF_RANGE * (kind->maximum - kind->minimum));
    double up = constant->value + step, down = constant->value - step;
    return up <= kind->maximum ? up : MAX(down, kind->minimum);
}

static gboolean
find_slopes_of(Fitting *self, const LpConstants *constants, guint variable, GError **error)
{
    const LpConstant *constant = lp_minimise_first(constants, variable);
    g_autoptr(LpConstants) beside = lp_constants_copy(constants);
    lp_minimise_set(beside, variable, value_beside(constant));
    double x = lp_surrogate_x(constant);
    double step = lp_surrogate_x(lp_minimise_first(beside, variable)) - x;
    g_autoptr(GArray) indices = rows_of(self->fit->rows, constant, NULL);
    g_autoptr(GPtrArray) outcomes =
        simulate_some(self, self->fit->rows, indices, self->fit->before, beside, error);
    if (outcomes == NULL)
        return FALSE;
    for (guint i = 0; i < indices->len; i++) {
        LpSurrogate *row = self->fit->rows->pdata[g_array_index(indices, guint, i)];
        const LpOutcome *outcome = outcomes->pdata[i];
        row->slopes[variable] = 0.0;
        if (!row->is_known || !is_good(outcome))
            continue;
        double now_s = row->ratio * lp_surrogate_closed_s(row, constants);
        row->slopes[variable] = (outcome->predicted[LP_PREDICTION_SIMULATED] - now_s) / step;
    }
    return TRUE;
}

/* Slopes of the variables that are not in the closed form, each by one more run of its rows. */
static gboolean
find_slopes(Fitting *self, const LpConstants *constants, GError **error)
{
    for (guint i = 0; i < constants->n_variables; i++) {
        const LpConstant *constant = lp_minimise_first(constants, i);
        if (lp_surrogate_is_closed(constant))
            continue;
        report_stage(self, "slope of %s", lp_constant_kinds[constant->kind].name);
        if (!find_slopes_of(self, constants, i, error))
            return FALSE;
    }
    return TRUE;
}

/* --- rounds --- */

static gboolean
is_equal(const LpConstants *a, const LpConstants *b)
{
    for (guint i = 0; i < lp_constants_n(a); i++)
        if (lp_constants_at(a, i)->value != lp_constants_at(b, i)->value)
            return FALSE;
    return TRUE;
}

static void
go_half_way(LpConstants *self, const LpConstants *back)
{
    for (guint i = 0; i < lp_constants_n(self); i++) {
        LpConstant *constant = lp_constants_at(self, i);
        if (constant->variable != LP_CONSTANT_FIXED)
            constant->value = lp_constant_round(
                constant->kind, 0.5 * (constant->value + lp_constants_at(back, i)->value));
    }
}

/* Takes over @tried if the simulation finds it better. */
static gboolean
try_constants(Fitting *self, const LpConstants *tried, gboolean *out_better, GError **error)
{
    LpFit *fit = self->fit;
    double best = g_array_index(fit->objectives, double, fit->objectives->len - 1);
    g_autoptr(GPtrArray) outcomes = simulate(self, fit->rows, fit->before, tried, error);
    if (outcomes == NULL)
        return FALSE;
    double value = objective_of(self, outcomes);
    *out_better = value < best;
    if (!*out_better)
        return TRUE;
    g_array_append_val(fit->objectives, value);
    lp_constants_free(fit->constants);
    fit->constants = lp_constants_copy(tried);
    g_ptr_array_unref(fit->after);
    fit->after = g_steal_pointer(&outcomes);
    anchor(self, fit->constants, fit->after);
    return TRUE;
}

static gboolean
do_round(Fitting *self, gboolean *out_go_on, GError **error)
{
    LpFit *fit = self->fit;
    double before = g_array_index(fit->objectives, double, fit->objectives->len - 1);
    if (!find_slopes(self, fit->constants, error))
        return FALSE;
    g_autoptr(LpObjective) objective = lp_objective_new(fit->rows, NULL);
    g_autoptr(LpConstants) tried = lp_constants_copy(fit->constants);
    lp_minimise(objective, self->options->constants, tried);
    fit->n_closed += objective->n_evaluated;
    gboolean better = FALSE;
    /* The surrogate may be wrong far from where it was made. */
    for (guint i = 0; i < 2 && !better && !is_equal(tried, fit->constants); i++) {
        if (i > 0)
            go_half_way(tried, fit->constants);
        report_stage(self, "simulating, round %u", fit->objectives->len);
        if (!try_constants(self, tried, &better, error))
            return FALSE;
    }
    double now = g_array_index(fit->objectives, double, fit->objectives->len - 1);
    *out_go_on = better && before - now > SETTLED;
    return TRUE;
}

static gboolean
do_rounds(Fitting *self, GError **error)
{
    LpFit *fit = self->fit;
    report_stage(self, "simulating, as it starts");
    fit->before = simulate(self, fit->rows, NULL, fit->constants, error);
    if (fit->before == NULL)
        return FALSE;
    fit->after = g_ptr_array_ref(fit->before);
    anchor(self, fit->constants, fit->before);
    for (guint i = 0; i < fit->before->len; i++)
        fit->n_failed += is_good(fit->before->pdata[i]) ? 0 : 1;
    double value = objective_of(self, fit->before);
    g_array_append_val(fit->objectives, value);
    gboolean go_on = TRUE;
    for (guint i = 0; i < self->options->n_rounds && go_on; i++)
        if (!do_round(self, &go_on, error))
            return FALSE;
    return TRUE;
}

/* --- cross-validation, and rows left out --- */

static gboolean
cross(Fitting *self, LpFitSource *source, GError **error)
{
    g_autoptr(LpObjective) objective = lp_objective_new(self->fit->rows, source->source);
    g_autoptr(LpConstants) constants = lp_constants_copy(self->options->constants);
    lp_minimise(objective, self->options->constants, constants);
    self->fit->n_closed += objective->n_evaluated;
    report_stage(self, "without %s", source->source);
    g_autoptr(GArray) indices = rows_of(self->fit->rows, NULL, source->source);
    g_autoptr(GPtrArray) outcomes =
        simulate_some(self, self->fit->rows, indices, self->fit->before, constants, error);
    if (outcomes == NULL)
        return FALSE;
    source->crossed = lp_score(outcomes, NULL, LP_PREDICTION_SIMULATED);
    source->is_crossed = TRUE;
    return TRUE;
}

static gboolean
score_sources(Fitting *self, GError **error)
{
    LpFit *fit = self->fit;
    g_autoptr(GPtrArray) names = lp_score_sources(fit->before);
    for (guint i = 0; i < names->len; i++) {
        LpFitSource source = {.source = names->pdata[i]};
        source.before = lp_score(fit->before, source.source, LP_PREDICTION_SIMULATED);
        source.after = lp_score(fit->after, source.source, LP_PREDICTION_SIMULATED);
        source.n_rows = source.before.n_rows;
        if (names->len > 1 && !cross(self, &source, error))
            return FALSE;
        g_array_append_val(fit->sources, source);
    }
    return TRUE;
}

static gboolean
run_others(Fitting *self, GError **error)
{
    LpFit *fit = self->fit;
    report_stage(self, "rows left out, as it starts");
    fit->other_before = simulate(self, fit->other_rows, NULL, self->options->constants, error);
    if (fit->other_before == NULL)
        return FALSE;
    report_stage(self, "rows left out");
    fit->other_after = simulate(self, fit->other_rows, fit->other_before, fit->constants, error);
    return fit->other_after != NULL;
}

static void
describe_variables(Fitting *self)
{
    LpFit *fit = self->fit;
    g_autoptr(LpObjective) objective = lp_objective_new(fit->rows, NULL);
    for (guint i = 0; i < fit->constants->n_variables; i++) {
        LpFitVariable variable = {0};
        const LpConstant *constant = lp_minimise_first(fit->constants, i);
        variable.first = (guint)(constant - lp_constants_at(fit->constants, 0));
        variable.start = lp_minimise_first(self->options->constants, i)->value;
        variable.value = constant->value;
        lp_minimise_range(objective, fit->constants, i, LP_FIT_TOLERANCE, &variable.low,
                          &variable.high);
        g_array_append_val(fit->variables, variable);
    }
    fit->n_closed += objective->n_evaluated;
}

static void
free_surrogate(gpointer data)
{
    lp_surrogate_free(data);
}

static LpFit *
fit_new(const LpConstants *constants)
{
    LpFit *self = g_new0(LpFit, 1);
    self->constants = lp_constants_copy(constants);
    self->variables = g_array_new(FALSE, FALSE, sizeof(LpFitVariable));
    self->sources = g_array_new(FALSE, FALSE, sizeof(LpFitSource));
    self->rows = g_ptr_array_new_with_free_func(free_surrogate);
    self->other_rows = g_ptr_array_new_with_free_func(free_surrogate);
    self->objectives = g_array_new(FALSE, FALSE, sizeof(double));
    return self;
}

void
lp_fit_free(LpFit *self)
{
    if (self == NULL)
        return;
    lp_constants_free(self->constants);
    g_array_unref(self->variables);
    g_array_unref(self->sources);
    g_clear_pointer(&self->before, g_ptr_array_unref);
    g_clear_pointer(&self->after, g_ptr_array_unref);
    g_clear_pointer(&self->other_before, g_ptr_array_unref);
    g_clear_pointer(&self->other_after, g_ptr_array_unref);
    g_ptr_array_unref(self->rows);
    g_ptr_array_unref(self->other_rows);
    g_array_unref(self->objectives);
    g_free(self);
}

LpFit *
lp_fit_run(const LpTable *table, const LpFitOptions *options, GError **error)
{
    g_return_val_if_fail(options->every >= 1 && options->n_rounds >= 1, NULL);
    if (lp_table_kind(table) != LP_TABLE_TRAINING) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "%s: got rows of %s, wanted rows of training", lp_table_path(table),
                    lp_table_kind_names[lp_table_kind(table)]);
        return NULL;
    }
    g_autoptr(LpFit) fit = fit_new(options->constants);
    Fitting self = {table, options, fit};
    report_stage(&self, "reading rows");
    lp_fitted_rows_choose(fit, table, options);
    if (!lp_fitted_rows_check(fit, table, error) || !do_rounds(&self, error) ||
        !score_sources(&self, error) || !run_others(&self, error))
        return NULL;
    describe_variables(&self);
    return g_steal_pointer(&fit);
}
