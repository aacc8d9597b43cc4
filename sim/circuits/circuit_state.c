/* SPDX-License-Identifier: Apache-2.0 */
/* The controller of circuits. */
#include "sim/circuits/circuit_state.h"

typedef struct {
    guint32 pattern;
    gboolean is_eager;
    double from_s; /* since when its ranks are there; negative: they are not */
} Waiting;

typedef struct {
    guint32 pattern;
    double from_s, ready_s;
} Granted;

struct LpCircuitState {
    const LpCircuitPlan *plan;     /* borrowed */
    const LpCircuitPolicy *policy; /* borrowed */
    LpCircuitLanes lanes;
    LpPhaseSequence *sequences; /* owned, by rank; empty where it takes no part */
    gboolean *is_waiting;       /* owned, by rank */
    GArray *queue;              /* owned: Waiting */
    GQueue granted;             /* owned Granted */
    guint64 *reserved;          /* owned, by attachment: the number of the round of serving in
                                   which somebody earlier waits for it */
    guint64 n_servings;
    double busy_lane_s;
};

/* --- making --- */

static double
keep(const void *data, guint32 circuit)
{
    const LpCircuitState *self = data;
    return self->policy->keep(self, circuit);
}

static gboolean
is_wanted(const void *data, guint32 circuit)
{
    return lp_circuit_state_distance(data, circuit) != G_MAXUINT;
}

LpCircuitState *
lp_circuit_state_new(const LpCircuitPlan *plan, const LpCircuitSwitch *settings,
                     const LpCircuitPolicy *policy, gboolean keeps_lives)
{
    LpCircuitState *self = g_new0(LpCircuitState, 1);
    self->plan = plan;
    self->policy = policy;
    lp_circuit_lanes_init(&self->lanes, plan, settings, keeps_lives,
                          (LpCircuitJudge){self, keep, is_wanted});
    self->reserved = g_new0(guint64, plan->n_attachments);
    self->sequences = g_new0(LpPhaseSequence, plan->map->n_ranks);
    self->is_waiting = g_new0(gboolean, plan->map->n_ranks);
    self->queue = g_array_new(FALSE, FALSE, sizeof(Waiting));
    g_queue_init(&self->granted);
    return self;
}

void
lp_circuit_state_free(LpCircuitState *self)
{
    if (self == NULL)
        return;
    for (guint64 rank = 0; rank < self->plan->map->n_ranks; rank++)
        lp_phase_sequence_clear(&self->sequences[rank]);
    g_free(self->sequences);
    g_free(self->is_waiting);
    g_free(self->reserved);
    g_array_unref(self->queue);
    g_queue_clear_full(&self->granted, g_free);
    lp_circuit_lanes_clear(&self->lanes);
    g_free(self);
}

gboolean
lp_circuit_state_has_rank(const LpCircuitState *self, guint64 rank)
{
    return self->sequences[rank].phases != NULL;
}

void
lp_circuit_state_add_rank(LpCircuitState *self, guint64 rank)
{
    lp_phase_sequence_init(&self->sequences[rank], self->plan, rank);
    guint32 next = lp_phase_sequence_next(&self->sequences[rank]);
    if (next != LP_CIRCUIT_NONE)
        self->lanes.patterns[next].n_come++;
}

void
lp_circuit_state_begin(LpCircuitState *self)
{
    g_autoptr(GArray) order = lp_circuit_plan_by_bytes(self->plan);
    for (guint i = 0; i < order->len; i++)
        lp_circuit_lanes_begin(&self->lanes, g_array_index(order, guint32, i));
}

/* --- requests --- */

/* Whether somebody who came earlier waits for an attachment of @pattern. */
static gboolean
is_reserved(const LpCircuitState *self, guint32 pattern)
{
    const LpCircuitPattern *wanted = lp_circuit_plan_pattern(self->plan, pattern);
    const guint32 *circuits = lp_circuit_plan_circuits_of(self->plan, wanted);
    for (guint32 i = 0; i < wanted->n_circuits; i++)
        for (guint end = 0; end < 2; end++)
            if (self->reserved[lp_circuit_plan_circuit(self->plan, circuits[i])->end[end]] ==
                self->n_servings)
                return TRUE;
    return FALSE;
}

static void
reserve(LpCircuitState *self, guint32 pattern)
{
    const LpCircuitPattern *wanted = lp_circuit_plan_pattern(self->plan, pattern);
    const guint32 *circuits = lp_circuit_plan_circuits_of(self->plan, wanted);
    for (guint32 i = 0; i < wanted->n_circuits; i++)
        for (guint end = 0; end < 2; end++)
            self->reserved[lp_circuit_plan_circuit(self->plan, circuits[i])->end[end]] =
                self->n_servings;
}

static void
begin_use(LpCircuitState *self, guint32 pattern, double ready_s)
{
    LpPatternUse *use = &self->lanes.patterns[pattern];
    if (use->n_users++ == 0)
        use->used_from_s = ready_s;
}

/* Whether the ranks of a message between stages are at it, or wait for something. */
static gboolean
are_there(const LpCircuitState *self, guint32 pattern)
{
    const LpCircuitPattern *wanted = lp_circuit_plan_pattern(self->plan, pattern);
    const guint32 *ranks = lp_circuit_plan_ranks_of(self->plan, wanted);
    for (guint32 i = 0; i < wanted->n_ranks; i++)
        if (lp_circuit_state_has_rank(self, ranks[i]) && !self->is_waiting[ranks[i]] &&
            lp_circuit_state_next_pattern(self, ranks[i]) != pattern)
            return FALSE;
    return TRUE;
}

static gboolean
try_grant(LpCircuitState *self, guint32 pattern, gboolean is_eager, double now_s,
          double *out_ready_s)
{
    LpPatternUse *use = &self->lanes.patterns[pattern];
    if (is_reserved(self, pattern))
        return FALSE;
    if (use->n_missing > 0) {
        if ((!is_eager && !are_there(self, pattern)) ||
            !lp_circuit_lanes_find(&self->lanes, pattern, LP_CIRCUIT_TAKE_UNUSED))
            return FALSE;
        lp_circuit_lanes_set_up(&self->lanes, pattern, now_s);
    }
    *out_ready_s = MAX(now_s, use->ready_s);
    begin_use(self, pattern, *out_ready_s);
    return TRUE;
}

/* Reserves the lanes that waiting requests could have, so that a new request does not get them. */
static void
reserve_for_queue(LpCircuitState *self)
{
    self->n_servings++;
    for (guint i = 0; i < self->queue->len; i++) {
        const Waiting *waiting = &g_array_index(self->queue, Waiting, i);
        if (waiting->is_eager || are_there(self, waiting->pattern))
            reserve(self, waiting->pattern);
    }
}

gboolean
lp_circuit_state_request(LpCircuitState *self, guint32 pattern, gboolean is_eager, double now_s,
                         double *out_ready_s)
{
    reserve_for_queue(self);
    if (try_grant(self, pattern, is_eager, now_s, out_ready_s))
        return TRUE;
    Waiting waiting = {pattern, is_eager, is_eager || are_there(self, pattern) ? now_s : -1.0};
    g_array_append_val(self->queue, waiting);
    return FALSE;
}

gboolean
lp_circuit_state_try(LpCircuitState *self, guint32 pattern, gboolean is_eager, double now_s,
                     double *out_ready_s)
{
    reserve_for_queue(self);
    return try_grant(self, pattern, is_eager, now_s, out_ready_s);
}

void
lp_circuit_state_serve(LpCircuitState *self, double now_s)
{
    if (self->queue->len == 0)
        return;
    self->n_servings++;
    guint kept = 0;
    for (guint i = 0; i < self->queue->len; i++) {
        Waiting waiting = g_array_index(self->queue, Waiting, i);
        double ready_s = 0.0;
        if (waiting.from_s < 0.0 && are_there(self, waiting.pattern))
            waiting.from_s = now_s;
        if (try_grant(self, waiting.pattern, waiting.is_eager, now_s, &ready_s)) {
            Granted *granted = g_new(Granted, 1);
            *granted =
                (Granted){waiting.pattern, waiting.from_s < 0.0 ? now_s : waiting.from_s, ready_s};
            g_queue_push_tail(&self->granted, granted);
            continue;
        }
        if (waiting.is_eager || are_there(self, waiting.pattern))
            reserve(self, waiting.pattern);
        g_array_index(self->queue, Waiting, kept++) = waiting;
    }
    g_array_set_size(self->queue, kept);
}

guint32
lp_circuit_state_pop_granted(LpCircuitState *self, double *out_from_s, double *out_ready_s)
{
    g_autofree Granted *granted = g_queue_pop_head(&self->granted);
    if (granted == NULL)
        return LP_CIRCUIT_NONE;
    *out_from_s = granted->from_s;
    *out_ready_s = granted->ready_s;
    return granted->pattern;
}

void
lp_circuit_state_kill(LpCircuitState *self, LpLaneFailure failure, double now_s)
{
    lp_circuit_lanes_kill(&self->lanes, failure, now_s);
    lp_circuit_state_serve(self, now_s);
}

guint64
lp_circuit_state_dead_lanes(const LpCircuitState *self, guint32 attachment)
{
    return self->lanes.dead[attachment];
}

void
lp_circuit_state_set_waiting(LpCircuitState *self, guint64 rank, gboolean is_waiting)
{
    self->is_waiting[rank] = is_waiting;
}

/* @rank has used @pattern: it goes on to its next phase. */
static void
advance(LpCircuitState *self, guint64 rank, guint32 pattern)
{
    LpPhaseSequence *sequence = &self->sequences[rank];
    guint32 before = lp_phase_sequence_next(sequence);
    lp_phase_sequence_use(sequence, pattern);
    guint32 after = lp_phase_sequence_next(sequence);
    if (before == after)
        return;
    if (before != LP_CIRCUIT_NONE)
        self->lanes.patterns[before].n_come--;
    if (after != LP_CIRCUIT_NONE)
        self->lanes.patterns[after].n_come++;
}

static void
end_use(LpCircuitState *self, guint32 pattern, double now_s)
{
    LpPatternUse *use = &self->lanes.patterns[pattern];
    if (--use->n_users > 0)
        return;
    const LpCircuitPattern *used = lp_circuit_plan_pattern(self->plan, pattern);
    const guint32 *circuits = lp_circuit_plan_circuits_of(self->plan, used);
    for (guint32 i = 0; i < used->n_circuits; i++)
        self->lanes.circuits[circuits[i]].last_use_s = now_s;
    /* A use beside circuits may end before they are up. */
    self->busy_lane_s += use->n_lanes * MAX(now_s - use->used_from_s, 0.0);
}

gboolean
lp_circuit_state_pause(LpCircuitState *self, guint32 pattern, double now_s)
{
    if (self->queue->len == 0)
        return FALSE;
    end_use(self, pattern, now_s);
    lp_circuit_state_serve(self, now_s);
    return TRUE;
}

void
lp_circuit_state_release(LpCircuitState *self, guint32 pattern, double now_s)
{
    const LpCircuitPattern *used = lp_circuit_plan_pattern(self->plan, pattern);
    const guint32 *ranks = lp_circuit_plan_ranks_of(self->plan, used);
    end_use(self, pattern, now_s);
    for (guint32 i = 0; i < used->n_ranks; i++)
        if (lp_circuit_state_has_rank(self, ranks[i]))
            advance(self, ranks[i], pattern);
    lp_circuit_state_serve(self, now_s);
    for (guint32 i = 0; self->policy->after_use != NULL && i < used->n_ranks; i++)
        if (lp_circuit_state_has_rank(self, ranks[i]))
            self->policy->after_use(self, ranks[i], now_s);
}

/* --- for policies --- */

guint32
lp_circuit_state_next_pattern(const LpCircuitState *self, guint64 rank)
{
    return lp_phase_sequence_next(&self->sequences[rank]);
}

guint32
lp_circuit_state_pattern_ahead(const LpCircuitState *self, guint64 rank, guint ahead)
{
    return lp_phase_sequence_ahead(&self->sequences[rank], ahead);
}

gboolean
lp_circuit_state_all_come_to(const LpCircuitState *self, guint32 pattern)
{
    return self->lanes.patterns[pattern].n_come ==
           lp_circuit_plan_pattern(self->plan, pattern)->n_ranks;
}

guint
lp_circuit_state_distance(const LpCircuitState *self, guint32 circuit)
{
    guint nearest = G_MAXUINT;
    for (guint32 i = self->lanes.first_of[circuit]; i < self->lanes.first_of[circuit + 1]; i++) {
        guint32 pattern = self->lanes.of_circuit[i];
        const LpCircuitPattern *owner = lp_circuit_plan_pattern(self->plan, pattern);
        guint64 rank = lp_circuit_plan_ranks_of(self->plan, owner)[0];
        if (lp_circuit_state_has_rank(self, rank))
            nearest = MIN(nearest, lp_phase_sequence_distance(&self->sequences[rank], pattern));
    }
    return nearest;
}

double
lp_circuit_state_last_use_s(const LpCircuitState *self, guint32 circuit)
{
    return self->lanes.circuits[circuit].last_use_s;
}

static void
prepare(LpCircuitState *self, guint32 pattern, LpCircuitTake take, double now_s)
{
    if (self->lanes.patterns[pattern].n_missing == 0)
        return;
    reserve_for_queue(self);
    if (!is_reserved(self, pattern) && lp_circuit_lanes_find(&self->lanes, pattern, take))
        lp_circuit_lanes_set_up(&self->lanes, pattern, now_s);
}

void
lp_circuit_state_prepare(LpCircuitState *self, guint32 pattern, double now_s)
{
    prepare(self, pattern, LP_CIRCUIT_TAKE_UNUSED, now_s);
}

void
lp_circuit_state_prepare_on_idle(LpCircuitState *self, guint32 pattern, double now_s)
{
    prepare(self, pattern, LP_CIRCUIT_TAKE_IDLE, now_s);
}

/* --- results --- */

guint64
lp_circuit_state_n_set_up(const LpCircuitState *self)
{
    return self->lanes.n_set_up;
}

double
lp_circuit_state_take_dead_s(LpCircuitState *self, guint32 pattern)
{
    LpPatternUse *use = &self->lanes.patterns[pattern];
    double dead_s = use->asked_s < 0.0 ? 0.0 : use->ready_s - use->asked_s;
    use->asked_s = use->ready_s;
    return dead_s;
}

double
lp_circuit_state_busy_lane_s(const LpCircuitState *self)
{
    return self->busy_lane_s;
}

const GArray *
lp_circuit_state_lives(const LpCircuitState *self)
{
    return self->lanes.lives;
}

const char *
lp_circuit_state_circuit_name(const LpCircuitState *self, guint32 circuit)
{
    guint32 pattern = self->lanes.of_circuit[self->lanes.first_of[circuit]];
    return lp_circuit_plan_traffic_name(lp_circuit_plan_pattern(self->plan, pattern)->traffic);
}
