/* SPDX-License-Identifier: Apache-2.0 */
/* One training iteration as programs: what each pipeline stage computes, sends and reduces.
 *
 * All ranks of a stage run the same program on their own groups, so programs are stored once a
 * stage; what repeats from micro-batch to micro-batch is a segment, stored once a chunk. The
 * programs can be read before anything runs. */
#pragma once

#include "model/kernel.h"
#include "model/terms.h"
#include "workloads/schedule.h"
#include "workloads/workload.h"

G_BEGIN_DECLS

#define LP_ITERATION_ERROR (lp_iteration_error_quark())
GQuark lp_iteration_error_quark(void);
typedef enum {
    LP_ITERATION_ERROR_SIZE, /**< More steps than fit in memory, or bytes than can be counted. */
} LpIterationError;

typedef enum {
    LP_COLLECTIVE_ALL_REDUCE,
    LP_COLLECTIVE_REDUCE_SCATTER,
    LP_COLLECTIVE_ALL_GATHER,
    LP_N_COLLECTIVES
} LpCollective;

extern const char *const lp_collective_names[];

/** The process groups that a rank belongs to. */
typedef enum {
    LP_GROUP_TP,
    LP_GROUP_DP,
    LP_GROUP_EMBEDDING, /**< first and last stage, same position on all other axes */
    LP_N_GROUPS
} LpGroup;

typedef enum {
    LP_OP_COMPUTE,
    LP_OP_COLLECTIVE, /**< the compute stream waits for it */
    LP_OP_LAUNCH,     /**< the gradient stream runs it when it gets there */
    LP_OP_JOIN,       /**< the compute stream waits for the gradient stream */
} LpOpKind;

typedef struct {
    LpOpKind kind;
    LpTerm term;             /**< what its exposed time counts as */
    double duration_s;       /**< compute */
    LpCollective collective; /**< collective and launch: */
    LpGroup group;
    LpTraffic traffic;
    guint64 bytes; /**< of the whole buffer: the summed or gathered tensor on each member */
} LpOp;

/** Ops in a row between two points at which other stages are involved. */
typedef struct {
    const char *name; /**< static: "forward", "backward", ... for timelines */
    guint32 stage, chunk;
    guint first_op, n_ops; /**< in LpIteration.ops */
} LpSegment;

typedef enum {
    LP_STEP_SEGMENT,
    LP_STEP_SEND,
    LP_STEP_RECV
} LpStepKind;

/** One step of a stage's program. Messages between two stages in one direction arrive in the order
 * in which they were sent. */
typedef struct {
    LpStepKind kind;
    LpDirection direction; /**< of a message */
    guint32 segment;       /**< index in LpIteration.segments */
    guint32 peer;          /**< stage that a message goes to or comes from */
    guint32 micro_batch;
} LpStep;

typedef struct {
    guint first_step, n_steps; /**< in LpIteration.steps */
} LpProgram;

typedef struct {
    LpTransformer transformer;
    LpPlan plan;
    guint64 message_bytes; /**< of one message between stages, from one rank */
    GArray *ops;           /* owned: LpOp */
    GArray *segments;      /* owned: LpSegment */
    GArray *steps;         /* owned: LpStep */
    GArray *programs;      /* owned: LpProgram, one a stage */
} LpIteration;

/** Expands @workload, with the kernel times of @accelerator. Error: LP_ITERATION_ERROR_SIZE.
 * Returns: (transfer full). */
LpIteration *lp_iteration_new(const LpWorkload *workload, const LpAccelerator *accelerator,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** An iteration without transformer, plan and programs, to be filled in. Returns: (transfer full).
 */
LpIteration *lp_iteration_new_empty(void);
void lp_iteration_free(LpIteration *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpIteration, lp_iteration_free)

const LpSegment *lp_iteration_segment(const LpIteration *self, guint index);
const LpOp *lp_iteration_op(const LpIteration *self, guint index);
const LpProgram *lp_iteration_program(const LpIteration *self, guint stage);
const LpStep *lp_iteration_step(const LpIteration *self, guint index);

/** Members of the group of kind @group to which @rank belongs. */
guint64 lp_iteration_group_size(const LpIteration *self, LpGroup group);
/** The @index-th member, in ring order. */
guint64 lp_iteration_group_member(const LpIteration *self, LpGroup group, guint64 rank,
                                  guint64 index);
/** Where @rank stands in its own group. */
guint64 lp_iteration_group_index(const LpIteration *self, LpGroup group, guint64 rank);
/** Whether @rank's stage takes part in groups of this kind (embedding: first and last only). */
gboolean lp_iteration_has_group(const LpIteration *self, LpGroup group, guint64 rank);

/** The rank of @stage at the same position as @rank on all other axes. */
guint64 lp_iteration_stage_mate(const LpIteration *self, guint64 rank, guint32 stage);

G_END_DECLS
