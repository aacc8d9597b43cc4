/* SPDX-License-Identifier: Apache-2.0 */
/* A process group in a run: runs collectives among the actors of its members. */
#pragma once

#include "sim/actors/call_times.h"
#include "sim/actors/channel.h"
#include "sim/actors/runtime_mode.h"
#include "sim/actors/clock.h"
#include "sim/actors/runtime_log.h"
#include "sim/analysis/isolated_time.h"
#include "sim/quotient/quotient.h"

G_BEGIN_DECLS

/** @communicator, of @map, ready to run; what is worked out is kept in @cache. All three are
 * borrowed. @sender: of the flows of its job, copied; they become its own. Returns: (transfer
 * full). */
LpCommunicatorRuntime *lp_communicator_runtime_new(const LpCommunicationMap *map,
                                                   LpIsolatedCache *cache,
                                                   const LpCommunicator *communicator,
                                                   LpRuntimeMode mode, const LpFlowSender *sender);
void lp_communicator_runtime_free(LpCommunicatorRuntime *self);
/** What it was made of. Borrowed. */
const LpCommunicator *lp_communicator_runtime_communicator(const LpCommunicatorRuntime *self);

/** Its collectives wait for what @circuits' plan wants of them, if anything. Borrowed. */
void lp_communicator_runtime_set_circuits(LpCommunicatorRuntime *self, LpCircuits *circuits);
/** How its channels send. Borrowed. */
const LpFlowSender *lp_communicator_runtime_sender(const LpCommunicatorRuntime *self);
/** It stands for @classes of @quotient (both borrowed), which have flows. */
void lp_communicator_runtime_set_classes(LpCommunicatorRuntime *self, const LpQuotient *quotient,
                                         const LpCommunicatorClass *classes);
/** Says who its next actor is, where it stands for a class. */
void lp_communicator_runtime_add_member(LpCommunicatorRuntime *self, LpClassMember member);
/** Who waits for whom is told to @waits: borrowed, or NULL. */
void lp_communicator_runtime_set_waits(LpCommunicatorRuntime *self, LpWaitRecord *waits);
/** Gives member @index its channel to the next member or, in a group that does all-to-alls, to the
 * next domain or else within its own. @channel: (transfer full). */
void lp_communicator_runtime_set_channel(LpCommunicatorRuntime *self, guint64 index,
                                         LpChannel *channel);
/** The channel that member @index receives on, borrowed, or NULL. */
LpChannel *lp_communicator_runtime_inbox(const LpCommunicatorRuntime *self, guint64 index);

/** Member @index waits for all others; afterwards @clock is that of the last to arrive. @op: what
 * they come for, or NULL for several operations. @clock: NULL for a stream whose time is not split
 * into terms. Actors only. */
void lp_communicator_runtime_gather(LpCommunicatorRuntime *self, guint64 index, const LpOp *op,
                                    LpClock *clock);
/** A member's part in a collective. */
typedef struct {
    const LpOp *op;        /* borrowed */
    double delay_s;        /**< what it takes if collectives are delays; negative: the group's own
                                isolated time */
    LpClock *clock;        /* borrowed: the member's, or its stream's; as for gathering */
    LpOverlapMeter *meter; /* borrowed: of a rank whose @stream runs it; NULL: its compute stream
                              does */
    LpStream stream;
} LpCommunicatorCall;

/** Member @index takes part in @call. Actors only. */
void lp_communicator_runtime_run(LpCommunicatorRuntime *self, guint64 index,
                                 const LpCommunicatorCall *call);

/** Its log, for what is part of a longer delay. */
LpRuntimeLog *lp_communicator_runtime_log(LpCommunicatorRuntime *self);

/** Bytes that crossed links by traffic class, replicas included; @io_bytes is added to. */
void lp_communicator_runtime_add_traffic(const LpCommunicatorRuntime *self, guint64 *io_bytes);
/** Adds the counts of the group's channels. */
void lp_communicator_runtime_add_counts(const LpCommunicatorRuntime *self, guint64 *io_sent_bytes,
                                        guint64 *io_received_bytes, guint64 *io_n_activities);

G_END_DECLS
