/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a machine that follow from its description: tiers, bisection, oversubscription. */
#include "platforms/describe.h"

static void
add_tier(LpMachineFacts *facts, const LpCluster *cluster, const char *name, guint64 n_links,
         double oversubscription)
{
    facts->tiers[facts->n_tiers++] = (LpTierFacts){
        .name = name,
        .n_links = n_links,
        .link_bytes_per_s = cluster->link_bytes_per_s,
        .latency_s = cluster->link_latency_s,
        .technology = cluster->technology,
        .oversubscription = oversubscription,
    };
}

/* The scale-out tiers, from the ports up; @bisection shrinks to the narrowest that is crossed. */
static void
add_scale_out(const LpMachine *self, LpMachineFacts *facts)
{
    static const char *const names[] = {"port", "leaf", "spine"};
    const LpCluster *cluster = &self->cluster[LP_ATTACHMENT_SCALE_OUT];
    guint64 n_half_ports = facts->n_domains / 2 * self->cards_per_domain;
    facts->bisection_bytes_per_s = (double)n_half_ports * cluster->link_bytes_per_s;
    add_tier(facts, cluster, names[0], cluster->n_hosts, 1);
    guint64 n_links = cluster->n_hosts;
    for (guint32 level = 1; level < cluster->n_levels; level++) {
        guint64 n_below = n_links;
        n_links = n_links / cluster->down[level - 1] * cluster->up[level];
        add_tier(facts, cluster, names[level], n_links, (double)n_below / (double)n_links);
        facts->oversubscription =
            MAX(facts->oversubscription, (double)cluster->n_hosts / (double)n_links);
        /* Halves that share each switch below this tier never use it. */
        if (lp_machine_span_domains(self, level - 1) < facts->n_domains)
            facts->bisection_bytes_per_s =
                MIN(facts->bisection_bytes_per_s, (double)n_links / 2 * cluster->link_bytes_per_s);
    }
}

LpMachineFacts
lp_machine_facts(const LpMachine *self)
{
    LpMachineFacts facts = {.n_domains = lp_machine_n_domains(self), .oversubscription = 1};
    add_tier(&facts, &self->cluster[LP_ATTACHMENT_SCALE_UP], "scale-up", self->n_accelerators, 1);
    if (self->has_scale_out)
        add_scale_out(self, &facts);
    return facts;
}
