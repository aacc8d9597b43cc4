/* SPDX-License-Identifier: Apache-2.0 */
/* Senders of background messages, and the actors that carry them. */
#include "sim/actors/actor_background.h"

#include "sim/actors/background_ways.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/semaphore.h>

#include <math.h>

/* Where each sender has so many messages under way, and a few senders some more, arrivals no longer
 * keep up with departures. */
enum {
    FLIGHTS_OF_ALL = 1024,
    FLIGHTS_OF_EACH = 64
};

/* Carries one message at a time: a message is an activity of its actor. */
typedef struct {
    LpBackground *background; /* borrowed */
    const LpRoute *route;     /* borrowed */
    guint32 weight;           /* senders that the message's stands for */
    sg_sem_t loaded;          /* owned */
} Carrier;

typedef struct {
    LpBackground *background; /* borrowed */
    guint32 index;            /* among the accelerators */
    guint32 place;            /* among those that send */
    guint32 weight;           /* how many it stands for */
    guint64 n_sent;           /* messages so far */
    GRand *generator;         /* owned */
} Sender;

struct LpBackground {
    const LpScenarioTraffic *specification; /* borrowed */
    const LpNetwork *network;               /* borrowed */
    LpWatch *watch;                         /* borrowed from the run */
    LpFlowEngine *sharing;                  /* borrowed from the run, or NULL */
    LpFlowLog *log;                         /* borrowed from the run, or NULL */
    const LpQuotient *quotient;             /* borrowed from the run, or NULL */
    guint32 first_sender, first_flow;       /* in it */
    guint32 index;                          /* of the generator */
    guint32 n;
    LpBackgroundWays *ways; /* owned */
    Sender *senders;        /* owned */
    GHashTable *routes;     /* owned LpRoute, by sender x n + receiver + 1 */
    GPtrArray *carriers;    /* owned Carrier */
    GPtrArray *idle;        /* of those, borrowed */
    LpBackgroundResult result;
};

/* --- ways --- */

static const LpRoute *
find_route(LpBackground *self, guint32 sender, guint32 receiver)
{
    gpointer key = GSIZE_TO_POINTER((gsize)sender * self->n + receiver + 1);
    LpRoute *route = g_hash_table_lookup(self->routes, key);
    if (route == NULL) {
        route = g_new(LpRoute, 1);
        *route = lp_background_ways_route(self->ways, sender, receiver);
        g_hash_table_insert(self->routes, key, route);
    }
    return route;
}

static guint32
next_turn(Sender *self)
{
    const LpBackgroundWays *ways = self->background->ways;
    guint32 n = self->background->n, n_turns = lp_background_ways_n_turns(ways);
    if (!lp_background_ways_is_drawn(ways))
        return (guint32)(self->n_sent % n_turns);
    guint32 other = (guint32)g_rand_int_range(self->generator, 0, (gint32)n_turns);
    guint32 receiver = other + (other >= self->index ? 1 : 0);
    return (guint32)(((guint64)receiver + n - self->index - 1) % n);
}

static const LpRoute *
next_route(Sender *self)
{
    LpBackground *background = self->background;
    const LpBackgroundWays *ways = background->ways;
    guint32 turn = next_turn(self);
    if (background->quotient == NULL)
        return find_route(background, self->index,
                          lp_background_ways_receiver(ways, self->index, turn));
    guint32 first = background->first_flow + self->place * lp_background_ways_n_turns(ways);
    return lp_quotient_background_route(background->quotient, first + turn);
}

/* --- making it --- */

static void
carrier_free(Carrier *self)
{
    sg_sem_destroy(self->loaded);
    g_free(self);
}

LpBackground *
lp_background_new(const LpScenarioTraffic *specification, const LpNetwork *network, guint32 index,
                  GError **error)
{
    g_autoptr(LpBackground) self = g_new0(LpBackground, 1);
    self->specification = specification;
    self->network = network;
    self->index = index;
    self->ways = lp_background_ways_new(specification, network, error);
    if (self->ways == NULL)
        return NULL;
    self->n = lp_background_ways_n(self->ways);
    self->routes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    self->carriers = g_ptr_array_new_with_free_func((GDestroyNotify)carrier_free);
    self->idle = g_ptr_array_new();
    self->senders = g_new0(Sender, self->n);
    guint32 n_sending = 0;
    for (guint32 i = 0; i < self->n; i++) {
        guint32 seed[] = {specification->seed, g_str_hash(specification->name),
                          lp_background_ways_accelerator(self->ways, i)};
        self->senders[i] =
            (Sender){.background = self,
                     .index = i,
                     .place = n_sending,
                     .weight = 1,
                     .generator = g_rand_new_with_seed_array(seed, G_N_ELEMENTS(seed))};
        n_sending += lp_background_ways_sends(self->ways, i) ? 1 : 0;
    }
    return g_steal_pointer(&self);
}

void
lp_background_free(LpBackground *self)
{
    if (self == NULL)
        return;
    for (guint32 i = 0; self->senders != NULL && i < self->n; i++)
        g_rand_free(self->senders[i].generator);
    g_free(self->senders);
    lp_background_ways_free(self->ways);
    g_clear_pointer(&self->routes, g_hash_table_unref);
    g_clear_pointer(&self->idle, g_ptr_array_unref);
    g_clear_pointer(&self->carriers, g_ptr_array_unref);
    g_free(self);
}

void
lp_background_mark(const LpBackground *self, gboolean *io_links)
{
    lp_background_ways_mark(self->ways, io_links);
}

LpBackgroundLoad
lp_background_load(const LpBackground *self, double end_s)
{
    LpBackgroundLoad load =
        lp_background_load_find(self->ways, self->specification, self->network, end_s);
    load.n_under_way = MIN(load.n_under_way, (double)lp_background_flights_max(self->n));
    return load;
}

/* --- in a quotient --- */

gboolean
lp_background_add_classes(LpBackground *self, LpNumbering *kinds, GArray *senders, GArray *flows)
{
    gboolean is_drawn =
        self->specification->gaps == LP_GAPS_EXPONENTIAL || lp_background_ways_is_drawn(self->ways);
    if (lp_background_ways_are_many(self->ways))
        return FALSE;
    self->first_sender = senders->len;
    self->first_flow = flows->len;
    for (guint32 i = 0; i < self->n; i++) {
        lp_numbering_add_count(kinds, self->index);
        lp_numbering_add_count(kinds, lp_background_ways_sends(self->ways, i) ? 1 : 0);
        lp_numbering_add_count(kinds, is_drawn ? i : self->n);
        guint32 kind = lp_numbering_end(kinds), n = lp_background_ways_n_turns(self->ways);
        g_array_append_val(senders, kind);
        for (guint32 turn = 0; lp_background_ways_sends(self->ways, i) && turn < n; turn++) {
            guint32 receiver = lp_background_ways_receiver(self->ways, i, turn);
            LpBackgroundFlow flow = {self->first_sender + i, turn,
                                     lp_background_ways_route(self->ways, i, receiver)};
            g_array_append_val(flows, flow);
        }
    }
    return TRUE;
}

/* --- actors --- */

static void
start_actor(sg_host_t home, void *data, xbt_main_func_t code)
{
    sg_actor_t actor = sg_actor_init("background", home);
    sg_actor_set_data(actor, data);
    sg_actor_start_(actor, code, 0, NULL);
    sg_actor_daemonize(actor);
}

static void
write_down(LpBackground *self, const LpRoute *route, double start_s)
{
    double bytes = (double)self->specification->message_bytes, end_s = simgrid_get_clock();
    lp_flow_log_add(self->log, &(LpLoggedFlow){.route = route,
                                               .bytes = bytes,
                                               .weight = 1.0,
                                               .kind = LP_FLOW_LOG_BACKGROUND,
                                               .is_flow = TRUE,
                                               .start_s = start_s,
                                               .end_s = end_s});
    lp_flow_log_add_message(self->log, (LpLoggedMessage){self->index, bytes, start_s, end_s});
}

static void
carry(LpBackground *self, const LpRoute *route, guint32 weight)
{
    guint64 bytes = self->specification->message_bytes;
    double start_s = simgrid_get_clock();
    self->result.n_under_way += weight;
    if (route->latency_s > 0.0)
        sg_actor_sleep_for(route->latency_s);
    double left_s = simgrid_get_clock();
    lp_flow_engine_send(self->sharing, &(LpFlow){route, bytes, LP_FLOW_BACKGROUND, 0, &bytes});
    write_down(self, route, left_s);
    self->result.n_under_way -= weight;
    self->result.n_messages += weight;
    self->result.n_bytes += weight * bytes;
    self->result.time_s += weight * (simgrid_get_clock() - start_s);
    self->result.isolated_s += weight * (route->latency_s + (double)bytes / route->bytes_per_s);
}

static void
carrier_actor(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    Carrier *self = sg_actor_self_get_data();
    for (;;) {
        sg_sem_acquire(self->loaded);
        carry(self->background, self->route, self->weight);
        g_ptr_array_add(self->background->idle, self);
    }
}

guint64
lp_background_flights_max(guint64 n_senders)
{
    return MIN(FLIGHTS_OF_ALL + FLIGHTS_OF_EACH * n_senders, LP_BACKGROUND_FLIGHTS_MAX);
}

static void
hand_over(LpBackground *self, const LpRoute *route, guint32 weight)
{
    if (self->result.n_under_way >= lp_background_flights_max(self->n)) {
        lp_watch_report_overload(self->watch, self->index);
        return;
    }
    Carrier *carrier;
    if (self->idle->len > 0) {
        carrier = g_ptr_array_steal_index(self->idle, self->idle->len - 1);
    } else {
        carrier = g_new0(Carrier, 1);
        carrier->background = self;
        carrier->loaded = sg_sem_init(0);
        g_ptr_array_add(self->carriers, carrier);
        start_actor(route->from->host, carrier, (xbt_main_func_t)carrier_actor);
    }
    carrier->route = route;
    carrier->weight = weight;
    sg_sem_release(carrier->loaded);
}

/* Until the next message, s. */
static double
gap_s(Sender *self, const LpRoute *route)
{
    const LpScenarioTraffic *specification = self->background->specification;
    double rate = specification->rate_bytes_per_s > 0.0 ? specification->rate_bytes_per_s
                                                        : specification->load * route->bytes_per_s;
    double mean_s = (double)specification->message_bytes / rate;
    return specification->gaps == LP_GAPS_FIXED
               ? mean_s
               : -mean_s * log(1.0 - g_rand_double(self->generator));
}

static void
sleep_until(double at_s)
{
    double left_s = at_s - simgrid_get_clock();
    if (left_s > 0.0)
        sg_actor_sleep_for(left_s);
}

/* Times are counted from the start, so that rounding does not add up; the first message of random
 * ones comes after a gap too. */
static void
sender_actor(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    Sender *self = sg_actor_self_get_data();
    LpBackground *background = self->background;
    const LpScenarioTraffic *specification = background->specification;
    double next_s = specification->start_s;
    for (;;) {
        const LpRoute *route = next_route(self);
        if (specification->gaps == LP_GAPS_EXPONENTIAL)
            next_s += gap_s(self, route);
        if (specification->gaps == LP_GAPS_CLOSED)
            next_s = MAX(next_s, simgrid_get_clock());
        if (next_s >= specification->end_s)
            return;
        sleep_until(next_s);
        self->n_sent++;
        gboolean dead = lp_watch_is_dead(background->watch, route);
        background->result.n_lost += dead ? self->weight : 0;
        if (specification->gaps == LP_GAPS_CLOSED && dead) {
            lp_watch_await(background->watch, route);
            background->result.n_lost -= self->weight;
        }
        if (specification->gaps == LP_GAPS_CLOSED)
            carry(background, route, self->weight);
        else if (!dead)
            hand_over(background, route, self->weight);
        if (specification->gaps == LP_GAPS_FIXED)
            next_s += gap_s(self, route);
    }
}

void
lp_background_start(LpBackground *self, const LpBackgroundRun *run)
{
    self->sharing = run->sharing;
    self->log = run->log;
    self->watch = run->watch;
    self->quotient = run->quotient;
    for (guint32 i = 0; i < self->n; i++) {
        Sender *sender = &self->senders[i];
        if (self->quotient != NULL)
            sender->weight = lp_quotient_n_senders(self->quotient, self->first_sender + i);
        if (!lp_background_ways_sends(self->ways, i) || sender->weight == 0)
            continue;
        const LpPort *home = lp_network_port(
            self->network, lp_background_ways_accelerator(self->ways, i), LP_ATTACHMENT_SCALE_UP);
        start_actor(home->host, sender, (xbt_main_func_t)sender_actor);
    }
}

LpBackgroundResult
lp_background_result(const LpBackground *self)
{
    return self->result;
}
