/* SPDX-License-Identifier: Apache-2.0 */
/* Each flow of a run is a class of the solver: classes of the quotient cross links several times,
 * and owners matter. */
#include "sim/actors/shared_flows.h"

#include "sim/analysis/max_min.h"

#include <math.h>
#include <string.h>

struct LpSharedFlows {
    const LpNetwork *network;   /* borrowed; NULL of classes: */
    const LpQuotient *quotient; /* borrowed; NULL: flows stand for themselves */
    gboolean uncontended[LP_N_TIERS];
    double *n_own;             /* owned, by link by owner: flows there; of classes */
    LpFlowRecord *record;      /* borrowed, or NULL */
    LpEquivalenceCheck *check; /* borrowed, or NULL */
    LpMaxMin *solver;          /* owned: n_links links of all, by number, then those of owners */
    guint32 n_links;
    GHashTable *of_owners; /* owned: the latter by link and owner */
    GPtrArray *by_number;  /* borrowed LpSharedFlow, by class of the solver */
    GArray *idle;          /* owned: guint32, classes of the solver to be used again */
    GArray *uses;          /* owned: LpMaxMinUse, of the flow at hand */
    GPtrArray *changed;    /* owned array of borrowed flows */
};

/* --- links of owners --- */

typedef struct {
    guint32 link;
    const void *owner;
} OwnerKey;

static guint
owner_hash(gconstpointer data)
{
    const OwnerKey *key = data;
    return g_direct_hash(key->owner) * 31u + key->link;
}

static gboolean
owner_equal(gconstpointer a, gconstpointer b)
{
    const OwnerKey *one = a, *other = b;
    return one->link == other->link && one->owner == other->owner;
}

static guint32
link_of_owner(LpSharedFlows *self, guint32 link, const void *owner)
{
    OwnerKey key = {link, owner};
    gpointer known = g_hash_table_lookup(self->of_owners, &key);
    if (known != NULL)
        return GPOINTER_TO_UINT(known);
    guint32 own =
        lp_max_min_add_link(self->solver, link, lp_max_min_capacity(self->solver, link, 1));
    g_hash_table_insert(self->of_owners, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(own));
    return own;
}

/* --- what others cost a flow --- */

/* The first use of a class of the quotient, and the end of them. */
static const LpLinkUse *
class_uses(const LpSharedFlows *self, const LpSharedFlow *flow, guint32 *out_n)
{
    const LpLinkClasses *links = lp_quotient_links(self->quotient);
    guint32 first = links->first_use[flow->flow_class];
    *out_n = links->first_use[flow->flow_class + 1] - first;
    return links->uses + first;
}

/* What the owner of @flow would have on @link if others were not there. */
static double
own_share(const LpSharedFlows *self, const LpSharedFlow *flow, guint32 link)
{
    guint32 n = 0, n_flows = 0, owned = LP_OWNED_NONE;
    double n_own = 0.0;
    const LpLinkUse *uses = self->quotient == NULL ? NULL : class_uses(self, flow, &n);
    for (guint32 i = 0; i < n; i++)
        owned = uses[i].link == link ? uses[i].owned : owned;
    if (owned != LP_OWNED_NONE)
        return lp_max_min_capacity(self->solver, link, 1) / self->n_own[owned];
    const LpMaxMinUser *users = lp_max_min_users(self->solver, link, &n);
    for (guint32 i = 0; i < n; i++) {
        const LpSharedFlow *other = self->by_number->pdata[users[i].class];
        if (other->flow.owner != flow->flow.owner)
            continue;
        n_own += users[i].n;
        n_flows++;
    }
    return lp_max_min_capacity(self->solver, link, n_flows) / n_own;
}

static gboolean
is_shared(const LpSharedFlows *self, guint32 index)
{
    return self->quotient == NULL ? lp_tier_is_shared(lp_network_link(self->network, index).tier)
                                  : lp_quotient_links(self->quotient)->is_shared[index];
}

/* What holds @flow back, and what it gets there over what it would get beside its owner's flows
 * only. */
static void
find_loss(const LpSharedFlows *self, LpSharedFlow *flow, gint64 holder)
{
    flow->held_by = -1;
    if (self->record == NULL || holder < 0)
        return;
    guint32 link = (guint32)holder;
    flow->held_by = lp_max_min_link_index(self->solver, link);
    double alone = flow->cap_bytes_per_s;
    if (is_shared(self, (guint32)flow->held_by))
        alone = MIN(alone, own_share(self, flow, link));
    flow->alone_share = flow->bytes_per_s / alone;
    if (flow->alone_share > 1.0 - LP_MAX_MIN_SLACK)
        flow->alone_share = 1.0;
}

/* --- rates --- */

/* What has flowed since the rate last changed. */
static void
bring_up_to_date(LpSharedFlows *self, LpSharedFlow *flow, double now_s)
{
    double elapsed_s = now_s - flow->since_s;
    if (self->record != NULL && flow->held_by >= 0 && elapsed_s > 0.0 && flow->alone_share < 1.0)
        lp_flow_record_add_loss(self->record, &flow->flow, (guint32)flow->held_by,
                                elapsed_s * (1.0 - flow->alone_share));
    flow->rest_bytes = MAX(flow->rest_bytes - elapsed_s * flow->bytes_per_s, 0.0);
    flow->since_s = now_s;
}

/* Who is asked for a flow at hand. */
typedef struct {
    const LpMaxMin *solver;
    guint32 number;
} Held;

static gboolean
holds_back(gconstpointer data, guint32 link)
{
    const Held *self = data;
    return lp_max_min_is_held_by(self->solver, self->number, link);
}

static void
take_rate(LpSharedFlows *self, LpSharedFlow *flow, double now_s)
{
    guint32 number = flow->number - 1;
    flow->bytes_per_s = lp_max_min_rates(self->solver)[number];
    if (self->record == NULL && self->check == NULL)
        return;
    gint64 holder = lp_max_min_holder(self->solver, number);
    find_loss(self, flow, holder);
    if (self->check != NULL && holder >= 0)
        lp_equivalence_check_rate(self->check, flow->flow_class, holds_back,
                                  &(Held){self->solver, number}, now_s);
}

const GPtrArray *
lp_shared_flows_share_out(LpSharedFlows *self, double now_s)
{
    guint32 n;
    const guint32 *numbers = lp_max_min_share_out(self->solver, &n);
    g_ptr_array_set_size(self->changed, (gint)n);
    for (guint32 i = 0; i < n; i++) {
        LpSharedFlow *flow = self->by_number->pdata[numbers[i]];
        self->changed->pdata[i] = flow;
        bring_up_to_date(self, flow, now_s);
        take_rate(self, flow, now_s);
    }
    return self->changed;
}

/* --- flows --- */

static void
add_uses(LpSharedFlows *self, LpSharedFlow *flow, guint32 leg)
{
    const LpRoute *route = flow->flow.route;
    guint32 first = lp_route_leg_first(route, leg), n_links = lp_route_leg_end(route, leg) - first;
    flow->cap_bytes_per_s = INFINITY;
    for (guint32 i = 0; i < n_links; i++) {
        guint32 place = first + lp_link_order(i, n_links), index = route->links[place];
        LpLink link = lp_network_link(self->network, index);
        LpMaxMinUse use = {index, lp_route_weight(route, place)};
        flow->cap_bytes_per_s = MIN(flow->cap_bytes_per_s, link.bytes_per_s / use.n);
        if (self->uncontended[link.tier] && !lp_tier_is_shared(link.tier))
            continue;
        if (self->uncontended[link.tier])
            use.link = link_of_owner(self, index, flow->flow.owner);
        g_array_append_val(self->uses, use);
    }
}

static void
add_class_uses(LpSharedFlows *self, LpSharedFlow *flow)
{
    gboolean is_class = lp_quotient_find_class(self->quotient, flow->flow.route, &flow->flow_class);
    g_assert(is_class);
    if (self->check != NULL)
        lp_equivalence_check_begin(self->check);
    flow->cap_bytes_per_s = flow->flow.route->bytes_per_s;
    guint32 n;
    const LpLinkUse *uses = class_uses(self, flow, &n);
    for (guint32 i = 0; i < n; i++) {
        g_array_append_vals(self->uses, &(LpMaxMinUse){uses[i].link, uses[i].n}, 1);
        if (uses[i].owned != LP_OWNED_NONE)
            self->n_own[uses[i].owned] += uses[i].n_own;
    }
}

static guint32
new_number(LpSharedFlows *self, LpSharedFlow *flow)
{
    guint32 number;
    if (self->idle->len > 0) {
        number = g_array_index(self->idle, guint32, self->idle->len - 1);
        g_array_set_size(self->idle, self->idle->len - 1);
        self->by_number->pdata[number] = flow;
    } else {
        number = lp_max_min_add_class(self->solver);
        g_ptr_array_add(self->by_number, flow);
    }
    return number;
}

gboolean
lp_shared_flows_enter(LpSharedFlows *self, LpSharedFlow *flow, guint32 leg, double now_s)
{
    g_array_set_size(self->uses, 0);
    if (self->quotient == NULL)
        add_uses(self, flow, leg);
    else
        add_class_uses(self, flow);
    flow->held_by = -1;
    flow->rest_bytes = (double)flow->flow.bytes;
    flow->since_s = now_s;
    flow->bytes_per_s = self->uses->len > 0 ? 0.0 : flow->cap_bytes_per_s;
    flow->number = 0;
    if (self->uses->len == 0)
        return FALSE;
    guint32 number = new_number(self, flow);
    flow->number = number + 1;
    lp_max_min_set_uses(self->solver, number, (const LpMaxMinUse *)(gpointer)self->uses->data,
                        self->uses->len, flow->cap_bytes_per_s);
    lp_max_min_enter(self->solver, number);
    return TRUE;
}

void
lp_shared_flows_leave(LpSharedFlows *self, LpSharedFlow *flow, double now_s)
{
    bring_up_to_date(self, flow, now_s);
    if (flow->number == 0)
        return;
    guint32 number = flow->number - 1, n = 0;
    const LpLinkUse *uses = self->quotient == NULL ? NULL : class_uses(self, flow, &n);
    for (guint32 i = 0; i < n; i++)
        if (uses[i].owned != LP_OWNED_NONE)
            self->n_own[uses[i].owned] -= uses[i].n_own;
    lp_max_min_leave(self->solver, number);
    g_array_append_val(self->idle, number);
    flow->number = 0;
}

void
lp_shared_flows_set_bandwidth(LpSharedFlows *self, guint32 link, double bytes_per_s)
{
    lp_max_min_set_capacity(self->solver, link, bytes_per_s);
    for (guint32 own = self->n_links; own < self->n_links + g_hash_table_size(self->of_owners);
         own++)
        if (lp_max_min_link_index(self->solver, own) == link)
            lp_max_min_set_capacity(self->solver, own, bytes_per_s);
}

/* --- all --- */

static LpSharedFlows *
flows_new(const LpNetwork *network, guint32 n_links, LpFlowRecord *record)
{
    LpSharedFlows *self = g_new0(LpSharedFlows, 1);
    self->network = network;
    self->n_links = n_links;
    self->record = record;
    self->solver = lp_max_min_new(network, FALSE);
    self->of_owners = g_hash_table_new_full(owner_hash, owner_equal, g_free, NULL);
    self->by_number = g_ptr_array_new();
    self->idle = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->uses = g_array_new(FALSE, FALSE, sizeof(LpMaxMinUse));
    self->changed = g_ptr_array_new();
    return self;
}

LpSharedFlows *
lp_shared_flows_new(const LpNetwork *network, const gboolean *uncontended, LpFlowRecord *record)
{
    LpSharedFlows *self = flows_new(network, lp_network_n_links(network), record);
    memcpy(self->uncontended, uncontended, sizeof self->uncontended);
    for (guint32 i = 0; i < self->n_links; i++)
        lp_max_min_add_link(self->solver, i, lp_network_link(network, i).bytes_per_s);
    return self;
}

LpSharedFlows *
lp_shared_flows_new_of_classes(const LpQuotient *quotient, LpFlowRecord *record,
                               LpEquivalenceCheck *check)
{
    const LpLinkClasses *links = lp_quotient_links(quotient);
    LpSharedFlows *self = flows_new(NULL, links->n_links, record);
    self->quotient = quotient;
    self->check = check;
    self->n_own = g_new0(double, links->n_owned);
    for (guint32 i = 0; i < links->n_links; i++)
        lp_max_min_add_link(self->solver, i, links->bytes_per_s[i]);
    return self;
}

void
lp_shared_flows_free(LpSharedFlows *self)
{
    if (self == NULL)
        return;
    lp_max_min_free(self->solver);
    g_hash_table_unref(self->of_owners);
    g_ptr_array_unref(self->by_number);
    g_array_unref(self->idle);
    g_array_unref(self->uses);
    g_ptr_array_unref(self->changed);
    g_free(self->n_own);
    g_free(self);
}
