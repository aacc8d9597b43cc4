/* SPDX-License-Identifier: Apache-2.0 */
/* What a run says of its circuits. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** What a run says of its circuits. Plain data: it travels between processes. */
typedef struct {
    guint64 n_reconfigurations; /**< circuits set up, replicas included */
    guint64 n_critical;         /**< times that the critical path waited for circuits */
    double wait_exposed_s;      /**< those waits */
    double wait_hidden_s; /**< dead time of circuits that the critical path used and did not wait
                             for */
    double duty_cycle; /**< share of the iteration in which a lane's circuit is in use, mean of all
                            lanes of the job's attachments */
    gboolean is_hybrid;
    double circuit_bytes; /**< of a hybrid: of classes that are steered, over circuits, */
    double packet_bytes;  /**< and beside them */
    guint32 n_slots;      /**< of a rotor's cycle; 0: it is none */
    double direct_bytes;  /**< of a rotor: over one circuit, */
    double relayed_bytes; /**< and over two */
} LpCircuitResult;

G_END_DECLS
