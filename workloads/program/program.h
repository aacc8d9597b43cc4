/* SPDX-License-Identifier: Apache-2.0 */
/* One training iteration as programs: what each pipeline stage computes, sends and reduces.
 *
 * All ranks of a stage run the same program on their own groups, so programs are stored once a
 * stage; what repeats from micro-batch to micro-batch is a segment, stored once a chunk. The
 * programs can be read before anything runs. */
#pragma once

#include "model/kernel.h"
#include "model/terms.h"
#include "model/group.h"
#include "workloads/program/pipeline_schedule.h"
#include "workloads/description/workload.h"

G_BEGIN_DECLS

#define LP_PROGRAM_ERROR (lp_program_error_quark())
GQuark lp_program_error_quark(void);
typedef enum {
    LP_PROGRAM_ERROR_SIZE, /**< More steps than fit in memory, or bytes than can be counted. */
} LpProgramError;

/** The communication streams of a rank, beside its compute stream. Each runs what is launched on
 * it in order. */
typedef enum {
    LP_STREAM_DP,    /**< gradients and parameters */
    LP_STREAM_LAYER, /**< collectives inside a layer: tp, cp, ep */
    LP_STREAM_PP,    /**< messages to other stages */
    LP_N_STREAMS
} LpStream;

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

typedef struct {
    LpTransformer transformer;
    LpPlan plan;
    guint64 message_bytes;    /**< of one message between stages, from one rank */
    double collective_host_s; /**< what a collective or message costs the host */
    gboolean uses_stream[LP_N_STREAMS];
    double *expert_loads;   /* owned: by ep coordinate, over the mean; NULL where all are 1 */
    GArray *ops;            /* owned: LpOp */
    GArray *segments;       /* owned: LpSegment */
    GArray *steps;          /* owned: LpStep */
    GArray *stage_programs; /* owned: LpStageProgram, one a stage */
} LpProgram;

/** Expands @workload, with the kernel times of @accelerator. Error: LP_PROGRAM_ERROR_SIZE.
 * Returns: (transfer full). */
LpProgram *lp_program_new(const LpWorkload *workload, const LpAccelerator *accelerator,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** An iteration without transformer, plan and programs, to be filled in. Returns: (transfer full).
 */
LpProgram *lp_program_new_empty(void);
void lp_program_free(LpProgram *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpProgram, lp_program_free)

const LpSegment *lp_program_segment(const LpProgram *self, guint index);
const LpOp *lp_program_op(const LpProgram *self, guint index);
const LpStageProgram *lp_program_stage(const LpProgram *self, guint stage);
const LpStep *lp_program_step(const LpProgram *self, guint index);

/** Load of @rank's experts over the mean. */
double lp_program_expert_load(const LpProgram *self, guint64 rank);
/** Whether a collective of groups of this kind may run while its ranks do something else. */
gboolean lp_program_group_overlaps(const LpProgram *self, LpGroup group);
/** The rank of @stage at the same position as @rank on all other axes. */
guint64 lp_program_stage_mate(const LpProgram *self, guint64 rank, guint32 stage);

/** lp_group_size() and its likes, for the iteration's plan. */
guint64 lp_program_group_size(const LpProgram *self, LpGroup group);
guint64 lp_program_group_member(const LpProgram *self, LpGroup group, guint64 rank, guint64 index);
guint64 lp_program_group_index(const LpProgram *self, LpGroup group, guint64 rank);
gboolean lp_program_has_group(const LpProgram *self, LpGroup group, guint64 rank);

G_END_DECLS
