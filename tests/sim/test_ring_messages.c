/* SPDX-License-Identifier: Apache-2.0 */
/* A ring message by message, where members take different times: the recurrence over all members.
 */
#include "sim/analysis/ring_messages.h"

#include "tests/testlib.h"

#define MEMBERS_MAX 8u

/* t_i(k+1) = max(t_i(k) + c_i(k), t_(i-1)(k) + c_(i-1)(k)); the first blocks have the bytes that
 * are left over. */
static double
recurrence_s(LpCollective collective, guint64 n, guint64 bytes, const LpRingMessage *messages)
{
    double at_s[MEMBERS_MAX] = {0.0}, last_s = 0.0;
    for (guint64 step = 0; step < lp_ring_n_steps(collective, n); step++) {
        double done_s[MEMBERS_MAX];
        for (guint64 i = 0; i < n; i++) {
            guint64 own = lp_ring_step_bytes(collective, n, bytes, i, step);
            done_s[i] = at_s[i] + (own > bytes / n ? messages[i].long_s : messages[i].short_s);
        }
        for (guint64 i = 0; i < n; i++)
            at_s[i] = MAX(done_s[i], done_s[(i + n - 1) % n]);
    }
    for (guint64 i = 0; i < n; i++)
        last_s = MAX(last_s, at_s[i]);
    return last_s;
}

/* Longer messages take ten times as long, each member's another time. */
static void
test_members(void)
{
    static const double times_s[MEMBERS_MAX] = {3.0, 1.0, 4.0, 1.5, 9.0, 2.0, 6.0, 5.0};
    for (guint64 n = 2; n <= MEMBERS_MAX; n++)
        for (guint64 bytes = n; bytes < 2 * n; bytes++)
            for (LpCollective collective = 0; collective <= LP_COLLECTIVE_ALL_GATHER;
                 collective++) {
                LpRingMessage messages[MEMBERS_MAX];
                for (guint64 i = 0; i < n; i++)
                    messages[i] = (LpRingMessage){10.0 * times_s[i], times_s[i]};
                lp_test_close(lp_collective_names[collective],
                              lp_ring_messages_time_s(collective, n, bytes, messages),
                              recurrence_s(collective, n, bytes, messages), 1e-15);
            }
}

/* Where all are alike, a step takes what a message takes; of members in turn, the slower one's. */
static void
test_periods(void)
{
    LpRingMessage messages[6];
    for (guint i = 0; i < 6; i++)
        messages[i] = (LpRingMessage){2.0, 2.0};
    lp_test_close("alike", lp_ring_messages_time_s(LP_COLLECTIVE_ALL_REDUCE, 6, 12, messages), 20.0,
                  0.0);
    lp_test_true("one", lp_ring_messages_n(LP_COLLECTIVE_ALL_REDUCE, 6, 12, messages) == 10);
    for (guint i = 1; i < 6; i += 2)
        messages[i] = (LpRingMessage){3.0, 3.0};
    lp_test_close("in turn", lp_ring_messages_time_s(LP_COLLECTIVE_ALL_GATHER, 6, 12, messages),
                  15.0, 0.0);
    lp_test_true("two", lp_ring_messages_n(LP_COLLECTIVE_ALL_GATHER, 6, 12, messages) == 10);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"members", test_members}, {"periods", test_periods}, {NULL, NULL}};
    return lp_test_run("messages of a ring", cases);
}
