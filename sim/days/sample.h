/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of runs that differ by their seeds. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Statistics of independent values. */
typedef struct {
    double mean;
    double half_width; /**< of the 95 % confidence interval of the mean: t s / sqrt(n), with the
                          quantile of Student's distribution */
} LpSample;

/** The quantile at 97.5 % of Student's distribution with @n degrees of freedom, at least 2: four
 * terms of its expansion around the normal distribution's (Abramowitz and Stegun, Handbook of
 * Mathematical Functions, 26.7.5), within 1 % from 3 degrees on. */
double lp_sample_student(guint n);

/** The sample of @n @values, at least 2. */
LpSample lp_sample_of(const double *values, guint n);

G_END_DECLS
