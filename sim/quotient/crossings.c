/* SPDX-License-Identifier: Apache-2.0 */
/* Counts crossings of one link of each class, and writes routes that name links as often. */
#include "sim/quotient/crossings.h"

/* A flow of a class crosses a class's link so often on one of its legs. */
typedef struct {
    guint32 leg, link, n;
} Crossing;

typedef struct {
    LpCrossings *crossings;
    const LpStructure *structure; /* borrowed */
    const guint32 *flow_class;    /* borrowed */
    guint32 *n_by_leg; /* borrowed, by class of flows and leg: 0 but for the link at hand */
    GArray *all;       /* borrowed: Crossing */
} Builder;

static guint32
greatest_common_divisor(guint32 a, guint32 b)
{
    while (b > 0) {
        guint32 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Counts how often each class of flows crosses a link of class @class. */
static void
count_crossings(Builder *self, guint32 link, guint32 class)
{
    const LpBindingLinks *links = self->structure->links;
    guint32 begin = self->all->len, divisor = 0;
    for (guint32 i = links->first[link]; i < links->first[link + 1]; i++) {
        guint32 first = self->crossings->first_leg[self->flow_class[links->flows[i]]];
        Crossing crossing = {first + links->legs[i], class, 0};
        if (self->n_by_leg[crossing.leg]++ == 0)
            g_array_append_val(self->all, crossing);
    }
    for (guint32 i = begin; i < self->all->len; i++) {
        Crossing *crossing = &g_array_index(self->all, Crossing, i);
        crossing->n = self->n_by_leg[crossing->leg];
        self->n_by_leg[crossing->leg] = 0;
        divisor = greatest_common_divisor(crossing->n, divisor);
    }
    for (guint32 i = begin; i < self->all->len; i++)
        g_array_index(self->all, Crossing, i).n /= divisor;
    self->crossings->links[class].bytes_per_s /= divisor;
    self->crossings->divisors[class] = divisor;
}

static void
read_links(Builder *self, const LpNetwork *network)
{
    const LpStructure *structure = self->structure;
    LpCrossings *crossings = self->crossings;
    gsize n = structure->first_place - structure->first_link;
    crossings->links = g_new(LpPlainLink, n);
    crossings->divisors = g_new(guint32, n);
    crossings->link_class = g_new(guint32, structure->links->n_links);
    for (guint32 i = 0; i < structure->links->n_links; i++) {
        crossings->link_class[i] = LP_LINK_CLASS_NONE;
        if (!structure->links->binds[i])
            continue;
        guint32 class = structure->of_vertex[structure->link_vertex[i]] -
                        structure->of_vertex[structure->first_link];
        crossings->link_class[i] = class;
        if (class < crossings->n_links)
            continue;
        crossings->links[class].bytes_per_s = lp_network_link(network, i).bytes_per_s;
        crossings->n_links++;
        count_crossings(self, i, class);
    }
}

/* Routes name a link as often as it is crossed. */
static void
write_routes(Builder *self, guint32 n_legs)
{
    LpCrossings *crossings = self->crossings;
    gsize n = 0;
    crossings->flows = g_new0(LpPlainFlow, n_legs);
    for (guint i = 0; i < self->all->len; i++) {
        const Crossing *crossing = &g_array_index(self->all, Crossing, i);
        crossings->flows[crossing->leg].n_links += crossing->n;
        n += crossing->n;
    }
    g_autofree guint32 **ends = g_new(guint32 *, n_legs);
    guint32 *next = crossings->route_links = g_new(guint32, n);
    for (guint32 i = 0; i < n_legs; i++) {
        crossings->flows[i].links = ends[i] = next;
        next += crossings->flows[i].n_links;
    }
    for (guint i = 0; i < self->all->len; i++) {
        const Crossing *crossing = &g_array_index(self->all, Crossing, i);
        for (guint32 k = 0; k < crossing->n; k++)
            *ends[crossing->leg]++ = crossing->link;
    }
}

LpCrossings *
lp_crossings_new(const LpStructure *structure, const LpNetwork *network, const guint32 *flow_class,
                 const guint32 *n_legs, guint32 n_flow_classes)
{
    LpCrossings *self = g_new0(LpCrossings, 1);
    self->first_leg = g_new0(guint32, n_flow_classes + 1ul);
    for (guint32 i = 0; i < n_flow_classes; i++)
        self->first_leg[i + 1] = self->first_leg[i] + n_legs[i];
    g_autofree guint32 *n_by_leg = g_new0(guint32, self->first_leg[n_flow_classes]);
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Crossing));
    Builder builder = {self, structure, flow_class, n_by_leg, all};
    read_links(&builder, network);
    write_routes(&builder, self->first_leg[n_flow_classes]);
    return self;
}

void
lp_crossings_free(LpCrossings *self)
{
    if (self == NULL)
        return;
    g_free(self->links);
    g_free(self->divisors);
    g_free(self->link_class);
    g_free(self->first_leg);
    g_free(self->flows);
    g_free(self->route_links);
    g_free(self);
}
