/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a rotor. */
#include "sim/actors/actor_rotor.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/semaphore.h>

#include <math.h>

struct LpRotorRun {
    double slot_s;
    LpRotor *rotor;   /* owned */
    sg_sem_t changed; /* owned */
    gboolean is_called;
};

LpRotorRun *
lp_rotor_run_new(const LpNetwork *network)
{
    const LpMachine *machine = lp_network_machine(network);
    if (!lp_circuit_switch_is_rotor(&machine->circuits))
        return NULL;
    LpRotorRun *self = g_new0(LpRotorRun, 1);
    self->rotor = lp_rotor_new(
        (guint32)lp_machine_n_ports(machine), (guint32)lp_machine_switch_attachments(machine),
        lp_machine_link_bytes_per_s(machine, LP_ATTACHMENT_SCALE_OUT), &machine->circuits);
    self->slot_s = machine->circuits.slot_s;
    self->changed = sg_sem_init(0);
    return self;
}

void
lp_rotor_run_free(LpRotorRun *self)
{
    if (self == NULL)
        return;
    lp_rotor_free(self->rotor);
    sg_sem_destroy(self->changed);
    g_free(self);
}

LpCircuitResult
lp_rotor_run_result(const LpRotorRun *self, const LpClock *last, double start_s, double weight,
                    double n_iterations)
{
    LpRotorCount count = lp_rotor_count(self->rotor);
    double span_s = last->at_s - start_s;
    double n_slots = floor(span_s / n_iterations / self->slot_s);
    return (LpCircuitResult){
        /* A circuit has two ends. */
        .n_reconfigurations = (guint64)(n_slots * count.n_lanes * weight / 2.0),
        .n_critical = (guint64)((double)last->circuits.n_waits / n_iterations),
        .wait_exposed_s = last->terms.s[LP_TERM_RECONFIGURATION] / n_iterations,
        .duty_cycle =
            span_s > 0.0 && count.n_lanes > 0 ? count.busy_s / (count.n_lanes * span_s) : 0.0,
        .n_slots = lp_rotor_n_slots(self->rotor),
        .direct_bytes = count.direct_bytes * weight / n_iterations,
        .relayed_bytes = count.relayed_bytes * weight / n_iterations};
}

void
lp_rotor_run_post(LpRotorRun *self, const LpPort *from, const LpPort *to, guint64 bytes,
                  struct s4u_Semaphore *arrived)
{
    lp_rotor_send(self->rotor, from->scale_out_port, to->scale_out_port, bytes, simgrid_get_clock(),
                  arrived);
    if (self->is_called)
        return;
    self->is_called = TRUE;
    sg_sem_release(self->changed);
}

static void
wait_for_change(LpRotorRun *self)
{
    double left_s = lp_rotor_next_s(self->rotor) - simgrid_get_clock();
    if (isinf(left_s))
        sg_sem_acquire(self->changed);
    else if (left_s > 0.0)
        (void)sg_sem_acquire_timeout(self->changed, left_s);
    self->is_called = FALSE;
}

static void
rotor_actor(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    LpRotorRun *self = sg_actor_self_get_data();
    for (;;) {
        wait_for_change(self);
        lp_rotor_advance(self->rotor, simgrid_get_clock());
        for (sg_sem_t arrived; (arrived = lp_rotor_pop_due(self->rotor)) != NULL;)
            sg_sem_release(arrived);
    }
}

void
lp_rotor_run_start(LpRotorRun *self, struct s4u_Host *home)
{
    sg_actor_t actor = sg_actor_init("rotor", home);
    sg_actor_set_data(actor, self);
    sg_actor_start_(actor, (xbt_main_func_t)rotor_actor, 0, NULL);
    sg_actor_daemonize(actor);
}

void
lp_rotor_run_kill(LpRotorRun *self, LpLaneFailure failure)
{
    lp_rotor_advance(self->rotor, simgrid_get_clock());
    lp_rotor_kill(self->rotor, failure.attachment, failure.lanes);
}
