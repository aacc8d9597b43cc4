/* SPDX-License-Identifier: Apache-2.0 */
/* Progressive filling over the flows and links that a change can reach. */
#include "sim/actors/filling.h"

#include <math.h>
#include <string.h>

/* Shares that are this close are equal: rounding, not physics. */
#define SLACK 1e-12

/* A flow at a meeting, as often as it is there. */
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
} Meeting;

struct LpFilling {
    const LpNetwork *network;   /* borrowed; NULL of classes: */
    const LpQuotient *quotient; /* borrowed; NULL: flows stand for themselves */
    gboolean uncontended[LP_N_TIERS];
    double *n_own;         /* owned, by link by owner: flows there; of classes */
    LpFlowRecord *record;  /* borrowed, or NULL */
    LpWayCheck *check;     /* borrowed, or NULL */
    double now_s;          /* while shares are worked out */
    double *bytes_per_s;   /* owned, by link: as they are now */
    GArray *meetings;      /* owned Meeting: those of all, by link, then those of owners */
    GHashTable *of_owners; /* owned: the latter by link and owner */
    GArray *full;          /* owned: guint32, meetings that hold flows back at a level */
    GArray *dirty;         /* owned: guint32, meetings whose flows have changed */
    GArray *found;         /* owned: guint32, meetings that shares are worked out for */
    GPtrArray *flows;      /* owned array of borrowed flows, likewise */
};

/* --- meetings --- */

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

static Meeting *
meeting_at(const LpFilling *self, guint32 index)
{
    return &g_array_index(self->meetings, Meeting, index);
}

static void
meeting_clear(Meeting *self)
{
    if (self->users != NULL)
        g_array_unref(self->users);
}

static guint32
meeting_of_owner(LpFilling *self, guint32 link, const void *owner)
{
    OwnerKey key = {link, owner};
    gpointer known = g_hash_table_lookup(self->of_owners, &key);
    if (known != NULL)
        return GPOINTER_TO_UINT(known);
    guint32 index = self->meetings->len;
    Meeting meeting = {.link = link};
    g_array_append_val(self->meetings, meeting);
    g_hash_table_insert(self->of_owners, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(index));
    return index;
}

static void
soil(LpFilling *self, guint32 index)
{
    Meeting *meeting = meeting_at(self, index);
    if (meeting->is_dirty)
        return;
    meeting->is_dirty = TRUE;
    g_array_append_val(self->dirty, index);
}

/* Of the link of @meeting, with @n flows on it. Classes are of machines without losses. */
static double
capacity(const LpFilling *self, const Meeting *meeting, guint32 n)
{
    double share = self->network == NULL ? 1.0 : lp_network_share(self->network, meeting->link, n);
    return self->bytes_per_s[meeting->link] * share;
}

static gboolean
is_shared(const LpFilling *self, const Meeting *meeting)
{
    return self->quotient == NULL
               ? lp_tier_is_shared(lp_network_link(self->network, meeting->link).tier)
               : lp_quotient_links(self->quotient)->is_shared[meeting->link];
}

static User *
user_at(const Meeting *meeting, guint i)
{
    return &g_array_index(meeting->users, User, i);
}

static LpEncounter *
encounter_at(const LpSharedFlow *flow, gint64 i)
{
    return &g_array_index(flow->meetings, LpEncounter, i);
}

/* --- shares --- */

/* What has flowed since the rate last changed. */
static void
bring_up_to_date(LpFilling *self, LpSharedFlow *flow, double now_s)
{
    double elapsed_s = now_s - flow->since_s;
    if (self->record != NULL && flow->held_by >= 0 && elapsed_s > 0.0 && flow->alone_share < 1.0)
        lp_flow_record_add_loss(self->record, &flow->flow,
                                meeting_at(self, encounter_at(flow, flow->held_by)->meeting)->link,
                                elapsed_s * (1.0 - flow->alone_share));
    flow->rest_bytes = MAX(flow->rest_bytes - elapsed_s * flow->bytes_per_s, 0.0);
    flow->since_s = now_s;
}

/* All flows and meetings that what has changed can touch, from flow to meeting to flow. */
static void
find_touched(LpFilling *self, double now_s)
{
    g_array_set_size(self->found, 0);
    g_ptr_array_set_size(self->flows, 0);
    for (guint i = 0; i < self->dirty->len; i++) {
        guint32 index = g_array_index(self->dirty, guint32, i);
        meeting_at(self, index)->is_dirty = FALSE;
        if (!meeting_at(self, index)->is_found)
            g_array_append_val(self->found, index);
        meeting_at(self, index)->is_found = TRUE;
    }
    g_array_set_size(self->dirty, 0);
    for (guint i = 0; i < self->found->len; i++) {
        Meeting *meeting = meeting_at(self, g_array_index(self->found, guint32, i));
        meeting->n_open = meeting->users == NULL ? 0 : meeting->users->len;
        meeting->rest_bytes_per_s = capacity(self, meeting, meeting->n_open);
        meeting->n_users = 0.0;
        for (guint k = 0; meeting->users != NULL && k < meeting->users->len; k++) {
            LpSharedFlow *flow = user_at(meeting, k)->flow;
            meeting->n_users += user_at(meeting, k)->n;
            if (flow->is_found)
                continue;
            flow->is_found = TRUE;
            flow->is_fixed = FALSE;
            bring_up_to_date(self, flow, now_s);
            g_ptr_array_add(self->flows, flow);
            for (guint m = 0; m < flow->meetings->len; m++) {
                guint32 next = encounter_at(flow, m)->meeting;
                if (meeting_at(self, next)->is_found)
                    continue;
                meeting_at(self, next)->is_found = TRUE;
                g_array_append_val(self->found, next);
            }
        }
    }
}

/* How often the owner of @flow is at @meeting. @out_users: with how many flows, where that matters.
 */
static double
count_own(const LpFilling *self, const Meeting *meeting, const LpSharedFlow *flow,
          const LpEncounter *encounter, guint32 *out_users)
{
    double n = 0.0;
    *out_users = 1;
    if (encounter->owned != LP_OWNED_NONE)
        return self->n_own[encounter->owned];
    *out_users = 0;
    for (guint i = 0; i < meeting->users->len; i++) {
        if (user_at(meeting, i)->flow->flow.owner != flow->flow.owner)
            continue;
        n += user_at(meeting, i)->n;
        ++*out_users;
    }
    return n;
}

/* What a flow gets at an encounter over what it would get there beside its owner's flows only. */
static double
share_of_alone(const LpFilling *self, const LpSharedFlow *flow, const LpEncounter *encounter,
               double bytes_per_s)
{
    const Meeting *meeting = meeting_at(self, encounter->meeting);
    double alone = flow->cap_bytes_per_s;
    if (is_shared(self, meeting)) {
        guint32 n_users;
        double n_own = count_own(self, meeting, flow, encounter, &n_users);
        alone = MIN(alone, capacity(self, meeting, n_users) / n_own);
    }
    double share = bytes_per_s / alone;
    return share > 1.0 - SLACK ? 1.0 : share;
}

/* @held_by: the encounter that it follows from, negative: none. */
static void
fix(LpFilling *self, LpSharedFlow *flow, double bytes_per_s, gint64 held_by)
{
    flow->is_fixed = TRUE;
    flow->bytes_per_s = bytes_per_s;
    flow->held_by = self->record == NULL ? -1 : held_by;
    if (flow->held_by >= 0)
        flow->alone_share = share_of_alone(self, flow, encounter_at(flow, held_by), bytes_per_s);
    for (guint i = 0; i < flow->meetings->len; i++) {
        const LpEncounter *encounter = encounter_at(flow, i);
        Meeting *at = meeting_at(self, encounter->meeting);
        at->rest_bytes_per_s = MAX(at->rest_bytes_per_s - bytes_per_s * encounter->n, 0.0);
        at->n_users -= encounter->n;
        at->n_open--;
    }
}

static double
lowest_share(const LpFilling *self)
{
    double lowest = INFINITY;
    for (guint i = 0; i < self->found->len; i++) {
        const Meeting *meeting = meeting_at(self, g_array_index(self->found, guint32, i));
        if (meeting->n_open > 0)
            lowest = MIN(lowest, meeting->rest_bytes_per_s / meeting->n_users);
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
find_full(LpFilling *self, double level)
{
    g_array_set_size(self->full, 0);
    for (guint i = 0; i < self->found->len; i++) {
        guint32 index = g_array_index(self->found, guint32, i);
        Meeting *meeting = meeting_at(self, index);
        meeting->is_full =
            meeting->n_open > 0 && meeting->rest_bytes_per_s / meeting->n_users <= level;
        if (meeting->is_full)
            g_array_append_val(self->full, index);
    }
}

/* Of several that are full the first in the order that flows enter links in. */
static gint64
find_holder(const LpFilling *self, const LpSharedFlow *flow)
{
    gint64 i = 0;
    while (!meeting_at(self, encounter_at(flow, i)->meeting)->is_full)
        i++;
    return i;
}

static gboolean
holds_back(gconstpointer data, guint32 link)
{
    return meeting_at(data, link)->is_full;
}

static void
fill_to(LpFilling *self, double lowest)
{
    double level = lowest * (1.0 + SLACK);
    find_full(self, level);
    for (guint i = 0; i < self->full->len; i++) {
        const Meeting *meeting = meeting_at(self, g_array_index(self->full, guint32, i));
        for (guint k = 0; k < meeting->users->len; k++) {
            LpSharedFlow *flow = user_at(meeting, k)->flow;
            if (flow->is_fixed)
                continue;
            fix(self, flow, lowest, find_holder(self, flow));
            if (self->check != NULL)
                lp_way_check_rate(self->check, flow->flow_class, holds_back, self, self->now_s);
        }
    }
    for (guint i = 0; i < self->flows->len; i++) {
        LpSharedFlow *flow = self->flows->pdata[i];
        if (!flow->is_fixed && flow->cap_bytes_per_s <= level)
            fix(self, flow, lowest, -1);
    }
}

static gboolean
has_unfixed(const LpFilling *self)
{
    for (guint i = 0; i < self->flows->len; i++)
        if (!((const LpSharedFlow *)self->flows->pdata[i])->is_fixed)
            return TRUE;
    return FALSE;
}

const GPtrArray *
lp_filling_share_out(LpFilling *self, double now_s)
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
        meeting_at(self, g_array_index(self->found, guint32, i))->is_found = FALSE;
    return self->flows;
}

/* --- flows --- */

static void
join(LpFilling *self, LpSharedFlow *flow, LpEncounter encounter)
{
    Meeting *meeting = meeting_at(self, encounter.meeting);
    User user = {flow, encounter.n};
    if (meeting->users == NULL)
        meeting->users = g_array_new(FALSE, FALSE, sizeof(User));
    g_array_append_val(meeting->users, user);
    if (encounter.owned != LP_OWNED_NONE)
        self->n_own[encounter.owned] += encounter.n_own;
    g_array_append_val(flow->meetings, encounter);
    soil(self, encounter.meeting);
}

static void
enter_links(LpFilling *self, LpSharedFlow *flow, guint32 leg)
{
    const LpRoute *route = flow->flow.route;
    guint32 first = lp_route_leg_first(route, leg), n_links = lp_route_leg_end(route, leg) - first;
    flow->cap_bytes_per_s = INFINITY;
    for (guint32 i = 0; i < n_links; i++) {
        guint32 place = first + lp_link_order(i, n_links), index = route->links[place];
        LpLink link = lp_network_link(self->network, index);
        double weight = lp_route_weight(route, place);
        LpEncounter encounter = {.meeting = index, .n = weight, .owned = LP_OWNED_NONE};
        flow->cap_bytes_per_s = MIN(flow->cap_bytes_per_s, link.bytes_per_s / weight);
        if (self->uncontended[link.tier] && !lp_tier_is_shared(link.tier))
            continue;
        if (self->uncontended[link.tier])
            encounter.meeting = meeting_of_owner(self, index, flow->flow.owner);
        join(self, flow, encounter);
    }
}

static void
enter_classes(LpFilling *self, LpSharedFlow *flow)
{
    const LpLinkClasses *links = lp_quotient_links(self->quotient);
    gboolean is_class = lp_quotient_find_class(self->quotient, flow->flow.route, &flow->flow_class);
    g_assert(is_class);
    guint32 class = flow->flow_class;
    if (self->check != NULL)
        lp_way_check_begin(self->check);
    flow->cap_bytes_per_s = flow->flow.route->bytes_per_s;
    for (guint32 i = links->first_use[class]; i < links->first_use[class + 1]; i++) {
        const LpLinkUse *use = &links->uses[i];
        join(self, flow, (LpEncounter){use->link, use->n, use->owned, use->n_own});
    }
}

gboolean
lp_filling_enter(LpFilling *self, LpSharedFlow *flow, guint32 leg, double now_s)
{
    if (self->quotient == NULL)
        enter_links(self, flow, leg);
    else
        enter_classes(self, flow);
    flow->held_by = -1;
    flow->rest_bytes = (double)flow->flow.bytes;
    flow->since_s = now_s;
    flow->bytes_per_s = flow->meetings->len > 0 ? 0.0 : flow->cap_bytes_per_s;
    return flow->meetings->len > 0;
}

static void
leave(LpFilling *self, const LpSharedFlow *flow, const LpEncounter *encounter)
{
    Meeting *meeting = meeting_at(self, encounter->meeting);
    guint i = 0;
    while (user_at(meeting, i)->flow != flow)
        i++;
    g_array_remove_index_fast(meeting->users, i);
    if (encounter->owned != LP_OWNED_NONE)
        self->n_own[encounter->owned] -= encounter->n_own;
    soil(self, encounter->meeting);
}

void
lp_filling_leave(LpFilling *self, LpSharedFlow *flow, double now_s)
{
    bring_up_to_date(self, flow, now_s);
    for (guint i = 0; i < flow->meetings->len; i++)
        leave(self, flow, encounter_at(flow, i));
    g_array_set_size(flow->meetings, 0);
}

void
lp_filling_set_bandwidth(LpFilling *self, guint32 link, double bytes_per_s)
{
    self->bytes_per_s[link] = bytes_per_s;
    soil(self, link);
}

/* @n: meetings of all, which are links or classes of them. */
static LpFilling *
new_filling(guint32 n, LpFlowRecord *record)
{
    LpFilling *self = g_new0(LpFilling, 1);
    self->record = record;
    self->bytes_per_s = g_new(double, n);
    self->meetings = g_array_new(FALSE, TRUE, sizeof(Meeting));
    g_array_set_clear_func(self->meetings, (GDestroyNotify)meeting_clear);
    g_array_set_size(self->meetings, n);
    for (guint32 i = 0; i < n; i++)
        meeting_at(self, i)->link = i;
    self->of_owners = g_hash_table_new_full(owner_hash, owner_equal, g_free, NULL);
    self->full = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->dirty = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->found = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->flows = g_ptr_array_new();
    return self;
}

LpFilling *
lp_filling_new(const LpNetwork *network, const gboolean *uncontended, LpFlowRecord *record)
{
    guint32 n_links = lp_network_n_links(network);
    LpFilling *self = new_filling(n_links, record);
    self->network = network;
    memcpy(self->uncontended, uncontended, sizeof self->uncontended);
    for (guint32 i = 0; i < n_links; i++)
        self->bytes_per_s[i] = lp_network_link(network, i).bytes_per_s;
    return self;
}

LpFilling *
lp_filling_new_of_classes(const LpQuotient *quotient, LpFlowRecord *record, LpWayCheck *check)
{
    const LpLinkClasses *links = lp_quotient_links(quotient);
    LpFilling *self = new_filling(links->n_links, record);
    self->quotient = quotient;
    self->check = check;
    self->n_own = g_new0(double, links->n_owned);
    if (links->n_links > 0)
        memcpy(self->bytes_per_s, links->bytes_per_s, sizeof(double) * links->n_links);
    return self;
}

void
lp_filling_free(LpFilling *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->flows);
    g_array_unref(self->found);
    g_array_unref(self->dirty);
    g_array_unref(self->full);
    g_hash_table_unref(self->of_owners);
    g_array_unref(self->meetings);
    g_free(self->bytes_per_s);
    g_free(self->n_own);
    g_free(self);
}
