/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses circuits for a whole job: Kruskal's spanning forest with as many branches at each
 * attachment as it has lanes, then the rest. */
#include "sim/circuits/fixed_circuits.h"

#include "sim/circuits/lane_failures.h"
#include "sim/simulation_error.h"

typedef struct {
    const LpCircuitPlan *plan; /* borrowed */
    guint64 *used;             /* owned: lanes in use, or failed, by attachment, as bits */
    guint32 *parent;           /* owned: of union-find */
    gboolean *stands;          /* owned, by circuit */
    LpRelayPaths *paths;       /* owned */
} Choice;

static guint32
root(Choice *self, guint32 at)
{
    while (self->parent[at] != at) {
        self->parent[at] = self->parent[self->parent[at]];
        at = self->parent[at];
    }
    return at;
}

/* The first lane that is free at both ends, on the same port where each has a switch of its own.
 * Returns: whether there is one; it is then taken. */
static gboolean
take_lanes(Choice *self, const LpCircuit *circuit)
{
    const LpCircuitSwitch *settings = &lp_network_machine(self->plan->map->network)->circuits;
    gboolean is_plane = settings->scope == LP_CIRCUIT_SCOPE_PLANE;
    for (guint32 a = 0; a < self->plan->n_lanes; a++)
        for (guint32 b = 0; b < self->plan->n_lanes; b++) {
            if ((self->used[circuit->end[0]] >> a & 1) != 0 ||
                (self->used[circuit->end[1]] >> b & 1) != 0 ||
                (is_plane && a / settings->n_wavelengths != b / settings->n_wavelengths))
                continue;
            self->used[circuit->end[0]] |= G_GUINT64_CONSTANT(1) << a;
            self->used[circuit->end[1]] |= G_GUINT64_CONSTANT(1) << b;
            return TRUE;
        }
    return FALSE;
}

static void
consider(Choice *self, guint32 index, gboolean joins)
{
    const LpCircuit *circuit = lp_circuit_plan_circuit(self->plan, index);
    guint32 a = root(self, circuit->end[0]), b = root(self, circuit->end[1]);
    if (self->stands[index] || (joins && a == b) || !take_lanes(self, circuit))
        return;
    self->stands[index] = TRUE;
    self->parent[a] = b;
    lp_relay_paths_join(self->paths, circuit->end[0], circuit->end[1]);
}

static void
consider_all(Choice *self, const GArray *order, gboolean joins)
{
    for (guint i = 0; i < order->len; i++) {
        const LpCircuitPattern *pattern =
            lp_circuit_plan_pattern(self->plan, g_array_index(order, guint32, i));
        const guint32 *circuits = lp_circuit_plan_circuits_of(self->plan, pattern);
        for (guint32 k = 0; k < pattern->n_circuits; k++)
            consider(self, circuits[k], joins);
    }
}

static gboolean
check_reached(Choice *self, GError **error)
{
    for (guint32 i = 0; i < self->plan->circuits->len; i++) {
        const LpCircuit *circuit = lp_circuit_plan_circuit(self->plan, i);
        if (root(self, circuit->end[0]) == root(self, circuit->end[1]))
            continue;
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_CIRCUITS,
                    "circuits: attachments %u and %u send to each other, and no path of circuits "
                    "that never change can join them over %u lanes each, wanted more "
                    "circuit-ports, or a policy that switches",
                    circuit->end[0], circuit->end[1], self->plan->n_lanes);
        return FALSE;
    }
    return TRUE;
}

LpRelayPaths *
lp_fixed_circuits_new(const LpCircuitPlan *plan, const GArray *failed, GError **error)
{
    Choice choice = {.plan = plan,
                     .used = lp_lane_failures_bits(failed, plan->n_attachments),
                     .parent = g_new(guint32, plan->n_attachments),
                     .stands = g_new0(gboolean, plan->circuits->len),
                     .paths = lp_relay_paths_new(plan->map->network)};
    for (guint32 i = 0; i < plan->n_attachments; i++)
        choice.parent[i] = i;
    g_autoptr(GArray) order = lp_circuit_plan_by_bytes(plan);
    consider_all(&choice, order, TRUE);
    consider_all(&choice, order, FALSE);
    gboolean good = check_reached(&choice, error);
    g_free(choice.used);
    g_free(choice.parent);
    g_free(choice.stands);
    if (!good)
        g_clear_pointer(&choice.paths, lp_relay_paths_free);
    return choice.paths;
}
