/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the sets of classes of links that flows cross, class of flows by class. */
#include "sim/quotient/link_sets.h"

#include "sim/quotient/numbering.h"

#include <stdlib.h>
#include <string.h>

/* A way, as its first flow has it. */
typedef struct {
    guint32 flow_class, first_link, n_links; /* the links: in Builder.links */
} Way;

typedef struct {
    const LpStructure *structure; /* borrowed */
    LpNumbering numbers;
    GArray *ways;  /* owned Way, in the order of their first flows */
    GArray *links; /* owned guint32 */
} Builder;

static int
compare_counts(const void *a, const void *b)
{
    guint32 one = *(const guint32 *)a, other = *(const guint32 *)b;
    return one < other ? -1 : one > other;
}

/* Appends the classes of the links of @flow. Returns: how many. */
static guint32
append_links(Builder *self, const LpFlowOfRun *flow)
{
    const LpStructure *structure = self->structure;
    guint32 begin = self->links->len;
    for (guint32 i = 0; i < lp_flow_of_run_n_links(flow); i++) {
        guint32 link = flow->route->links[i];
        if (!structure->links->binds[link])
            continue;
        guint32 class = structure->of_vertex[structure->link_vertex[link]] -
                        structure->of_vertex[structure->first_link];
        g_array_append_val(self->links, class);
    }
    guint32 n = self->links->len - begin, n_kept = 0;
    guint32 *links = &g_array_index(self->links, guint32, begin);
    if (n > 0)
        qsort(links, n, sizeof *links, compare_counts);
    for (guint32 i = 0; i < n; i++)
        if (i == 0 || links[i] != links[i - 1])
            links[n_kept++] = links[i];
    g_array_set_size(self->links, begin + n_kept);
    return n_kept;
}

/* The number of the way of @flow, among all of the builder's. */
static guint32
find_way(Builder *self, const LpFlowOfRun *flow, guint32 flow_class)
{
    Way way = {.flow_class = flow_class, .first_link = self->links->len};
    way.n_links = append_links(self, flow);
    lp_numbering_add_count(&self->numbers, flow_class);
    for (guint32 i = 0; i < way.n_links; i++)
        lp_numbering_add_count(&self->numbers,
                               g_array_index(self->links, guint32, way.first_link + i));
    guint32 number = lp_numbering_end(&self->numbers);
    if (number == self->ways->len)
        g_array_append_val(self->ways, way);
    else
        g_array_set_size(self->links, way.first_link);
    return number;
}

/* Ways by class of flows. Returns: (transfer full), the place of each in that order. */
static guint32 *
sort_ways(const Builder *self, LpLinkSets *out, guint32 n_flow_classes)
{
    guint32 *places = g_new(guint32, MAX(out->n, 1));
    out->first = g_new0(guint32, n_flow_classes + 1ul);
    for (guint32 i = 0; i < out->n; i++)
        out->first[g_array_index(self->ways, Way, i).flow_class + 1]++;
    for (guint32 i = 0; i < n_flow_classes; i++)
        out->first[i + 1] += out->first[i];
    g_autofree guint32 *next = g_memdup2(out->first, sizeof *next * (n_flow_classes + 1ul));
    for (guint32 i = 0; i < out->n; i++)
        places[i] = next[g_array_index(self->ways, Way, i).flow_class]++;
    return places;
}

static void
write_links(const Builder *self, const guint32 *places, LpLinkSets *out)
{
    out->first_link = g_new0(guint32, out->n + 1ul);
    for (guint32 i = 0; i < out->n; i++)
        out->first_link[places[i] + 1] = g_array_index(self->ways, Way, i).n_links;
    for (guint32 i = 0; i < out->n; i++)
        out->first_link[i + 1] += out->first_link[i];
    out->links = g_new(guint32, MAX(self->links->len, 1));
    for (guint32 i = 0; i < out->n; i++) {
        const Way *way = &g_array_index(self->ways, Way, i);
        if (way->n_links > 0)
            memcpy(out->links + out->first_link[places[i]],
                   &g_array_index(self->links, guint32, way->first_link),
                   sizeof(guint32) * way->n_links);
    }
}

LpLinkSets *
lp_link_sets_new(const LpStructure *structure, const LpFlowList *list, const guint32 *flow_class,
                 guint32 n_flow_classes)
{
    LpLinkSets *self = g_new0(LpLinkSets, 1);
    Builder builder = {.structure = structure,
                       .ways = g_array_new(FALSE, FALSE, sizeof(Way)),
                       .links = g_array_new(FALSE, FALSE, sizeof(guint32))};
    lp_numbering_init(&builder.numbers);
    self->of_flow = g_new(guint32, list->flows->len);
    for (guint32 i = 0; i < list->flows->len; i++)
        self->of_flow[i] =
            find_way(&builder, &g_array_index(list->flows, LpFlowOfRun, i), flow_class[i]);
    self->n = builder.ways->len;
    g_autofree guint32 *places = sort_ways(&builder, self, n_flow_classes);
    write_links(&builder, places, self);
    for (guint32 i = 0; i < list->flows->len; i++)
        self->of_flow[i] = places[self->of_flow[i]];
    lp_numbering_clear(&builder.numbers);
    g_array_unref(builder.ways);
    g_array_unref(builder.links);
    return self;
}

void
lp_link_sets_free(LpLinkSets *self)
{
    if (self == NULL)
        return;
    g_free(self->first);
    g_free(self->first_link);
    g_free(self->links);
    g_free(self->of_flow);
    g_free(self);
}
