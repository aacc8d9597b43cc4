/* SPDX-License-Identifier: Apache-2.0 */
/* The objective of a fit: the loss of an error at figures by hand, and whose rows count how much.
 */
#include "validation/calibration/minimise.h"

#include "tests/testlib.h"

#include <math.h>

#define ROUNDING 1e-12

static void
test_loss(void)
{
    /* Of the error e = ln(predicted / measured), noise 0.02: e^2 / (2 0.02) below it, then
     * e - 0.01, and from 0.3 on 0.3 (1 + ln(e / 0.3)) - 0.01. */
    static const struct {
        const char *label;
        double error, wanted;
    } rows[] = {
        {"met", 0.0, 0.0},
        {"within noise", 0.01, 0.0025},
        {"at the noise", 0.02, 0.01},
        {"off", 0.1, 0.09},
        {"far off", 0.3, 0.29},
        {"twice as far", 0.6, 0.49794415416798359},
        {"e times as far", 0.3 * G_E, 0.59},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        lp_test_close(rows[i].label, lp_objective_loss(7.0 * exp(rows[i].error), 7.0),
                      rows[i].wanted, 1e-9);
        lp_test_close(rows[i].label, lp_objective_loss(7.0 * exp(-rows[i].error), 7.0),
                      rows[i].wanted, 1e-9);
    }
}

/* Three rows of one source, one of another, one that was not simulated, one of a third. */
static void
test_weights(void)
{
    char a[] = "a", b[] = "b", c[] = "c";
    LpSurrogate own[] = {
        {.source = a, .is_known = TRUE}, {.source = b, .is_known = TRUE},
        {.source = a, .is_known = TRUE}, {.source = b, .is_known = FALSE},
        {.source = a, .is_known = TRUE}, {.source = c, .is_known = TRUE},
    };
    static const struct {
        const char *without;
        double wanted[G_N_ELEMENTS(own)];
    } rows[] = {
        {NULL, {1.0 / 9, 1.0 / 3, 1.0 / 9, 0, 1.0 / 9, 1.0 / 3}},
        {"a", {0, 0.5, 0, 0, 0, 0.5}},
        {"b", {1.0 / 6, 0, 1.0 / 6, 0, 1.0 / 6, 0.5}},
        {"none of them", {1.0 / 9, 1.0 / 3, 1.0 / 9, 0, 1.0 / 9, 1.0 / 3}},
    };
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    for (guint i = 0; i < G_N_ELEMENTS(own); i++)
        g_ptr_array_add(all, &own[i]);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpObjective) objective = lp_objective_new(all, rows[i].without);
        for (guint k = 0; k < G_N_ELEMENTS(own); k++)
            lp_test_close(rows[i].without, objective->weights[k], rows[i].wanted[k], ROUNDING);
    }
    g_autoptr(GPtrArray) none = g_ptr_array_new();
    g_autoptr(LpObjective) empty = lp_objective_new(none, NULL);
    lp_test_true("no rows", empty != NULL && empty->n_evaluated == 0);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"loss", test_loss}, {"weights", test_weights}, {NULL, NULL}};
    return lp_test_run("minimise", cases);
}
