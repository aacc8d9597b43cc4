/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses between circuits and the network beside them, part after part. */
#include "sim/actors/actor_hybrid.h"

#include <simgrid/engine.h>

#define N_PARTS 16u

/* What arrives beside circuits until they are up. */
static guint64
bridged_bytes(const LpHybridSend *self, guint64 bytes, double ready_s)
{
    double left_s = ready_s - simgrid_get_clock();
    double bridged = left_s > 0.0 ? left_s * self->packet_bytes_per_s : 0.0;
    return bridged < (double)bytes ? (guint64)bridged : bytes;
}

void
lp_hybrid_send(const LpHybridSend *self, guint64 bytes)
{
    double ready_s = 0.0;
    for (guint32 part = 0; part < N_PARTS; part++) {
        if (lp_circuits_try(self->circuits, self->pattern, self->n_users, self->is_eager,
                            &ready_s)) {
            guint64 bridged = bridged_bytes(self, bytes, ready_s);
            if (ready_s > simgrid_get_clock())
                self->send(self->data, bridged, TRUE);
            self->send(self->data, bytes - bridged, FALSE);
            lp_circuits_release(self->circuits, self->pattern, self->n_users);
            return;
        }
        guint64 share = bytes / (N_PARTS - part);
        self->send(self->data, share, TRUE);
        bytes -= share;
    }
}
