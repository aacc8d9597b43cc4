/* SPDX-License-Identifier: Apache-2.0 */
/* What the ranks of a job do: what each pipeline stage computes, sends and reduces, and with whom.
 *
 * All ranks of a stage run the same program, each on its own communicators: an operation names a
 * group, and lp_program_communicator() says which one that is for a rank. So a program is stored
 * once a stage, and what repeats from micro-batch to micro-batch is a segment, stored once a chunk
 * of layers. It can be read before anything runs. */
#pragma once

#include "workloads/given/execution.h"
#include "workloads/program/operation.h"
#include "workloads/program/program_error.h"

G_BEGIN_DECLS

/** The purposes of segments. */
typedef enum {
    LP_ROLE_START,    /**< launches the gathers of parameters that forward passes hide */
    LP_ROLE_FORWARD,  /**< a forward pass */
    LP_ROLE_BACKWARD, /**< a backward pass: the gradients of the activations and of the weights */
    LP_ROLE_INPUT,    /**< a backward pass: the gradient of the activations alone */
    LP_ROLE_WEIGHT,   /**< a backward pass: that of the weights alone */
    LP_ROLE_PAIR,     /**< a forward and a backward pass, overlapped together */
    LP_ROLE_BLOCK,    /**< operations of a program that is given */
    LP_ROLE_FINISH,   /**< what is left of the gradients' synchronisation, and the optimiser */
    LP_N_ROLES
} LpRole;

/** "start", "forward", "backward" ..., by role, for timelines; ends in NULL. */
extern const char *const lp_role_names[];

/** Operations in a row between two points at which other stages are involved. */
typedef struct {
    LpRole role;
    guint32 stage, chunk;
    guint first_op, n_ops; /**< in LpProgram.ops */
} LpSegment;

/** The kinds of steps. */
typedef enum {
    LP_STEP_SEGMENT, /**< runs the operations of a segment */
    LP_STEP_SEND,    /**< sends a message to another stage */
    LP_STEP_RECV     /**< waits for one */
} LpStepKind;

/** A direction of messages, along which each rank sends to one other rank at most and receives from
 * one: those between neighbouring stages, or as a program by hand says. Messages of one direction
 * arrive in order. */
typedef enum {
    LP_DIRECTION_FORWARD,     /**< activations to the next stage */
    LP_DIRECTION_BACKWARD,    /**< gradients to the previous one */
    LP_DIRECTION_FORWARD_UP,  /**< activations to the previous stage: DualPipe's other way */
    LP_DIRECTION_BACKWARD_UP, /**< gradients to the next one */
    LP_DIRECTION_GIVEN, /**< and so on: of a program that is given, which has those before too */
    LP_N_PIPELINE_DIRECTIONS = LP_DIRECTION_GIVEN + 60
} LpPipelineDirection;

/** One step of a stage's program. */
typedef struct {
    LpStepKind kind;
    LpPipelineDirection direction; /**< of a message */
    guint64 bytes;                 /**< of a message */
    guint32 segment;               /**< index in LpProgram.segments */
    guint32 peer;                  /**< stage that a message goes to or comes from */
    guint32 chunk;                 /**< of the pass that runs, or that a message belongs to */
    guint32 micro_batch;           /**< or repetition */
} LpStep;

/** The steps of the ranks of one stage, in order. */
typedef struct {
    guint first_step, n_steps; /**< in LpProgram.steps */
} LpStageProgram;

/** The pipeline that stages form. */
typedef struct {
    guint32 n_stages; /**< 1: none */
    guint64 stride;   /**< from a rank to the one at its place in the next stage */
    guint32 n_chunks; /**< of layers on each rank */
    guint32 n_layers; /**< of the whole model */
    guint32 n_micro_batches;
    guint32 virtual_stages; /**< above 1, the last stage sends to the first */
    gboolean both_ways;     /**< micro-batches enter at both ends */
    guint64 message_bytes;  /**< of one message between stages, from one rank, in a plan */
} LpPipeline;

/** The ranks of a program by hand: stages, messages and streams that no plan gives. */
typedef struct {
    guint32 *stage;                        /* owned, by rank: whose program it runs */
    guint n_lines;                         /**< that are used, from the first on */
    guint64 *first;                        /* owned, by stage: its first rank */
    guint64 *n_ranks;                      /* owned, by stage */
    guint64 *to[LP_N_PIPELINE_DIRECTIONS]; /* owned, by rank: whom it sends to; G_MAXUINT64: nobody;
                                NULL: no rank does */
    guint64 *from[LP_N_PIPELINE_DIRECTIONS];   /* owned, by rank: and who sends to it */
    LpStream stream[LP_N_PIPELINE_DIRECTIONS]; /**< on which they send; LP_N_STREAMS: the compute
                                                  stream */
    GArray *op_line;   /* owned: guint32, by operation: its line in the file */
    GArray *step_line; /* owned: guint32, by step: of a message */
} LpGivenRanks;

/** The program of a job: the steps of its stages and its communicators. */
typedef struct {
    guint64 n_ranks;
    LpPipeline pipeline;
    LpExecution execution;
    LpCommunicators *communicators; /* owned */
    gboolean uses_stream[LP_N_STREAMS];
    double *expert_loads;    /* owned: by draw (lp_plan_expert_draw()) and ep coordinate, over the
                                mean; NULL where all are 1 */
    guint32 n_expert_places; /**< ep coordinates of a draw; 0 where expert_loads is NULL */
    guint32 *expert_place;   /* owned: by rank, its ep coordinate; NULL where expert_loads is */
    GArray *ops;             /* owned: LpOp */
    GArray *segments;        /* owned: LpSegment */
    GArray *steps;           /* owned: LpStep */
    GArray *stage_programs;  /* owned: LpStageProgram, one a stage */
    LpGivenRanks *given;     /* owned; NULL: as the pipeline says */
} LpProgram;

/** A program without ranks, communicators and operations, to be filled in. Returns: (transfer
 * full). */
LpProgram *lp_program_new(void);
/** The program that runs @collective, of @bytes as in LpOp, once on each of @communicators
 * (transfer full), which are all of @group. It counts as traffic of gradients, whatever the group.
 * Returns: (transfer full). */
LpProgram *lp_program_new_collective(LpCollective collective, guint64 bytes, LpGroup group,
                                     LpCommunicators *communicators);
/** Frees @self and all that it owns; nothing if it is NULL. */
void lp_program_free(LpProgram *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpProgram, lp_program_free)

/** The segment at @index of LpProgram.segments. Borrowed. */
const LpSegment *lp_program_segment(const LpProgram *self, guint index);
/** The operation at @index of LpProgram.ops. Borrowed. */
const LpOp *lp_program_op(const LpProgram *self, guint index);
/** The program of @stage, below LpPipeline.n_stages. Borrowed. */
const LpStageProgram *lp_program_stage(const LpProgram *self, guint stage);
/** The step at @index of LpProgram.steps. Borrowed. */
const LpStep *lp_program_step(const LpProgram *self, guint index);

/** Load of @rank's experts in @draw (LpOp.draw) over the mean of all ranks'; 1 without experts. */
double lp_program_expert_load(const LpProgram *self, guint32 draw, guint64 rank);
/** Streams of a rank: its compute stream, and those that the program uses. */
guint32 lp_program_n_streams(const LpProgram *self);
/** The stage of @rank. */
guint32 lp_program_rank_stage(const LpProgram *self, guint64 rank);
/** The ranks of @stage. */
guint64 lp_program_stage_ranks(const LpProgram *self, guint32 stage);
/** The first rank of @stage. */
guint64 lp_program_stage_first(const LpProgram *self, guint32 stage);
/** Whether ranks send messages to each other. */
gboolean lp_program_has_messages(const LpProgram *self);
/** How many lines are used, from the first on. */
guint lp_program_n_lines(const LpProgram *self);
/** The rank that @rank sends to on @direction, or that sends to it; G_MAXUINT64 if there is none.
 */
guint64 lp_program_message_receiver(const LpProgram *self, LpPipelineDirection direction,
                                    guint64 rank);
guint64 lp_program_message_sender(const LpProgram *self, LpPipelineDirection direction,
                                  guint64 rank);
/** The stream on which ranks send on @direction; LP_N_STREAMS: the compute stream. */
LpStream lp_program_message_stream(const LpProgram *self, LpPipelineDirection direction);
/** The collectives of @group that differ, LpOp: a layer's repeat. Returns: (transfer full). */
GArray *lp_program_collectives(const LpProgram *self, LpGroup group);
/** The communicator of @group that @rank is in; NULL: none. Borrowed. */
const LpCommunicator *lp_program_communicator(const LpProgram *self, LpGroup group, guint64 rank);

G_END_DECLS
