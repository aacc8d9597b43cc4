/* SPDX-License-Identifier: Apache-2.0 */
/* The time of a communication that meets no other: from its steps over its own routes.
 *
 * Ports serve one collective's own flows together, so flows of one collective on the same port
 * share it; every other tier is taken as non-blocking, a flow being slowed by a narrow link but
 * never by a second flow (design: the counterfactual keeps every port's own serialisation). */
#pragma once

#include "sim/edge.h"

G_BEGIN_DECLS

/** How a collective runs: one fluid flow an edge with all latencies up front, or every step of its
 * algorithm as a message. */
typedef enum {
    LP_FIDELITY_FLOW,
    LP_FIDELITY_MESSAGE
} LpFidelity;

extern const char *const lp_fidelity_names[];

/** A ring without other traffic: what its edges allow. */
typedef struct {
    guint64 n_members;
    double latency_s;    /**< the farthest neighbours' */
    double *bytes_per_s; /* owned: rate of each member's edge to the next */
    double slowest_bytes_per_s;
} LpLonelyRing;

/** The ring of the group of kind @group to which @rank belongs. */
void lp_lonely_ring_init(LpLonelyRing *self, const LpEdges *edges, LpGroup group, guint64 rank);
void lp_lonely_ring_clear(LpLonelyRing *self);

/** Seconds of one collective over @bytes. */
double lp_lonely_ring_time_s(const LpLonelyRing *self, LpCollective collective, guint64 bytes,
                             LpFidelity fidelity);
/** The rings of all groups, those that are alike kept once a stage. */
typedef struct LpLonelyRings LpLonelyRings;

/** Returns: (transfer full). */
LpLonelyRings *lp_lonely_rings_new(const LpEdges *edges);
void lp_lonely_rings_free(LpLonelyRings *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpLonelyRings, lp_lonely_rings_free)

/** Whether all groups of that kind are alike, on all stages. */
gboolean lp_lonely_rings_uniform(const LpLonelyRings *self, LpGroup group);
/** Seconds of one collective over @bytes in the slowest group of that kind on @stage. */
double lp_lonely_rings_time_s(const LpLonelyRings *self, LpGroup group, guint32 stage,
                              LpCollective collective, guint64 bytes, LpFidelity fidelity);

/** Seconds of one message over @edge. */
double lp_lonely_message_time_s(const LpEdge *edge, guint64 bytes);

G_END_DECLS
