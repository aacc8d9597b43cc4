/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest ways in tori: a twisted torus is the grid of whole numbers modulo a lattice. */
#include "model/network/torus.h"

#include <string.h>

/* The ways between two ports that are equally short. From places of which none is negative or
 * beyond the end, a shortest way wraps around a dimension at most once, either way. */
enum {
    WRAPS = 1,
    WAYS_MAX = 64 /* 2^6 of a plain torus; (2 WRAPS + 1)^3 of a twisted one are fewer */
};
typedef struct {
    guint32 n_ways;
    guint64 n_hops;
    LpTorusPath ways[WAYS_MAX]; /* in the order of their steps */
} Shortest;

guint64
lp_torus_n_ports(const LpTorus *self)
{
    guint64 n = 1;
    for (guint32 i = 0; i < self->n_dimensions; i++)
        n *= self->size[i];
    return n;
}

static guint32
smallest(const LpTorus *self)
{
    guint32 size = self->size[0];
    for (guint32 i = 1; i < self->n_dimensions; i++)
        size = MIN(size, self->size[i]);
    return size;
}

gboolean
lp_torus_can_twist(const LpTorus *self)
{
    guint32 n = smallest(self), n_short = 0;
    for (guint32 i = 0; i < self->n_dimensions; i++) {
        if (self->size[i] != n && self->size[i] != 2 * n)
            return FALSE;
        n_short += self->size[i] == n ? 1 : 0;
    }
    return n_short < self->n_dimensions && self->n_dimensions <= LP_TORUS_TWIST_DIMENSIONS_MAX;
}

void
lp_torus_coordinates(const LpTorus *self, guint64 port, gint64 *out_at)
{
    for (guint32 i = 0; i < self->n_dimensions; i++) {
        out_at[i] = (gint64)(port % self->size[i]);
        port /= self->size[i];
    }
}

/* Goes round dimension @d so often, which changes the coordinates but not the port. */
static void
wrap(const LpTorus *self, gint64 *at, guint32 d, gint64 times)
{
    at[d] += times * self->size[d];
    if (!self->is_twisted || self->size[d] != smallest(self))
        return;
    for (guint32 i = 0; i < self->n_dimensions; i++)
        if (self->size[i] != self->size[d])
            at[i] += times * self->size[d];
}

/* The coordinates of the port that @at leads to: first around the dimensions that shift others. */
static void
reduce(const LpTorus *self, gint64 *at)
{
    guint32 n = smallest(self);
    for (guint32 pass = 0; pass < 2; pass++)
        for (guint32 d = 0; d < self->n_dimensions; d++) {
            gint64 size = self->size[d];
            if ((self->size[d] == n) == (pass == 0))
                wrap(self, at, d, -((at[d] - (at[d] % size + size) % size) / size));
        }
}

/* Whether a step up and a step down meet the same port over one link. */
static gboolean
has_one_link(const LpTorus *self, guint32 d)
{
    return self->size[d] == 2 && !self->is_twisted;
}

guint64
lp_torus_n_links(const LpTorus *self)
{
    guint64 n_ports = lp_torus_n_ports(self), n = 0;
    for (guint32 d = 0; d < self->n_dimensions; d++)
        n += has_one_link(self, d) ? n_ports / 2 : n_ports;
    return n;
}

/* The shorter ways round a dimension of a plain torus: one or two. */
static guint32
ways_round(const LpTorus *self, guint32 d, gint64 apart, gint32 *out_steps)
{
    gint64 size = self->size[d], up = (apart % size + size) % size;
    if (2 * up < size || (2 * up == size && (!self->spreads_paths || has_one_link(self, d)))) {
        out_steps[0] = (gint32)up;
        return 1;
    }
    out_steps[0] = (gint32)(up - size);
    out_steps[1] = (gint32)up;
    return 2 * up == size ? 2 : 1;
}

/* Every combination of the ways round each dimension. */
static void
find_plain(const LpTorus *self, const gint64 *apart, Shortest *out)
{
    *out = (Shortest){.n_ways = 1};
    for (guint32 d = 0; d < self->n_dimensions; d++) {
        gint32 steps[2];
        guint32 n = ways_round(self, d, apart[d], steps);
        for (guint32 i = out->n_ways; i-- > 0;)
            for (guint32 k = n; k-- > 0;) {
                LpTorusPath way = out->ways[i];
                way.steps[d] = steps[k];
                out->ways[i * n + k] = way;
            }
        out->n_ways *= n;
        out->n_hops += (guint64)ABS(steps[0]);
    }
}

/* Ways in the order of their steps: the first dimension in which they differ decides. */
static gboolean
comes_before(const LpTorusPath *a, const LpTorusPath *b)
{
    guint32 d = 0;
    while (d + 1 < LP_TORUS_DIMENSIONS_MAX && a->steps[d] == b->steps[d])
        d++;
    return a->steps[d] < b->steps[d];
}

static void
keep_if_short(const LpTorus *self, const gint64 *at, Shortest *out)
{
    LpTorusPath way = {{0}};
    guint64 n_hops = 0;
    for (guint32 i = 0; i < self->n_dimensions; i++) {
        way.steps[i] = (gint32)at[i];
        n_hops += (guint64)ABS(at[i]);
    }
    if (n_hops > out->n_hops)
        return;
    if (n_hops < out->n_hops)
        out->n_ways = 0;
    out->n_hops = n_hops;
    guint32 place = out->n_ways++;
    for (; place > 0 && comes_before(&way, &out->ways[place - 1]); place--)
        out->ways[place] = out->ways[place - 1];
    out->ways[place] = way;
}

/* Steps that are equal modulo the lattice lead to the same port: the shortest of all of them. */
static void
find_twisted(const LpTorus *self, const gint64 *apart, Shortest *out)
{
    guint32 n_choices = 1;
    *out = (Shortest){.n_hops = G_MAXUINT64};
    for (guint32 d = 0; d < self->n_dimensions; d++)
        n_choices *= 2 * WRAPS + 1;
    for (guint32 choice = 0; choice < n_choices; choice++) {
        gint64 at[LP_TORUS_TWIST_DIMENSIONS_MAX];
        memcpy(at, apart, sizeof *at * self->n_dimensions);
        guint32 left = choice;
        for (guint32 d = 0; d < self->n_dimensions; d++) {
            wrap(self, at, d, (gint64)(left % (2 * WRAPS + 1)) - WRAPS);
            left /= 2 * WRAPS + 1;
        }
        keep_if_short(self, at, out);
    }
}

static void
find_shortest(const LpTorus *self, const gint64 *apart, Shortest *out)
{
    if (self->is_twisted)
        find_twisted(self, apart, out);
    else
        find_plain(self, apart, out);
}

/* The place of @b as seen from @a: of the port that the same steps lead to from port 0. */
static void
find_apart(const LpTorus *self, guint64 a, guint64 b, gint64 *out_apart)
{
    gint64 from[LP_TORUS_DIMENSIONS_MAX] = {0}, to[LP_TORUS_DIMENSIONS_MAX] = {0};
    lp_torus_coordinates(self, a, from);
    lp_torus_coordinates(self, b, to);
    for (guint32 i = 0; i < self->n_dimensions; i++)
        out_apart[i] = to[i] - from[i];
    reduce(self, out_apart);
}

/* The fast way for the many calls of the closed form. */
static guint64
lee_distance(const LpTorus *self, guint64 a, guint64 b)
{
    guint64 hops = 0;
    for (guint32 i = 0; i < self->n_dimensions; i++) {
        guint64 size = self->size[i];
        guint64 apart = (a % size + size - b % size) % size;
        hops += MIN(apart, size - apart);
        a /= size;
        b /= size;
    }
    return hops;
}

guint64
lp_torus_hops(const LpTorus *self, guint64 a, guint64 b)
{
    if (!self->is_twisted)
        return lee_distance(self, a, b);
    gint64 apart[LP_TORUS_DIMENSIONS_MAX] = {0};
    Shortest shortest;
    find_apart(self, a, b, apart);
    find_shortest(self, apart, &shortest);
    return shortest.n_hops;
}

LpTorusPath
lp_torus_path(const LpTorus *self, guint64 a, guint64 b)
{
    gint64 from[LP_TORUS_DIMENSIONS_MAX] = {0}, apart[LP_TORUS_DIMENSIONS_MAX] = {0}, turn = 0;
    Shortest shortest;
    find_apart(self, a, b, apart);
    find_shortest(self, apart, &shortest);
    if (shortest.n_ways == 1)
        return shortest.ways[0];
    lp_torus_coordinates(self, a, from);
    for (guint32 i = 0; i < self->n_dimensions; i++)
        turn += from[i] + (gint64)(i + 1) * apart[i];
    return shortest.ways[turn % shortest.n_ways];
}

guint64
lp_torus_neighbour(const LpTorus *self, guint64 port, guint32 dimension, gboolean is_upwards)
{
    gint64 at[LP_TORUS_DIMENSIONS_MAX] = {0};
    lp_torus_coordinates(self, port, at);
    at[dimension] += is_upwards ? 1 : -1;
    reduce(self, at);
    guint64 neighbour = 0;
    for (guint32 i = self->n_dimensions; i-- > 0;)
        neighbour = neighbour * self->size[i] + (guint64)at[i];
    return neighbour;
}

/* Links are alike along a dimension: what crosses one upwards are all steps upwards from one port.
 */
double
lp_torus_all_to_all_load(const LpTorus *self)
{
    double load[LP_TORUS_DIMENSIONS_MAX][2] = {{0.0}}, most = 0.0;
    guint64 n = lp_torus_n_ports(self);
    Shortest shortest;
    for (guint64 port = 0; port < n; port++) {
        gint64 apart[LP_TORUS_DIMENSIONS_MAX] = {0};
        lp_torus_coordinates(self, port, apart);
        find_shortest(self, apart, &shortest);
        for (guint32 i = 0; i < shortest.n_ways; i++)
            for (guint32 d = 0; d < self->n_dimensions; d++) {
                gint32 steps = shortest.ways[i].steps[d];
                load[d][steps < 0 ? 1 : 0] += ABS(steps) / (double)shortest.n_ways;
            }
    }
    for (guint32 d = 0; d < self->n_dimensions; d++)
        most = MAX(most, MAX(load[d][0], load[d][1]));
    return most;
}

static void
walk(const LpTorus *self, guint64 from, guint64 to, guint64 *crossings)
{
    LpTorusPath way = lp_torus_path(self, from, to);
    for (guint32 d = 0; d < self->n_dimensions; d++)
        for (gint32 left = ABS(way.steps[d]); left > 0; left--) {
            gboolean is_upwards = way.steps[d] > 0;
            crossings[(from * self->n_dimensions + d) * 2 + (is_upwards ? 0 : 1)]++;
            from = lp_torus_neighbour(self, from, d, is_upwards);
        }
}

/* Without turns all ports send alike, so that all links of a direction are crossed alike. */
static void
spread(const LpTorus *self, guint64 *crossings)
{
    guint64 n = lp_torus_n_ports(self), n_each = (guint64)self->n_dimensions * 2;
    g_autofree guint64 *all = g_new0(guint64, n * n_each);
    for (guint64 to = 0; to < n; to++)
        walk(self, 0, to, all);
    for (guint64 k = 0; k < n_each; k++) {
        guint64 sum = 0;
        for (guint64 port = 0; port < n; port++)
            sum += all[port * n_each + k];
        for (guint64 port = 0; port < n; port++)
            crossings[port * n_each + k] = sum;
    }
}

guint64 *
lp_torus_crossings(const LpTorus *self)
{
    guint64 n = lp_torus_n_ports(self);
    guint64 *crossings = g_new0(guint64, n * self->n_dimensions * 2);
    if (!self->spreads_paths) {
        spread(self, crossings);
        return crossings;
    }
    for (guint64 from = 0; from < n; from++)
        for (guint64 to = 0; to < n; to++)
            walk(self, from, to, crossings);
    return crossings;
}
