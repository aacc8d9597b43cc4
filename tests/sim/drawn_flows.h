/* SPDX-License-Identifier: Apache-2.0 */
/* Flows over the links of a generated machine, without a workload: some that are alike, some drawn;
 * and rates that are max-min fair, by filling links plainly. */
#pragma once

#include "sim/quotient/structure.h"

G_BEGIN_DECLS

/** Flows of senders that are alike, each with one route. */
typedef struct {
    LpMachine *machine; /* owned, as all below */
    LpNetwork *network;
    guint32 n;
    LpRoute *routes; /**< by flow */
    guint32 *senders;
    LpFlowList list;
    LpProgram *program; /**< without ranks */
    LpCommunicationMap map;
    LpQuotientJob job;
    LpQuotientInput input;
} LpDrawnFlows;

/** On the machine of @options (tests/support/generated.h) a flow from each accelerator to the one
 * @shift on, unless that is 0, and @n_drawn between others that are drawn. */
LpDrawnFlows *lp_drawn_flows_new(const char *options, guint32 shift, guint32 n_drawn, guint32 seed);
void lp_drawn_flows_free(LpDrawnFlows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpDrawnFlows, lp_drawn_flows_free)

/** Max-min fair rates of the flows that @flows (by flow; NULL: all) says, over the links that
 * @links (by link; NULL: all) says, of @bytes_per_s each. Returns: (transfer full), by flow;
 * INFINITY: on no such link. */
double *lp_drawn_flows_rates(const LpDrawnFlows *self, const gboolean *flows, const gboolean *links,
                             const double *bytes_per_s);
/** Bandwidths by link. Returns: (transfer full). */
double *lp_drawn_flows_bandwidths(const LpDrawnFlows *self);
/** Classes of flows in @structure, from 0 on, by flow; @out_n: how many. Returns: (transfer full).
 */
guint32 *lp_drawn_flows_classes(const LpDrawnFlows *self, const LpStructure *structure,
                                guint32 *out_n);

/** Machines whose links meet in different ways, NULL-ended. */
extern const char *const lp_drawn_flows_machines[];

G_END_DECLS
