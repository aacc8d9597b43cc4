/* SPDX-License-Identifier: Apache-2.0 */
/* What each unit of a communicator sends in a collective. A unit is a member or, where ranks stand
 * for classes, the member that stands for its class. Nothing here needs the engine. */
#pragma once

#include "sim/analysis/isolated_time.h"
#include "sim/mapping/round_plan.h"
#include "sim/quotient/quotient.h"

G_BEGIN_DECLS

/** A communicator as its units see it. Everything is borrowed. */
typedef struct {
    const LpIsolatedRing *ring;
    LpFidelity fidelity;
    const LpQuotient *quotient;         /**< whose routes flows take; NULL: their own */
    const LpCommunicatorClass *classes; /**< of that; NULL: every member is a unit */
} LpCollectiveFlows;

/** A collective of it. Everything is borrowed. */
typedef struct {
    const LpOp *op;
    const LpProtocol *protocol;
    LpRoundPlan *plan; /**< NULL: it is not scheduled */
    double forwarding; /**< circuits that a byte of an all-to-all pair by pair takes; else 1 */
} LpCollectiveCall;

/** A flow of a unit. */
typedef struct {
    const LpRoute *route; /* borrowed from the connections or the quotient */
    guint64 bytes;        /**< on the wire */
    double latency_s;     /**< from the end of its bytes' flow to their arrival */
    guint32 to_rank;
    guint32 to_unit;
    guint32 n_alike;      /**< flows of its unit that it stands for */
    guint32 n_activities; /**< of the engine, its delays among them where it is a unit of its own;
                             0: nothing has to be sent */
} LpUnitFlow;

/** How many units there are, and the member that unit number @unit is. */
guint64 lp_collective_flows_n_units(const LpCollectiveFlows *self);
guint64 lp_collective_flows_member(const LpCollectiveFlows *self, guint64 unit);
/** Flows that come to a unit of @flow, of unit number @from. */
guint32 lp_collective_flows_arrivals(const LpCollectiveFlows *self, guint64 from,
                                     const LpUnitFlow *flow);

/** Writes what @unit sends in @round of @plan to @out_flows, in order. Flows of one class that go
 * over different connections are one. @transfers, @out_flows: with room for
 * lp_round_plan_transfers_max(). Returns: how many. */
guint64 lp_collective_flows_round(const LpCollectiveFlows *self, LpRoundPlan *plan, guint64 unit,
                                  guint64 round, LpTransfer *transfers, LpUnitFlow *out_flows);
/** Flow number @place of the row that @unit sends in an all-to-all pair by pair. @out_connection:
 * its connection, whose route it takes where there is no quotient. */
LpUnitFlow lp_collective_flows_pair(const LpCollectiveFlows *self,
                                    const LpCollectiveCall *collective, guint64 unit, guint64 place,
                                    LpConnection *out_connection);
/** How many of a row are under way at once. */
guint32 lp_collective_flows_at_once(const LpCollectiveFlows *self,
                                    const LpCollectiveCall *collective);

/** How the actors of a communicator run a collective. */
typedef enum {
    LP_COLLECTIVE_UNITS,   /**< as units, whose task lp_collective_flows_task() says */
    LP_COLLECTIVE_RING,    /**< step by step, each over its channel to the next member */
    LP_COLLECTIVE_EXCHANGE /**< an all-to-all, each over its channel or pair by pair */
} LpCollectiveWay;

LpCollectiveWay lp_collective_flows_way(const LpCollectiveFlows *self,
                                        const LpCollectiveCall *collective);
/** The connections that the channel of the member of @rank of @communicator follows. */
LpConnectionKind lp_collective_flows_channel(const LpCommunicationMap *map,
                                             const LpCommunicator *communicator, guint64 rank);
/** The route of the channel of @member; NULL: it has none. */
const LpRoute *lp_collective_flows_channel_route(const LpCollectiveFlows *self, guint64 member);
/** Steps of a ring. With fidelity flow one flow carries all of them. */
guint64 lp_collective_flows_ring_steps(const LpCollectiveFlows *self,
                                       const LpCollectiveCall *collective);
/** What @member sends in @step of a ring, on the wire, and what it waits before, s. */
guint64 lp_collective_flows_ring_bytes(const LpCollectiveFlows *self,
                                       const LpCollectiveCall *collective, guint64 member,
                                       guint64 step);
double lp_collective_flows_ring_wait_s(const LpCollectiveFlows *self,
                                       const LpCollectiveCall *collective, guint64 member,
                                       guint64 step);
/** What passes before the first byte of a collective that is not scheduled and not message by
 * message, s. */
double lp_collective_flows_wait_s(const LpCollectiveFlows *self,
                                  const LpCollectiveCall *collective);

/** What the units of a communicator do in a collective. */
typedef enum {
    LP_UNIT_ROUNDS, /**< all rounds of its plan */
    LP_UNIT_ROW,    /**< one flow after the other, as many at once as the library has */
    LP_UNIT_FLOW    /**< all flows begin at once: each unit is one that stands for its class */
} LpUnitKind;

typedef struct {
    LpUnitKind kind;
    guint64 n_units;
    guint64 n_row; /**< flows of a row */
    double wait_s; /**< before a row or a flow */
    GArray *flows; /* owned LpUnitFlow: of LP_UNIT_FLOW, by unit; else of no use */
} LpUnitTask;

/** What the units do in @collective. Returns: with flows that are the caller's. */
LpUnitTask lp_collective_flows_task(const LpCollectiveFlows *self,
                                    const LpCollectiveCall *collective);

G_END_DECLS
