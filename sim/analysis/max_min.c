/* SPDX-License-Identifier: Apache-2.0 */
/* Progressive filling. A change reaches flows over links, from link to class to link; what it
 * cannot reach keeps its rate. The steps of a pipeline repeat the same flows, whose rates are kept
 * by what flows. */
#include "sim/analysis/max_min.h"

#include "sim/analysis/known_rates.h"

#include <math.h>

/* Of so few classes it is quicker to give all a rate than to find those that a change reaches. */
#define FEW 1024

typedef struct {
    double cap_bytes_per_s;
    guint32 first_use, n_uses, room; /* in LpMaxMin.uses */
    guint32 n;                       /* flows */
    guint32 n_before;                /* as links know it: they list a class that has flows */
    guint32 present;                 /* in LpMaxMin.present, while it has flows */
    guint32 changed;                 /* in LpMaxMin.changed, plus 1; 0: it is not there */
    guint32 round;                   /* of filling, in which it was given its rate */
    gboolean is_open;                /* it has no rate; only while rates are worked out */
} Class;

typedef struct {
    double n;      /* how often a flow crosses */
    guint32 link;  /* this link */
    guint32 place; /* among its users */
} Use;

typedef struct {
    double rest, share; /* of its bandwidth, not given away yet, and what each flow without a rate
                           has of it */
    double n_left; /* those, as often as they cross it; these only while rates are worked out */
    double bytes_per_s;
    double n_crossing; /* flows, as often as they cross it */
    guint32 n_flows;
    guint32 round;    /* of filling, in which it was full */
    gboolean is_open; /* what flows on it has changed, or is reached by a change */
    guint32 index;    /* in the network */
    guint32 n_users, room;
    LpMaxMinUser *users; /* owned */
} Link;

/* Numbers of links or classes: changed far more often than all else here. */
typedef struct {
    guint32 *at; /* owned */
    guint32 n, room;
} List;

struct LpMaxMin {
    const LpNetwork *network; /* borrowed; NULL: nothing is lost */
    GArray *links;            /* owned: Link */
    GArray *classes;          /* owned: Class */
    GArray *bytes_per_s;      /* owned: double, by class */
    GArray *uses;             /* owned: Use, of class after class */
    List present;             /* classes with flows */
    List changed;             /* classes whose flows changed; NONE: no more */
    List open_links;          /* that rates are worked out for */
    List open, touched;       /* classes: without a rate yet, and all that were */
    LpKnownRates *known;      /* owned; NULL: nothing is looked up */
    guint64 marks;            /* of all flows' classes, summed */
    guint32 round;
    gboolean is_changed; /* what flows, since it was last given rates */
    gboolean is_behind;  /* rates were looked up since links were told of what flows */
};

#define NONE G_MAXUINT32

static Link *
link_at(const LpMaxMin *self, guint32 link)
{
    return &g_array_index(self->links, Link, link);
}

static Class *
class_at(const LpMaxMin *self, guint32 class)
{
    return &g_array_index(self->classes, Class, class);
}

static void
push(List *self, guint32 number)
{
    if (self->n == self->room) {
        self->room = MAX(16, 2 * self->room);
        self->at = g_renew(guint32, self->at, self->room);
    }
    self->at[self->n++] = number;
}

static Use *
use_at(const LpMaxMin *self, guint32 use)
{
    return &g_array_index(self->uses, Use, use);
}

/* --- links --- */

guint32
lp_max_min_add_link(LpMaxMin *self, guint32 index, double bytes_per_s)
{
    g_array_append_vals(self->links, &(Link){.bytes_per_s = bytes_per_s, .index = index}, 1);
    return self->links->len - 1;
}

guint32
lp_max_min_link_index(const LpMaxMin *self, guint32 link)
{
    return link_at(self, link)->index;
}

double
lp_max_min_capacity(const LpMaxMin *self, guint32 link, guint32 n)
{
    const Link *at = link_at(self, link);
    return self->network == NULL ? at->bytes_per_s
                                 : at->bytes_per_s * lp_network_share(self->network, at->index, n);
}

static void
open_link(LpMaxMin *self, guint32 link)
{
    Link *at = link_at(self, link);
    if (at->is_open)
        return;
    at->is_open = TRUE;
    push(&self->open_links, link);
}

void
lp_max_min_set_capacity(LpMaxMin *self, guint32 link, double bytes_per_s)
{
    g_return_if_fail(self->known == NULL);
    link_at(self, link)->bytes_per_s = bytes_per_s;
    open_link(self, link);
    self->is_changed = TRUE;
}

/* --- classes --- */

guint32
lp_max_min_add_class(LpMaxMin *self)
{
    g_array_set_size(self->classes, self->classes->len + 1);
    g_array_set_size(self->bytes_per_s, self->classes->len);
    return self->classes->len - 1;
}

static void
list_use(LpMaxMin *self, Link *link, guint32 class, guint32 use)
{
    if (link->n_users == link->room) {
        link->room = MAX(2, 2 * link->room);
        link->users = g_renew(LpMaxMinUser, link->users, link->room);
    }
    use_at(self, use)->place = link->n_users;
    link->users[link->n_users++] = (LpMaxMinUser){class, use, use_at(self, use)->n};
}

static void
unlist_use(LpMaxMin *self, Link *link, guint32 place)
{
    link->users[place] = link->users[--link->n_users];
    use_at(self, link->users[place].use)->place = place;
    if (link->n_users == 0)
        link->n_crossing = 0.0; /* without what rounding left */
}

/* Lets links know how many flows @class has. */
static void
tell_links(LpMaxMin *self, guint32 class)
{
    Class *at = class_at(self, class);
    double n_more = (double)at->n - (double)at->n_before;
    for (guint32 use = at->first_use; use < at->first_use + at->n_uses; use++) {
        Link *link = link_at(self, use_at(self, use)->link);
        link->n_flows += at->n - at->n_before;
        link->n_crossing += n_more * use_at(self, use)->n;
        if (at->n_before == 0 && at->n > 0)
            list_use(self, link, class, use);
        else if (at->n_before > 0 && at->n == 0)
            unlist_use(self, link, use_at(self, use)->place);
        open_link(self, use_at(self, use)->link);
    }
    at->n_before = at->n;
}

void
lp_max_min_set_uses(LpMaxMin *self, guint32 class, const LpMaxMinUse *uses, guint32 n,
                    double cap_bytes_per_s)
{
    Class *at = class_at(self, class);
    if (at->n_before > 0)
        tell_links(self, class);
    if (at->changed > 0)
        self->changed.at[at->changed - 1] = NONE;
    at->changed = 0;
    if (n > at->room) {
        at->first_use = self->uses->len;
        at->room = n;
        g_array_set_size(self->uses, at->first_use + n);
    }
    at->n_uses = n;
    at->cap_bytes_per_s = cap_bytes_per_s;
    for (guint32 i = 0; i < n; i++)
        *use_at(self, at->first_use + i) = (Use){.n = uses[i].n, .link = uses[i].link};
    g_array_index(self->bytes_per_s, double, class) = cap_bytes_per_s;
}

/* @is_more: one flow more, else one less. */
static void
change_flows(LpMaxMin *self, guint32 class, gboolean is_more)
{
    Class *at = class_at(self, class);
    at->n += is_more ? 1 : G_MAXUINT32;
    if (is_more && at->n == 1) {
        at->present = self->present.n;
        push(&self->present, class);
    } else if (at->n == 0) {
        guint32 last = self->present.at[--self->present.n];
        class_at(self, last)->present = at->present;
        self->present.at[at->present] = last;
    }
    if (self->known != NULL)
        self->marks += is_more ? lp_known_rates_mark(class) : -lp_known_rates_mark(class);
    self->is_changed = TRUE;
    if (at->changed > 0)
        return;
    push(&self->changed, class);
    at->changed = self->changed.n;
}

void
lp_max_min_enter(LpMaxMin *self, guint32 class)
{
    change_flows(self, class, TRUE);
}

void
lp_max_min_leave(LpMaxMin *self, guint32 class)
{
    change_flows(self, class, FALSE);
}

/* --- what a change reaches --- */

/* Where one flow follows another, as in a pipeline, nothing has changed, unless there were other
 * rates meanwhile. */
static void
open_changed(LpMaxMin *self)
{
    for (guint32 i = 0; i < self->changed.n; i++) {
        guint32 class = self->changed.at[i];
        if (class == NONE)
            continue;
        Class *at = class_at(self, class);
        at->changed = 0;
        if (at->n != at->n_before || self->is_behind)
            tell_links(self, class);
    }
    self->changed.n = 0;
    self->is_behind = FALSE;
}

static void
open_class(LpMaxMin *self, guint32 class)
{
    Class *at = class_at(self, class);
    if (at->is_open)
        return;
    at->is_open = TRUE;
    push(&self->open, class);
    for (guint32 use = at->first_use; use < at->first_use + at->n_uses; use++)
        open_link(self, use_at(self, use)->link);
}

/* From link to class to link; of few classes all. Where a link's classes are gone through, they are
 * counted anew, without what rounding left of those that came and went. */
static void
open_reached(LpMaxMin *self)
{
    gboolean are_few = self->known != NULL && self->present.n <= FEW;
    for (guint32 i = 0; i < self->present.n && are_few; i++)
        open_class(self, self->present.at[i]);
    for (guint32 i = 0; i < self->open_links.n && !are_few; i++) {
        Link *link = link_at(self, self->open_links.at[i]);
        link->n_crossing = 0.0;
        for (guint32 k = 0; k < link->n_users; k++) {
            link->n_crossing += link->users[k].n * class_at(self, link->users[k].class)->n;
            open_class(self, link->users[k].class);
        }
    }
}

/* --- filling --- */

/* Takes rates back. */
static void
free_links(LpMaxMin *self)
{
    for (guint32 i = 0; i < self->open_links.n; i++) {
        guint32 index = self->open_links.at[i];
        Link *link = link_at(self, index);
        link->is_open = FALSE;
        link->rest = lp_max_min_capacity(self, index, link->n_flows);
        link->n_left = link->n_crossing;
        link->share = link->rest / link->n_left;
    }
    self->open_links.n = 0;
}

/* What classes without a rate could have: the share of their narrowest link, or their cap. Returns:
 * the lowest. */
static double
find_shares(LpMaxMin *self)
{
    double *bytes_per_s = (double *)(gpointer)self->bytes_per_s->data, lowest = INFINITY;
    for (guint32 i = 0; i < self->open.n; i++) {
        const Class *at = class_at(self, self->open.at[i]);
        const Use *uses = use_at(self, at->first_use);
        double rate = at->cap_bytes_per_s;
        for (guint32 k = 0; k < at->n_uses; k++)
            rate = MIN(rate, link_at(self, uses[k].link)->share);
        bytes_per_s[self->open.at[i]] = rate;
        lowest = MIN(lowest, rate);
    }
    return lowest;
}

/* Remembers which links hold classes back. */
static void
mark_full(LpMaxMin *self, double level)
{
    for (guint32 i = 0; i < self->open.n; i++) {
        const Class *at = class_at(self, self->open.at[i]);
        for (guint32 use = at->first_use; use < at->first_use + at->n_uses; use++) {
            Link *link = link_at(self, use_at(self, use)->link);
            if (link->share <= level)
                link->round = self->round;
        }
    }
}

static void
fix_rate(LpMaxMin *self, guint32 class, double rate)
{
    Class *at = class_at(self, class);
    const Use *uses = use_at(self, at->first_use);
    at->is_open = FALSE;
    at->round = self->round;
    g_array_index(self->bytes_per_s, double, class) = rate;
    for (guint32 k = 0; k < at->n_uses; k++) {
        Link *link = link_at(self, uses[k].link);
        for (guint32 i = 0; i < at->n; i++)
            link->rest = MAX(link->rest - rate * uses[k].n, 0.0);
        link->n_left -= uses[k].n * at->n;
        link->share = link->rest / link->n_left;
    }
}

static void
fill(LpMaxMin *self)
{
    while (self->open.n > 0) {
        double lowest = find_shares(self), level = lowest * (1.0 + LP_MAX_MIN_SLACK);
        guint32 n_left = 0;
        self->round++;
        if (self->known == NULL)
            mark_full(self, level);
        for (guint32 i = 0; i < self->open.n; i++) {
            guint32 class = self->open.at[i];
            if (g_array_index(self->bytes_per_s, double, class) > level)
                self->open.at[n_left++] = class;
            else
                fix_rate(self, class, lowest);
        }
        self->open.n = n_left;
    }
}

/* --- rates --- */

static void
keep_rates(LpMaxMin *self)
{
    LpClassRate *rates = lp_known_rates_keep(self->known, self->marks, self->present.n);
    for (guint32 i = 0; rates != NULL && i < self->present.n; i++) {
        guint32 class = self->present.at[i];
        rates[i] = (LpClassRate){g_array_index(self->bytes_per_s, double, class), class,
                                 class_at(self, class)->n};
    }
}

/* Takes over those that are known of what flows now. Returns: whether there are any. */
static gboolean
recall_rates(LpMaxMin *self)
{
    guint n = self->present.n;
    const LpClassRate *rates = lp_known_rates_find(self->known, self->marks, n);
    if (rates == NULL)
        return FALSE;
    for (guint i = 0; i < n; i++)
        if (class_at(self, rates[i].class)->n != rates[i].n_flows)
            return FALSE;
    for (guint i = 0; i < n; i++)
        g_array_index(self->bytes_per_s, double, rates[i].class) = rates[i].bytes_per_s;
    self->is_behind = TRUE;
    return TRUE;
}

const guint32 *
lp_max_min_share_out(LpMaxMin *self, guint32 *out_n)
{
    self->touched.n = 0;
    if (self->is_changed && (self->known == NULL || !recall_rates(self))) {
        open_changed(self);
        open_reached(self);
        free_links(self);
        if (self->known == NULL)
            for (guint32 i = 0; i < self->open.n; i++)
                push(&self->touched, self->open.at[i]);
        fill(self);
        if (self->known != NULL)
            keep_rates(self);
    }
    self->is_changed = FALSE;
    *out_n = self->touched.n;
    return self->touched.at;
}

const double *
lp_max_min_rates(const LpMaxMin *self)
{
    return (const double *)(gconstpointer)self->bytes_per_s->data;
}

gboolean
lp_max_min_is_held_by(const LpMaxMin *self, guint32 class, guint32 link)
{
    return link_at(self, link)->round == class_at(self, class)->round;
}

gint64
lp_max_min_holder(const LpMaxMin *self, guint32 class)
{
    const Class *at = class_at(self, class);
    for (guint32 use = at->first_use; use < at->first_use + at->n_uses; use++)
        if (lp_max_min_is_held_by(self, class, use_at(self, use)->link))
            return use_at(self, use)->link;
    return -1;
}

const LpMaxMinUser *
lp_max_min_users(const LpMaxMin *self, guint32 link, guint32 *out_n)
{
    *out_n = link_at(self, link)->n_users;
    return link_at(self, link)->users;
}

/* --- all --- */

LpMaxMin *
lp_max_min_new(const LpNetwork *network, gboolean repeats)
{
    LpMaxMin *self = g_new0(LpMaxMin, 1);
    if (network != NULL && lp_network_machine(network)->incast_loss > 0.0)
        self->network = network;
    self->links = g_array_new(FALSE, TRUE, sizeof(Link));
    self->classes = g_array_new(FALSE, TRUE, sizeof(Class));
    self->bytes_per_s = g_array_new(FALSE, TRUE, sizeof(double));
    self->uses = g_array_new(FALSE, FALSE, sizeof(Use));
    self->known = repeats ? lp_known_rates_new() : NULL;
    return self;
}

void
lp_max_min_free(LpMaxMin *self)
{
    if (self == NULL)
        return;
    for (guint i = 0; i < self->links->len; i++)
        g_free(link_at(self, i)->users);
    g_array_unref(self->links);
    g_array_unref(self->classes);
    g_array_unref(self->bytes_per_s);
    g_array_unref(self->uses);
    g_free(self->present.at);
    g_free(self->changed.at);
    g_free(self->open_links.at);
    g_free(self->open.at);
    g_free(self->touched.at);
    lp_known_rates_free(self->known);
    g_free(self);
}
