/* SPDX-License-Identifier: Apache-2.0 */
/* The distribution of an iteration's time over seeds. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Quantiles of an iteration's time: each the smallest that at least that share of all do not
 * exceed. */
typedef struct {
    guint n; /**< 0: nothing is known */
    double p50_s, p95_s, p99_s, low_s, high_s;
} LpDistribution;

/** The distribution of @n times, at least 1, which are sorted in place. */
LpDistribution lp_distribution_of(double *times_s, guint n);

G_END_DECLS
