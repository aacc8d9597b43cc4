/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the circuits that a job uses. */
#include "sim/circuits/circuit_plan_text.h"

#include "model/plan/group_traits.h"
#include "platforms/machine/machine.h"

static const char *
exchange_word(const LpCircuitUse *use)
{
    static const char *const words[] = {[LP_CIRCUIT_EXCHANGE_DIRECT] = "direct",
                                        [LP_CIRCUIT_EXCHANGE_ROTATE] = "in rounds",
                                        [LP_CIRCUIT_EXCHANGE_RELAY] = "forwarded"};
    return words[use->exchange];
}

static void
describe_exchanges(const LpCircuitPlan *self, GString *text)
{
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        const LpCommunicators *all = self->map->communicators;
        if (lp_communicators_n(all, group) == 0 || !lp_communicators_get(all, group, 0)->exchanges)
            continue;
        const LpCircuitUse *use = &self->uses[group][0];
        if (use->pattern == LP_CIRCUIT_NONE)
            continue;
        g_string_append_printf(text, "; all-to-alls of %s %s",
                               lp_plane_class_names[lp_group_traits(group)->traffic],
                               exchange_word(use));
        if (use->exchange == LP_CIRCUIT_EXCHANGE_ROTATE)
            g_string_append_printf(text, ", %u", use->n_rounds);
        if (use->exchange == LP_CIRCUIT_EXCHANGE_RELAY)
            g_string_append_printf(text, ", %.3g hops a byte", use->forwarding);
    }
}

/* Whether an attachment has lanes for two of its patterns at a time: only then can one be set up
 * while another is in use, and only then is there a choice of what gives way. */
static gboolean
has_room_for_two(const LpCircuitPlan *self)
{
    g_autofree guint32 *least = g_new(guint32, self->n_attachments);
    g_autofree guint32 *taken = g_new0(guint32, self->n_attachments);
    gboolean has_room = FALSE;
    for (guint32 i = 0; i < self->n_attachments; i++)
        least[i] = LP_CIRCUIT_NONE;
    for (guint i = 0; i < self->patterns->len; i++) {
        const LpCircuitPattern *pattern = lp_circuit_plan_pattern(self, i);
        const guint32 *circuits = lp_circuit_plan_circuits_of(self, pattern);
        for (guint32 k = 0; k < pattern->n_circuits; k++)
            for (guint end = 0; end < 2; end++) {
                const LpCircuit *circuit = lp_circuit_plan_circuit(self, circuits[k]);
                taken[circuit->end[end]] += circuit->n_lanes;
            }
        for (guint32 k = 0; k < pattern->n_circuits; k++)
            for (guint end = 0; end < 2; end++) {
                guint32 at = lp_circuit_plan_circuit(self, circuits[k])->end[end];
                if (taken[at] == 0)
                    continue;
                has_room = has_room ||
                           (least[at] != LP_CIRCUIT_NONE && least[at] + taken[at] <= self->n_lanes);
                least[at] = MIN(least[at], taken[at]);
                taken[at] = 0;
            }
    }
    return has_room;
}

char *
lp_circuit_plan_describe(const LpCircuitPlan *self)
{
    guint n_patterns[LP_N_TRAFFIC] = {0};
    for (guint i = 0; i < self->patterns->len; i++)
        n_patterns[lp_circuit_plan_pattern(self, i)->traffic]++;
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%u lanes an attachment; patterns:", self->n_lanes);
    gboolean has_any = FALSE;
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++) {
        if (n_patterns[traffic] == 0)
            continue;
        g_string_append_printf(text, "%s %u of %s", has_any ? "," : "", n_patterns[traffic],
                               lp_circuit_plan_traffic_name(traffic));
        has_any = TRUE;
    }
    if (!has_any)
        g_string_append(text, " none");
    describe_exchanges(self, text);
    const LpCircuitSwitch *circuits = &lp_network_machine(self->map->network)->circuits;
    if (circuits->policy == LP_CIRCUIT_POLICY_PHASE && has_any && !has_room_for_two(self))
        g_string_append(text, "; phase acts as provision here: no attachment has lanes for two of "
                              "its patterns, so that none can be set up ahead");
    return g_string_free(text, FALSE);
}
