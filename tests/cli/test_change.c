/* SPDX-License-Identifier: Apache-2.0 */
/* What compare says of two runs: the largest change, the warning, the classes. */
#include "cli/change.h"

#include "tests/testlib.h"

/* A run of an iteration of @s whose ep and bubble take so much of it. */
static json_t *
run(double s, double ep_s, double bubble_s)
{
    json_t *self = json_object();
    json_t *simulated = lp_json_set_object(self, "simulated");
    lp_json_set_number(simulated, "iteration_time_s", s);
    json_t *terms = lp_json_set_object(simulated, "terms_s");
    lp_json_set_number(terms, "compute", s - ep_s - bubble_s);
    lp_json_set_number(terms, "ep", ep_s);
    lp_json_set_number(terms, "bubble", bubble_s);
    lp_json_set_text(lp_json_set_object(simulated, "narrowest_tier"), "ep", "leaf");
    return self;
}

/* The critical path of the other run goes through ranks that exchange more and wait less. */
static void
test_rerouted(void)
{
    g_autoptr(json_t) first = run(20.0, 1.0, 9.0), other = run(20.4, 7.8, 1.4);
    LpChange change = lp_change_largest(first, other);
    lp_test_true("the bubble", change.term == LP_TERM_BUBBLE);
    lp_test_close("by", change.seconds, -7.6, 1e-12);
    lp_test_close("all", change.moved_s, 7.6 + 6.8 + 1.2, 1e-12);
    g_autofree char *warning = lp_change_warning(first, other, &change);
    lp_test_contains("warning", warning, "terms move by 15.600000 s, their sum by +0.400000 s");
    lp_test_contains("warning", warning, "--contention");
}

/* One term that grows by what the iteration grows says what changed; so does none that moves by
 * less than a hundredth. */
static void
test_plain(void)
{
    static const struct {
        const char *label;
        double s, ep_s, bubble_s;
    } rows[] = {{"nothing", 20.0, 1.0, 9.0},
                {"one term", 21.0, 2.0, 9.0},
                {"two terms", 22.0, 2.0, 10.0},
                {"a little", 20.0, 1.05, 8.95}};
    g_autoptr(json_t) first = run(20.0, 1.0, 9.0);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(json_t) other = run(rows[i].s, rows[i].ep_s, rows[i].bubble_s);
        LpChange change = lp_change_largest(first, other);
        g_autofree char *warning = lp_change_warning(first, other, &change);
        lp_test_text(rows[i].label, warning, NULL);
    }
    g_autoptr(json_t) other = run(21.0, 2.0, 9.0);
    lp_test_text("its tier, on the slower machine", lp_change_largest(first, other).tier, "leaf");
    lp_test_text("or the other way", lp_change_largest(other, first).tier, "leaf");
}

static void
test_classes(void)
{
    g_autoptr(json_t) first = json_object(), other = json_object();
    json_t *classes = lp_json_set_object(first, "classes_s");
    lp_json_set_number(classes, "pp", 0.25);
    classes = lp_json_set_object(other, "classes_s");
    lp_json_set_number(classes, "pp", 0.75);
    lp_json_set_number(classes, "ep", 1e-9);
    lp_json_set_number(classes, "dp", 0.125);
    GString *text = g_string_new(NULL);
    lp_change_append_classes(text, NULL, first);
    lp_change_append_classes(text, first, other);
    lp_change_append_classes(text, other, other);
    lp_test_text("classes", text->str,
                 "        contention: pp +0.250000 s\n"
                 "        contention: pp +0.500000 s, dp +0.125000 s against run 1\n"
                 "        contention: none against run 1\n");
    g_string_free(text, TRUE);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"rerouted", test_rerouted},
                                       {"plain", test_plain},
                                       {"classes", test_classes},
                                       {NULL, NULL}};
    return lp_test_run("change", cases);
}
