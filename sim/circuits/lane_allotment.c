/* SPDX-License-Identifier: Apache-2.0 */
/* Two greedy choices, of which the better is taken. */
#include "sim/circuits/lane_allotment.h"

#include <math.h>
#include <string.h>

typedef struct {
    guint32 n;
    const double *demand; /* borrowed */
    double lane_bytes_per_s, packet_bytes_per_s;
    guint32 *left;        /* owned: lanes, by attachment */
    double *packet_bytes; /* owned: of pairs without circuits, by attachment */
    guint32 *lanes;       /* borrowed */
    gboolean spreads;     /* pairs without circuits come first */
} Allotment;

static double
pair_bytes(const Allotment *self, guint32 a, guint32 b)
{
    return self->demand[a * self->n + b] + self->demand[b * self->n + a];
}

/* The time of a pair of attachments. If lanes go to bottlenecks, a pair without circuits takes what
 * all pairs of its attachments without circuits take on the packet network; otherwise such pairs
 * come first. */
static double
pair_s(const Allotment *self, guint32 a, guint32 b)
{
    guint32 lanes = self->lanes[a * self->n + b];
    if (lanes > 0)
        return pair_bytes(self, a, b) / (lanes * self->lane_bytes_per_s);
    return self->spreads
               ? INFINITY
               : MAX(self->packet_bytes[a], self->packet_bytes[b]) / self->packet_bytes_per_s;
}

static void
give(Allotment *self, guint32 a, guint32 b)
{
    if (self->lanes[a * self->n + b] == 0) {
        self->packet_bytes[a] -= pair_bytes(self, a, b);
        self->packet_bytes[b] -= pair_bytes(self, a, b);
    }
    self->left[a]--;
    self->left[b]--;
    self->lanes[a * self->n + b]++;
    self->lanes[b * self->n + a]++;
}

/* Whether a pair of @bytes with @left lanes comes before one of @other_bytes that takes as long. */
static gboolean
comes_first(const Allotment *self, double bytes, guint32 left, double other_bytes,
            guint32 other_left)
{
    if (self->spreads && left != other_left)
        return left > other_left;
    if (bytes > other_bytes || bytes < other_bytes)
        return bytes > other_bytes;
    return left > other_left;
}

/* The pair that takes longest. Returns: whether there is any. */
static gboolean
find_bottleneck(const Allotment *self, guint32 *out_a, guint32 *out_b)
{
    double longest_s = 0.0, most_bytes = 0.0;
    guint32 most_left = 0;
    for (guint32 a = 0; a < self->n; a++)
        for (guint32 b = a + 1; self->left[a] > 0 && b < self->n; b++) {
            double bytes = pair_bytes(self, a, b), time_s = pair_s(self, a, b);
            guint32 left = self->left[a] + self->left[b];
            if (self->left[b] == 0 || bytes <= 0.0 || time_s < longest_s ||
                (time_s <= longest_s && !comes_first(self, bytes, left, most_bytes, most_left)))
                continue;
            longest_s = time_s;
            most_bytes = bytes;
            most_left = left;
            *out_a = a;
            *out_b = b;
        }
    return most_left > 0;
}

/* Newton's method from the left: what is left over falls in straight pieces that get flatter, so
 * that each step drops the pairs that are done before the next one, and stops short of none. */
double
lp_lane_allotment_time_s(guint32 n, const double *bytes, const guint32 *lanes,
                         double lane_bytes_per_s, double packet_bytes_per_s)
{
    double time_s = 0.0;
    for (guint32 n_left = n + 1;;) {
        double left = 0.0, bytes_per_s = packet_bytes_per_s;
        guint32 n_now = 0;
        for (guint32 i = 0; i < n; i++) {
            if (bytes[i] <= time_s * lanes[i] * lane_bytes_per_s)
                continue;
            left += bytes[i];
            bytes_per_s += lanes[i] * lane_bytes_per_s;
            n_now++;
        }
        if (n_now == n_left || n_now == 0)
            return time_s;
        n_left = n_now;
        time_s = left / bytes_per_s;
    }
}

/* Gives all lanes away. Returns: when the last attachment is done, s. */
static double
allot(Allotment *self, const guint32 *n_lanes, gboolean spreads)
{
    guint32 n = self->n;
    self->spreads = spreads;
    memset(self->lanes, 0, sizeof *self->lanes * n * n);
    for (guint32 a = 0; a < n; a++) {
        self->left[a] = n_lanes[a];
        self->packet_bytes[a] = 0.0;
        for (guint32 b = 0; b < n; b++)
            self->packet_bytes[a] += a == b ? 0.0 : pair_bytes(self, a, b);
    }
    for (guint32 a = 0, b = 0; find_bottleneck(self, &a, &b);)
        give(self, a, b);
    double end_s = 0.0;
    g_autofree double *incoming = g_new(double, n);
    for (guint32 a = 0; a < n; a++) {
        const guint32 *lanes = self->lanes + (gsize)a * n;
        for (guint32 b = 0; b < n; b++)
            incoming[b] = self->demand[b * n + a];
        end_s =
            MAX(end_s, lp_lane_allotment_time_s(n, self->demand + (gsize)a * n, lanes,
                                                self->lane_bytes_per_s, self->packet_bytes_per_s));
        end_s = MAX(end_s, lp_lane_allotment_time_s(n, incoming, lanes, self->lane_bytes_per_s,
                                                    self->packet_bytes_per_s));
    }
    return end_s;
}

void
lp_lane_allotment(guint32 n, const guint32 *n_lanes, const double *demand, double lane_bytes_per_s,
                  double packet_bytes_per_s, guint32 *out_lanes)
{
    g_autofree guint32 *spread = g_new(guint32, (gsize)n * n);
    Allotment self = {.n = n,
                      .demand = demand,
                      .lane_bytes_per_s = lane_bytes_per_s,
                      .packet_bytes_per_s = packet_bytes_per_s,
                      .left = g_new(guint32, n),
                      .packet_bytes = g_new(double, n),
                      .lanes = spread};
    double spread_s = allot(&self, n_lanes, TRUE);
    self.lanes = out_lanes;
    if (allot(&self, n_lanes, FALSE) >= spread_s)
        memcpy(out_lanes, spread, sizeof *spread * n * n);
    g_free(self.left);
    g_free(self.packet_bytes);
}
