/* SPDX-License-Identifier: Apache-2.0 */
/* The yardstick of the benchmarks: a ring in plain SimGrid, with nothing of ours around it. */
#include "sim/run/bench_ring.h"

#include "sim/collectives/ring.h"
#include "sim/engine/engine.h"

#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/mailbox.h>

typedef struct {
    sg_mailbox_t own, next; /* borrowed from the engine */
    guint64 n_members, index, bytes;
    double latency_s;
} Member;

static void
member_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    const Member *self = sg_actor_self_get_data();
    guint64 n_steps = lp_ring_n_steps(LP_COLLECTIVE_ALL_REDUCE, self->n_members);
    for (guint64 step = 0; step < n_steps; step++) {
        void *payload;
        sg_comm_t receiving = sg_mailbox_get_async(self->own, &payload);
        if (self->latency_s > 0.0)
            sg_actor_sleep_for(self->latency_s);
        sg_comm_t sending =
            sg_mailbox_put_async(self->next, self->own,
                                 (long)lp_ring_step_bytes(LP_COLLECTIVE_ALL_REDUCE, self->n_members,
                                                          self->bytes, self->index, step));
        sg_comm_wait(receiving);
        sg_comm_wait(sending);
    }
}

static sg_mailbox_t
mailbox(guint64 index)
{
    g_autofree char *name = g_strdup_printf("bare %" G_GUINT64_FORMAT, index);
    return sg_mailbox_by_name(name);
}

LpRunResult
lp_bench_ring_bare(const LpNetwork *network, guint64 bytes)
{
    guint64 n = lp_network_machine(network)->n_accelerators;
    g_autofree Member *members = g_new(Member, n);
    double latency_s = lp_network_route(network, 0, 1, LP_TRAFFIC_DP).latency_s;
    lp_engine_reserve_stacks(n);
    for (guint64 i = 0; i < n; i++) {
        members[i] = (Member){mailbox(i), mailbox((i + 1) % n), n, i, bytes, latency_s};
        sg_actor_t actor =
            sg_actor_init("member", lp_network_port(network, i, LP_ATTACHMENT_SCALE_OUT)->host);
        sg_actor_set_data(actor, &members[i]);
        sg_actor_start_(actor, (xbt_main_func_t)member_main, 0, NULL);
    }
    LpRunResult result = {.iteration_time_s = lp_engine_run(), .n_actors = n};
    guint64 per_message = latency_s > 0.0 ? 2 : 1;
    result.n_activities = n * lp_ring_n_steps(LP_COLLECTIVE_ALL_REDUCE, n) * per_message;
    return result;
}
