/* SPDX-License-Identifier: Apache-2.0 */
/* Dragonflies and dragonfly+: the one minimal path. Those with gates, several rows or spines are
 * zones of ours, the others SimGrid's DragonflyZone; what differs are names, and that links to
 * group j start at router j (lp_dragonfly_gate()).
 *
 * Links are numbered ports first; then group after group: between the routers of each row, then of
 * each column, or each leaf's to the spines; then between the groups. */
#include "platforms/plain/plain.h"
#include "platforms/plain/plane.h"

/* The place of a port's router: its group, and its number there. */
typedef struct {
    guint32 group, router;
} Site;

static guint32
n_routers(const LpDragonfly *self)
{
    return self->n_rows * self->n_routers;
}

static guint64
n_pairs(guint64 n)
{
    return n * (n - 1) / 2;
}

/* The place of two of @n in the order 0-1, 0-2, ..., 1-2, ...; @a < @b. */
static guint64
pair_number(guint64 a, guint64 b, guint64 n)
{
    return a * n - a * (a + 1) / 2 + b - a - 1;
}

static void
pair_of(guint64 number, guint32 n, guint32 *out_a, guint32 *out_b)
{
    guint32 a = 0;
    for (; number >= n - a - 1; a++)
        number -= n - a - 1;
    *out_a = a;
    *out_b = (guint32)(a + 1 + number);
}

static guint64
n_local(const LpDragonfly *self)
{
    if (self->n_spines > 0)
        return n_routers(self);
    return self->n_rows * n_pairs(self->n_routers) + self->n_routers * n_pairs(self->n_rows);
}

static guint64
first_local(const LpDragonfly *self)
{
    return (guint64)self->n_groups * n_routers(self) * self->n_ports;
}

static guint64
first_global(const LpDragonfly *self)
{
    return first_local(self) + self->n_groups * n_local(self);
}

static guint64
n_all(const LpDragonfly *self)
{
    return first_global(self) + n_pairs(self->n_groups);
}

static guint64
dragonfly_n_links(const LpPlane *self)
{
    return 2 * n_all(&self->cluster->dragonfly);
}

/* Links of a row come before those of the columns. */
static gboolean
is_of_row(const LpDragonfly *self, guint64 local)
{
    return local < self->n_rows * n_pairs(self->n_routers);
}

static LpLink
dragonfly_link(const LpPlane *self, guint32 link)
{
    const LpDragonfly *shape = &self->cluster->dragonfly;
    guint64 pair = link / 2;
    LpLink found = self->port;
    if (pair >= first_global(shape)) {
        found.bytes_per_s *= shape->group_links;
        found.tier = LP_TIER_GLOBAL;
    } else if (pair >= first_local(shape)) {
        gboolean row = is_of_row(shape, (pair - first_local(shape)) % n_local(shape));
        found.bytes_per_s *= shape->n_spines > 0 ? shape->n_spines
                             : row               ? shape->router_links
                                                 : shape->row_links;
        found.tier = shape->n_spines > 0 ? LP_TIER_LEAF : LP_TIER_LOCAL;
    }
    return found;
}

/* The routers that the local link of this number joins, in groups of @n columns. */
static void
local_ends(const LpDragonfly *self, guint64 local, guint32 n, guint32 *out_a, guint32 *out_b)
{
    if (is_of_row(self, local)) {
        guint32 row = (guint32)(local / n_pairs(n));
        pair_of(local % n_pairs(n), n, out_a, out_b);
        *out_a += row * n;
        *out_b += row * n;
        return;
    }
    local -= self->n_rows * n_pairs(n);
    guint32 column = (guint32)(local / n_pairs(self->n_rows));
    pair_of(local % n_pairs(self->n_rows), self->n_rows, out_a, out_b);
    *out_a = *out_a * n + column;
    *out_b = *out_b * n + column;
}

/* --- names --- */

/* The name of a link in the zones of platforms/plain/plain_zones.c. */
static char *
own_name(const LpPlane *self, guint64 pair)
{
    const LpDragonfly *shape = &self->cluster->dragonfly;
    g_autofree char *id = lp_plain_cluster_id(self->cluster, self->index);
    guint32 a = 0, b = 0;
    if (pair >= first_global(shape)) {
        pair_of(pair - first_global(shape), shape->n_groups, &a, &b);
        return g_strdup_printf("%s" LP_PLAIN_GLOBAL_LINK "%u-%u", id, a, b);
    }
    if (pair < first_local(shape)) {
        guint64 router = pair / shape->n_ports;
        return g_strdup_printf("%s:%u:%u_link_%u", id, (guint32)(router / n_routers(shape)),
                               (guint32)(router % n_routers(shape)), (guint32)pair);
    }
    guint32 group = (guint32)((pair - first_local(shape)) / n_local(shape));
    guint64 local = (pair - first_local(shape)) % n_local(shape);
    if (shape->n_spines > 0)
        return g_strdup_printf("%s" LP_PLAIN_LEAF_LINK "%u:%u", id, group, (guint32)local);
    local_ends(shape, local, shape->n_routers, &a, &b);
    return g_strdup_printf("%s" LP_PLAIN_LOCAL_LINK "%u:%u-%u", id, group, a, b);
}

/* SimGrid's own, of groups of one row. Links of one plane are counted on in the next. */
static char *
engine_name(const LpPlane *self, guint64 pair)
{
    const LpDragonfly *shape = &self->cluster->dragonfly;
    guint64 number = self->index * n_all(shape) + pair;
    guint32 a = 0, b = 0;
    if (pair < first_local(shape))
        return g_strdup_printf("local_link_from_router_%u_to_node_%u_%" G_GUINT64_FORMAT,
                               (guint32)(pair / shape->n_ports), (guint32)(pair % shape->n_ports),
                               number);
    if (pair < first_global(shape)) {
        pair_of((pair - first_local(shape)) % n_local(shape), shape->n_routers, &a, &b);
        return g_strdup_printf(
            "green_link_in_chassis_0_between_routers_%u_and_%u_%" G_GUINT64_FORMAT, a, b, number);
    }
    pair_of(pair - first_global(shape), shape->n_groups, &a, &b);
    return g_strdup_printf("blue_link_between_group_%u_and_%u_routers_%u_and_%u_%" G_GUINT64_FORMAT,
                           a, b, a * shape->n_routers + b, b * shape->n_routers + a, number);
}

static char *
dragonfly_name(const LpPlane *self, guint32 pair)
{
    return lp_plain_is_zones(self->cluster) ? own_name(self, pair) : engine_name(self, pair);
}

/* --- in words --- */

static char *
router_text(const LpDragonfly *self, guint32 group, guint32 router)
{
    return g_strdup_printf("%s %u of group %u", self->n_spines > 0 ? "leaf" : "router", router,
                           group);
}

static void
dragonfly_ends(const LpPlane *self, guint32 pair, char **out_ends)
{
    const LpDragonfly *shape = &self->cluster->dragonfly;
    guint32 a = 0, b = 0, n = shape->n_routers;
    if (pair >= first_global(shape)) {
        pair_of(pair - first_global(shape), shape->n_groups, &a, &b);
        out_ends[0] = g_strdup_printf("group %u", a);
        out_ends[1] = g_strdup_printf("group %u", b);
        return;
    }
    if (pair < first_local(shape)) {
        guint32 router = pair / shape->n_ports;
        out_ends[0] = lp_plane_port_text(self, pair);
        out_ends[1] = router_text(shape, router / n_routers(shape), router % n_routers(shape));
        return;
    }
    guint32 group = (guint32)((pair - first_local(shape)) / n_local(shape));
    guint64 local = (pair - first_local(shape)) % n_local(shape);
    if (shape->n_spines > 0) {
        out_ends[0] = router_text(shape, group, (guint32)local);
        out_ends[1] = g_strdup_printf("spines of group %u", group);
        return;
    }
    local_ends(shape, local, n, &a, &b);
    out_ends[0] = router_text(shape, group, a);
    out_ends[1] = router_text(shape, group, b);
}

/* --- routes --- */

static Site
site_of(const LpDragonfly *self, guint64 port)
{
    guint64 router = port / self->n_ports;
    return (Site){(guint32)(router / n_routers(self)), (guint32)(router % n_routers(self))};
}

static void
add(GArray *io_links, guint64 pair, gboolean up)
{
    guint32 link = (guint32)(2 * pair + (up ? 0 : 1));
    g_array_append_val(io_links, link);
}

/* Over the link that joins two routers of a row or column. */
static void
add_step(const LpDragonfly *self, guint32 group, guint32 from, guint32 to, GArray *io_links)
{
    if (from == to)
        return;
    guint32 a = MIN(from, to), b = MAX(from, to), n = self->n_routers;
    guint64 local = a / n == b / n ? a / n * n_pairs(n) + pair_number(a % n, b % n, n)
                                   : self->n_rows * n_pairs(n) + a % n * n_pairs(self->n_rows) +
                                         pair_number(a / n, b / n, self->n_rows);
    add(io_links, first_local(self) + group * n_local(self) + local, from < to);
}

/* The way from the router before in number leads along its row first; the way back is the same
 * one. */
static void
add_local(const LpDragonfly *self, guint32 group, guint32 from, guint32 to, GArray *io_links)
{
    guint32 a = MIN(from, to), b = MAX(from, to), n = self->n_routers;
    guint32 corner = a / n * n + b % n;
    add_step(self, group, from, corner, io_links);
    add_step(self, group, corner, to, io_links);
}

static void
add_leaf(const LpDragonfly *self, Site site, gboolean up, GArray *io_links)
{
    add(io_links, first_local(self) + site.group * n_local(self) + site.router, up);
}

/* Between routers, over spines or other routers. */
static void
add_between(const LpDragonfly *self, Site from, Site to, GArray *io_links)
{
    gboolean leaves = from.group != to.group;
    guint32 a = MIN(from.group, to.group), b = MAX(from.group, to.group);
    guint64 global = leaves ? first_global(self) + pair_number(a, b, self->n_groups) : 0;
    if (self->n_spines > 0) {
        add_leaf(self, from, TRUE, io_links);
        if (leaves)
            add(io_links, global, from.group < to.group);
        add_leaf(self, to, FALSE, io_links);
        return;
    }
    if (!leaves) {
        add_local(self, from.group, from.router, to.router, io_links);
        return;
    }
    add_local(self, from.group, from.router, lp_dragonfly_gate(self, from.group, to.group),
              io_links);
    add(io_links, global, from.group < to.group);
    add_local(self, to.group, lp_dragonfly_gate(self, to.group, from.group), to.router, io_links);
}

static void
dragonfly_route(const LpPlane *self, guint64 from, guint64 to, guint32 path, GArray *io_links)
{
    (void)path;
    const LpDragonfly *shape = &self->cluster->dragonfly;
    Site a = site_of(shape, from), b = site_of(shape, to);
    add(io_links, from, TRUE);
    if (a.group != b.group || a.router != b.router)
        add_between(shape, a, b, io_links);
    add(io_links, to, FALSE);
}

/* The ports of a router. */
static LpPlaneBlock
dragonfly_block(const LpPlane *self)
{
    return (LpPlaneBlock){self->cluster->dragonfly.n_ports, 1};
}

const LpPlaneTopology lp_plane_dragonfly = {.n_links = dragonfly_n_links,
                                            .link = dragonfly_link,
                                            .name = dragonfly_name,
                                            .ends = dragonfly_ends,
                                            .route = dragonfly_route,
                                            .block = dragonfly_block};
