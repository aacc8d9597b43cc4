/* SPDX-License-Identifier: Apache-2.0 */
/* Looks times up, and scales those of other groups. */
#include "model/network/library_table.h"

#include <math.h>

/* Rows of one collective, ranks and nodes follow each other, the smallest size first. */
typedef struct {
    const LpMeasuredTime *rows; /* borrowed */
    guint32 n;
} Series;

static Series
series_at(const LpLibrary *self, guint32 first)
{
    const LpMeasuredTime *row = &self->measured[first];
    Series series = {row, 0};
    while (first + series.n < self->n_measured && row[series.n].collective == row->collective &&
           row[series.n].n_ranks == row->n_ranks && row[series.n].n_nodes == row->n_nodes)
        series.n++;
    return series;
}

/* Whether a row is of the collective and of the same kind of group: rows within a node say nothing
 * about rows between nodes, and the other way round. */
static gboolean
tells(const LpMeasuredTime *row, LpCollective collective, gboolean is_one_node)
{
    return row->collective == collective && (row->n_nodes == 1) == is_one_node;
}

/* The rows of the ranks and nodes that are nearest by their ratios; none: n is 0. */
static Series
nearest(const LpLibrary *self, LpCollective collective, guint64 n_ranks, guint64 n_nodes)
{
    Series best = {NULL, 0}, series;
    double least = INFINITY;
    for (guint32 i = 0; i < self->n_measured; i += series.n) {
        series = series_at(self, i);
        double far = fabs(log((double)n_ranks / (double)series.rows->n_ranks)) +
                     fabs(log((double)n_nodes / (double)series.rows->n_nodes));
        if (tells(series.rows, collective, n_nodes == 1) && far < least) {
            best = series;
            least = far;
        }
    }
    return best;
}

static double
interpolate(Series series, guint64 bytes)
{
    guint32 i = 1;
    if (bytes <= series.rows[0].bytes || series.n == 1)
        return series.rows[0].time_s;
    while (i + 1 < series.n && bytes > series.rows[i].bytes)
        i++;
    const LpMeasuredTime *from = &series.rows[i - 1], *to = &series.rows[i];
    if (bytes == to->bytes)
        return to->time_s;
    double slope = log(to->time_s / from->time_s) / log((double)to->bytes / (double)from->bytes);
    return from->time_s * pow((double)bytes / (double)from->bytes, slope);
}

/* --- other groups --- */

/* Steps one after the other, and bytes that a member sends over those of the buffer, among n. */
typedef struct {
    const char *name;
    double (*steps)(double n);
    double (*volume)(double n);
} Algorithm;

static double
others(double n)
{
    return n - 1.0;
}

static double
twice_others(double n)
{
    return 2.0 * (n - 1.0);
}

static double
levels(double n)
{
    return log2(n);
}

static double
twice_levels(double n)
{
    return 2.0 * log2(n);
}

static double
one(double n)
{
    (void)n;
    return 1.0;
}

static double
two(double n)
{
    (void)n;
    return 2.0;
}

static double
share(double n)
{
    return (n - 1.0) / n;
}

static double
twice_share(double n)
{
    return 2.0 * (n - 1.0) / n;
}

static double
half_levels(double n)
{
    return log2(n) / 2.0;
}

/* The algorithms of @collective, the simplest first, NULL-ended. */
static const Algorithm *
algorithms_of(LpCollective collective)
{
    static const Algorithm sums[] = {{"ring", twice_others, twice_share},
                                     {"halving", twice_levels, twice_share},
                                     {"tree", twice_levels, two},
                                     {NULL, NULL, NULL}};
    static const Algorithm gathers[] = {
        {"ring", others, share}, {"doubling", levels, share}, {NULL, NULL, NULL}};
    static const Algorithm exchanges[] = {{"pairwise", others, share},
                                          {"direct", one, share},
                                          {"bruck", levels, half_levels},
                                          {NULL, NULL, NULL}};
    static const Algorithm rooted[] = {
        {"ring", others, one}, {"tree", levels, one}, {NULL, NULL, NULL}};
    switch (collective) {
    case LP_COLLECTIVE_ALL_REDUCE:
        return sums;
    case LP_COLLECTIVE_REDUCE_SCATTER:
    case LP_COLLECTIVE_ALL_GATHER:
        return gathers;
    case LP_COLLECTIVE_ALL_TO_ALL:
        return exchanges;
    default:
        return rooted;
    }
}

/* a steps + b volume bytes, with neither below 0. */
typedef struct {
    double a, b, error;
} Fit;

static double
model_s(const Fit *fit, const Algorithm *algorithm, double n, double bytes)
{
    return fit->a * algorithm->steps(n) + fit->b * algorithm->volume(n) * bytes;
}

/* Least squares of relative errors: of u a + v b = 1 with u, v = steps, volume bytes over time; of
 * the rows that tell of @like. */
static Fit
fit_rows(const LpLibrary *self, const LpMeasuredTime *like, const Algorithm *algorithm)
{
    double uu = 0.0, uv = 0.0, vv = 0.0, u1 = 0.0, v1 = 0.0;
    Fit fit = {0};
    for (guint32 i = 0; i < self->n_measured; i++) {
        const LpMeasuredTime *row = &self->measured[i];
        if (!tells(row, like->collective, like->n_nodes == 1))
            continue;
        double u = algorithm->steps(row->n_ranks) / row->time_s;
        double v = algorithm->volume(row->n_ranks) * (double)row->bytes / row->time_s;
        uu += u * u;
        uv += u * v;
        vv += v * v;
        u1 += u;
        v1 += v;
    }
    double determinant = uu * vv - uv * uv;
    if (determinant > 1e-12 * uu * vv) {
        fit.a = (u1 * vv - v1 * uv) / determinant;
        fit.b = (v1 * uu - u1 * uv) / determinant;
    }
    if (fit.a <= 0.0 || fit.b < 0.0)
        fit = fit.b > 0.0 && vv > 0.0 ? (Fit){0.0, v1 / vv, 0.0} : (Fit){u1 / uu, 0.0, 0.0};
    for (guint32 i = 0; i < self->n_measured; i++) {
        const LpMeasuredTime *row = &self->measured[i];
        if (!tells(row, like->collective, like->n_nodes == 1))
            continue;
        double left =
            model_s(&fit, algorithm, row->n_ranks, (double)row->bytes) / row->time_s - 1.0;
        fit.error += left * left;
    }
    return fit;
}

/* The algorithm whose steps and bytes fit the measured times best. */
static const Algorithm *
best_algorithm(const LpLibrary *self, const LpMeasuredTime *like, Fit *out_fit)
{
    const Algorithm *best = NULL;
    Fit best_fit = {.error = INFINITY};
    for (const Algorithm *one_of = algorithms_of(like->collective); one_of->name != NULL;
         one_of++) {
        Fit fit = fit_rows(self, like, one_of);
        if (best == NULL || fit.error < best_fit.error * (1.0 - 1e-9)) {
            best = one_of;
            best_fit = fit;
        }
    }
    *out_fit = best_fit;
    return best;
}

/* The factor on the times of @from for @n_ranks. */
static double
scale(const LpLibrary *self, const LpMeasuredTime *from, guint64 bytes, guint64 n_ranks,
      const char **out_algorithm)
{
    Fit best_fit;
    const Algorithm *best = best_algorithm(self, from, &best_fit);
    *out_algorithm = best->name;
    return model_s(&best_fit, best, (double)n_ranks, (double)bytes) /
           model_s(&best_fit, best, from->n_ranks, (double)bytes);
}

double
lp_library_measured_s(const LpLibrary *self, LpCollective collective, guint64 bytes,
                      guint64 n_ranks, guint64 n_nodes, LpMeasuredSource *out_source)
{
    Series series = nearest(self, collective, n_ranks, n_nodes);
    if (series.n == 0 || n_ranks < 2)
        return 0.0;
    LpMeasuredSource source = {series.rows->n_ranks, series.rows->n_nodes, NULL,
                               bytes > series.rows[series.n - 1].bytes};
    double time_s = interpolate(series, bytes);
    if (source.n_ranks != n_ranks || source.n_nodes != n_nodes)
        time_s *= scale(self, series.rows, bytes, n_ranks, &source.algorithm);
    if (out_source != NULL)
        *out_source = source;
    return time_s;
}

double
lp_library_scatter(const LpLibrary *self, LpCollective collective, gboolean is_one_node)
{
    double most = 0.0;
    Series series;
    for (guint32 i = 0; i < self->n_measured; i += series.n) {
        series = series_at(self, i);
        double longest_s = 0.0;
        for (guint32 j = 0; j < series.n && tells(series.rows, collective, is_one_node); j++) {
            longest_s = fmax(longest_s, series.rows[j].time_s);
            most = fmax(most, longest_s / series.rows[j].time_s - 1.0);
        }
    }
    return most;
}

char *
lp_library_measured_text(const LpLibrary *self)
{
    if (self->n_measured == 0)
        return NULL;
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "library %s: as measured are", self->name);
    Series series;
    Fit fit;
    for (guint32 i = 0; i < self->n_measured; i += series.n) {
        series = series_at(self, i);
        const LpMeasuredTime *row = series.rows;
        g_string_append_printf(text, "%s %s of %u ranks on %u node%s (others on %s scaled as %s)",
                               i > 0 ? "," : "", lp_collective_names[row->collective], row->n_ranks,
                               row->n_nodes, row->n_nodes == 1 ? "" : "s",
                               row->n_nodes == 1 ? "one" : "several",
                               best_algorithm(self, row, &fit)->name);
    }
    g_string_append(text, "; all else has its protocols alone");
    return g_string_free(text, FALSE);
}
