/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the lanes that the failure of a part stops. */
#include "sim/circuits/lane_failures.h"

#include "base/error.h"
#include "base/file.h"

static guint64
bit(guint32 lane)
{
    return G_GUINT64_CONSTANT(1) << lane;
}

/* The lanes of an attachment that @failure stops. A laser feeds its wavelength on all ports of its
 * attachment. */
static guint64
lanes_of(const LpScenarioFailure *failure, const LpCircuitSwitch *circuits)
{
    guint64 lanes = 0;
    guint32 n = circuits->n_wavelengths;
    for (guint32 lane = 0; lane < lp_circuit_switch_n_lanes(circuits); lane++) {
        gboolean stops = FALSE;
        switch (failure->part) {
        case LP_CIRCUIT_PART_WAVELENGTH:
            stops = lane == failure->index;
            break;
        case LP_CIRCUIT_PART_LASER:
            stops = lane % n == failure->index;
            break;
        case LP_CIRCUIT_PART_PORT:
        case LP_CIRCUIT_PART_PLANE:
            stops = lane / n == failure->index;
            break;
        case LP_CIRCUIT_PART_NONE:
            break;
        }
        lanes |= stops ? bit(lane) : 0;
    }
    return lanes;
}

/* @lanes: those that it stops. */
static gboolean
check(const LpScenarioFailure *failure, const LpMachine *machine, guint64 lanes, GError **error)
{
    const LpCircuitSwitch *circuits = &machine->circuits;
    const char *label = lp_file_label(machine->path);
    if (!circuits->is_present)
        return lp_value_error(error, "%s has no circuits, wanted such", label);
    gboolean is_plane = failure->part == LP_CIRCUIT_PART_PLANE;
    if (is_plane && circuits->scope != LP_CIRCUIT_SCOPE_PLANE)
        return lp_value_error(
            error, "a plane of %s, whose switch joins all ports, wanted circuit-scope plane",
            label);
    if (!is_plane && failure->accelerator >= machine->n_accelerators)
        return lp_value_error(error,
                              "accelerator %u, wanted one of the %" G_GUINT64_FORMAT " of %s",
                              failure->accelerator, machine->n_accelerators, label);
    return lanes != 0 ||
           lp_value_error(
               error,
               "number %u, wanted one of the %u ports or %u wavelengths each of an attachment",
               failure->index, circuits->n_ports, circuits->n_wavelengths);
}

gboolean
lp_lane_failures_find(const LpScenarioFailure *failure, const LpMachine *machine, GArray *io_lanes,
                      GError **error)
{
    guint64 lanes = machine->circuits.is_present ? lanes_of(failure, &machine->circuits) : 0;
    if (!check(failure, machine, lanes, error)) {
        g_prefix_error(error, "%s: <failure> circuit: ", failure->where);
        return FALSE;
    }
    gboolean is_plane = failure->part == LP_CIRCUIT_PART_PLANE;
    guint32 n = (guint32)lp_machine_n_ports(machine);
    guint32 own =
        is_plane ? 0
                 : (guint32)lp_machine_port(machine, failure->accelerator, LP_ATTACHMENT_SCALE_OUT);
    for (guint32 i = is_plane ? 0 : own; i < (is_plane ? n : own + 1); i++) {
        LpLaneFailure made = {i, lanes};
        g_array_append_val(io_lanes, made);
    }
    return TRUE;
}

guint64 *
lp_lane_failures_bits(const GArray *lanes, guint32 n_attachments)
{
    guint64 *dead = g_new0(guint64, n_attachments);
    for (guint i = 0; lanes != NULL && i < lanes->len; i++) {
        const LpLaneFailure *failure = &g_array_index(lanes, LpLaneFailure, i);
        dead[failure->attachment] |= failure->lanes;
    }
    return dead;
}

/* Lanes that @pattern takes, by attachment; those that it does not touch stay as they were. */
static void
count_lanes(const LpCircuitPlan *plan, const LpCircuitPattern *pattern, guint32 *io_lanes)
{
    const guint32 *circuits = lp_circuit_plan_circuits_of(plan, pattern);
    for (guint pass = 0; pass < 2; pass++)
        for (guint32 i = 0; i < pattern->n_circuits; i++)
            for (guint end = 0; end < 2; end++) {
                const LpCircuit *circuit = lp_circuit_plan_circuit(plan, circuits[i]);
                guint32 *lanes = &io_lanes[circuit->end[end]];
                *lanes = pass == 0 ? 0 : *lanes + circuit->n_lanes;
            }
}

static gboolean
check_pattern(const LpCircuitPlan *plan, const LpCircuitPattern *pattern, const guint64 *dead,
              guint32 *lanes, const char *where, GError **error)
{
    const guint32 *circuits = lp_circuit_plan_circuits_of(plan, pattern);
    count_lanes(plan, pattern, lanes);
    for (guint32 i = 0; i < pattern->n_circuits; i++)
        for (guint end = 0; end < 2; end++) {
            guint32 at = lp_circuit_plan_circuit(plan, circuits[i])->end[end];
            guint32 n_left = plan->n_lanes - (guint32)__builtin_popcountll(dead[at]);
            if (lanes[at] <= n_left)
                continue;
            g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                        "%s: %s traffic wants %u lanes of attachment %u, and failures leave %u, "
                        "wanted more circuit-ports, or a hybrid",
                        where, lp_circuit_plan_traffic_name(pattern->traffic), lanes[at], at,
                        n_left);
            return FALSE;
        }
    return TRUE;
}

gboolean
lp_lane_failures_check(const GArray *lanes, const LpCircuitPlan *plan, const char *where,
                       GError **error)
{
    const LpMachine *machine = lp_network_machine(plan->map->network);
    if (lanes->len == 0 || lp_circuit_switch_is_hybrid(&machine->circuits))
        return TRUE;
    g_autofree guint64 *dead = lp_lane_failures_bits(lanes, plan->n_attachments);
    g_autofree guint32 *taken = g_new0(guint32, plan->n_attachments);
    for (guint32 i = 0; i < plan->patterns->len; i++)
        if (!check_pattern(plan, lp_circuit_plan_pattern(plan, i), dead, taken, where, error))
            return FALSE;
    return TRUE;
}

gboolean
lp_lane_failures_check_rotor(const GArray *lanes, const LpMachine *machine, const char *where,
                             GError **error)
{
    guint32 n = (guint32)lp_machine_n_ports(machine);
    guint32 n_joined = (guint32)lp_machine_switch_attachments(machine);
    guint32 n_lanes = MIN(lp_circuit_switch_n_lanes(&machine->circuits), MAX(n_joined - 1, 1));
    guint64 all = n_lanes >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT(1) << n_lanes) - 1;
    g_autofree guint64 *dead = lp_lane_failures_bits(lanes, n);
    for (guint32 a = 0; a < n; a++)
        for (guint32 b = a / n_joined * n_joined;
             dead[a] != 0 && b < MIN((a / n_joined + 1) * n_joined, n); b++) {
            if (b == a || (all & ~(dead[a] | dead[b])) != 0)
                continue;
            g_set_error(
                error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                "%s: failures leave no lane on which the rotor joins attachments %u and %u, "
                "wanted more circuit-ports",
                where, a, b);
            return FALSE;
        }
    return TRUE;
}
