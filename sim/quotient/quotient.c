/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the quotient from a run's refined structure. */
#include "sim/quotient/quotient.h"

#include "sim/quotient/crossings.h"
#include "sim/quotient/identical_jobs.h"

/* The quotient of a run, which is that of its first job, too, or of another of its jobs. */
struct LpQuotient {
    const LpCommunicationMap *map;      /* borrowed */
    guint32 job, identical_job;         /* its number, and that of the job that stands for it */
    LpFlowList *list;                   /* owned */
    LpRankEquivalence *ranks;           /* owned; NULL: another job's stand for them */
    guint32 *n_ranks;                   /* owned, by class */
    GArray *communicators[LP_N_GROUPS]; /* owned LpCommunicatorClass, by class */
    guint32 *flow_class;                /* owned by the run's, by flow */
    LpRoute *routes;                    /* owned by the run's, by class of flows */

    /* The following members are of the run alone. */
    GPtrArray *others; /* owned LpQuotient: of the jobs from the second on */
    guint32 n_flow_classes, n_links_crossed;
    LpCrossings *crossings;      /* owned */
    LpPort *ends;                /* owned, by class of flows and leg: two for each */
    LpLeg *legs;                 /* owned, by class of flows and leg */
    guint32 first_background;    /* flow */
    guint32 *n_alike;            /* owned, by sender: how many it stands for */
    LpLinkClasses *link_classes; /* owned; NULL: the engine shares them */
    guint32 n_rounds;            /* if they were too few: LpQuotientSize.n_rounds */
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
    LpQuotient *quotient;         /* of the job at hand, or of the run */
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
    guint32 first = self->quotient->list->first_rank;
    LpRankEquivalence *ranks = self->quotient->ranks = g_new0(LpRankEquivalence, 1);
    ranks->of_rank = g_new(guint32, n);
    for (guint32 rank = 0; rank < n; rank++) {
        ranks->of_rank[rank] = class_of(self, first + rank, first);
        ranks->n_classes = MAX(ranks->n_classes, ranks->of_rank[rank] + 1);
    }
    ranks->first = g_new(guint64, ranks->n_classes);
    self->quotient->n_ranks = g_new0(guint32, ranks->n_classes);
    for (guint64 rank = n; rank-- > 0;) {
        ranks->first[ranks->of_rank[rank]] = rank;
        self->quotient->n_ranks[ranks->of_rank[rank]]++;
    }
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
                class.members = lp_member_classes_find(
                    &self->structure->of_vertex[self->structure->place[first + k]],
                    own->communicator->n_members);
            g_array_append_val(classes, class);
        }
        g_array_index(classes, LpCommunicatorClass, of_group[k]).n++;
    }
}

/* The links of a route's legs follow each other. */
static void
write_route(LpQuotient *self, guint32 class)
{
    const LpCrossings *crossings = self->crossings;
    LpRoute *route = &self->routes[class];
    guint32 first = crossings->first_leg[class], end = crossings->first_leg[class + 1];
    route->n_links = 0;
    route->links = crossings->flows[first].links;
    for (guint32 i = first; i < end; i++) {
        route->n_links += crossings->flows[i].n_links;
        self->legs[i] = (LpLeg){&self->ends[2 * i], &self->ends[2 * i + 1], route->n_links};
    }
    route->from = self->legs[first].from;
    route->to = self->legs[end - 1].to;
    route->legs = end - first > 1 ? &self->legs[first] : NULL;
}

static void
read_crossings(Builder *self)
{
    LpQuotient *quotient = self->quotient;
    g_autofree guint32 *n_legs = g_new(guint32, quotient->n_flow_classes);
    for (guint32 i = 0; i < quotient->n_flow_classes; i++)
        n_legs[i] = quotient->routes[i].n_legs;
    quotient->crossings = lp_crossings_new(self->structure, quotient->map->network,
                                           quotient->flow_class, n_legs, quotient->n_flow_classes);
    quotient->n_links_crossed = self->structure->links->n_crossed;
    guint32 n = quotient->crossings->first_leg[quotient->n_flow_classes];
    quotient->ends = g_new0(LpPort, 2ul * n);
    quotient->legs = g_new(LpLeg, n);
    for (guint32 i = 0; i < quotient->n_flow_classes; i++)
        write_route(quotient, i);
}

static void
read_senders(Builder *self, const LpQuotientInput *input)
{
    g_autofree guint32 *first = g_new(guint32, input->n_senders);
    guint32 *n_alike = self->quotient->n_alike = g_new0(guint32, input->n_senders), n = 0;
    for (guint32 i = 0; i < input->n_senders; i++) {
        guint32 class =
            class_of(self, self->structure->first_sender + i, self->structure->first_sender);
        if (class == n)
            first[n++] = i;
        n_alike[first[class]]++;
    }
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
}

/* --- jobs --- */

static void
read_job(LpQuotient *job, const LpStructure *structure)
{
    Builder builder = {job, structure};
    if (job->identical_job != job->job)
        return;
    read_ranks(&builder);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        read_group(&builder, group);
}

static void
read_quotient(LpQuotient *self, const LpQuotientInput *input, const LpStructure *structure)
{
    Builder builder = {self, structure};
    read_flows(&builder);
    read_crossings(&builder);
    read_senders(&builder, input);
    for (guint32 i = 0; i < input->n_jobs; i++) {
        LpQuotient *job = lp_quotient_job(self, i);
        job->flow_class = self->flow_class;
        job->routes = self->routes;
        read_job(job, structure);
    }
}

/* --- all --- */

static LpQuotient *
new_job(const LpQuotientInput *input, guint32 number, LpFlowList *last)
{
    const LpQuotientJob *job = &input->jobs[number];
    LpQuotient *self = g_new0(LpQuotient, 1);
    self->map = job->map;
    self->job = number;
    self->list = input->same != NULL ? lp_flow_list_ref(input->same->list)
                                     : lp_flow_list_new(job, last, input->fidelity);
    return self;
}

/* The lists of all jobs; NULL where one makes flows that @input's view does not know. */
static LpQuotient *
new_lists(const LpQuotientInput *input, const char **out_reason)
{
    g_autoptr(LpQuotient) self = new_job(input, 0, NULL);
    LpFlowList *last = self->list;
    self->others = g_ptr_array_new_with_free_func((GDestroyNotify)lp_quotient_free);
    for (guint32 i = 1; i < input->n_jobs; i++) {
        LpQuotient *job = new_job(input, i, last);
        g_ptr_array_add(self->others, job);
        last = job->list;
    }
    self->first_background = last->flows->len;
    lp_flow_list_add_background(last, input->background, input->n_background);
    *out_reason = input->view.is_apart && lp_flow_list_forwards(last)
                      ? "flows that are forwarded, by tier"
                      : NULL;
    return *out_reason == NULL ? g_steal_pointer(&self) : NULL;
}

/* Returns: FALSE if jobs are alike in part. */
static gboolean
find_identical_jobs(LpQuotient *self, const LpStructure *structure, guint32 n_jobs)
{
    g_autofree const LpFlowList **lists = g_new(const LpFlowList *, n_jobs);
    g_autofree guint32 *identical_jobs = g_new(guint32, n_jobs);
    for (guint32 job = 0; job < n_jobs; job++)
        lists[job] = lp_quotient_job(self, job)->list;
    gboolean good = lp_identical_jobs_find(structure, lists, n_jobs, identical_jobs);
    for (guint32 job = 0; good && job < n_jobs; job++)
        lp_quotient_job(self, job)->identical_job = identical_jobs[job];
    return good;
}

/* Whether a run shares links without the engine. */
static gboolean
is_apart(const LpQuotientInput *input)
{
    gboolean any = input->view.is_apart;
    for (guint32 i = 0; i < input->n_jobs; i++)
        any = any || lp_communication_map_is_separate(input->jobs[i].map, input->fidelity);
    return any;
}

static LpQuotient *
new_quotient(const LpQuotientInput *input, const char **out_reason)
{
    LpQuotient *self = new_lists(input, out_reason);
    if (self == NULL)
        return NULL;
    const LpFlowList *last = lp_quotient_job(self, input->n_jobs - 1)->list;
    g_autoptr(LpStructure) structure = lp_structure_new(input, last, FALSE);
    if (!find_identical_jobs(self, structure, input->n_jobs)) {
        lp_structure_free(structure);
        structure = lp_structure_new(input, last, TRUE);
        gboolean good = find_identical_jobs(self, structure, input->n_jobs);
        g_assert(good);
    }
    read_quotient(self, input, structure);
    if (input->view.is_apart)
        self->link_classes = lp_link_classes_new(structure, last, self->map->network,
                                                 self->flow_class, self->n_flow_classes);
    self->n_rounds = structure->is_cut ? input->n_rounds : 0;
    return self;
}

LpQuotient *
lp_quotient_new(const LpQuotientInput *input, const char **out_reason)
{
    LpQuotientInput own = *input;
    *out_reason = "a loss by flows at a port";
    if (lp_network_machine(input->jobs[0].map->network)->incast_loss > 0.0)
        return NULL;
    *out_reason = "all-to-alls beside traffic of no job, or on links that change";
    own.view.is_apart = is_apart(input);
    if (own.view.is_apart && (input->n_background > 0 || input->changes != NULL))
        return NULL;
    return new_quotient(&own, out_reason);
}

static void
clear_communicators(GArray *communicators)
{
    for (guint i = 0; i < communicators->len; i++)
        lp_member_classes_clear(&g_array_index(communicators, LpCommunicatorClass, i).members);
    g_array_unref(communicators);
}

static void
free_run(LpQuotient *self)
{
    if (self->job > 0)
        return;
    if (self->others != NULL)
        g_ptr_array_unref(self->others);
    g_free(self->flow_class);
    g_free(self->routes);
    lp_crossings_free(self->crossings);
    g_free(self->ends);
    g_free(self->legs);
    lp_link_classes_free(self->link_classes);
    g_free(self->n_alike);
}

void
lp_quotient_free(LpQuotient *self)
{
    if (self == NULL)
        return;
    free_run(self);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        if (self->communicators[group] != NULL)
            clear_communicators(self->communicators[group]);
    lp_flow_list_free(self->list);
    lp_rank_equivalence_free(self->ranks);
    g_free(self->n_ranks);
    g_free(self);
}

/* --- what is asked of it --- */

LpQuotient *
lp_quotient_job(LpQuotient *self, guint32 job)
{
    return job == 0 ? self : self->others->pdata[job - 1];
}

guint32
lp_quotient_identical_job(const LpQuotient *self)
{
    return self->identical_job;
}

/* Adds a job's to @io. */
static void
add_size(const LpQuotient *job, LpQuotientSize *io)
{
    io->n_ranks += job->map->n_ranks;
    io->n_rank_classes += job->ranks == NULL ? 0 : job->ranks->n_classes;
}

LpQuotientSize
lp_quotient_size(const LpQuotient *self)
{
    LpQuotientSize size = {.n_flows = self->list->flows->len,
                           .n_flow_classes = self->n_flow_classes,
                           .n_links = self->n_links_crossed,
                           .n_link_classes = self->crossings->n_links,
                           .n_rounds = self->n_rounds,
                           .n_ways = self->link_classes != NULL && self->link_classes->ways != NULL
                                         ? self->link_classes->ways->n
                                         : 0};
    add_size(self, &size);
    for (guint i = 0; i < self->others->len; i++)
        add_size(self->others->pdata[i], &size);
    return size;
}

/* The classes of the flows of a job. */
static guint32
count_flow_classes(const LpQuotient *self)
{
    g_autoptr(GHashTable) classes = g_hash_table_new(NULL, NULL);
    for (guint32 i = 0; i < self->list->n_flows; i++)
        g_hash_table_add(classes,
                         GUINT_TO_POINTER(self->flow_class[self->list->first_flow + i] + 1));
    return g_hash_table_size(classes);
}

char *
lp_quotient_describe(const LpQuotient *self)
{
    return g_strdup_printf("%" G_GUINT64_FORMAT " ranks in %u classes, %u flows in %u: one of each "
                           "is simulated",
                           self->map->n_ranks, self->ranks->n_classes, self->list->n_flows,
                           count_flow_classes(self));
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

guint32 *
lp_quotient_rank_members(const LpQuotient *self, const LpCommunicatorClass *classes)
{
    return lp_member_classes_first_of(self->ranks->of_rank, classes->communicator);
}

gboolean
lp_quotient_load(LpQuotient *self, LpNetwork *network, const GArray *engine_options, GError **error)
{
    if (self->link_classes != NULL)
        return lp_network_load_minimal(network, engine_options, error);
    return lp_network_load_flows(
        network, self->crossings->links, self->crossings->n_links, self->crossings->flows,
        self->crossings->first_leg[self->n_flow_classes], self->ends, engine_options, error);
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

const LpRoute *
lp_quotient_pair_route(const LpQuotient *self, LpGroup group, guint64 rank, guint64 place)
{
    return &self->routes[self->flow_class[self->list->of_pair[group][rank] + place]];
}

const LpRoute *
lp_quotient_background_route(const LpQuotient *self, guint32 flow)
{
    return &self->routes[self->flow_class[self->first_background + flow]];
}

guint32
lp_quotient_n_senders(const LpQuotient *self, guint32 sender)
{
    return self->n_alike[sender];
}

guint32
lp_quotient_link(const LpQuotient *self, guint32 link)
{
    return self->crossings->link_class[link];
}

void
lp_quotient_set_bandwidth(const LpQuotient *self, guint32 link, double bytes_per_s)
{
    guint32 class = self->crossings->link_class[link];
    if (class != LP_LINK_CLASS_NONE)
        lp_network_set_flows_bandwidth(class, bytes_per_s / self->crossings->divisors[class]);
}

const LpFlowList *
lp_quotient_flows(const LpQuotient *self)
{
    return self->list;
}

const guint32 *
lp_quotient_flow_classes(const LpQuotient *self)
{
    return self->flow_class;
}

gboolean
lp_quotient_find_class(const LpQuotient *self, const LpRoute *route, guint32 *out_class)
{
    if (route < self->routes || route >= self->routes + self->n_flow_classes)
        return FALSE;
    *out_class = (guint32)(route - self->routes);
    return TRUE;
}

const LpLinkClasses *
lp_quotient_links(const LpQuotient *self)
{
    return self->link_classes;
}
