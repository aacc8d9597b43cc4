/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices, their colours, and what they see. */
#include "sim/quotient/structure.h"

#include "sim/quotient/numbering.h"
#include "sim/quotient/refinement.h"

/* Labels of edges; between two kinds of vertices they need only differ from each other. */
enum {
    LABEL_PLAIN,
    LABEL_FROM,
    LABEL_TO,
    LABEL_GROUP, /* and so on for each group; or for each turn of a sender */
    LABEL_PLACE = LABEL_GROUP + LP_N_GROUPS, /* as LABEL_GROUP */
    LABEL_WEIGHT = 1 << 16 /* and so on for each place and weight of links of weighted routes */
};

/* Kinds of vertices, in the order of their numbers. */
typedef enum {
    KIND_RANK,
    KIND_COMMUNICATOR,
    KIND_FLOW,
    KIND_LINK,
    KIND_PLACE,
    KIND_SENDER,
    KIND_OWNED
} Kind;

typedef struct {
    LpStructure *structure;
    const LpQuotientInput *input; /* borrowed */
    const LpFlowList *list;       /* borrowed */
    LpRefinement *refinement;     /* owned */
    LpNumbering colours, weights;
} Builder;

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

/* Whether it matters who of a link's flows belong together. */
static gboolean
asks_for_owners(const Builder *self, guint32 link)
{
    const LpQuotientView *view = &self->input->view;
    LpTier tier = lp_network_link(self->input->jobs[0].map->network, link).tier;
    return lp_tier_is_shared(tier) &&
           (view->uncontended[tier] || (view->knows_owners && self->structure->links->binds[link]));
}

/* Flows of one communicator follow each other; any other's flow is its own. */
static void
find_owned(Builder *self)
{
    const LpBindingLinks *links = self->structure->links;
    GArray *owned = self->structure->owned = g_array_new(FALSE, FALSE, sizeof(LpOwnedLink));
    for (guint32 link = 0; link < links->n_links; link++) {
        if (!asks_for_owners(self, link))
            continue;
        for (guint32 i = links->first[link]; i < links->first[link + 1];) {
            LpOwnedLink own = {link, i, i};
            gint64 communicator = flow_at(self->list, links->flows[i])->communicator;
            while (own.end < links->first[link + 1] &&
                   (links->flows[own.end] == links->flows[i] ||
                    (communicator >= 0 &&
                     flow_at(self->list, links->flows[own.end])->communicator == communicator)))
                own.end++;
            g_array_append_val(owned, own);
            i = own.end;
        }
    }
}

static void
number_vertices(Builder *self)
{
    const LpFlowList *list = self->list;
    self->structure->first_communicator = list->first_rank + list->n_ranks;
    self->structure->first_flow = self->structure->first_communicator + list->communicators->len;
    self->structure->first_link = self->structure->first_flow + list->flows->len;
    guint32 next = self->structure->first_link;
    self->structure->link_vertex = g_new(guint32, self->structure->links->n_links);
    for (guint32 i = 0; i < self->structure->links->n_links; i++) {
        self->structure->link_vertex[i] = next;
        next += self->structure->links->binds[i] ? 1 : 0;
    }
    self->structure->first_owned = next;
    next += self->structure->owned->len;
    self->structure->first_place = next;
    self->structure->place = g_new(guint32, list->communicators->len);
    for (guint32 i = 0; i < list->communicators->len; i++) {
        const LpCommunicatorOfRun *own = communicator_at(list, i);
        self->structure->place[i] = next;
        next += own->is_chained ? own->communicator->n_members : 0;
    }
    self->structure->first_sender = next;
    self->structure->n_vertices = next + self->input->n_senders;
}

static void
colour(Builder *self, Kind kind, guint32 vertex)
{
    lp_numbering_add_count(&self->colours, kind);
    lp_refinement_set_colour(self->refinement, vertex, lp_numbering_end(&self->colours));
}

static void
see(Builder *self, guint32 seer, guint32 seen, guint32 label)
{
    lp_refinement_add_edge(self->refinement, seer, seen, label);
}

static void
see_each_other(Builder *self, guint32 one, guint32 other, guint32 label)
{
    see(self, one, other, label);
    see(self, other, one, label);
}

/* Adds the ranks. Their edges follow later; latencies of messages belong to their flows. */
static guint32
add_ranks(Builder *self, guint32 job, gboolean separates_jobs, guint32 first)
{
    const LpQuotientJob *at = &self->input->jobs[job];
    const LpProgram *program = at->map->program;
    for (guint32 rank = 0; rank < program->n_ranks; rank++) {
        lp_numbering_add_count(&self->colours, separates_jobs ? job : at->program);
        lp_numbering_add_count(&self->colours, lp_program_rank_stage(program, rank));
        lp_numbering_add_count(&self->colours,
                               program->expert_loads == NULL ? 0 : program->expert_place[rank]);
        lp_numbering_add_count(&self->colours, at->speeds == NULL ? 0 : at->speeds[rank]);
        colour(self, KIND_RANK, first + rank);
    }
    return first + (guint32)program->n_ranks;
}

static void
add_senders(Builder *self)
{
    for (guint32 i = 0; i < self->input->n_senders; i++) {
        lp_numbering_add_count(&self->colours, self->input->senders[i]);
        colour(self, KIND_SENDER, self->structure->first_sender + i);
    }
}

/* A rank that sends a collective's messages itself sees how that goes. */
static void
add_places(Builder *self, const LpCommunicatorOfRun *own, guint32 vertex, guint32 first)
{
    for (guint32 member = 0; member < own->communicator->n_members; member++) {
        colour(self, KIND_PLACE, first + member);
        see(self, first + member, vertex, LABEL_PLAIN);
        if (own->ranks_send)
            see_each_other(self, first + member, own->first_rank + own->communicator->ranks[member],
                           LABEL_PLACE + own->communicator->group);
    }
}

static void
add_communicators(Builder *self)
{
    const LpFlowList *list = self->list;
    for (guint32 i = 0; i < list->communicators->len; i++) {
        const LpCommunicatorOfRun *own = communicator_at(list, i);
        guint32 vertex = self->structure->first_communicator + i;
        lp_numbering_add_count(&self->colours, own->what);
        colour(self, KIND_COMMUNICATOR, vertex);
        for (guint32 member = 0; member < own->communicator->n_members; member++)
            see_each_other(self, vertex, own->first_rank + own->communicator->ranks[member],
                           LABEL_GROUP + own->communicator->group);
        if (own->is_chained)
            add_places(self, own, vertex, self->structure->place[i]);
    }
}

static void
add_links(Builder *self)
{
    const LpNetwork *network = self->input->jobs[0].map->network;
    const guint32 *changes = self->input->changes;
    for (guint32 i = 0; i < self->structure->links->n_links; i++) {
        if (!self->structure->links->binds[i])
            continue;
        lp_numbering_add_number(&self->colours, lp_network_link(network, i).bytes_per_s);
        lp_numbering_add_count(&self->colours, changes == NULL ? 0 : changes[i]);
        if (self->input->view.is_apart)
            lp_numbering_add_count(&self->colours, lp_network_link(network, i).tier);
        colour(self, KIND_LINK, self->structure->link_vertex[i]);
    }
}

/* The label of a link on a route with weights: links are alike if the same share of the route's
 * bytes crosses them; where order matters, all but its ends. */
static guint32
weight_label(Builder *self, double weight, guint32 order)
{
    lp_numbering_add_count(&self->weights, MIN(order, 2));
    lp_numbering_add_number(&self->weights, weight);
    return LABEL_WEIGHT + lp_numbering_end(&self->weights);
}

static void
add_owned(Builder *self)
{
    const LpStructure *structure = self->structure;
    const LpNetwork *network = self->input->jobs[0].map->network;
    for (guint32 i = 0; i < structure->owned->len; i++) {
        const LpOwnedLink *own = &g_array_index(structure->owned, LpOwnedLink, i);
        guint32 vertex = structure->first_owned + i;
        lp_numbering_add_number(&self->colours, lp_network_link(network, own->link).bytes_per_s);
        colour(self, KIND_OWNED, vertex);
        if (structure->links->binds[own->link])
            see_each_other(self, vertex, structure->link_vertex[own->link], LABEL_PLAIN);
        for (guint32 k = own->first; k < own->end; k++) {
            guint32 flow = structure->links->flows[k];
            guint32 label = flow_at(self->list, flow)->route->weights == NULL
                                ? LABEL_PLAIN
                                : weight_label(self, structure->links->weights[k], 0);
            see_each_other(self, vertex, structure->first_flow + flow, label);
        }
    }
}

/* A collective's flow begins with the last member and is waited for by all: its communicator is
 * all that it sees, unless it has to wait for other flows in between. */
static void
add_ends(Builder *self, const LpFlowOfRun *flow, guint32 vertex)
{
    if (flow->sender >= 0) {
        see_each_other(self, vertex, self->structure->first_sender + (guint32)flow->sender,
                       LABEL_GROUP + flow->from);
        return;
    }
    if (flow->communicator < 0) {
        see_each_other(self, vertex, flow->from, LABEL_FROM);
        see_each_other(self, vertex, flow->to, LABEL_TO);
        return;
    }
    guint32 places = self->structure->place[flow->communicator];
    see_each_other(self, vertex, self->structure->first_communicator + (guint32)flow->communicator,
                   LABEL_PLAIN);
    if (!flow->is_chained)
        return;
    see_each_other(self, vertex, places + flow->place_from, LABEL_FROM);
    if (flow->place_to != LP_FLOW_NONE)
        see_each_other(self, vertex, places + flow->place_to, LABEL_TO);
}

/* Adds crossings with the order of the links, where it matters which link holds a flow back. */
static void
add_ordered_crossings(Builder *self, const LpFlowOfRun *flow, guint32 vertex)
{
    guint32 n = lp_flow_of_run_n_links(flow);
    for (guint32 i = 0; i < n; i++) {
        guint32 place = lp_link_order(i, n), link = flow->route->links[place];
        guint32 label = flow->route->weights == NULL
                            ? LABEL_GROUP + i
                            : weight_label(self, lp_route_weight(flow->route, place), i);
        if (self->structure->links->binds[link])
            see_each_other(self, vertex, self->structure->link_vertex[link], label);
    }
}

/* A flow is on the links of one leg after the other. */
static void
add_crossings(Builder *self, const LpFlowOfRun *flow, guint32 vertex)
{
    for (guint32 i = 0, leg = 0; i < lp_flow_of_run_n_links(flow); i++) {
        while (i == lp_route_leg_end(flow->route, leg))
            leg++;
        guint32 link = flow->route->links[i], label = leg == 0 ? LABEL_PLAIN : LABEL_GROUP + leg;
        if (flow->route->weights != NULL)
            label = weight_label(self, lp_route_weight(flow->route, i), 0);
        if (self->structure->links->binds[link])
            see_each_other(self, vertex, self->structure->link_vertex[link], label);
    }
}

static void
add_flows(Builder *self)
{
    const LpFlowList *list = self->list;
    for (guint32 i = 0; i < list->flows->len; i++) {
        const LpFlowOfRun *flow = flow_at(list, i);
        guint32 vertex = self->structure->first_flow + i;
        lp_numbering_add_count(&self->colours, flow->what);
        if (self->input->assumed != NULL)
            lp_numbering_add_count(&self->colours, self->input->assumed[i]);
        lp_numbering_add_count(&self->colours, flow->route->n_legs);
        if (self->input->view.is_apart)
            lp_numbering_add_number(&self->colours, flow->route->bytes_per_s);
        colour(self, KIND_FLOW, vertex);
        add_ends(self, flow, vertex);
        if (self->input->view.knows_owners)
            add_ordered_crossings(self, flow, vertex);
        else
            add_crossings(self, flow, vertex);
    }
}

LpStructure *
lp_structure_new(const LpQuotientInput *input, const LpFlowList *list, gboolean separates_jobs)
{
    LpStructure *self = g_new0(LpStructure, 1);
    Builder builder = {.structure = self, .input = input, .list = list};
    guint32 first_rank = 0;
    self->is_assumed = input->assumed != NULL;
    self->links = lp_binding_links_new(list, input->jobs[0].map->network, input);
    find_owned(&builder);
    lp_numbering_init(&builder.colours);
    lp_numbering_init(&builder.weights);
    number_vertices(&builder);
    builder.refinement = lp_refinement_new(self->n_vertices);
    for (guint32 job = 0; job < input->n_jobs; job++)
        first_rank = add_ranks(&builder, job, separates_jobs, first_rank);
    add_senders(&builder);
    add_communicators(&builder);
    add_links(&builder);
    add_owned(&builder);
    add_flows(&builder);
    if (input->n_rounds > 0 || self->is_assumed)
        lp_refinement_cut(builder.refinement, input->n_rounds, self->first_link, self->first_place);
    (void)lp_refinement_run(builder.refinement);
    self->is_cut = lp_refinement_is_cut(builder.refinement);
    self->of_vertex = g_new(guint32, self->n_vertices);
    for (guint32 i = 0; i < self->n_vertices; i++)
        self->of_vertex[i] = lp_refinement_class(builder.refinement, i);
    lp_refinement_free(builder.refinement);
    lp_numbering_clear(&builder.colours);
    lp_numbering_clear(&builder.weights);
    return self;
}

void
lp_structure_free(LpStructure *self)
{
    if (self == NULL)
        return;
    lp_binding_links_free(self->links);
    g_array_unref(self->owned);
    g_free(self->link_vertex);
    g_free(self->place);
    g_free(self->of_vertex);
    g_free(self);
}
