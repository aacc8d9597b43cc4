/* SPDX-License-Identifier: Apache-2.0 */
/* The time of a profile of PyTorch by kind of kernel. */
#pragma once

#include "workloads/traces/kineto_events.h"

G_BEGIN_DECLS

/** The sums of one rank's profile; seconds. */
typedef struct {
    guint n[LP_N_KINETO_KINDS];      /**< kernels */
    double sum_s[LP_N_KINETO_KINDS]; /**< of their times, side by side or not */
    double span_s;                   /**< from the first launch, or kernel, to the last end */
    double computing_s;              /**< in which anything but communication runs */
    double communicating_s;          /**< in which communication runs, */
    double overlap_s;                /**< and anything else beside it */
    double idle_s;                   /**< in which nothing runs */
} LpKinetoProfile;

LpKinetoProfile lp_kineto_profile(const LpKinetoEvents *events);

G_END_DECLS
