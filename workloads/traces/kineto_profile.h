/* SPDX-License-Identifier: Apache-2.0 */
/* What a profile of PyTorch spends its time on. */
#pragma once

#include "workloads/traces/kineto_events.h"

G_BEGIN_DECLS

/** What bounds a kernel, as far as its name tells. */
typedef enum {
    LP_KINETO_PRODUCTS,
    LP_KINETO_ATTENTION,
    LP_KINETO_OTHERS, /**< element by element: memory bounds them */
    LP_KINETO_COPIES, /**< copies and fills */
    LP_KINETO_COMMUNICATION,
    LP_N_KINETO_KINDS
} LpKinetoKind;

/** "products" "attention" ..., NULL-ended. */
extern const char *const lp_kineto_kind_names[];

/** By the words that libraries put into names of kernels. */
LpKinetoKind lp_kineto_kind_of(const LpKinetoWork *work);

/** What times of kernels are multiplied by on another accelerator, by kind. */
typedef struct {
    double factor[LP_N_KINETO_KINDS];
} LpKinetoScale;

/** Of one rank; s. */
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
