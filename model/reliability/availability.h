/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a machine is there when its parts fail and are repaired, each for itself: shares of
 * time in the long run. They depend on the distributions of both times by their means only. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Share of time in which a part is up: F / (F + R), F its mean time between a repair and the next
 * failure, R its mean time to repair. INFINITY of F: 1. */
double lp_availability(double mtbf_s, double repair_s);

/** P(X >= @k) of X ~ B(@n, @p): at least k of n things are there, each with probability p. 1 if k
 * is 0, 0 if k > n. */
double lp_availability_at_least(guint64 n, guint64 k, double p);

/** E min(@m, floor(X / @k)) of X ~ B(@n, @p): how many of m slices of k blocks are there on
 * average, if any k of the n blocks make one, P(X >= k) + P(X >= 2k) + ... + P(X >= mk). @k: at
 * least 1. */
double lp_availability_slices(guint64 n, guint64 k, guint64 m, double p);

/** The mean number of slices that can run if a slice is one of the floor(@n / @k) sets of k
 * successive blocks: E min(m, Y) of Y ~ B(floor(n / k), p^k). */
double lp_availability_fixed_slices(guint64 n, guint64 k, guint64 m, double p);

/** As lp_availability_slices(), if a slice is made of @groups groups of @group blocks, each within
 * one pod: n_pods pods of @pod blocks, and E min(m, floor(Y / groups)) of Y, the sum over pods of
 * floor(X_i / group) with X_i ~ B(pod, p). @workspace: of (@n_pods + 1) * floor(pod / group) + 2
 * numbers; what it holds is of no account. @group: at least 1, at most @pod. */
double lp_availability_pod_slices(guint64 n_pods, guint64 pod, guint64 group, guint64 groups,
                                  guint64 m, double p, double *workspace);

/** As lp_availability_pod_slices(), if the @n blocks stand in a line, each joined to those up to
 * @hops places away on either side: a group is @group blocks that are up, each within reach of the
 * one before, so that up to hops - 1 in a row that are down are passed over (InfiniteHBD, SIGCOMM
 * 2025). Blocks that are up and within reach of each other make up a stretch, and one of x blocks
 * has floor(x / group) groups. Exact, by the distribution of groups, block after block. @workspace:
 * of lp_availability_ring_workspace() numbers. @group, @hops: at least 1. */
double lp_availability_ring_slices(guint64 n, guint64 group, guint64 hops, guint64 groups,
                                   guint64 m, double p, double *workspace);
/** Numbers that it needs to work with. */
gsize lp_availability_ring_workspace(guint64 n, guint64 group, guint64 hops);

G_END_DECLS
