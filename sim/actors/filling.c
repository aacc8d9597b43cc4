/* SPDX-License-Identifier: Apache-2.0 */
/* Progressive filling over the flows and links that a change can reach. */
#include "sim/actors/filling.h"

#include <math.h>
#include <string.h>

/* Shares that are this close are equal: rounding, not physics. */
#define SLACK 1e-12

/* A link as flows meet on it: all of them, or one owner's. */
typedef struct {
    guint32 link;
    GPtrArray *flows; /* owned array of borrowed flows; once for each time that one crosses */
    gboolean is_dirty, is_found;
    double rest_bytes_per_s; /* while shares are worked out */
    guint32 n_users;
} Meeting;

struct LpFilling {
    const LpNetwork *network; /* borrowed */
    gboolean uncontended[LP_N_TIERS];
    LpFlowRecord *record;  /* borrowed, or NULL */
    double *bytes_per_s;   /* owned, by link: as they are now */
    GArray *meetings;      /* owned Meeting: those of all, by link, then those of owners */
    GHashTable *of_owners; /* owned: the latter by link and owner */
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
    if (self->flows != NULL)
        g_ptr_array_unref(self->flows);
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

static double
capacity(const LpFilling *self, const Meeting *meeting)
{
    return self->bytes_per_s[meeting->link];
}

/* --- shares --- */

/* What has flowed since the rate last changed. */
static void
bring_up_to_date(LpFilling *self, LpSharedFlow *flow, double now_s)
{
    double elapsed_s = now_s - flow->since_s;
    if (self->record != NULL && flow->held_by >= 0 && elapsed_s > 0.0 && flow->alone_share < 1.0)
        lp_flow_record_add_loss(self->record, &flow->flow,
                                meeting_at(self, (guint32)flow->held_by)->link,
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
        meeting->rest_bytes_per_s = capacity(self, meeting);
        meeting->n_users = meeting->flows == NULL ? 0 : meeting->flows->len;
        for (guint k = 0; k < meeting->n_users; k++) {
            LpSharedFlow *flow = meeting->flows->pdata[k];
            if (flow->is_found)
                continue;
            flow->is_found = TRUE;
            flow->is_fixed = FALSE;
            bring_up_to_date(self, flow, now_s);
            g_ptr_array_add(self->flows, flow);
            for (guint m = 0; m < flow->meetings->len; m++) {
                guint32 next = g_array_index(flow->meetings, guint32, m);
                if (meeting_at(self, next)->is_found)
                    continue;
                meeting_at(self, next)->is_found = TRUE;
                g_array_append_val(self->found, next);
            }
        }
    }
}

/* What a flow gets at @meeting over what it would get there beside its owner's flows only. */
static double
share_of_alone(const LpFilling *self, const Meeting *meeting, const LpSharedFlow *flow,
               double bytes_per_s)
{
    double alone = flow->cap_bytes_per_s;
    if (lp_tier_is_shared(lp_network_link(self->network, meeting->link).tier)) {
        guint n_own = 0;
        for (guint i = 0; i < meeting->flows->len; i++)
            n_own +=
                ((const LpSharedFlow *)meeting->flows->pdata[i])->flow.owner == flow->flow.owner;
        alone = MIN(alone, capacity(self, meeting) / n_own);
    }
    double share = bytes_per_s / alone;
    return share > 1.0 - SLACK ? 1.0 : share;
}

/* @meeting: that it follows from, or NULL. */
static void
fix(LpFilling *self, LpSharedFlow *flow, double bytes_per_s, const Meeting *meeting)
{
    flow->is_fixed = TRUE;
    flow->bytes_per_s = bytes_per_s;
    flow->held_by = -1;
    if (meeting != NULL && self->record != NULL) {
        flow->held_by = (gint64)(meeting - &g_array_index(self->meetings, Meeting, 0));
        flow->alone_share = share_of_alone(self, meeting, flow, bytes_per_s);
    }
    for (guint i = 0; i < flow->meetings->len; i++) {
        Meeting *at = meeting_at(self, g_array_index(flow->meetings, guint32, i));
        at->rest_bytes_per_s = MAX(at->rest_bytes_per_s - bytes_per_s, 0.0);
        at->n_users--;
    }
}

static double
lowest_share(const LpFilling *self)
{
    double lowest = INFINITY;
    for (guint i = 0; i < self->found->len; i++) {
        const Meeting *meeting = meeting_at(self, g_array_index(self->found, guint32, i));
        if (meeting->n_users > 0)
            lowest = MIN(lowest, meeting->rest_bytes_per_s / meeting->n_users);
    }
    for (guint i = 0; i < self->flows->len; i++) {
        const LpSharedFlow *flow = self->flows->pdata[i];
        if (!flow->is_fixed)
            lowest = MIN(lowest, flow->cap_bytes_per_s);
    }
    return lowest;
}

static void
fill_to(LpFilling *self, double lowest)
{
    double level = lowest * (1.0 + SLACK);
    guint n_full = 0;
    /* Which are full is asked before any is filled. */
    g_autofree guint32 *full = g_new(guint32, self->found->len);
    for (guint i = 0; i < self->found->len; i++) {
        guint32 index = g_array_index(self->found, guint32, i);
        const Meeting *meeting = meeting_at(self, index);
        if (meeting->n_users > 0 && meeting->rest_bytes_per_s / meeting->n_users <= level)
            full[n_full++] = index;
    }
    for (guint i = 0; i < n_full; i++) {
        const Meeting *meeting = meeting_at(self, full[i]);
        for (guint k = 0; k < meeting->flows->len; k++) {
            LpSharedFlow *flow = meeting->flows->pdata[k];
            if (!flow->is_fixed)
                fix(self, flow, lowest, meeting);
        }
    }
    for (guint i = 0; i < self->flows->len; i++) {
        LpSharedFlow *flow = self->flows->pdata[i];
        if (!flow->is_fixed && flow->cap_bytes_per_s <= level)
            fix(self, flow, lowest, NULL);
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
join(LpFilling *self, LpSharedFlow *flow, guint32 index)
{
    Meeting *meeting = meeting_at(self, index);
    if (meeting->flows == NULL)
        meeting->flows = g_ptr_array_new();
    g_ptr_array_add(meeting->flows, flow);
    g_array_append_val(flow->meetings, index);
    soil(self, index);
}

gboolean
lp_filling_enter(LpFilling *self, LpSharedFlow *flow, const guint32 *links, guint32 n_links,
                 double now_s)
{
    flow->cap_bytes_per_s = INFINITY;
    for (guint32 i = 0; i < n_links; i++) {
        LpLink link = lp_network_link(self->network, links[i]);
        flow->cap_bytes_per_s = MIN(flow->cap_bytes_per_s, link.bytes_per_s);
        if (!self->uncontended[link.tier])
            join(self, flow, links[i]);
        else if (lp_tier_is_shared(link.tier))
            join(self, flow, meeting_of_owner(self, links[i], flow->flow.owner));
    }
    flow->held_by = -1;
    flow->rest_bytes = (double)flow->flow.bytes;
    flow->since_s = now_s;
    flow->bytes_per_s = flow->meetings->len > 0 ? 0.0 : flow->cap_bytes_per_s;
    return flow->meetings->len > 0;
}

void
lp_filling_leave(LpFilling *self, LpSharedFlow *flow, double now_s)
{
    bring_up_to_date(self, flow, now_s);
    for (guint i = 0; i < flow->meetings->len; i++) {
        guint32 index = g_array_index(flow->meetings, guint32, i);
        (void)g_ptr_array_remove_fast(meeting_at(self, index)->flows, flow);
        soil(self, index);
    }
    g_array_set_size(flow->meetings, 0);
}

void
lp_filling_set_bandwidth(LpFilling *self, guint32 link, double bytes_per_s)
{
    self->bytes_per_s[link] = bytes_per_s;
    soil(self, link);
}

LpFilling *
lp_filling_new(const LpNetwork *network, const gboolean *uncontended, LpFlowRecord *record)
{
    guint32 n_links = lp_network_n_links(network);
    LpFilling *self = g_new0(LpFilling, 1);
    self->network = network;
    self->record = record;
    memcpy(self->uncontended, uncontended, sizeof self->uncontended);
    self->bytes_per_s = g_new(double, n_links);
    self->meetings = g_array_new(FALSE, TRUE, sizeof(Meeting));
    g_array_set_clear_func(self->meetings, (GDestroyNotify)meeting_clear);
    g_array_set_size(self->meetings, n_links);
    for (guint32 i = 0; i < n_links; i++) {
        self->bytes_per_s[i] = lp_network_link(network, i).bytes_per_s;
        meeting_at(self, i)->link = i;
    }
    self->of_owners = g_hash_table_new_full(owner_hash, owner_equal, g_free, NULL);
    self->dirty = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->found = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->flows = g_ptr_array_new();
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
    g_hash_table_unref(self->of_owners);
    g_array_unref(self->meetings);
    g_free(self->bytes_per_s);
    g_free(self);
}
