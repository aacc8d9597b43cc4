/* SPDX-License-Identifier: Apache-2.0 */
/* What surrounds the operations of a rank: its host, and what communication costs what computes. */
#pragma once

#include "model/plan/plan_choices.h"
#include "model/plan/plan_traits.h"

G_BEGIN_DECLS

/** The host's costs of feeding a device, and the effect of communication on computing. */
typedef struct {
    double collective_host_s; /**< what a collective or a message costs the host */
    gboolean host_is_free;    /**< kernels and collectives cost the host nothing (CUDA graphs) */
    LpHostSync host_sync;     /**< where the host waits for the device */
    gboolean waits_within; /**< and within runs of kernels: for counts of tokens, or before lists */
    LpCollectiveChecks checks; /**< whether hosts agree on each collective before it starts */
    LpLibrarySwitch change;    /**< what it costs a stream to go on with another library */
    double slowdown;           /**< factor on computing while communication runs; 0: as 1 */
} LpExecution;

G_END_DECLS
