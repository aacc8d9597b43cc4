/* SPDX-License-Identifier: Apache-2.0 */
/* All flows that a run makes: one for each connection that carries anything, with what it carries
 * and what it waits for. */
#pragma once

#include "sim/quotient/numbering.h"
#include "sim/quotient/quotient_input.h"

G_BEGIN_DECLS

#define LP_FLOW_NONE G_MAXUINT32
/** Members of a ring whose bytes differ by at most this share of them send equally much. Blocks of
 * a buffer that members do not divide differ by a byte, which would tell all of a long ring apart:
 * where it contends, each by how far it stands from where blocks change. */
#define LP_FLOW_LIST_ALIKE 1e-8

/** A connection as the run uses it. */
typedef struct {
    const LpRoute *route; /* borrowed from the map, or from the list's own pairs */
    gint64 communicator;  /**< its index among all of the list's; -1: a line between stages */
    gint64 sender;        /**< of a flow that is no job's; -1: a job's */
    guint32 from, to;     /**< ranks, counted on over the jobs of the run; a sender's turn */
    guint32 place_from, place_to; /**< members of the communicator; place_to: LP_FLOW_NONE if the
                                     receiver goes on before it arrives, and only the end waits */
    guint32 what; /**< flows of one number send as many bytes in the same operations and rounds, in
                     the same order, and wait for as long */
    gboolean is_chained; /**< begins when flows before it have ended, of its sender or to it, and
                            not only when the communicator does */
    gboolean is_delay;   /**< takes its isolated time, and is on no link */
} LpFlowOfRun;

/** Links that @self is on. */
static inline guint32
lp_flow_of_run_n_links(const LpFlowOfRun *self)
{
    return self->is_delay ? 0 : self->route->n_links;
}

/** The order in which links of a route count when several hold a flow back at once: the first link,
 * the last, and then those in between. Links that bind nothing come behind those that do. Returns:
 * the place on the route of the @i-th of @n_links. */
static inline guint32
lp_link_order(guint32 i, guint32 n_links)
{
    return i == 0 ? 0 : i == 1 ? n_links - 1 : i - 1;
}

/** A communicator as the run uses it. */
typedef struct {
    const LpCommunicator *communicator; /* borrowed */
    gboolean has_flows;                 /**< FALSE: its collectives are delays */
    gboolean is_chained;                /**< whether some of its flows are */
    guint32 first_rank;                 /**< of its job, counted on over the jobs of the run */
    gboolean ranks_send; /**< the ranks themselves send some collectives' messages, step by step */
    guint32 what; /**< communicators of one number wait as long in each of their operations */
} LpCommunicatorOfRun;

/** The flows of one job. The lists of one run share their flows and communicators, and number equal
 * ones alike. */
typedef struct {
    guint n_owners;
    GArray *flows;           /* owned together, LpFlowOfRun: of all jobs */
    GArray *communicators;   /* owned together, LpCommunicatorOfRun: of all jobs, of each group by
                                group, in their order there */
    LpNumbering what, waits; /* owned by the last of the lists */
    guint32 first_rank, n_ranks; /**< of the job; the first counted on over the jobs of the run */
    guint32 first_flow, n_flows; /**< of the job */
    guint32 first_communicator[LP_N_GROUPS]; /**< in communicators */
    guint32
        *of_connection[LP_N_CONNECTIONS]; /* owned, by rank: flow, or LP_FLOW_NONE; NULL: none */
    guint32 *of_peer[LP_N_GROUPS]; /* owned, by rank: flow to the first of its peers, the others
                                      follow; LP_FLOW_NONE; NULL: none */
    guint32 *of_pair[LP_N_GROUPS]; /* owned, by rank: flow of the first message of an all-to-all by
                                      pairs, the others follow in their order; NULL: none */
    GPtrArray *pairs;              /* owned GArray of LpPairFlow: those */
} LpFlowList;

/** The flows of @job in a run of @fidelity, behind those of @last, the list of the job before;
 * NULL: it is the first. Returns: (transfer full). */
LpFlowList *lp_flow_list_new(const LpQuotientJob *job, LpFlowList *last, LpFidelity fidelity);
/** Another owner of it; each frees it. */
LpFlowList *lp_flow_list_ref(LpFlowList *self);
/** Adds the @n @flows, whose routes are borrowed, which are no job's. */
void lp_flow_list_add_background(LpFlowList *self, const LpBackgroundFlow *flows, guint32 n);
/** Whether one of its flows follows another, leg after leg. */
gboolean lp_flow_list_forwards(const LpFlowList *self);
void lp_flow_list_free(LpFlowList *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpFlowList, lp_flow_list_free)

/** The bytes on the wire that a member of a ring of neighbours, or of an all-to-all along the
 * rails, sends in @op with fidelity flow, up to LP_FLOW_LIST_ALIKE; and the seconds that it waits
 * before. */
guint64 lp_flow_list_plain_bytes(const LpIsolatedRing *ring, const LpOp *op,
                                 const LpProtocol *protocol, guint64 member);
double lp_flow_list_plain_wait_s(const LpIsolatedRing *ring, const LpOp *op,
                                 const LpProtocol *protocol);

G_END_DECLS
