/* SPDX-License-Identifier: Apache-2.0 */
/* The distribution of an iteration's time over seeds. */
#include "report/distribution.h"

#include <math.h>
#include <stdlib.h>

static int
compare_times(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

/* The smallest that at least @fraction of all do not exceed. */
static double
quantile(const double *sorted, guint n, double fraction)
{
    guint rank = (guint)ceil(fraction * n);
    return sorted[MAX(rank, 1) - 1];
}

LpDistribution
lp_distribution_of(double *times_s, guint n)
{
    qsort(times_s, n, sizeof *times_s, compare_times);
    return (LpDistribution){n,
                            quantile(times_s, n, 0.5),
                            quantile(times_s, n, 0.95),
                            quantile(times_s, n, 0.99),
                            quantile(times_s, n, 0.0),
                            quantile(times_s, n, 1.0)};
}
