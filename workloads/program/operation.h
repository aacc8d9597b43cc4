/* SPDX-License-Identifier: Apache-2.0 */
/* An operation: the least that a rank's program says. */
#pragma once

#include "model/times/kernel.h"
#include "workloads/program/communicator.h"

G_BEGIN_DECLS

/** The kinds of operations. */
typedef enum {
    LP_OP_COMPUTE,
    LP_OP_COLLECTIVE,     /**< the compute stream waits for it */
    LP_OP_LAUNCH,         /**< the stream runs it when it gets there */
    LP_OP_JOIN,           /**< the compute stream waits until few enough of the stream are left */
    LP_OP_LAUNCH_COMPUTE, /**< computes on a stream, when that gets there */
    LP_OP_AWAIT /**< a stream, when it gets there, waits until few enough of another's launches
                     are left that are made before */
} LpOpKind;

/** Whose expert load decides how much of an all-to-all a pair of members exchanges. */
typedef enum {
    LP_WEIGHT_EVEN,
    LP_WEIGHT_RECEIVER, /**< tokens go to the experts */
    LP_WEIGHT_SENDER    /**< and come back */
} LpWeight;

/** One operation. What its kind does not use is 0. */
typedef struct {
    LpOpKind kind;
    LpTerm term;             /**< what its exposed time counts as */
    LpWork work;             /**< compute, beside */
    gboolean loaded;         /**< compute: takes the rank's expert load times as long */
    guint32 draw;            /**< of a loaded one and of an all-to-all: which draw of the experts'
                                loads it meets, in LpProgram.expert_loads */
    LpCollective collective; /**< collective and launch: */
    LpGroup group;
    LpTraffic traffic;
    LpWeight weight;
    guint64 bytes;    /**< of the whole buffer: the summed or gathered tensor on each member; of an
                         all-to-all, what a member holds before it */
    LpStream stream;  /**< launch, join, beside and await; of a collective LP_N_STREAMS: the compute
                           stream */
    guint n_pending;  /**< join and await: so many of the stream may be left */
    LpStream awaited; /**< await: the other stream */
} LpOp;

/** Whether @self is a collective, waited for or launched. */
static inline gboolean
lp_op_is_collective(const LpOp *self)
{
    return self->kind == LP_OP_COLLECTIVE || self->kind == LP_OP_LAUNCH;
}

/** The loads that @self, an all-to-all of @communicator, meets: by member, over the mean; NULL
 * where all are 1. Borrowed from @communicator. */
const double *lp_op_loads(const LpOp *self, const LpCommunicator *communicator);

/** Whether two collectives of one group send the same, and a number that is the same for those
 * that do: for a GHashTable by LpOp. */
gboolean lp_op_is_alike(gconstpointer self, gconstpointer other);
guint lp_op_hash(gconstpointer self);

G_END_DECLS
