/* SPDX-License-Identifier: Apache-2.0 */
/* Follows a schedule over a group's connections. */
#include "sim/mapping/round_plan.h"

/* Flows of all members that may be under way; each member has a few in any case. */
#define UNDER_WAY_MAX 8192
#define AT_ONCE_MIN 8

guint32
lp_sends_at_once(const LpLibrary *library, guint64 n_members)
{
    guint64 most = MAX(UNDER_WAY_MAX / n_members, AT_ONCE_MIN);
    return (guint32)MIN(most, lp_library_sends_at_once(library));
}

static guint64
n_members(const LpRoundPlan *self)
{
    return self->schedule.shape.n_members;
}

/* The first steps of a phase are those whose latency counts, where latencies of later ones would
 * add up. */
static void
find_latencies(LpRoundPlan *self)
{
    self->has_latency = g_new0(guint8, self->n_rounds);
    for (guint64 i = 0; i < lp_step_schedule_n_phases(&self->schedule); i++) {
        LpStepPhase phase = lp_step_schedule_phase(&self->schedule, i);
        guint64 n = phase.runs_one_way ? phase.n_steps : MIN(phase.n_latencies, phase.n_steps);
        for (guint64 k = 0; k < n; k++)
            self->has_latency[phase.first_step + k] = TRUE;
    }
}

/* The sends of @member, or of a switch, in @round. */
static guint64
raw_sends(LpRoundPlan *self, guint64 participant, guint64 round)
{
    if (self->pipes != NULL)
        return lp_step_pipes_sends(self->pipes, participant, round, self->sends);
    return self->fidelity == LP_FIDELITY_FLOW
               ? lp_step_schedule_phase_sends(&self->schedule, participant, round, self->sends)
               : lp_step_schedule_sends(&self->schedule, participant, round, self->sends);
}

/* The bytes that @participant sends to @to in @round before the protocol adds to them; with
 * G_MAXUINT64 for @to, those that it sends to anyone. */
static guint64
raw_bytes(LpRoundPlan *self, guint64 participant, guint64 round, guint64 to)
{
    guint64 n = raw_sends(self, participant, round), bytes = 0;
    for (guint64 i = 0; i < n; i++)
        bytes += to == G_MAXUINT64 || self->sends[i].to == to ? self->sends[i].bytes : 0;
    return bytes;
}

/* A switch has no port: one flow from each member to the next one of its group stands for what the
 * former gives to the switch and the latter gets from it, as large as the larger of the two. So no
 * port carries less than it does, nor for longer. */
static guint64
switch_sends(LpRoundPlan *self, guint64 member, guint64 round, guint32 level)
{
    const LpCollectiveShape *shape = &self->schedule.shape;
    guint64 to = lp_algorithm_selection_switch(shape, member, level);
    guint64 up = raw_bytes(self, member, round, G_MAXUINT64);
    guint64 down =
        raw_bytes(self, to, round, lp_algorithm_selection_neighbour(shape, member, level, 1));
    self->sends[0] = (LpSend){.to = to, .bytes = MAX(up, down)};
    return up > 0 || down > 0 ? 1 : 0;
}

/* Beside what goes to other domains. */
static guint64
mixed_sends(LpRoundPlan *self, guint64 member, guint64 round)
{
    const LpCollectiveShape *shape = &self->schedule.shape;
    guint64 to = lp_algorithm_selection_switch(shape, member, 0), up = 0, n_kept = 0;
    guint64 down =
        raw_bytes(self, to, round, lp_algorithm_selection_neighbour(shape, member, 0, 1));
    guint64 n = raw_sends(self, member, round);
    for (guint64 i = 0; i < n; i++) {
        if (self->sends[i].to == to)
            up += self->sends[i].bytes;
        else
            self->sends[n_kept++] = self->sends[i];
    }
    if (up > 0 || down > 0)
        self->sends[n_kept++] = (LpSend){.to = to, .bytes = MAX(up, down)};
    return n_kept;
}

/* What comes from other domains, and from the member before by way of the switch. */
static guint64
mixed_receives(LpRoundPlan *self, guint64 member, guint64 round)
{
    const LpStepSchedule *schedule = &self->schedule;
    const LpCollectiveShape *shape = &schedule->shape;
    guint64 from = lp_algorithm_selection_switch(shape, member, 0);
    guint64 before = lp_algorithm_selection_neighbour(shape, member, 0, -1);
    guint64 down = raw_bytes(self, from, round, member);
    guint64 up = raw_bytes(self, before, round, from);
    guint64 n = self->fidelity == LP_FIDELITY_FLOW
                    ? lp_step_schedule_phase_n_receives(schedule, member, round)
                    : lp_step_schedule_n_receives(schedule, member, round);
    return n - (down > 0 ? 1 : 0) + (up > 0 || down > 0 ? 1 : 0);
}

static guint64
find_sends(LpRoundPlan *self, guint64 member, guint64 round)
{
    if (lp_step_schedule_is_switch_tree(&self->schedule))
        return mixed_sends(self, member, round);
    int level = lp_algorithm_selection_switch_level(&self->schedule, round, self->fidelity);
    return level >= 0 ? switch_sends(self, member, round, (guint32)level)
                      : raw_sends(self, member, round);
}

/* The connection from @member to participant @to. */
static const LpConnection *
connection_to(const LpRoundPlan *self, guint64 member, guint64 to)
{
    return lp_collective_peers_connection(
        self->map->peers, self->communicator->group, self->communicator->ranks[member],
        lp_algorithm_selection_receiver(&self->schedule.shape, member, to));
}

static double
hop_s(const LpRoundPlan *self, const LpConnection *connection)
{
    return connection->route.latency_s + self->protocol->hop_s[lp_connection_reach(connection)];
}

/* What the sends of a phase have to do with distance and rate, in the group as a whole. */
typedef struct {
    double farthest_s,
        mean_s; /* hops; the mean is weighted by bytes, since channels share connections */
    double slowest_s_per_byte;
} Reaches;

static Reaches
find_reaches(LpRoundPlan *self, guint64 phase)
{
    Reaches reaches = {0.0, 0.0, 0.0};
    double sum_bytes = 0.0;
    for (guint64 member = 0; member < n_members(self); member++) {
        guint64 n = lp_step_schedule_phase_sends(&self->schedule, member, phase, self->sends);
        for (guint64 i = 0; i < n; i++) {
            const LpConnection *connection = connection_to(self, member, self->sends[i].to);
            double factor = self->protocol->wire_factor[lp_connection_reach(connection)];
            double bytes = (double)self->sends[i].bytes, latency_s = hop_s(self, connection);
            reaches.farthest_s = MAX(reaches.farthest_s, latency_s);
            reaches.slowest_s_per_byte =
                MAX(reaches.slowest_s_per_byte, factor / connection->route.bytes_per_s);
            reaches.mean_s += latency_s * bytes;
            sum_bytes += bytes;
        }
    }
    reaches.mean_s = sum_bytes > 0.0 ? reaches.mean_s / sum_bytes : 0.0;
    return reaches;
}

static gboolean
is_ring(const LpRoundPlan *self)
{
    return self->schedule.shape.algorithm == LP_ALGORITHM_RING;
}

/* Steps a phase, and messages a group, up to which flows in place of steps save too little to be
 * worth what they blur: who waits for whom while a pipeline fills, and who meets whom on a link. */
#define SHORT_STEPS 64
#define SHORT_MESSAGES 4096

/* Where every step has partners of its own there is a flow a message, and nothing is saved. Steps
 * of a torus's stage are all alike. */
static LpFidelity
fidelity_of(const LpStepSchedule *schedule, LpFidelity fidelity)
{
    if (lp_step_schedule_is_fluid(schedule))
        return LP_FIDELITY_FLOW;
    if (schedule->shape.algorithm == LP_ALGORITHM_TORUS)
        return fidelity;
    guint64 n_steps = lp_step_schedule_n_steps(schedule),
            n_phases = lp_step_schedule_n_phases(schedule);
    gboolean is_short =
        n_steps <= SHORT_STEPS * n_phases && n_steps <= SHORT_MESSAGES / schedule->shape.n_members;
    return n_steps == n_phases || is_short ? LP_FIDELITY_MESSAGE : fidelity;
}

void
lp_round_plan_init_shape(LpRoundPlan *self, const LpCommunicationMap *map,
                         const LpCommunicator *communicator, const LpCollectiveShape *shape,
                         const LpProtocol *protocol, guint32 at_once, LpFidelity fidelity)
{
    *self = (LpRoundPlan){.map = map,
                          .communicator = communicator,
                          .start_s = -1.0,
                          .protocol = protocol,
                          .at_once = at_once};
    lp_step_schedule_init(&self->schedule, shape);
    self->fidelity = fidelity_of(&self->schedule, fidelity);
    gboolean flow = self->fidelity == LP_FIDELITY_FLOW;
    self->n_rounds = flow ? lp_step_schedule_n_phases(&self->schedule)
                          : lp_step_schedule_n_steps(&self->schedule);
    self->sends = g_new(LpSend, lp_step_schedule_sends_max(&self->schedule));
    if (!flow) {
        self->pipes = lp_step_pipes_new(&self->schedule);
        find_latencies(self);
    }
    self->has_ring_hop = !flow && is_ring(self) && shape->n_channels > 1 && self->n_rounds > 0;
    self->ring_hop_s = -1.0;
    self->wait_s = flow ? g_new(double, self->n_rounds) : NULL;
    for (guint64 round = 0; flow && round < self->n_rounds; round++)
        self->wait_s[round] = -1.0;
}

void
lp_round_plan_init(LpRoundPlan *self, const LpCommunicationMap *over, const LpOp *op,
                   const LpCommunicator *communicator, LpFidelity fidelity)
{
    const LpCommunicationMap *map = lp_communication_map_of(over, communicator, op);
    LpAlgorithmSelection selection = lp_rank_layout_selection(map->layout, op, communicator);
    guint32 at_once =
        lp_sends_at_once(lp_rank_layout_library(map->layout, op), communicator->n_members);
    lp_round_plan_init_shape(self, map, communicator, &selection.shape, selection.protocol, at_once,
                             fidelity);
}

void
lp_round_plan_clear(LpRoundPlan *self)
{
    g_clear_pointer(&self->sends, g_free);
    g_clear_pointer(&self->pipes, lp_step_pipes_free);
    g_clear_pointer(&self->has_latency, g_free);
    g_clear_pointer(&self->wait_s, g_free);
}

guint64
lp_round_plan_transfers_max(const LpRoundPlan *self)
{
    return lp_step_schedule_sends_max(&self->schedule);
}

/* A ring passes data on from neighbour to neighbour, over each connection in turn: its latencies
 * add up as the mean connection's. Elsewhere the farthest connection may be on every chain. */
static double
phase_wait_s(LpRoundPlan *self, guint64 round)
{
    LpStepPhase phase = lp_step_schedule_phase(&self->schedule, round);
    Reaches reaches = find_reaches(self, round);
    double latency_s = is_ring(self) ? reaches.mean_s : reaches.farthest_s;
    return (double)phase.n_latencies * latency_s +
           (double)phase.fill_bytes * reaches.slowest_s_per_byte;
}

double
lp_round_plan_ring_hop_s(LpRoundPlan *self)
{
    if (self->ring_hop_s < 0.0)
        self->ring_hop_s = find_reaches(self, 0).mean_s;
    return self->ring_hop_s;
}

static gboolean
opens(const LpRoundPlan *self, guint64 member, guint64 round, const LpSend *send)
{
    return self->pipes != NULL ? lp_step_pipes_opens(self->pipes, member, round, send)
                               : lp_step_schedule_opens(&self->schedule, member, round, send);
}

/* Parallel rings do not wait for each other, as the rounds of a round plan do: each of their steps
 * takes the mean latency, so that every ring takes what it would alone. */
static double
send_latency_s(const LpRoundPlan *self, guint64 member, guint64 round, const LpSend *send,
               const LpConnection *connection)
{
    if (self->has_latency == NULL || !self->has_latency[round] || !opens(self, member, round, send))
        return 0.0;
    return self->has_ring_hop ? self->ring_hop_s : hop_s(self, connection);
}

double
lp_round_plan_wait_s(LpRoundPlan *self, guint64 round)
{
    double base_s = round == 0 ? self->protocol->base_s : 0.0;
    if (self->fidelity == LP_FIDELITY_MESSAGE)
        return base_s;
    if (self->start_s >= 0.0)
        return round == 0 ? self->start_s : 0.0;
    if (self->wait_s[round] < 0.0)
        self->wait_s[round] = phase_wait_s(self, round) + base_s;
    return self->wait_s[round];
}

void
lp_round_plan_active(const LpRoundPlan *self, guint64 member, guint64 *out_first, guint64 *out_end)
{
    *out_first = 0;
    *out_end = self->n_rounds;
    if (self->fidelity == LP_FIDELITY_MESSAGE)
        lp_step_schedule_active(&self->schedule, member, out_first, out_end);
}

guint64
lp_round_plan_transfers(LpRoundPlan *self, guint64 member, guint64 round, LpTransfer *out_transfers)
{
    if (self->has_ring_hop)
        (void)lp_round_plan_ring_hop_s(self); /* has a use for self->sends, too */
    guint64 n = find_sends(self, member, round);
    for (guint64 i = 0; i < n; i++) {
        const LpConnection *connection = connection_to(self, member, self->sends[i].to);
        out_transfers[i] = (LpTransfer){
            .to = lp_algorithm_selection_receiver(&self->schedule.shape, member, self->sends[i].to),
            .connection = connection,
            .bytes = lp_protocol_wire_bytes(self->protocol, lp_connection_reach(connection),
                                            self->sends[i].bytes),
            .latency_s = send_latency_s(self, member, round, &self->sends[i], connection)};
    }
    return n;
}

/* Bytes that go by way of a switch come from the member before. */
guint64
lp_round_plan_n_receives(LpRoundPlan *self, guint64 member, guint64 round)
{
    const LpStepSchedule *schedule = &self->schedule;
    if (lp_step_schedule_is_switch_tree(schedule))
        return mixed_receives(self, member, round);
    int level = lp_algorithm_selection_switch_level(schedule, round, self->fidelity);
    if (level >= 0)
        return find_sends(
            self, lp_algorithm_selection_neighbour(&schedule->shape, member, (guint32)level, -1),
            round);
    return self->fidelity == LP_FIDELITY_FLOW
               ? lp_step_schedule_phase_n_receives(schedule, member, round)
               : lp_step_schedule_n_receives(schedule, member, round);
}

guint64
lp_round_plan_member_bytes(const LpRoundPlan *self, guint64 member)
{
    return lp_step_schedule_member_bytes(&self->schedule, member);
}
