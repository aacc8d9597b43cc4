/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/group_traits.h"

#include "tests/model/shapes.h"
#include "tests/testlib.h"

#include <string.h>

#define N_DRAWN 4800
#define RANKS_MAX 192 /* of a plan: a few of each degree */

/* What differs between members of a group, and what its partners share. */
typedef enum {
    SAME_AXES,    /* all coordinates but those of @free */
    SAME_REPLICA, /* stage, expert-tp and expert-dp coordinates */
    SAME_EXPERTS  /* stage, expert-tp and ep coordinates */
} Sharing;

static const struct {
    Sharing sharing;
    guint free; /* axes, by bit */
    gboolean mirrored;
} rules[LP_GROUP_GIVEN] = {
    [LP_GROUP_TP] = {SAME_AXES, 1u << LP_AXIS_TP, FALSE},
    [LP_GROUP_CP] = {SAME_AXES, 1u << LP_AXIS_CP, FALSE},
    [LP_GROUP_EP] = {SAME_REPLICA, 0, FALSE},
    [LP_GROUP_EP_NODE] = {SAME_REPLICA, 0, FALSE},
    [LP_GROUP_EP_RAIL] = {SAME_REPLICA, 0, FALSE},
    [LP_GROUP_DP] = {SAME_AXES, 1u << LP_AXIS_DP | 1u << LP_AXIS_CP, TRUE},
    [LP_GROUP_REPLICA] = {SAME_AXES, 1u << LP_AXIS_DP | 1u << LP_AXIS_CP, TRUE},
    [LP_GROUP_EXPERT_DP] = {SAME_EXPERTS, 0, TRUE},
    [LP_GROUP_EMBEDDING] = {SAME_AXES, 1u << LP_AXIS_PP, FALSE},
    [LP_GROUP_CP_HEADS] = {SAME_AXES, 1u << LP_AXIS_CP, FALSE},
};

static guint32
stage_of(const LpPlan *plan, guint64 rank)
{
    return lp_plan_coordinates(plan, rank).at[LP_AXIS_PP];
}

static gboolean
same_stage(const LpPlan *plan, guint64 a, guint64 b, gboolean mirrored)
{
    guint32 one = stage_of(plan, a), other = stage_of(plan, b);
    return one == other || (mirrored && plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE &&
                            one + other == plan->degree[LP_AXIS_PP] - 1);
}

static gboolean
may_share(const LpPlan *plan, LpGroup group, guint64 a, guint64 b)
{
    gboolean any_stage = group == LP_GROUP_EMBEDDING;
    if (!any_stage && !same_stage(plan, a, b, rules[group].mirrored))
        return FALSE;
    LpExpertCoordinates one = lp_plan_expert_coordinates(plan, a);
    LpExpertCoordinates other = lp_plan_expert_coordinates(plan, b);
    if (rules[group].sharing == SAME_REPLICA)
        return one.tp == other.tp && one.dp == other.dp;
    if (rules[group].sharing == SAME_EXPERTS)
        return one.tp == other.tp && one.ep == other.ep;
    LpCoordinates at = lp_plan_coordinates(plan, a), with = lp_plan_coordinates(plan, b);
    for (guint axis = 0; axis < LP_N_AXES; axis++)
        if (axis != LP_AXIS_PP && !(rules[group].free & 1u << axis) && at.at[axis] != with.at[axis])
            return FALSE;
    return TRUE;
}

/* Whether the kind has groups that @rank is a member of, be it alone. */
static gboolean
is_member(const LpTransformer *shape, const LpPlan *plan, LpGroup group, guint64 rank)
{
    if (group == LP_GROUP_EMBEDDING)
        return lp_group_exchanges_embedding(shape, plan, stage_of(plan, rank));
    return group != LP_GROUP_EXPERT_DP || shape->experts.n > 0;
}

/* One label for thousands of checks. */
#define EXPECT(condition) lp_test_true((condition) ? "" : label, condition)

static void
check_rank(const char *label, const LpTransformer *shape, const LpPlan *plan, LpGroup group,
           guint64 rank)
{
    guint64 size = lp_group_size(shape, plan, group);
    guint64 own = lp_group_index(shape, plan, group, rank);
    EXPECT(own < size);
    EXPECT(lp_group_member(shape, plan, group, rank, own) == rank);
    guint64 leader = lp_group_member(shape, plan, group, rank, 0);
    guint64 last = 0;
    for (guint64 i = 0; i < size; i++) {
        guint64 member = lp_group_member(shape, plan, group, rank, i);
        EXPECT(member < lp_plan_n_ranks(plan));
        EXPECT(lp_group_index(shape, plan, group, member) == i);
        EXPECT(lp_group_member(shape, plan, group, leader, i) == member);
        EXPECT(may_share(plan, group, rank, member));
        EXPECT(plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE || i == 0 || member > last);
        last = member;
    }
}

/* Groups of a kind are disjoint, and together all ranks that have one. */
static void
check_groups(const char *label, const LpTransformer *shape, const LpPlan *plan, LpGroup group)
{
    guint64 size = lp_group_size(shape, plan, group), n_leaders = 0, n_members = 0;
    for (guint64 rank = 0; rank < lp_plan_n_ranks(plan); rank++) {
        gboolean exists = lp_group_exists(shape, plan, group, rank);
        EXPECT(!exists || size > 1);
        if (!is_member(shape, plan, group, rank)) {
            EXPECT(!exists);
            continue;
        }
        gboolean divided = group == LP_GROUP_EP && lp_group_n_expert_nodes(shape, plan) > 1;
        EXPECT(exists == (size > 1 && !divided));
        n_members++;
        n_leaders += lp_group_member(shape, plan, group, rank, 0) == rank ? 1 : 0;
        check_rank(label, shape, plan, group, rank);
    }
    EXPECT(n_leaders * size == n_members);
}

static void
check_sizes(const char *label, const LpTransformer *shape, const LpPlan *plan)
{
    guint64 size[LP_GROUP_GIVEN];
    for (guint group = 0; group < LP_GROUP_GIVEN; group++)
        size[group] = lp_group_size(shape, plan, (LpGroup)group);
    guint64 ways = plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE ? 2 : 1;
    guint64 tp = plan->degree[LP_AXIS_TP], dp_cp = plan->degree[LP_AXIS_DP];
    dp_cp *= plan->degree[LP_AXIS_CP];
    EXPECT(size[LP_GROUP_TP] == tp && size[LP_GROUP_CP] == plan->degree[LP_AXIS_CP]);
    EXPECT(size[LP_GROUP_EP] == plan->degree[LP_AXIS_EP]);
    EXPECT(size[LP_GROUP_DP] * size[LP_GROUP_REPLICA] == dp_cp * ways);
    EXPECT(size[LP_GROUP_DP] ==
           (plan->zero.shard_degree > 0 ? plan->zero.shard_degree : dp_cp * ways));
    if (shape->experts.n > 0)
        EXPECT(size[LP_GROUP_EXPERT_DP] * size[LP_GROUP_EP] * lp_plan_expert_tp(plan) ==
               tp * dp_cp * ways);
    guint64 nodes = lp_group_n_expert_nodes(shape, plan);
    EXPECT(size[LP_GROUP_EP_RAIL] == nodes);
    if (nodes > 1)
        EXPECT(size[LP_GROUP_EP_NODE] * nodes == size[LP_GROUP_EP]);
    else
        EXPECT(size[LP_GROUP_EP_NODE] == 1);
}

/* A node holds consecutive experts, and a rail one rank of each node. */
static void
check_nodes(const char *label, const LpTransformer *shape, const LpPlan *plan)
{
    guint32 nodes = lp_group_n_expert_nodes(shape, plan);
    guint32 width = plan->degree[LP_AXIS_EP] / nodes;
    for (guint64 rank = 0; nodes > 1 && rank < lp_plan_n_ranks(plan); rank++) {
        guint32 ep = lp_plan_expert_coordinates(plan, rank).ep;
        for (guint32 i = 0; i < width; i++) {
            guint64 member = lp_group_member(shape, plan, LP_GROUP_EP_NODE, rank, i);
            EXPECT(lp_plan_expert_coordinates(plan, member).ep == ep / width * width + i);
        }
        for (guint32 i = 0; i < nodes; i++) {
            guint64 member = lp_group_member(shape, plan, LP_GROUP_EP_RAIL, rank, i);
            EXPECT(lp_plan_expert_coordinates(plan, member).ep == ep % width + i * width);
        }
    }
}

static guint32
pick(GRand *generator, const char *choices)
{
    return (guint32)(choices[(guint)g_rand_int_range(generator, 0, (gint32)strlen(choices))] - '0');
}

static void
draw(GRand *generator, guint index, LpPlan *out_plan, LpTransformer *out_shape)
{
    LpTransformer shape = lp_test_gpt(12, 96, 12);
    shape.pattern.n_mixers = 1;
    shape.seq = 144;
    shape.vocab = 768;
    shape.tied_embeddings = pick(generator, "01") == 1;
    LpPlan plan = lp_test_plan(pick(generator, "1124"), pick(generator, "112346"),
                               pick(generator, "1123468"), 1, 0);
    plan.degree[LP_AXIS_CP] = pick(generator, "11234");
    if (pick(generator, "0111") == 1) {
        shape.experts.n = 24;
        shape.experts.top_k = 2;
        shape.experts.n_groups = pick(generator, "01234");
        shape.experts.group_limit = shape.experts.n_groups > 1 ? pick(generator, "012") : 0;
        plan.degree[LP_AXIS_EP] = pick(generator, "1234688");
        plan.experts.tp = pick(generator, "01") * pick(generator, "14");
    }
    plan.sequence_parallel = TRUE;
    plan.pipeline.schedule = pick(generator, "01") == 1 ? LP_SCHEDULE_DUALPIPE : LP_SCHEDULE_1F1B;
    plan.batch.global = plan.degree[LP_AXIS_DP] * 2 * plan.degree[LP_AXIS_PP];
    if (pick(generator, "01") == 1) {
        plan.zero.stage = 1;
        plan.zero.shard_degree = pick(generator, "012346");
    }
    lp_test_set_order(&plan, index % LP_TEST_N_ORDERS);
    *out_plan = plan;
    *out_shape = shape;
}

static void
test_drawn(void)
{
    GRand *generator = g_rand_new_with_seed(20);
    guint n_seen[LP_GROUP_GIVEN] = {0}, n_valid = 0, n_dual = 0, n_hybrid = 0, n_divided = 0;
    for (guint i = 0; i < N_DRAWN; i++) {
        LpPlan plan;
        LpTransformer shape;
        draw(generator, i, &plan, &shape);
        if (lp_plan_n_ranks(&plan) > RANKS_MAX || !lp_plan_check(&plan, &shape, NULL))
            continue;
        g_autofree char *drawn = g_strdup_printf(
            "plan %u: tp %u cp %u ep %u dp %u pp %u, expert-tp %u, shards of %u, order %s %s %s %s "
            "%s",
            i, plan.degree[LP_AXIS_TP], plan.degree[LP_AXIS_CP], plan.degree[LP_AXIS_EP],
            plan.degree[LP_AXIS_DP], plan.degree[LP_AXIS_PP], plan.experts.tp,
            plan.zero.shard_degree, lp_axis_names[plan.order[0]], lp_axis_names[plan.order[1]],
            lp_axis_names[plan.order[2]], lp_axis_names[plan.order[3]],
            lp_axis_names[plan.order[4]]);
        n_valid++;
        n_dual += plan.pipeline.schedule == LP_SCHEDULE_DUALPIPE ? 1 : 0;
        n_hybrid += lp_group_size(&shape, &plan, LP_GROUP_REPLICA) > 1 ? 1 : 0;
        n_divided += lp_plan_expert_tp(&plan) > 1 && shape.experts.n > 0 ? 1 : 0;
        for (guint group = 0; group < LP_GROUP_GIVEN; group++) {
            g_autofree char *label = g_strdup_printf("%s: %s", drawn, lp_group_traits(group)->name);
            check_groups(label, &shape, &plan, (LpGroup)group);
            n_seen[group] += lp_group_exists(&shape, &plan, (LpGroup)group, 0) ? 1 : 0;
        }
        check_sizes(drawn, &shape, &plan);
        check_nodes(drawn, &shape, &plan);
    }
    g_rand_free(generator);
    lp_test_true("enough plans", n_valid > 1000);
    lp_test_true("enough of them both ways", n_dual > 50);
    lp_test_true("enough of them sharded by parts", n_hybrid > 50);
    lp_test_true("enough of them with divided experts", n_divided > 50);
    for (guint group = 0; group < LP_GROUP_GIVEN; group++)
        lp_test_true(lp_group_traits(group)->name, n_seen[group] > 20);
}

/* tp 2, dp 4, pp 2 in this order, ranks by hand. */
static void
test_by_hand(void)
{
    static const struct {
        LpGroup group;
        guint64 rank, size, members[4];
    } rows[] = {
        {LP_GROUP_TP, 11, 2, {10, 11}},       {LP_GROUP_DP, 11, 4, {9, 11, 13, 15}},
        {LP_GROUP_EMBEDDING, 11, 2, {3, 11}}, {LP_GROUP_EP, 13, 2, {13, 15}},
        {LP_GROUP_EXPERT_DP, 13, 2, {9, 13}}, {LP_GROUP_CP, 13, 1, {13}},
        {LP_GROUP_REPLICA, 13, 1, {13}},      {LP_GROUP_EP_NODE, 13, 1, {13}},
        {LP_GROUP_EP_RAIL, 13, 1, {13}},
    };
    LpTransformer shape = lp_test_gpt(2, 64, 4);
    shape.pattern.n_mixers = 1;
    shape.experts.n = 4;
    shape.experts.top_k = 1;
    LpPlan plan = lp_test_plan(2, 2, 4, 1, 4);
    plan.degree[LP_AXIS_EP] = 2;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *label = lp_group_traits(rows[i].group)->name;
        lp_test_true(label, lp_group_size(&shape, &plan, rows[i].group) == rows[i].size);
        for (guint64 k = 0; k < rows[i].size; k++)
            lp_test_true(label, lp_group_member(&shape, &plan, rows[i].group, rows[i].rank, k) ==
                                    rows[i].members[k]);
    }
}

static void
test_expert_nodes(void)
{
    static const struct {
        const char *label;
        guint32 ep, n_groups, limit, nodes;
        double copies;
        gboolean sends_each;
    } rows[] = {
        {"as DeepSeek-V3", 64, 8, 4, 8, 4.0, FALSE},
        {"to each expert by itself", 64, 8, 4, 1, 1.0, TRUE},
        {"one rank a group", 8, 8, 4, 8, 4.0, FALSE},
        {"no limit", 64, 8, 0, 1, 1.0, FALSE},
        {"all groups", 64, 8, 8, 1, 1.0, FALSE},
        {"no groups", 64, 0, 0, 1, 1.0, FALSE},
        {"several groups a rank", 4, 8, 4, 1, 1.0, FALSE},
        {"groups that are no ranks", 4, 3, 1, 1, 1.0, FALSE},
        {"one rank", 1, 8, 4, 1, 1.0, FALSE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = lp_test_gpt(2, 64, 4);
        shape.experts.n = 192;
        shape.experts.top_k = 8;
        shape.experts.n_groups = rows[i].n_groups;
        shape.experts.group_limit = rows[i].limit;
        LpPlan plan = lp_test_plan(1, 1, 64, 1, 64);
        plan.degree[LP_AXIS_EP] = rows[i].ep;
        plan.experts.sends_each = rows[i].sends_each;
        lp_test_true(rows[i].label, lp_group_n_expert_nodes(&shape, &plan) == rows[i].nodes);
        lp_test_close(rows[i].label, lp_group_expert_copies(&shape, &plan), rows[i].copies, 1e-12);
    }
}

/* Of DeepSeek-V3's 256 experts 64 ranks have four each: eight consecutive ones stand on two ranks
 * of one domain. */
static void
test_adjacent_experts(void)
{
    static const struct {
        const char *label;
        guint32 ep, parts;
        gboolean adjacent, by_domain;
        double ranks, copies;
    } rows[] = {
        {"two ranks of a domain", 64, 8, TRUE, TRUE, 2.0, 1.0},
        {"one rank has them all", 8, 1, TRUE, TRUE, 1.0, 1.0},
        {"no more ranks than experts", 256, 2, TRUE, TRUE, 8.0, 1.0},
        {"each by itself", 64, 1, TRUE, FALSE, 8.0, 1.0},
        {"drawn evenly: 64 (1 - C(252, 8) / C(256, 8))", 64, 1, FALSE, TRUE, 7.675750191770085,
         1.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = lp_test_gpt(2, 64, 4);
        shape.experts.n = 256;
        shape.experts.top_k = 8;
        LpPlan plan = lp_test_plan(1, 1, 256, 1, 256);
        plan.degree[LP_AXIS_EP] = rows[i].ep;
        plan.experts.relay = rows[i].parts;
        plan.experts.relays_by_domain = rows[i].by_domain;
        plan.traits[LP_TRAIT_ADJACENT_EXPERTS] = rows[i].adjacent ? 1 : 0;
        lp_test_close(rows[i].label, lp_group_expert_ranks(&shape, &plan), rows[i].ranks, 1e-12);
        lp_test_close(rows[i].label, lp_group_expert_copies(&shape, &plan), rows[i].copies, 1e-12);
    }
}

/* Adds to @io_sum the places of all sets of @k more experts from @from on, beside those @taken. */
static guint64
add_sets(guint32 n, guint32 n_places, guint32 k, guint32 from, guint32 taken, guint64 *io_sum)
{
    guint64 n_sets = 0;
    if (k == 0) {
        for (guint32 place = 0; place < n_places; place++)
            *io_sum += taken >> place & 1;
        return 1;
    }
    for (guint32 expert = from; expert < n; expert++)
        n_sets +=
            add_sets(n, n_places, k - 1, expert + 1, taken | 1u << expert / (n / n_places), io_sum);
    return n_sets;
}

/* The mean over all sets of top-k of @n experts that @n_places share. */
static double
mean_places(guint32 n, guint32 n_places, guint32 k)
{
    guint64 sum = 0, n_sets = add_sets(n, n_places, k, 0, 0, &sum);
    return (double)sum / (double)n_sets;
}

/* Copies are the mean over every set of experts that a token can have. */
static void
test_drawn_experts(void)
{
    static const struct {
        const char *label;
        guint32 n, top_k, ep, parts;
    } rows[] = {
        {"eight ranks, a pair of experts each", 16, 4, 8, 2},
        {"every expert a place: a copy for each", 16, 4, 16, 4},
        {"all experts: every place", 8, 8, 4, 2},
        {"one expert: one place", 16, 1, 8, 4},
        {"more experts than others have", 12, 5, 3, 3},
        {"many a rank", 24, 6, 4, 2},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTransformer shape = lp_test_gpt(2, 64, 4);
        shape.experts.n = rows[i].n;
        shape.experts.top_k = rows[i].top_k;
        LpPlan plan = lp_test_plan(1, 1, rows[i].ep, 1, rows[i].ep);
        plan.degree[LP_AXIS_EP] = rows[i].ep;
        plan.experts.relay = rows[i].parts;
        lp_test_close(rows[i].label, lp_group_expert_copies(&shape, &plan),
                      mean_places(rows[i].n, rows[i].parts, rows[i].top_k), 1e-12);
        lp_test_close(rows[i].label, lp_group_expert_ranks(&shape, &plan),
                      mean_places(rows[i].n, rows[i].ep, rows[i].top_k), 1e-12);
        /* Limited to half of the groups, a token is as one of half as many experts. */
        shape.experts.n_groups = rows[i].parts;
        shape.experts.group_limit = rows[i].parts / 2;
        if (rows[i].parts % 2 == 0 && rows[i].top_k <= rows[i].n / 2)
            lp_test_close(rows[i].label, lp_group_expert_ranks(&shape, &plan),
                          mean_places(rows[i].n / 2, rows[i].ep / 2, rows[i].top_k), 1e-12);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"drawn", test_drawn},
        {"by hand", test_by_hand},
        {"expert nodes", test_expert_nodes},
        {"adjacent experts", test_adjacent_experts},
        {"drawn experts", test_drawn_experts},
        {NULL, NULL},
    };
    return lp_test_run("group", cases);
}
