/* SPDX-License-Identifier: Apache-2.0 */
/* How long an all-to-all takes that meets no other traffic where its members send one message after
 * the other, each over a path of its own on which others forward (LpRelayPaths). */
#pragma once

#include "sim/mapping/communication_map.h"

G_BEGIN_DECLS

/** More members are not followed. */
#define LP_EXCHANGE_ROWS_MEMBERS_MAX 128

/** Seconds of @op in @communicator from the moment at which all begin, without latency. @n_intra:
 * members of a domain, which stand in order. */
double lp_exchange_rows_time_s(const LpCommunicationMap *map, const LpCommunicator *communicator,
                               guint64 n_intra, const LpOp *op, const LpProtocol *protocol);

G_END_DECLS
