/* SPDX-License-Identifier: Apache-2.0 */
/* What the ranks of a job do: what each pipeline stage computes, sends and reduces, and with whom.
 *
 * All ranks of a stage run the same program, each on its own communicators: an operation names a
 * group, and lp_program_communicator() says which one that is for a rank. */
#pragma once

#include "model/kernel.h"
#include "workloads/program/communicator.h"

G_BEGIN_DECLS

typedef enum {
    LP_OP_COMPUTE,
    LP_OP_COLLECTIVE, /**< the compute stream waits for it */
    LP_OP_LAUNCH,     /**< the stream runs it when it gets there */
    LP_OP_JOIN,       /**< the compute stream waits until few enough of the stream are left */
} LpOpKind;

/** Whose expert load decides how much of an all-to-all a pair of members exchanges. */
typedef enum {
    LP_WEIGHT_EVEN,
    LP_WEIGHT_RECEIVER, /**< tokens go to the experts */
    LP_WEIGHT_SENDER    /**< and come back */
} LpWeight;

typedef struct {
    LpOpKind kind;
    LpTerm term;             /**< what its exposed time counts as */
    LpWork work;             /**< compute */
    gboolean loaded;         /**< compute: takes the rank's expert load times as long */
    LpCollective collective; /**< collective and launch: */
    LpGroup group;
    LpTraffic traffic;
    LpWeight weight;
    guint64 bytes;   /**< of the whole buffer: the summed or gathered tensor on each member; of an
                        all-to-all, what a member holds before it */
    LpStream stream; /**< launch and join */
    guint n_pending; /**< join: so many of the stream may be left */
} LpOp;

/** What a segment does. */
typedef enum {
    LP_ROLE_START, /**< parameters are gathered behind the forward passes */
    LP_ROLE_FORWARD,
    LP_ROLE_BACKWARD,
    LP_ROLE_INPUT,
    LP_ROLE_WEIGHT,
    LP_ROLE_PAIR,
    LP_ROLE_FINISH, /**< what is left of the gradient reduction, and the optimiser */
    LP_N_ROLES
} LpRole;

extern const char *const lp_role_names[]; /* "start" "forward" "backward" ... for timelines */

/** Ops in a row between two points at which other stages are involved. */
typedef struct {
    LpRole role;
    guint32 stage, chunk;
    guint first_op, n_ops; /**< in LpProgram.ops */
} LpSegment;

typedef enum {
    LP_STEP_SEGMENT,
    LP_STEP_SEND,
    LP_STEP_RECV
} LpStepKind;

/** One of the lines of messages between neighbouring stages. Messages of one line arrive in the
 * order in which they were sent. */
typedef enum {
    LP_LINE_FORWARD,     /**< activations to the next stage */
    LP_LINE_BACKWARD,    /**< gradients to the previous one */
    LP_LINE_FORWARD_UP,  /**< activations to the previous stage: DualPipe's other way */
    LP_LINE_BACKWARD_UP, /**< gradients to the next one */
    LP_N_LINES
} LpLine;

/** One step of a stage's program. */
typedef struct {
    LpStepKind kind;
    LpLine line;     /**< of a message */
    guint32 segment; /**< index in LpProgram.segments */
    guint32 peer;    /**< stage that a message goes to or comes from */
    guint32 chunk;   /**< of the pass that runs, or that a message belongs to */
    guint32 micro_batch;
} LpStep;

typedef struct {
    guint first_step, n_steps; /**< in LpProgram.steps */
} LpStageProgram;

/** How the host feeds a device, and what communication costs what computes beside it. */
typedef struct {
    double collective_host_s; /**< what a collective or a message costs the host */
    gboolean host_is_free;    /**< kernels and collectives cost the host nothing (CUDA graphs) */
    LpHostSync host_sync;     /**< where the host waits for the device */
    double slowdown;          /**< factor on computing while communication runs; 0: as 1 */
} LpExecution;

/** The pipeline that stages form. */
typedef struct {
    guint32 n_stages; /**< 1: none */
    guint64 stride;   /**< from a rank to the one at its place in the next stage */
    guint32 n_chunks; /**< of layers on each rank */
    guint32 n_layers; /**< of the whole model */
    guint32 n_micro_batches;
    guint32 virtual_stages; /**< above 1, the last stage sends to the first */
    gboolean both_ways;     /**< micro-batches enter at both ends */
    guint64 message_bytes;  /**< of one message between stages, from one rank */
} LpPipeline;

/** What the ranks of a job do, and with whom. */
typedef struct {
    guint64 n_ranks;
    LpPipeline pipeline;
    LpExecution execution;
    LpCommunicators *communicators; /* owned */
    gboolean uses_stream[LP_N_STREAMS];
    double *expert_loads;   /* owned: by ep coordinate, over the mean; NULL where all are 1 */
    guint32 *expert_place;  /* owned: by rank, its ep coordinate; NULL where expert_loads is */
    GArray *ops;            /* owned: LpOp */
    GArray *segments;       /* owned: LpSegment */
    GArray *steps;          /* owned: LpStep */
    GArray *stage_programs; /* owned: LpStageProgram, one a stage */
} LpProgram;

/** A program without ranks, communicators and operations, to be filled in. Returns: (transfer
 * full). */
LpProgram *lp_program_new(void);
/** @collective, of @bytes as in LpOp, once by each of @communicators (transfer full), which are all
 * of
 * @group. Counted as traffic of gradients, whatever the group.
 * Returns: (transfer full). */
LpProgram *lp_program_new_collective(LpCollective collective, guint64 bytes, LpGroup group,
                                     LpCommunicators *communicators);
void lp_program_free(LpProgram *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpProgram, lp_program_free)

const LpSegment *lp_program_segment(const LpProgram *self, guint index);
const LpOp *lp_program_op(const LpProgram *self, guint index);
const LpStageProgram *lp_program_stage(const LpProgram *self, guint stage);
const LpStep *lp_program_step(const LpProgram *self, guint index);

/** Load of @rank's experts over the mean. */
double lp_program_expert_load(const LpProgram *self, guint64 rank);
/** The stage of @rank. */
guint32 lp_program_rank_stage(const LpProgram *self, guint64 rank);
/** The rank of @stage at the same position as @rank on all other axes. */
guint64 lp_program_stage_mate(const LpProgram *self, guint64 rank, guint32 stage);
/** The rank that @rank sends to on @line; G_MAXUINT64 if it sends nothing there. */
guint64 lp_program_line_peer(const LpProgram *self, LpLine line, guint64 rank);
/** That of @group's communicators which @rank is in; NULL: none. */
const LpCommunicator *lp_program_communicator(const LpProgram *self, LpGroup group, guint64 rank);

G_END_DECLS
