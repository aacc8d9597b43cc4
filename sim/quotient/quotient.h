/* SPDX-License-Identifier: Apache-2.0 */
/* The quotient of a run: its ranks, communicators, flows and links by classes whose members do the
 * same at the same instants, one of which is enough to be simulated.
 *
 * Ranks, communicators with their members' places, flows and links are the vertices of one
 * structure (docs/architecture.md). Ranks start as alike by their program, communicators and flows
 * by what they wait for and carry, links by bandwidth; they are told apart as long as they touch
 * different classes, or one class differently often (sim/quotient/refinement.h). What is left
 * cannot differ at any instant: programs are deterministic, and rates that are max-min fair are
 * unique, so that whatever exchanges members of classes leaves them as they are. A link of the
 * quotient is crossed by the flow that stands for a class as often as each of the links that it
 * stands for is crossed by that class. Two things that would make it finer are left out, and change
 * nothing: a collective's flows do not see their ends where all begin with the last member and all
 * are waited for; and links that cannot hold anything back (sim/quotient/binding_links.h). */
#pragma once

#include "sim/analysis/rank_equivalence.h"
#include "sim/engine/loading.h"
#include "sim/quotient/link_classes.h"
#include "sim/quotient/flow_list.h"
#include "sim/quotient/member_classes.h"
#include "sim/quotient/quotient_size.h"

G_BEGIN_DECLS

/** Communicators of one kind that do the same. */
typedef struct {
    const LpCommunicator *communicator; /* borrowed: the first, which stands for all */
    guint32 n;                          /**< how many it stands for */
    gboolean has_flows;                 /**< FALSE: its collectives are delays */
    LpMemberClasses members;            /**< where flows wait for others; else none */
} LpCommunicatorClass;

typedef struct LpQuotient LpQuotient;

/** The quotient of the run of @input, whose maps and background flows, and what they refer to, must
 * outlive it; it is also that of the first job. NULL if the run makes flows that quotients do not
 * cover; @out_reason then says which, static. Returns: (transfer full). */
LpQuotient *lp_quotient_new(const LpQuotientInput *input, const char **out_reason);
void lp_quotient_free(LpQuotient *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpQuotient, lp_quotient_free)

/** The part of job number @job: what is asked of ranks and communicators is asked of a job's.
 * Borrowed from the quotient of the run, @self. */
LpQuotient *lp_quotient_job(LpQuotient *self, guint32 job);
/** A job before it whose ranks stand for all of its own, so that only their sizes may be asked of
 * it; its own number if there is none. */
guint32 lp_quotient_identical_job(const LpQuotient *self);
/** The size of the whole run and of its quotient. */
LpQuotientSize lp_quotient_size(const LpQuotient *self);
/** For people: how many ranks and flows the job has, and how many of them do. Returns: (transfer
 * full). */
char *lp_quotient_describe(const LpQuotient *self);
/** Ranks and communicators by class. Borrowed. */
const LpRankEquivalence *lp_quotient_ranks(const LpQuotient *self);
/** The number of ranks of @class. */
guint32 lp_quotient_n_ranks(const LpQuotient *self, guint32 class);
/** The class number @class of communicators of @group. Borrowed. */
const LpCommunicatorClass *lp_quotient_communicator(const LpQuotient *self, LpGroup group,
                                                    guint32 class);
/** The members of the communicator that stands for @classes that are of the ranks' classes
 * simulated, one of each, in the order of these. Returns: (transfer full). */
guint32 *lp_quotient_rank_members(const LpQuotient *self, const LpCommunicatorClass *classes);
/** Starts the engine on the quotient in place of the machine of @network (lp_network_load_flows()).
 * Errors: as there. */
gboolean lp_quotient_load(LpQuotient *self, LpNetwork *network, const GArray *engine_options,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The route between hosts of the loaded quotient of the connection of @kind of @rank; NULL: it has
 * none. Flows of one class have one route. Borrowed. */
const LpRoute *lp_quotient_route(const LpQuotient *self, LpConnectionKind kind, guint64 rank);
/** The route of the class of its connection to peer number @peer of lp_collective_peers_get(). */
const LpRoute *lp_quotient_peer_route(const LpQuotient *self, LpGroup group, guint64 rank,
                                      guint peer);
/** The route of the class of its message number @place of an all-to-all by pairs. */
const LpRoute *lp_quotient_pair_route(const LpQuotient *self, LpGroup group, guint64 rank,
                                      guint64 place);
/** The route of the class of background flow number @flow, and the number of senders that its
 * sender represents; 0 if another represents it. @self: of the run. */
const LpRoute *lp_quotient_background_route(const LpQuotient *self, guint32 flow);
guint32 lp_quotient_n_senders(const LpQuotient *self, guint32 sender);
/** The link of the quotient, as its routes name it, that stands for @link; G_MAXUINT32: none, since
 * nothing crosses @link or it cannot hold anything back. @self: of the run. */
guint32 lp_quotient_link(const LpQuotient *self, guint32 link);
/** Gives the links of the class of @link, which changes, what makes up for @bytes_per_s each, > 0,
 * from now on. @self: of the run, loaded. */
void lp_quotient_set_bandwidth(const LpQuotient *self, guint32 link, double bytes_per_s);

/** The flows of the job, and of all before it, that are put into classes. Borrowed. */
const LpFlowList *lp_quotient_flows(const LpQuotient *self);
/** For each flow its class, below lp_quotient_size().n_flow_classes. Borrowed. */
const guint32 *lp_quotient_flow_classes(const LpQuotient *self);
/** The class of flows that @route, one of the above, stands for; FALSE: it is no such route. @self:
 * of the run. */
gboolean lp_quotient_find_class(const LpQuotient *self, const LpRoute *route, guint32 *out_class);
/** How classes meet on links; NULL: the engine knows. @self: of the run. Borrowed. */
const LpLinkClasses *lp_quotient_links(const LpQuotient *self);

G_END_DECLS
