/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a round plan among the actors of a group: each member sends what its rounds say, several
 * transfers at once with the help of round_executor, which are actors of their own. */
#pragma once

#include "sim/mapping/round_plan.h"
#include "sim/actors/actor_watch.h"
#include "sim/actors/flow_engine.h"
#include "sim/actors/flow_log.h"
#include "sim/quotient/quotient.h"

G_BEGIN_DECLS

typedef struct LpRoundExecutor LpRoundExecutor;

/** For a group of @n_members of @job, watched over by @watch: borrowed, or NULL. Returns: (transfer
 * full). */
LpRoundExecutor *lp_round_executor_new(guint64 n_members, LpWatch *watch, guint32 job);
/** Flows share links as @sharing says (borrowed, or NULL: as the engine does), as flows of
 * @traffic of @owner. */
void lp_round_executor_set_sharing(LpRoundExecutor *self, LpFlowEngine *sharing, LpTraffic traffic,
                                   const void *owner);
/** What they carry is written to @log (borrowed, or NULL), as that of @weight replicas. */
void lp_round_executor_set_log(LpRoundExecutor *self, LpFlowLog *log, double weight);
/** Members stand for the classes of @classes' communicator, by number, in place of every one for
 * itself; their flows go over the routes of @quotient. Both are borrowed. */
void lp_round_executor_set_classes(LpRoundExecutor *self, const LpQuotient *quotient,
                                   const LpCommunicatorClass *classes);
void lp_round_executor_free(LpRoundExecutor *self);
/** Makes ready for another collective; before its first member runs, after the last one's end.
 * @round plan: borrowed until the next one. */
void lp_round_executor_begin(LpRoundExecutor *self, LpRoundPlan *round_plan);
/** Member @index follows the round plan to its end. Actors only. */
void lp_round_executor_run(LpRoundExecutor *self, guint64 index);

/** Bytes sent and arrived, and engine activities made so far. */
guint64 lp_round_executor_sent_bytes(const LpRoundExecutor *self);
guint64 lp_round_executor_received_bytes(const LpRoundExecutor *self);
guint64 lp_round_executor_n_activities(const LpRoundExecutor *self);

G_END_DECLS
