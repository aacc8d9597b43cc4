/* SPDX-License-Identifier: Apache-2.0 */
/* A rank in a run: an actor for its compute stream and one for each communication stream that the
 * iteration uses. */
#pragma once

#include "sim/actors/actor_tokens.h"
#include "sim/actors/communicator_runtime.h"
#include "sim/actors/run_limit.h"
#include "sim/actors/straggler.h"
#include "sim/analysis/task.h"
#include "sim/actors/rank_trace.h"

G_BEGIN_DECLS

struct s4u_Barrier;

/** Told after each step of any rank, of all jobs together. */
typedef struct {
    guint64 n_steps, n_done;
    void (*show)(double n_done, guint64 n_all, void *data); /**< or NULL */
    void *data;
} LpStepCount;

/** What all ranks of a job share in a run. */
typedef struct {
    const LpProgram *program;       /* borrowed */
    const LpTasks *tasks;           /* borrowed */
    struct s4u_Barrier *start;      /* borrowed: all jobs' actors, before the first send */
    double start_s;                 /**< when the job begins */
    guint32 n_iterations;           /**< one after the other */
    LpWatch *watch;                 /* borrowed, or NULL */
    LpCircuits *circuits;           /* borrowed; NULL: none are switched */
    LpFlowEngine *sharing;          /* borrowed, or NULL */
    gboolean has_circuits;          /* that are waited for, on request or because they turn */
    LpWaitRecord *waits;            /* borrowed, or NULL */
    LpTimeline *timeline;           /* borrowed, or NULL */
    LpCallTimes *calls;             /* borrowed, or NULL */
    LpFlowLog *log;                 /* borrowed, or NULL */
    guint64 n_delays;               /**< engine activities that are delays */
    guint64 tp_bytes[LP_N_TRAFFIC]; /**< of merged collectives */
    LpStepCount *progress;          /* borrowed */
    guint64 n_waiting;              /**< ranks that have not ended */
    const LpRunLimit *limit;        /* borrowed, or NULL */
    double least_s;                 /**< what the run takes at least, as it went on */
    gboolean is_past_limit;
} LpRun;

typedef struct LpRankStream LpRankStream;

typedef struct {
    LpRun *run; /* borrowed */
    guint64 rank;
    guint32 stage;
    LpRankTrace trace;
    LpStraggler *straggler;                     /* borrowed, or NULL: as described */
    LpCommunicatorRuntime *groups[LP_N_GROUPS]; /* borrowed; NULL where the rank has none */
    guint64 index[LP_N_GROUPS];                 /**< where it stands in each */
    guint64 n_tensor_groups; /**< tensor-parallel groups whose merged collectives it counts */
    LpChannel *out[LP_N_PIPELINE_DIRECTIONS]; /* owned */
    LpChannel *in[LP_N_PIPELINE_DIRECTIONS];  /* borrowed from the sending ranks */
    LpRankStream *streams[LP_N_STREAMS];      /* owned, or NULL */
    guint64 n_communicating; /**< collectives that are launched on streams, and have not ended */
    LpTokens *progressed;    /* owned: wakes the compute stream when streams have finished what it
                                waits for: */
    const LpRankStream *joined; /* borrowed: so much of this one; NULL: all that slows it down */
    guint64 n_finished_wanted;
    GArray *under_way[LP_N_STREAMS];   /* owned: when merged collectives end, s, in order */
    guint32 library[LP_N_STREAMS + 1]; /**< LpTask.library, by stream, of its last collective; the
                                          compute stream's behind all others */
    double host_s;                     /**< until when the host issues what was given to it */
    LpOverlapMeter meter;
    LpClock clock; /**< after the run: of its last event */
} LpRank;

/** Starts the actors: the compute stream's on @host, a stream's, if its host is not NULL, there.
 * @self must outlive the run. */
void lp_rank_start(LpRank *self, struct s4u_Host *host, struct s4u_Host *const *stream_hosts);
/** Frees what lp_rank_start() and the caller put in. */
void lp_rank_clear(LpRank *self);

/* --- streams beside the compute stream (actor_rank_stream.c): each is an actor that does what it
 * is handed, in order --- */

/** What is handed to a stream: an operation, a message, or, with neither, its end. */
typedef struct {
    const LpOp *op;                /* borrowed from the iteration: a launch, beside or await */
    double delay_s;                /**< LpTask.delay_s */
    double change_s;               /**< before a collective: of an event after another library's */
    LpChannel *channel;            /* borrowed */
    LpPipelineDirection direction; /**< of the message */
    guint64 bytes;                 /**< of the message */
} LpRankLaunch;

/** @rank's stream of @kind: what lp_rank_stream_start() runs. Returns: (transfer full). */
LpRankStream *lp_rank_stream_new(LpRank *rank, LpStream kind);
void lp_rank_stream_free(LpRankStream *self);
/** Starts its actor on @host. */
void lp_rank_stream_start(LpRankStream *self, struct s4u_Host *host);

/** Gives @launch to the stream of @kind. The compute stream's actor only, as all below. */
void lp_rank_hand_over(LpRank *self, LpStream kind, LpRankLaunch launch);
/** Waits until at most @n_pending launches of the stream of @kind are left. The time counts as
 * @term. */
void lp_rank_join(LpRank *self, LpStream kind, guint n_pending, LpTerm term);
/** Whether a communication kernel holds multiprocessors: from its launch on, waiting or not.
 * Messages between stages are copies, and hold none. */
gboolean lp_rank_communicates(const LpRank *self);
/** Lets the engine know who receives what groups of @stream send (LP_N_STREAMS: the compute
 * stream), for nothing may be sent before. The actor of that stream only. */
void lp_rank_attach_groups(LpRank *self, LpStream stream);
/** Sends a message of @bytes over @channel. @clock: as lp_channel_send(). */
void lp_rank_send_message(LpChannel *channel, guint64 bytes, LpClock *clock);

G_END_DECLS
