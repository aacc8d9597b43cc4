/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators: who is in which, and on which stream its collectives run. */
#include "workloads/description/workload.h"
#include "workloads/program/communicator.h"

#include "tests/testlib.h"

#define GPT3 "resource:///lightpath/workloads/gpt3-175b.xml"
#define DEEPSEEK "resource:///lightpath/workloads/deepseek-v3.xml"

static LpWorkload *
load(const char *path, const char *text)
{
    g_autofree char *all = g_strconcat("framework=none ", text, NULL);
    g_auto(GStrv) settings = g_strsplit(g_strchomp(all), " ", -1);
    g_autoptr(GError) error = NULL;
    LpWorkload *workload = lp_workload_load(path, (const char *const *)settings, &error);
    lp_test_text(text, error != NULL ? error->message : NULL, NULL);
    return workload;
}

/* The table against the arithmetic of groups: every rank that has a group is in one communicator,
 * at its own place, and all members see the same one. */
static void
check_group(const char *label, const LpWorkload *workload, const LpCommunicators *communicators,
            LpGroup group)
{
    const LpPlan *plan = &workload->plan;
    const LpTransformer *transformer = &workload->transformer;
    guint64 n_members = 0;
    for (guint64 rank = 0; rank < lp_plan_n_ranks(plan); rank++) {
        const LpCommunicator *own = lp_communicators_of(communicators, group, rank);
        gboolean exists = lp_group_exists(transformer, plan, group, rank);
        lp_test_true(label, (own != NULL) == exists);
        if (own == NULL || !exists)
            continue;
        guint32 place = lp_communicators_place(communicators, group, rank);
        n_members++;
        lp_test_true(label, own->group == group && own->ranks[place] == rank);
        lp_test_true(label, own->n_members == lp_group_size(transformer, plan, group));
        lp_test_true(label, place == lp_group_index(transformer, plan, group, rank));
        lp_test_true(label,
                     lp_communicators_get(communicators, group,
                                          lp_communicators_number(communicators, own)) == own);
        for (guint32 k = 0; k < own->n_members; k++)
            lp_test_true(label,
                         own->ranks[k] == lp_group_member(transformer, plan, group, rank, k));
    }
    guint n = lp_communicators_n(communicators, group);
    lp_test_true(label,
                 n_members ==
                     (guint64)n * (n == 0 ? 0 : lp_communicators_n_members(communicators, group)));
}

static void
test_members(void)
{
    static const struct {
        const char *path, *settings;
    } rows[] = {
        {GPT3, "rank-order=tp-cp-ep-dp-pp"},
        {GPT3, "rank-order=pp-dp-tp-cp-ep"},
        {GPT3, "rank-order=dp-tp-cp-ep-pp"},
        {GPT3, "tp=1 pp=1 dp=64 zero=3 shard-degree=8 global-batch=64"},
        {GPT3, "tp=2 cp=4 pp=4 dp=2 global-batch=64"},
        {GPT3, "tp=1 pp=1 dp=1 global-batch=8"},
        {DEEPSEEK, "pp=16 dp=16 ep=16 global-batch=1024"},
        {DEEPSEEK, "pp=4 dp=16 ep=8 global-batch=1024 ep-relay=2"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpWorkload) workload = load(rows[i].path, rows[i].settings);
        if (workload == NULL)
            continue;
        g_autoptr(LpCommunicators) communicators =
            lp_communicators_new(&workload->transformer, &workload->plan, NULL);
        lp_test_true(rows[i].settings,
                     lp_communicators_n_ranks(communicators) == lp_plan_n_ranks(&workload->plan));
        for (LpGroup group = 0; group < LP_N_GROUPS; group++)
            check_group(rows[i].settings, workload, communicators, group);
    }
}

/* A group has one stream, whichever of its collectives runs: what a plan hides goes beside the
 * compute stream, everything else is waited for there. */
static void
test_streams(void)
{
    static const struct {
        const char *path, *settings;
        LpGroup group;
        LpStream stream;
        gboolean exclusive;
    } rows[] = {
        {GPT3, "overlap-dp=no", LP_GROUP_DP, LP_N_STREAMS, TRUE},
        {GPT3, "overlap-dp=yes", LP_GROUP_DP, LP_STREAM_DP, FALSE},
        {GPT3, "zero=1 overlap-param=yes", LP_GROUP_DP, LP_STREAM_DP, FALSE},
        {GPT3, "overlap-tp=no", LP_GROUP_TP, LP_N_STREAMS, TRUE},
        {GPT3, "overlap-tp=yes sequence-parallel=yes", LP_GROUP_TP, LP_STREAM_LAYER, TRUE},
        {GPT3, "cp=2 dp=8", LP_GROUP_CP, LP_STREAM_LAYER, TRUE},
        {GPT3, "cp=2 dp=8 cp-kind=ulysses", LP_GROUP_CP, LP_N_STREAMS, TRUE},
        {GPT3, "overlap-dp=yes", LP_GROUP_EMBEDDING, LP_N_STREAMS, TRUE},
        {DEEPSEEK, "pp=16 dp=16 ep=16 global-batch=1024 schedule=dualpipe", LP_GROUP_EP_NODE,
         LP_STREAM_RELAY, FALSE},
        {DEEPSEEK, "pp=16 dp=16 ep=16 global-batch=1024 schedule=1f1b", LP_GROUP_EP_NODE,
         LP_STREAM_RELAY, FALSE},
        {DEEPSEEK, "pp=16 dp=16 ep=16 global-batch=1024 schedule=1f1b", LP_GROUP_EP_RAIL,
         LP_STREAM_LAYER, FALSE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpWorkload) workload = load(rows[i].path, rows[i].settings);
        if (workload == NULL)
            continue;
        g_autoptr(LpCommunicators) communicators =
            lp_communicators_new(&workload->transformer, &workload->plan, NULL);
        lp_test_true(rows[i].settings, lp_communicators_n(communicators, rows[i].group) > 0);
        if (lp_communicators_n(communicators, rows[i].group) == 0)
            continue;
        const LpCommunicator *first = lp_communicators_get(communicators, rows[i].group, 0);
        lp_test_true(rows[i].settings, first->stream == rows[i].stream);
        lp_test_true(rows[i].settings, first->is_exclusive == rows[i].exclusive);
    }
}

/* Of 2 communicators of 3: 0 1 2, 3 4 5 in a row; 0 2 4, 1 3 5 strided. */
static void
test_equal(void)
{
    const LpCommunicator like = {.group = LP_GROUP_DP, .stream = LP_N_STREAMS};
    for (guint strided = 0; strided < 2; strided++) {
        g_autoptr(LpCommunicators) all = lp_communicators_new_equal(&like, 2, 3, strided == 1);
        for (guint g = 0; g < 2; g++)
            for (guint32 i = 0; i < 3; i++)
                lp_test_true(strided == 1 ? "strided" : "in a row",
                             lp_communicators_get(all, LP_GROUP_DP, g)->ranks[i] ==
                                 (strided == 1 ? i * 2 + g : g * 3 + i));
    }
    g_autoptr(LpCommunicators) lone = lp_communicators_new_equal(&like, 4, 1, FALSE);
    lp_test_true("one member",
                 lp_communicators_n(lone, LP_GROUP_DP) == 0 && lp_communicators_n_ranks(lone) == 4);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"members", test_members}, {"streams", test_streams}, {"equal", test_equal}, {NULL, NULL}};
    return lp_test_run("communicator", cases);
}
