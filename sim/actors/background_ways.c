/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of senders and receivers, and whether the machine has what they need. */
#include "sim/actors/background_ways.h"

#include "base/error.h"

/* Above this, routes of all pairs are not looked at one by one to see which links they cross. */
#define PAIRS_MAX (1u << 16)

struct LpBackgroundWays {
    const LpScenarioTraffic *specification; /* borrowed */
    const LpNetwork *network;               /* borrowed */
    guint32 n;
    guint32 *accelerators; /* owned */
    guint32 *partners;     /* owned: of a permutation, by sender; else NULL */
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

gboolean
lp_background_ways_sends(const LpBackgroundWays *self, guint32 sender)
{
    if (self->specification->pattern == LP_PATTERN_PAIRS)
        return sender % 2 == 0 && sender + 1 < self->n;
    return self->specification->pattern != LP_PATTERN_INCAST || sender > 0;
}

gboolean
lp_background_ways_is_drawn(const LpBackgroundWays *self)
{
    return self->specification->pattern == LP_PATTERN_UNIFORM;
}

guint32
lp_background_ways_n_turns(const LpBackgroundWays *self)
{
    LpPattern pattern = self->specification->pattern;
    return pattern == LP_PATTERN_UNIFORM || pattern == LP_PATTERN_ALL_TO_ALL ? self->n - 1 : 1;
}

guint32
lp_background_ways_receiver(const LpBackgroundWays *self, guint32 sender, guint32 turn)
{
    switch (self->specification->pattern) {
    case LP_PATTERN_PERMUTATION:
        return self->partners[sender];
    case LP_PATTERN_PAIRS:
        return sender + 1;
    case LP_PATTERN_INCAST:
        return 0;
    case LP_PATTERN_UNIFORM:
    case LP_PATTERN_ALL_TO_ALL:
        break;
    }
    return (guint32)((sender + 1ul + turn) % self->n);
}

static LpAttachment
attachment(const LpBackgroundWays *self, guint64 a, guint64 b)
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

LpRoute
lp_background_ways_route(const LpBackgroundWays *self, guint32 sender, guint32 receiver)
{
    guint64 a = self->accelerators[sender], b = self->accelerators[receiver];
    LpAttachment over = attachment(self, a, b);
    /* The usual attachment knows relays. */
    return over == lp_machine_attachment(lp_network_machine(self->network), a, b)
               ? lp_network_route(self->network, a, b, LP_TRAFFIC_DP)
               : lp_network_route_over(self->network, a, b, over, LP_TRAFFIC_DP);
}

/* --- what the machine has --- */

static gboolean
check_domain(const LpBackgroundWays *self, GError **error)
{
    const LpMachine *machine = lp_network_machine(self->network);
    for (guint32 i = 1; i < self->n; i++)
        if (lp_machine_domain(machine, self->accelerators[i]) !=
            lp_machine_domain(machine, self->accelerators[0]))
            return lp_value_error(
                error,
                "class: got scale-up for accelerators %u and %u of different domains, "
                "wanted scale-out or auto",
                self->accelerators[0], self->accelerators[i]);
    return TRUE;
}

static gboolean
check_cards(const LpBackgroundWays *self, GError **error)
{
    const LpMachine *machine = lp_network_machine(self->network);
    if (!machine->has_scale_out)
        return lp_value_error(
            error, "class: got scale-out on a machine without it, wanted scale-up or auto");
    g_autoptr(GHashTable) owners = g_hash_table_new(NULL, NULL);
    for (guint32 i = 0; i < self->n; i++) {
        guint64 port = lp_machine_port(machine, self->accelerators[i], LP_ATTACHMENT_SCALE_OUT);
        if (!g_hash_table_add(owners, GSIZE_TO_POINTER(port + 1)))
            return lp_value_error(
                error,
                "class: got scale-out for accelerator %u, whose card another one of these "
                "has too, wanted accelerators with cards of their own",
                self->accelerators[i]);
    }
    return TRUE;
}

static gboolean
check(const LpBackgroundWays *self, GError **error)
{
    const LpMachine *machine = lp_network_machine(self->network);
    if (self->n < 2)
        return lp_value_error(error, "got one accelerator, wanted two or more");
    for (guint32 i = 0; i < self->n; i++)
        if (self->accelerators[i] >= machine->n_accelerators)
            return lp_value_error(error,
                                  "accelerators: got %u, wanted one of the %" G_GUINT64_FORMAT
                                  " of the machine",
                                  self->accelerators[i], machine->n_accelerators);
    if (self->specification->ports == LP_PORTS_SCALE_UP)
        return check_domain(self, error);
    return self->specification->ports == LP_PORTS_AUTO || check_cards(self, error);
}

static void
list_accelerators(LpBackgroundWays *self)
{
    const GArray *given = self->specification->accelerators;
    guint64 all = lp_network_machine(self->network)->n_accelerators;
    self->n = given != NULL ? given->len : (guint32)all;
    self->accelerators = g_new(guint32, self->n);
    for (guint32 i = 0; i < self->n; i++)
        self->accelerators[i] = given != NULL ? g_array_index(given, guint32, i) : i;
}

LpBackgroundWays *
lp_background_ways_new(const LpScenarioTraffic *specification, const LpNetwork *network,
                       GError **error)
{
    g_autoptr(LpBackgroundWays) self = g_new0(LpBackgroundWays, 1);
    self->specification = specification;
    self->network = network;
    list_accelerators(self);
    if (!check(self, error)) {
        g_prefix_error(error, "%s: traffic \"%s\": ", specification->where, specification->name);
        return NULL;
    }
    if (specification->pattern == LP_PATTERN_PERMUTATION)
        self->partners = draw_permutation(self->n, specification->seed);
    return g_steal_pointer(&self);
}

void
lp_background_ways_free(LpBackgroundWays *self)
{
    if (self == NULL)
        return;
    g_free(self->accelerators);
    g_free(self->partners);
    g_free(self);
}

guint32
lp_background_ways_n(const LpBackgroundWays *self)
{
    return self->n;
}

guint32
lp_background_ways_accelerator(const LpBackgroundWays *self, guint32 index)
{
    return self->accelerators[index];
}

gboolean
lp_background_ways_are_many(const LpBackgroundWays *self)
{
    guint32 n_turns = lp_background_ways_n_turns(self);
    return n_turns > 1 && (guint64)self->n * n_turns > PAIRS_MAX;
}

/* --- the links that it may cross --- */

static void
mark_way(const LpBackgroundWays *self, guint32 sender, guint32 turn, gboolean *io_links)
{
    guint32 receiver = lp_background_ways_receiver(self, sender, turn);
    LpRoute route = lp_background_ways_route(self, sender, receiver);
    for (guint32 i = 0; i < route.n_links; i++)
        io_links[route.links[i]] = TRUE;
}

void
lp_background_ways_mark(const LpBackgroundWays *self, gboolean *io_links)
{
    if (lp_background_ways_are_many(self)) {
        /* Too many to look at: any link. */
        for (guint32 i = 0; i < lp_network_n_links(self->network); i++)
            io_links[i] = TRUE;
        return;
    }
    for (guint32 sender = 0; sender < self->n; sender++)
        for (guint32 turn = 0;
             lp_background_ways_sends(self, sender) && turn < lp_background_ways_n_turns(self);
             turn++)
            mark_way(self, sender, turn, io_links);
}
