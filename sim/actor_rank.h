/* SPDX-License-Identifier: Apache-2.0 */
/* A rank in a run: an actor for its compute stream and, where gradients are reduced behind the
 * backward pass, one for its gradient stream. */
#pragma once

#include "sim/group.h"
#include "sim/task.h"
#include "sim/timeline.h"

G_BEGIN_DECLS

struct s4u_Barrier;

/** What all ranks of a run share. */
typedef struct {
    const LpIteration *iteration;   /* borrowed */
    const LpTasks *tasks;           /* borrowed */
    struct s4u_Barrier *start;      /* borrowed: all actors, before the first send */
    LpTimeline *timeline;           /* borrowed, or NULL */
    guint64 n_delays;               /**< engine activities that are delays */
    guint64 tp_bytes[LP_N_TRAFFIC]; /**< of merged collectives */
    guint64 n_steps, n_steps_done;  /**< progress */
    void (*progress)(guint64 n_done, guint64 n_all, void *data); /**< or NULL */
    void *progress_data;
} LpRunState;

typedef struct LpGradientStream LpGradientStream;

typedef struct {
    LpRunState *run; /* borrowed */
    guint64 rank;
    guint32 stage;
    gboolean traced;
    LpProcessGroup *groups[LP_N_GROUPS]; /* borrowed; NULL where the rank has none */
    guint64 index[LP_N_GROUPS];          /**< where it stands in each */
    LpChannel *out[LP_N_DIRECTIONS];     /* owned */
    LpChannel *in[LP_N_DIRECTIONS];      /* borrowed from the sending ranks */
    LpGradientStream *gradients;         /* owned, or NULL */
    LpMeter meter;
    LpClock clock; /**< after the run: of its last event */
} LpRank;

/** Starts the actors: the compute stream's on @home, the gradient stream's, if @gradient_home is
 * not NULL, there. @self must outlive the run. */
void lp_rank_start(LpRank *self, struct s4u_Host *home, struct s4u_Host *gradient_home);
/** Frees what lp_rank_start() and the caller put in. */
void lp_rank_clear(LpRank *self);

G_END_DECLS
