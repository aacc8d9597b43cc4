/* SPDX-License-Identifier: Apache-2.0 */
/* Actors that wait for circuits. */
#include "sim/actors/actor_circuits.h"

#include "sim/circuits/circuit_policy.h"

#include <simgrid/engine.h>
#include <simgrid/semaphore.h>

/* The use of a pattern that is under way; messages of a line may have several. */
typedef struct {
    guint64 n_come, n_left; /* of its users */
    gboolean is_granted;
    guint64 n_blocked;
    guint64 n_yielding;  /* of its users, between two parts */
    gboolean has_paused; /* for others, what they decided together */
    double from_s, ready_s, dead_s;
    sg_sem_t granted; /* owned; NULL until somebody must wait */
} Pattern;

struct LpCircuits {
    const LpCircuitPlan *plan; /* borrowed */
    LpCircuitState *state;     /* owned */
    Pattern *patterns;         /* owned */
    LpHybridCount count;
};

LpCircuits *
lp_circuits_new(const LpCircuitPlan *plan, gboolean keeps_lives)
{
    LpCircuits *self = g_new0(LpCircuits, 1);
    const LpCircuitSwitch *settings = &lp_network_machine(plan->map->network)->circuits;
    self->plan = plan;
    self->state =
        lp_circuit_state_new(plan, settings, lp_circuit_policy_get(settings->policy), keeps_lives);
    self->patterns = g_new0(Pattern, plan->patterns->len);
    return self;
}

void
lp_circuits_free(LpCircuits *self)
{
    if (self == NULL)
        return;
    for (guint i = 0; i < self->plan->patterns->len; i++)
        if (self->patterns[i].granted != NULL)
            sg_sem_destroy(self->patterns[i].granted);
    g_free(self->patterns);
    lp_circuit_state_free(self->state);
    g_free(self);
}

void
lp_circuits_add_rank(LpCircuits *self, guint64 rank)
{
    lp_circuit_state_add_rank(self->state, rank);
}

void
lp_circuits_begin(LpCircuits *self)
{
    lp_circuit_state_begin(self->state);
}

static const LpMachine *
machine_of(const LpCircuits *self)
{
    return lp_network_machine(self->plan->map->network);
}

gboolean
lp_circuits_is_hybrid(const LpCircuits *self)
{
    return lp_circuit_switch_is_hybrid(&machine_of(self)->circuits);
}

gboolean
lp_circuits_steers(const LpCircuits *self, LpTraffic traffic)
{
    return lp_circuits_is_hybrid(self) && lp_machine_plane(machine_of(self), traffic) == 0;
}

const LpCircuitPlan *
lp_circuits_plan(const LpCircuits *self)
{
    return self->plan;
}

static void
wake_granted(LpCircuits *self)
{
    double from_s = 0.0, ready_s = 0.0;
    guint32 index;
    while ((index = lp_circuit_state_pop_granted(self->state, &from_s, &ready_s)) !=
           LP_CIRCUIT_NONE) {
        Pattern *pattern = &self->patterns[index];
        gboolean is_line = lp_circuit_plan_pattern(self->plan, index)->is_line;
        guint64 n_woken = is_line ? 1 : pattern->n_blocked;
        pattern->is_granted = TRUE;
        pattern->from_s = from_s;
        pattern->ready_s = ready_s;
        pattern->dead_s = lp_circuit_state_take_dead_s(self->state, index);
        pattern->n_blocked -= n_woken;
        for (guint64 i = 0; i < n_woken; i++)
            sg_sem_release(pattern->granted);
    }
}

static void
block(Pattern *pattern)
{
    if (pattern->granted == NULL)
        pattern->granted = sg_sem_init(0);
    pattern->n_blocked++;
    sg_sem_acquire(pattern->granted);
}

/* The first of the users asks for all. */
static void
request(LpCircuits *self, guint32 index, gboolean is_eager)
{
    Pattern *pattern = &self->patterns[index];
    pattern->from_s = simgrid_get_clock();
    pattern->is_granted = lp_circuit_state_request(self->state, index, is_eager,
                                                   simgrid_get_clock(), &pattern->ready_s);
    if (pattern->is_granted)
        pattern->dead_s = lp_circuit_state_take_dead_s(self->state, index);
}

LpCircuitWait
lp_circuits_acquire(LpCircuits *self, guint32 index, guint64 n_users, gboolean is_eager,
                    LpWatch *watch)
{
    Pattern *pattern = &self->patterns[index];
    double start_s = simgrid_get_clock();
    if (pattern->n_come++ == 0)
        request(self, index, is_eager);
    if (pattern->n_come == n_users)
        pattern->n_come = 0;
    if (!pattern->is_granted)
        block(pattern);
    double from_s = MAX(start_s, pattern->from_s);
    double ready_s = pattern->ready_s, dead_s = pattern->dead_s;
    if (ready_s > simgrid_get_clock())
        lp_watch_sleep(watch, ready_s - simgrid_get_clock());
    double waited_s = simgrid_get_clock() - from_s;
    return (LpCircuitWait){from_s, simgrid_get_clock(), waited_s, MAX(dead_s - waited_s, 0.0)};
}

void
lp_circuits_release(LpCircuits *self, guint32 index, guint64 n_users)
{
    Pattern *pattern = &self->patterns[index];
    if (++pattern->n_left < n_users)
        return;
    pattern->n_left = 0;
    lp_circuit_state_release(self->state, index, simgrid_get_clock());
    wake_granted(self);
}

gboolean
lp_circuits_try(LpCircuits *self, guint32 index, guint64 n_users, gboolean is_eager,
                double *out_ready_s)
{
    Pattern *pattern = &self->patterns[index];
    if (pattern->n_come++ == 0) {
        pattern->is_granted = lp_circuit_state_try(self->state, index, is_eager,
                                                   simgrid_get_clock(), &pattern->ready_s);
        if (pattern->is_granted)
            pattern->dead_s = lp_circuit_state_take_dead_s(self->state, index);
    }
    if (pattern->n_come == n_users)
        pattern->n_come = 0;
    *out_ready_s = pattern->ready_s;
    return pattern->is_granted;
}

guint32
lp_circuits_n_live(const LpCircuits *self, guint64 accelerator)
{
    guint64 attachment = lp_machine_port(machine_of(self), accelerator, LP_ATTACHMENT_SCALE_OUT);
    guint64 dead = lp_circuit_state_dead_lanes(self->state, (guint32)attachment);
    return self->plan->n_lanes - (guint32)__builtin_popcountll(dead);
}

void
lp_circuits_kill(LpCircuits *self, LpLaneFailure failure)
{
    lp_circuit_state_kill(self->state, failure, simgrid_get_clock());
    wake_granted(self);
}

void
lp_circuits_count(LpCircuits *self, LpHybridCount count)
{
    self->count.circuit_bytes += count.circuit_bytes;
    self->count.packet_bytes += count.packet_bytes;
    self->count.n_set_up += count.n_set_up;
}

#define N_PARTS 16u

guint32
lp_circuits_n_parts(const LpCircuits *self)
{
    const LpMachine *machine = lp_network_machine(self->plan->map->network);
    return machine->circuits.yield == LP_CIRCUIT_YIELD_PREEMPT ? N_PARTS : 1;
}

/* The first of the users decides for all. */
LpCircuitWait
lp_circuits_yield(LpCircuits *self, guint32 index, guint64 n_users, gboolean is_eager,
                  LpWatch *watch)
{
    Pattern *pattern = &self->patterns[index];
    double now_s = simgrid_get_clock();
    if (pattern->n_yielding++ == 0) {
        pattern->has_paused = lp_circuit_state_pause(self->state, index, now_s);
        wake_granted(self);
    }
    gboolean has_paused = pattern->has_paused;
    if (pattern->n_yielding == n_users)
        pattern->n_yielding = 0;
    if (has_paused)
        return lp_circuits_acquire(self, index, n_users, is_eager, watch);
    return (LpCircuitWait){now_s, now_s, 0.0, 0.0};
}

void
lp_circuits_set_waiting(LpCircuits *self, guint64 rank, gboolean is_waiting)
{
    lp_circuit_state_set_waiting(self->state, rank, is_waiting);
    if (!is_waiting)
        return;
    lp_circuit_state_serve(self->state, simgrid_get_clock());
    wake_granted(self);
}

/* Lanes of the attachments of all ranks that take part. */
static double
n_lanes(const LpCircuits *self)
{
    const LpCommunicationMap *map = self->plan->map;
    const LpMachine *machine = lp_network_machine(map->network);
    g_autofree gboolean *seen = g_new0(gboolean, self->plan->n_attachments);
    guint64 n = 0;
    for (guint64 rank = 0; rank < map->n_ranks; rank++) {
        if (!lp_circuit_state_has_rank(self->state, rank))
            continue;
        guint64 accelerator = lp_rank_layout_accelerator(map->layout, rank);
        guint64 attachment = lp_machine_port(machine, accelerator, LP_ATTACHMENT_SCALE_OUT);
        n += !seen[attachment];
        seen[attachment] = TRUE;
    }
    return (double)n * self->plan->n_lanes;
}

LpCircuitResult
lp_circuits_result(const LpCircuits *self, const LpClock *last, double start_s, double weight,
                   double n_iterations)
{
    double span_s = last->at_s - start_s;
    double n_set_up =
        ((double)lp_circuit_state_n_set_up(self->state) + self->count.n_set_up) * weight;
    double busy_lane_s = lp_circuit_state_busy_lane_s(self->state);
    return (LpCircuitResult){
        .n_reconfigurations = (guint64)(n_set_up / n_iterations),
        .n_critical = (guint64)((double)last->circuits.n_waits / n_iterations),
        .wait_exposed_s = last->terms.s[LP_TERM_RECONFIGURATION] / n_iterations,
        .wait_hidden_s = last->circuits.hidden_s / n_iterations,
        .is_hybrid = lp_circuits_is_hybrid(self),
        .circuit_bytes = self->count.circuit_bytes * weight / n_iterations,
        .packet_bytes = self->count.packet_bytes * weight / n_iterations,
        .duty_cycle = span_s > 0.0 ? busy_lane_s / (n_lanes(self) * span_s) : 0.0};
}

static void
record_life(const LpCircuits *self, LpTimeline *timeline, const LpCircuitLife *life,
            const guint32 *stages, double end_s)
{
    const LpCircuit *circuit = lp_circuit_plan_circuit(self->plan, life->circuit);
    const char *name = lp_circuit_state_circuit_name(self->state, life->circuit);
    for (guint end = 0; end < 2; end++)
        if (stages[circuit->end[end]] > 0)
            lp_timeline_add_circuit(timeline,
                                    (LpCircuitSlice){.name = name,
                                                     .stage = stages[circuit->end[end]] - 1,
                                                     .lane = life->lane[end],
                                                     .peer = circuit->end[1 - end],
                                                     .start_s = MAX(life->asked_s, 0.0),
                                                     .up_s = life->up_s,
                                                     .end_s = MIN(life->down_s, end_s)});
}

void
lp_circuits_record(const LpCircuits *self, LpTimeline *timeline, double end_s)
{
    const LpCommunicationMap *map = self->plan->map;
    const LpMachine *machine = lp_network_machine(map->network);
    const GArray *lives = lp_circuit_state_lives(self->state);
    g_autofree guint32 *stages = g_new0(guint32, self->plan->n_attachments);
    for (guint32 stage = map->program->pipeline.n_stages; stage-- > 0;) {
        guint64 rank = lp_program_stage_first(map->program, stage);
        guint64 accelerator = lp_rank_layout_accelerator(map->layout, rank);
        stages[lp_machine_port(machine, accelerator, LP_ATTACHMENT_SCALE_OUT)] = stage + 1;
    }
    for (guint i = 0; i < lives->len; i++)
        record_life(self, timeline, &g_array_index(lives, LpCircuitLife, i), stages, end_s);
}
