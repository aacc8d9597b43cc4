/* SPDX-License-Identifier: Apache-2.0 */
/* Counters by tier, link and bin. */
#include "sim/actors/flow_log.h"

/* The first bins are as wide; runs of real size double them some ten to twenty times. */
#define BIN_S 1e-6

struct LpFlowLog {
    const LpNetwork *network; /* borrowed */
    double bin_s;
    LpFlowSeries *tiers[LP_N_TIERS][LP_N_FLOW_LOG_KINDS]; /* owned, or NULL */
    LpFlowSeries **links;                                 /* owned, by link, or NULL */
    LpBusyTime *busy;                                     /* owned, by link */
    gboolean has_delays;
    double *background_bytes;   /* owned, by link */
    GArray *messages;           /* owned: LpLoggedMessage */
    const LpQuotient *quotient; /* borrowed, or NULL: */
    guint32 n_classes;          /* of its flows */
    LpFlowSeries **classes;     /* owned, by class: what a connection of it carried, or NULL */
    LpBusyTime *class_busy;     /* owned, by class */
    guint *kinds;               /* owned, by class */
    gboolean *by_classes;       /* owned, by link: crossed by classes that carried anything */
};

LpFlowLog *
lp_flow_log_new(const LpNetwork *network)
{
    LpFlowLog *self = g_new0(LpFlowLog, 1);
    self->network = network;
    self->bin_s = BIN_S;
    self->links = g_new0(LpFlowSeries *, lp_network_n_links(network));
    self->busy = g_new0(LpBusyTime, lp_network_n_links(network));
    self->background_bytes = g_new0(double, lp_network_n_links(network));
    self->messages = g_array_new(FALSE, FALSE, sizeof(LpLoggedMessage));
    return self;
}

void
lp_flow_log_set_quotient(LpFlowLog *self, const LpQuotient *quotient)
{
    self->quotient = quotient;
    self->n_classes = (guint32)lp_quotient_size(quotient).n_flow_classes;
    self->classes = g_new0(LpFlowSeries *, self->n_classes);
    self->class_busy = g_new0(LpBusyTime, self->n_classes);
    self->kinds = g_new0(guint, self->n_classes);
    self->by_classes = g_new0(gboolean, lp_network_n_links(self->network));
}

void
lp_flow_log_free(LpFlowLog *self)
{
    if (self == NULL)
        return;
    for (LpTier tier = 0; tier < LP_N_TIERS; tier++)
        for (guint kind = 0; kind < LP_N_FLOW_LOG_KINDS; kind++)
            g_free(self->tiers[tier][kind]);
    for (guint32 i = 0; i < lp_network_n_links(self->network); i++) {
        g_free(self->links[i]);
        lp_busy_time_clear(&self->busy[i]);
    }
    for (guint32 i = 0; i < self->n_classes; i++) {
        g_free(self->classes[i]);
        lp_busy_time_clear(&self->class_busy[i]);
    }
    g_free(self->busy);
    g_free(self->class_busy);
    g_free(self->classes);
    g_free(self->kinds);
    g_free(self->by_classes);
    g_free(self->links);
    g_free(self->background_bytes);
    g_array_unref(self->messages);
    g_free(self);
}

/* Two bins become one. */
static void
fold(LpFlowSeries *series)
{
    if (series == NULL)
        return;
    for (guint i = 0; i < LP_FLOW_LOG_BINS / 2; i++)
        series->bytes[i] = series->bytes[2 * i] + series->bytes[2 * i + 1];
    for (guint i = LP_FLOW_LOG_BINS / 2; i < LP_FLOW_LOG_BINS; i++)
        series->bytes[i] = 0.0;
}

static void
widen(LpFlowLog *self, double end_s)
{
    while (end_s > self->bin_s * LP_FLOW_LOG_BINS) {
        self->bin_s *= 2.0;
        for (LpTier tier = 0; tier < LP_N_TIERS; tier++)
            for (guint kind = 0; kind < LP_N_FLOW_LOG_KINDS; kind++)
                fold(self->tiers[tier][kind]);
        for (guint32 i = 0; i < lp_network_n_links(self->network); i++)
            fold(self->links[i]);
        for (guint32 i = 0; i < self->n_classes; i++)
            fold(self->classes[i]);
    }
}

static guint
bin_of(const LpFlowLog *self, double at_s)
{
    return MIN((guint)(at_s / self->bin_s), LP_FLOW_LOG_BINS - 1);
}

static void
spread(const LpFlowLog *self, LpFlowSeries **io_series, const LpLoggedFlow *flow, double weight)
{
    if (*io_series == NULL)
        *io_series = g_new0(LpFlowSeries, 1);
    guint first = bin_of(self, flow->start_s), last = bin_of(self, flow->end_s);
    double left = flow->bytes * weight;
    double rate = first < last ? left / (flow->end_s - flow->start_s) : 0.0;
    for (guint bin = first; bin < last; bin++) {
        double from_s = MAX(flow->start_s, bin * self->bin_s);
        double bytes = MIN(rate * ((bin + 1) * self->bin_s - from_s), left);
        (*io_series)->bytes[bin] += bytes;
        left -= bytes;
    }
    (*io_series)->bytes[last] += left;
}

void
lp_flow_log_add(LpFlowLog *self, const LpLoggedFlow *flow)
{
    if (self == NULL || flow->bytes <= 0.0)
        return;
    guint32 class;
    widen(self, flow->end_s);
    if (self->quotient != NULL && lp_quotient_find_class(self->quotient, flow->route, &class)) {
        self->kinds[class] = flow->kind;
        spread(self, &self->classes[class], flow, 1.0);
        lp_busy_time_add(&self->class_busy[class], flow->start_s, flow->end_s);
        return;
    }
    self->has_delays = self->has_delays || !flow->is_flow;
    for (guint32 i = 0; i < flow->route->n_links; i++) {
        guint32 link = flow->route->links[i];
        LpTier tier = lp_network_link(self->network, link).tier;
        double weight = lp_route_weight(flow->route, i);
        spread(self, &self->tiers[tier][flow->kind], flow, flow->weight * weight);
        if (flow->is_flow) {
            spread(self, &self->links[link], flow, weight);
            lp_busy_time_add(&self->busy[link], flow->start_s, flow->end_s);
        }
        if (flow->kind == LP_FLOW_LOG_BACKGROUND)
            self->background_bytes[link] += flow->bytes;
    }
}

void
lp_flow_log_add_use(LpFlowLog *self, const LpRoute *route, double start_s, double end_s)
{
    for (guint32 i = 0; self != NULL && i < route->n_links; i++)
        lp_busy_time_add(&self->busy[route->links[i]], start_s, end_s);
}

void
lp_flow_log_add_message(LpFlowLog *self, LpLoggedMessage message)
{
    if (self != NULL && self->messages->len < LP_FLOW_LOG_MESSAGES_MAX)
        g_array_append_val(self->messages, message);
}

/* --- classes --- */

static void
add_series(LpFlowSeries **io_series, const LpFlowSeries *more, double weight)
{
    if (*io_series == NULL)
        *io_series = g_new0(LpFlowSeries, 1);
    for (guint i = 0; i < LP_FLOW_LOG_BINS; i++)
        (*io_series)->bytes[i] += weight * more->bytes[i];
}

/* Flows of one class may cross different links, and so tiers, where these hold nothing back. */
void
lp_flow_log_finish(LpFlowLog *self)
{
    if (self->quotient == NULL)
        return;
    const LpFlowList *list = lp_quotient_flows(self->quotient);
    const guint32 *class_of = lp_quotient_flow_classes(self->quotient);
    g_autofree double *n_links = g_new0(double, self->n_classes *(gsize)LP_N_TIERS);
    for (guint i = 0; i < list->flows->len; i++) {
        const LpRoute *route = g_array_index(list->flows, LpFlowOfRun, i).route;
        for (guint32 k = 0; self->classes[class_of[i]] != NULL && k < route->n_links; k++) {
            LpTier tier = lp_network_link(self->network, route->links[k]).tier;
            n_links[class_of[i] * (gsize)LP_N_TIERS + tier] += lp_route_weight(route, k);
            self->by_classes[route->links[k]] = TRUE;
        }
    }
    for (guint32 class = 0; class < self->n_classes; class ++)
        for (LpTier tier = 0; tier < LP_N_TIERS; tier++) {
            double n = n_links[class * (gsize)LP_N_TIERS + tier];
            if (n > 0)
                add_series(&self->tiers[tier][self->kinds[class]], self->classes[class], n);
        }
}

/* From the real routes over @link, once. */
static void
add_classes(LpFlowLog *self, guint32 link)
{
    const LpFlowList *list = lp_quotient_flows(self->quotient);
    const guint32 *class_of = lp_quotient_flow_classes(self->quotient);
    for (guint i = 0; i < list->flows->len; i++) {
        const LpRoute *route = g_array_index(list->flows, LpFlowOfRun, i).route;
        for (guint32 k = 0; self->classes[class_of[i]] != NULL && k < route->n_links; k++)
            if (route->links[k] == link) {
                add_series(&self->links[link], self->classes[class_of[i]],
                           lp_route_weight(route, k));
                lp_busy_time_merge(&self->busy[link], &self->class_busy[class_of[i]]);
            }
    }
    self->by_classes[link] = FALSE;
}

double
lp_flow_log_bin_s(const LpFlowLog *self)
{
    return self->bin_s;
}

const LpFlowSeries *
lp_flow_log_tier(const LpFlowLog *self, LpTier tier, guint kind)
{
    return self->tiers[tier][kind];
}

gboolean
lp_flow_log_has_link(const LpFlowLog *self, guint32 link)
{
    return self->links[link] != NULL || (self->by_classes != NULL && self->by_classes[link]);
}

const LpFlowSeries *
lp_flow_log_link(LpFlowLog *self, guint32 link)
{
    if (self->by_classes != NULL && self->by_classes[link])
        add_classes(self, link);
    return self->links[link];
}

double
lp_flow_log_link_busy_s(LpFlowLog *self, guint32 link)
{
    (void)lp_flow_log_link(self, link);
    return lp_busy_time_s(&self->busy[link]);
}

gboolean
lp_flow_log_has_all(const LpFlowLog *self)
{
    return !self->has_delays && self->quotient == NULL;
}

double
lp_flow_log_background_bytes(const LpFlowLog *self, guint32 link)
{
    return self->background_bytes[link];
}

const GArray *
lp_flow_log_messages(const LpFlowLog *self)
{
    return self->messages;
}
