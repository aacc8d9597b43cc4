/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes, and the circuits on them. */
#include "sim/circuits/circuit_lanes.h"

#include <math.h>

static void
index_patterns(LpCircuitLanes *self)
{
    const LpCircuitPlan *plan = self->plan;
    guint n_circuits = plan->circuits->len;
    self->first_of = g_new0(guint32, n_circuits + 1);
    self->of_circuit = g_new(guint32, MAX(plan->pattern_circuits->len, 1));
    for (guint i = 0; i < plan->pattern_circuits->len; i++)
        self->first_of[g_array_index(plan->pattern_circuits, guint32, i) + 1]++;
    for (guint i = 0; i < n_circuits; i++)
        self->first_of[i + 1] += self->first_of[i];
    g_autofree guint32 *next = g_new(guint32, MAX(n_circuits, 1));
    for (guint i = 0; i < n_circuits; i++)
        next[i] = self->first_of[i];
    for (guint32 p = 0; p < plan->patterns->len; p++) {
        const LpCircuitPattern *pattern = lp_circuit_plan_pattern(plan, p);
        const guint32 *circuits = lp_circuit_plan_circuits_of(plan, pattern);
        self->patterns[p].n_missing = pattern->n_circuits;
        for (guint32 i = 0; i < pattern->n_circuits; i++) {
            self->of_circuit[next[circuits[i]]++] = p;
            self->patterns[p].n_lanes += 2 * lp_circuit_plan_circuit(plan, circuits[i])->n_lanes;
        }
    }
}

void
lp_circuit_lanes_init(LpCircuitLanes *self, const LpCircuitPlan *plan,
                      const LpCircuitSwitch *settings, gboolean keeps_lives, LpCircuitJudge judge)
{
    *self = (LpCircuitLanes){
        .plan = plan, .settings = settings, .judge = judge, .keeps_lives = keeps_lives};
    self->dead_s = lp_circuit_switch_dead_time_s(settings);
    self->all_lanes =
        plan->n_lanes >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT(1) << plan->n_lanes) - 1;
    self->circuits = g_new0(LpCircuitStanding, plan->circuits->len);
    self->patterns = g_new0(LpPatternUse, plan->patterns->len);
    index_patterns(self);
    self->dead = g_new0(guint64, plan->n_attachments);
    self->claimed = g_new0(guint64, plan->n_attachments);
    gsize n = (gsize)plan->n_attachments * plan->n_lanes;
    self->occupant = g_new(guint32, n);
    for (gsize i = 0; i < n; i++)
        self->occupant[i] = LP_CIRCUIT_NONE;
    self->claims = g_array_new(FALSE, FALSE, sizeof(LpLaneClaim));
    self->lives = g_array_new(FALSE, FALSE, sizeof(LpCircuitLife));
}

void
lp_circuit_lanes_clear(LpCircuitLanes *self)
{
    g_free(self->circuits);
    g_free(self->patterns);
    g_free(self->first_of);
    g_free(self->of_circuit);
    g_free(self->claimed);
    g_free(self->dead);
    g_free(self->occupant);
    g_array_unref(self->claims);
    g_array_unref(self->lives);
}

/* --- what is free --- */

static guint32 *
occupant(const LpCircuitLanes *self, guint32 attachment, guint32 lane)
{
    return &self->occupant[(gsize)attachment * self->plan->n_lanes + lane];
}

gboolean
lp_circuit_lanes_is_in_use(const LpCircuitLanes *self, guint32 circuit)
{
    for (guint32 i = self->first_of[circuit]; i < self->first_of[circuit + 1]; i++)
        if (self->patterns[self->of_circuit[i]].n_users > 0)
            return TRUE;
    return FALSE;
}

/* Circuits of the pattern itself do not make room for it. */
static gboolean
belongs_to(const LpCircuitLanes *self, guint32 circuit, guint32 pattern)
{
    for (guint32 i = self->first_of[circuit]; i < self->first_of[circuit + 1]; i++)
        if (self->of_circuit[i] == pattern)
            return TRUE;
    return FALSE;
}

/* How readily @lane gives way: INFINITY if it is free, NAN if it may not be taken. */
static double
readiness(const LpCircuitLanes *self, guint32 pattern, guint32 attachment, guint32 lane,
          LpCircuitTake take)
{
    guint32 circuit = *occupant(self, attachment, lane);
    if (circuit == LP_CIRCUIT_NONE)
        return INFINITY;
    if (lp_circuit_lanes_is_in_use(self, circuit) || belongs_to(self, circuit, pattern))
        return NAN;
    if (take == LP_CIRCUIT_TAKE_NONE ||
        (take == LP_CIRCUIT_TAKE_IDLE && self->judge.is_wanted(self->judge.data, circuit)))
        return NAN;
    return -self->judge.keep(self->judge.data, circuit);
}

/* The lane of @attachment that is best taken, among those in @among, as bits; LP_CIRCUIT_NONE:
 * none. */
static guint32
best_lane(const LpCircuitLanes *self, guint32 pattern, guint32 attachment, guint64 among,
          LpCircuitTake take)
{
    guint32 best = LP_CIRCUIT_NONE;
    double most = -INFINITY;
    for (guint32 lane = 0; lane < self->plan->n_lanes; lane++) {
        if (((among & ~self->claimed[attachment] & ~self->dead[attachment]) >> lane & 1) == 0)
            continue;
        double value = readiness(self, pattern, attachment, lane, take);
        if (isnan(value) || (best != LP_CIRCUIT_NONE && value <= most))
            continue;
        best = lane;
        most = value;
    }
    return best;
}

static void
claim(LpCircuitLanes *self, guint32 attachment, guint32 lane)
{
    LpLaneClaim made = {attachment, lane};
    g_array_append_val(self->claims, made);
    self->claimed[attachment] |= G_GUINT64_CONSTANT(1) << lane;
}

static void
drop_claims(LpCircuitLanes *self)
{
    for (guint i = 0; i < self->claims->len; i++)
        self->claimed[g_array_index(self->claims, LpLaneClaim, i).attachment] = 0;
    g_array_set_size(self->claims, 0);
}

/* Lanes of the port that @lane is of, on which a circuit must end where each port of an attachment
 * has a switch of its own. */
static guint64
lanes_of_port(const LpCircuitLanes *self, guint32 lane)
{
    guint32 n = self->settings->n_wavelengths, first = lane / n * n;
    return (n >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT(1) << n) - 1) << first;
}

/* Claims lanes at both ends of a circuit; a lane's partner is claimed right behind it. */
static gboolean
claim_pair(LpCircuitLanes *self, guint32 pattern, const LpCircuit *circuit, LpCircuitTake take)
{
    guint64 left = self->all_lanes;
    while (left != 0) {
        guint32 a = best_lane(self, pattern, circuit->end[0], left, take);
        if (a == LP_CIRCUIT_NONE)
            return FALSE;
        guint64 among = self->settings->scope == LP_CIRCUIT_SCOPE_PLANE ? lanes_of_port(self, a)
                                                                        : self->all_lanes;
        guint32 b = best_lane(self, pattern, circuit->end[1], among, take);
        if (b != LP_CIRCUIT_NONE) {
            claim(self, circuit->end[0], a);
            claim(self, circuit->end[1], b);
            return TRUE;
        }
        if (self->settings->scope != LP_CIRCUIT_SCOPE_PLANE)
            return FALSE;
        left &= ~among;
    }
    return FALSE;
}

/* Finds lanes for all of @pattern's circuits that do not stand. */
gboolean
lp_circuit_lanes_find(LpCircuitLanes *self, guint32 pattern, LpCircuitTake take)
{
    const LpCircuitPattern *wanted = lp_circuit_plan_pattern(self->plan, pattern);
    const guint32 *circuits = lp_circuit_plan_circuits_of(self->plan, wanted);
    drop_claims(self);
    for (guint32 i = 0; i < wanted->n_circuits; i++) {
        const LpCircuit *circuit = lp_circuit_plan_circuit(self->plan, circuits[i]);
        for (guint32 k = 0; !self->circuits[circuits[i]].stands && k < circuit->n_lanes; k++)
            if (!claim_pair(self, pattern, circuit, take))
                return FALSE;
    }
    return TRUE;
}

/* --- setting up --- */

static void
take_down(LpCircuitLanes *self, guint32 index, double now_s)
{
    LpCircuitStanding *standing = &self->circuits[index];
    const LpCircuit *circuit = lp_circuit_plan_circuit(self->plan, index);
    standing->stands = FALSE;
    for (guint end = 0; end < 2; end++) {
        for (guint32 lane = 0; lane < self->plan->n_lanes; lane++)
            if ((standing->lanes[end] >> lane & 1) != 0)
                *occupant(self, circuit->end[end], lane) = LP_CIRCUIT_NONE;
        standing->lanes[end] = 0;
    }
    for (guint32 i = self->first_of[index]; i < self->first_of[index + 1]; i++)
        self->patterns[self->of_circuit[i]].n_missing++;
    if (self->keeps_lives)
        g_array_index(self->lives, LpCircuitLife, standing->life).down_s = now_s;
}

/* Stops lanes. Bytes in flight arrive; circuits are set up anew when they are next wanted. */
void
lp_circuit_lanes_kill(LpCircuitLanes *self, LpLaneFailure failure, double now_s)
{
    self->dead[failure.attachment] |= failure.lanes;
    for (guint32 lane = 0; lane < self->plan->n_lanes; lane++) {
        guint32 circuit = *occupant(self, failure.attachment, lane);
        if ((failure.lanes >> lane & 1) != 0 && circuit != LP_CIRCUIT_NONE)
            take_down(self, circuit, now_s);
    }
}

/* Takes the claimed lanes from their circuits. Returns: the instant until which the last of these
 * circuits must stand. */
static double
clear_claims(LpCircuitLanes *self, double now_s)
{
    double from_s = now_s;
    for (guint i = 0; i < self->claims->len; i++) {
        const LpLaneClaim *claimed = &g_array_index(self->claims, LpLaneClaim, i);
        guint32 circuit = *occupant(self, claimed->attachment, claimed->lane);
        if (circuit == LP_CIRCUIT_NONE)
            continue;
        from_s = MAX(from_s, self->circuits[circuit].up_s + self->settings->hold_s);
        take_down(self, circuit, now_s);
    }
    return from_s;
}

static void
add_life(LpCircuitLanes *self, guint32 index, double asked_s, double up_s)
{
    if (!self->keeps_lives)
        return;
    LpCircuitStanding *standing = &self->circuits[index];
    LpCircuitLife life = {.circuit = index, .asked_s = asked_s, .up_s = up_s, .down_s = INFINITY};
    for (guint end = 0; end < 2; end++)
        while ((standing->lanes[end] >> life.lane[end] & 1) == 0)
            life.lane[end]++;
    standing->life = self->lives->len;
    g_array_append_val(self->lives, life);
}

/* Puts @circuit on claimed lanes, from number @claimed on. Returns: the number of the next. */
static guint
put_up(LpCircuitLanes *self, guint32 index, guint claimed, double asked_s, double up_s)
{
    LpCircuitStanding *standing = &self->circuits[index];
    const LpCircuit *circuit = lp_circuit_plan_circuit(self->plan, index);
    standing->stands = TRUE;
    standing->up_s = standing->last_use_s = up_s;
    for (guint32 k = 0; k < 2 * circuit->n_lanes; k++) {
        const LpLaneClaim *at = &g_array_index(self->claims, LpLaneClaim, claimed + k);
        standing->lanes[k % 2] |= G_GUINT64_CONSTANT(1) << at->lane;
        *occupant(self, at->attachment, at->lane) = index;
    }
    for (guint32 i = self->first_of[index]; i < self->first_of[index + 1]; i++) {
        LpPatternUse *use = &self->patterns[self->of_circuit[i]];
        use->n_missing--;
        if (up_s >= use->ready_s) {
            use->ready_s = up_s;
            use->asked_s = asked_s;
        }
    }
    add_life(self, index, asked_s, up_s);
    return claimed + 2 * circuit->n_lanes;
}

/* Sets @pattern up on the lanes that lp_circuit_lanes_find() claimed. */
void
lp_circuit_lanes_set_up(LpCircuitLanes *self, guint32 pattern, double now_s)
{
    const LpCircuitPattern *wanted = lp_circuit_plan_pattern(self->plan, pattern);
    const guint32 *circuits = lp_circuit_plan_circuits_of(self->plan, wanted);
    double from_s = clear_claims(self, now_s);
    guint claimed = 0;
    for (guint32 i = 0; i < wanted->n_circuits; i++) {
        if (self->circuits[circuits[i]].stands)
            continue;
        claimed = put_up(self, circuits[i], claimed, now_s, from_s + self->dead_s);
        self->n_set_up++;
    }
}

void
lp_circuit_lanes_begin(LpCircuitLanes *self, guint32 pattern)
{
    const LpCircuitPattern *wanted = lp_circuit_plan_pattern(self->plan, pattern);
    const guint32 *circuits = lp_circuit_plan_circuits_of(self->plan, wanted);
    guint claimed = 0;
    if (!lp_circuit_lanes_find(self, pattern, LP_CIRCUIT_TAKE_NONE))
        return;
    for (guint32 i = 0; i < wanted->n_circuits; i++)
        if (!self->circuits[circuits[i]].stands)
            claimed = put_up(self, circuits[i], claimed, -1.0, 0.0);
}
