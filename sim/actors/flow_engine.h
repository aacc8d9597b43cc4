/* SPDX-License-Identifier: Apache-2.0 */
/* Shares links among the flows of a run, in place of the engine: max-min fairly, as the engine
 * does, but with tiers that may be left uncontended, and with an eye on who holds back whom
 * (sim/actors/shared_flows.h). With all tiers uncontended every communication takes its isolated
 * time.
 */
#pragma once

#include "sim/actors/actor_opening.h"
#include "sim/actors/actor_rotor.h"
#include "sim/actors/flow_record.h"
#include "sim/actors/equivalence_check.h"

G_BEGIN_DECLS

typedef struct LpFlowEngine LpFlowEngine;

/** @network: borrowed. @uncontended: by tier, copied. @record: borrowed, or NULL: filled.
 * Returns: (transfer full). */
LpFlowEngine *lp_flow_engine_new(const LpNetwork *network, const gboolean *uncontended,
                                 LpFlowRecord *record);
/** Where ports of @network, borrowed, lose by the flows that come in, which the engine has no word
 * for: all tiers contended. Returns: (transfer full), NULL where none does. */
LpFlowEngine *lp_flow_engine_new_lossy(const LpNetwork *network);
/** Of flows that stand for the classes of @quotient, of a view that is apart, which says what is
 * uncontended. @quotient, @record, @check: borrowed; the latter two may be NULL. The run ends when
 * @check is over. Returns: (transfer full). */
LpFlowEngine *lp_flow_engine_new_of_classes(const LpQuotient *quotient, LpFlowRecord *record,
                                            LpEquivalenceCheck *check);
/** Leaves links to the engine. @rotor: circuits that turn by themselves, over which flows go in
 * place of the engine's links. @opening: of links that recover. Either may be NULL (transfer
 * full). Returns: (transfer full). */
LpFlowEngine *lp_flow_engine_new_of_engine(LpRotorRun *rotor, LpOpening *opening);
void lp_flow_engine_free(LpFlowEngine *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpFlowEngine, lp_flow_engine_free)

/** By tier, those that flows of classes do not meet on; static or as long as @self. NULL: none.
 * @self may be NULL. */
const gboolean *lp_flow_engine_uncontended(const LpFlowEngine *self);
/** @uncontended: of the view of the quotient whose classes flows stand for; copied. */
void lp_flow_engine_set_uncontended(LpFlowEngine *self, const gboolean *uncontended);

/** Starts the actor that ends flows when they are due, on @home. */
void lp_flow_engine_start(LpFlowEngine *self, struct s4u_Host *home);
/** Sends @flow, and returns when the last byte has arrived; latencies are the caller's. Without
 * @self (NULL) the engine does. Actors only. */
void lp_flow_engine_send(LpFlowEngine *self, const LpFlow *flow);
/** A flow that no actor waits for. */
typedef struct {
    LpFlow flow;
    double wait_s;    /**< before it begins */
    double latency_s; /**< from its end to its arrival */
    /** Then called with @data by an actor that others must not wait for. Its bytes were on their
     * way from @began_s to @ended_s. */
    void (*arrived)(gpointer data, double began_s, double ended_s);
    gpointer data;
} LpLaunchedFlow;

/** Whether lp_flow_engine_launch() can be used; @self may be NULL. */
gboolean lp_flow_engine_launches(const LpFlowEngine *self);
/** Sends a flow, and goes on at once: an actor for each of many flows would cost more than all
 * else about them. Actors only. */
void lp_flow_engine_launch(LpFlowEngine *self, const LpLaunchedFlow *flow);
/** As lp_flow_engine_send(), but goes on when the last leg, over circuits that turn, begins.
 * @arrived: released when the last byte has arrived. Actors only. */
void lp_flow_engine_post(LpFlowEngine *self, const LpFlow *flow, struct s4u_Semaphore *arrived);
/** The rotor that flows go over, borrowed; NULL: none. @self may be NULL. */
LpRotorRun *lp_flow_engine_rotor(const LpFlowEngine *self);
/** Of links that recover, borrowed; NULL: none do, or it is not the engine that shares them. @self
 * may be NULL. */
LpOpening *lp_flow_engine_opening(const LpFlowEngine *self);
/** Gives a link another bandwidth, > 0, from now on, where it is not the engine that shares links;
 * @self may be NULL. Actors only. */
void lp_flow_engine_set_bandwidth(LpFlowEngine *self, guint32 link, double bytes_per_s);

G_END_DECLS
