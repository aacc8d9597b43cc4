/* SPDX-License-Identifier: Apache-2.0 */
/* Ways in tori, plain and twisted, from the numbers of ports alone. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Dimensions of a torus. */
#define LP_TORUS_DIMENSIONS_MAX 6
/** Dimensions of a twisted torus. */
#define LP_TORUS_TWIST_DIMENSIONS_MAX 3

/** Port number: coordinate 0 + size[0] * (coordinate 1 + size[1] * ...). Every port has a link to
 * the next one of each dimension.
 *
 * A twisted torus has sizes n and 2n, both of them. Who leaves it at the end of a dimension of size
 * n comes in at the other end n places on in each dimension of size 2n. n x 2n is the rectangular
 * twisted torus (Camara et al., IEEE Trans. Parallel Distrib. Syst. 21(12), 2010), n x n x 2n is
 * the face-centred, n x 2n x 2n the body-centred cubic lattice (Camarero, Martinez and Beivide,
 * Lattice graphs for high-scale interconnection topologies, IEEE Trans. Parallel Distrib. Syst.
 * 26(9), 2015): all links of such a lattice are alike. */
typedef struct {
    guint32 n_dimensions;                  /**< 0: no torus */
    guint32 size[LP_TORUS_DIMENSIONS_MAX]; /**< ports of each dimension, at least 2 */
    /** Whether ports alternate between the shortest paths where there are several. If not, they
     * take the upward one, as SimGrid's own zone does. */
    gboolean spreads_paths;
    gboolean is_twisted; /**< only with spreads_paths, and lp_torus_can_twist() */
} LpTorus;

/** A path from one port to another: the number of links along each dimension, dimension after
 * dimension; negative: downwards. */
typedef struct {
    gint32 steps[LP_TORUS_DIMENSIONS_MAX];
} LpTorusPath;

/** Ports of a torus: the product of its dimensions. */
guint64 lp_torus_n_ports(const LpTorus *self);
/** Whether the sizes are n and 2n, both of them, in two or three dimensions. */
gboolean lp_torus_can_twist(const LpTorus *self);
/** The coordinates of @port, as many as there are dimensions. */
void lp_torus_coordinates(const LpTorus *self, guint64 port, gint64 *out_at);
/** Links between @a and @b on a shortest way. In a plain torus the shorter way round in each
 * dimension, the Lee distance (Lee, IRE Trans. Inf. Theory 4, 1958). */
guint64 lp_torus_hops(const LpTorus *self, guint64 a, guint64 b);
/** The path from @a to @b, a shortest one. Of m shortest ones, in the order of their steps, ports
 * that alternate take number (sum of @a's coordinates + sum of (d + 1) c_d) mod m, where c_d are
 * the coordinates of @b as seen from @a. So neighbouring ports take different paths, and so does a
 * port towards different peers. */
LpTorusPath lp_torus_path(const LpTorus *self, guint64 a, guint64 b);
/** The port that the link from @port along @dimension leads to, upwards or downwards. */
guint64 lp_torus_neighbour(const LpTorus *self, guint64 port, guint32 dimension,
                           gboolean is_upwards);
/** Links, each for both ways: a dimension of two has one between each two ports, which is both
 * upwards and downwards from either. */
guint64 lp_torus_n_links(const LpTorus *self);
/** A bound of the all-to-all: the bytes that cross the busiest link, one way, when every port sends
 * a byte to every port, if ways of equal length carry equal parts. Equal to ports x mean distance /
 * links of a port where all links are alike. Without turns: those of the ways that are taken. */
double lp_torus_all_to_all_load(const LpTorus *self);

/** For each link the number of pairs of ports whose path crosses it, by ((port * dimensions) +
 * dimension) * 2 + (downwards: 1), where @port is the one that the link leaves. Returns: (transfer
 * full). */
guint64 *lp_torus_crossings(const LpTorus *self);

G_END_DECLS
