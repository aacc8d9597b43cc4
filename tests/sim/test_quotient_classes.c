/* SPDX-License-Identifier: Apache-2.0 */
/* The quotient of a job: classes add up to all that there is, and those who stand for others are of
 * their class; first senders, and messages of all-to-alls pair by pair. */
#include "sim/quotient/first_senders.h"
#include "sim/quotient/pair_flows.h"
#include "sim/quotient/quotient.h"
#include "tests/sim/job_flows.h"
#include "tests/testlib.h"

#define BODY "embedding=no layers=4 hidden=256 heads=8 ffn=512 seq=64 micro-batch=1 "
#define EXPERTS                                                                                    \
    "embedding=no layers=1 hidden=256 heads=4 ffn=512 seq=64 micro-batch=1 top-k=1 expert-ffn=64 "

static const struct {
    const char *label, *settings, *options, *library;
    guint32 n_rank_classes; /* by hand; 0: not counted */
} rows[] = {
    {"a ring in one domain", BODY "tp=8 pp=1 dp=1 global-batch=8",
     "--accelerators=8 --domain-size=8", "single-ring", 1},
    {"two stages behind one switch", BODY "tp=2 pp=2 dp=8 global-batch=32",
     "--accelerators=32 --domain-size=2 --topology=crossbar", "single-ring", 2},
    {"four stages, 4:1", BODY "tp=2 pp=4 dp=8 global-batch=32",
     "--accelerators=64 --domain-size=4 --leaf-ports=8 --oversubscription=4", "single-ring", 0},
    {"a library's algorithms", BODY "tp=2 pp=2 dp=16 global-batch=32",
     "--accelerators=64 --domain-size=8 --leaf-ports=16", "nccl-hopper", 0},
    {"its trees over domains of two", BODY "tp=1 pp=1 dp=24 global-batch=48",
     "--accelerators=24 --domain-size=2 --leaf-ports=8 --oversubscription=2", "nccl-hopper", 0},
    {"in no order", BODY "tp=1 pp=1 dp=12 algorithm-dp=tree placement=scattered global-batch=48",
     "--accelerators=24 --domain-size=4 --leaf-ports=8 --oversubscription=4", "nccl-hopper", 0},
    {"trees over uneven domains", BODY "tp=1 pp=1 dp=20 algorithm-dp=tree global-batch=40",
     "--accelerators=24 --domain-size=8 --leaf-ports=8 --oversubscription=2", "nccl-hopper", 0},
    {"trees of single cards", BODY "tp=1 pp=1 dp=13 algorithm-dp=tree global-batch=26",
     "--accelerators=16 --domain-size=1 --leaf-ports=4 --oversubscription=2", "nccl-hopper", 0},
    {"a torus", BODY "tp=1 pp=2 dp=8 global-batch=32",
     "--accelerators=16 --domain-size=1 --topology=torus --dimensions=4x4", "single-ring", 0},
    {"experts", EXPERTS "tp=1 pp=1 dp=32 ep=16 experts=16 global-batch=32",
     "--accelerators=32 --domain-size=4 --leaf-ports=8 --oversubscription=2", "single-ring", 0},
};

static void
check_ranks(const char *label, const LpJobFlows *job, const LpQuotient *quotient)
{
    const LpRankEquivalence *ranks = lp_quotient_ranks(quotient);
    guint64 sum = 0;
    for (guint32 class = 0; class < ranks->n_classes; class ++) {
        guint32 n = 0;
        for (guint64 rank = 0; rank < job->program->n_ranks; rank++)
            n += ranks->of_rank[rank] == class ? 1u : 0u;
        lp_test_true(label, lp_quotient_n_ranks(quotient, class) == n && n > 0);
        lp_test_true(label, ranks->of_rank[ranks->first[class]] == class);
        sum += n;
    }
    lp_test_true(label, sum == job->program->n_ranks);
    for (guint64 rank = 0; rank < job->program->n_ranks; rank++)
        lp_test_true(label,
                     lp_program_rank_stage(job->program, rank) ==
                         lp_program_rank_stage(job->program, ranks->first[ranks->of_rank[rank]]));
}

/* Communicators of one class have as many members of each class of ranks. */
static void
check_communicators(const char *label, const LpJobFlows *job, const LpQuotient *quotient)
{
    const LpRankEquivalence *ranks = lp_quotient_ranks(quotient);
    const LpCommunicators *all = job->map->communicators;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        g_autofree guint32 *seen = g_new0(guint32, lp_communicators_n(all, group) + 1ul);
        for (guint i = 0; i < lp_communicators_n(all, group); i++) {
            guint32 class = ranks->of_group[group][i];
            const LpCommunicatorClass *classes = lp_quotient_communicator(quotient, group, class);
            const LpCommunicator *own = lp_communicators_get(all, group, i);
            g_autofree guint32 *n = g_new0(guint32, ranks->n_classes);
            gboolean equal = TRUE;
            seen[class]++;
            for (guint32 k = 0; k < own->n_members; k++)
                n[ranks->of_rank[own->ranks[k]]]++;
            for (guint32 k = 0; k < own->n_members; k++)
                n[ranks->of_rank[classes->communicator->ranks[k]]]--;
            for (guint32 k = 0; k < ranks->n_classes; k++)
                equal = equal && n[k] == 0;
            lp_test_true(label, equal);
        }
        for (guint i = 0; i < lp_communicators_n(all, group); i++)
            if (seen[i] > 0)
                lp_test_true(label, lp_quotient_communicator(quotient, group, i)->n == seen[i]);
    }
}

/* Flows of one class have one route, of as much bandwidth as their own. */
static void
check_flows(const char *label, const LpQuotient *quotient)
{
    LpQuotientSize size = lp_quotient_size(quotient);
    const LpFlowList *list = lp_quotient_flows(quotient);
    const guint32 *class = lp_quotient_flow_classes(quotient);
    g_autofree guint32 *n = g_new0(guint32, size.n_flow_classes + 1ul);
    lp_test_true(label, size.n_flows == list->flows->len);
    for (guint32 i = 0; i < list->flows->len; i++)
        n[class[i]]++;
    for (guint64 i = 0; i < size.n_flow_classes; i++)
        lp_test_true(label, n[i] > 0);
    for (LpConnectionKind kind = 0; kind < LP_N_CONNECTIONS; kind++)
        for (guint32 rank = 0; list->of_connection[kind] != NULL && rank < list->n_ranks; rank++) {
            guint32 flow = list->of_connection[kind][rank], of_route;
            if (flow == LP_FLOW_NONE)
                continue;
            const LpRoute *route = lp_quotient_route(quotient, kind, rank);
            lp_test_true(label, lp_quotient_find_class(quotient, route, &of_route) &&
                                    of_route == class[flow]);
            const LpFlowOfRun *own = &g_array_index(list->flows, LpFlowOfRun, flow);
            lp_test_close(label, route->bytes_per_s, own->route->bytes_per_s, 1e-12);
        }
}

/* All that members send over goes over routes of those who are first, each of whom has a new one.
 */
static void
check_senders(const char *label, const LpJobFlows *job, const LpQuotient *quotient, LpGroup group)
{
    const LpCommunicator *communicator = lp_communicators_get(job->map->communicators, group, 0);
    g_autoptr(GArray) found = lp_first_senders_find(quotient, communicator, job->map->peers);
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    guint at = 0;
    for (guint32 member = 0; member < communicator->n_members; member++) {
        guint32 rank = communicator->ranks[member];
        const GArray *peers = lp_collective_peers_get(job->map->peers, group, rank);
        guint n_before = g_hash_table_size(known);
        for (guint i = 0; peers != NULL && i < peers->len; i++)
            g_hash_table_add(known,
                             (gpointer)(guintptr)lp_quotient_peer_route(quotient, group, rank, i));
        gboolean is_first = at < found->len && g_array_index(found, guint32, at) == member;
        lp_test_true(label, is_first == (g_hash_table_size(known) > n_before));
        at += is_first ? 1u : 0u;
    }
    lp_test_true(label, at == found->len);
}

static void
test_jobs(void)
{
    guint n_scheduled = 0;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *reason, *label = rows[i].label;
        g_autoptr(LpJobFlows) job =
            lp_job_flows_new(rows[i].settings, rows[i].options, rows[i].library);
        if (job == NULL)
            return;
        g_autoptr(LpQuotient) quotient = lp_quotient_new(&job->input, &reason);
        lp_test_true(label, quotient != NULL);
        if (quotient == NULL)
            return;
        check_ranks(label, job, quotient);
        check_communicators(label, job, quotient);
        check_flows(label, quotient);
        LpQuotientSize size = lp_quotient_size(quotient);
        lp_test_true(label, size.n_ranks == job->program->n_ranks && size.n_rounds == 0);
        lp_test_true(label,
                     rows[i].n_rank_classes == 0 || size.n_rank_classes == rows[i].n_rank_classes);
        for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
            if (lp_communicators_n(job->map->communicators, group) == 0)
                continue;
            guint32 first = lp_communicators_get(job->map->communicators, group, 0)->ranks[0];
            if (lp_collective_peers_get(job->map->peers, group, first) == NULL)
                continue;
            n_scheduled++;
            check_senders(label, job, quotient, group);
        }
    }
    lp_test_true("some collectives are scheduled", n_scheduled > 0);
}

/* 16005 bytes for 16 members: the blocks of the first five are a byte longer. One operation's
 * blocks are their receivers', another's their senders'. */
#define N_LONGER 5u

static gboolean
are_alike(const LpPairFlow *one, guint place, const LpPairFlow *other, guint other_place)
{
    return place == other_place && (one->from < N_LONGER) == (other->from < N_LONGER) &&
           (one->to < N_LONGER) == (other->to < N_LONGER);
}

/* Each pair of members of different domains once, sender by sender; messages are alike just if they
 * stand at one place among their sender's and are as large. */
static void
test_pairs(void)
{
    g_autoptr(LpJobFlows) job = lp_job_flows_new(
        rows[G_N_ELEMENTS(rows) - 1].settings, rows[G_N_ELEMENTS(rows) - 1].options, "single-ring");
    if (job == NULL)
        return;
    const LpCommunicator *communicator =
        lp_communicators_get(job->map->communicators, LP_GROUP_EP, 0);
    g_autoptr(GArray) ops = lp_program_collectives(job->program, LP_GROUP_EP);
    LpIsolatedRing ring;
    lp_isolated_ring_init(&ring, job->map, job->cache, communicator);
    g_auto(LpNumbering) numbering;
    lp_numbering_init(&numbering);
    LpOp back = g_array_index(ops, LpOp, 0);
    g_array_append_val(ops, back);
    for (guint i = 0; i < ops->len; i++) {
        LpOp *op = &g_array_index(ops, LpOp, i);
        op->bytes = 16000 + N_LONGER;
        op->weight = i == 0 ? LP_WEIGHT_RECEIVER : LP_WEIGHT_SENDER;
    }
    g_autoptr(GArray) flows = lp_pair_flows_new(&numbering, &ring, ops);
    guint32 n = communicator->n_members;
    g_autofree guint32 *met = g_new0(guint32, n * n);
    guint length = flows->len / n;
    gboolean in_order = n == 16;
    for (guint i = 0; i < flows->len; i++) {
        const LpPairFlow *flow = &g_array_index(flows, LpPairFlow, i);
        met[flow->from * n + flow->to]++;
        in_order = in_order && flow->from == i / length;
        LpRoute route = lp_network_route(
            job->network,
            lp_rank_layout_accelerator(job->map->layout, communicator->ranks[flow->from]),
            lp_rank_layout_accelerator(job->map->layout, communicator->ranks[flow->to]),
            LP_TRAFFIC_EP);
        in_order = in_order && route.n_links == flow->route.n_links &&
                   route.links[0] == flow->route.links[0] &&
                   route.links[route.n_links - 1] == flow->route.links[route.n_links - 1];
        for (guint k = 0; k < i; k++) {
            const LpPairFlow *other = &g_array_index(flows, LpPairFlow, k);
            in_order = in_order && (flow->what == other->what) ==
                                       are_alike(flow, i % length, other, k % length);
        }
    }
    lp_test_true("in order", in_order);
    for (guint32 from = 0; from < n; from++)
        for (guint32 to = 0; to < n; to++) {
            gboolean is_far = lp_rank_layout_domain(job->map->layout, communicator->ranks[from]) !=
                              lp_rank_layout_domain(job->map->layout, communicator->ranks[to]);
            lp_test_true("pairs of domains once", met[from * n + to] == (is_far ? 1u : 0u));
        }
    lp_isolated_ring_clear(&ring);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"jobs", test_jobs}, {"pairs", test_pairs}, {NULL, NULL}};
    return lp_test_run("classes of a quotient", cases);
}
