/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of runs that differ by their seeds. */
#include "sim/days/sample.h"

#include <math.h>

#define NORMAL 1.959963984540054 /* the normal distribution's quantile at 97.5 % */

double
lp_sample_student(guint n)
{
    double x = NORMAL, x2 = x * x, v = (double)n;
    double g1 = (x2 + 1.0) * x / 4.0;
    double g2 = ((5.0 * x2 + 16.0) * x2 + 3.0) * x / 96.0;
    double g3 = (((3.0 * x2 + 19.0) * x2 + 17.0) * x2 - 15.0) * x / 384.0;
    double g4 = ((((79.0 * x2 + 776.0) * x2 + 1482.0) * x2 - 1920.0) * x2 - 945.0) * x / 92160.0;
    return x + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

LpSample
lp_sample_of(const double *values, guint n)
{
    double sum = 0.0, squares = 0.0;
    for (guint i = 0; i < n; i++)
        sum += values[i];
    double mean = sum / (double)n;
    for (guint i = 0; i < n; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    double deviation = sqrt(squares / (double)(n - 1));
    return (LpSample){.mean = mean,
                      .half_width = lp_sample_student(n - 1) * deviation / sqrt((double)n)};
}
