/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators: the ranks that run collectives together, the stream on which each of them does,
 * and the algorithm that the plan names. */
#pragma once

#include "model/plan/collective.h"
#include "model/plan/group_traits.h"

G_BEGIN_DECLS

/** The communication streams of a rank besides its compute stream. Each runs what is launched on it
 * in order. */
typedef enum {
    LP_STREAM_DP,    /**< gradients and parameters */
    LP_STREAM_LAYER, /**< collectives inside a layer: tp, cp, ep */
    LP_STREAM_RELAY, /**< what experts' all-to-alls relay within nodes, beside what they send
                        between them */
    LP_STREAM_PP,    /**< messages to other stages */
    LP_STREAM_GIVEN, /**< and so on: queues of a program that is given, and not made of a plan */
    LP_N_STREAMS = LP_STREAM_GIVEN + 4 /**< where one is asked for: the compute stream itself */
} LpStream;

/** Whether @stream, or a rank's compute stream, carries collectives inside layers alone. */
static inline gboolean
lp_stream_is_inner(LpStream stream)
{
    return stream == LP_STREAM_LAYER || stream == LP_STREAM_RELAY;
}

/** The stream on which every rank runs all collectives of @group under @plan, so that a group
 * always finds the same one at its ports; LP_N_STREAMS: the compute stream, which waits for each.
 */
LpStream lp_group_stream(const LpPlan *plan, LpGroup group);

/** A communicator: one group of one kind. */
typedef struct {
    LpGroup group;
    guint32 n_members;       /**< at least 2 */
    const guint32 *ranks;    /* borrowed from its LpCommunicators: the members in ring order */
    LpStream stream;         /**< lp_group_stream() */
    gboolean is_exclusive;   /**< while one of its collectives is under way, its ranks begin none of
                                  another communicator */
    gboolean exchanges;      /**< it does all-to-alls, and never a ring */
    gboolean broadcasts;     /**< it does broadcasts besides, which are no rings of neighbours */
    LpAlgorithms algorithms; /**< that the plan names; none: the library selects */
    const char *setting;     /**< what an error about that algorithm names. Static */
    const double *loads; /* borrowed: by draw and member, the load of its experts over the mean, or
                            NULL: all 1; lp_op_loads() */
} LpCommunicator;

/** All communicators of a job, by group and rank. */
typedef struct LpCommunicators LpCommunicators;

/** The communicators of @plan for @transformer. @expert_loads: borrowed, by draw and ep
 * coordinate, or NULL where all are 1. Returns: (transfer full). */
LpCommunicators *lp_communicators_new(const LpTransformer *transformer, const LpPlan *plan,
                                      const double *expert_loads);
/** @n_communicators equal ones of @n_members ranks for one collective, without a plan: all have
 * the traits of @like but for its ranks. @strided: member i of communicator g is rank
 * i @n_communicators + g; else g @n_members + i. Both at least 1; with one member there are none.
 * Returns: (transfer full). */
LpCommunicators *lp_communicators_new_equal(const LpCommunicator *like, guint32 n_communicators,
                                            guint32 n_members, gboolean strided);
/** None yet, for a job of @n_ranks. Returns: (transfer full). */
LpCommunicators *lp_communicators_new_empty(guint64 n_ranks);
/** Adds one with the traits of @like and its members, @like->ranks, none of which is in one of its
 * group already. Copies all of it; communicators that were borrowed move. */
void lp_communicators_add(LpCommunicators *self, const LpCommunicator *like);
/** Frees @self and its communicators; nothing if it is NULL. */
void lp_communicators_free(LpCommunicators *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpCommunicators, lp_communicators_free)

/** The number of ranks of the job, in a communicator or not. */
guint64 lp_communicators_n_ranks(const LpCommunicators *self);
/** The number of communicators of @group; 0 where each would have one member. */
guint lp_communicators_n(const LpCommunicators *self, LpGroup group);
/** Members of each of them, of the largest where they differ; 1 where there are none. */
guint32 lp_communicators_n_members(const LpCommunicators *self, LpGroup group);
/** The @index-th communicator of @group, in the order of their first members. Borrowed. */
const LpCommunicator *lp_communicators_get(const LpCommunicators *self, LpGroup group, guint index);
/** The communicator of @group that @rank is in; NULL: none. Borrowed. */
const LpCommunicator *lp_communicators_of(const LpCommunicators *self, LpGroup group, guint64 rank);
/** The groups, as bits, of each of whose communicators all members are of one class. @of_rank: the
 * classes, by rank. */
guint lp_communicators_of_one_class(const LpCommunicators *self, const guint32 *of_rank);
/** The index of @communicator, which must be one of @self, for lp_communicators_get(). */
guint lp_communicators_number(const LpCommunicators *self, const LpCommunicator *communicator);
/** The index of @rank in its communicator of @group, from 0; 0 if it is in none. */
guint32 lp_communicators_place(const LpCommunicators *self, LpGroup group, guint64 rank);

G_END_DECLS
