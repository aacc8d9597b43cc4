/* SPDX-License-Identifier: Apache-2.0 */
/* Background traffic beside a job: the share of a link that it takes, and when it comes. */
#include "tests/support/scenario_run.h"
#include "tests/testlib.h"

#include <math.h>

/* A message that is always there takes half; several on one link share it evenly. */
static void
test_traffic(void)
{
    static const struct {
        const char *label, *traffic;
        double share;
    } rows[] = {
        {"none", "", 1.0},
        {"one flow",
         "<traffic name='t' pattern='pairs' accelerators='1,3' " LP_ENDLESS_MESSAGE "/>", 2.0},
        {"two flows",
         "<traffic name='t' pattern='pairs' accelerators='1,3' " LP_ENDLESS_MESSAGE "/>"
         "<traffic name='u' pattern='pairs' accelerators='0,2' " LP_ENDLESS_MESSAGE "/>",
         3.0},
        {"both ways",
         "<traffic name='t' pattern='permutation' accelerators='1,3' " LP_ENDLESS_MESSAGE "/>",
         2.0},
        {"incast of one",
         "<traffic name='t' pattern='incast' accelerators='1,3' " LP_ENDLESS_MESSAGE "/>", 2.0},
        {"all to all",
         "<traffic name='t' pattern='all-to-all' accelerators='1,3' " LP_ENDLESS_MESSAGE "/>", 2.0},
        {"uniform",
         "<traffic name='t' pattern='uniform' accelerators='1,3' " LP_ENDLESS_MESSAGE "/>", 2.0},
        {"elsewhere",
         "<traffic name='t' pattern='pairs' accelerators='0,1' " LP_ENDLESS_MESSAGE "/>", 1.0},
        {"over", "<traffic name='t' pattern='pairs' accelerators='1,3' message='1B' end='0s'/>",
         1.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *content = g_strconcat(
            "<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>", rows[i].traffic, NULL);
        g_autoptr(json_t) result = lp_scenario_run(content, NULL);
        double bytes = lp_scenario_at(result, 0, "traffic_bytes.dp") / 2.0;
        double wanted_s = lp_scenario_at(result, 0, "alone_s") +
                          (rows[i].share - 1.0) * bytes / LP_SHARED_CARD_BYTES_PER_S;
        lp_test_close(rows[i].label, lp_scenario_at(result, 0, "simulated.iteration_time_s"),
                      wanted_s, LP_SCENARIO_EXACT);
    }
}

/* A message that began before the job's flows, and ends while they are under way: each has half of
 * the link meanwhile, and the flows have all of it as soon as they are alone. */
static void
test_ends(void)
{
    static const char *const options[] = {"--collapse=on", "--collapse=off",
                                          "--fidelity=message --collapse=on",
                                          "--fidelity=message --collapse=off"};
    static const double within_s[] = {1e-9, 1e-9, 3e-5, 3e-5};
    static const double left = 0.3; /* of the flows' bytes, when they begin */
    g_autoptr(json_t) plain =
        lp_scenario_run("<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>", NULL);
    double bytes = lp_scenario_at(plain, 0, "traffic_bytes.dp") / 2.0;
    double time_s = lp_scenario_at(plain, 0, "simulated.iteration_time_s");
    double duration_s = bytes / LP_SHARED_CARD_BYTES_PER_S;
    double start_s = time_s - lp_scenario_at(plain, 0, "simulated.terms_s.optimizer") - duration_s;
    char at[G_ASCII_DTOSTR_BUF_SIZE], end[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_dtostr(at, sizeof at, start_s - 0.5 * duration_s);
    g_ascii_dtostr(end, sizeof end, start_s);
    g_autofree char *content = g_strdup_printf(
        "<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/><traffic name='t' pattern='pairs' "
        "accelerators='1,3' start='%ss' end='%ss' message='%.0fB'/>",
        at, end, (0.5 + left) * bytes);
    for (guint i = 0; i < G_N_ELEMENTS(options); i++) {
        g_autoptr(json_t) result = lp_scenario_run(content, options[i]);
        double wanted_s = time_s + left * duration_s;
        lp_test_close(options[i], lp_scenario_at(result, 0, "simulated.iteration_time_s"), wanted_s,
                      (within_s[i] + 1e-5) / wanted_s);
    }
}

/* Half of a link's rate in messages of equal distance: each takes twice its isolated time while the
 * job sends, which leaves the job half of the link; before, one message in two gaps is there. The
 * job may have up to one message's time more or less. */
static void
test_load(void)
{
    double message_s = 1e6 / LP_SHARED_CARD_BYTES_PER_S;
    g_autoptr(json_t) result = lp_scenario_run(
        "<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>"
        "<traffic name='t' pattern='pairs' accelerators='1,3' load='0.5' gaps='fixed' "
        "message='1MB'/>",
        NULL);
    double bytes = lp_scenario_at(result, 0, "traffic_bytes.dp") / 2.0;
    double time_s = lp_scenario_at(result, 0, "simulated.iteration_time_s");
    double wanted_s = lp_scenario_at(result, 0, "alone_s") + bytes / LP_SHARED_CARD_BYTES_PER_S;
    lp_test_true("half of the link", fabs(time_s - wanted_s) <= 2.0 * message_s);
    json_t *traffic = lp_scenario_member(result, "traffic", 0);
    double n = lp_test_json_number(traffic, "messages") + lp_test_json_number(traffic, "under_way");
    lp_test_close("messages", n, floor(time_s / (2.0 * message_s)) + 1.0, 0.0);
    lp_test_close("bytes", lp_test_json_number(traffic, "bytes"),
                  lp_test_json_number(traffic, "messages") * 1e6, 0.0);
}

/* Poisson arrivals: the number of messages is within five standard deviations of its mean. */
static void
test_poisson(void)
{
    g_autoptr(json_t) result = lp_scenario_run(
        "<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>"
        "<traffic name='t' pattern='pairs' accelerators='1,3' rate='1GBps' message='1MB'/>",
        NULL);
    json_t *traffic = lp_scenario_member(result, "traffic", 0);
    double n = lp_test_json_number(traffic, "messages") + lp_test_json_number(traffic, "under_way");
    double mean = lp_scenario_at(result, 0, "end_s") * 1e9 / 1e6;
    lp_test_true("arrivals", fabs(n - mean) < 5.0 * sqrt(mean));
    lp_test_true("a job beside is not faster", lp_scenario_at(result, 0, "slowdown") >= 1.0);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"traffic", test_traffic},
                                       {"traffic that ends", test_ends},
                                       {"load", test_load},
                                       {"Poisson arrivals", test_poisson},
                                       {NULL, NULL}};
    return lp_test_run("background traffic", cases);
}
