/* SPDX-License-Identifier: Apache-2.0 */
/* All flows that a run makes: one for each connection that carries anything, with what it carries
 * and what it waits for. */
#pragma once

#include "sim/analysis/contention.h"
#include "sim/analysis/isolated_time.h"

G_BEGIN_DECLS

#define LP_FLOW_NONE G_MAXUINT32

/** A connection as the run uses it. */
typedef struct {
    const LpRoute *route; /* borrowed from the map */
    gint64 communicator;  /**< its index among all of the list's; -1: a line between stages */
    guint32 from, to;     /**< ranks */
    guint32 place_from, place_to; /**< members of the communicator */
    guint32 what; /**< flows of one number send as many bytes in the same operations and rounds, in
                     the same order, and wait for as long */
    gboolean is_chained; /**< begins when flows before it have ended, of its sender or to it, and
                            not only when the communicator does */
} LpFlowOfRun;

/** A communicator as the run uses it. */
typedef struct {
    const LpCommunicator *communicator; /* borrowed */
    gboolean has_flows;                 /**< FALSE: its collectives are delays */
    gboolean is_chained;                /**< whether some of its flows are */
    guint32 what; /**< communicators of one number wait as long in each of their operations */
} LpCommunicatorOfRun;

typedef struct {
    GArray *flows;         /* owned LpFlowOfRun */
    GArray *communicators; /* owned LpCommunicatorOfRun: group by group, in their order there */
    guint32 first_communicator[LP_N_GROUPS]; /**< in communicators */
    guint32
        *of_connection[LP_N_CONNECTIONS]; /* owned, by rank: flow, or LP_FLOW_NONE; NULL: none */
    guint32 *of_peer[LP_N_GROUPS]; /* owned, by rank: flow to the first of its peers, the others
                                      follow; LP_FLOW_NONE; NULL: none */
} LpFlowList;

/** The flows of a run of @fidelity on @map, in which communicators take their isolated time that
 * @contention says have their links to themselves. NULL where it makes flows that are no such
 * connections: @out_reason then says which, static. Returns: (transfer full). */
LpFlowList *lp_flow_list_new(const LpCommunicationMap *map, const LpContention *contention,
                             LpIsolatedCache *cache, LpFidelity fidelity, const char **out_reason);
void lp_flow_list_free(LpFlowList *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpFlowList, lp_flow_list_free)

/** What a member of a ring of neighbours, or of an all-to-all along the rails, sends in @op with
 * fidelity flow, on the wire; and what it waits for before it does, s. */
guint64 lp_flow_list_plain_bytes(const LpIsolatedRing *ring, const LpOp *op,
                                 const LpProtocol *protocol, guint64 member);
double lp_flow_list_plain_wait_s(const LpIsolatedRing *ring, const LpOp *op,
                                 const LpProtocol *protocol);

G_END_DECLS
