/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that collectives have in common. */
#include "sim/actors/communicator_state.h"

LpTraffic
lp_communicator_traffic(const LpCommunicatorRuntime *self)
{
    return lp_group_traits(self->ring.communicator->group)->traffic;
}

/* Members whose channels lead out of their domain: those of a group that does all-to-alls. */
gboolean
lp_communicator_sends_inter(const LpCommunicatorRuntime *self)
{
    return lp_isolated_ring_sends_inter(&self->ring);
}

/* The member that sends to @index, or who stands for it. */
guint64
lp_communicator_sender_to(const LpCommunicatorRuntime *self, guint64 index)
{
    guint64 n = self->ring.n_members;
    guint64 back = lp_communicator_sends_inter(self) ? self->ring.sites.n_intra : 1;
    guint64 sender = (index + n - back) % n;
    return self->classes == NULL || self->classes->members.n_classes == 0
               ? sender
               : lp_member_classes_representative(&self->classes->members, sender);
}

gboolean
lp_communicator_is_hybrid(const LpCommunicatorRuntime *self)
{
    return self->circuits != NULL && lp_circuits_is_hybrid(self->circuits);
}

gboolean
lp_communicator_uses_packet_network(const LpCommunicatorRuntime *self, const LpOp *op)
{
    return lp_isolated_ring_of(&self->ring, op) != &self->ring;
}

/* Rings over a hybrid do not. */
gboolean
lp_communicator_waits(const LpCommunicatorRuntime *self, const LpOp *op)
{
    return !lp_communicator_uses_packet_network(self, op) &&
           (self->selection.is_scheduled || !lp_communicator_is_hybrid(self));
}

/* Waits until the circuits of @round stand; all members do. */
void
lp_communicator_acquire(LpCommunicatorRuntime *self, guint32 round, LpClock *clock)
{
    if (self->circuits == NULL)
        return;
    LpCircuitWait wait = lp_circuits_acquire(self->circuits, self->use->pattern + round,
                                             self->mode.n_actors, TRUE, self->watch);
    if (clock != NULL)
        lp_clock_wait_for_circuits(clock, wait.from_s, wait.hidden_s, wait.ready_s);
}

void
lp_communicator_release(LpCommunicatorRuntime *self, guint32 round)
{
    if (self->circuits != NULL)
        lp_circuits_release(self->circuits, self->use->pattern + round, self->mode.n_actors);
}

/* One step of a ring. Receives are always posted, so that what arrives meanwhile is only picked up
 * after sending, and a step takes as long as the longer of both. */
void
lp_communicator_exchange(LpCommunicatorRuntime *self, guint64 index, guint64 bytes,
                         double latency_s)
{
    lp_channel_send(self->channels[index], bytes, latency_s, NULL);
    (void)lp_channel_receive(self->channels[lp_communicator_sender_to(self, index)]);
}
