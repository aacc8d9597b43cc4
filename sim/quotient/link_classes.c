/* SPDX-License-Identifier: Apache-2.0 */
/* Counts crossings at one link of each class, and sorts them by classes of flows. */
#include "sim/quotient/link_classes.h"

#include <string.h>

/* Flows of a class cross each link of a class so often. */
typedef struct {
    guint32 flow, link;
    double n;
} Crossing;

typedef struct {
    LpLinkClasses *links;
    const LpStructure *structure; /* borrowed */
    const LpFlowList *list;       /* borrowed */
    const LpNetwork *network;     /* borrowed */
    const guint32 *flow_class;    /* borrowed */
    double *n_crossings;          /* owned, by class of flows: 0 in between */
    GArray *of_links, *of_owned;  /* owned Crossing */
    guint32 *owned_number; /* owned, by link by owner: its class among those that hold nothing back,
                              or among links */
    guint32 *first_owned;  /* owned, by link and one beyond: among links by owner */
} Builder;

/* The number of the class of @vertex among those of its kind, of which @first is the first. */
static guint32
class_of(const Builder *self, guint32 vertex, guint32 first)
{
    return self->structure->of_vertex[vertex] - self->structure->of_vertex[first];
}

/* @first, @end: in LpBindingLinks.flows. */
static void
count(Builder *self, guint32 first, guint32 end, guint32 class, GArray *out)
{
    guint32 begin = out->len;
    for (guint32 i = first; i < end; i++) {
        Crossing crossing = {self->flow_class[self->structure->links->flows[i]], class, 0.0};
        if (!(self->n_crossings[crossing.flow] > 0.0))
            g_array_append_val(out, crossing);
        self->n_crossings[crossing.flow] += self->structure->links->weights[i];
    }
    for (guint32 i = begin; i < out->len; i++) {
        Crossing *crossing = &g_array_index(out, Crossing, i);
        crossing->n = self->n_crossings[crossing->flow];
        self->n_crossings[crossing->flow] = 0.0;
    }
}

static void
add_class(Builder *self, guint32 link)
{
    LpLinkClasses *links = self->links;
    LpLink described = lp_network_link(self->network, link);
    links->bytes_per_s[links->n_links] = described.bytes_per_s;
    links->is_shared[links->n_links] = lp_tier_is_shared(described.tier);
    links->lowest[links->n_links++] = link;
}

static void
count_links(Builder *self)
{
    const LpStructure *structure = self->structure;
    for (guint32 i = 0; i < structure->links->n_links; i++) {
        if (!structure->links->binds[i])
            continue;
        guint32 class = class_of(self, structure->link_vertex[i], structure->first_link);
        if (class == self->links->n_links) {
            add_class(self, i);
            count(self, structure->links->first[i], structure->links->first[i + 1], class,
                  self->of_links);
        }
        self->links->n_alike[class]++;
    }
}

/* Counts the links by owner. On tiers where owners do not meet, they count like other links; on
 * other tiers they are counted from 0. All links of a class are of the same kind. */
static void
count_owned(Builder *self)
{
    const LpStructure *structure = self->structure;
    LpLinkClasses *links = self->links;
    guint32 n = structure->owned->len, n_classes = 0;
    g_autofree guint32 *numbers = g_new(guint32, n);
    self->owned_number = g_new(guint32, n);
    for (guint32 i = 0; i < n; i++) {
        const LpOwnedLink *own = &g_array_index(structure->owned, LpOwnedLink, i);
        guint32 class = class_of(self, structure->first_owned + i, structure->first_owned);
        gboolean is_binding = structure->links->binds[own->link];
        if (class == n_classes) {
            numbers[n_classes++] = is_binding ? links->n_owned++ : links->n_links;
            if (!is_binding)
                add_class(self, own->link);
            count(self, own->first, own->end, numbers[class],
                  is_binding ? self->of_owned : self->of_links);
        }
        self->owned_number[i] = numbers[class];
        self->first_owned[own->link + 1] = i + 1;
        if (!is_binding)
            links->n_alike[numbers[class]]++;
    }
    for (guint32 link = 0; link < structure->links->n_links; link++)
        self->first_owned[link + 1] = MAX(self->first_owned[link + 1], self->first_owned[link]);
}

/* --- uses --- */

/* Crossings by class of flows. */
typedef struct {
    Crossing *all;  /* owned */
    guint32 *first; /* owned, by class of flows and one beyond */
} Sorted;

static Sorted
sort(const GArray *crossings, guint32 n_flows)
{
    Sorted self = {g_new(Crossing, MAX(crossings->len, 1)), g_new0(guint32, n_flows + 1ul)};
    for (guint i = 0; i < crossings->len; i++)
        self.first[g_array_index(crossings, Crossing, i).flow + 1]++;
    for (guint32 i = 0; i < n_flows; i++)
        self.first[i + 1] += self.first[i];
    g_autofree guint32 *next = g_memdup2(self.first, sizeof *next * (n_flows + 1ul));
    for (guint i = 0; i < crossings->len; i++) {
        const Crossing *crossing = &g_array_index(crossings, Crossing, i);
        self.all[next[crossing->flow]++] = *crossing;
    }
    return self;
}

static void
sorted_clear(Sorted *self)
{
    g_free(self->all);
    g_free(self->first);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sorted, sorted_clear)

static double
n_of(const Sorted *self, guint32 flow_class, guint32 link)
{
    for (guint32 i = self->first[flow_class]; i < self->first[flow_class + 1]; i++)
        if (self->all[i].link == link)
            return self->all[i].n;
    return 0.0;
}

/* The number of @link as the owner of @flow has it. */
static guint32
owned_number(const Builder *self, guint32 flow, guint32 link)
{
    const LpStructure *structure = self->structure;
    for (guint32 i = self->first_owned[link]; i < self->first_owned[link + 1]; i++) {
        const LpOwnedLink *own = &g_array_index(structure->owned, LpOwnedLink, i);
        for (guint32 k = own->first; k < own->end; k++)
            if (structure->links->flows[k] == flow)
                return self->owned_number[i];
    }
    return LP_OWNED_NONE;
}

/* The classes that @link is in for @flow; nothing where it holds nothing back. */
static LpLinkUse
find_use(const Builder *self, guint32 flow, guint32 link)
{
    guint32 owned = owned_number(self, flow, link);
    if (!self->structure->links->binds[link])
        return (LpLinkUse){.link = owned, .owned = LP_OWNED_NONE};
    return (LpLinkUse){
        .link = class_of(self, self->structure->link_vertex[link], self->structure->first_link),
        .owned = owned};
}

static gboolean
has_use(const GArray *uses, guint32 begin, guint32 link)
{
    for (guint32 i = begin; i < uses->len; i++)
        if (g_array_index(uses, LpLinkUse, i).link == link)
            return TRUE;
    return FALSE;
}

/* Adds the links that @flow, the first of its class, uses. */
static void
add_uses(const Builder *self, guint32 flow, const Sorted *of_links, const Sorted *of_owned,
         GArray *uses)
{
    const LpFlowOfRun *own = &g_array_index(self->list->flows, LpFlowOfRun, flow);
    guint32 n = lp_flow_of_run_n_links(own), class = self->flow_class[flow], begin = uses->len;
    for (guint32 i = 0; i < n; i++) {
        LpLinkUse use = find_use(self, flow, own->route->links[lp_link_order(i, n)]);
        if (use.link == LP_OWNED_NONE || has_use(uses, begin, use.link))
            continue;
        use.n = n_of(of_links, class, use.link);
        use.n_own = use.owned == LP_OWNED_NONE ? 0.0 : n_of(of_owned, class, use.owned);
        use.held = (double)self->links->n_members[class] / self->links->n_alike[use.link];
        g_array_append_val(uses, use);
    }
}

static void
find_uses(const Builder *self)
{
    LpLinkClasses *links = self->links;
    g_auto(Sorted) of_links = sort(self->of_links, links->n_flows);
    g_auto(Sorted) of_owned = sort(self->of_owned, links->n_flows);
    GArray *uses = g_array_new(FALSE, FALSE, sizeof(LpLinkUse));
    guint32 n_known = 0;
    for (guint32 flow = 0; flow < self->list->flows->len; flow++) {
        if (self->flow_class[flow] < n_known)
            continue;
        links->first_use[n_known++] = uses->len;
        add_uses(self, flow, &of_links, &of_owned, uses);
    }
    links->first_use[links->n_flows] = uses->len;
    links->uses = (gpointer)g_array_free(uses, FALSE);
}

/* A class of flows that may go several ways is on the links of all of them; where that is assumed,
 * it is checked way by way. */
static void
find_uses_of_all(const Builder *self)
{
    LpLinkClasses *links = self->links;
    g_auto(Sorted) of_links = sort(self->of_links, links->n_flows);
    links->uses = g_new0(LpLinkUse, MAX(self->of_links->len, 1));
    memcpy(links->first_use, of_links.first, sizeof *links->first_use * (links->n_flows + 1ul));
    for (guint i = 0; i < self->of_links->len; i++)
        links->uses[i] = (LpLinkUse){
            .link = of_links.all[i].link, .n = of_links.all[i].n, .owned = LP_OWNED_NONE};
    if (self->structure->is_assumed)
        links->ways =
            lp_link_sets_new(self->structure, self->list, self->flow_class, links->n_flows);
}

LpLinkClasses *
lp_link_classes_new(const LpStructure *structure, const LpFlowList *list, const LpNetwork *network,
                    const guint32 *flow_class, guint32 n_flow_classes)
{
    LpLinkClasses *self = g_new0(LpLinkClasses, 1);
    guint32 n_max = structure->first_place - structure->first_link;
    *self = (LpLinkClasses){.bytes_per_s = g_new(double, n_max),
                            .is_shared = g_new(gboolean, n_max),
                            .lowest = g_new(guint32, n_max),
                            .n_alike = g_new0(guint32, n_max),
                            .n_flows = n_flow_classes,
                            .n_members = g_new0(guint32, n_flow_classes),
                            .first_use = g_new0(guint32, n_flow_classes + 1ul)};
    Builder builder = {.links = self,
                       .structure = structure,
                       .list = list,
                       .network = network,
                       .flow_class = flow_class,
                       .n_crossings = g_new0(double, n_flow_classes),
                       .of_links = g_array_new(FALSE, FALSE, sizeof(Crossing)),
                       .of_owned = g_array_new(FALSE, FALSE, sizeof(Crossing)),
                       .first_owned = g_new0(guint32, structure->links->n_links + 1ul)};
    for (guint32 i = 0; i < list->flows->len; i++)
        self->n_members[flow_class[i]]++;
    count_links(&builder);
    count_owned(&builder);
    if (structure->is_assumed || structure->is_cut)
        find_uses_of_all(&builder);
    else
        find_uses(&builder);
    g_free(builder.n_crossings);
    g_free(builder.owned_number);
    g_free(builder.first_owned);
    g_array_unref(builder.of_links);
    g_array_unref(builder.of_owned);
    return self;
}

void
lp_link_classes_free(LpLinkClasses *self)
{
    if (self == NULL)
        return;
    g_free(self->bytes_per_s);
    g_free(self->is_shared);
    g_free(self->lowest);
    g_free(self->n_alike);
    g_free(self->n_members);
    g_free(self->first_use);
    g_free(self->uses);
    lp_link_sets_free(self->ways);
    g_free(self);
}
