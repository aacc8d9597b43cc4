/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what a cluster says of its circuit switches. */
#include "platforms/machine/circuit_switch.h"

#include "base/error.h"
#include "base/units.h"
#include "platforms/catalogue/field.h"
#include "property_places.h"

/* A flag in the traffic of a switch: the file states the traffic. */
#define TRAFFIC_IS_GIVEN (1u << 31)

static const LpField fields[] = {CIRCUIT_FIELDS};

guint32
lp_circuit_switch_n_lanes(const LpCircuitSwitch *self)
{
    return self->n_ports * self->n_wavelengths;
}

double
lp_circuit_switch_dead_time_s(const LpCircuitSwitch *self)
{
    return self->control_s + self->reconfiguration_s + self->relock_s;
}

gboolean
lp_circuit_switch_is_fixed(const LpCircuitSwitch *self)
{
    return self->is_present && !lp_circuit_switch_is_rotor(self) &&
           !lp_circuit_switch_is_hybrid(self) &&
           (self->policy == LP_CIRCUIT_POLICY_STATIC ||
            lp_circuit_switch_dead_time_s(self) >= LP_CIRCUIT_NEVER_S);
}

void
lp_circuit_switch_settle(LpCircuitSwitch *self)
{
    if (self->rotor_hops == 0 && lp_circuit_switch_is_rotor(self))
        self->rotor_hops = 2;
    if (self->traffic == 0)
        self->traffic = G_MAXUINT;
    if (self->hybrid_policy == LP_CIRCUIT_POLICY_STATIC)
        self->hybrid_policy = LP_CIRCUIT_POLICY_PROVISION;
    if (self->policy == LP_CIRCUIT_POLICY_HYBRID)
        self->policy = self->hybrid_policy;
}

gboolean
lp_circuit_switch_is_hybrid(const LpCircuitSwitch *self)
{
    return self->is_present && self->electrical_bytes_per_s > 0.0;
}

gboolean
lp_circuit_switch_carries(const LpCircuitSwitch *self, guint traffic)
{
    return (self->traffic >> traffic & 1) != 0;
}

gboolean
lp_circuit_switch_is_rotor(const LpCircuitSwitch *self)
{
    return self->is_present && self->policy == LP_CIRCUIT_POLICY_ROTOR;
}

gboolean
lp_circuit_switch_is_switched(const LpCircuitSwitch *self)
{
    return self->is_present && !lp_circuit_switch_is_fixed(self) &&
           !lp_circuit_switch_is_rotor(self);
}

static gboolean
read_policy(LpCircuitSwitch *self, const char *text, GError **error)
{
    int policy = lp_choice_parse(text, lp_circuit_policy_names, error);
    if (policy < 0)
        return FALSE;
    self->policy = (LpCircuitPolicyKind)policy;
    self->is_present = TRUE;
    return TRUE;
}

static gboolean
read_hybrid_policy(LpCircuitSwitch *self, const char *text, GError **error)
{
    static const char *const names[] = {"demand", "provision", "phase", NULL};
    int policy = lp_choice_parse(text, names, error);
    if (policy < 0)
        return FALSE;
    self->hybrid_policy = (LpCircuitPolicyKind)(LP_CIRCUIT_POLICY_DEMAND + policy);
    return TRUE;
}

/* Classes as in LpTraffic, or none: "dp pp". */
static gboolean
read_traffic(LpCircuitSwitch *self, const char *text, GError **error)
{
    static const char *const names[] = {"tp", "pp", "dp", "ep", "cp", "none", NULL};
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    guint traffic = 0, none = (guint)G_N_ELEMENTS(names) - 2;
    for (char **word = words; *word != NULL; word++) {
        int class = lp_choice_parse(*word, names, error);
        if (class < 0)
            return FALSE;
        traffic |= 1u << class;
    }
    if ((traffic >> none & 1) != 0 && words[1] != NULL)
        return lp_value_error(error, "\"%s\", wanted classes, or none alone", text);
    if (words[0] == NULL)
        return lp_value_error(error, "\"\", wanted classes of tp, pp, dp, ep and cp, or none");
    self->traffic = traffic | TRAFFIC_IS_GIVEN;
    return TRUE;
}

gboolean
lp_circuit_switch_set(LpCircuitSwitch *self, guint index, const char *text, GError **error)
{
    switch (index) {
    case CIRCUIT_POLICY:
        return read_policy(self, text, error);
    case CIRCUIT_HYBRID_POLICY:
        return read_hybrid_policy(self, text, error);
    case CIRCUIT_TRAFFIC:
        return read_traffic(self, text, error);
    default:
        g_return_val_if_fail(index < G_N_ELEMENTS(fields), FALSE);
        return lp_field_set(&fields[index], self, text, error);
    }
}

/* A slot is longer than its dead time, and there is one only where something turns. */
static gboolean
check_rotor(const LpCircuitSwitch *self, GError **error)
{
    double dead_s = lp_circuit_switch_dead_time_s(self);
    if (!lp_circuit_switch_is_rotor(self))
        return (self->slot_s <= 0.0 && self->rotor_hops == 0) ||
               lp_value_error(error, "policy: %s with a slot-time or rotor-hops, wanted rotor",
                              lp_circuit_policy_names[self->policy]);
    return self->slot_s > dead_s ||
           lp_value_error(error, "slot-time: %g s, wanted more than the dead time of %g s in each",
                          self->slot_s, dead_s);
}

/* What only a hybrid has. Before it is settled. */
static gboolean
check_hybrid(const LpCircuitSwitch *self, GError **error)
{
    const struct {
        const char *name;
        gboolean is_given;
    } rows[] = {{"hybrid-policy", self->hybrid_policy != LP_CIRCUIT_POLICY_STATIC},
                {"electrical-bandwidth", self->electrical_bytes_per_s > 0.0},
                {"circuit-traffic", self->traffic != 0},
                {"circuit-min-bytes", self->message_min_bytes > 0.0},
                {"circuit-forecast", self->forecast != LP_CIRCUIT_FORECAST_GATE},
                {"forecast-error", self->forecast_error > 0.0},
                {"circuit-changes", self->changes != LP_CIRCUIT_CHANGES_ALWAYS}};
    if (self->policy == LP_CIRCUIT_POLICY_HYBRID)
        return TRUE;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].is_given)
            return lp_value_error(error, "policy: %s with %s, wanted hybrid",
                                  lp_circuit_policy_names[self->policy], rows[i].name);
    return TRUE;
}

gboolean
lp_circuit_switch_check(const LpCircuitSwitch *self, guint64 n_attachments,
                        double attachment_bytes_per_s, GError **error)
{
    guint64 n_ports = n_attachments * (self->scope == LP_CIRCUIT_SCOPE_PLANE ? 1 : self->n_ports);
    guint32 n_lanes = lp_circuit_switch_n_lanes(self);
    double lanes_bytes_per_s = self->wavelength_bytes_per_s * n_lanes;
    if (!check_rotor(self, error) || !check_hybrid(self, error))
        return FALSE;
    if (n_lanes > LP_CIRCUIT_LANES_MAX)
        return lp_value_error(error,
                              "wavelengths: %u on each of %u ports, wanted at most %u together",
                              self->n_wavelengths, self->n_ports, LP_CIRCUIT_LANES_MAX);
    if (self->switch_ports > 0 && n_ports > self->switch_ports)
        return lp_value_error(
            error,
            "ocs-ports: %u, wanted at least %" G_GUINT64_FORMAT
            ": a switch joins %" G_GUINT64_FORMAT
            " attachments of %u ports, and circuits that no switch joins cannot be routed",
            self->switch_ports, n_ports, n_attachments, self->n_ports);
    if (self->link_budget_db > 0.0 && self->insertion_loss_db > self->link_budget_db)
        return lp_value_error(
            error, "insertion-loss: %g dB, wanted at most the %g dB that the link's budget bears",
            self->insertion_loss_db, self->link_budget_db);
    if (lanes_bytes_per_s > attachment_bytes_per_s * (1.0 + 1e-9)) {
        g_autofree char *lanes = lp_quantity_format(LP_QUANTITY_BANDWIDTH, lanes_bytes_per_s);
        g_autofree char *port = lp_quantity_format(LP_QUANTITY_BANDWIDTH, attachment_bytes_per_s);
        return lp_value_error(
            error, "wavelengths: %u of them carry %s, wanted at most the %s of an attachment",
            n_lanes, lanes, port);
    }
    return TRUE;
}
