/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at who shares attachments. */
#include "sim/circuits/expert_regions.h"

#include "sim/simulation_error.h"

/* The domains of @communicator as a text, in the order of its members; NULL if there is one. */
static char *
domains_of(const LpCircuitPlan *plan, const LpCommunicator *communicator)
{
    GString *text = g_string_new(NULL);
    guint64 last = G_MAXUINT64, n = 0;
    for (guint32 i = 0; i < communicator->n_members; i++) {
        guint64 domain = lp_rank_layout_domain(plan->map->layout, communicator->ranks[i]);
        if (domain == last)
            continue;
        g_string_append_printf(text, "%" G_GUINT64_FORMAT " ", domain);
        last = domain;
        n++;
    }
    return g_string_free(text, n < 2);
}

static gboolean
fail(GError **error, const char *what)
{
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_CIRCUITS, "circuit-traffic: %s",
                what);
    return FALSE;
}

/* @seen: by attachment, the domains of those who use it; owned. */
static gboolean
check_communicator(const LpCircuitPlan *plan, const LpCommunicator *communicator, char **seen,
                   GError **error)
{
    const LpMachine *machine = lp_network_machine(plan->map->network);
    g_autofree char *domains = domains_of(plan, communicator);
    if (domains == NULL)
        return TRUE;
    if (plan->patterns->len > 0)
        return fail(error, "ep beside other classes that leave their domain, wanted ep alone: "
                           "circuits of experts take all lanes");
    for (guint32 i = 0; i < communicator->n_members; i++) {
        guint64 accelerator = lp_rank_layout_accelerator(plan->map->layout, communicator->ranks[i]);
        char **at = &seen[lp_machine_port(machine, accelerator, LP_ATTACHMENT_SCALE_OUT)];
        if (*at == NULL)
            *at = g_strdup(domains);
        else if (g_strcmp0(*at, domains) != 0)
            return fail(error, "ep, whose groups share attachments and stand in different domains, "
                               "wanted groups that share all their domains or none");
    }
    return TRUE;
}

gboolean
lp_expert_regions_check(const LpCircuitPlan *plan, GError **error)
{
    const LpMachine *machine = lp_network_machine(plan->map->network);
    const LpCommunicators *communicators = plan->map->communicators;
    if (!lp_circuit_switch_is_hybrid(&machine->circuits) ||
        !lp_circuit_switch_carries(&machine->circuits, LP_TRAFFIC_EP))
        return TRUE;
    char **seen = g_new0(char *, plan->n_attachments);
    gboolean good = TRUE;
    for (LpGroup group = 0; good && group < LP_N_GROUPS; group++) {
        if (lp_group_traits(group)->traffic != LP_TRAFFIC_EP)
            continue;
        for (guint i = 0; good && i < lp_communicators_n(communicators, group); i++)
            good = check_communicator(plan, lp_communicators_get(communicators, group, i), seen,
                                      error);
    }
    for (guint32 i = 0; i < plan->n_attachments; i++)
        g_free(seen[i]);
    g_free(seen);
    return good;
}
