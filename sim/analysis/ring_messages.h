/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of neighbours message by message, where nothing is in its way. */
#pragma once

#include "sim/collectives/ring.h"

G_BEGIN_DECLS

/** What a member's messages take: of the longer blocks, and of the others, s. */
typedef struct {
    double long_s, short_s;
} LpRingMessage;

/** When the last of @n_members has sent and received all messages of @collective with a buffer of
 * @bytes, s. At each step a member sends its block and waits for its predecessor's:
 *
 *     t_i(k+1) = max(t_i(k) + c_i(k), t_(i-1)(k) + c_(i-1)(k)),  t_i(0) = 0
 *
 * where c_i(k) is what the message of member i at step k takes. Members at equal places of a period
 * do the same at the same instants, so that one period is worked out; blocks of unequal length have
 * the ring as their period. @messages: borrowed, by member. */
double lp_ring_messages_time_s(LpCollective collective, guint64 n_members, guint64 bytes,
                               const LpRingMessage *messages);

/** Members times steps that it goes through: some 2 nanoseconds for each. */
guint64 lp_ring_messages_n(LpCollective collective, guint64 n_members, guint64 bytes,
                           const LpRingMessage *messages);

G_END_DECLS
