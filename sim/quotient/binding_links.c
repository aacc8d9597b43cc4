/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds what can come to a link by what its flows come through before and after. */
#include "sim/quotient/binding_links.h"

/* Sums of shares that are this close are equal: rounding, not physics. */
#define SLACK 1e-12

static const LpFlowOfRun *
flow_at(const LpFlowList *list, guint32 i)
{
    return &g_array_index(list->flows, LpFlowOfRun, i);
}

static void
find_users(LpBindingLinks *self, const LpFlowList *list)
{
    self->first = g_new0(guint32, self->n_links + 1ul);
    for (guint i = 0; i < list->flows->len; i++) {
        const LpFlowOfRun *flow = flow_at(list, i);
        for (guint32 k = 0; k < lp_flow_of_run_n_links(flow); k++)
            self->first[flow->route->links[k] + 1]++;
    }
    for (guint32 link = 0; link < self->n_links; link++) {
        self->n_crossed += self->first[link + 1] > 0;
        self->first[link + 1] += self->first[link];
    }
    self->flows = g_new(guint32, self->first[self->n_links]);
    self->legs = g_new(guint32, self->first[self->n_links]);
    self->weights = g_new(double, self->first[self->n_links]);
    g_autofree guint32 *next = g_memdup2(self->first, sizeof *next * (self->n_links + 1ul));
    for (guint i = 0; i < list->flows->len; i++) {
        const LpFlowOfRun *flow = flow_at(list, i);
        for (guint32 k = 0, leg = 0; k < lp_flow_of_run_n_links(flow); k++) {
            while (k == lp_route_leg_end(flow->route, leg))
                leg++;
            guint32 at = next[flow->route->links[k]]++;
            self->flows[at] = i;
            self->legs[at] = leg;
            self->weights[at] = lp_route_weight(flow->route, k);
        }
    }
}

/* The position of a link in the legs of routes that it is on. */
typedef struct {
    gboolean is_first, is_last;
} Position;

static Position *
find_positions(const LpBindingLinks *self, const LpFlowList *list)
{
    Position *positions = g_new0(Position, self->n_links);
    for (guint i = 0; i < list->flows->len; i++) {
        const LpRoute *route = flow_at(list, i)->route;
        if (lp_flow_of_run_n_links(flow_at(list, i)) == 0)
            continue;
        for (guint32 leg = 0; leg < route->n_legs; leg++) {
            positions[route->links[lp_route_leg_first(route, leg)]].is_first = TRUE;
            positions[route->links[lp_route_leg_end(route, leg) - 1]].is_last = TRUE;
        }
    }
    return positions;
}

typedef struct {
    const LpBindingLinks *links;
    const LpFlowList *list;
    const LpNetwork *network;
    const LpQuotientInput *input; /* borrowed */
    guint32 *stamp;               /* borrowed, by link: the question that it was last counted in */
    double *share;                /* borrowed, by link: what of it is counted there */
    guint32 n_asked;
} Bounds;

static gboolean
is_uncontended(const Bounds *self, guint32 link)
{
    return self->input->view.uncontended[lp_network_link(self->network, link).tier];
}

/* The bandwidths of the links at one end of all legs over @link, each once, or what of them can go
 * on to it. They are enough for it as soon as they exceed its own. */
static gboolean
is_bounded(Bounds *self, guint32 link, gboolean by_last)
{
    double capacity = lp_network_link(self->network, link).bytes_per_s, sum = 0.0;
    const LpBindingLinks *links = self->links;
    self->n_asked++;
    for (guint32 i = links->first[link]; i < links->first[link + 1]; i++) {
        const LpRoute *route = flow_at(self->list, links->flows[i])->route;
        guint32 leg = links->legs[i];
        guint32 at = by_last ? lp_route_leg_end(route, leg) - 1 : lp_route_leg_first(route, leg);
        guint32 end = route->links[at];
        double share = links->weights[i] / lp_route_weight(route, at);
        double known = self->stamp[end] == self->n_asked ? self->share[end] : 0.0;
        if (share <= known)
            continue;
        self->stamp[end] = self->n_asked;
        self->share[end] = share;
        sum += (share - known) * lp_network_link(self->network, end).bytes_per_s;
        if (sum > capacity * (1.0 + SLACK) || is_uncontended(self, end))
            return FALSE;
    }
    return TRUE;
}

/* Links where routes begin always stay, so that no two are left out because of each other: links
 * in between are bounded by where routes begin or end, links where they end by where they begin. */
static gboolean
binds(Bounds *self, guint32 link, Position position)
{
    if (is_uncontended(self, link))
        return FALSE;
    if (position.is_first || (self->input->changes != NULL && self->input->changes[link] != 0))
        return TRUE;
    return !is_bounded(self, link, FALSE) && (position.is_last || !is_bounded(self, link, TRUE));
}

LpBindingLinks *
lp_binding_links_new(const LpFlowList *list, const LpNetwork *network, const LpQuotientInput *input)
{
    LpBindingLinks *self = g_new0(LpBindingLinks, 1);
    self->n_links = lp_network_n_links(network);
    find_users(self, list);
    self->binds = g_new0(gboolean, self->n_links);
    g_autofree Position *positions = find_positions(self, list);
    g_autofree guint32 *stamp = g_new0(guint32, self->n_links);
    g_autofree double *share = g_new(double, self->n_links);
    Bounds bounds = {self, list, network, input, stamp, share, 0};
    for (guint32 link = 0; link < self->n_links; link++)
        if (self->first[link + 1] > self->first[link])
            self->binds[link] = binds(&bounds, link, positions[link]);
    return self;
}

void
lp_binding_links_free(LpBindingLinks *self)
{
    if (self == NULL)
        return;
    g_free(self->first);
    g_free(self->flows);
    g_free(self->legs);
    g_free(self->weights);
    g_free(self->binds);
    g_free(self);
}
