/* SPDX-License-Identifier: Apache-2.0 */
/* Failures: links that become slower and recover, and dead ones, which end a run with who waits for
 * whom unless they are healed. */
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

/* A port gets @factor of its bandwidth at @when, over the flows' time; 0: nothing, it is dead. */
typedef struct {
    const char *port;
    double when, factor;
} Change;

#define CHANGES_MAX 7

static const struct {
    const char *label;
    Change changes[CHANGES_MAX];
} recoveries[] = {
    {"slow from before to within", {{"0", -0.5, 1e-5}, {"0", 0.25, 1.0}}},
    {"slow within", {{"0", 0.3, 1e-3}, {"0", 1.8, 1.0}}},
    {"in steps", {{"3", -0.5, 0.1}, {"3", 0.2, 0.3}, {"3", 0.5, 0.6}, {"3", 0.9, 1.0}}},
    {"down and up again",
     {{"0", -0.5, 0.5}, {"0", 0.1, 0.01}, {"0", 0.5, 0.1}, {"0", 0.7, 0.01}, {"0", 0.9, 0.7}}},
    {"flaps",
     {{"0", -1.0, 0.01},
      {"0", 0.1, 1.0},
      {"0", 0.2, 0.01},
      {"0", 0.4, 1.0},
      {"0", 0.5, 1e-6},
      {"0", 0.7, 1.0}}},
    {"flaps before", {{"0", -1.0, 0.01}, {"0", -0.8, 1.0}, {"0", -0.6, 0.01}, {"0", -0.1, 1.0}}},
    {"two links of a route",
     {{"0", -0.5, 0.1}, {"3", -0.2, 0.2}, {"0", 0.3, 1.0}, {"3", 0.5, 1.0}}},
    {"the other one stays slow", {{"0", -0.5, 0.1}, {"3", -0.2, 0.5}, {"0", 0.3, 1.0}}},
    {"dead before, and healed", {{"0", -0.5, 0.0}, {"0", 0.25, 1.0}}},
    {"dead within, and healed", {{"3", 0.3, 0.0}, {"3", 1.25, 1.0}}},
    {"dead, then slow, then as before", {{"0", -0.5, 0.0}, {"0", 0.25, 0.1}, {"0", 0.75, 1.0}}},
    {"two dead links, healed one by one",
     {{"0", -0.5, 0.0}, {"3", 0.1, 0.0}, {"0", 0.3, 1.0}, {"3", 0.6, 1.0}}},
};

/* When the flows' bytes have passed the slower of both ports, of each at the factor of its last
 * change, over the flows' time. */
static double
time_with(const Change *changes)
{
    double at = 0.0, left = 1.0, factors[2] = {1.0, 1.0};
    for (guint i = 0; i < CHANGES_MAX && changes[i].port != NULL; i++) {
        double rate = MIN(factors[0], factors[1]), until = MAX(changes[i].when, at);
        if (left <= rate * (until - at))
            break;
        left -= rate * (until - at);
        at = until;
        factors[changes[i].port[0] == '3' ? 1 : 0] = changes[i].factor;
    }
    return at + left / MIN(factors[0], factors[1]);
}

static char *
recovery_text(const Change *changes, const Gradients *flows)
{
    GString *text = g_string_new("<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>");
    for (guint i = 0; i < CHANGES_MAX && changes[i].port != NULL; i++) {
        char at[G_ASCII_DTOSTR_BUF_SIZE], factor[G_ASCII_DTOSTR_BUF_SIZE];
        double at_s = flows->start_s + changes[i].when * (flows->end_s - flows->start_s);
        g_ascii_dtostr(at, sizeof at, at_s);
        g_ascii_dtostr(factor, sizeof factor, changes[i].factor);
        g_string_append_printf(text, "<failure port='scale-out:%s' at='%ss' ", changes[i].port, at);
        if (changes[i].factor > 0.0)
            g_string_append_printf(text, "bandwidth-factor='%s'/>", factor);
        else
            g_string_append(text, "dead='yes'/>");
    }
    return g_string_free(text, FALSE);
}

/* Whenever a flow starts, it has what its links have at each instant: also a flow that starts while
 * one of them is slow or dead is as fast as ever when that has recovered. Message by message there
 * are steps, each with a latency of some microseconds, in which nothing flows. */
static void
test_recovers(void)
{
    static const char *const options[] = {"--collapse=on", "--collapse=off",
                                          "--fidelity=message --collapse=on",
                                          "--fidelity=message --collapse=off"};
    static const double within_s[] = {1e-9, 1e-9, 3e-5, 3e-5};
    Gradients flows = find_gradients();
    double duration_s = flows.end_s - flows.start_s;
    lp_test_true("a while", flows.start_s > duration_s && duration_s > 4e-3);
    for (guint i = 0; i < G_N_ELEMENTS(recoveries); i++) {
        g_autofree char *content = recovery_text(recoveries[i].changes, &flows);
        double more_s = (time_with(recoveries[i].changes) - 1.0) * duration_s;
        for (guint k = 0; k < G_N_ELEMENTS(options); k++) {
            g_autoptr(json_t) result = lp_scenario_run(content, options[k]);
            g_autofree char *label = g_strconcat(recoveries[i].label, " ", options[k], NULL);
            double time_s = lp_scenario_at(result, 0, "simulated.iteration_time_s");
            lp_test_close(label, time_s, flows.time_s + more_s, within_s[k] / flows.time_s);
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
    static const LpTestCase cases[] = {{"degraded links", test_degraded},
                                       {"links that recover", test_recovers},
                                       {"dead links", test_dead},
                                       {NULL, NULL}};
    return lp_test_run("faults", cases);
}
