/* SPDX-License-Identifier: Apache-2.0 */
/* Counts bytes over links, from the program and its routes. */
#include "sim/analysis/link_traffic.h"

#include "sim/analysis/isolated_time.h"
#include "sim/collectives/exchange.h"
#include "sim/collectives/ring.h"
#include "sim/mapping/round_plan.h"

/* A collective, and how often each communicator of a stage runs one like it. */
typedef struct {
    const LpOp *op; /* borrowed */
    guint64 n;
} Repeated;

typedef struct {
    const LpCommunicationMap *map; /* borrowed */
    const LpCircuitPlan *circuits; /* borrowed, or NULL */
    LpIsolatedCache *cache;        /* borrowed */
    GArray **repeated;             /* owned, by stage: Repeated */
    LpLinkTraffic result;
} Count;

/* @n_times: that they cross the network between domains. */
static void
add_forwarded_bytes(Count *self, const LpConnection *connection, double bytes, double n_times)
{
    const LpRoute *route = &connection->route;
    self->result.sent_bytes += bytes;
    for (guint32 i = 0; i < route->n_links; i++) {
        LpTier tier = lp_network_link(self->map->network, route->links[i])->tier;
        if (tier == LP_TIER_SCALE_UP)
            self->result.link_bytes[LP_ATTACHMENT_SCALE_UP] += bytes;
        else if (tier != LP_TIER_PCIE)
            self->result.link_bytes[LP_ATTACHMENT_SCALE_OUT] += bytes * n_times;
    }
}

static void
add_bytes(Count *self, const LpConnection *connection, double bytes)
{
    add_forwarded_bytes(self, connection, bytes, 1.0);
}

/* --- how often --- */

static gboolean
is_alike(const LpOp *a, const LpOp *b)
{
    return a->collective == b->collective && a->group == b->group && a->traffic == b->traffic &&
           a->weight == b->weight && a->bytes == b->bytes;
}

static void
add_op(GArray *repeated, const LpOp *op, guint64 n)
{
    for (guint i = 0; i < repeated->len; i++) {
        Repeated *known = &g_array_index(repeated, Repeated, i);
        if (is_alike(known->op, op)) {
            known->n += n;
            return;
        }
    }
    Repeated made = {op, n};
    g_array_append_val(repeated, made);
}

/* The collectives that ranks of @stage take part in. */
static GArray *
find_repeated(const LpProgram *program, guint32 stage)
{
    GArray *repeated = g_array_new(FALSE, FALSE, sizeof(Repeated));
    g_autofree guint64 *n_runs = g_new0(guint64, program->segments->len);
    const LpStageProgram *steps = lp_program_stage(program, stage);
    for (guint i = 0; i < steps->n_steps; i++) {
        const LpStep *step = lp_program_step(program, steps->first_step + i);
        if (step->kind == LP_STEP_SEGMENT)
            n_runs[step->segment]++;
    }
    for (guint k = 0; k < program->segments->len; k++) {
        const LpSegment *segment = lp_program_segment(program, k);
        for (guint i = 0; n_runs[k] > 0 && i < segment->n_ops; i++) {
            const LpOp *op = lp_program_op(program, segment->first_op + i);
            if (op->kind == LP_OP_COLLECTIVE || op->kind == LP_OP_LAUNCH)
                add_op(repeated, op, n_runs[k]);
        }
    }
    return repeated;
}

/* --- collectives --- */

static LpConnection
connect_members(const Count *self, const LpCommunicator *communicator, guint64 from, guint64 to)
{
    return lp_rank_layout_connect(self->map->layout, (LpConnectionKind)communicator->group,
                                  communicator->ranks[from], communicator->ranks[to]);
}

static void
count_ring(Count *self, const LpCommunicator *communicator, const Repeated *repeated,
           const LpProtocol *protocol)
{
    guint64 n = communicator->n_members;
    const LpOp *op = repeated->op;
    for (guint64 i = 0; n > 1 && i < n; i++) {
        LpConnection connection = connect_members(self, communicator, i, (i + 1) % n);
        guint64 bytes = lp_ring_member_bytes(op->collective, n, op->bytes, i);
        bytes = lp_protocol_wire_bytes(protocol, lp_connection_reach(&connection), bytes);
        add_bytes(self, &connection, (double)bytes * (double)repeated->n);
    }
}

static void
count_exchange(Count *self, const LpCommunicator *communicator, const Repeated *repeated,
               const LpProtocol *protocol)
{
    guint64 n = communicator->n_members;
    LpIsolatedRing ring;
    double n_times = self->circuits == NULL
                         ? 1.0
                         : lp_circuit_plan_use(self->circuits, communicator)->forwarding;
    lp_isolated_ring_init(&ring, self->map, self->cache, communicator);
    for (guint64 from = 0; from < n; from++)
        for (guint64 to = 0; to < n; to++) {
            if (from == to)
                continue;
            LpConnection connection = connect_members(self, communicator, from, to);
            guint64 bytes = lp_exchange_pair_bytes(repeated->op, ring.loads, n, from, to);
            bytes = lp_protocol_wire_bytes(protocol, lp_connection_reach(&connection), bytes);
            add_forwarded_bytes(self, &connection, (double)bytes * (double)repeated->n, n_times);
        }
    lp_isolated_ring_clear(&ring);
}

/* Phases move the same bytes as their steps. */
static void
count_scheduled(Count *self, const LpCommunicator *communicator, const Repeated *repeated)
{
    LpRoundPlan plan;
    lp_round_plan_init(&plan, self->map, repeated->op, communicator, LP_FIDELITY_FLOW);
    g_autofree LpTransfer *transfers = g_new(LpTransfer, lp_round_plan_transfers_max(&plan));
    for (guint64 member = 0; member < communicator->n_members; member++)
        for (guint64 round = 0; round < plan.n_rounds; round++) {
            guint64 n = lp_round_plan_transfers(&plan, member, round, transfers);
            for (guint64 i = 0; i < n; i++)
                add_bytes(self, transfers[i].connection,
                          (double)transfers[i].bytes * (double)repeated->n);
        }
    lp_round_plan_clear(&plan);
}

/* All members of a communicator run the same collectives, those of its first member's stage. */
static void
count_communicator(Count *self, const LpCommunicator *communicator)
{
    const GArray *all =
        self->repeated[lp_program_rank_stage(self->map->program, communicator->ranks[0])];
    for (guint i = 0; i < all->len; i++) {
        const Repeated *repeated = &g_array_index(all, Repeated, i);
        if (repeated->op->group != communicator->group)
            continue;
        LpAlgorithmSelection selection =
            lp_rank_layout_selection(self->map->layout, repeated->op, communicator);
        if (selection.is_scheduled)
            count_scheduled(self, communicator, repeated);
        else if (repeated->op->collective == LP_COLLECTIVE_ALL_TO_ALL)
            count_exchange(self, communicator, repeated, selection.protocol);
        else
            count_ring(self, communicator, repeated, selection.protocol);
    }
}

/* --- messages between stages --- */

static void
count_messages(Count *self, guint64 rank)
{
    const LpProgram *program = self->map->program;
    const LpStageProgram *steps = lp_program_stage(program, lp_program_rank_stage(program, rank));
    double n_sent[LP_N_LINES] = {0.0};
    for (guint i = 0; i < steps->n_steps; i++) {
        const LpStep *step = lp_program_step(program, steps->first_step + i);
        if (step->kind == LP_STEP_SEND)
            n_sent[step->line] += 1.0;
    }
    for (LpLine line = 0; line < LP_N_LINES; line++) {
        const LpConnection *connection = lp_communication_map_connection(
            self->map, (LpConnectionKind)(LP_CONNECTION_LINE + line), rank);
        if (connection->present)
            add_bytes(self, connection, n_sent[line] * (double)program->pipeline.message_bytes);
    }
}

LpLinkTraffic
lp_link_traffic_find(const LpCommunicationMap *map, const LpCircuitPlan *circuits)
{
    const LpProgram *program = map->program;
    guint32 n_stages = program->pipeline.n_stages;
    g_autoptr(LpIsolatedCache) cache = lp_isolated_cache_new();
    g_autofree GArray **repeated = g_new(GArray *, n_stages);
    Count count = {.map = map, .circuits = circuits, .cache = cache, .repeated = repeated};
    for (guint32 stage = 0; stage < n_stages; stage++)
        repeated[stage] = find_repeated(program, stage);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        for (guint i = 0; i < lp_communicators_n(map->communicators, group); i++)
            count_communicator(&count, lp_communicators_get(map->communicators, group, i));
    for (guint64 rank = 0; n_stages > 1 && rank < map->n_ranks; rank++)
        count_messages(&count, rank);
    for (guint32 stage = 0; stage < n_stages; stage++)
        g_array_unref(repeated[stage]);
    return count.result;
}
