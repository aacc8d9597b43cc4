/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a communicator whose flows stand for those of all others, where none waits for
 * another: what one op sends is asked of these alone. */
#pragma once

#include "sim/mapping/collective_peers.h"
#include "sim/quotient/quotient.h"

G_BEGIN_DECLS

/** The members of @communicator, by number, who have a connection of a class in @quotient of which
 * no member before has any. @peers: of its job. Returns: (transfer full), of guint32. */
GArray *lp_first_senders_find(const LpQuotient *quotient, const LpCommunicator *communicator,
                              const LpCollectivePeers *peers);

G_END_DECLS
