/* SPDX-License-Identifier: Apache-2.0 */
/* The ways of background traffic: who sends to whom, over which routes. */
#pragma once

#include "sim/engine/network.h"
#include "workloads/description/scenario.h"

G_BEGIN_DECLS

typedef struct LpBackgroundWays LpBackgroundWays;

/** @specification, @network: borrowed, must outlive it. Error: LP_INPUT_ERROR_VALUE: accelerators
 * that the machine does not have, or that its ports do not join. Returns: (transfer full). */
LpBackgroundWays *lp_background_ways_new(const LpScenarioTraffic *specification,
                                         const LpNetwork *network,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_background_ways_free(LpBackgroundWays *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpBackgroundWays, lp_background_ways_free)

/** How many take part, and the accelerator of one of them. */
guint32 lp_background_ways_n(const LpBackgroundWays *self);
guint32 lp_background_ways_accelerator(const LpBackgroundWays *self, guint32 index);
/** Whether number @sender of those sends anything. */
gboolean lp_background_ways_sends(const LpBackgroundWays *self, guint32 sender);
/** Whether the turn of each message is drawn; else turns follow each other. */
gboolean lp_background_ways_is_drawn(const LpBackgroundWays *self);
/** How many receivers a sender has. */
guint32 lp_background_ways_n_turns(const LpBackgroundWays *self);
/** That which @sender sends to in @turn, below that. */
guint32 lp_background_ways_receiver(const LpBackgroundWays *self, guint32 sender, guint32 turn);
LpRoute lp_background_ways_route(const LpBackgroundWays *self, guint32 sender, guint32 receiver);
/** Whether they are too many to be looked at one by one. */
gboolean lp_background_ways_are_many(const LpBackgroundWays *self);
/** Marks the links that messages may cross in @io_links, by link. */
void lp_background_ways_mark(const LpBackgroundWays *self, gboolean *io_links);

G_END_DECLS
