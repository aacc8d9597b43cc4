/* SPDX-License-Identifier: Apache-2.0 */
/* A process group in a run: runs collectives among the actors of its members. */
#pragma once

#include "sim/actors/channel.h"
#include "sim/actors/clock.h"
#include "sim/analysis/isolated_time.h"

G_BEGIN_DECLS

typedef struct LpProcessGroup LpProcessGroup;

/**
 * @first_rank: the first member. @n_actors: members that have an actor: all, or one that stands for
 * its mirror images. @as_delay: collectives take their lonely time. @weight: how many mirror images
 * the group stands for. Returns: (transfer full).
 */
LpProcessGroup *lp_process_group_new(const LpEdges *edges, LpGroup kind, guint64 first_rank,
                                     guint64 n_actors, gboolean as_delay, guint64 weight,
                                     LpFidelity fidelity);
void lp_process_group_free(LpProcessGroup *self);

/** Its actors are watched over by @watch (borrowed, or NULL) as those of @job. */
void lp_process_group_set_watch(LpProcessGroup *self, LpWatch *watch, guint32 job);
/** Gives member @index its channel to the next member or, in a group that does all-to-alls, to the
 * next domain or else within its own. @channel: (transfer full). */
void lp_process_group_set_channel(LpProcessGroup *self, guint64 index, LpChannel *channel);
/** The channel that member @index receives on, borrowed, or NULL. */
LpChannel *lp_process_group_inbox(const LpProcessGroup *self, guint64 index);

/** Waits for all members; afterwards @clock is that of the last to arrive. @clock: NULL for a
 * stream whose time is not split into terms. Actors only. */
void lp_process_group_gather(LpProcessGroup *self, LpClock *clock);
/** Member @index takes part in @op. @delay_s: what it takes if collectives are delays; negative for
 * the group's own lonely time. @meter: of a rank whose @queue runs it, or NULL. Actors only. */
void lp_process_group_run(LpProcessGroup *self, guint64 index, const LpOp *op, double delay_s,
                          LpClock *clock, LpMeter *meter, LpQueue queue);

/** Bytes that crossed links by traffic class, mirror images included; @io_bytes is added to. */
void lp_process_group_add_traffic(const LpProcessGroup *self, guint64 *io_bytes);
/** Adds the counts of the group's channels. */
void lp_process_group_add_counts(const LpProcessGroup *self, guint64 *io_sent_bytes,
                                 guint64 *io_received_bytes, guint64 *io_n_activities);

G_END_DECLS
