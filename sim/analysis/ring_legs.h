/* SPDX-License-Identifier: Apache-2.0 */
/* How long a ring takes alone, message by message, where members forward for each other: routes of
 * several legs meet on ports at times that only following them tells. */
#pragma once

#include "sim/analysis/port_shares.h"

G_BEGIN_DECLS

/** Messages of more steps and members are not followed. */
#define LP_RING_LEGS_MESSAGES_MAX 65536

/** Member i sends @n_steps messages over route i of @shares to the next member, each once the one
 * before has gone and its own of that step has come: @bytes[step * n + i], on the wire, after
 * @latency_s[i]. Returns: seconds until the last has arrived. */
double lp_ring_legs_time_s(const LpPortShares *shares, guint64 n_steps, const guint64 *bytes,
                           const double *latency_s);

G_END_DECLS
