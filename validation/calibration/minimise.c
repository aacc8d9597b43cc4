/* SPDX-License-Identifier: Apache-2.0 */
/* The objective, and its minimisation by NLopt. */
#include "validation/calibration/minimise.h"

#include <math.h>
#include <nlopt.h>
#include <string.h>

/* Constants of the loss: how well measurements repeat, and the error from which a row is wrong for
 * another reason than a constant. */
#define NOISE 0.02
#define FAR 0.3
/* Constants of the search, in fractions of a constant's range: the weight of the pull towards the
 * start, the first step, and the step at which it ends. */
#define PULL 5e-4
#define STEP 0.05
#define SETTLED 1e-5
#define EVALUATIONS_PER_VARIABLE 150
#define N_BISECTIONS 24

/* --- objective --- */

LpObjective *
lp_objective_new(const GPtrArray *rows, const char *without)
{
    LpObjective *self = g_new0(LpObjective, 1);
    g_autoptr(GHashTable) counts = g_hash_table_new(g_str_hash, g_str_equal);
    self->rows = rows;
    self->weights = g_new0(double, MAX(rows->len, 1));
    for (guint i = 0; i < rows->len; i++) {
        const LpSurrogate *row = rows->pdata[i];
        if (!row->is_known || g_strcmp0(row->source, without) == 0)
            continue;
        guint n = GPOINTER_TO_UINT(g_hash_table_lookup(counts, row->source));
        g_hash_table_insert(counts, row->source, GUINT_TO_POINTER(n + 1));
        self->weights[i] = 1.0;
    }
    double n_sources = (double)g_hash_table_size(counts);
    for (guint i = 0; i < rows->len; i++) {
        const LpSurrogate *row = rows->pdata[i];
        if (self->weights[i] > 0.0)
            self->weights[i] /=
                n_sources * GPOINTER_TO_UINT(g_hash_table_lookup(counts, row->source));
    }
    return self;
}

void
lp_objective_free(LpObjective *self)
{
    if (self == NULL)
        return;
    g_free(self->weights);
    g_free(self);
}

double
lp_objective_loss(double predicted, double measured)
{
    double error = fabs(log(predicted / measured));
    if (error < NOISE)
        return 0.5 * error * error / NOISE;
    if (error < FAR)
        return error - 0.5 * NOISE;
    return FAR * (1.0 + log(error / FAR)) - 0.5 * NOISE;
}

double
lp_objective_value(LpObjective *self, const LpConstants *constants)
{
    double sum = 0.0;
    for (guint i = 0; i < self->rows->len; i++) {
        if (!(self->weights[i] > 0.0))
            continue;
        const LpSurrogate *row = self->rows->pdata[i];
        sum += self->weights[i] *
               lp_objective_loss(lp_surrogate_predict(row, constants), row->measured_s);
        self->n_evaluated++;
    }
    return sum;
}

gboolean
lp_objective_depends_on(const LpObjective *self, const LpConstants *constants, guint variable)
{
    for (guint i = 0; i < self->rows->len; i++) {
        const LpSurrogate *row = self->rows->pdata[i];
        if (!(self->weights[i] > 0.0))
            continue;
        for (guint j = 0; j < lp_constants_n(constants); j++) {
            const LpConstant *constant = lp_constants_at(constants, j);
            if (constant->variable == variable && lp_surrogate_depends_on(row, constant))
                return TRUE;
        }
    }
    return FALSE;
}

/* --- variables --- */

const LpConstant *
lp_minimise_first(const LpConstants *constants, guint variable)
{
    for (guint i = 0; i < lp_constants_n(constants); i++)
        if (lp_constants_at(constants, i)->variable == variable)
            return lp_constants_at(constants, i);
    g_assert_not_reached();
}

void
lp_minimise_set(LpConstants *constants, guint variable, double value)
{
    for (guint i = 0; i < lp_constants_n(constants); i++)
        if (lp_constants_at(constants, i)->variable == variable)
            lp_constants_at(constants, i)->value = value;
}

/* The search runs on fractions of each constant's range, 0 to 1. */
static double
to_unit(guint kind, double value)
{
    const LpConstantKind *rule = &lp_constant_kinds[kind];
    return CLAMP((value - rule->minimum) / (rule->maximum - rule->minimum), 0.0, 1.0);
}

static double
from_unit(guint kind, double x)
{
    const LpConstantKind *rule = &lp_constant_kinds[kind];
    return CLAMP(rule->minimum + x * (rule->maximum - rule->minimum), rule->minimum, rule->maximum);
}

/* --- search --- */

typedef struct {
    LpObjective *objective;
    LpConstants *constants; /* borrowed: those that are tried */
    const double *start;    /* borrowed: by variable searched, 0 to 1 */
    const guint *variables; /* borrowed */
    const guint *kinds;     /* borrowed */
} Search;

static double
evaluate(unsigned n, const double *x, double *gradient, void *data)
{
    Search *self = data;
    double pull = 0.0;
    (void)gradient; /* of a method that asks for none */
    for (unsigned i = 0; i < n; i++) {
        lp_minimise_set(self->constants, self->variables[i], from_unit(self->kinds[i], x[i]));
        pull += (x[i] - self->start[i]) * (x[i] - self->start[i]) / n;
    }
    return lp_objective_value(self->objective, self->constants) + PULL * pull;
}

static void
search(Search *self, guint n, double *x)
{
    double value = 0.0;
    nlopt_opt optimiser = nlopt_create(NLOPT_LN_SBPLX, n);
    (void)nlopt_set_min_objective(optimiser, evaluate, self);
    (void)nlopt_set_lower_bounds1(optimiser, 0.0);
    (void)nlopt_set_upper_bounds1(optimiser, 1.0);
    (void)nlopt_set_initial_step1(optimiser, STEP);
    (void)nlopt_set_xtol_abs1(optimiser, SETTLED);
    (void)nlopt_set_ftol_abs(optimiser, 1e-8);
    (void)nlopt_set_maxeval(optimiser, EVALUATIONS_PER_VARIABLE * (int)n);
    /* Whatever stops it, x is the best point that it has evaluated. */
    (void)nlopt_optimize(optimiser, x, &value);
    nlopt_destroy(optimiser);
}

void
lp_minimise(LpObjective *self, const LpConstants *start, LpConstants *constants)
{
    guint n = 0, n_all = constants->n_variables;
    g_autofree guint *variables = g_new0(guint, n_all), *kinds = g_new0(guint, n_all);
    g_autofree double *x = g_new0(double, n_all), *from = g_new0(double, n_all);
    for (guint i = 0; i < n_all; i++) {
        if (!lp_objective_depends_on(self, constants, i))
            continue;
        const LpConstant *constant = lp_minimise_first(constants, i);
        variables[n] = i;
        kinds[n] = constant->kind;
        x[n] = to_unit(constant->kind, constant->value);
        from[n++] = to_unit(constant->kind, lp_minimise_first(start, i)->value);
    }
    if (n == 0)
        return;
    g_autoptr(LpConstants) tried = lp_constants_copy(constants);
    Search state = {self, tried, from, variables, kinds};
    /* A simplex that has shrunk too soon goes on when it begins anew. */
    search(&state, n, x);
    search(&state, n, x);
    for (guint i = 0; i < n; i++)
        lp_minimise_set(constants, variables[i],
                        lp_constant_round(kinds[i], from_unit(kinds[i], x[i])));
}

static double
objective_at(LpObjective *self, LpConstants *tried, guint variable, double value)
{
    lp_minimise_set(tried, variable, value);
    return lp_objective_value(self, tried);
}

/* The last value on the way from @inside to @bound at which the objective is at most @limit. */
static double
find_edge(LpObjective *self, LpConstants *tried, guint variable, double inside, double bound,
          double limit)
{
    if (objective_at(self, tried, variable, bound) <= limit)
        return bound;
    for (guint i = 0; i < N_BISECTIONS; i++) {
        double middle = 0.5 * (inside + bound);
        if (objective_at(self, tried, variable, middle) <= limit)
            inside = middle;
        else
            bound = middle;
    }
    return inside;
}

void
lp_minimise_range(LpObjective *self, const LpConstants *constants, guint variable, double tolerance,
                  double *out_low, double *out_high)
{
    const LpConstant *constant = lp_minimise_first(constants, variable);
    const LpConstantKind *kind = &lp_constant_kinds[constant->kind];
    double limit = lp_objective_value(self, constants) + tolerance;
    g_autoptr(LpConstants) tried = lp_constants_copy(constants);
    *out_low = find_edge(self, tried, variable, constant->value, kind->minimum, limit);
    *out_high = find_edge(self, tried, variable, constant->value, kind->maximum, limit);
}
