/* SPDX-License-Identifier: Apache-2.0 */
/* Where the communicators of a job stand on a machine, and what follows: how they run a collective,
 * and what joins two of their members. */
#pragma once

#include "model/network/library_mix.h"
#include "model/network/library_table.h"
#include "sim/collectives/algorithm_selection.h"
#include "sim/engine/network.h"
#include "sim/mapping/placement.h"
#include "sim/mapping/relay_paths.h"

G_BEGIN_DECLS

/** The kinds of connections. The first LP_N_GROUPS are those of the groups of the same index: to
 * the next member of the ring or, in a group that does all-to-alls, to the next member in the
 * rank's own domain; groups whose collectives are all scheduled have none. Then, for each group,
 * the way out of the domain of those that do all-to-alls, and the lines between stages. */
typedef enum {
    LP_CONNECTION_INTER = LP_N_GROUPS,
    LP_CONNECTION_MESSAGES =
        LP_CONNECTION_INTER + LP_N_GROUPS, /**< and so on for each LpPipelineDirection */
    LP_N_CONNECTIONS = LP_CONNECTION_MESSAGES + LP_N_PIPELINE_DIRECTIONS
} LpConnectionKind;

typedef struct {
    gboolean present;
    guint64 to; /**< rank */
    LpAttachment attachment;
    LpRoute route;
} LpConnection;

/** Where a job's ranks stand. What it refers to must outlive it. */
typedef struct {
    const LpProgram *program;             /* borrowed */
    const LpCommunicators *communicators; /* borrowed from the program */
    const LpNetwork *network;             /* borrowed */
    const LpLibrary *library;             /* borrowed */
    const LpPlacement *placement;         /* borrowed */
    const LpRelayPaths *relays;           /* borrowed: paths over circuits that never change, or
                                             NULL: the network's own routes */
    gboolean is_packet_network;           /**< what a hybrid's circuits could carry goes over the
                                     network beside them */
    guint64 *crossings;                   /* owned: of a torus that all-to-alls cross, else NULL */
    LpTorusPaths ways;                    /**< of it */
    LpSites *sites[LP_N_GROUPS]; /* owned, by communicator; NULL where nobody has asked for all */
} LpRankLayout;

/** Everything is borrowed. Returns: (transfer full). */
LpRankLayout *lp_rank_layout_new(const LpProgram *program, const LpNetwork *network,
                                 const LpLibrary *library, const LpPlacement *placement,
                                 const LpRelayPaths *relays);
void lp_rank_layout_free(LpRankLayout *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpRankLayout, lp_rank_layout_free)

/** The accelerator that @rank stands on. */
guint64 lp_rank_layout_accelerator(const LpRankLayout *self, guint64 rank);
/** The scale-up domain of that. */
guint64 lp_rank_layout_domain(const LpRankLayout *self, guint64 rank);
/** Finds self->sites for all communicators of @group. */
void lp_rank_layout_find_sites(LpRankLayout *self, LpGroup group);
/** The places of @communicator's members in domains. */
LpSites lp_rank_layout_sites(const LpRankLayout *self, const LpCommunicator *communicator);
/** Whether anything but rings and rails can be selected for communicators of @group. */
gboolean lp_rank_layout_is_tuned(const LpRankLayout *self, LpGroup group);
/** The library, of those of the job, that runs @op, a collective. Borrowed. */
const LpLibrary *lp_rank_layout_library(const LpRankLayout *self, const LpOp *op);
/** The algorithm by which @communicator runs @op. */
LpAlgorithmSelection lp_rank_layout_selection(const LpRankLayout *self, const LpOp *op,
                                              const LpCommunicator *communicator);
/** Seconds that @op of @communicator takes at least, by what its library was measured to take; 0:
 * nothing was measured. @out_source: as lp_library_measured_s(), or NULL. */
double lp_rank_layout_measured_s(const LpRankLayout *self, const LpOp *op,
                                 const LpCommunicator *communicator, LpMeasuredSource *out_source);
/** The connection from @rank to @to for what connections of @kind carry. */
LpConnection lp_rank_layout_connect(const LpRankLayout *self, LpConnectionKind kind, guint64 rank,
                                    guint64 to);

/** The class of traffic that connections of @kind carry: it picks the plane and the path. */
LpTraffic lp_connection_traffic(LpConnectionKind kind);
/** The kind of the connections out of the domain of a group that does all-to-alls. */
LpConnectionKind lp_connection_inter_domain(LpGroup group);
/** The group that connections of @kind belong to; LP_N_GROUPS for lines. */
LpGroup lp_connection_group(LpConnectionKind kind);
/** Whether a connection stays in a domain. */
LpReach lp_connection_reach(const LpConnection *self);

G_END_DECLS
