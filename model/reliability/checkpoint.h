/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of a job that failures interrupt: how long a run takes with them, and how often they
 * are best written. Failures come at random, 1 / M of them a second. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The costs of checkpoints and interruptions of a job. */
typedef struct {
    double interval_s; /**< tau: work between two checkpoints; INFINITY: none is written */
    double write_s;    /**< delta: in which a checkpoint is written and nothing else is done */
    double restart_s;  /**< R: from an interruption until work goes on; failures may repeat it */
    double failures_per_s; /**< 1 / M; 0: nothing fails */
} LpCheckpointing;

/** The shares of a job's time by what it is spent on; they sum to 1. */
typedef struct {
    double work;           /**< that is kept */
    double writing;        /**< checkpoints that were completed */
    double lost_work;      /**< work, and parts of a checkpoint, that an interruption undid */
    double restart;        /**< restarts, also those that failed */
    double failures_per_s; /**< interruptions of work, and of restarts */
} LpCheckpointShares;

/** Young's interval, sqrt(2 delta M), s (Young, CACM 17(9), 1974); INFINITY if nothing fails. */
double lp_checkpoint_young_s(double write_s, double failures_per_s);

/** Daly's interval, s: sqrt(2 delta M) [1 + 1/3 sqrt(delta / 2M) + 1/9 (delta / 2M)] - delta below
 * delta = 2M, M from there on (Daly, FGCS 22(3), 2006, doi 10.1016/j.future.2004.11.016). INFINITY
 * if nothing fails. */
double lp_checkpoint_daly_s(double write_s, double failures_per_s);

/** The interval at which the share of work is largest, s: the root of
 * exp(-(tau + delta) / M) = 1 - tau / M, where the derivative of Daly's complete run time is 0. It
 * does not depend on R. INFINITY if nothing fails, 0 if writing takes no time. */
double lp_checkpoint_optimum_s(double write_s, double failures_per_s);

/** The shares of the time of a long run. A stretch of tau + delta takes M exp(R/M) [exp((tau +
 * delta) / M) - 1] with all its failures (Daly, 2006, the complete run time); exp((tau + delta) /
 * M) - 1 of these interrupt work. Without checkpoints (interval INFINITY) all work is lost if
 * anything fails. */
LpCheckpointShares lp_checkpoint_shares(const LpCheckpointing *self);

G_END_DECLS
