/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a round plan among the actors of a group: each member sends what its rounds say, several
 * transfers at once with the help of couriers, which are actors of their own. */
#pragma once

#include "sim/mapping/round_plan.h"
#include "sim/actors/actor_watch.h"
#include "sim/actors/actor_sharing.h"
#include "sim/actors/flow_log.h"
#include "sim/quotient/quotient.h"

G_BEGIN_DECLS

typedef struct LpCouriers LpCouriers;

/** For a group of @n_members of @job, watched over by @watch: borrowed, or NULL. Returns: (transfer
 * full). */
LpCouriers *lp_couriers_new(guint64 n_members, LpWatch *watch, guint32 job);
/** Flows share links as @sharing says (borrowed, or NULL: as the engine does), as flows of
 * @traffic of @owner. */
void lp_couriers_set_sharing(LpCouriers *self, LpSharing *sharing, LpTraffic traffic,
                             const void *owner);
/** What they carry is written to @log (borrowed, or NULL), as that of @weight mirror images. */
void lp_couriers_set_log(LpCouriers *self, LpFlowLog *log, double weight);
/** Members stand for the classes of @classes' communicator, by number, in place of every one for
 * itself; their flows go over the routes of @quotient. Both are borrowed. */
void lp_couriers_set_classes(LpCouriers *self, const LpQuotient *quotient,
                             const LpCommunicatorClass *classes);
void lp_couriers_free(LpCouriers *self);
/** Makes ready for another collective; before its first member runs, after the last one's end.
 * @round plan: borrowed until the next one. */
void lp_couriers_begin(LpCouriers *self, LpRoundPlan *round_plan);
/** Member @index follows the round plan to its end. Actors only. */
void lp_couriers_run(LpCouriers *self, guint64 index);

/** Bytes sent and arrived, and engine activities made so far. */
guint64 lp_couriers_sent_bytes(const LpCouriers *self);
guint64 lp_couriers_received_bytes(const LpCouriers *self);
guint64 lp_couriers_n_activities(const LpCouriers *self);

G_END_DECLS
