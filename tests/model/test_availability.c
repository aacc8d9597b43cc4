/* SPDX-License-Identifier: Apache-2.0 */
/* Availability of parts, of k out of n, and of slices. */
#include "model/reliability/availability.h"

#include "tests/testlib.h"

#include <math.h>

static void
test_part(void)
{
    lp_test_close("part", lp_availability(99.0, 1.0), 0.99, 1e-15);
    lp_test_close("never", lp_availability((double)INFINITY, 1.0), 1.0, 0.0);
    lp_test_close("at once", lp_availability(99.0, 0.0), 1.0, 0.0);
}

/* By hand; the ends; both tails of one distribution. */
static void
test_at_least(void)
{
    lp_test_close("two of three", lp_availability_at_least(3, 2, 0.9), 0.972, 1e-14);
    lp_test_close("all", lp_availability_at_least(64, 64, 0.99), pow(0.99, 64), 1e-12);
    lp_test_close("none wanted", lp_availability_at_least(3, 0, 0.1), 1.0, 0.0);
    lp_test_close("too many", lp_availability_at_least(3, 4, 0.9), 0.0, 0.0);
    lp_test_close("always up", lp_availability_at_least(3, 3, 1.0), 1.0, 0.0);
    lp_test_close("always down", lp_availability_at_least(3, 1, 0.0), 0.0, 0.0);
    /* One host of 16,384 in spare: 1 - p^n - n p^(n-1) (1-p) of those that are down. */
    double p = 1.0 - 1e-6, n = 16385.0;
    lp_test_close("large", 1.0 - lp_availability_at_least(16385, 16384, p),
                  1.0 - pow(p, n) - n * pow(p, n - 1.0) * 1e-6, 1e-6);
    for (guint64 k = 1; k <= 20; k++)
        lp_test_close("both tails",
                      lp_availability_at_least(20, k, 0.3) +
                          lp_availability_at_least(20, 21 - k, 0.7),
                      1.0, 1e-13);
}

/* Spares that nobody queues for: machines that are up of n, as M/M/n/n has them, are binomial. Mean
 * of k = 1 slices is the mean of the distribution. */
static void
test_slices(void)
{
    lp_test_close("mean", lp_availability_slices(40, 1, 40, 0.7), 28.0, 1e-12);
    lp_test_close("one", lp_availability_slices(40, 30, 1, 0.7),
                  lp_availability_at_least(40, 30, 0.7), 0.0);
    lp_test_close("two of three", lp_availability_slices(3, 1, 2, 0.9), 0.999 + 0.972, 1e-14);
    lp_test_close("fixed", lp_availability_fixed_slices(8, 4, 2, 0.9), 2.0 * pow(0.9, 4), 1e-14);
    lp_test_true("joined at will is never worse", lp_availability_fixed_slices(64, 16, 4, 0.85) <
                                                      lp_availability_slices(64, 16, 4, 0.85));
    lp_test_close("with a fixed slice in spare", lp_availability_fixed_slices(8, 4, 1, 0.9),
                  1.0 - pow(1.0 - pow(0.9, 4), 2), 1e-14);
}

/* Pods of one group are things of their own; a pod for all is no pod; groups of one block need
 * none. */
static void
test_pods(void)
{
    double workspace[300];
    double p = 0.95, good = lp_availability_at_least(9, 8, p);
    lp_test_close("one group a pod", lp_availability_pod_slices(8, 9, 8, 8, 1, p, workspace),
                  pow(good, 8), 1e-12);
    lp_test_close("a pod in spare", lp_availability_pod_slices(8, 9, 8, 7, 1, p, workspace),
                  lp_availability_at_least(8, 7, good), 1e-12);
    lp_test_close("one pod", lp_availability_pod_slices(1, 72, 8, 8, 1, p, workspace),
                  lp_availability_at_least(72, 64, p), 1e-12);
    lp_test_close("groups of one", lp_availability_pod_slices(8, 9, 1, 70, 1, p, workspace),
                  lp_availability_at_least(72, 70, p), 1e-11);
    lp_test_close("two groups a pod, several jobs",
                  lp_availability_pod_slices(3, 4, 2, 1, 6, p, workspace),
                  3.0 * lp_availability_slices(4, 2, 2, p), 1e-12);
}

/* Of all patterns of @n blocks: groups by going along the line. */
static double
count_rings(guint n, guint group, guint hops, double p)
{
    double mean = 0.0;
    for (guint pattern = 0; pattern < 1u << n; pattern++) {
        guint waiting = 0, passed = 0, groups = 0;
        double probability = 1.0;
        for (guint i = 0; i < n; i++) {
            gboolean is_up = (pattern >> i & 1) != 0;
            probability *= is_up ? p : 1.0 - p;
            passed = is_up ? 0 : passed + 1;
            waiting = passed >= hops ? 0 : waiting + (is_up ? 1 : 0);
            if (waiting == group) {
                groups++;
                waiting = 0;
            }
        }
        mean += probability * groups;
    }
    return mean;
}

/* Against all patterns; far enough reach leaves no places; groups of one need no reach. */
static void
test_rings(void)
{
    double workspace[4000];
    for (guint group = 1; group <= 5; group++)
        for (guint hops = 1; hops <= 3; hops++)
            lp_test_close("all patterns",
                          lp_availability_ring_slices(13, group, hops, 1, 13, 0.8, workspace),
                          count_rings(13, group, hops, 0.8), 1e-12);
    lp_test_close("reach over everything",
                  lp_availability_ring_slices(24, 4, 24, 1, 6, 0.9, workspace),
                  lp_availability_slices(24, 4, 6, 0.9), 1e-12);
    lp_test_close("reach over everything, groups of a slice",
                  lp_availability_ring_slices(24, 4, 24, 3, 1, 0.9, workspace),
                  lp_availability_at_least(24, 12, 0.9), 1e-12);
    lp_test_close("nothing down", lp_availability_ring_slices(24, 5, 1, 1, 4, 1.0, workspace), 4.0,
                  1e-12);
    lp_test_true("farther is better",
                 lp_availability_ring_slices(24, 8, 1, 1, 3, 0.9, workspace) <
                     lp_availability_ring_slices(24, 8, 2, 1, 3, 0.9, workspace));
}

int
main(void)
{
    static const LpTestCase cases[] = {{"part", test_part},     {"at_least", test_at_least},
                                       {"slices", test_slices}, {"pods", test_pods},
                                       {"rings", test_rings},   {NULL, NULL}};
    return lp_test_run("availability", cases);
}
