/* SPDX-License-Identifier: Apache-2.0 */
/* The sends of a communicator's members to their peers in its scheduled collectives, as numbers:
 * made once for all communicators whose connections are alike. */
#pragma once

#include "sim/analysis/isolated_cache.h"
#include "sim/mapping/communication_map.h"
#include "sim/quotient/numbering.h"

G_BEGIN_DECLS

typedef struct {
    guint32 what;        /**< of the communicator: those of one number wait for as long */
    gboolean is_chained; /**< whether some messages wait for others, of their sender or to it */
    guint32 *of_peer;    /* owned, by member and peer: flows of one number send as many bytes in the
                            same    operations and rounds, in the same order */
} LpPeerSends;

/** The communicators' connections on which the collectives @ops (LpOp) run. All are borrowed. */
typedef struct {
    const LpCommunicationMap *map;
    LpIsolatedCache *cache;
    LpFidelity fidelity;
    const GArray *ops;
    LpNumbering *what, *waits; /**< of flows, and of communicators; the latter's description at hand
                                  must be empty */
} LpPeerSendsInput;

/** The sends of those of @input's collectives that @communicator schedules. Returns: (transfer
 * full). */
LpPeerSends *lp_peer_sends_new(const LpPeerSendsInput *input, const LpCommunicator *communicator);
void lp_peer_sends_free(LpPeerSends *self);

G_END_DECLS
