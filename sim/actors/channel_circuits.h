/* SPDX-License-Identifier: Apache-2.0 */
/* Which circuits a channel waits for, and when it may do without. */
#pragma once

#include "sim/actors/channel.h"
#include "sim/mapping/rank_layout.h"

G_BEGIN_DECLS

/** @channel carries what @rank's connection of @kind does, over @circuits (borrowed). Messages that
 * leave their domain wait for their circuit; where a network stands beside circuits, what they
 * carry may go there, and must where the plan has none for it. */
void lp_channel_join_circuits(LpChannel *channel, LpCircuits *circuits, LpConnectionKind kind,
                              guint64 rank);

G_END_DECLS
