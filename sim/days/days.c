/* SPDX-License-Identifier: Apache-2.0 */
/* Days of a machine that fails and is repaired, event by event. */
#include "sim/days/days.h"

#include "sim/days/allocation.h"
#include "sim/days/ledger.h"

#include <math.h>

typedef enum {
    STATE_WAITING,
    STATE_RESTARTING,
    STATE_RUNNING
} State;

typedef struct {
    State state;
    double ready_s; /* while restarting */
    double waiting_s, restart_s;
    LpLedger ledger;
} Job;

typedef struct {
    const LpGoodputInput *input; /* borrowed */
    LpOutages *outages;          /* owned */
    LpAllocation *allocation;    /* owned */
    Job *jobs;                   /* owned: of each slice */
    guint64 n_waiting;
    double now_s;
    guint64 n_interruptions;
} Days;

static void
days_clear(Days *self)
{
    lp_allocation_free(self->allocation);
    lp_outages_free(self->outages);
    g_free(self->jobs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Days, days_clear)

/* Seconds that go by for every job. */
static void
advance(Days *self, double to_s)
{
    double seconds = to_s - self->now_s;
    double speed = lp_outages_speed(self->outages);
    for (guint64 i = 0; i < self->input->fleet.n_slices; i++) {
        Job *job = &self->jobs[i];
        if (job->state == STATE_WAITING)
            job->waiting_s += seconds;
        else if (job->state == STATE_RESTARTING)
            job->restart_s += seconds;
        else
            lp_ledger_run(&job->ledger, self->input, seconds, speed);
    }
    self->now_s = to_s;
}

static void
start(const Days *self, Job *job, double restart_s)
{
    job->state = restart_s > 0.0 ? STATE_RESTARTING : STATE_RUNNING;
    job->ready_s = self->now_s + restart_s;
}

/* The job loses what it did, and its blocks unless @keeps_blocks: then it starts again at once. */
static void
interrupt(Days *self, guint64 index, gboolean keeps_blocks)
{
    Job *job = &self->jobs[index];
    if (job->state == STATE_WAITING)
        return;
    lp_ledger_interrupt(&job->ledger);
    self->n_interruptions++;
    if (keeps_blocks) {
        start(self, job, self->input->restart_s);
        return;
    }
    lp_allocation_release(self->allocation, index);
    job->state = STATE_WAITING;
    self->n_waiting++;
}

/* Jobs are alike: once one finds no slice, none does. */
static void
start_waiting(Days *self, double restart_s)
{
    if (!lp_outages_is_machine_up(self->outages))
        return;
    for (guint64 i = 0; i < self->input->fleet.n_slices && self->n_waiting > 0; i++) {
        Job *job = &self->jobs[i];
        if (job->state != STATE_WAITING)
            continue;
        if (!lp_allocation_take(self->allocation, i))
            return;
        self->n_waiting--;
        start(self, job, restart_s);
    }
}

static void
finish_restarts(Days *self)
{
    for (guint64 i = 0; i < self->input->fleet.n_slices; i++)
        if (self->jobs[i].state == STATE_RESTARTING && self->jobs[i].ready_s <= self->now_s)
            self->jobs[i].state = STATE_RUNNING;
}

static double
next_ready_s(const Days *self)
{
    double soonest_s = (double)INFINITY;
    for (guint64 i = 0; i < self->input->fleet.n_slices; i++)
        if (self->jobs[i].state == STATE_RESTARTING)
            soonest_s = fmin(soonest_s, self->jobs[i].ready_s);
    return soonest_s;
}

/* One of the jobs that have blocks. */
static guint64
draw_job(const Days *self, GRand *generator)
{
    guint64 n = self->input->fleet.n_slices - self->n_waiting;
    guint64 left = lp_outages_draw_place(generator, n);
    for (guint64 i = 0;; i++)
        if (self->jobs[i].state != STATE_WAITING && left-- == 0)
            return i;
}

static void
fail(Days *self, GRand *generator)
{
    const LpFleet *fleet = &self->input->fleet;
    LpOutage outage =
        lp_outages_fail(self->outages, self->now_s, fleet->n_slices - self->n_waiting);
    gint64 owner;
    switch (fleet->parts[outage.part].effect) {
    case LP_EFFECT_BLOCK:
        owner = lp_allocation_job(self->allocation, outage.block);
        if (owner >= 0)
            interrupt(self, (guint64)owner, lp_allocation_replace(self->allocation, outage.block));
        break;
    case LP_EFFECT_JOB:
        interrupt(self, draw_job(self, generator), TRUE);
        break;
    case LP_EFFECT_MACHINE:
        for (guint64 i = 0; i < fleet->n_slices; i++)
            interrupt(self, i, lp_outages_is_machine_up(self->outages));
        break;
    case LP_EFFECT_SLOW:
    case LP_N_EFFECTS:
        break;
    }
}

/* Goes on to the next event; FALSE at the end of the period. */
static gboolean
step(Days *self, GRand *generator)
{
    guint64 n_jobs = self->input->fleet.n_slices - self->n_waiting;
    double failure_s = lp_outages_draw_failure_s(self->outages, self->now_s, n_jobs);
    double repair_s = lp_outages_next_repair_s(self->outages);
    double ready_s = next_ready_s(self);
    double next_s = fmin(fmin(failure_s, repair_s), ready_s);
    if (!(next_s < self->input->period_s)) {
        advance(self, self->input->period_s);
        return FALSE;
    }
    advance(self, next_s);
    if (next_s == ready_s) {
        finish_restarts(self);
    } else {
        if (next_s == repair_s)
            lp_outages_repair(self->outages);
        else
            fail(self, generator);
        start_waiting(self, self->input->restart_s);
    }
    return TRUE;
}

static LpGoodput
summarise(Days *self)
{
    const LpFleet *fleet = &self->input->fleet;
    LpGoodput result = {.interruptions = (double)self->n_interruptions};
    double weight = fleet->slice_share / self->input->period_s;
    double waiting = 0.0;
    for (guint64 i = 0; i < fleet->n_slices; i++) {
        Job *job = &self->jobs[i];
        lp_ledger_close(&job->ledger, self->input);
        result.goodput += weight * job->ledger.work_s;
        result.loss[LP_LOSS_CHECKPOINTING] += weight * job->ledger.writing_s;
        result.loss[LP_LOSS_LOST_WORK] += weight * job->ledger.lost_s;
        result.loss[LP_LOSS_RESTART] += weight * job->restart_s;
        result.loss[LP_LOSS_DEGRADED] += weight * job->ledger.degraded_s;
        waiting += job->waiting_s / self->input->period_s;
    }
    double meant = fleet->slice_share * (double)fleet->n_slices;
    result.loss[LP_LOSS_WAITING] = waiting * fleet->slice_share;
    result.loss[LP_LOSS_IDLE] = 1.0 - meant;
    result.slice_goodput = result.goodput / meant;
    result.availability = 1.0 - waiting / (double)fleet->n_slices;
    return result;
}

LpGoodput
lp_days_run(const LpGoodputInput *input, guint32 seed, guint32 run)
{
    const guint32 seeds[] = {seed, run};
    GRand *generator = g_rand_new_with_seed_array(seeds, G_N_ELEMENTS(seeds));
    g_auto(Days) days = {.input = input};
    days.outages = lp_outages_new(&input->fleet, generator);
    days.allocation = lp_allocation_new(&input->fleet, days.outages);
    days.jobs = g_new0(Job, input->fleet.n_slices);
    days.n_waiting = input->fleet.n_slices;
    start_waiting(&days, 0.0);
    while (step(&days, generator))
        continue;
    g_rand_free(generator);
    return summarise(&days);
}
