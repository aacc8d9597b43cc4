/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the quotient from a run's refined structure. */
#include "sim/quotient/quotient.h"

#include "sim/quotient/structure.h"

struct LpQuotient {
    const LpCommunicationMap *map;      /* borrowed */
    LpFlowList *list;                   /* owned */
    LpRankEquivalence *ranks;           /* owned */
    guint32 *n_ranks;                   /* owned, by class */
    GArray *communicators[LP_N_GROUPS]; /* owned LpCommunicatorClass, by class */
    guint32 *flow_class;                /* owned, by flow */
    guint32 n_flow_classes;
    LpRoute *routes;      /* owned, by class of flows */
    guint32 *route_links; /* owned: of all of them */
    LpPlainLink *links;   /* owned, by class of links */
    LpPort *ends;         /* owned, by class of flows: two for each */
    guint32 n_link_classes, n_links_crossed;
};

static const LpFlowOfRun *
flow_at(const LpFlowList *list, guint32 i)
{
    return &g_array_index(list->flows, LpFlowOfRun, i);
}

static const LpCommunicatorOfRun *
communicator_at(const LpFlowList *list, guint32 i)
{
    return &g_array_index(list->communicators, LpCommunicatorOfRun, i);
}

/* A quotient that is read from its structure. */
typedef struct {
    LpQuotient *quotient;
    const LpStructure *structure; /* borrowed */
} Builder;

/* The class of @vertex among those of its kind, of which @first is the first. */
static guint32
class_of(const Builder *self, guint32 vertex, guint32 first)
{
    return self->structure->of_vertex[vertex] - self->structure->of_vertex[first];
}

static void
read_ranks(Builder *self)
{
    guint64 n = self->quotient->map->n_ranks;
    LpRankEquivalence *ranks = self->quotient->ranks = g_new0(LpRankEquivalence, 1);
    ranks->of_rank = g_new(guint32, n);
    for (guint32 rank = 0; rank < n; rank++) {
        ranks->of_rank[rank] = class_of(self, rank, 0);
        ranks->n_classes = MAX(ranks->n_classes, ranks->of_rank[rank] + 1);
    }
    ranks->first = g_new(guint64, ranks->n_classes);
    self->quotient->n_ranks = g_new0(guint32, ranks->n_classes);
    for (guint64 rank = n; rank-- > 0;) {
        ranks->first[ranks->of_rank[rank]] = rank;
        self->quotient->n_ranks[ranks->of_rank[rank]]++;
    }
}

/* In the order of the communicator's lowest members. */
static LpMemberClasses
read_members(const Builder *self, guint32 communicator, guint32 n_members)
{
    g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
    LpMemberClasses members = {.of_member = g_new(guint32, n_members),
                               .first = g_new(guint32, n_members),
                               .n = g_new0(guint32, n_members)};
    for (guint32 i = 0; i < n_members; i++) {
        gpointer key =
            GUINT_TO_POINTER(self->structure->of_vertex[self->structure->place[communicator] + i]);
        gpointer number;
        if (!g_hash_table_lookup_extended(numbers, key, NULL, &number)) {
            number = GUINT_TO_POINTER(members.n_classes);
            g_hash_table_insert(numbers, key, number);
            members.first[members.n_classes++] = i;
        }
        members.of_member[i] = GPOINTER_TO_UINT(number);
        members.n[members.of_member[i]]++;
    }
    return members;
}

static void
read_group(Builder *self, LpGroup group)
{
    LpQuotient *quotient = self->quotient;
    guint n = lp_communicators_n(quotient->map->communicators, group);
    guint32 first = quotient->list->first_communicator[group];
    guint32 *of_group = quotient->ranks->of_group[group] = g_new(guint32, n);
    GArray *classes = quotient->communicators[group] =
        g_array_new(FALSE, FALSE, sizeof(LpCommunicatorClass));
    for (guint k = 0; k < n; k++) {
        const LpCommunicatorOfRun *own = communicator_at(quotient->list, first + k);
        of_group[k] = class_of(self, self->structure->first_communicator + first + k,
                               self->structure->first_communicator + first);
        if (of_group[k] == classes->len) {
            LpCommunicatorClass class = {.communicator = own->communicator,
                                         .has_flows = own->has_flows};
            if (own->is_chained)
                class.members = read_members(self, first + k, own->communicator->n_members);
            g_array_append_val(classes, class);
        }
        g_array_index(classes, LpCommunicatorClass, of_group[k]).n++;
    }
}

/* A flow of a class crosses a class's link so often. */
typedef struct {
    guint32 flow, link, n;
} Crossing;

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

/* How often a link of class @class is crossed by each class of flows. Where all cross it in
 * multiples of some number, a link of so much less bandwidth is the same. */
static void
count_crossings(const Builder *self, guint32 link, guint32 class, guint32 *n_crossings,
                GArray *crossings)
{
    const LpBindingLinks *links = self->structure->links;
    guint32 begin = crossings->len, divisor = 0;
    for (guint32 i = links->first[link]; i < links->first[link + 1]; i++) {
        Crossing crossing = {self->quotient->flow_class[links->flows[i]], class, 0};
        if (n_crossings[crossing.flow]++ == 0)
            g_array_append_val(crossings, crossing);
    }
    for (guint32 i = begin; i < crossings->len; i++) {
        Crossing *crossing = &g_array_index(crossings, Crossing, i);
        crossing->n = n_crossings[crossing->flow];
        n_crossings[crossing->flow] = 0;
        divisor = greatest_common_divisor(crossing->n, divisor);
    }
    for (guint32 i = begin; i < crossings->len; i++)
        g_array_index(crossings, Crossing, i).n /= divisor;
    self->quotient->links[class].bytes_per_s /= divisor;
}

static GArray *
read_links(Builder *self)
{
    LpQuotient *quotient = self->quotient;
    GArray *crossings = g_array_new(FALSE, FALSE, sizeof(Crossing));
    g_autofree guint32 *n_crossings = g_new0(guint32, quotient->n_flow_classes);
    quotient->links =
        g_new(LpPlainLink, self->structure->first_place - self->structure->first_link);
    for (guint32 i = 0; i < self->structure->links->n_links; i++) {
        if (!self->structure->links->binds[i])
            continue;
        guint32 class =
            class_of(self, self->structure->link_vertex[i], self->structure->first_link);
        if (class < quotient->n_link_classes)
            continue;
        quotient->links[class].bytes_per_s = lp_network_link(quotient->map->network, i).bytes_per_s;
        quotient->n_link_classes++;
        count_crossings(self, i, class, n_crossings, crossings);
    }
    quotient->n_links_crossed = self->structure->links->n_crossed;
    return crossings;
}

static void
read_flows(Builder *self)
{
    LpQuotient *quotient = self->quotient;
    guint32 n = quotient->list->flows->len;
    quotient->flow_class = g_new(guint32, n);
    for (guint32 i = 0; i < n; i++) {
        quotient->flow_class[i] =
            class_of(self, self->structure->first_flow + i, self->structure->first_flow);
        quotient->n_flow_classes = MAX(quotient->n_flow_classes, quotient->flow_class[i] + 1);
    }
    quotient->routes = g_new0(LpRoute, quotient->n_flow_classes);
    for (guint32 i = 0; i < n; i++) {
        LpRoute *route = &quotient->routes[quotient->flow_class[i]];
        if (route->n_legs == 0)
            *route = *flow_at(quotient->list, i)->route;
    }
    quotient->ends = g_new0(LpPort, 2ul * quotient->n_flow_classes);
    for (guint32 i = 0; i < quotient->n_flow_classes; i++) {
        quotient->routes[i].from = &quotient->ends[2 * i];
        quotient->routes[i].to = &quotient->ends[2 * i + 1];
    }
}

/* Routes name a link as often as it is crossed. */
static void
write_routes(LpQuotient *self, const GArray *crossings)
{
    gsize n = 0;
    for (guint32 i = 0; i < self->n_flow_classes; i++)
        self->routes[i].n_links = 0;
    for (guint i = 0; i < crossings->len; i++) {
        const Crossing *crossing = &g_array_index(crossings, Crossing, i);
        self->routes[crossing->flow].n_links += crossing->n;
        n += crossing->n;
    }
    g_autofree guint32 **ends = g_new(guint32 *, self->n_flow_classes);
    guint32 *next = self->route_links = g_new(guint32, n);
    for (guint32 i = 0; i < self->n_flow_classes; i++) {
        self->routes[i].links = ends[i] = next;
        next += self->routes[i].n_links;
    }
    for (guint i = 0; i < crossings->len; i++) {
        const Crossing *crossing = &g_array_index(crossings, Crossing, i);
        for (guint32 k = 0; k < crossing->n; k++)
            *ends[crossing->flow]++ = crossing->link;
    }
}

static void
read_quotient(Builder *self)
{
    read_ranks(self);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        read_group(self, group);
    read_flows(self);
    g_autoptr(GArray) crossings = read_links(self);
    write_routes(self->quotient, crossings);
}

LpQuotient *
lp_quotient_new(const LpCommunicationMap *map, const LpContention *contention,
                LpIsolatedCache *cache, LpFidelity fidelity, const char **out_reason)
{
    g_autoptr(LpFlowList) list = lp_flow_list_new(map, contention, cache, fidelity, out_reason);
    if (list == NULL)
        return NULL;
    LpQuotient *self = g_new0(LpQuotient, 1);
    self->map = map;
    self->list = g_steal_pointer(&list);
    g_autoptr(LpStructure) structure = lp_structure_new(map, self->list);
    Builder builder = {self, structure};
    read_quotient(&builder);
    return self;
}

void
lp_quotient_free(LpQuotient *self)
{
    if (self == NULL)
        return;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        for (guint i = 0; i < self->communicators[group]->len; i++) {
            LpMemberClasses *members =
                &g_array_index(self->communicators[group], LpCommunicatorClass, i).members;
            g_free(members->of_member);
            g_free(members->first);
            g_free(members->n);
        }
        g_array_unref(self->communicators[group]);
    }
    lp_flow_list_free(self->list);
    lp_rank_equivalence_free(self->ranks);
    g_free(self->n_ranks);
    g_free(self->flow_class);
    g_free(self->routes);
    g_free(self->route_links);
    g_free(self->links);
    g_free(self->ends);
    g_free(self);
}

/* --- what is asked of it --- */

LpQuotientSize
lp_quotient_size(const LpQuotient *self)
{
    return (LpQuotientSize){.n_ranks = self->map->n_ranks,
                            .n_rank_classes = self->ranks->n_classes,
                            .n_flows = self->list->flows->len,
                            .n_flow_classes = self->n_flow_classes,
                            .n_links = self->n_links_crossed,
                            .n_link_classes = self->n_link_classes};
}

char *
lp_quotient_describe(const LpQuotient *self)
{
    LpQuotientSize size = lp_quotient_size(self);
    return g_strdup_printf("%" G_GUINT64_FORMAT " ranks in %" G_GUINT64_FORMAT
                           " classes, %" G_GUINT64_FORMAT " flows in %" G_GUINT64_FORMAT
                           ": one of each is simulated",
                           size.n_ranks, size.n_rank_classes, size.n_flows, size.n_flow_classes);
}

const LpRankEquivalence *
lp_quotient_ranks(const LpQuotient *self)
{
    return self->ranks;
}

guint32
lp_quotient_n_ranks(const LpQuotient *self, guint32 class)
{
    return self->n_ranks[class];
}

const LpCommunicatorClass *
lp_quotient_communicator(const LpQuotient *self, LpGroup group, guint32 class)
{
    return &g_array_index(self->communicators[group], LpCommunicatorClass, class);
}

gboolean
lp_quotient_load(LpQuotient *self, LpNetwork *network, const GArray *engine_options, GError **error)
{
    g_autofree LpPlainFlow *flows = g_new(LpPlainFlow, self->n_flow_classes);
    for (guint32 i = 0; i < self->n_flow_classes; i++)
        flows[i] = (LpPlainFlow){self->routes[i].n_links, self->routes[i].links};
    return lp_network_load_flows(network, self->links, self->n_link_classes, flows,
                                 self->n_flow_classes, self->ends, engine_options, error);
}

const LpRoute *
lp_quotient_route(const LpQuotient *self, LpConnectionKind kind, guint64 rank)
{
    const guint32 *flows = self->list->of_connection[kind];
    if (flows == NULL || flows[rank] == LP_FLOW_NONE)
        return NULL;
    return &self->routes[self->flow_class[flows[rank]]];
}

const LpRoute *
lp_quotient_peer_route(const LpQuotient *self, LpGroup group, guint64 rank, guint peer)
{
    return &self->routes[self->flow_class[self->list->of_peer[group][rank] + peer]];
}
