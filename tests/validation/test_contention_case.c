/* SPDX-License-Identifier: Apache-2.0 */
/* Measured contention (validation/contention.csv): times and ratios within 25 %, half of them
 * within 10 %, but for rows whose reason docs/contention.md has; and what rows may say. */
#include "tests/testlib.h"
#include "tests/validation/predicted_row.h"

#include <math.h>
#include <string.h>

#define CASES "validation/contention.csv"
#define N_CASES 43u
#define WITHIN 0.25
#define HALF_WITHIN 0.10

/* What ids of rows begin with that sharing does not explain. */
static const char *const explained[] = {
    "tc-5ms-64", /* a TCP connection opens its window */
    "tc-10ms-64",
    "tc-10ms-128",
    "a3mega-1048576", /* a transport that is no verbs */
    "a3mega-16777216",
    "a3mega-67108864",
    "a3mega-268435456",
    "baskerville-2x2", /* traffic that left the fast port */
    "baskerville-4x1",
    "baskerville-1x4-tree",
    "baskerville-ddp-2x", /* the same, and the rate of the row above */
    "baskerville-ddp-4x1",
    "internevo-1024", /* a broadcast for each rank */
    NULL};

static gboolean
is_explained(const char *id)
{
    for (guint i = 0; explained[i] != NULL; i++)
        if (g_str_has_prefix(id, explained[i]))
            return TRUE;
    return FALSE;
}

static void
test_rows(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(LpTable) table = lp_measurements_load(CASES, NULL, &error);
    guint n_near = 0;
    lp_test_true(CASES, table != NULL && lp_table_n_rows(table) == N_CASES);
    for (guint i = 0; table != NULL && i < lp_table_n_rows(table); i++) {
        g_autoptr(LpOutcome) outcome = lp_rows_outcome(table, i);
        double off = fabs(lp_outcome_error(outcome, LP_PREDICTION_SIMULATED));
        lp_test_text(outcome->id, outcome->reason != NULL ? outcome->reason : "", "");
        lp_test_true(outcome->id, is_explained(outcome->id) || off <= WITHIN);
        n_near += off <= HALF_WITHIN;
    }
    lp_test_true("half of all within 10 %", 2 * n_near >= N_CASES);
}

#define HEADER "id,machine,run,base_machine,base,seconds,ratio"
#define FOUR                                                                                       \
    "--system=generic --accelerators=4 --accelerator=a100-80 --domain-size=1 "                     \
    "--scale-out-bandwidth=10GBps --scale-out-latency=1us"

static LpOutcome *
outcome_of(const char *row)
{
    g_autoptr(LpTable) table = lp_rows_table(HEADER, row);
    return table == NULL ? NULL : lp_rows_outcome(table, 0);
}

/* 1 GB over 10 GB/s and two links of 1 us; and over half the rate. */
static void
test_values(void)
{
    static const struct {
        const char *label, *row;
        double wanted;
    } rows[] = {
        {"a time", "a," FOUR ",\"send 1000000000 library=single-ring accelerators=0,1\",,,1,",
         0.100002},
        {"a ratio",
         "a," FOUR ",send 1000000000 library=single-ring accelerators=0-1," FOUR
         " --scale-out-bandwidth=5GBps,send 1000000000 library=single-ring accelerators=0-1,,1",
         0.100002 / 0.200002},
        {"the same plan", "a," FOUR ",plan gpt3-125m dp=4,,plan gpt3-125m dp=4,,1", 1.0},
        {"half the batch",
         "a," FOUR ",plan gpt3-125m dp=1 global-batch=8,,plan gpt3-125m dp=1 "
         "global-batch=16,,1",
         0.5},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpOutcome) outcome = outcome_of(rows[i].row);
        if (outcome == NULL)
            continue;
        lp_test_text(rows[i].label, outcome->reason, NULL);
        lp_test_close(rows[i].label, outcome->predicted[LP_PREDICTION_SIMULATED], rows[i].wanted,
                      i == 3 ? 0.05 : 1e-9);
    }
}

static void
test_refused(void)
{
    static const struct {
        const char *row, *part;
    } rows[] = {
        {"a,--system=nothing --accelerators=4,send 1,,,1,", "machine"},
        {"a," FOUR ",sing 1,,,1,", "sing"},
        {"a," FOUR ",send many,,,1,", "many"},
        {"a," FOUR ",send,,,1,", "run"},
        {"a," FOUR ",send 1 algorithm=nothing,,,1,", "algorithm=nothing"},
        {"a," FOUR ",send 1 accelerators=0-9,,,1,", "9"},
        {"a," FOUR ",plan,,,1,", "workload"},
        {"a," FOUR ",plan nothing,,,1,", "nothing"},
        {"a," FOUR ",plan gpt3-125m dp=many,,,1,", "dp"},
        {"a," FOUR ",job a,,,1,", "NAME of SCENARIO"},
        {"a," FOUR ",job a of nothing,,,1,", "nothing"},
        {"a," FOUR ",job a of two-jobs,,,1,", "job \"a\""},
        {"a," FOUR ",,,,1,", "run"},
        {"a," FOUR ",send 1,,,,2", "base"},
        {"a," FOUR ",send 1,,,,", "seconds"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpOutcome) outcome = outcome_of(rows[i].row);
        if (outcome == NULL)
            continue;
        lp_test_true(rows[i].row, outcome->status == LP_OUTCOME_FAILED);
        lp_test_contains(rows[i].row, outcome->reason, rows[i].part);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"rows", test_rows}, {"values", test_values}, {"refused", test_refused}, {NULL, NULL}};
    return lp_test_run("contention_case", cases);
}
