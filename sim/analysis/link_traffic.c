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
    GArray **repeated;             /* owned, by stage: Repeated */
    LpTrafficCensus *census;       /* borrowed, or NULL: told, too */
    double n_iterations;           /* that it is told of */
    LpLinkTraffic result;
} Count;

/* Light that goes on at a switch crosses one link on its way, where routes have two. */
static double
link_share(const Count *self, LpTraffic traffic)
{
    const LpMachine *machine = lp_network_machine(self->map->network);
    gboolean is_light = lp_machine_light_passes(machine) && lp_machine_plane(machine, traffic) == 0;
    return is_light ? 0.5 : 1.0;
}

/* @n_times: that they cross the network between domains. */
static void
add_forwarded_bytes(Count *self, LpTraffic traffic, guint64 from, const LpConnection *connection,
                    double bytes, double n_times)
{
    const LpRoute *route = &connection->route;
    const LpRankLayout *layout = self->map->layout;
    if (self->census != NULL)
        lp_traffic_census_add(self->census, traffic, lp_rank_layout_accelerator(layout, from),
                              lp_rank_layout_accelerator(layout, connection->to), route,
                              bytes * self->n_iterations, n_times);
    self->result.sent_bytes += bytes;
    double share = link_share(self, traffic);
    for (guint32 i = 0; i < route->n_links; i++) {
        LpTier tier = lp_network_link(self->map->network, route->links[i]).tier;
        if (tier == LP_TIER_SCALE_UP)
            self->result.link_bytes[LP_ATTACHMENT_SCALE_UP] += bytes;
        else if (tier != LP_TIER_PCIE)
            self->result.link_bytes[LP_ATTACHMENT_SCALE_OUT] += bytes * n_times * share;
    }
}

static void
add_bytes(Count *self, LpTraffic traffic, guint64 from, const LpConnection *connection,
          double bytes)
{
    add_forwarded_bytes(self, traffic, from, connection, bytes, 1.0);
}

/* --- how often --- */

static guint
hash_op(gconstpointer data)
{
    const LpOp *op = data;
    guint64 word = op->bytes * 31 + op->draw;
    return (guint)(word ^ (word >> 32)) * 8 + (guint)op->group;
}

static gboolean
is_alike(gconstpointer left, gconstpointer right)
{
    const LpOp *a = left, *b = right;
    return a->collective == b->collective && a->group == b->group && a->traffic == b->traffic &&
           a->weight == b->weight && a->bytes == b->bytes && a->draw == b->draw;
}

/* @places: where each collective stands in @repeated, less 1. */
static void
add_op(GArray *repeated, GHashTable *places, const LpOp *op, guint64 n)
{
    guint place = GPOINTER_TO_UINT(g_hash_table_lookup(places, op));
    if (place > 0) {
        g_array_index(repeated, Repeated, place - 1).n += n;
        return;
    }
    Repeated made = {op, n};
    g_array_append_val(repeated, made);
    g_hash_table_insert(places, g_memdup2(op, sizeof *op), GUINT_TO_POINTER(repeated->len));
}

/* The collectives that ranks of @stage take part in. */
static GArray *
find_repeated(const LpProgram *program, guint32 stage)
{
    GArray *repeated = g_array_new(FALSE, FALSE, sizeof(Repeated));
    g_autoptr(GHashTable) places = g_hash_table_new_full(hash_op, is_alike, g_free, NULL);
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
            if (lp_op_is_collective(op))
                add_op(repeated, places, op, n_runs[k]);
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
        add_bytes(self, op->traffic, communicator->ranks[i], &connection,
                  (double)bytes * (double)repeated->n);
    }
}

/* What all-to-alls of a communicator move between two members is a sum of what belongs to the
 * receiver and what comes from the sender, each by the pair's reach. */
typedef struct {
    double *to[LP_N_REACHES], *from[LP_N_REACHES]; /* owned, by member */
    gboolean any;
} Exchanged;

static Exchanged
exchanged_new(guint64 n)
{
    Exchanged self = {.any = FALSE};
    for (LpReach reach = 0; reach < LP_N_REACHES; reach++) {
        self.to[reach] = g_new0(double, n);
        self.from[reach] = g_new0(double, n);
    }
    return self;
}

static void
exchanged_clear(Exchanged *self)
{
    for (LpReach reach = 0; reach < LP_N_REACHES; reach++) {
        g_free(self->to[reach]);
        g_free(self->from[reach]);
    }
}

static void
add_exchange(Exchanged *self, const LpCommunicator *communicator, const Repeated *repeated,
             const LpProtocol *protocol)
{
    const LpOp *op = repeated->op;
    guint64 n = communicator->n_members;
    g_autofree guint64 *blocks = g_new(guint64, n);
    lp_exchange_blocks(op, lp_op_loads(op, communicator), n, blocks);
    for (LpReach reach = 0; reach < LP_N_REACHES; reach++) {
        double *sums = op->weight == LP_WEIGHT_SENDER ? self->from[reach] : self->to[reach];
        for (guint64 i = 0; i < n; i++)
            sums[i] +=
                (double)lp_protocol_wire_bytes(protocol, reach, blocks[i]) * (double)repeated->n;
    }
    self->any = TRUE;
}

static void
count_exchanged(Count *self, const LpCommunicator *communicator, const Exchanged *exchanged)
{
    guint64 n = communicator->n_members;
    double n_times = self->circuits == NULL
                         ? 1.0
                         : lp_circuit_plan_use(self->circuits, communicator)->forwarding;
    for (guint64 from = 0; from < n; from++)
        for (guint64 to = 0; to < n; to++) {
            if (from == to)
                continue;
            LpConnection connection = connect_members(self, communicator, from, to);
            LpReach reach = lp_connection_reach(&connection);
            add_forwarded_bytes(self, lp_group_traits(communicator->group)->traffic,
                                communicator->ranks[from], &connection,
                                exchanged->to[reach][to] + exchanged->from[reach][from], n_times);
        }
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
                add_bytes(self, repeated->op->traffic, communicator->ranks[member],
                          transfers[i].connection,
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
    Exchanged exchanged = exchanged_new(communicator->n_members);
    for (guint i = 0; i < all->len; i++) {
        const Repeated *repeated = &g_array_index(all, Repeated, i);
        if (repeated->op->group != communicator->group)
            continue;
        if (self->census != NULL)
            lp_traffic_census_add_message(
                self->census, (LpMessageCount){.traffic = repeated->op->traffic,
                                               .operation = repeated->op->collective,
                                               .bytes = repeated->op->bytes,
                                               .n = (double)repeated->n * self->n_iterations});
        LpAlgorithmSelection selection =
            lp_rank_layout_selection(self->map->layout, repeated->op, communicator);
        if (selection.is_scheduled)
            count_scheduled(self, communicator, repeated);
        else if (repeated->op->collective == LP_COLLECTIVE_ALL_TO_ALL)
            add_exchange(&exchanged, communicator, repeated, selection.protocol);
        else
            count_ring(self, communicator, repeated, selection.protocol);
    }
    if (exchanged.any)
        count_exchanged(self, communicator, &exchanged);
    exchanged_clear(&exchanged);
}

/* --- messages between stages --- */

static void
add_messages(Count *self, guint64 rank, LpPipelineDirection line, guint64 bytes, double n)
{
    const LpConnection *connection = lp_communication_map_connection(
        self->map, (LpConnectionKind)(LP_CONNECTION_MESSAGES + line), rank);
    if (!connection->present || !(n > 0.0))
        return;
    add_bytes(self, LP_TRAFFIC_PP, rank, connection, n * (double)bytes);
    if (self->census != NULL)
        lp_traffic_census_add_message(self->census,
                                      (LpMessageCount){.traffic = LP_TRAFFIC_PP,
                                                       .operation = LP_MESSAGE_BETWEEN_STAGES,
                                                       .bytes = bytes,
                                                       .n = n * self->n_iterations});
}

static void
count_messages(Count *self, guint64 rank)
{
    const LpProgram *program = self->map->program;
    const LpStageProgram *steps = lp_program_stage(program, lp_program_rank_stage(program, rank));
    double n_sent[LP_N_PIPELINE_DIRECTIONS] = {0.0};
    guint64 bytes[LP_N_PIPELINE_DIRECTIONS] = {0};
    for (guint i = 0; i < steps->n_steps; i++) {
        const LpStep *step = lp_program_step(program, steps->first_step + i);
        if (step->kind != LP_STEP_SEND)
            continue;
        if (step->bytes != bytes[step->direction]) {
            add_messages(self, rank, step->direction, bytes[step->direction],
                         n_sent[step->direction]);
            n_sent[step->direction] = 0.0;
            bytes[step->direction] = step->bytes;
        }
        n_sent[step->direction] += 1.0;
    }
    for (LpPipelineDirection line = 0; line < lp_program_n_lines(program); line++)
        add_messages(self, rank, line, bytes[line], n_sent[line]);
}

static LpLinkTraffic
count_all(const LpCommunicationMap *map, const LpCircuitPlan *circuits, LpTrafficCensus *told,
          double n_iterations)
{
    const LpProgram *program = map->program;
    guint32 n_stages = program->pipeline.n_stages;
    g_autofree GArray **repeated = g_new(GArray *, n_stages);
    Count count = {.map = map,
                   .circuits = circuits,
                   .repeated = repeated,
                   .census = told,
                   .n_iterations = n_iterations};
    for (guint32 stage = 0; stage < n_stages; stage++)
        repeated[stage] = find_repeated(program, stage);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        for (guint i = 0; i < lp_communicators_n(map->communicators, group); i++)
            count_communicator(&count, lp_communicators_get(map->communicators, group, i));
    for (guint64 rank = 0; lp_program_has_messages(program) && rank < map->n_ranks; rank++)
        count_messages(&count, rank);
    for (guint32 stage = 0; stage < n_stages; stage++)
        g_array_unref(repeated[stage]);
    return count.result;
}

LpLinkTraffic
lp_link_traffic_find(const LpCommunicationMap *map, const LpCircuitPlan *circuits)
{
    return count_all(map, circuits, NULL, 1.0);
}

void
lp_link_traffic_count(const LpCommunicationMap *map, const LpCircuitPlan *circuits,
                      double n_iterations, LpTrafficCensus *io_census)
{
    (void)count_all(map, circuits, io_census, n_iterations);
}
