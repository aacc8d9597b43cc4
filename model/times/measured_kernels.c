/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolates between measured kernels, in doublings of their sizes. */
#include "model/times/measured_kernels.h"

#include "model/plan/precision.h"

#include <math.h>

const char *const lp_measured_kind_names[] = {"product", "grouped", "attention",
                                              "stream",  "sweep",   NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(lp_measured_kind_names) == LP_N_MEASURED + 1);
const char *const lp_timed_by_names[] = {"model", "interpolated", "measured", NULL};

/* The sizes that distinguish kernels: m, k, n and count, or bytes. */
#define N_SIDES 4

/* Rows of one size. */
typedef struct {
    LpMeasuredKind kind;
    LpPrecision precision;
    guint whose; /* attention's or grouped products' kernel */
    gboolean is_copy;
    double side[N_SIDES]; /* log2 */
    double y;             /* sum of ln(measured / model) over rows, and then their mean */
    guint n_rows;
} Point;

/* A size of a kernel with a name. */
typedef struct {
    char *name; /* owned */
    double size, time_s;
} Named;

struct LpMeasuredKernels {
    GArray *points; /* owned Point */
    GArray *named;  /* owned Named, by name and size */
};

/* --- sizes --- */

LpMeasuredKind
lp_measured_kind(const LpKernel *kernel)
{
    if (kernel->n_batch <= 0.0)
        return kernel->streams ? LP_MEASURED_STREAM : LP_MEASURED_SWEEP;
    if (kernel->fused)
        return LP_MEASURED_ATTENTION;
    return kernel->n_batch > 1.0 && kernel->n_apart <= 0.0 ? LP_MEASURED_GROUPED
                                                           : LP_MEASURED_PRODUCT;
}

double
lp_measured_bytes(const LpKernel *kernel, LpPrecision precision)
{
    double bytes = lp_precision_traits(precision)->element_bytes;
    return kernel->n_batch *
           ((kernel->m + kernel->n) * kernel->k * bytes + kernel->m * kernel->n * fmax(bytes, 2.0));
}

static Point
point_of(const LpKernel *kernel, LpPrecision precision)
{
    Point point = {.kind = lp_measured_kind(kernel),
                   .precision = precision == LP_PRECISION_FP16 ? LP_PRECISION_BF16 : precision};
    if (kernel->n_batch <= 0.0) {
        point.precision = LP_PRECISION_BF16; /* bytes say all */
        point.side[0] = log2(fmax(kernel->bytes, 1.0));
        return point;
    }
    const double sides[N_SIDES] = {kernel->m, kernel->k, kernel->n,
                                   kernel->n_apart > 0.0 ? 1.0 : kernel->n_batch};
    if (point.kind == LP_MEASURED_ATTENTION)
        point.whose = kernel->attention;
    if (point.kind == LP_MEASURED_GROUPED)
        point.whose = kernel->grouped;
    for (guint i = 0; i < N_SIDES; i++)
        point.side[i] = log2(sides[i]);
    return point;
}

/* Doublings between two kernels; INFINITY: they have nothing to do with each other. */
static double
distance(const Point *a, const Point *b)
{
    double sum = 0.0;
    if (a->kind != b->kind || a->precision != b->precision || a->whose != b->whose)
        return INFINITY;
    for (guint i = 0; i < N_SIDES; i++)
        sum += (a->side[i] - b->side[i]) * (a->side[i] - b->side[i]);
    return sqrt(sum);
}

/* --- by name --- */

static void
named_clear(gpointer named)
{
    g_free(((Named *)named)->name);
}

static int
compare_named(gconstpointer a, gconstpointer b)
{
    const Named *first = a, *second = b;
    int order = g_strcmp0(first->name, second->name);
    return order != 0 ? order : (first->size > second->size) - (first->size < second->size);
}

static void
add_named(LpMeasuredKernels *self, const LpMeasuredKernel *row)
{
    Named named = {g_strdup(row->name), row->size, row->time_s};
    g_array_append_val(self->named, named);
}

gboolean
lp_measured_kernels_named(const LpMeasuredKernels *self, const char *name, double size,
                          double *out_time_s, LpTimedBy *out_by)
{
    const Named *below = NULL, *above = NULL;
    for (guint i = 0; self != NULL && i < self->named->len; i++) {
        const Named *named = &g_array_index(self->named, Named, i);
        if (g_strcmp0(named->name, name) != 0)
            continue;
        if (named->size <= size)
            below = named;
        else if (above == NULL)
            above = named;
    }
    const Named *near = below != NULL ? below : above;
    if (near == NULL)
        return FALSE;
    gboolean is_there = below != NULL && below->size >= size;
    double time_s = is_there ? near->time_s : near->time_s * size / near->size;
    if (!is_there && below != NULL && above != NULL)
        time_s = below->time_s * pow(above->time_s / below->time_s,
                                     log(size / below->size) / log(above->size / below->size));
    if (out_time_s != NULL)
        *out_time_s = time_s;
    if (out_by != NULL)
        *out_by = is_there ? LP_TIMED_AS_MEASURED : LP_TIMED_BETWEEN;
    return TRUE;
}

/* --- making --- */

LpMeasuredKernels *
lp_measured_kernels_new(const LpMeasuredKernel *rows, guint n_rows)
{
    LpMeasuredKernels *self = g_new0(LpMeasuredKernels, 1);
    self->points = g_array_new(FALSE, FALSE, sizeof(Point));
    self->named = g_array_new(FALSE, FALSE, sizeof(Named));
    g_array_set_clear_func(self->named, named_clear);
    for (guint i = 0; i < n_rows; i++) {
        if (rows[i].name != NULL) {
            add_named(self, &rows[i]);
            continue;
        }
        Point point = point_of(&rows[i].kernel, rows[i].precision), *same = NULL;
        point.is_copy = rows[i].is_copy;
        for (guint j = 0; j < self->points->len && same == NULL; j++) {
            Point *other = &g_array_index(self->points, Point, j);
            same = distance(&point, other) <= 0.0 ? other : NULL;
        }
        if (same == NULL) {
            g_array_append_val(self->points, point);
            same = &g_array_index(self->points, Point, self->points->len - 1);
        }
        same->y += log(rows[i].time_s / rows[i].modelled_s);
        same->n_rows++;
    }
    for (guint i = 0; i < self->points->len; i++) {
        Point *point = &g_array_index(self->points, Point, i);
        point->y /= point->n_rows;
    }
    g_array_sort(self->named, compare_named);
    return self;
}

void
lp_measured_kernels_free(LpMeasuredKernels *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->points);
    g_array_unref(self->named);
    g_free(self);
}

/* --- interpolating --- */

/* ln(measured / model) at @at, from all points but @left_out. */
static double
interpolate(const LpMeasuredKernels *self, const Point *at, const Point *left_out,
            LpTimedBy *out_by)
{
    double weights = 1.0 / (LP_MEASURED_REACH * LP_MEASURED_REACH), sum = 0.0;
    *out_by = LP_TIMED_BY_MODEL;
    for (guint i = 0; i < self->points->len; i++) {
        const Point *point = &g_array_index(self->points, Point, i);
        double d = point != left_out ? distance(at, point) : INFINITY;
        if (d >= LP_MEASURED_REACH)
            continue;
        *out_by = LP_TIMED_BETWEEN;
        if (d <= 0.0) {
            *out_by = LP_TIMED_AS_MEASURED;
            return point->y;
        }
        double root = (LP_MEASURED_REACH - d) / (LP_MEASURED_REACH * d);
        weights += root * root;
        sum += root * root * point->y;
    }
    return sum / weights;
}

double
lp_measured_kernels_factor(const LpMeasuredKernels *self, const LpKernel *kernel,
                           LpPrecision precision, LpTimedBy *out_by)
{
    LpTimedBy by = LP_TIMED_BY_MODEL;
    double factor = 1.0;
    if (self != NULL) {
        Point at = point_of(kernel, precision);
        factor = exp(interpolate(self, &at, NULL, &by));
    }
    if (out_by != NULL)
        *out_by = by;
    return factor;
}

/* --- errors --- */

static int
compare_numbers(gconstpointer a, gconstpointer b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

/* The value that @share of @values, sorted here, do not exceed. */
static double
quantile(GArray *values, double share)
{
    g_array_sort(values, compare_numbers);
    guint place = (guint)ceil(share * values->len);
    return g_array_index(values, double, MAX(place, 1) - 1);
}

/* Sorts @errors. */
static LpMeasuredErrors
errors_of(GArray *errors)
{
    return (LpMeasuredErrors){quantile(errors, 0.5), quantile(errors, 0.9), quantile(errors, 1.0)};
}

gboolean
lp_measured_kernels_fit(const LpMeasuredKernels *self, LpMeasuredKind kind, LpMeasuredFit *out_fit)
{
    g_autoptr(GArray) model = g_array_new(FALSE, FALSE, sizeof(double));
    g_autoptr(GArray) left = g_array_new(FALSE, FALSE, sizeof(double));
    g_autoptr(GArray) ratios = g_array_new(FALSE, FALSE, sizeof(double));
    *out_fit = (LpMeasuredFit){.n_rows = 0};
    for (guint i = 0; i < self->points->len; i++) {
        const Point *point = &g_array_index(self->points, Point, i);
        LpTimedBy by;
        if (point->kind != kind || point->is_copy)
            continue;
        double model_error = fabs(expm1(-point->y));
        double left_error = fabs(expm1(interpolate(self, point, point, &by) - point->y));
        g_array_append_val(model, model_error);
        g_array_append_val(left, left_error);
        g_array_append_val(ratios, point->y);
        out_fit->n_rows += point->n_rows;
        out_fit->n_sizes++;
    }
    if (out_fit->n_sizes == 0)
        return FALSE;
    out_fit->ratio = exp(quantile(ratios, 0.5));
    out_fit->model = errors_of(model);
    out_fit->leave_one_out = errors_of(left);
    return TRUE;
}
