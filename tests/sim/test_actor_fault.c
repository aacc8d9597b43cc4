/* SPDX-License-Identifier: Apache-2.0 */
/* Failures: links that become slower, and dead ones, which end a run with who waits for whom. */
#include "tests/support/scenario_run.h"
#include "tests/testlib.h"

#include <math.h>
#include <string.h>

typedef struct {
    double start_s, end_s; /* of the gradients' flows */
    double time_s;         /* of the iteration */
} Gradients;

static Gradients
find_gradients(void)
{
    g_autoptr(json_t) result =
        lp_scenario_run("<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>", NULL);
    double bytes = lp_scenario_at(result, 0, "traffic_bytes.dp") / 2.0;
    double time_s = lp_scenario_at(result, 0, "simulated.iteration_time_s");
    double end_s = time_s - lp_scenario_at(result, 0, "simulated.terms_s.optimizer");
    return (Gradients){end_s - bytes / LP_SHARED_CARD_BYTES_PER_S, end_s, time_s};
}

/* What is left when the link degrades takes 1 / factor as long. */
static void
test_degraded(void)
{
    static const struct {
        const char *label;
        double when, factor; /* when: over the flows' time */
    } rows[] = {{"in the middle", 0.5, 0.5},
                {"late", 0.9, 0.25},
                {"before", -2.0, 0.5},
                {"after", 1.001, 0.1},
                {"at all times", -1e9, 0.5}};
    static const char *const ports[] = {"port='scale-out:0'", "port='scale-out:3'"};
    Gradients flows = find_gradients();
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        double at_s = MAX(flows.start_s + rows[i].when * (flows.end_s - flows.start_s), 0.0);
        char when[G_ASCII_DTOSTR_BUF_SIZE], factor[G_ASCII_DTOSTR_BUF_SIZE];
        g_autofree char *content =
            g_strdup_printf("<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>"
                            "<failure %s at='%ss' bandwidth-factor='%s'/>",
                            ports[i % 2], g_ascii_dtostr(when, sizeof when, at_s),
                            g_ascii_dtostr(factor, sizeof factor, rows[i].factor));
        double slow_from_s = CLAMP(at_s, flows.start_s, flows.end_s);
        double more_s = (flows.end_s - slow_from_s) * (1.0 / rows[i].factor - 1.0);
        static const char *const options[] = {"--collapse=on", "--collapse=off"};
        for (guint k = 0; k < G_N_ELEMENTS(options); k++) {
            g_autoptr(json_t) result = lp_scenario_run(content, options[k]);
            lp_test_close(rows[i].label, lp_scenario_at(result, 0, "simulated.iteration_time_s"),
                          flows.time_s + more_s, 1e-6);
            lp_test_close(rows[i].label, lp_scenario_at(result, 0, "slowdown"), 1.0, 0.0);
            lp_test_true(rows[i].label,
                         fabs(lp_scenario_at(result, 0, "difference.faults_s") - more_s) < 1e-6);
        }
    }
}

/* @text with the instants MID, in the gradients' flows, and LATER, 1 ms behind. */
static char *
with_instants(const char *text, const Gradients *flows)
{
    double mid_s = flows->start_s + 0.25 * (flows->end_s - flows->start_s);
    char mid[G_ASCII_DTOSTR_BUF_SIZE], later[G_ASCII_DTOSTR_BUF_SIZE];
    g_autoptr(GString) result = g_string_new(text);
    g_string_replace(result, "MID", g_ascii_dtostr(mid, sizeof mid, mid_s), 0);
    g_string_replace(result, "LATER", g_ascii_dtostr(later, sizeof later, mid_s + 1e-3), 0);
    return g_strdup(result->str);
}

/* A rank whose message dies makes the run end at once with one line that says who waits for whom;
 * one that has sent all is not harmed. */
static void
test_dead(void)
{
    static const struct {
        const char *label, *rest;
        gboolean lives;
    } rows[] = {
        {"from the start", "<failure port='scale-out:0' at='0s' dead='yes'/>", FALSE},
        {"on the way", "<failure port='scale-out:0' at='MIDs' dead='yes'/>", FALSE},
        {"beside another job",
         "<failure port='scale-out:0' at='MIDs' dead='yes'/>"
         "<job name='b' workload='gpt3-125m' framework='none' dp='1' global-batch='32' "
         "accelerators='1'/>",
         FALSE},
        {"beside traffic that never ends",
         "<failure port='scale-out:0' at='MIDs' dead='yes'/>"
         "<traffic name='t' pattern='permutation' message='1MB' load='0.2'/>"
         "<traffic name='u' pattern='pairs' accelerators='1,3' message='10MB'/>",
         FALSE},
        {"degraded, then dead",
         "<failure port='scale-out:2' at='MIDs' bandwidth-factor='0.001'/>"
         "<failure port='scale-out:2' at='LATERs' dead='yes'/>",
         FALSE},
        {"after the end", "<failure port='scale-out:0' at='1s' dead='yes'/>", TRUE},
        {"a port that nobody uses", "<failure port='scale-up:1' at='0s' dead='yes'/>", TRUE},
    };
    static const char *const options[] = {"--collapse=on", "--collapse=off", "--fidelity=message",
                                          "--set=algorithm-dp=tree --fidelity=message",
                                          "--set=algorithm-dp=direct"};
    Gradients flows = find_gradients();
    lp_test_true("a while", flows.start_s > 0.0 && flows.end_s - flows.start_s > 4e-3);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *rest = with_instants(rows[i].rest, &flows);
        g_autofree char *content =
            g_strconcat("<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>", rest, NULL);
        g_auto(LpScenarioFiles) files = lp_scenario_files_new(content);
        for (guint k = 0; k < G_N_ELEMENTS(options); k++) {
            g_autofree char *line =
                g_strconcat("simulate ", files.scenario, " ", files.platform, NULL);
            LpSpawned ran = lp_spawn(line, options[k]);
            lp_test_true(rows[i].label, ran.status == (rows[i].lives ? 0 : 1));
            lp_test_true(rows[i].label,
                         (strstr(ran.complaint, "job \"a\": rank ") != NULL &&
                          strstr(ran.complaint, " waits for ever for a message of rank ") != NULL &&
                          strstr(ran.complaint, "dead since ") != NULL) != rows[i].lives);
            const char *end = strchr(ran.complaint, '\n');
            lp_test_true(rows[i].label, rows[i].lives ? end == NULL : end != NULL && end[1] == 0);
            lp_spawned_clear(&ran);
        }
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"degraded links", test_degraded}, {"dead links", test_dead}, {NULL, NULL}};
    return lp_test_run("faults", cases);
}
