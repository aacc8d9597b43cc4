/* SPDX-License-Identifier: Apache-2.0 */
/* Rings among the members of a communicator. */
#include "sim/actors/actor_ring.h"

#include "sim/actors/actor_hybrid.h"
#include "sim/collectives/ring.h"

#include <simgrid/barrier.h>
#include <simgrid/engine.h>

/* A member's part of a ring over a hybrid. */
typedef struct {
    LpCommunicatorRuntime *runtime; /* borrowed */
    guint64 index;
    double latency_s; /**< to be paid yet */
} HybridPart;

static void
exchange_hybrid(void *data, guint64 bytes, gboolean packet_network)
{
    HybridPart *part = data;
    LpCommunicatorRuntime *self = part->runtime;
    lp_channel_use_packet_network(self->channels[part->index], packet_network);
    lp_communicator_exchange(self, part->index, bytes, part->latency_s);
    part->latency_s = 0.0;
    (void)sg_barrier_wait(self->barrier);
}

static void
run_flow_hybrid(LpCommunicatorRuntime *self, guint64 index, const LpOp *op, guint64 bytes)
{
    const LpProtocol *protocol = self->selection.protocol;
    const LpMachine *machine = lp_network_machine(self->map->network);
    double n_steps = (double)lp_ring_n_steps(op->collective, self->ring.n_members);
    HybridPart part = {
        self, index,
        protocol->base_s +
            n_steps * lp_isolated_step_latency_s(lp_isolated_ring_of(&self->ring, op), protocol)};
    LpHybridSend send = {.circuits = self->circuits,
                         .pattern = self->use->pattern,
                         .n_users = self->mode.n_actors,
                         .is_eager = TRUE,
                         .packet_bytes_per_s = lp_machine_plane_bytes_per_s(machine, 1),
                         .send = exchange_hybrid,
                         .data = &part};
    if (lp_communicator_uses_packet_network(self, op))
        exchange_hybrid(&part, bytes, TRUE);
    else
        lp_hybrid_send(&send, bytes);
}

/* One flow an connection carries all of the collective's bytes, and the collective ends with the
 * last flow, since every block goes all the way round. */
void
lp_communicator_ring_flow(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    const LpProtocol *protocol = self->selection.protocol;
    double n_steps = (double)lp_ring_n_steps(op->collective, self->ring.n_members);
    guint64 bytes = lp_ring_member_bytes(op->collective, self->ring.n_members, op->bytes, index);
    guint64 wire_bytes = lp_protocol_wire_bytes(protocol, self->ring.reach[index], bytes);
    if (lp_communicator_is_hybrid(self)) {
        run_flow_hybrid(self, index, op, wire_bytes);
        return;
    }
    guint32 n_parts = self->circuits == NULL ? 1 : lp_circuits_n_parts(self->circuits);
    for (guint32 i = 0; i < n_parts; i++) {
        if (i > 0)
            (void)lp_circuits_yield(self->circuits, self->use->pattern, self->mode.n_actors, TRUE,
                                    self->watch);
        lp_communicator_exchange(
            self, index, wire_bytes * (i + 1) / n_parts - wire_bytes * i / n_parts,
            i > 0 ? 0.0
                  : protocol->base_s + n_steps * lp_isolated_step_latency_s(&self->ring, protocol));
        (void)sg_barrier_wait(self->barrier);
    }
}

/* Over a hybrid: the whole collective over circuits that stand, or all of it beside them. Returns:
 * whether circuits were granted. */
static gboolean
choose_way(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    if (!lp_communicator_is_hybrid(self))
        return FALSE;
    double ready_s = 0.0;
    gboolean granted =
        !lp_communicator_uses_packet_network(self, op) &&
        lp_circuits_try(self->circuits, self->use->pattern, self->mode.n_actors, TRUE, &ready_s);
    lp_channel_use_packet_network(self->channels[index], !granted || ready_s > simgrid_get_clock());
    return granted;
}

/* As all collectives it ends for all members with the last one, so that what it takes alone says
 * when each goes on. */
void
lp_communicator_ring_messages(LpCommunicatorRuntime *self, guint64 index, const LpOp *op)
{
    const LpProtocol *protocol = self->selection.protocol;
    LpReach reach = self->ring.reach[index];
    guint64 n = self->ring.n_members, n_steps = lp_ring_n_steps(op->collective, n);
    double latency_s = lp_channel_route(self->channels[index])->latency_s + protocol->hop_s[reach];
    gboolean granted = choose_way(self, index, op);
    for (guint64 step = 0; step < n_steps; step++) {
        guint64 bytes = lp_ring_step_bytes(op->collective, n, op->bytes, index, step);
        lp_communicator_exchange(self, index, lp_protocol_wire_bytes(protocol, reach, bytes),
                                 latency_s + (step == 0 ? protocol->base_s : 0.0));
    }
    if (granted)
        lp_communicator_release(self, 0);
    if (self->barrier != NULL)
        (void)sg_barrier_wait(self->barrier);
}
