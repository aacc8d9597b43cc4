/* SPDX-License-Identifier: Apache-2.0 */
/* Tori: dimension after dimension, the shorter way round, as SimGrid's TorusZone has it; or, where
 * ports take turns, the ways of model/network/torus.h. Each port has a link to the next one in
 * every dimension. */
#include "platforms/plain/plain.h"
#include "platforms/plain/plain_torus.h"
#include "platforms/plain/plane.h"

static guint64
torus_n_links(const LpPlane *self)
{
    return 2 * self->cluster->n_hosts * self->cluster->torus.n_dimensions;
}

static LpLink
torus_link(const LpPlane *self, guint32 link)
{
    (void)link;
    LpLink found = self->port;
    found.tier = LP_TIER_TORUS;
    return found;
}

/* Ports from one to the next in @dimension. */
static guint64
stride_of(const LpTorus *self, guint32 dimension)
{
    guint64 stride = 1;
    for (guint32 i = 0; i < dimension; i++)
        stride *= self->size[i];
    return stride;
}

/* The port after or before @at in a dimension of @size, round its end. */
static guint64
neighbour(guint64 at, guint64 stride, guint64 size, gboolean up)
{
    guint64 place = at / stride % size, next = (place + (up ? 1 : size - 1)) % size;
    return at + next * stride - place * stride;
}

static char *
torus_name(const LpPlane *self, guint32 pair)
{
    const LpTorus *torus = &self->cluster->torus;
    guint64 port = pair / torus->n_dimensions;
    guint32 dimension = pair % torus->n_dimensions;
    g_autofree char *id = lp_plain_cluster_id(self->cluster, self->index);
    if (torus->spreads_paths)
        return lp_plain_torus_link_name(id, port, dimension);
    return g_strdup_printf(
        "%s_link_from_%" G_GUINT64_FORMAT "_to_%" G_GUINT64_FORMAT, id, port,
        neighbour(port, stride_of(torus, dimension), torus->size[dimension], TRUE));
}

static void
torus_ends(const LpPlane *self, guint32 pair, char **out_ends)
{
    const LpTorus *torus = &self->cluster->torus;
    guint64 port = pair / torus->n_dimensions;
    guint32 dimension = pair % torus->n_dimensions;
    guint64 next = torus->spreads_paths
                       ? lp_torus_neighbour(torus, port, dimension, TRUE)
                       : neighbour(port, stride_of(torus, dimension), torus->size[dimension], TRUE);
    out_ends[0] = lp_plane_port_text(self, port);
    out_ends[1] = lp_plane_port_text(self, next);
}

/* Whether a route between these places goes upwards: if both ways are as long, SimGrid does unless
 * that would lead round the end of an even dimension from its middle. */
static gboolean
goes_up(guint64 from, guint64 to, guint64 size)
{
    return (to > from && to <= from + size / 2) ||
           (from > size / 2 && (from + size / 2) % size >= to);
}

static void
add_way(const LpTorus *torus, guint64 from, guint64 to, GArray *io_links)
{
    LpTorusPath way = lp_torus_path(torus, from, to);
    for (guint32 i = 0; i < torus->n_dimensions; i++)
        for (gint32 left = ABS(way.steps[i]); left > 0; left--) {
            gboolean up = way.steps[i] > 0;
            guint64 next = lp_torus_neighbour(torus, from, i, up);
            guint32 pair = (guint32)((up ? from : next) * torus->n_dimensions + i);
            guint32 link = 2 * pair + (up ? 0 : 1);
            g_array_append_val(io_links, link);
            from = next;
        }
}

static void
torus_route(const LpPlane *self, guint64 from, guint64 to, guint32 path, GArray *io_links)
{
    (void)path;
    const LpTorus *torus = &self->cluster->torus;
    guint64 at = from, stride = 1;
    if (torus->spreads_paths) {
        add_way(torus, from, to, io_links);
        return;
    }
    for (guint32 i = 0; i < torus->n_dimensions; i++) {
        guint64 size = torus->size[i];
        gboolean up = goes_up(from / stride % size, to / stride % size, size);
        while (at / stride % size != to / stride % size) {
            guint64 next = neighbour(at, stride, size, up);
            guint32 pair = (guint32)((up ? at : next) * torus->n_dimensions + i);
            guint32 link = 2 * pair + (up ? 0 : 1);
            g_array_append_val(io_links, link);
            at = next;
        }
        stride *= size;
    }
}

static guint64
torus_port(const LpPlane *self, guint32 pair)
{
    return pair / self->cluster->torus.n_dimensions;
}

const LpPlaneTopology lp_plane_torus = {.n_links = torus_n_links,
                                        .link = torus_link,
                                        .name = torus_name,
                                        .ends = torus_ends,
                                        .route = torus_route,
                                        .port = torus_port};
