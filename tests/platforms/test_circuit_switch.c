/* SPDX-License-Identifier: Apache-2.0 */
/* Circuit switches: properties, and machines that cannot be built. */
#include "platforms/machine/circuit_switch.h"

#include "base/error.h"
#include "tests/testlib.h"

static LpCircuitSwitch
with(const char *name, const char *text)
{
    LpCircuitSwitch self = {.is_present = TRUE, .n_ports = 2, .n_wavelengths = 1};
    for (guint i = 0; i < LP_N_CIRCUIT_PROPERTIES; i++)
        if (g_strcmp0(lp_circuit_property_names[i], name) == 0)
            lp_test_true(name, lp_circuit_switch_set(&self, i, text, NULL));
    return self;
}

static void
test_values(void)
{
    LpCircuitSwitch self = with("wavelengths", "8");
    lp_test_true("lanes", lp_circuit_switch_n_lanes(&self) == 16);
    self = with("control-time", "40ms");
    self.reconfiguration_s = 0.010;
    self.relock_s = 5.67;
    lp_test_close("dead time is the sum of its parts", lp_circuit_switch_dead_time_s(&self), 5.72,
                  1e-15);
    lp_test_true("switched", !lp_circuit_switch_is_fixed(&self) || self.policy == 0);
    self = with("policy", "demand");
    lp_test_true("demand switches", !lp_circuit_switch_is_fixed(&self));
    self.reconfiguration_s = LP_CIRCUIT_NEVER_S;
    lp_test_true("too slow ever to switch", lp_circuit_switch_is_fixed(&self));
    self = with("policy", "rotor");
    self.reconfiguration_s = LP_CIRCUIT_NEVER_S;
    lp_test_true("a rotor turns by itself", lp_circuit_switch_is_rotor(&self) &&
                                                !lp_circuit_switch_is_fixed(&self) &&
                                                !lp_circuit_switch_is_switched(&self));
    self = with("policy", "static");
    lp_test_true("static", lp_circuit_switch_is_fixed(&self));
}

static void
test_nonsense(void)
{
    static const char *const texts[] = {"-1", "nan", "inf", "", "x", "1e30 GBps", "1e999s"};
    for (guint i = 0; i < LP_N_CIRCUIT_PROPERTIES; i++)
        for (gsize k = 0; k < G_N_ELEMENTS(texts); k++) {
            LpCircuitSwitch self = with("policy", "demand");
            g_autoptr(GError) error = NULL;
            lp_test_true(lp_circuit_property_names[i],
                         !lp_circuit_switch_set(&self, i, texts[k], &error));
            lp_test_true("domain", error != NULL && error->domain == LP_INPUT_ERROR);
        }
}

static void
test_impossible(void)
{
    g_autoptr(GError) error = NULL;
    LpCircuitSwitch self = with("ocs-ports", "31");
    lp_test_true("too few ports", !lp_circuit_switch_check(&self, 16, 1e9, &error));
    lp_test_error("too few ports", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                  "ocs-ports: 31, wanted at least 32");
    self.scope = LP_CIRCUIT_SCOPE_PLANE;
    lp_test_true("a switch for each port", lp_circuit_switch_check(&self, 16, 1e9, NULL));
    self = with("wavelength-bandwidth", "1GBps");
    lp_test_true("more than the port has", !lp_circuit_switch_check(&self, 2, 1.5e9, &error));
    lp_test_error("more than the port has", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                  "wavelengths: 2 of them carry 2 GB/s, wanted at most the 1.5 GB/s");
    self = with("insertion-loss", "3");
    self.link_budget_db = 2.5;
    lp_test_true("light that dies", !lp_circuit_switch_check(&self, 2, 1e9, &error));
    lp_test_error("light that dies", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                  "insertion-loss: 3 dB, wanted at most the 2.5 dB");
}

int
main(void)
{
    static const LpTestCase cases[] = {{"values", test_values},
                                       {"nonsense", test_nonsense},
                                       {"impossible machines", test_impossible},
                                       {NULL, NULL}};
    return lp_test_run("circuit switches", cases);
}
