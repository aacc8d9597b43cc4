/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of collectives by the formulas of the field, and members' bytes that sum to them. */
#include "sim/actors/collective_bytes.h"

#include "tests/testlib.h"

/* Of a buffer of S bytes and n members, together: 2 (n - 1) S of an all-reduce, (n - 1) S of each
 * half of it and of an all-to-all. */
static void
test_totals(void)
{
    static const struct {
        const char *label;
        LpCollective collective;
        guint64 times; /* (n - 1) bytes */
    } rows[] = {{"all-reduce", LP_COLLECTIVE_ALL_REDUCE, 2},
                {"reduce-scatter", LP_COLLECTIVE_REDUCE_SCATTER, 1},
                {"all-gather", LP_COLLECTIVE_ALL_GATHER, 1},
                {"all-to-all", LP_COLLECTIVE_ALL_TO_ALL, 1}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (guint64 n = 2; n < 10; n++)
            for (guint64 bytes = 0; bytes < 30; bytes += 7) {
                LpCommunicator communicator = {.n_members = (guint32)n};
                LpIsolatedRing ring = {.n_members = n, .communicator = &communicator};
                LpOp op = {.collective = rows[i].collective, .bytes = bytes};
                guint64 sum = 0;
                for (guint64 member = 0; member < n; member++)
                    sum += lp_collective_member_bytes(&ring, NULL, &op, member);
                guint64 wanted = rows[i].times * (n - 1) * bytes;
                lp_test_true(rows[i].label, lp_collective_total_bytes(&ring, NULL, &op) == wanted);
                lp_test_true(rows[i].label, sum == wanted);
            }
}

/* 12 bytes among three members of loads 1/2, 1 and 3/2: blocks of 2, 4 and 6 bytes, which each
 * sends to the two others. */
static void
test_loads(void)
{
    static const guint64 wanted[] = {4, 8, 12};
    static const double loads[] = {0.5, 1.0, 1.5};
    LpCommunicator communicator = {.n_members = 3, .loads = loads};
    LpIsolatedRing ring = {.n_members = 3, .communicator = &communicator};
    LpOp op = {.collective = LP_COLLECTIVE_ALL_TO_ALL, .weight = LP_WEIGHT_SENDER, .bytes = 12};
    for (guint64 member = 0; member < 3; member++)
        lp_test_true("what comes back",
                     lp_collective_member_bytes(&ring, NULL, &op, member) == wanted[member]);
    lp_test_true("in all", lp_collective_total_bytes(&ring, NULL, &op) == 24);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"totals", test_totals}, {"loads", test_loads}, {NULL, NULL}};
    return lp_test_run("bytes of collectives", cases);
}
