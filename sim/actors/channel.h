/* SPDX-License-Identifier: Apache-2.0 */
/* A one-way connection between two actors over one route: messages arrive in order. */
#pragma once

#include "sim/actors/actor_circuits.h"
#include "sim/actors/clock.h"
#include "sim/actors/flow_sender.h"
#include "sim/actors/overlap_meter.h"
#include "sim/analysis/task.h"
#include "sim/engine/network.h"

G_BEGIN_DECLS

/** How a channel moves its bytes. */
typedef enum {
    LP_CHANNEL_MAILBOX, /**< both actors stand on the ports: a mailbox message */
    LP_CHANNEL_DIRECT,  /**< one of them does not: a host-to-host flow */
    LP_CHANNEL_DELAY,   /**< no flow: the time that a isolated one would take */
    LP_CHANNEL_FREE,    /**< no flow and no time: order only */
} LpChannelKind;

/** How channels of @traffic do in a run of @mode, but for mailboxes. */
LpChannelKind lp_channel_kind(LpRunMode mode, LpTraffic traffic);

/** What a message makes the engine do. */
typedef struct {
    guint64 n_delays, n_flows;
} LpMessageSize;

/** Of a message over @route that pays @latency_s, but for waits that circuits need. */
LpMessageSize lp_channel_message_size(LpChannelKind kind, const LpRoute *route, double latency_s);

typedef struct LpChannel LpChannel;

/** @name: unique. @route: borrowed. @meter: the receiving rank's, which is told of transfers, or
 * NULL. Returns: (transfer full). */
LpChannel *lp_channel_new(LpChannelKind kind, const char *name, const LpRoute *route,
                          LpOverlapMeter *meter);
void lp_channel_free(LpChannel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpChannel, lp_channel_free)

/** Its messages go from rank @from to rank @to of the job of @sender, which is copied: as flows
 * of its owner, or of the channel where that is NULL. Mailboxes are the engine's whatever it says.
 */
void lp_channel_set_flow_sender(LpChannel *self, const LpFlowSender *sender, guint64 from,
                                guint64 to);
/** It carries at most @bytes_per_s of a message at a time; INFINITY: what its route does. */
void lp_channel_set_cap(LpChannel *self, double bytes_per_s);
/** Its messages wait for the circuits of @pattern. @circuits: borrowed. */
void lp_channel_set_circuits(LpChannel *self, LpCircuits *circuits, guint32 pattern);
/** Where its circuits are not up, or others have them, it sends over @route, which it keeps a copy
 * of, in the network beside them. @circuits: borrowed, counts what goes where. */
void lp_channel_set_packet_network(LpChannel *self, LpCircuits *circuits, const LpRoute *route);
/** From now on it sends over that route, or again over its own. */
void lp_channel_use_packet_network(LpChannel *self, gboolean packet_network);
/** Called by the receiving actor before anything is sent: transfers then start when the sender is
 * ready, whatever the receiver does at the time (receives are always posted). */
void lp_channel_attach_receiver(LpChannel *self);

/** What a receiver learns of a message. */
typedef struct {
    double started_s;       /**< when the sender came with it */
    double ready_s;         /**< when it had its circuits; started_s where it needs none */
    LpCircuitPath circuits; /**< of the sender, when it left */
    double ended_s;         /**< when it had been sent; INFINITY: as it was received */
    guint64 number;         /**< of the channel's messages, from 1 on */
} LpArrival;

/** Waits for circuits, @latency_s (not if free), and then until the last byte of @bytes has
 * arrived. @clock: the sender's, on which waiting for circuits is counted; or NULL. Actors only. */
void lp_channel_send(LpChannel *self, guint64 bytes, double latency_s, LpClock *clock);
/** Waits for the next message. Actors only. */
LpArrival lp_channel_receive(LpChannel *self);
/** The rank that lp_channel_set_flow_sender() said it comes from. */
guint64 lp_channel_sender(const LpChannel *self);
const LpRoute *lp_channel_route(const LpChannel *self);
/** Messages that have been handed to it. */
guint64 lp_channel_n_sent(const LpChannel *self);
/** Bytes sent and received, and engine activities made so far. */
guint64 lp_channel_sent_bytes(const LpChannel *self);
guint64 lp_channel_received_bytes(const LpChannel *self);
guint64 lp_channel_n_activities(const LpChannel *self);

G_END_DECLS
