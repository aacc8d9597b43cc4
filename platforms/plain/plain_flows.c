/* SPDX-License-Identifier: Apache-2.0 */
/* Writes flows as pairs of hosts of their own. A zone for each would make loading quadratic: the
 * engine looks through all zones for a host, and through all hosts for each zone. */
#include "platforms/plain/plain_flows.h"

#include "platforms/plain/plain_pairs.h"

#define HOME G_MAXUINT32

static guint32
host_of(guint32 flow, gboolean receives)
{
    return 2 * flow + (receives ? 1 : 0);
}

char *
lp_plain_flow_host(guint32 flow, gboolean receives)
{
    return lp_plain_pairs_host(host_of(flow, receives));
}

char *
lp_plain_flows_empty_host(void)
{
    return lp_plain_pairs_host(HOME);
}

char *
lp_plain_flows(const LpPlainLink *links, guint32 n_links, const LpPlainFlow *flows, guint32 n_flows)
{
    g_autofree guint32 *hosts = g_new(guint32, 2 * (gsize)n_flows + 1);
    g_autofree guint32 *numbers = g_new(guint32, n_links);
    g_autofree double *links_bytes_per_s = g_new(double, n_links);
    g_autofree LpPlainPair *pairs = g_new(LpPlainPair, n_flows);
    LpPlainPart part = {.hosts = hosts,
                        .n_hosts = 2 * n_flows + 1,
                        .links = numbers,
                        .links_bytes_per_s = links_bytes_per_s,
                        .n_links = n_links,
                        .pairs = pairs};
    for (guint32 i = 0; i < n_links; i++) {
        numbers[i] = i;
        links_bytes_per_s[i] = links[i].bytes_per_s;
    }
    for (guint32 i = 0; i < n_flows; i++) {
        guint32 from = host_of(i, FALSE), to = host_of(i, TRUE);
        hosts[from] = from;
        hosts[to] = to;
        if (flows[i].n_links > 0)
            pairs[part.n_pairs++] = (LpPlainPair){from, to, flows[i].n_links, flows[i].links};
    }
    hosts[2 * (gsize)n_flows] = HOME;
    return lp_plain_pairs(&part);
}
