/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts, links and routes of the loaded platform. */
#include "sim/network.h"

#include <simgrid/host.h>
#include <simgrid/link.h>
#include <xbt/dynar.h>
#include <xbt/sysdep.h>

#include <stdint.h>

const char *const lp_tier_names[] = {"scale_up", "port", "leaf", "spine", NULL};

/* Routes keep their links here: each block is filled up, never moved. */
enum {
    ARENA_BLOCK_LINKS = 1 << 16
};
typedef struct {
    GPtrArray *blocks; /* owned arrays of guint32 */
    gsize n_free;      /* in the last block */
} Arena;

struct LpNetwork {
    const LpMachine *machine; /* borrowed from the caller */
    Arena *arena;             /* owned */
    guint32 n_links;
    sg_link_t *handles; /* owned array of borrowed handles, as the engine lists them */
    LpLink *links;      /* owned */
    sg_host_t *hosts[LP_N_ATTACHMENTS]; /* owned arrays of borrowed handles, by port */
};

/* The engine's links carry their index, so that a route's links are found without a table. */
static void
read_links(LpNetwork *self)
{
    self->n_links = (guint32)sg_link_count();
    self->handles = sg_link_list();
    self->links = g_new(LpLink, self->n_links);
    for (guint32 i = 0; i < self->n_links; i++) {
        sg_link_t handle = self->handles[i];
        self->links[i].bytes_per_s = sg_link_get_bandwidth(handle);
        self->links[i].latency_s = sg_link_get_latency(handle);
        sg_link_set_data(handle, (void *)(uintptr_t)i);
        sg_link_set_latency(handle, 0.0);
    }
}

static void
read_hosts(LpNetwork *self, LpAttachment attachment)
{
    const LpCluster *cluster = &self->machine->cluster[attachment];
    self->hosts[attachment] = g_new0(sg_host_t, cluster->n_hosts);
    for (guint64 i = 0; i < cluster->n_hosts; i++) {
        g_autofree char *name =
            g_strdup_printf("%s%" G_GUINT64_FORMAT "%s", cluster->prefix, i, cluster->suffix);
        self->hosts[attachment][i] = sg_host_by_name(name);
        /* The platform was checked to hold every port. */
        g_assert(self->hosts[attachment][i] != NULL);
    }
}

LpNetwork *
lp_network_new(const LpMachine *machine)
{
    LpNetwork *self = g_new0(LpNetwork, 1);
    self->machine = machine;
    self->arena = g_new0(Arena, 1);
    self->arena->blocks = g_ptr_array_new_with_free_func(g_free);
    read_links(self);
    read_hosts(self, LP_ATTACHMENT_SCALE_UP);
    if (machine->has_scale_out)
        read_hosts(self, LP_ATTACHMENT_SCALE_OUT);
    return self;
}

void
lp_network_free(LpNetwork *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->arena->blocks);
    g_free(self->arena);
    xbt_free(self->handles);
    g_free(self->links);
    for (guint i = 0; i < LP_N_ATTACHMENTS; i++)
        g_free(self->hosts[i]);
    g_free(self);
}

const LpMachine *
lp_network_machine(const LpNetwork *self)
{
    return self->machine;
}

guint32
lp_network_n_links(const LpNetwork *self)
{
    return self->n_links;
}

const LpLink *
lp_network_link(const LpNetwork *self, guint32 index)
{
    return &self->links[index];
}

const char *
lp_network_link_name(const LpNetwork *self, guint32 index)
{
    return sg_link_get_name(self->handles[index]);
}

struct s4u_Host *
lp_network_host(const LpNetwork *self, guint64 accelerator, LpAttachment attachment)
{
    return self->hosts[attachment][lp_machine_port(self->machine, accelerator, attachment)];
}

static guint32 *
arena_take(Arena *self, gsize n_links)
{
    if (n_links > self->n_free) {
        self->n_free = MAX(n_links, ARENA_BLOCK_LINKS);
        g_ptr_array_add(self->blocks, g_new(guint32, self->n_free));
    }
    guint32 *block = self->blocks->pdata[self->blocks->len - 1];
    self->n_free -= n_links;
    return block + self->n_free;
}

gboolean
lp_tier_is_shared(LpTier tier)
{
    return tier == LP_TIER_PORT || tier == LP_TIER_SCALE_UP;
}

/* Routes climb to the switch that joins both ends and come down again: the distance from the nearer
 * end is the tier. */
static LpTier
tier_at(LpAttachment attachment, guint32 position, guint32 n_links)
{
    if (attachment == LP_ATTACHMENT_SCALE_UP)
        return LP_TIER_SCALE_UP;
    guint32 height = MIN(position, n_links - 1 - position);
    return height == 0 ? LP_TIER_PORT : height == 1 ? LP_TIER_LEAF : LP_TIER_SPINE;
}

void
lp_network_set_bandwidth(const LpNetwork *self, guint32 link, double bytes_per_s)
{
    sg_link_set_bandwidth(self->handles[link], bytes_per_s);
}

LpRoute
lp_network_route(const LpNetwork *self, guint64 a, guint64 b)
{
    return lp_network_route_over(self, a, b, lp_machine_attachment(self->machine, a, b));
}

LpRoute
lp_network_route_over(const LpNetwork *self, guint64 a, guint64 b, LpAttachment attachment)
{
    LpRoute route = {.from = lp_network_host(self, a, attachment),
                     .to = lp_network_host(self, b, attachment)};
    xbt_dynar_t links = xbt_dynar_new(sizeof(sg_link_t), NULL);
    sg_host_get_route(route.from, route.to, links);
    route.n_links = (guint32)xbt_dynar_length(links);
    guint32 *indices = arena_take(self->arena, route.n_links);
    route.links = indices;
    for (guint32 i = 0; i < route.n_links; i++) {
        sg_link_t handle;
        xbt_dynar_get_cpy(links, i, &handle);
        guint32 index = (guint32)(uintptr_t)sg_link_get_data(handle);
        LpLink *link = &self->links[index];
        indices[i] = index;
        link->tier = tier_at(attachment, i, route.n_links);
        route.latency_s += link->latency_s;
        if (i == 0 || link->bytes_per_s < route.bytes_per_s)
            route.bytes_per_s = link->bytes_per_s;
    }
    xbt_dynar_free(&links);
    return route;
}
