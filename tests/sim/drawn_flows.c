/* SPDX-License-Identifier: Apache-2.0 */
/* A list of flows as the quotient takes it, and plain filling. */
#include "tests/sim/drawn_flows.h"

#include "tests/support/generated.h"

#include <math.h>

const char *const lp_drawn_flows_machines[] = {
    "--accelerators=32 --domain-size=1 --leaf-ports=8",
    "--accelerators=32 --domain-size=4 --leaf-ports=8 --oversubscription=4",
    "--accelerators=32 --domain-size=4 --nics-per-domain=1 --leaf-ports=4 --oversubscription=2",
    "--accelerators=16 --domain-size=1 --topology=torus --dimensions=4x4",
    "--accelerators=32 --domain-size=8 --nics-per-domain=8 --topology=crossbar --pcie-ports=2 "
    "--pcie-bandwidth=20GBps",
    NULL};

/* Between accelerators of different ports. */
static void
draw_pair(GRand *rand, guint64 n_accelerators, guint64 *out_from, guint64 *out_to)
{
    gint32 n = (gint32)n_accelerators;
    *out_from = (guint64)g_rand_int_range(rand, 0, n);
    *out_to = (*out_from + (guint64)g_rand_int_range(rand, 1, n)) % n_accelerators;
}

static void
add_flows(LpDrawnFlows *self, guint32 shift, guint32 seed)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    guint64 n_accelerators = self->machine->n_accelerators;
    for (guint32 i = 0; i < self->n; i++) {
        guint64 from = i, to = (i + shift) % n_accelerators;
        if (shift == 0 || i >= n_accelerators)
            draw_pair(rand, n_accelerators, &from, &to);
        self->routes[i] = lp_network_route(self->network, from, to, LP_TRAFFIC_DP);
        LpFlowOfRun flow = {.route = &self->routes[i],
                            .communicator = -1,
                            .sender = i,
                            .place_to = LP_FLOW_NONE,
                            .is_chained = TRUE};
        g_array_append_val(self->list.flows, flow);
    }
}

LpDrawnFlows *
lp_drawn_flows_new(const char *options, guint32 shift, guint32 n_drawn, guint32 seed)
{
    LpDrawnFlows *self = g_new0(LpDrawnFlows, 1);
    self->machine = lp_generated_machine_good(options);
    self->network = lp_network_new(self->machine);
    self->n = n_drawn + (shift == 0 ? 0 : (guint32)self->machine->n_accelerators);
    self->routes = g_new0(LpRoute, self->n);
    self->senders = g_new0(guint32, self->n);
    self->list.flows = g_array_new(FALSE, FALSE, sizeof(LpFlowOfRun));
    self->list.communicators = g_array_new(FALSE, FALSE, sizeof(LpCommunicatorOfRun));
    self->program = lp_program_new();
    self->map.network = self->network;
    self->map.program = self->program;
    self->job.map = &self->map;
    self->input = (LpQuotientInput){
        .jobs = &self->job, .n_jobs = 1, .senders = self->senders, .n_senders = self->n};
    add_flows(self, shift, seed);
    return self;
}

void
lp_drawn_flows_free(LpDrawnFlows *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->list.flows);
    g_array_unref(self->list.communicators);
    g_free(self->routes);
    g_free(self->senders);
    lp_program_free(self->program);
    lp_network_free(self->network);
    lp_machine_free(self->machine);
    g_free(self);
}

/* The least that a link has for each flow over it that has no rate, and how much. */
static double
find_narrowest(const LpDrawnFlows *self, const gboolean *fixed, const gboolean *links,
               const double *rest, guint32 *out_link)
{
    guint32 n_links = lp_network_n_links(self->network);
    g_autofree guint32 *n = g_new0(guint32, n_links);
    double least = INFINITY;
    for (guint32 i = 0; i < self->n; i++)
        for (guint32 k = 0; !fixed[i] && k < self->routes[i].n_links; k++)
            n[self->routes[i].links[k]]++;
    for (guint32 link = 0; link < n_links; link++) {
        if (n[link] == 0 || (links != NULL && !links[link]) || rest[link] / n[link] >= least)
            continue;
        least = rest[link] / n[link];
        *out_link = link;
    }
    return least;
}

static gboolean
crosses(const LpRoute *route, guint32 link)
{
    for (guint32 i = 0; i < route->n_links; i++)
        if (route->links[i] == link)
            return TRUE;
    return FALSE;
}

double *
lp_drawn_flows_rates(const LpDrawnFlows *self, const gboolean *flows, const gboolean *links,
                     const double *bytes_per_s)
{
    double *rates = g_new(double, self->n);
    g_autofree gboolean *fixed = g_new0(gboolean, self->n);
    g_autofree double *rest =
        g_memdup2(bytes_per_s, sizeof(double) * lp_network_n_links(self->network));
    for (guint32 i = 0; i < self->n; i++) {
        rates[i] = INFINITY;
        fixed[i] = flows != NULL && !flows[i];
    }
    guint32 link = 0;
    for (double least; (least = find_narrowest(self, fixed, links, rest, &link)) < INFINITY;)
        for (guint32 i = 0; i < self->n; i++) {
            if (fixed[i] || !crosses(&self->routes[i], link))
                continue;
            fixed[i] = TRUE;
            rates[i] = least;
            for (guint32 k = 0; k < self->routes[i].n_links; k++)
                rest[self->routes[i].links[k]] = MAX(rest[self->routes[i].links[k]] - least, 0.0);
        }
    return rates;
}

double *
lp_drawn_flows_bandwidths(const LpDrawnFlows *self)
{
    guint32 n_links = lp_network_n_links(self->network);
    double *bytes_per_s = g_new(double, n_links);
    for (guint32 i = 0; i < n_links; i++)
        bytes_per_s[i] = lp_network_link(self->network, i).bytes_per_s;
    return bytes_per_s;
}

guint32 *
lp_drawn_flows_classes(const LpDrawnFlows *self, const LpStructure *structure, guint32 *out_n)
{
    guint32 *classes = g_new(guint32, self->n);
    *out_n = 0;
    for (guint32 i = 0; i < self->n; i++) {
        classes[i] = structure->of_vertex[structure->first_flow + i] -
                     structure->of_vertex[structure->first_flow];
        *out_n = MAX(*out_n, classes[i] + 1);
    }
    return classes;
}
