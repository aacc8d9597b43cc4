/* SPDX-License-Identifier: Apache-2.0 */
/* What is proven contention-free, on machines and plans where that can be seen by eye. */
#include "sim/analysis/contention.h"

#include "platforms/catalogue/libraries.h"
#include "sim/run/simulation.h"
#include "tests/support/forked.h"
#include "tests/support/generated.h"
#include "tests/support/small_workload.h"
#include "tests/testlib.h"
#include "workloads/program/training_program.h"

#include <string.h>

typedef struct {
    const char *label;
    const char *machine;
    const char *settings;
    gboolean private_groups[LP_N_GROUPS]; /* all of a kind */
    gboolean mirrored;
    gboolean private_when_idle; /* those of tp, that are not anyway */
} Row;

#define DGX "--system=dgx-a100 --accelerators=64"
#define BODY "embedding=no layers=8 hidden=1024 heads=16 ffn=4096 global-batch=8 "

#define GROUPS(tp, dp)                                                                             \
    {                                                                                              \
        [LP_GROUP_TP] = tp, [LP_GROUP_DP] = dp                                                     \
    }

static const Row rows[] = {
    {"tp in the domain, pp and dp on rails", DGX, BODY "tp=8 pp=2 dp=4", GROUPS(TRUE, FALSE), TRUE,
     FALSE},
    {"tp across two domains", DGX, BODY "tp=16 pp=2 dp=2", GROUPS(FALSE, FALSE), FALSE, FALSE},
    {"pp inside tp's domain: messages may come at any time", DGX, BODY "tp=4 pp=2 dp=1",
     GROUPS(FALSE, FALSE), FALSE, FALSE},
    {"dp inside tp's domain: a rank reduces one thing at a time", DGX, BODY "tp=4 pp=1 dp=2",
     GROUPS(TRUE, TRUE), TRUE, FALSE},
    {"the same, behind the backward pass", DGX, BODY "tp=4 pp=1 dp=2 overlap-dp=yes",
     GROUPS(FALSE, FALSE), FALSE, TRUE},
    {"and messages in tp's domain, which may come at any time", DGX,
     BODY "tp=2 pp=2 dp=2 overlap-dp=yes", GROUPS(FALSE, FALSE), FALSE, FALSE},
    {"dp alone, over the fabric", DGX, BODY "tp=1 pp=1 dp=8", GROUPS(FALSE, TRUE), FALSE, FALSE},
    {"two accelerators on a card: dp groups share it", "--system=polaris --accelerators=16",
     BODY "tp=4 pp=1 dp=4", GROUPS(TRUE, FALSE), FALSE, FALSE},
    {"classic fat tree: leaves serve all slices, their up-links too",
     "--system=generic --accelerators=64 --domain-size=4 --leaf-ports=8 --oversubscription=8",
     BODY "tp=4 pp=1 dp=16 global-batch=16", GROUPS(TRUE, FALSE), FALSE, FALSE},
};

/* With messages between stages taken as nothing. */
static const Row negligible_rows[] = {
    {"tp across two domains", DGX, BODY "tp=16 pp=2 dp=2", GROUPS(TRUE, FALSE), TRUE, FALSE},
    {"pp inside tp's domain", DGX, BODY "tp=4 pp=2 dp=1", GROUPS(TRUE, FALSE), TRUE, FALSE},
};

/* What a child process found. */
typedef struct {
    gboolean private_groups[LP_N_GROUPS];
    gboolean mirrored;
    gboolean private_when_idle;
    gboolean intra; /* what lp_contention_is_negligible() says at a share of 5 % */
} Verdict;

/* What it is asked. */
typedef struct {
    const Row *row;
    gboolean intra;
} Question;

static gboolean
analyse(const void *input, void *result)
{
    const Row *row = ((const Question *)input)->row;
    gboolean intra = ((const Question *)input)->intra;
    Verdict *out_verdict = result;
    g_autoptr(LpWorkload) workload = lp_small_workload_load(row->settings);
    g_autoptr(LpMachine) machine = lp_generated_machine_good(row->machine);
    if (workload == NULL || machine == NULL)
        return FALSE;
    g_autoptr(LpProgram) program = lp_training_program_new(workload, &machine->accelerator, NULL);
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    LpLibrary library;
    if (!lp_library_find("single-ring", &library, NULL))
        return FALSE;
    g_autoptr(LpPlacement) placement = lp_placement_new_packed(program->n_ranks);
    g_autoptr(LpCommunicationMap) map =
        lp_communication_map_new(program, network, &library, placement, NULL, NULL);
    g_autoptr(LpContention) contention = intra ? lp_contention_new_negligible(map, LP_FIDELITY_FLOW)
                                               : lp_contention_new(map, LP_FIDELITY_FLOW, NULL);
    memcpy(out_verdict->private_groups, contention->all_private, sizeof contention->all_private);
    out_verdict->mirrored = contention->tp_mirrored;
    out_verdict->private_when_idle = contention->tp_private_when_idle;
    out_verdict->intra = lp_contention_is_negligible(map, 0.05);
    return TRUE;
}

static void
check_row(const Row *row, gboolean intra)
{
    const Question question = {row, intra};
    Verdict verdict = {{FALSE}, FALSE, FALSE, FALSE};
    if (!lp_forked_result(row->label, analyse, &question, &verdict, sizeof verdict))
        return;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        g_autofree char *label = g_strdup_printf("%s: group kind %d", row->label, (int)group);
        lp_test_true(label, verdict.private_groups[group] == row->private_groups[group]);
    }
    g_autofree char *label = g_strdup_printf("%s: mirrored", row->label);
    lp_test_true(label, verdict.mirrored == row->mirrored);
    if (intra)
        return;
    g_autofree char *idle = g_strdup_printf("%s: private when idle", row->label);
    lp_test_true(idle, verdict.private_when_idle == row->private_when_idle);
}

static void
test_verdicts(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        check_row(&rows[i], FALSE);
    for (guint i = 0; i < G_N_ELEMENTS(negligible_rows); i++)
        check_row(&negligible_rows[i], TRUE);
}

static void
test_negligible(void)
{
    static const struct {
        Row row;
        gboolean intra;
    } cases[] = {
        {{"messages of 1/33 of 1/16", DGX, BODY "tp=16 pp=2 dp=2 scatter-gather=yes", GROUPS(0, 0),
          0, 0},
         TRUE},
        {{"as many layers as stages: messages of 2/9", DGX, BODY "tp=4 pp=8 dp=1 scatter-gather=no",
          GROUPS(0, 0), 0, 0},
         FALSE},
        {{"gradients behind the pass, over the fabric", DGX,
          BODY "tp=4 pp=1 dp=16 overlap-dp=yes seq=2048 global-batch=1024 vocab=64", GROUPS(0, 0),
          0, 0},
         TRUE},
        {{"the same within the domain", DGX,
          BODY "tp=4 pp=1 dp=2 overlap-dp=yes seq=2048 global-batch=128 vocab=64", GROUPS(0, 0), 0,
          0},
         FALSE},
        {{"tp over the fabric itself", DGX,
          BODY "tp=16 pp=1 dp=4 overlap-dp=yes seq=2048 global-batch=256 vocab=64", GROUPS(0, 0), 0,
          0},
         FALSE},
        {{"gradients that weigh", DGX, BODY "tp=4 pp=1 dp=16 overlap-dp=yes seq=64 global-batch=16",
          GROUPS(0, 0), 0, 0},
         FALSE},
        {{"no tensor parallelism", DGX, BODY "tp=1 pp=2 dp=2", GROUPS(0, 0), 0, 0}, FALSE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        const Question question = {&cases[i].row, FALSE};
        Verdict verdict = {{FALSE}, FALSE, FALSE, FALSE};
        if (!lp_forked_result(cases[i].row.label, analyse, &question, &verdict, sizeof verdict))
            continue;
        lp_test_true(cases[i].row.label, verdict.intra == cases[i].intra);
    }
}

/* What a stage sends and receives between stages over what its collectives hold, by hand: a layer
 * has four all-reduces of A bytes, which send 2 A each, so a stage of four layers 32 A a
 * micro-batch; its only boundary has a message each way, of A, or of A/16 with scatter-gather, and
 * then a gather of A on arrival. */
static void
test_share(void)
{
    static const struct {
        const char *settings;
        double share;
    } shares[] = {{BODY "tp=16 pp=2 dp=2 scatter-gather=no", 1.0 / 32.0},
                  {BODY "tp=16 pp=2 dp=2 scatter-gather=yes", 1.0 / 33.0 / 16.0},
                  {BODY "tp=16 pp=1 dp=2", 0.0},
                  {BODY "tp=1 pp=2 dp=2", G_MAXDOUBLE}};
    for (guint i = 0; i < G_N_ELEMENTS(shares); i++) {
        g_autofree char *settings =
            g_strconcat(shares[i].settings, " sequence-parallel=no recompute=none", NULL);
        g_autoptr(LpWorkload) workload = lp_small_workload_load(settings);
        g_autoptr(LpMachine) machine = lp_generated_machine_good(DGX);
        g_autoptr(LpProgram) program =
            workload != NULL && machine != NULL
                ? lp_training_program_new(workload, &machine->accelerator, NULL)
                : NULL;
        lp_test_true(shares[i].settings, program != NULL);
        if (program != NULL)
            lp_test_close(shares[i].settings, lp_contention_other_traffic_share(program),
                          shares[i].share, 1e-12);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"verdicts", test_verdicts},
                                       {"negligible", test_negligible},
                                       {"share", test_share},
                                       {NULL, NULL}};
    return lp_test_run("contention", cases);
}
