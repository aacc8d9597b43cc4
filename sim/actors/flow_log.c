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
    double *background_bytes;                             /* owned, by link */
    GArray *messages;                                     /* owned: LpLoggedMessage */
};

LpFlowLog *
lp_flow_log_new(const LpNetwork *network)
{
    LpFlowLog *self = g_new0(LpFlowLog, 1);
    self->network = network;
    self->bin_s = BIN_S;
    self->links = g_new0(LpFlowSeries *, lp_network_n_links(network));
    self->background_bytes = g_new0(double, lp_network_n_links(network));
    self->messages = g_array_new(FALSE, FALSE, sizeof(LpLoggedMessage));
    return self;
}

void
lp_flow_log_free(LpFlowLog *self)
{
    if (self == NULL)
        return;
    for (LpTier tier = 0; tier < LP_N_TIERS; tier++)
        for (guint kind = 0; kind < LP_N_FLOW_LOG_KINDS; kind++)
            g_free(self->tiers[tier][kind]);
    for (guint32 i = 0; i < lp_network_n_links(self->network); i++)
        g_free(self->links[i]);
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
    widen(self, flow->end_s);
    for (guint32 i = 0; i < flow->route->n_links; i++) {
        guint32 link = flow->route->links[i];
        LpTier tier = lp_network_link(self->network, link).tier;
        spread(self, &self->tiers[tier][flow->kind], flow, flow->weight);
        if (flow->is_flow)
            spread(self, &self->links[link], flow, 1.0);
        if (flow->kind == LP_FLOW_LOG_BACKGROUND)
            self->background_bytes[link] += flow->bytes;
    }
}

void
lp_flow_log_add_message(LpFlowLog *self, LpLoggedMessage message)
{
    if (self != NULL && self->messages->len < LP_FLOW_LOG_MESSAGES_MAX)
        g_array_append_val(self->messages, message);
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

const LpFlowSeries *
lp_flow_log_link(const LpFlowLog *self, guint32 link)
{
    return self->links[link];
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
