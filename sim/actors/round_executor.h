/* SPDX-License-Identifier: Apache-2.0 */
/* Runs what is scheduled, or goes by pairs or by classes, among the actors of a communicator: one
 * loop whose unit is a member or, where ranks stand for classes, a member that stands for its
 * class. In each round a unit waits, has its flows under way, several at once, and goes on when
 * they and those that come to it have arrived. Where all flows of a collective begin at once, one
 * of each class is enough, and is a unit of its own.
 *
 * What has to be sent is not bound to the ranks that have actors: there may be more units than
 * actors, or fewer. Workers, which are actors of the executor, run the units that are left. Where
 * the engine shares links a unit's flows need an actor each; else nobody waits for a single one. */
#pragma once

#include "sim/actors/collective_flows.h"
#include "sim/actors/flow_sender.h"

G_BEGIN_DECLS

typedef struct LpRoundExecutor LpRoundExecutor;

/** Of @units, which @n_actors ranks take part in: copied, as @sender is; what they refer to is
 * borrowed. Returns: (transfer full). */
LpRoundExecutor *lp_round_executor_new(const LpCollectiveFlows *units, const LpFlowSender *sender,
                                       guint64 n_actors);
void lp_round_executor_free(LpRoundExecutor *self);

/** Actor number @actor, from 0, takes part in @collective, whose plan is borrowed until the next
 * one; returns when all of it has arrived. Actors only, after all have come. */
void lp_round_executor_run(LpRoundExecutor *self, guint64 actor,
                           const LpCollectiveCall *collective);
/** Unit @index sends the flows from number @first to before @end of its row in an all-to-all pair
 * by pair, and waits for nobody else. Actors only. */
void lp_round_executor_run_row(LpRoundExecutor *self, guint64 index,
                               const LpCollectiveCall *collective, guint64 first, guint64 end);

/** Adds the bytes sent and arrived, and the engine's activities made so far. */
void lp_round_executor_add_counts(const LpRoundExecutor *self, guint64 *io_sent_bytes,
                                  guint64 *io_received_bytes, guint64 *io_n_activities);

G_END_DECLS
