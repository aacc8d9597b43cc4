/* SPDX-License-Identifier: Apache-2.0 */
/* A transfer over circuits as soon as they are up, and until then over the network beside them. */
#pragma once

#include "sim/actors/actor_circuits.h"

G_BEGIN_DECLS

/** A transfer that actors make together, or one of them alone. */
typedef struct {
    LpCircuits *circuits; /* borrowed */
    guint32 pattern;      /**< of them */
    guint64 n_users;      /**< actors that call lp_hybrid_send() for it */
    gboolean is_eager;    /**< of lp_circuit_state_request() */
    double packet_bytes_per_s;
    /** Sends @bytes, over the network beside the circuits or over them, and returns when all users'
     * have arrived. */
    void (*send)(void *data, guint64 bytes, gboolean packet_network);
    void *data; /* borrowed */
} LpHybridSend;

/** Sends @bytes. Circuits are asked for at once; while they cannot be had a sixteenth goes beside
 * them at a time, while they are being set up as much as arrives until then, and the rest over
 * them. Actors only. */
void lp_hybrid_send(const LpHybridSend *self, guint64 bytes);

G_END_DECLS
