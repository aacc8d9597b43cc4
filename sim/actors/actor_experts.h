/* SPDX-License-Identifier: Apache-2.0 */
/* All-to-alls of experts over circuits that follow their demand, beside an electrical network: each
 * group of domains has its circuits to itself, and sets them up anew for the tokens of each layer
 * and micro-batch. */
#pragma once

#include "sim/actors/actor_circuits.h"
#include "sim/analysis/isolated_time.h"

G_BEGIN_DECLS

typedef struct LpExpertCircuits LpExpertCircuits;

/** Of the group of @ring, which must stand in whole domains; @circuits counts. Both borrowed.
 * Returns: (transfer full). */
LpExpertCircuits *lp_expert_circuits_new(const LpIsolatedRing *ring, LpCircuits *circuits);
void lp_expert_circuits_free(LpExpertCircuits *self);

/** @op begins, once for all members: circuits are set up if it wants others than those that stand.
 * Actors only. */
void lp_expert_circuits_begin(LpExpertCircuits *self, const LpOp *op, const LpProtocol *protocol);
/** Has ended, once for all members. Actors only. */
void lp_expert_circuits_end(LpExpertCircuits *self);

/** What a member sends of it between domains. */
typedef struct {
    guint64 bridged_bytes; /**< first, beside the circuits, until those are up; */
    double bridged_s;      /**< meanwhile the rest goes over circuits that are kept, for so long */
    guint64 packet_bytes;  /**< then, beside them, as much as makes both end together; */
    double circuits_s;     /**< meanwhile the rest goes over circuits, for so long */
} LpExpertShare;

/** Of member @index; it is counted. Actors only. */
LpExpertShare lp_expert_circuits_share(LpExpertCircuits *self, guint64 index);
/** When circuits carry bytes, s. */
double lp_expert_circuits_ready_s(const LpExpertCircuits *self);

G_END_DECLS
