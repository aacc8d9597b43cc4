/* SPDX-License-Identifier: Apache-2.0 */
/* Senders of background messages, and the actors that carry them. */
#include "sim/actors/actor_background.h"

#include "base/error.h"

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

/* Above this, routes of all pairs are not looked at one by one to see which links they cross. */
#define PAIRS_MAX (1u << 16)

/* Carries one message at a time: a message is an activity of its actor. */
typedef struct {
    LpBackground *background; /* borrowed */
    const LpRoute *route;     /* borrowed */
    sg_sem_t loaded;          /* owned */
} Carrier;

typedef struct {
    LpBackground *background; /* borrowed */
    guint32 index;            /* among the accelerators */
    guint32 turn;             /* messages so far */
    GRand *generator;         /* owned */
} Sender;

struct LpBackground {
    const LpScenarioTraffic *specification; /* borrowed */
    const LpNetwork *network;               /* borrowed */
    LpWatch *watch;                         /* borrowed from the run */
    LpSharing *sharing;                     /* borrowed from the run, or NULL */
    LpFlowLog *log;                         /* borrowed from the run, or NULL */
    guint32 index;                          /* of the generator */
    guint32 n;
    guint32 *accelerators; /* owned */
    guint32 *partners;     /* owned: of a permutation, by sender; else NULL */
    Sender *senders;       /* owned */
    GHashTable *routes;    /* owned LpRoute, by sender x n + receiver + 1 */
    GPtrArray *carriers;   /* owned Carrier */
    GPtrArray *idle;       /* of those, borrowed */
    LpBackgroundResult result;
};

/* --- who sends to whom --- */

/* One cycle through all of them: nobody sends to itself (Sattolo, An Algorithm to Generate a Random
 * Cyclic Permutation, 1986). */
static guint32 *
draw_permutation(guint32 n, guint32 seed)
{
    GRand *generator = g_rand_new_with_seed(seed);
    guint32 *partners = g_new(guint32, n);
    for (guint32 i = 0; i < n; i++)
        partners[i] = i;
    for (guint32 i = n - 1; i > 0; i--) {
        guint32 other = (guint32)g_rand_int_range(generator, 0, (gint32)i), kept = partners[i];
        partners[i] = partners[other];
        partners[other] = kept;
    }
    g_rand_free(generator);
    return partners;
}

static gboolean
sends(const LpBackground *self, guint32 sender)
{
    if (self->specification->pattern == LP_PATTERN_PAIRS)
        return sender % 2 == 0 && sender + 1 < self->n;
    return self->specification->pattern != LP_PATTERN_INCAST || sender > 0;
}

static guint32
next_receiver(Sender *self)
{
    const LpBackground *background = self->background;
    guint32 n = background->n, other;
    switch (background->specification->pattern) {
    case LP_PATTERN_PERMUTATION:
        return background->partners[self->index];
    case LP_PATTERN_UNIFORM:
        other = (guint32)g_rand_int_range(self->generator, 0, (gint32)n - 1);
        return other + (other >= self->index ? 1 : 0);
    case LP_PATTERN_PAIRS:
        return self->index + 1;
    case LP_PATTERN_INCAST:
        return 0;
    case LP_PATTERN_ALL_TO_ALL:
        break;
    }
    return (self->index + 1 + self->turn % (n - 1)) % n;
}

static LpAttachment
attachment(const LpBackground *self, guint64 a, guint64 b)
{
    switch (self->specification->ports) {
    case LP_PORTS_SCALE_UP:
        return LP_ATTACHMENT_SCALE_UP;
    case LP_PORTS_SCALE_OUT:
        return LP_ATTACHMENT_SCALE_OUT;
    case LP_PORTS_AUTO:
        break;
    }
    return lp_machine_attachment(lp_network_machine(self->network), a, b);
}

static LpRoute *
new_route(const LpBackground *self, guint32 sender, guint32 receiver)
{
    guint64 a = self->accelerators[sender], b = self->accelerators[receiver];
    LpRoute *route = g_new(LpRoute, 1);
    LpAttachment over = attachment(self, a, b);
    /* The usual attachment knows relays. */
    *route = over == lp_machine_attachment(lp_network_machine(self->network), a, b)
                 ? lp_network_route(self->network, a, b, LP_TRAFFIC_DP)
                 : lp_network_route_over(self->network, a, b, over, LP_TRAFFIC_DP);
    return route;
}

static const LpRoute *
find_route(LpBackground *self, guint32 sender, guint32 receiver)
{
    gpointer key = GSIZE_TO_POINTER((gsize)sender * self->n + receiver + 1);
    LpRoute *route = g_hash_table_lookup(self->routes, key);
    if (route == NULL) {
        route = new_route(self, sender, receiver);
        g_hash_table_insert(self->routes, key, route);
    }
    return route;
}

/* --- what the machine has --- */

static gboolean fail(const LpScenarioTraffic *specification, GError **error, const char *format,
                     ...) G_GNUC_PRINTF(3, 4);

static gboolean
fail(const LpScenarioTraffic *specification, GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "%s: traffic \"%s\": %s",
                specification->where, specification->name, message);
    return FALSE;
}

static gboolean
check_domain(const LpBackground *self, GError **error)
{
    const LpMachine *machine = lp_network_machine(self->network);
    for (guint32 i = 1; i < self->n; i++)
        if (lp_machine_domain(machine, self->accelerators[i]) !=
            lp_machine_domain(machine, self->accelerators[0]))
            return fail(self->specification, error,
                        "class: got scale-up for accelerators %u and %u of different domains, "
                        "wanted scale-out or auto",
                        self->accelerators[0], self->accelerators[i]);
    return TRUE;
}

static gboolean
check_cards(const LpBackground *self, GError **error)
{
    const LpMachine *machine = lp_network_machine(self->network);
    if (!machine->has_scale_out)
        return fail(self->specification, error,
                    "class: got scale-out on a machine without it, wanted scale-up or auto");
    g_autoptr(GHashTable) owners = g_hash_table_new(NULL, NULL);
    for (guint32 i = 0; i < self->n; i++) {
        guint64 port = lp_machine_port(machine, self->accelerators[i], LP_ATTACHMENT_SCALE_OUT);
        if (!g_hash_table_add(owners, GSIZE_TO_POINTER(port + 1)))
            return fail(self->specification, error,
                        "class: got scale-out for accelerator %u, whose card another one of these "
                        "has too, wanted accelerators with cards of their own",
                        self->accelerators[i]);
    }
    return TRUE;
}

static gboolean
check(const LpBackground *self, GError **error)
{
    const LpMachine *machine = lp_network_machine(self->network);
    if (self->n < 2)
        return fail(self->specification, error, "got one accelerator, wanted two or more");
    for (guint32 i = 0; i < self->n; i++)
        if (self->accelerators[i] >= machine->n_accelerators)
            return fail(self->specification, error,
                        "accelerators: got %u, wanted one of the %" G_GUINT64_FORMAT
                        " of the machine",
                        self->accelerators[i], machine->n_accelerators);
    if (self->specification->ports == LP_PORTS_SCALE_UP)
        return check_domain(self, error);
    return self->specification->ports == LP_PORTS_AUTO || check_cards(self, error);
}

static void
carrier_free(Carrier *self)
{
    sg_sem_destroy(self->loaded);
    g_free(self);
}

static void
list_accelerators(LpBackground *self)
{
    const GArray *given = self->specification->accelerators;
    guint64 all = lp_network_machine(self->network)->n_accelerators;
    self->n = given != NULL ? given->len : (guint32)all;
    self->accelerators = g_new(guint32, self->n);
    for (guint32 i = 0; i < self->n; i++)
        self->accelerators[i] = given != NULL ? g_array_index(given, guint32, i) : i;
}

LpBackground *
lp_background_new(const LpScenarioTraffic *specification, const LpNetwork *network, guint32 index,
                  GError **error)
{
    g_autoptr(LpBackground) self = g_new0(LpBackground, 1);
    self->specification = specification;
    self->network = network;
    self->index = index;
    self->routes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    self->carriers = g_ptr_array_new_with_free_func((GDestroyNotify)carrier_free);
    self->idle = g_ptr_array_new();
    list_accelerators(self);
    if (!check(self, error))
        return NULL;
    if (specification->pattern == LP_PATTERN_PERMUTATION)
        self->partners = draw_permutation(self->n, specification->seed);
    self->senders = g_new0(Sender, self->n);
    for (guint32 i = 0; i < self->n; i++) {
        guint32 seed[] = {specification->seed, g_str_hash(specification->name),
                          self->accelerators[i]};
        self->senders[i] =
            (Sender){.background = self,
                     .index = i,
                     .generator = g_rand_new_with_seed_array(seed, G_N_ELEMENTS(seed))};
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
    g_free(self->accelerators);
    g_free(self->partners);
    g_hash_table_unref(self->routes);
    g_ptr_array_unref(self->idle);
    g_ptr_array_unref(self->carriers);
    g_free(self);
}

/* --- the links that it may cross --- */

static void
mark_pair(const LpBackground *self, guint32 sender, guint32 receiver, gboolean *io_links)
{
    g_autofree LpRoute *route = new_route(self, sender, receiver);
    for (guint32 i = 0; i < route->n_links; i++)
        io_links[route->links[i]] = TRUE;
}

void
lp_background_mark(const LpBackground *self, gboolean *io_links)
{
    LpPattern pattern = self->specification->pattern;
    gboolean all = pattern == LP_PATTERN_UNIFORM || pattern == LP_PATTERN_ALL_TO_ALL;
    if (all && (guint64)self->n * self->n > PAIRS_MAX) {
        /* Too many to look at: any link. */
        for (guint32 i = 0; i < lp_network_n_links(self->network); i++)
            io_links[i] = TRUE;
        return;
    }
    for (guint32 i = 0; i < self->n; i++) {
        if (!sends(self, i))
            continue;
        if (!all)
            mark_pair(self, i, next_receiver(&self->senders[i]), io_links);
        for (guint32 other = 0; all && other < self->n; other++)
            if (other != i)
                mark_pair(self, i, other, io_links);
    }
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
carry(LpBackground *self, const LpRoute *route)
{
    guint64 bytes = self->specification->message_bytes;
    double start_s = simgrid_get_clock();
    self->result.n_under_way++;
    if (route->latency_s > 0.0)
        sg_actor_sleep_for(route->latency_s);
    double left_s = simgrid_get_clock();
    lp_sharing_send(self->sharing, &(LpFlow){route, bytes, LP_FLOW_BACKGROUND, 0, &bytes});
    write_down(self, route, left_s);
    self->result.n_under_way--;
    self->result.n_messages++;
    self->result.n_bytes += bytes;
    self->result.time_s += simgrid_get_clock() - start_s;
    self->result.isolated_s += route->latency_s + (double)bytes / route->bytes_per_s;
}

static void
carrier_actor(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    Carrier *self = sg_actor_self_get_data();
    for (;;) {
        sg_sem_acquire(self->loaded);
        carry(self->background, self->route);
        g_ptr_array_add(self->background->idle, self);
    }
}

guint64
lp_background_flights_max(guint64 n_senders)
{
    return MIN(FLIGHTS_OF_ALL + FLIGHTS_OF_EACH * n_senders, LP_BACKGROUND_FLIGHTS_MAX);
}

static void
hand_over(LpBackground *self, const LpRoute *route)
{
    if (self->result.n_under_way >= lp_background_flights_max(self->n)) {
        lp_watch_flood(self->watch, self->index);
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
        const LpRoute *route = find_route(background, self->index, next_receiver(self));
        if (specification->gaps == LP_GAPS_EXPONENTIAL)
            next_s += gap_s(self, route);
        if (specification->gaps == LP_GAPS_CLOSED)
            next_s = MAX(next_s, simgrid_get_clock());
        if (next_s >= specification->end_s)
            return;
        sleep_until(next_s);
        self->turn++;
        gboolean dead = lp_watch_is_dead(background->watch, route);
        background->result.n_lost += dead ? 1 : 0;
        if (specification->gaps == LP_GAPS_CLOSED && dead)
            return;
        if (specification->gaps == LP_GAPS_CLOSED)
            carry(background, route);
        else if (!dead)
            hand_over(background, route);
        if (specification->gaps == LP_GAPS_FIXED)
            next_s += gap_s(self, route);
    }
}

void
lp_background_start(LpBackground *self, LpWatch *watch, LpSharing *sharing, LpFlowLog *log)
{
    self->sharing = sharing;
    self->log = log;
    self->watch = watch;
    for (guint32 i = 0; i < self->n; i++) {
        if (!sends(self, i))
            continue;
        const LpPort *home =
            lp_network_port(self->network, self->accelerators[i], LP_ATTACHMENT_SCALE_UP);
        start_actor(home->host, &self->senders[i], (xbt_main_func_t)sender_actor);
    }
}

LpBackgroundResult
lp_background_result(const LpBackground *self)
{
    return self->result;
}
