/* SPDX-License-Identifier: Apache-2.0 */
/* Slow ranks: by hand on two ranks, and merged tasks against single ones. */
#include "tests/support/scenario_run.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"

static void
test_straggler(void)
{
    g_autoptr(json_t) plain =
        lp_scenario_run("<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>", NULL);
    static const char *const slow[] = {"job='a' ranks='1'", "job='a' ranks='0-1'",
                                       "accelerators='2'", "job='a'"};
    for (guint i = 0; i < G_N_ELEMENTS(slow); i++) {
        g_autofree char *content =
            g_strdup_printf("<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>"
                            "<straggler %s factor='2'/>",
                            slow[i]);
        static const char *const options[] = {"--collapse=on", "--collapse=off"};
        for (guint k = 0; k < G_N_ELEMENTS(options); k++) {
            g_autoptr(json_t) result = lp_scenario_run(content, options[k]);
            lp_test_close(slow[i], lp_scenario_at(result, 0, "simulated.terms_s.compute"),
                          2.0 * lp_scenario_at(plain, 0, "simulated.terms_s.compute"),
                          LP_SCENARIO_EXACT);
            lp_test_close(slow[i], lp_scenario_at(result, 0, "simulated.terms_s.optimizer"),
                          2.0 * lp_scenario_at(plain, 0, "simulated.terms_s.optimizer"),
                          LP_SCENARIO_EXACT);
            lp_test_close(slow[i], lp_scenario_at(result, 0, "simulated.terms_s.dp"),
                          lp_scenario_at(plain, 0, "simulated.terms_s.dp"), LP_SCENARIO_EXACT);
            lp_test_close(slow[i], lp_scenario_at(result, 0, "difference.faults_s"),
                          lp_scenario_at(plain, 0, "simulated.terms_s.compute") +
                              lp_scenario_at(plain, 0, "simulated.terms_s.optimizer"),
                          LP_SCENARIO_EXACT);
        }
    }
}

/* Between two instants a rank takes @factor times as long, and before and after it what it always
 * takes, also for the work at hand. */
static void
test_straggler_recovers(void)
{
    static const double factor = 3.0;
    static const struct {
        const char *label;
        double start, end; /* over the time that computing takes without it */
    } rows[] = {{"from before to within", 0.0, 0.75},
                {"within", 0.25, 0.5},
                {"to beyond the end", 0.9, 9.0},
                {"for no time", 0.5, 0.5}};
    static const char *const options[] = {"--collapse=on", "--collapse=off"};
    g_autoptr(json_t) plain =
        lp_scenario_run("<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>", NULL);
    double compute_s = lp_scenario_at(plain, 0, "simulated.terms_s.compute");
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        char start[G_ASCII_DTOSTR_BUF_SIZE], end[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_dtostr(start, sizeof start, rows[i].start * compute_s);
        g_ascii_dtostr(end, sizeof end, rows[i].end * compute_s);
        g_autofree char *content =
            g_strdup_printf("<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>"
                            "<straggler job='a' ranks='1' factor='%g' start='%ss' end='%ss'/>",
                            factor, start, end);
        double done = MIN(1.0 - rows[i].start, (rows[i].end - rows[i].start) / factor);
        for (guint k = 0; k < G_N_ELEMENTS(options); k++) {
            g_autoptr(json_t) result = lp_scenario_run(content, options[k]);
            lp_test_close(rows[i].label, lp_scenario_at(result, 0, "simulated.terms_s.compute"),
                          (1.0 + done * (factor - 1.0)) * compute_s, LP_SCENARIO_EXACT);
        }
    }
}

/* The slowest member sets the pace of a tensor-parallel group, merged or not; a slow stage that of
 * its pipeline. */
static void
test_straggler_collapse(void)
{
    static const char *const plans[] = {
        "tp='4' dp='2'", "tp='2' pp='2' dp='2'", "tp='8' dp='1'",
        "tp='2' pp='4' dp='1' sequence-parallel='yes' overlap-tp='bulk'"};
    static const char *const slow[] = {
        "factor='1.5'", "factor='1.3' distribution='lognormal' jitter='0.1' seed='5'",
        "distribution='exponential' jitter='0.2'", "distribution='normal' jitter='0.3' seed='9'"};
    for (guint i = 0; i < G_N_ELEMENTS(plans); i++) {
        g_autofree char *content = g_strdup_printf(
            "<job name='a' workload='gpt3-1.3b' %s global-batch='32' micro-batch='2'/>"
            "<straggler job='a' ranks='0,3' %s/>",
            plans[i], slow[i]);
        char *path = lp_scenario_file(content);
        g_autofree char *line = g_strconcat("simulate --format=json --ignore-memory ", path,
                                            " dgx-a100-8 --collapse", NULL);
        g_autofree char *with = g_strconcat(line, "=on", NULL);
        g_autofree char *without = g_strconcat(line, "=off", NULL);
        g_autoptr(json_t) merged = lp_spawn_json(with, NULL);
        g_autoptr(json_t) whole = lp_spawn_json(without, NULL);
        lp_test_close(plans[i], lp_scenario_at(merged, 0, "simulated.iteration_time_s"),
                      lp_scenario_at(whole, 0, "simulated.iteration_time_s"), 1e-6);
        lp_test_true(plans[i], lp_scenario_at(merged, 0, "difference.faults_s") > 0.0);
        lp_temporary_remove(path);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"slow ranks", test_straggler},
                                       {"slow ranks that recover", test_straggler_recovers},
                                       {"slow ranks, collapsed", test_straggler_collapse},
                                       {NULL, NULL}};
    return lp_test_run("stragglers", cases);
}
