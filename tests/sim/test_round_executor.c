/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives of eight on a crossbar of 25 GB/s a port and 2 us a route: times by hand, the same
 * whoever shares links and whether links are watched. */
#include "sim/actors/round_executor.h"

#include "sim/engine/engine.h"
#include "sim/engine/loading.h"
#include "tests/sim/job_flows.h"
#include "tests/support/forked.h"
#include "tests/testlib.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>

#define BODY "embedding=no layers=1 hidden=256 heads=4 ffn=512 seq=64 micro-batch=1 pp=1 tp=1 "
#define MACHINE                                                                                    \
    "--accelerators=8 --domain-size=1 --topology=crossbar --scale-out-bandwidth=25GBps "           \
    "--scale-out-latency=1us"
#define N 8u
#define V 800000000u
#define HOP_S 2e-6
#define BLOCK_S (V / N / 25e9) /* an eighth of the buffer through a port */

/* In the last two one rank stands for all eight, over routes of the quotient. */
typedef enum {
    BY_ENGINE,
    WATCHED,
    BY_SOLVER,
    CLASSES_BY_ENGINE,
    CLASSES_BY_SOLVER,
    N_WAYS
} Way;

typedef struct {
    const char *label, *settings;
    LpGroup group;
    LpCollective collective;
    gboolean by_pairs; /* as a row of each member */
    double seconds;
    guint64 sent_bytes, n_activities; /* of all */
    /* Of the one that stands for all: flows of one class over several connections are one. */
    double class_wait_s;
    guint64 class_bytes, n_class_activities;
} Row;

static const Row rows[] = {
    /* 1/2, 1/4, 1/8 there and back, each behind one hop; 6 flows and 6 latencies a member. */
    {"halving and doubling", BODY "dp=8 global-batch=8 algorithm-dp=halving-doubling", LP_GROUP_DP,
     LP_COLLECTIVE_ALL_REDUCE, FALSE, 14 * BLOCK_S + 6 * HOP_S, (guint64)14 * V, 96, 0.0,
     (guint64)14 * V / N, 12},
    /* log2(8) steps of the whole buffer. */
    {"doubling", BODY "dp=8 global-batch=8 algorithm-dp=doubling", LP_GROUP_DP,
     LP_COLLECTIVE_ALL_REDUCE, FALSE, 24 * BLOCK_S + 3 * HOP_S, (guint64)24 * V, 48, 0.0,
     (guint64)3 * V, 6},
    /* Seven blocks to seven others, twice. */
    {"direct", BODY "dp=8 global-batch=8 algorithm-dp=direct", LP_GROUP_DP,
     LP_COLLECTIVE_ALL_REDUCE, FALSE, 14 * BLOCK_S + 2 * HOP_S, (guint64)14 * V, 128, 0.0,
     (guint64)2 * V / N, 4},
    /* The same once: all flows begin at once, and one of each class is enough. */
    {"direct, one round", BODY "dp=8 global-batch=8 algorithm-dp=direct", LP_GROUP_DP,
     LP_COLLECTIVE_ALL_GATHER, FALSE, 7 * BLOCK_S + HOP_S, (guint64)7 * V, 64, 0.0, V / N, 2},
    /* Each member's seven blocks one after the other; latencies are the caller's, or of classes
     * paid here. Only our own solver takes such rows by classes. */
    {"pairs", BODY "dp=8 ep=8 experts=8 top-k=1 expert-ffn=64 global-batch=8", LP_GROUP_EP,
     LP_COLLECTIVE_ALL_TO_ALL, TRUE, 7 * BLOCK_S, (guint64)7 * V, 56, HOP_S, (guint64)7 * V / N, 8},
};

typedef struct {
    const Row *row;
    Way way;
} Request;

typedef struct {
    double seconds;
    guint64 sent_bytes, received_bytes, n_activities;
} Result;

typedef struct {
    const Row *row;
    LpRoundExecutor *executor;
    const LpCollectiveCall *call;
    guint64 index;
    gboolean by_rows;
    double *end_s;
} Member;

static void
member_actor(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    const Member *self = sg_actor_self_get_data();
    /* Twice: an executor runs one collective after another. */
    for (guint i = 0; i < 2; i++)
        if (self->row->by_pairs && self->by_rows)
            lp_round_executor_run_row(self->executor, self->index, self->call, 0, N - 1);
        else
            lp_round_executor_run(self->executor, self->index, self->call);
    *self->end_s = MAX(*self->end_s, simgrid_get_clock());
}

static gboolean
run(const void *input, void *out)
{
    const Request *request = input;
    const Row *row = request->row;
    Result *result = out;
    static const gboolean contended[LP_N_TIERS] = {FALSE};
    gboolean by_classes = request->way >= CLASSES_BY_ENGINE;
    g_autoptr(LpJobFlows) job = lp_job_flows_new(row->settings, MACHINE, "single-ring");
    g_autoptr(GArray) options = lp_engine_options(N * N);
    if (job == NULL)
        return FALSE;
    const char *reason = NULL;
    job->input.fidelity = LP_FIDELITY_MESSAGE;
    job->input.view.is_apart = request->way == CLASSES_BY_SOLVER;
    LpQuotient *quotient = by_classes ? lp_quotient_new(&job->input, &reason) : NULL;
    lp_test_text(row->label, reason, NULL);
    if (quotient != NULL ? !lp_quotient_load(quotient, job->network, options, NULL)
                         : !lp_network_load(job->network, options, NULL))
        return FALSE;
    LpIsolatedRing ring;
    lp_isolated_ring_init(&ring, job->map, job->cache,
                          lp_communicators_get(job->map->communicators, row->group, 0));
    LpOp op = {.kind = LP_OP_COLLECTIVE,
               .collective = row->collective,
               .group = row->group,
               .traffic = LP_TRAFFIC_DP,
               .bytes = V};
    LpAlgorithmSelection selection =
        lp_rank_layout_selection(job->map->layout, &op, ring.communicator);
    LpRoundPlan plan;
    lp_test_true("scheduled", selection.is_scheduled == !row->by_pairs);
    if (!row->by_pairs)
        lp_round_plan_init(&plan, job->map, &op, ring.communicator, LP_FIDELITY_MESSAGE);
    LpCollectiveCall call = {&op, selection.protocol, row->by_pairs ? NULL : &plan,
                             .forwarding = 1.0};
    LpCollectiveFlows units = {.ring = &ring, .fidelity = LP_FIDELITY_MESSAGE};
    if (by_classes) {
        units.quotient = quotient;
        units.classes = lp_quotient_communicator(quotient, row->group, 0);
        lp_test_true("all are alike", units.classes->n == 1 && units.classes->has_flows &&
                                          lp_collective_flows_n_units(&units) <= 1);
    }
    guint64 n_actors = by_classes ? 1 : N;
    LpFlowSender sender = {.traffic = LP_TRAFFIC_DP, .owner = &units};
    if (request->way == BY_SOLVER)
        sender.sharing = lp_flow_engine_new(job->network, contended, NULL);
    if (request->way == CLASSES_BY_SOLVER)
        sender.sharing = lp_flow_engine_new_of_classes(quotient, NULL, NULL);
    if (request->way == WATCHED)
        sender.watch = lp_watch_new(lp_network_n_links(job->network));
    LpRoundExecutor *executor = lp_round_executor_new(&units, &sender, n_actors);
    Member members[N];
    for (guint64 i = 0; i < n_actors; i++) {
        struct s4u_Host *host = lp_network_port(job->network, i, LP_ATTACHMENT_SCALE_UP)->host;
        members[i] = (Member){row, executor, &call, i, !by_classes, &result->seconds};
        sg_actor_t actor = sg_actor_init("member", host);
        sg_actor_set_data(actor, &members[i]);
        sg_actor_start_(actor, (xbt_main_func_t)member_actor, 0, NULL);
        if (i == 0 && sender.sharing != NULL)
            lp_flow_engine_start(sender.sharing, host);
        if (i == 0 && sender.watch != NULL)
            lp_watch_start(sender.watch, host);
    }
    (void)lp_engine_run();
    lp_round_executor_add_counts(executor, &result->sent_bytes, &result->received_bytes,
                                 &result->n_activities);
    return TRUE;
}

static void
test_ways(void)
{
    static const char *const ways[] = {"by the engine", "watched", "by the solver",
                                       "classes by the engine", "classes by the solver"};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (Way way = 0; way < N_WAYS; way++) {
            gboolean by_classes = way >= CLASSES_BY_ENGINE;
            double wait_s = by_classes ? rows[i].class_wait_s : 0.0;
            if (rows[i].by_pairs && way == CLASSES_BY_ENGINE)
                continue;
            Request request = {&rows[i], way};
            Result result = {0.0, 0, 0, 0};
            g_autofree char *label = g_strdup_printf("%s, %s", rows[i].label, ways[way]);
            (void)lp_forked_result(label, run, &request, &result, sizeof result);
            lp_test_close(label, result.seconds, 2 * (rows[i].seconds + wait_s), 1e-9);
            guint64 bytes = by_classes ? rows[i].class_bytes : rows[i].sent_bytes;
            guint64 n = by_classes ? rows[i].n_class_activities : rows[i].n_activities;
            lp_test_count(label, result.sent_bytes, 2 * bytes);
            lp_test_count(label, result.received_bytes, result.sent_bytes);
            lp_test_count(label, result.n_activities, 2 * n);
        }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"ways", test_ways}, {NULL, NULL}};
    return lp_test_run("executor of rounds", cases);
}
