/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the pairs of large communicators by blocks of senders: those whose ports have the same
 * switch. For each block, receiver and path between them there is one route to look at. */
#include "sim/mapping/exchange_loads.h"

/* A sender of data: a member, or an accelerator that forwards the data of members. */
typedef struct {
    guint64 accelerator, block;
    guint32 owner; /* the member whose flow is on its port */
    guint32 zone;  /* it sends nothing to receivers of the same one */
    double weight; /* members whose data it sends */
    double latency_s;
} Sender;

typedef struct {
    guint32 member, zone;
} Receiver;

typedef struct {
    LpExchangeLoads *loads;   /* borrowed */
    const LpMachine *machine; /* borrowed */
    guint32 plane;            /* of the scale-out network, between pods */
    LpReach reach;
    GArray *senders;       /* owned Sender: each sends to all receivers of other zones */
    GArray *receivers;     /* owned Receiver */
    guint *n_received;     /* owned, by zone: receivers */
    double *in_zone;       /* owned, by zone: weight of the block's senders */
    double weight;         /* of all of the block */
    double *by_path;       /* owned, by path: the same to the receiver at hand */
    guint *sender_by_path; /* owned: one of them */
    double *on_link;       /* owned, by link: pairs that the block puts there */
    GArray *touched;       /* owned guint32: links where that is more than 0 */
    double *on_port;       /* owned, by link of a port: pairs that all put there */
    GHashTable *ports;     /* owned: of ports of members, plus 1, to the first there, plus 1 */
    GArray *links;         /* owned guint32: of the route at hand */
    guint longest[2];      /* by plane: links of the block's longest route */
    double latency_s;      /* of that */
} Counter;

/* --- links --- */

/* Links that lead on from ports belong to who stands there, whoever sends over them. */
static guint32
member_at(const Counter *self, guint32 link)
{
    guint64 port = lp_network_link_port(self->loads->network, link);
    gpointer member =
        port == G_MAXUINT64 ? NULL : g_hash_table_lookup(self->ports, GSIZE_TO_POINTER(port + 1));
    return member == NULL ? G_MAXUINT32 : GPOINTER_TO_UINT(member) - 1;
}

static void
add_to_block(Counter *self, guint32 link, double n)
{
    if (!(self->on_link[link] > 0.0))
        g_array_append_val(self->touched, link);
    self->on_link[link] += n;
}

/* The network's plane between two accelerators. */
static guint32
plane_between(const Counter *self, guint64 from, guint64 to)
{
    return lp_machine_in_pod(self->machine, from, to) ? 1 : self->plane;
}

static guint32
n_own(const Counter *self, guint64 from, guint64 to)
{
    LpAttachment attachment =
        self->reach == LP_REACH_DOMAIN ? LP_ATTACHMENT_SCALE_UP : LP_ATTACHMENT_SCALE_OUT;
    return lp_network_block(self->loads->network, attachment,
                            self->reach == LP_REACH_DOMAIN ? 0 : plane_between(self, from, to))
        .n_own;
}

/* Finds the links of a route without relays. Returns: how many of them count. */
static guint32
find_links(Counter *self, guint64 from, guint64 to)
{
    LpHop hops[LP_HOPS_MAX];
    g_array_set_size(self->links, 0);
    (void)lp_network_find_hops(self->loads->network, from, to, self->loads->traffic, self->links,
                               hops);
    return lp_exchange_loads_is_hybrid_hop(self->loads, &hops[0]) ? 0 : self->links->len;
}

/* In one plane more links take longer. */
static void
note_route(Counter *self, guint32 plane)
{
    if (self->links->len <= self->longest[plane > 0])
        return;
    self->longest[plane > 0] = self->links->len;
    self->latency_s = MAX(self->latency_s, lp_exchange_loads_latency_s(self->loads, self->links));
}

/* Adds the data of @n members of a block for @to to the links from @sender, one of them, but for
 * its own links. */
static void
add_route(Counter *self, guint sender, guint32 to, double n)
{
    guint64 a = g_array_index(self->senders, Sender, sender).accelerator;
    guint64 b = self->loads->accelerators[to];
    guint32 n_links = find_links(self, a, b);
    for (guint32 k = n_own(self, a, b); k < n_links; k++) {
        guint32 link = g_array_index(self->links, guint32, k);
        if (2 * k < n_links || member_at(self, link) != G_MAXUINT32)
            add_to_block(self, link, n);
        else
            lp_exchange_loads_add(self->loads, to, LP_EXCHANGE_RECEIVED, link, self->reach, n);
    }
    if (self->reach == LP_REACH_FABRIC)
        note_route(self, plane_between(self, a, b));
}

/* --- blocks --- */

static guint64
block_of(const Counter *self, guint64 accelerator)
{
    const LpNetwork *network = self->loads->network;
    const LpMachine *machine = self->machine;
    if (self->reach == LP_REACH_DOMAIN)
        return accelerator / lp_network_block(network, LP_ATTACHMENT_SCALE_UP, 0).n_ports;
    guint64 port = lp_machine_port(machine, accelerator, LP_ATTACHMENT_SCALE_OUT);
    guint64 block = port / lp_network_block(network, LP_ATTACHMENT_SCALE_OUT, self->plane).n_ports;
    if (machine->pod_domains == 0)
        return block;
    guint64 in_pod = port / lp_network_block(network, LP_ATTACHMENT_SCALE_OUT, 1).n_ports;
    guint64 n = machine->n_accelerators;
    return (block * n + in_pod) * n +
           lp_machine_domain(machine, accelerator) / machine->pod_domains;
}

static int
compare_senders(const void *a, const void *b)
{
    const Sender *one = a, *other = b;
    if (one->block != other->block)
        return one->block < other->block ? -1 : 1;
    return one->accelerator < other->accelerator ? -1 : one->accelerator > other->accelerator;
}

/* Finds the paths from senders [first, end) to @to, and who takes each. */
static void
find_paths(Counter *self, guint first, guint end, const Receiver *to)
{
    guint64 b = self->loads->accelerators[to->member];
    gboolean is_hashed = self->reach == LP_REACH_FABRIC && self->machine->n_paths > 1;
    for (guint32 path = 0; path < self->machine->n_paths; path++)
        self->by_path[path] = 0.0;
    for (guint i = first; i < end; i++) {
        const Sender *sender = &g_array_index(self->senders, Sender, i);
        if (sender->zone == to->zone)
            continue;
        guint32 path = !is_hashed ? 0
                                  : lp_machine_path(self->machine, sender->accelerator, b,
                                                    self->loads->traffic);
        self->sender_by_path[path] = i;
        self->by_path[path] += sender->weight;
        if (!is_hashed) {
            self->by_path[0] = self->weight - self->in_zone[to->zone];
            return;
        }
    }
}

/* Adds the data that a sender sends over one plane, @in_pod or not, to its own links there. */
static void
add_own(Counter *self, const Sender *sender, gboolean in_pod)
{
    guint64 to = G_MAXUINT64;
    guint n_receivers = 0;
    for (guint k = 0; k < self->receivers->len; k++) {
        const Receiver *receiver = &g_array_index(self->receivers, Receiver, k);
        guint64 accelerator = self->loads->accelerators[receiver->member];
        if (receiver->zone == sender->zone ||
            lp_machine_in_pod(self->machine, sender->accelerator, accelerator) != in_pod)
            continue;
        to = accelerator;
        n_receivers++;
    }
    guint32 n_links = n_receivers == 0 ? 0 : find_links(self, sender->accelerator, to);
    for (guint32 i = 0; i < n_links && i < n_own(self, sender->accelerator, to); i++)
        lp_exchange_loads_add(self->loads, sender->owner, LP_EXCHANGE_SENT,
                              g_array_index(self->links, guint32, i), self->reach,
                              sender->weight * n_receivers);
}

/* Shares out the data that a block put on links among its senders, but for their own links. */
static void
share_out(Counter *self, guint first, guint end)
{
    for (guint i = 0; i < self->touched->len; i++) {
        guint32 link = g_array_index(self->touched, guint32, i);
        if (member_at(self, link) != G_MAXUINT32)
            self->on_port[link] += self->on_link[link];
        else
            for (guint k = first; k < end; k++) {
                const Sender *sender = &g_array_index(self->senders, Sender, k);
                lp_exchange_loads_add(self->loads, sender->owner, LP_EXCHANGE_SENT, link,
                                      self->reach,
                                      self->on_link[link] * sender->weight / self->weight);
            }
        self->on_link[link] = 0.0;
    }
    g_array_set_size(self->touched, 0);
}

static void
count_block(Counter *self, guint first, guint end)
{
    self->weight = self->latency_s = 0.0;
    self->longest[0] = self->longest[1] = 0;
    for (guint i = first; i < end; i++) {
        const Sender *sender = &g_array_index(self->senders, Sender, i);
        self->weight += sender->weight;
        self->in_zone[sender->zone] += sender->weight;
        for (guint in_pod = 0; in_pod < (self->machine->pod_domains > 0 ? 2u : 1u); in_pod++)
            add_own(self, sender, in_pod != 0);
    }
    for (guint i = 0; i < self->receivers->len; i++) {
        const Receiver *to = &g_array_index(self->receivers, Receiver, i);
        find_paths(self, first, end, to);
        for (guint32 path = 0; path < self->machine->n_paths; path++)
            if (self->by_path[path] > 0.0)
                add_route(self, self->sender_by_path[path], to->member, self->by_path[path]);
    }
    share_out(self, first, end);
    for (guint i = first; i < end; i++) {
        Sender *sender = &g_array_index(self->senders, Sender, i);
        self->in_zone[sender->zone] = 0.0;
        sender->latency_s = self->latency_s;
    }
}

static void
add_sender(Counter *self, guint64 accelerator, guint32 owner, guint32 zone)
{
    Sender sender = {.accelerator = accelerator,
                     .block = block_of(self, accelerator),
                     .owner = lp_exchange_loads_member_on(self->loads, accelerator, owner),
                     .zone = zone,
                     .weight = 1.0};
    g_array_append_val(self->senders, sender);
}

/* Who sends for several members is there as often. */
static void
join_senders(Counter *self)
{
    g_array_sort(self->senders, compare_senders);
    guint n = 0;
    for (guint i = 0; i < self->senders->len; i++) {
        Sender *last = n > 0 ? &g_array_index(self->senders, Sender, n - 1) : NULL;
        const Sender *sender = &g_array_index(self->senders, Sender, i);
        if (last != NULL && last->accelerator == sender->accelerator)
            last->weight += sender->weight;
        else
            g_array_index(self->senders, Sender, n++) = *sender;
    }
    g_array_set_size(self->senders, n);
}

/* @receivers: Receiver. */
static void
begin(Counter *self, LpReach reach, const GArray *receivers)
{
    self->reach = reach;
    g_array_set_size(self->senders, 0);
    g_array_set_size(self->receivers, 0);
    g_array_append_vals(self->receivers, receivers->data, receivers->len);
    for (guint i = 0; i < receivers->len; i++)
        self->n_received[g_array_index(receivers, Receiver, i).zone]++;
}

static void
count_all(Counter *self)
{
    join_senders(self);
    for (guint first = 0, end; first < self->senders->len; first = end) {
        end = first + 1;
        while (end < self->senders->len && g_array_index(self->senders, Sender, end).block ==
                                               g_array_index(self->senders, Sender, first).block)
            end++;
        count_block(self, first, end);
    }
    for (guint i = 0; i < self->receivers->len; i++)
        self->n_received[g_array_index(self->receivers, Receiver, i).zone] = 0;
}

/* --- within domains --- */

/* @members: Receiver, all of one domain, each a zone of its own. */
static void
count_domain(Counter *self, const GArray *members)
{
    begin(self, LP_REACH_DOMAIN, members);
    for (guint i = 0; i < members->len; i++) {
        const Receiver *member = &g_array_index(members, Receiver, i);
        add_sender(self, self->loads->accelerators[member->member], member->member, member->zone);
    }
    count_all(self);
}

/* --- between domains --- */

/* Receivers that whoever sends to them sends over the same relay: all, where rails meet; else those
 * of one place in their domains, and of one pod. */
static guint64
relay_class(const Counter *self, guint32 member)
{
    const LpMachine *machine = self->machine;
    guint64 accelerator = self->loads->accelerators[member];
    if (!machine->rails_relay)
        return 0;
    guint64 pod = machine->pod_domains == 0
                      ? 0
                      : lp_machine_domain(machine, accelerator) / machine->pod_domains;
    return pod * machine->domain_size + accelerator % machine->domain_size;
}

static void
add_relayed(Counter *self, guint32 member, guint64 relay, guint32 to, double n)
{
    LpExchangeCrossing crossing = {.from = member, .to = to, .reach = LP_REACH_FABRIC, .n = n};
    LpHop hop = {.from = self->loads->accelerators[member], .to = relay};
    hop.end_link = find_links(self, hop.from, hop.to);
    lp_exchange_loads_add_hop(self->loads, &hop, 0, self->links, crossing);
}

/* The latency over @relay, which is one of the senders. */
static double
latency_over(Counter *self, guint32 member, guint64 relay)
{
    guint64 accelerator = self->loads->accelerators[member];
    double before_s = 0.0;
    if (relay != accelerator) {
        (void)find_links(self, accelerator, relay);
        before_s = lp_exchange_loads_latency_s(self->loads, self->links);
    }
    const Sender wanted = {.accelerator = relay, .block = block_of(self, relay)};
    const Sender *found =
        bsearch(&wanted, self->senders->data, self->senders->len, sizeof(Sender), compare_senders);
    return found == NULL ? 0.0 : before_s + found->latency_s;
}

/* The first receiver out of @zone; NULL: there is none. */
static const Receiver *
first_out_of(const Counter *self, guint32 zone)
{
    for (guint i = 0; i < self->receivers->len; i++)
        if (g_array_index(self->receivers, Receiver, i).zone != zone)
            return &g_array_index(self->receivers, Receiver, i);
    return NULL;
}

/* Adds who sends for @member, if anybody is to. Returns: its accelerator, or G_MAXUINT64. */
static guint64
add_member(Counter *self, guint32 member, guint32 zone)
{
    guint64 from = self->loads->accelerators[member];
    const Receiver *to = first_out_of(self, zone);
    if (to == NULL)
        return G_MAXUINT64;
    guint64 relay = lp_machine_relay(self->machine, from, self->loads->accelerators[to->member]);
    add_sender(self, relay, member, zone);
    if (relay != from)
        add_relayed(self, member, relay, to->member, self->receivers->len - self->n_received[zone]);
    return relay;
}

/* @receivers: Receiver, of one relay class. @zones: by member. */
static void
count_class(Counter *self, const GArray *receivers, const guint32 *zones)
{
    LpExchangeLoads *loads = self->loads;
    guint32 n = loads->communicator->n_members;
    g_autofree guint64 *relays = g_new(guint64, n);
    begin(self, LP_REACH_FABRIC, receivers);
    for (guint32 member = 0; member < n; member++)
        relays[member] = add_member(self, member, zones[member]);
    count_all(self);
    for (guint32 member = 0; member < n; member++)
        if (relays[member] != G_MAXUINT64)
            loads->latency_s[member] =
                MAX(loads->latency_s[member], latency_over(self, member, relays[member]));
}

/* --- all --- */

static guint64
domain_of(const Counter *self, guint32 member)
{
    return lp_machine_domain(self->machine, self->loads->accelerators[member]);
}

/* Members by @key. @zones: of theirs, by member; NULL: each its own of its list. Returns: (transfer
 * full) GArrays of Receiver, in the order of their first members. */
static GPtrArray *
sort_members(const Counter *self, guint64 (*key)(const Counter *, guint32 member),
             const guint32 *zones)
{
    GPtrArray *lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    for (guint32 member = 0; member < self->loads->communicator->n_members; member++) {
        gpointer of = GSIZE_TO_POINTER(key(self, member) + 1);
        GArray *list = g_hash_table_lookup(known, of);
        if (list == NULL) {
            list = g_array_new(FALSE, FALSE, sizeof(Receiver));
            g_ptr_array_add(lists, list);
            g_hash_table_insert(known, of, list);
        }
        Receiver receiver = {member, zones == NULL ? list->len : zones[member]};
        g_array_append_val(list, receiver);
    }
    return lists;
}

static void
count_pairs(Counter *self)
{
    guint32 n = self->loads->communicator->n_members;
    g_autofree guint32 *zones = g_new(guint32, n);
    g_autoptr(GPtrArray) domains = sort_members(self, domain_of, NULL);
    for (guint32 i = 0; i < domains->len; i++) {
        const GArray *members = domains->pdata[i];
        for (guint k = 0; k < members->len; k++) {
            guint32 member = g_array_index(members, Receiver, k).member;
            zones[member] = i;
            self->loads->n_far[member] = n - members->len;
        }
        count_domain(self, members);
    }
    if (domains->len == 1)
        return;
    g_autoptr(GPtrArray) classes = sort_members(self, relay_class, zones);
    for (guint i = 0; i < classes->len; i++)
        count_class(self, classes->pdata[i], zones);
}

static void
give_to_ports(Counter *self)
{
    for (guint32 link = 0; link < lp_network_n_links(self->loads->network); link++)
        if (self->on_port[link] > 0.0)
            lp_exchange_loads_add(self->loads, member_at(self, link), LP_EXCHANGE_SENT, link,
                                  LP_REACH_FABRIC, self->on_port[link]);
}

static void
find_ports(Counter *self)
{
    for (guint32 member = self->loads->communicator->n_members; member-- > 0;) {
        guint64 port = lp_machine_port(self->machine, self->loads->accelerators[member],
                                       LP_ATTACHMENT_SCALE_OUT);
        g_hash_table_insert(self->ports, GSIZE_TO_POINTER(port + 1), GUINT_TO_POINTER(member + 1));
    }
}

void
lp_exchange_loads_add_blocks(LpExchangeLoads *self)
{
    const LpMachine *machine = lp_network_machine(self->network);
    guint32 n_links = lp_network_n_links(self->network), n = self->communicator->n_members;
    Counter counter = {.loads = self,
                       .machine = machine,
                       .plane = lp_machine_plane(machine, self->traffic),
                       .senders = g_array_new(FALSE, FALSE, sizeof(Sender)),
                       .receivers = g_array_new(FALSE, FALSE, sizeof(Receiver)),
                       .n_received = g_new0(guint, n),
                       .in_zone = g_new0(double, n),
                       .by_path = g_new0(double, machine->n_paths),
                       .sender_by_path = g_new0(guint, machine->n_paths),
                       .on_link = g_new0(double, n_links),
                       .touched = g_array_new(FALSE, FALSE, sizeof(guint32)),
                       .on_port = g_new0(double, n_links),
                       .ports = g_hash_table_new(NULL, NULL),
                       .links = g_array_new(FALSE, FALSE, sizeof(guint32))};
    if (machine->has_scale_out)
        find_ports(&counter);
    count_pairs(&counter);
    give_to_ports(&counter);
    g_array_unref(counter.senders);
    g_array_unref(counter.receivers);
    g_free(counter.n_received);
    g_free(counter.in_zone);
    g_free(counter.by_path);
    g_free(counter.sender_by_path);
    g_free(counter.on_link);
    g_array_unref(counter.touched);
    g_free(counter.on_port);
    g_hash_table_unref(counter.ports);
    g_array_unref(counter.links);
}
