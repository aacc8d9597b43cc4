/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a machine is there when its parts fail and are repaired. */
#include "model/availability.h"

#include <math.h>

double
lp_availability(double mtbf_s, double repair_s)
{
    return isinf(mtbf_s) ? 1.0 : mtbf_s / (mtbf_s + repair_s);
}

/* P(X = k); logarithms, since powers and binomials leave the range of a double. */
static double
probability_of(guint64 n, guint64 k, double p)
{
    if (p <= 0.0 || p >= 1.0)
        return k == (p >= 1.0 ? n : 0) ? 1.0 : 0.0;
    double a = (double)n, b = (double)k;
    return exp(lgamma(a + 1.0) - lgamma(b + 1.0) - lgamma(a - b + 1.0) + b * log(p) +
               (a - b) * log1p(-p));
}

double
lp_availability_at_least(guint64 n, guint64 k, double p)
{
    if (k == 0)
        return 1.0;
    /* The shorter tail, so that nothing is lost to a difference from 1. */
    gboolean is_upper = (double)k > p * (double)n;
    double sum = 0.0;
    if (is_upper)
        for (guint64 i = n; i >= k; i--)
            sum += probability_of(n, i, p);
    else
        for (guint64 i = 0; i < k; i++)
            sum += probability_of(n, i, p);
    return fmin(is_upper ? sum : 1.0 - sum, 1.0);
}

double
lp_availability_slices(guint64 n, guint64 k, guint64 m, double p)
{
    double sum = 0.0;
    for (guint64 j = 1; j <= m && j * k <= n; j++)
        sum += lp_availability_at_least(n, j * k, p);
    return sum;
}

double
lp_availability_fixed_slices(guint64 n, guint64 k, guint64 m, double p)
{
    return lp_availability_slices(n / k, 1, m, pow(p, (double)k));
}

/* P(floor(X / group) = q) of one pod, for q from 0 to most. */
static void
fill_pod(double *groups_of, guint64 most, guint64 pod, guint64 group, double p)
{
    for (guint64 q = 0; q <= most; q++)
        groups_of[q] = lp_availability_at_least(pod, q * group, p) -
                       (q < most ? lp_availability_at_least(pod, (q + 1) * group, p) : 0.0);
}

/* The sum with one more pod, from the largest down, so that no second array is needed. */
static void
add_pod(double *sums, guint64 n_sums, const double *groups_of, guint64 most)
{
    for (guint64 sum = n_sums; sum-- > 0;) {
        double whole = 0.0;
        for (guint64 q = 0; q <= MIN(most, sum); q++)
            whole += sums[sum - q] * groups_of[q];
        sums[sum] = whole;
    }
}

double
lp_availability_pod_slices(guint64 n_pods, guint64 pod, guint64 group, guint64 groups, guint64 m,
                           double p, double *workspace)
{
    guint64 most = pod / group, n_sums = n_pods * most + 1;
    double *groups_of = workspace + n_sums;
    fill_pod(groups_of, most, pod, group, p);
    for (guint64 i = 0; i < n_sums; i++)
        workspace[i] = i == 0 ? 1.0 : 0.0;
    for (guint64 i = 0; i < n_pods; i++)
        add_pod(workspace, n_sums, groups_of, most);
    double mean = 0.0;
    for (guint64 i = 0; i < n_sums; i++)
        mean += workspace[i] * (double)MIN(m, i / groups);
    return mean;
}
