/* SPDX-License-Identifier: Apache-2.0 */
/* Several jobs on one machine: one alone is the plain workload, two share links evenly, and what
 * holds for all scenarios. */
#include "tests/support/scenario_run.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"

#include <math.h>

/* --- one job is one workload --- */

static char *
member_text(json_t *node, const char *name)
{
    if (node == NULL)
        return g_strdup("nothing");
    return lp_json_print_line(json_object_get(node, name));
}

static void
test_single_job(void)
{
    static const struct {
        const char *label, *attributes, *settings, *platform;
    } rows[] = {
        {"overlapped", "workload='gpt3-125m'", "gpt3-125m", "dgx-a100-8"},
        {"pipeline", "workload='gpt3-1.3b' tp='4' pp='4' dp='4' global-batch='64'",
         "gpt3-1.3b --set=tp=4 --set=pp=4 --set=dp=4 --set=global-batch=64", "dgx-h100-64"},
        {"scattered", "workload='gpt3-1.3b' tp='2' dp='8' global-batch='64' placement='scattered'",
         "gpt3-1.3b --set=tp=2 --set=dp=8 --set=global-batch=64 --set=placement=scattered",
         "dgx-h100-64"},
        {"experts", "workload='mixtral-8x7b'", "mixtral-8x7b", "dgx-h100-64"},
    };
    static const char *const members[] = {"plan",  "simulated",     "closed_form",
                                          "amped", "traffic_bytes", "memory"};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *content = g_strdup_printf("<job name='a' %s/>", rows[i].attributes);
        char *path = lp_scenario_file(content);
        g_autofree char *words = g_strconcat(path, " ", rows[i].platform, NULL);
        g_autoptr(json_t) scenario = lp_spawn_json("simulate --format=json --ignore-memory", words);
        g_autofree char *plain_words = g_strconcat(rows[i].settings, " ", rows[i].platform, NULL);
        g_autoptr(json_t) plain =
            lp_spawn_json("simulate --format=json --ignore-memory", plain_words);
        for (guint k = 0; k < G_N_ELEMENTS(members); k++) {
            g_autofree char *got = member_text(lp_scenario_member(scenario, "jobs", 0), members[k]);
            g_autofree char *wanted = member_text(plain, members[k]);
            g_autofree char *label = g_strconcat(rows[i].label, ": ", members[k], NULL);
            lp_test_text(label, got, wanted);
        }
        lp_test_close(rows[i].label, lp_scenario_at(scenario, 0, "slowdown"), 1.0, 0.0);
        lp_test_close(rows[i].label, lp_scenario_at(scenario, 0, "difference.unexplained_s"),
                      lp_test_json_number(plain, "difference.unexplained_s"), 0.0);
        lp_temporary_remove(path);
    }
}

/* --- contention --- */

/* Both jobs' rings send the gradients over the same two links at the same time. */
static void
test_two_jobs(void)
{
    static const char *const options[] = {"--collapse=on", "--collapse=off"};
    for (guint i = 0; i < G_N_ELEMENTS(options); i++) {
        g_autoptr(json_t) result =
            lp_scenario_run("<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>"
                            "<job name='b' " LP_JOB_OF_TWO " accelerators='1,3'/>",
                            options[i]);
        for (guint job = 0; job < 2; job++) {
            double bytes = lp_scenario_at(result, job, "traffic_bytes.dp") / 2.0;
            double alone_s = lp_scenario_at(result, job, "alone_s");
            lp_test_close(options[i], lp_scenario_at(result, job, "simulated.iteration_time_s"),
                          alone_s + bytes / LP_SHARED_CARD_BYTES_PER_S, LP_SCENARIO_EXACT);
            lp_test_close(options[i], lp_scenario_at(result, job, "difference.others_s"),
                          bytes / LP_SHARED_CARD_BYTES_PER_S, LP_SCENARIO_EXACT);
            lp_test_close(options[i], lp_scenario_at(result, job, "difference.contention_s"),
                          bytes / LP_SHARED_CARD_BYTES_PER_S, LP_SCENARIO_EXACT);
        }
    }
}

/* Jobs that start so far apart that they never send together do not feel each other. */
static void
test_start(void)
{
    g_autoptr(json_t) apart =
        lp_scenario_run("<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>"
                        "<job name='b' " LP_JOB_OF_TWO " accelerators='1,3' start='100ms'/>",
                        NULL);
    for (guint job = 0; job < 2; job++)
        lp_test_close("apart", lp_scenario_at(apart, job, "simulated.iteration_time_s"),
                      lp_scenario_at(apart, job, "alone_s"), LP_SCENARIO_EXACT);
    lp_test_close("start", lp_scenario_at(apart, 1, "start_s"), 0.1, 0.0);
    lp_test_close("end", lp_scenario_at(apart, 1, "end_s") - lp_scenario_at(apart, 0, "end_s"), 0.1,
                  LP_SCENARIO_EXACT);
}

/* --- what holds for all --- */

#define MANY_JOBS "<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>"
#define MANY_OTHER "<job name='b' " LP_JOB_OF_TWO " accelerators='1,3' start='7ms' iterations='2'/>"
#define MANY_TRAFFIC "<traffic name='t' pattern='uniform' message='3MB' load='0.05' seed='4'/>"
#define MANY_CLOSED "<traffic name='s' pattern='permutation' message='3MB' accelerators='0-3'/>"
#define MANY_SLOW                                                                                  \
    "<straggler job='a' distribution='lognormal' jitter='0.05' seed='2'/>"                         \
    "<straggler accelerators='3' factor='1.1'/>"
#define MANY_FAULTS                                                                                \
    "<failure port='scale-out:0' at='100ms' bandwidth-factor='0.5'/>"                              \
    "<failure port='scale-out:3' at='200ms' bandwidth-factor='0.7'/>"

/* Two runs give the same bytes, and so does any order of the elements. */
static void
test_order(void)
{
    static const char *const contents[] = {
        MANY_JOBS MANY_OTHER MANY_TRAFFIC MANY_CLOSED MANY_SLOW MANY_FAULTS,
        MANY_JOBS MANY_OTHER MANY_TRAFFIC MANY_CLOSED MANY_SLOW MANY_FAULTS,
        MANY_FAULTS MANY_CLOSED MANY_SLOW MANY_OTHER MANY_TRAFFIC MANY_JOBS,
        MANY_OTHER MANY_JOBS MANY_FAULTS MANY_TRAFFIC MANY_CLOSED MANY_SLOW};
    static const char *const formats[] = {"--format=json", "--format=text"};
    for (guint format = 0; format < G_N_ELEMENTS(formats); format++) {
        g_autofree char *first = NULL;
        char *platform = lp_spawn_platform(LP_SHARED_CARDS);
        for (guint i = 0; i < G_N_ELEMENTS(contents); i++) {
            char *path = lp_scenario_file(contents[i]);
            g_autofree char *line = g_strconcat("simulate ", path, " ", platform, NULL);
            LpSpawned ran = lp_spawn_started(line, formats[format]);
            lp_test_text("order", ran.complaint, "");
            if (first == NULL)
                first = g_strdup(ran.output);
            lp_test_true("same bytes", g_strcmp0(first, ran.output) == 0);
            lp_spawned_clear(&ran);
            lp_temporary_remove(path);
        }
        lp_temporary_remove(platform);
    }
}

/* Another seed is another run. */
static void
test_seed(void)
{
    static const char *const contents[] = {
        MANY_JOBS "<straggler job='a' distribution='normal' jitter='0.1' seed='%d'/>",
        MANY_JOBS "<traffic name='t' pattern='pairs' accelerators='1,3' message='1MB' load='0.4' "
                  "seed='%d'/>"};
    for (guint i = 0; i < G_N_ELEMENTS(contents); i++) {
        g_auto(GStrv) parts = g_strsplit(contents[i], "%d", 2);
        g_autofree char *one = g_strjoinv("1", parts), *two = g_strjoinv("2", parts);
        g_autoptr(json_t) first = lp_scenario_run(one, NULL), second = lp_scenario_run(two, NULL);
        lp_test_true("seed", fabs(lp_scenario_at(first, 0, "simulated.iteration_time_s") -
                                  lp_scenario_at(second, 0, "simulated.iteration_time_s")) > 1e-9);
    }
}

static const struct {
    const char *name, *platform;
} shipped[] = {{"two-jobs", "polaris-64"},
               {"busy-fabric", "dgx-h100-64"},
               {"slow-rank", "dgx-h100-64"},
               {"degraded-port", "dgx-h100-64"}};

/* What is collapsed cannot matter, and nobody gains from others. */
static void
test_shipped(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(shipped); i++) {
        g_autofree char *line = g_strconcat("simulate --format=json ", shipped[i].name, " ",
                                            shipped[i].platform, " --set=global-batch=64", NULL);
        g_autoptr(json_t) on = lp_spawn_json(line, NULL);
        g_autoptr(json_t) off = lp_spawn_json(line, "--collapse=off");
        gsize n = json_array_size(json_object_get(on, "jobs"));
        lp_test_true(shipped[i].name, n > 0);
        for (guint job = 0; job < n; job++) {
            lp_test_close(shipped[i].name, lp_scenario_at(on, job, "simulated.iteration_time_s"),
                          lp_scenario_at(off, job, "simulated.iteration_time_s"), 1e-6);
            lp_test_true(shipped[i].name,
                         lp_scenario_at(on, job, "slowdown") >= 1.0 - LP_SCENARIO_EXACT);
        }
    }
}

/* A job beside others: never faster than alone; alone, as it is by itself on the same machine. */
static void
test_alone(void)
{
    g_autoptr(json_t) crowd = lp_scenario_run(MANY_JOBS MANY_OTHER MANY_TRAFFIC MANY_CLOSED, NULL);
    g_autoptr(json_t) first = lp_scenario_run(MANY_JOBS, NULL),
                      second = lp_scenario_run(MANY_OTHER, NULL);
    for (guint job = 0; job < 2; job++)
        lp_test_true("not faster", lp_scenario_at(crowd, job, "slowdown") > 1.0);
    lp_test_close("first", lp_scenario_at(crowd, 0, "alone_s"),
                  lp_scenario_at(first, 0, "simulated.iteration_time_s"), 0.0);
    lp_test_close("second", lp_scenario_at(crowd, 1, "alone_s"),
                  lp_scenario_at(second, 0, "simulated.iteration_time_s"), 0.0);
}

/* Where nothing is hidden iterations follow each other, and the mean of several is one of them. */
static void
test_iterations(void)
{
    g_autoptr(json_t) one = lp_scenario_run(MANY_JOBS, NULL);
    g_autoptr(json_t) five = lp_scenario_run(
        "<job name='a' " LP_JOB_OF_TWO " accelerators='0,2' iterations='5'/>", NULL);
    lp_test_close("mean", lp_scenario_at(five, 0, "simulated.iteration_time_s"),
                  lp_scenario_at(one, 0, "simulated.iteration_time_s"), LP_SCENARIO_EXACT);
    lp_test_close("end", lp_scenario_at(five, 0, "end_s"), 5.0 * lp_scenario_at(one, 0, "end_s"),
                  LP_SCENARIO_EXACT);
    lp_test_close("bytes", lp_scenario_at(five, 0, "traffic_bytes.dp"),
                  lp_scenario_at(one, 0, "traffic_bytes.dp"), 0.0);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"one job is one workload", test_single_job},
                                       {"two jobs on shared links", test_two_jobs},
                                       {"start", test_start},
                                       {"order and repetition", test_order},
                                       {"seeds", test_seed},
                                       {"shipped scenarios", test_shipped},
                                       {"alone", test_alone},
                                       {"iterations", test_iterations},
                                       {NULL, NULL}};
    return lp_test_run("scenario simulation", cases);
}
