/* SPDX-License-Identifier: Apache-2.0 */
/* Eliminates variables. */
#include "search/least_choice.h"

#include <math.h>

/* What several things cost together: by their choices, the first thing's changing fastest. */
typedef struct {
    GArray *things; /* owned: guint, ascending */
    double *table;  /* owned */
    gboolean is_done;
} Factor;

/* A thing that is eliminated, and what it takes by the choices of its neighbours. */
typedef struct {
    guint thing;
    GArray *things; /* owned: guint, the neighbours */
    guint8 *best;   /* owned */
} Step;

typedef struct {
    const LpLeastChoice *problem; /* borrowed */
    GPtrArray *factors;           /* owned Factor */
    GPtrArray *steps;             /* owned Step */
} Elimination;

static void
factor_free(gpointer data)
{
    Factor *self = data;
    g_array_unref(self->things);
    g_free(self->table);
    g_free(self);
}

static void
step_free(gpointer data)
{
    Step *self = data;
    g_array_unref(self->things);
    g_free(self->best);
    g_free(self);
}

static gboolean
has_thing(const GArray *things, guint thing)
{
    for (guint i = 0; i < things->len; i++)
        if (g_array_index(things, guint, i) == thing)
            return TRUE;
    return FALSE;
}

/* Numbers in a table of @n things; 0: too many. */
static gsize
table_size(const LpLeastChoice *problem, guint n)
{
    gsize size = 1;
    for (guint i = 0; i < n; i++) {
        size *= problem->n_choices;
        if (size > LP_LEAST_CHOICE_TABLE_MAX)
            return 0;
    }
    return size;
}

/* The place in a table of the combination in which @things have taken @chosen. */
static gsize
place(const LpLeastChoice *problem, const GArray *things, const guint32 *chosen)
{
    gsize index = 0;
    for (guint i = things->len; i > 0; i--)
        index = index * problem->n_choices + chosen[g_array_index(things, guint, i - 1)];
    return index;
}

static void
choose_at(const LpLeastChoice *problem, const GArray *things, gsize index, guint32 *chosen)
{
    for (guint i = 0; i < things->len; i++, index /= problem->n_choices)
        chosen[g_array_index(things, guint, i)] = (guint32)(index % problem->n_choices);
}

static double
difference(const LpLeastChoice *self, guint a, guint b)
{
    return self->differs[a * self->n + b] + self->differs[b * self->n + a];
}

double
lp_least_choice_cost(const LpLeastChoice *self, const guint32 *chosen)
{
    double sum = 0.0;
    for (guint i = 0; i < self->n; i++) {
        sum += self->cost[i * self->n_choices + chosen[i]];
        for (guint j = i + 1; j < self->n; j++)
            sum += chosen[i] != chosen[j] ? difference(self, i, j) : 0.0;
    }
    return sum;
}

static Factor *
add_factor(Elimination *self, const guint *things, guint n)
{
    Factor *factor = g_new0(Factor, 1);
    factor->things = g_array_new(FALSE, FALSE, sizeof(guint));
    g_array_append_vals(factor->things, things, n);
    factor->table = g_new0(double, table_size(self->problem, n));
    g_ptr_array_add(self->factors, factor);
    return factor;
}

static void
add_all(Elimination *self)
{
    const LpLeastChoice *problem = self->problem;
    guint k = problem->n_choices;
    for (guint i = 0; i < problem->n; i++) {
        Factor *own = add_factor(self, &i, 1);
        for (guint choice = 0; choice < k; choice++)
            own->table[choice] = problem->cost[i * k + choice];
        for (guint j = i + 1; j < problem->n; j++) {
            if (difference(problem, i, j) == 0.0)
                continue;
            const guint both[] = {i, j};
            Factor *pair = add_factor(self, both, 2);
            for (guint a = 0; a < k; a++)
                for (guint b = 0; b < k; b++)
                    pair->table[b * k + a] = a != b ? difference(problem, i, j) : 0.0;
        }
    }
}

/* The things that share a factor with @thing. Returns: (transfer full) guint, ascending. */
static GArray *
neighbours(const Elimination *self, guint thing)
{
    g_autofree gboolean *meets = g_new0(gboolean, self->problem->n);
    for (guint i = 0; i < self->factors->len; i++) {
        const Factor *factor = self->factors->pdata[i];
        if (factor->is_done || !has_thing(factor->things, thing))
            continue;
        for (guint j = 0; j < factor->things->len; j++)
            meets[g_array_index(factor->things, guint, j)] = TRUE;
    }
    GArray *found = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint other = 0; other < self->problem->n; other++)
        if (meets[other] && other != thing)
            g_array_append_val(found, other);
    return found;
}

/* What factors with @thing cost, of things that have taken @chosen. */
static double
cost_around(const Elimination *self, guint thing, const guint32 *chosen)
{
    double sum = 0.0;
    for (guint i = 0; i < self->factors->len; i++) {
        const Factor *factor = self->factors->pdata[i];
        if (!factor->is_done && has_thing(factor->things, thing))
            sum += factor->table[place(self->problem, factor->things, chosen)];
    }
    return sum;
}

/* @things: (transfer full), the neighbours. */
static void
eliminate(Elimination *self, guint thing, GArray *things)
{
    const LpLeastChoice *problem = self->problem;
    g_autofree guint32 *chosen = g_new0(guint32, problem->n);
    Step *step = g_new0(Step, 1);
    gsize size = table_size(problem, things->len);
    step->thing = thing;
    step->things = things;
    step->best = g_new0(guint8, size);
    g_ptr_array_add(self->steps, step);
    g_autofree double *least = g_new(double, size);
    for (gsize index = 0; index < size; index++) {
        choose_at(problem, things, index, chosen);
        least[index] = INFINITY;
        for (guint32 choice = 0; choice < problem->n_choices; choice++) {
            chosen[thing] = choice;
            double cost = cost_around(self, thing, chosen);
            if (cost < least[index]) {
                least[index] = cost;
                step->best[index] = (guint8)choice;
            }
        }
    }
    for (guint i = 0; i < self->factors->len; i++) {
        Factor *factor = self->factors->pdata[i];
        factor->is_done = factor->is_done || has_thing(factor->things, thing);
    }
    Factor *rest = add_factor(self, (const guint *)(gpointer)things->data, things->len);
    for (gsize index = 0; index < size; index++)
        rest->table[index] = least[index];
}

/* The one with fewest neighbours of those that are not @is_gone. */
static gboolean
eliminate_next(Elimination *self, gboolean *is_gone)
{
    GArray *fewest = NULL;
    guint thing = 0;
    for (guint i = 0; i < self->problem->n; i++) {
        GArray *around = is_gone[i] ? NULL : neighbours(self, i);
        if (around != NULL && (fewest == NULL || around->len < fewest->len)) {
            g_clear_pointer(&fewest, g_array_unref);
            fewest = g_array_ref(around);
            thing = i;
        }
        g_clear_pointer(&around, g_array_unref);
    }
    is_gone[thing] = TRUE;
    if (table_size(self->problem, fewest->len + 1) == 0) {
        g_array_unref(fewest);
        return FALSE;
    }
    eliminate(self, thing, fewest);
    return TRUE;
}

gboolean
lp_least_choice_find(const LpLeastChoice *self, guint32 *out_chosen)
{
    Elimination all = {self, g_ptr_array_new_with_free_func(factor_free),
                       g_ptr_array_new_with_free_func(step_free)};
    g_autofree gboolean *is_gone = g_new0(gboolean, MAX(self->n, 1));
    gboolean fits = TRUE;
    add_all(&all);
    for (guint i = 0; i < self->n && fits; i++)
        fits = eliminate_next(&all, is_gone);
    for (guint i = fits ? all.steps->len : 0; i > 0; i--) {
        const Step *step = all.steps->pdata[i - 1];
        out_chosen[step->thing] = step->best[place(self, step->things, out_chosen)];
    }
    g_ptr_array_unref(all.factors);
    g_ptr_array_unref(all.steps);
    return fits && isfinite(lp_least_choice_cost(self, out_chosen));
}
