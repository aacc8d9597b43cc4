/* SPDX-License-Identifier: Apache-2.0 */
/* Opens slow links for flows that start, and closes them again. */
#include "sim/actors/actor_opening.h"

#include "sim/actors/actor_tokens.h"

#include <simgrid/actor.h>

typedef struct {
    guint32 link; /* of the network */
    double now_bytes_per_s, best_bytes_per_s;
    gboolean is_open;
} SlowLink;

struct LpOpening {
    const LpNetwork *network;   /* borrowed */
    const LpQuotient *quotient; /* borrowed, or NULL */
    SlowLink **links;           /* owned, of the owned: by link of a route; NULL: never slow */
    guint32 n_links;
    GPtrArray *open;    /* borrowed SlowLink */
    guint64 n_starting; /* senders whose flow is about to start */
    gboolean is_called;
    LpTokens *opened; /* owned */
};

LpOpening *
lp_opening_new(const LpNetwork *network, const LpQuotient *quotient)
{
    LpOpening *self = g_new0(LpOpening, 1);
    self->network = network;
    self->quotient = quotient;
    self->n_links = lp_network_n_links(network);
    self->links = g_new0(SlowLink *, self->n_links);
    self->open = g_ptr_array_new();
    self->opened = lp_tokens_new();
    return self;
}

void
lp_opening_free(LpOpening *self)
{
    if (self == NULL)
        return;
    for (guint32 i = 0; i < self->n_links; i++)
        g_free(self->links[i]);
    g_free(self->links);
    g_ptr_array_unref(self->open);
    lp_tokens_free(self->opened);
    g_free(self);
}

static void
set_in_engine(const LpOpening *self, const SlowLink *link, double bytes_per_s)
{
    if (self->quotient != NULL)
        lp_quotient_set_bandwidth(self->quotient, link->link, bytes_per_s);
    else
        lp_network_set_bandwidth(self->network, link->link, bytes_per_s);
}

void
lp_opening_set_bandwidth(LpOpening *self, guint32 link, guint32 own, double now_bytes_per_s,
                         double best_bytes_per_s)
{
    if (self->links[own] == NULL)
        self->links[own] = g_new0(SlowLink, 1);
    SlowLink *slow = self->links[own];
    slow->link = link;
    slow->now_bytes_per_s = now_bytes_per_s;
    slow->best_bytes_per_s = best_bytes_per_s;
    if (!slow->is_open)
        set_in_engine(self, slow, now_bytes_per_s);
}

/* Calls of the engine let other actors go on: a link counts as open before it is, and as closed
 * before it is, and whoever has the last word at this instant is right about it. */
static gboolean
open_links(LpOpening *self, const LpRoute *route, guint32 leg)
{
    gboolean any = FALSE;
    for (guint32 i = lp_route_leg_first(route, leg); i < lp_route_leg_end(route, leg); i++) {
        SlowLink *link = self->links[route->links[i]];
        if (link == NULL || link->now_bytes_per_s >= link->best_bytes_per_s)
            continue;
        any = TRUE;
        if (link->is_open)
            continue;
        link->is_open = TRUE;
        g_ptr_array_add(self->open, link);
        set_in_engine(self, link, link->best_bytes_per_s);
    }
    return any;
}

/* A flow starts in the engine's next call from here on: nobody comes between. */
void
lp_opening_send_leg(LpOpening *self, const LpRoute *route, guint32 leg, guint64 bytes)
{
    self->n_starting++;
    gboolean any = open_links(self, route, leg);
    if (any && !self->is_called) {
        self->is_called = TRUE;
        lp_tokens_put(self->opened);
    }
    self->n_starting--;
    lp_route_send_leg(route, leg, bytes);
}

static void
close_links(LpOpening *self)
{
    g_autoptr(GPtrArray) open = self->open;
    self->open = g_ptr_array_new();
    for (guint i = 0; i < open->len; i++)
        ((SlowLink *)open->pdata[i])->is_open = FALSE;
    for (guint i = 0; i < open->len; i++) {
        const SlowLink *link = open->pdata[i];
        if (!link->is_open)
            set_in_engine(self, link, link->now_bytes_per_s);
    }
}

static void
opening_actor(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    LpOpening *self = sg_actor_self_get_data();
    for (;;) {
        lp_tokens_take(self->opened);
        self->is_called = FALSE;
        do
            sg_actor_yield();
        while (self->n_starting > 0);
        close_links(self);
    }
}

void
lp_opening_start(LpOpening *self, struct s4u_Host *home)
{
    sg_actor_t actor = sg_actor_init("opening", home);
    sg_actor_set_data(actor, self);
    sg_actor_start_(actor, (xbt_main_func_t)opening_actor, 0, NULL);
    sg_actor_daemonize(actor);
}
