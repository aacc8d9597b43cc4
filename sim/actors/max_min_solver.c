/* SPDX-License-Identifier: Apache-2.0 */
/* Progressive solver over the flows and links that a change can reach. */
#include "sim/actors/max_min_solver.h"

#include <math.h>
#include <string.h>

/* Shares that are this close are equal: rounding, not physics. */
#define SLACK 1e-12

/* A flow at a link_share, as often as it is there. */
typedef struct {
    LpSharedFlow *flow; /* borrowed */
    double n;
} User;

/* A link as flows meet on it: all of them, or one owner's; or a class of links. */
typedef struct {
    guint32 link;
    GArray *users; /* owned: User; NULL: none has come yet */
    gboolean is_dirty, is_found, is_full;
    double rest_bytes_per_s; /* while shares are worked out */
    double n_users;          /* then: flows without a rate, as often as they are there */
    guint32 n_open;          /* then: users without a rate */
} LinkShare;

struct LpMaxMinSolver {
    const LpNetwork *network;   /* borrowed; NULL of classes: */
    const LpQuotient *quotient; /* borrowed; NULL: flows stand for themselves */
    gboolean uncontended[LP_N_TIERS];
    double *n_own;             /* owned, by link by owner: flows there; of classes */
    LpFlowRecord *record;      /* borrowed, or NULL */
    LpEquivalenceCheck *check; /* borrowed, or NULL */
    double now_s;              /* while shares are worked out */
    double *bytes_per_s;       /* owned, by link: as they are now */
    GArray *link_shares;       /* owned LinkShare: those of all, by link, then those of owners */
    GHashTable *of_owners;     /* owned: the latter by link and owner */
    GArray *full;              /* owned: guint32, link_shares that hold flows back at a level */
    GArray *dirty;             /* owned: guint32, link_shares whose flows have changed */
    GArray *found;             /* owned: guint32, link_shares that shares are worked out for */
    GPtrArray *flows;          /* owned array of borrowed flows, likewise */
};

/* --- link_shares --- */

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

static LinkShare *
link_share_at(const LpMaxMinSolver *self, guint32 index)
{
    return &g_array_index(self->link_shares, LinkShare, index);
}

static void
link_share_clear(LinkShare *self)
{
    if (self->users != NULL)
        g_array_unref(self->users);
}

static guint32
link_share_of_owner(LpMaxMinSolver *self, guint32 link, const void *owner)
{
    OwnerKey key = {link, owner};
    gpointer known = g_hash_table_lookup(self->of_owners, &key);
    if (known != NULL)
        return GPOINTER_TO_UINT(known);
    guint32 index = self->link_shares->len;
    LinkShare link_share = {.link = link};
    g_array_append_val(self->link_shares, link_share);
    g_hash_table_insert(self->of_owners, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(index));
    return index;
}

static void
mark_dirty(LpMaxMinSolver *self, guint32 index)
{
    LinkShare *link_share = link_share_at(self, index);
    if (link_share->is_dirty)
        return;
    link_share->is_dirty = TRUE;
    g_array_append_val(self->dirty, index);
}

/* Of the link of @link_share, with @n flows on it. Classes are of machines without losses. */
static double
capacity(const LpMaxMinSolver *self, const LinkShare *link_share, guint32 n)
{
    double share =
        self->network == NULL ? 1.0 : lp_network_share(self->network, link_share->link, n);
    return self->bytes_per_s[link_share->link] * share;
}

static gboolean
is_shared(const LpMaxMinSolver *self, const LinkShare *link_share)
{
    return self->quotient == NULL
               ? lp_tier_is_shared(lp_network_link(self->network, link_share->link).tier)
               : lp_quotient_links(self->quotient)->is_shared[link_share->link];
}

static User *
user_at(const LinkShare *link_share, guint i)
{
    return &g_array_index(link_share->users, User, i);
}

static LpFlowOnLink *
on_link_at(const LpSharedFlow *flow, gint64 i)
{
    return &g_array_index(flow->link_shares, LpFlowOnLink, i);
}

/* --- shares --- */

/* What has flowed since the rate last changed. */
static void
bring_up_to_date(LpMaxMinSolver *self, LpSharedFlow *flow, double now_s)
{
    double elapsed_s = now_s - flow->since_s;
    if (self->record != NULL && flow->held_by >= 0 && elapsed_s > 0.0 && flow->alone_share < 1.0)
        lp_flow_record_add_loss(
            self->record, &flow->flow,
            link_share_at(self, on_link_at(flow, flow->held_by)->link_share)->link,
            elapsed_s * (1.0 - flow->alone_share));
    flow->rest_bytes = MAX(flow->rest_bytes - elapsed_s * flow->bytes_per_s, 0.0);
    flow->since_s = now_s;
}

/* All flows and link_shares that what has changed can touch, from flow to link_share to flow. */
static void
find_touched(LpMaxMinSolver *self, double now_s)
{
    g_array_set_size(self->found, 0);
    g_ptr_array_set_size(self->flows, 0);
    for (guint i = 0; i < self->dirty->len; i++) {
        guint32 index = g_array_index(self->dirty, guint32, i);
        link_share_at(self, index)->is_dirty = FALSE;
        if (!link_share_at(self, index)->is_found)
            g_array_append_val(self->found, index);
        link_share_at(self, index)->is_found = TRUE;
    }
    g_array_set_size(self->dirty, 0);
    for (guint i = 0; i < self->found->len; i++) {
        LinkShare *link_share = link_share_at(self, g_array_index(self->found, guint32, i));
        link_share->n_open = link_share->users == NULL ? 0 : link_share->users->len;
        link_share->rest_bytes_per_s = capacity(self, link_share, link_share->n_open);
        link_share->n_users = 0.0;
        for (guint k = 0; link_share->users != NULL && k < link_share->users->len; k++) {
            LpSharedFlow *flow = user_at(link_share, k)->flow;
            link_share->n_users += user_at(link_share, k)->n;
            if (flow->is_found)
                continue;
            flow->is_found = TRUE;
            flow->is_fixed = FALSE;
            bring_up_to_date(self, flow, now_s);
            g_ptr_array_add(self->flows, flow);
            for (guint m = 0; m < flow->link_shares->len; m++) {
                guint32 next = on_link_at(flow, m)->link_share;
                if (link_share_at(self, next)->is_found)
                    continue;
                link_share_at(self, next)->is_found = TRUE;
                g_array_append_val(self->found, next);
            }
        }
    }
}

/* How often the owner of @flow is at @link_share. @out_users: with how many flows, where that
 * matters.
 */
static double
count_own(const LpMaxMinSolver *self, const LinkShare *link_share, const LpSharedFlow *flow,
          const LpFlowOnLink *on_link, guint32 *out_users)
{
    double n = 0.0;
    *out_users = 1;
    if (on_link->owned != LP_OWNED_NONE)
        return self->n_own[on_link->owned];
    *out_users = 0;
    for (guint i = 0; i < link_share->users->len; i++) {
        if (user_at(link_share, i)->flow->flow.owner != flow->flow.owner)
            continue;
        n += user_at(link_share, i)->n;
        ++*out_users;
    }
    return n;
}

/* What a flow gets at an on_link over what it would get there beside its owner's flows only. */
static double
share_of_alone(const LpMaxMinSolver *self, const LpSharedFlow *flow, const LpFlowOnLink *on_link,
               double bytes_per_s)
{
    const LinkShare *link_share = link_share_at(self, on_link->link_share);
    double alone = flow->cap_bytes_per_s;
    if (is_shared(self, link_share)) {
        guint32 n_users;
        double n_own = count_own(self, link_share, flow, on_link, &n_users);
        alone = MIN(alone, capacity(self, link_share, n_users) / n_own);
    }
    double share = bytes_per_s / alone;
    return share > 1.0 - SLACK ? 1.0 : share;
}

/* @held_by: the on_link that it follows from, negative: none. */
static void
fix(LpMaxMinSolver *self, LpSharedFlow *flow, double bytes_per_s, gint64 held_by)
{
    flow->is_fixed = TRUE;
    flow->bytes_per_s = bytes_per_s;
    flow->held_by = self->record == NULL ? -1 : held_by;
    if (flow->held_by >= 0)
        flow->alone_share = share_of_alone(self, flow, on_link_at(flow, held_by), bytes_per_s);
    for (guint i = 0; i < flow->link_shares->len; i++) {
        const LpFlowOnLink *on_link = on_link_at(flow, i);
        LinkShare *at = link_share_at(self, on_link->link_share);
        at->rest_bytes_per_s = MAX(at->rest_bytes_per_s - bytes_per_s * on_link->n, 0.0);
        at->n_users -= on_link->n;
        at->n_open--;
    }
}

static double
lowest_share(const LpMaxMinSolver *self)
{
    double lowest = INFINITY;
    for (guint i = 0; i < self->found->len; i++) {
        const LinkShare *link_share = link_share_at(self, g_array_index(self->found, guint32, i));
        if (link_share->n_open > 0)
            lowest = MIN(lowest, link_share->rest_bytes_per_s / link_share->n_users);
    }
    for (guint i = 0; i < self->flows->len; i++) {
        const LpSharedFlow *flow = self->flows->pdata[i];
        if (!flow->is_fixed)
            lowest = MIN(lowest, flow->cap_bytes_per_s);
    }
    return lowest;
}

/* Which are full is asked before any is filled. */
static void
find_full(LpMaxMinSolver *self, double level)
{
    g_array_set_size(self->full, 0);
    for (guint i = 0; i < self->found->len; i++) {
        guint32 index = g_array_index(self->found, guint32, i);
        LinkShare *link_share = link_share_at(self, index);
        link_share->is_full =
            link_share->n_open > 0 && link_share->rest_bytes_per_s / link_share->n_users <= level;
        if (link_share->is_full)
            g_array_append_val(self->full, index);
    }
}

/* Of several that are full the first in the order that flows enter links in. */
static gint64
find_holder(const LpMaxMinSolver *self, const LpSharedFlow *flow)
{
    gint64 i = 0;
    while (!link_share_at(self, on_link_at(flow, i)->link_share)->is_full)
        i++;
    return i;
}

static gboolean
holds_back(gconstpointer data, guint32 link)
{
    return link_share_at(data, link)->is_full;
}

static void
fill_to(LpMaxMinSolver *self, double lowest)
{
    double level = lowest * (1.0 + SLACK);
    find_full(self, level);
    for (guint i = 0; i < self->full->len; i++) {
        const LinkShare *link_share = link_share_at(self, g_array_index(self->full, guint32, i));
        for (guint k = 0; k < link_share->users->len; k++) {
            LpSharedFlow *flow = user_at(link_share, k)->flow;
            if (flow->is_fixed)
                continue;
            fix(self, flow, lowest, find_holder(self, flow));
            if (self->check != NULL)
                lp_equivalence_check_rate(self->check, flow->flow_class, holds_back, self,
                                          self->now_s);
        }
    }
    for (guint i = 0; i < self->flows->len; i++) {
        LpSharedFlow *flow = self->flows->pdata[i];
        if (!flow->is_fixed && flow->cap_bytes_per_s <= level)
            fix(self, flow, lowest, -1);
    }
}

static gboolean
has_unfixed(const LpMaxMinSolver *self)
{
    for (guint i = 0; i < self->flows->len; i++)
        if (!((const LpSharedFlow *)self->flows->pdata[i])->is_fixed)
            return TRUE;
    return FALSE;
}

const GPtrArray *
lp_max_min_solver_share_out(LpMaxMinSolver *self, double now_s)
{
    g_ptr_array_set_size(self->flows, 0);
    if (self->dirty->len == 0)
        return self->flows;
    self->now_s = now_s;
    find_touched(self, now_s);
    while (has_unfixed(self))
        fill_to(self, lowest_share(self));
    for (guint i = 0; i < self->flows->len; i++)
        ((LpSharedFlow *)self->flows->pdata[i])->is_found = FALSE;
    for (guint i = 0; i < self->found->len; i++)
        link_share_at(self, g_array_index(self->found, guint32, i))->is_found = FALSE;
    return self->flows;
}

/* --- flows --- */

static void
join(LpMaxMinSolver *self, LpSharedFlow *flow, LpFlowOnLink on_link)
{
    LinkShare *link_share = link_share_at(self, on_link.link_share);
    User user = {flow, on_link.n};
    if (link_share->users == NULL)
        link_share->users = g_array_new(FALSE, FALSE, sizeof(User));
    g_array_append_val(link_share->users, user);
    if (on_link.owned != LP_OWNED_NONE)
        self->n_own[on_link.owned] += on_link.n_own;
    g_array_append_val(flow->link_shares, on_link);
    mark_dirty(self, on_link.link_share);
}

static void
enter_links(LpMaxMinSolver *self, LpSharedFlow *flow, guint32 leg)
{
    const LpRoute *route = flow->flow.route;
    guint32 first = lp_route_leg_first(route, leg), n_links = lp_route_leg_end(route, leg) - first;
    flow->cap_bytes_per_s = INFINITY;
    for (guint32 i = 0; i < n_links; i++) {
        guint32 place = first + lp_link_order(i, n_links), index = route->links[place];
        LpLink link = lp_network_link(self->network, index);
        double weight = lp_route_weight(route, place);
        LpFlowOnLink on_link = {.link_share = index, .n = weight, .owned = LP_OWNED_NONE};
        flow->cap_bytes_per_s = MIN(flow->cap_bytes_per_s, link.bytes_per_s / weight);
        if (self->uncontended[link.tier] && !lp_tier_is_shared(link.tier))
            continue;
        if (self->uncontended[link.tier])
            on_link.link_share = link_share_of_owner(self, index, flow->flow.owner);
        join(self, flow, on_link);
    }
}

static void
enter_classes(LpMaxMinSolver *self, LpSharedFlow *flow)
{
    const LpLinkClasses *links = lp_quotient_links(self->quotient);
    gboolean is_class = lp_quotient_find_class(self->quotient, flow->flow.route, &flow->flow_class);
    g_assert(is_class);
    guint32 class = flow->flow_class;
    if (self->check != NULL)
        lp_equivalence_check_begin(self->check);
    flow->cap_bytes_per_s = flow->flow.route->bytes_per_s;
    for (guint32 i = links->first_use[class]; i < links->first_use[class + 1]; i++) {
        const LpLinkUse *use = &links->uses[i];
        join(self, flow, (LpFlowOnLink){use->link, use->n, use->owned, use->n_own});
    }
}

gboolean
lp_max_min_solver_enter(LpMaxMinSolver *self, LpSharedFlow *flow, guint32 leg, double now_s)
{
    if (self->quotient == NULL)
        enter_links(self, flow, leg);
    else
        enter_classes(self, flow);
    flow->held_by = -1;
    flow->rest_bytes = (double)flow->flow.bytes;
    flow->since_s = now_s;
    flow->bytes_per_s = flow->link_shares->len > 0 ? 0.0 : flow->cap_bytes_per_s;
    return flow->link_shares->len > 0;
}

static void
leave(LpMaxMinSolver *self, const LpSharedFlow *flow, const LpFlowOnLink *on_link)
{
    LinkShare *link_share = link_share_at(self, on_link->link_share);
    guint i = 0;
    while (user_at(link_share, i)->flow != flow)
        i++;
    g_array_remove_index_fast(link_share->users, i);
    if (on_link->owned != LP_OWNED_NONE)
        self->n_own[on_link->owned] -= on_link->n_own;
    mark_dirty(self, on_link->link_share);
}

void
lp_max_min_solver_leave(LpMaxMinSolver *self, LpSharedFlow *flow, double now_s)
{
    bring_up_to_date(self, flow, now_s);
    for (guint i = 0; i < flow->link_shares->len; i++)
        leave(self, flow, on_link_at(flow, i));
    g_array_set_size(flow->link_shares, 0);
}

void
lp_max_min_solver_set_bandwidth(LpMaxMinSolver *self, guint32 link, double bytes_per_s)
{
    self->bytes_per_s[link] = bytes_per_s;
    mark_dirty(self, link);
}

/* @n: link_shares of all, which are links or classes of them. */
static LpMaxMinSolver *
solver_new(guint32 n, LpFlowRecord *record)
{
    LpMaxMinSolver *self = g_new0(LpMaxMinSolver, 1);
    self->record = record;
    self->bytes_per_s = g_new(double, n);
    self->link_shares = g_array_new(FALSE, TRUE, sizeof(LinkShare));
    g_array_set_clear_func(self->link_shares, (GDestroyNotify)link_share_clear);
    g_array_set_size(self->link_shares, n);
    for (guint32 i = 0; i < n; i++)
        link_share_at(self, i)->link = i;
    self->of_owners = g_hash_table_new_full(owner_hash, owner_equal, g_free, NULL);
    self->full = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->dirty = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->found = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->flows = g_ptr_array_new();
    return self;
}

LpMaxMinSolver *
lp_max_min_solver_new(const LpNetwork *network, const gboolean *uncontended, LpFlowRecord *record)
{
    guint32 n_links = lp_network_n_links(network);
    LpMaxMinSolver *self = solver_new(n_links, record);
    self->network = network;
    memcpy(self->uncontended, uncontended, sizeof self->uncontended);
    for (guint32 i = 0; i < n_links; i++)
        self->bytes_per_s[i] = lp_network_link(network, i).bytes_per_s;
    return self;
}

LpMaxMinSolver *
lp_max_min_solver_new_of_classes(const LpQuotient *quotient, LpFlowRecord *record,
                                 LpEquivalenceCheck *check)
{
    const LpLinkClasses *links = lp_quotient_links(quotient);
    LpMaxMinSolver *self = solver_new(links->n_links, record);
    self->quotient = quotient;
    self->check = check;
    self->n_own = g_new0(double, links->n_owned);
    if (links->n_links > 0)
        memcpy(self->bytes_per_s, links->bytes_per_s, sizeof(double) * links->n_links);
    return self;
}

void
lp_max_min_solver_free(LpMaxMinSolver *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->flows);
    g_array_unref(self->found);
    g_array_unref(self->dirty);
    g_array_unref(self->full);
    g_hash_table_unref(self->of_owners);
    g_array_unref(self->link_shares);
    g_free(self->bytes_per_s);
    g_free(self->n_own);
    g_free(self);
}
