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
    guint32 class, use;
} User;

typedef struct {
    double bytes_per_s;
    double rest, share; /* of that, not given away yet, and what each flow without a rate has */
    double n_crossing;  /* flows without a rate, as often as they cross it */
    guint32 n_open;     /* classes without a rate */
    guint32 n_flows;    /* all on it; these five only while rates are worked out */
    guint32 round;      /* of filling, in which it was full */
    gboolean is_open;   /* what flows on it has changed, or is reached by a change */
    guint32 index;      /* in the network */
    guint32 n_users, room;
    User *users; /* owned */
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
    at->n_crossing = 0.0;
    at->n_flows = 0;
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
list_class(LpMaxMin *self, guint32 class)
{
    const Class *at = class_at(self, class);
    for (guint32 use = at->first_use; use < at->first_use + at->n_uses; use++) {
        Link *link = link_at(self, use_at(self, use)->link);
        if (link->n_users == link->room) {
            link->room = MAX(4, 2 * link->room);
            link->users = g_renew(User, link->users, link->room);
        }
        use_at(self, use)->place = link->n_users;
        link->users[link->n_users++] = (User){class, use};
    }
}

static void
unlist_class(LpMaxMin *self, const Class *at)
{
    for (guint32 use = at->first_use; use < at->first_use + at->n_uses; use++) {
        Link *link = link_at(self, use_at(self, use)->link);
        guint32 place = use_at(self, use)->place;
        link->users[place] = link->users[--link->n_users];
        use_at(self, link->users[place].use)->place = place;
    }
}

/* Lets links know how many flows @class has. */
static void
tell_links(LpMaxMin *self, guint32 class)
{
    Class *at = class_at(self, class);
    if (at->n_before == 0 && at->n > 0)
        list_class(self, class);
    else if (at->n_before > 0 && at->n == 0)
        unlist_class(self, at);
    at->n_before = at->n;
    for (guint32 use = at->first_use; use < at->first_use + at->n_uses; use++)
        open_link(self, use_at(self, use)->link);
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

/* From link to class to link, and what each link has to carry. */
static void
open_reached(LpMaxMin *self)
{
    for (guint32 i = 0; i < self->open_links.n; i++) {
        Link *link = link_at(self, self->open_links.at[i]);
        link->n_open = link->n_users;
        for (guint32 k = 0; k < link->n_users; k++) {
            User user = link->users[k];
            guint32 n = class_at(self, user.class)->n;
            link->n_crossing += use_at(self, user.use)->n * n;
            link->n_flows += n;
            open_class(self, user.class);
        }
    }
}

/* --- filling --- */

static void
fix_rate(LpMaxMin *self, guint32 class, double rate)
{
    Class *at = class_at(self, class);
    at->is_open = FALSE;
    at->round = self->round;
    g_array_index(self->bytes_per_s, double, class) = rate;
    for (guint32 use = at->first_use; use < at->first_use + at->n_uses; use++) {
        Link *link = link_at(self, use_at(self, use)->link);
        double n = use_at(self, use)->n;
        for (guint32 i = 0; i < at->n; i++)
            link->rest = MAX(link->rest - rate * n, 0.0);
        link->n_crossing -= n * at->n;
        link->n_open--;
    }
}

/* The lowest share of a link, or cap of a class, of those that have no rate; the others are taken
 * off the lists. */
static double
find_lowest(LpMaxMin *self)
{
    guint n_links = 0, n_classes = 0;
    double lowest = INFINITY;
    for (guint32 i = 0; i < self->open_links.n; i++) {
        guint32 index = self->open_links.at[i];
        Link *link = link_at(self, index);
        if (link->n_open == 0)
            continue;
        link->share = link->rest / link->n_crossing;
        lowest = MIN(lowest, link->share);
        self->open_links.at[n_links++] = index;
    }
    for (guint32 i = 0; i < self->open.n; i++) {
        guint32 class = self->open.at[i];
        if (!class_at(self, class)->is_open)
            continue;
        lowest = MIN(lowest, class_at(self, class)->cap_bytes_per_s);
        self->open.at[n_classes++] = class;
    }
    self->open_links.n = n_links;
    self->open.n = n_classes;
    return lowest;
}

/* Shares are those before any flow is given a rate in this round. */
static void
fill_to(LpMaxMin *self, double lowest)
{
    double level = lowest * (1.0 + LP_MAX_MIN_SLACK);
    self->round++;
    for (guint32 i = 0; i < self->open_links.n; i++) {
        Link *link = link_at(self, self->open_links.at[i]);
        if (link->share > level)
            continue;
        link->round = self->round;
        for (guint32 k = 0; k < link->n_users; k++)
            if (class_at(self, link->users[k].class)->is_open)
                fix_rate(self, link->users[k].class, lowest);
    }
    for (guint32 i = 0; i < self->open.n; i++) {
        const Class *at = class_at(self, self->open.at[i]);
        if (at->is_open && at->cap_bytes_per_s <= level)
            fix_rate(self, self->open.at[i], lowest);
    }
}

static void
fill(LpMaxMin *self)
{
    for (guint32 i = 0; i < self->open_links.n; i++) {
        guint32 index = self->open_links.at[i];
        Link *link = link_at(self, index);
        link->is_open = FALSE;
        link->rest = lp_max_min_capacity(self, index, link->n_flows);
    }
    for (guint32 i = 0; i < self->open.n; i++)
        push(&self->touched, self->open.at[i]);
    for (double lowest; lowest = find_lowest(self), self->open.n > 0;)
        fill_to(self, lowest);
    self->open_links.n = 0;
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
        if (self->known != NULL && self->present.n <= FEW)
            for (guint32 i = 0; i < self->present.n; i++)
                open_class(self, self->present.at[i]);
        open_reached(self);
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

void
lp_max_min_visit_users(const LpMaxMin *self, guint32 link,
                       void (*visit)(gpointer data, guint32 class, double n), gpointer data)
{
    const Link *at = link_at(self, link);
    for (guint32 i = 0; i < at->n_users; i++)
        visit(data, at->users[i].class, use_at(self, at->users[i].use)->n);
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
