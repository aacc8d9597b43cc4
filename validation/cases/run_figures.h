/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of a measured row takes, by each model. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** What a run takes; 0 where there is no such figure. */
typedef struct {
    double time_s;
    double consistent_s;     /**< by the closed form */
    double amped_flop_per_s; /**< by AMPeD, of a product */
    double counted_bytes;    /**< that a published bandwidth counts */
    double flop;
} LpRunFigures;

G_END_DECLS
