/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the planes of a machine one after the other. */
#include "platforms/plain/routes.h"

/* A plane and the number of its first link. */
typedef struct {
    LpPlane plane;
    const LpPlaneTopology *topology;
    guint32 first;
} Part;

struct LpRoutes {
    guint32 n_parts, n_links;
    Part parts[1 + LP_MACHINE_PLANES_MAX]; /* the scale-up network first */
};

static void
add_part(LpRoutes *self, LpPlane plane)
{
    Part *part = &self->parts[self->n_parts++];
    *part = (Part){plane, lp_plane_topology(&plane), self->n_links};
    self->n_links += (guint32)part->topology->n_links(&part->plane);
}

LpRoutes *
lp_routes_new(const LpMachine *machine)
{
    LpRoutes *self = g_new0(LpRoutes, 1);
    add_part(self, lp_plane(machine, LP_ATTACHMENT_SCALE_UP, 0));
    for (guint32 i = 0; machine->has_scale_out && i < lp_machine_n_planes(machine); i++)
        add_part(self, lp_plane(machine, LP_ATTACHMENT_SCALE_OUT, i));
    return self;
}

void
lp_routes_free(LpRoutes *self)
{
    g_free(self);
}

guint32
lp_routes_n_links(const LpRoutes *self)
{
    return self->n_links;
}

static const Part *
part_of(const LpRoutes *self, guint32 link)
{
    guint32 i = self->n_parts - 1;
    while (self->parts[i].first > link)
        i--;
    return &self->parts[i];
}

LpLink
lp_routes_link(const LpRoutes *self, guint32 link)
{
    const Part *part = part_of(self, link);
    return part->topology->link(&part->plane, link - part->first);
}

char *
lp_routes_link_name(const LpRoutes *self, guint32 link)
{
    const Part *part = part_of(self, link);
    guint32 own = link - part->first;
    g_autofree char *name = part->topology->name(&part->plane, own / 2);
    return g_strconcat(name, own % 2 == 0 ? "_UP" : "_DOWN", NULL);
}

char *
lp_routes_link_place(const LpRoutes *self, guint32 link)
{
    const Part *part = part_of(self, link);
    guint32 own = link - part->first, from = own % 2;
    char *ends[2] = {NULL, NULL};
    part->topology->ends(&part->plane, own / 2, ends);
    g_autofree char *first = ends[0], *second = ends[1];
    g_autofree char *plane = part != &self->parts[0] && self->n_parts > 2
                                 ? g_strdup_printf(", plane %u", (guint32)(part - self->parts) - 1)
                                 : g_strdup("");
    return g_strconcat(from == 0 ? first : second, " to ", from == 0 ? second : first, plane, NULL);
}

LpPlaneBlock
lp_routes_block(const LpRoutes *self, LpAttachment attachment, guint32 plane)
{
    const Part *part = &self->parts[attachment == LP_ATTACHMENT_SCALE_UP ? 0 : 1 + plane];
    const LpMachine *machine = part->plane.machine;
    LpPlaneBlock block =
        part->topology->block == NULL ? (LpPlaneBlock){1, 0} : part->topology->block(&part->plane);
    if (attachment == LP_ATTACHMENT_SCALE_OUT && block.n_own > 0 &&
        lp_pcie_host_is_on_way_out(&machine->pcie_host))
        block.n_own++;
    return block;
}

guint64
lp_routes_link_port(const LpRoutes *self, guint32 link)
{
    const Part *part = part_of(self, link);
    return part->topology->port == NULL
               ? G_MAXUINT64
               : part->topology->port(&part->plane, (link - part->first) / 2);
}

void
lp_routes_add(const LpRoutes *self, LpAttachment attachment, guint32 plane, guint64 from,
              guint64 to, guint32 path, GArray *io_links)
{
    const Part *part = &self->parts[attachment == LP_ATTACHMENT_SCALE_UP ? 0 : 1 + plane];
    guint first = io_links->len;
    part->topology->route(&part->plane, from, to, path, io_links);
    for (guint i = first; i < io_links->len; i++)
        g_array_index(io_links, guint32, i) += part->first;
}

void
lp_routes_add_out(const LpRoutes *self, guint32 plane, guint64 from_accelerator,
                  guint64 to_accelerator, guint32 path, GArray *io_links)
{
    const LpPlane *up = &self->parts[0].plane;
    gboolean has_roots = lp_pcie_host_is_on_way_out(&up->machine->pcie_host);
    if (has_roots) {
        guint32 first = lp_plane_root_link(up, from_accelerator);
        g_array_append_val(io_links, first);
    }
    lp_routes_add(self, LP_ATTACHMENT_SCALE_OUT, plane,
                  lp_machine_port(up->machine, from_accelerator, LP_ATTACHMENT_SCALE_OUT),
                  lp_machine_port(up->machine, to_accelerator, LP_ATTACHMENT_SCALE_OUT), path,
                  io_links);
    if (has_roots) {
        guint32 last = lp_plane_root_link(up, to_accelerator) + 1;
        g_array_append_val(io_links, last);
    }
}
