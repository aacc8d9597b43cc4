/* SPDX-License-Identifier: Apache-2.0 */
/* Compares libraries, and finds where they cross. */
#include "search/tuning.h"

#include "model/network/library_table.h"

#include <math.h>

guint
lp_tuning_best(const LpTuning *self, const LpTuningPoint *point)
{
    return lp_tuning_next(self, point, LP_TUNING_LIBRARIES_MAX);
}

guint
lp_tuning_next(const LpTuning *self, const LpTuningPoint *point, guint best)
{
    guint least = LP_TUNING_LIBRARIES_MAX;
    for (guint i = 0; i < self->n_libraries; i++) {
        double time_s = point->times[i].time_s;
        if (i != best && time_s > 0.0 &&
            (least == LP_TUNING_LIBRARIES_MAX || time_s < point->times[least].time_s))
            least = i;
    }
    return least;
}

double
lp_tuning_margin(const LpTuningPoint *point, guint best, guint library)
{
    return point->times[library].time_s / point->times[best].time_s - 1.0;
}

static double
scatter(const LpTuning *self, const LpTuningPoint *point, guint library)
{
    return point->times[library].is_measured
               ? lp_library_scatter(&self->libraries[library], point->collective,
                                    point->n_nodes == 1)
               : LP_TUNING_MODEL_ERROR;
}

gboolean
lp_tuning_is_tie(const LpTuning *self, const LpTuningPoint *point, guint best, guint library)
{
    return lp_tuning_margin(point, best, library) <=
           scatter(self, point, best) + scatter(self, point, library);
}

double
lp_tuning_key_s(const LpTuning *self, guint key, guint library)
{
    double sum_s = 0.0;
    for (guint i = 0; i < self->points->len; i++) {
        const LpTuningPoint *point = lp_tuning_point(self, i);
        if (point->key != key)
            continue;
        double time_s = point->times[library].time_s;
        sum_s += time_s > 0.0 ? (double)point->n_calls * time_s : INFINITY;
    }
    return sum_s;
}

/* --- crossings --- */

/* Whether @b is the size that follows @a in a grid. */
static gboolean
is_next_size(const LpTuningPoint *a, const LpTuningPoint *b)
{
    return a->collective == b->collective && a->traffic == LP_N_TRAFFIC &&
           b->traffic == LP_N_TRAFFIC && a->n_ranks == b->n_ranks && a->n_nodes == b->n_nodes;
}

/* A size between two that are further apart than a hundredth, that all ranks share; 0: there is
 * none. */
static guint64
middle_bytes(const LpTuningPoint *a, const LpTuningPoint *b)
{
    if ((double)b->bytes <= (double)a->bytes * 1.01)
        return 0;
    guint64 bytes = (guint64)(sqrt((double)a->bytes) * sqrt((double)b->bytes));
    bytes -= bytes % a->n_ranks;
    return bytes > a->bytes && bytes < b->bytes ? bytes : 0;
}

/* Between others that cross. Returns: whether there are any. */
static gboolean
add_middles(LpTuning *self)
{
    guint n = self->points->len;
    for (guint i = 0; i + 1 < n; i++) {
        const LpTuningPoint *a = lp_tuning_point(self, i), *b = lp_tuning_point(self, i + 1);
        if (!is_next_size(a, b) || lp_tuning_best(self, a) == lp_tuning_best(self, b))
            continue;
        guint64 bytes = middle_bytes(a, b);
        if (bytes != 0)
            lp_tuning_add_like(self, a, bytes);
    }
    return self->points->len > n;
}

gboolean
lp_tuning_refine(LpTuning *self, GError **error)
{
    lp_tuning_sort(self);
    while (add_middles(self)) {
        if (!lp_tuning_measure(self, error))
            return FALSE;
        lp_tuning_sort(self);
    }
    return TRUE;
}
