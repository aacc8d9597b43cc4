/* SPDX-License-Identifier: Apache-2.0 */
/* What-ifs, seeds and the band of "lightpath contention", and what of them is refused. */
#include "tests/support/scenario_run.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"

#include <math.h>
#include <string.h>

/* Four leaves of two ports and one link up, all of 10 GB/s: two jobs share the links up. */
#define LEAVES                                                                                     \
    "--system=generic --accelerators=8 --accelerator=a100-80 --domain-size=1 --leaf-ports=2 "      \
    "--oversubscription=2 --scale-out-bandwidth=10GBps"
#define TWO_JOBS                                                                                   \
    "<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>"                                         \
    "<job name='b' " LP_JOB_OF_TWO " accelerators='1,3'/>"
#define EXACT 1e-9

/* Returns: (transfer full). */
static json_t *
contention(const char *content, const char *options)
{
    char *machine = lp_spawn_platform(LEAVES), *scenario = lp_scenario_file(content);
    g_autofree char *line = g_strconcat("contention --format=json ", scenario, " ", machine, NULL);
    json_t *result = lp_spawn_json(line, options);
    lp_temporary_remove(machine);
    lp_temporary_remove(scenario);
    return result;
}

/* A second link up saves all contention; half the rate of all links doubles what is sent, alone and
 * in the way. The latter is one unit, as is halving the oversubscription. */
static void
test_what_if(void)
{
    g_autoptr(json_t) result =
        contention(TWO_JOBS, "--what-if=scale-out-bandwidth=2.5GBps --what-if=oversubscription=1 "
                             "--what-if=path-choice=hash,paths=1,oversubscription=1");
    for (guint job = 0; job < 2; job++) {
        json_t *at = lp_scenario_member(result, "jobs", job);
        json_t *rows = json_object_get(at, "what_ifs");
        double total_s = lp_test_json_number(at, "total_s");
        lp_test_true("three", json_array_size(rows) == 3);
        json_t *best = json_array_get(rows, 0), *worst = json_array_get(rows, 2);
        lp_test_text("best", json_string_value(json_object_get(best, "name")),
                     "oversubscription=1");
        lp_test_close("saved", lp_test_json_number(best, "saved_s"), total_s, EXACT);
        lp_test_close("units", lp_test_json_number(best, "units"), 1.0, 0.0);
        lp_test_close("more at once", lp_test_json_number(json_array_get(rows, 1), "units"), 3.0,
                      0.0);
        lp_test_close("the same saved", lp_test_json_number(json_array_get(rows, 1), "saved_s"),
                      total_s, EXACT);
        lp_test_text("worst", json_string_value(json_object_get(worst, "name")),
                     "scale-out-bandwidth=2.5GBps");
        lp_test_close("two doublings", lp_test_json_number(worst, "units"), 2.0, 0.0);
        lp_test_close("lost", lp_test_json_number(worst, "saved_s"), -2.0 * total_s * 3.0, 1e-4);
    }
}

/* A what-if of the plan is simulate with the same setting. */
static void
test_plan(void)
{
    g_autoptr(json_t) varied =
        lp_spawn_json("contention --format=json gpt3-1.3b dgx-h100-64",
                      "--set=dp=16 --set=tp=2 --what-if=micro-batch=4,placement=scattered");
    g_autoptr(json_t) plain =
        lp_spawn_json("simulate --format=json gpt3-1.3b dgx-h100-64",
                      "--set=dp=16 --set=tp=2 --set=micro-batch=4 --set=placement=scattered");
    json_t *row = json_array_get(json_object_get(varied, "what_ifs"), 0);
    lp_test_close("time", lp_test_json_number(row, "iteration_time_s"),
                  lp_test_json_number(plain, "simulated.iteration_time_s"), EXACT);
}

/* What needs too much memory, or too many accelerators, stands last, and the others have times. */
static void
test_misfits(void)
{
    static const char *const names[] = {"micro-batch=2", "dp=32",
                                        "micro-batch=4096,global-batch=65536"};
    static const char *const reasons[] = {NULL, "got a plan of 32 ranks", "memory: got a plan of"};
    g_autoptr(json_t) varied = lp_spawn_json(
        "contention --format=json gpt3-1.3b dgx-a100-8",
        "--set=dp=1 --set=global-batch=128 --what-if=micro-batch=4096,global-batch=65536 "
        "--what-if=dp=32 --what-if=micro-batch=2");
    json_t *rows = json_object_get(varied, "what_ifs");
    lp_test_true("rows", json_array_size(rows) == G_N_ELEMENTS(names));
    for (guint i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        const char *reason = json_string_value(json_object_get(row, "does_not_fit"));
        lp_test_text(names[i], json_string_value(json_object_get(row, "name")), names[i]);
        lp_test_true(names[i], (json_object_get(row, "saved_s") == NULL) == (reasons[i] != NULL));
        lp_test_true(names[i], reasons[i] == NULL
                                   ? reason == NULL
                                   : reason != NULL && strstr(reason, reasons[i]) != NULL);
    }
}

/* Without chance all runs are one; with it quantiles are in order, and again the same. */
static void
test_runs(void)
{
    static const char *const keys[] = {"low_s", "p50_s", "p95_s", "p99_s", "high_s"};
    g_autoptr(json_t) certain = contention(TWO_JOBS, "--runs=3");
    json_t *job = lp_scenario_member(certain, "jobs", 0);
    json_t *distribution = json_object_get(job, "distribution");
    lp_test_close("n", lp_test_json_number(distribution, "runs"), 3.0, 0.0);
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        lp_test_close(keys[i], lp_test_json_number(distribution, keys[i]),
                      lp_test_json_number(job, "iteration_time_s"), EXACT);
    char *texts[2] = {NULL, NULL};
    for (guint k = 0; k < 2; k++) {
        g_autoptr(json_t) chance = contention(
            TWO_JOBS "<straggler job='a' distribution='lognormal' jitter='0.2' seed='2'/>",
            k == 0 ? "--runs=20 --jobs=1" : "--runs=20 --jobs=3");
        distribution = json_object_get(lp_scenario_member(chance, "jobs", 0), "distribution");
        texts[k] = lp_json_print(distribution);
        for (guint i = 1; i < G_N_ELEMENTS(keys); i++)
            lp_test_true(keys[i], lp_test_json_number(distribution, keys[i]) >=
                                      lp_test_json_number(distribution, keys[i - 1]));
        lp_test_true("spread", lp_test_json_number(distribution, "high_s") >
                                   1.01 * lp_test_json_number(distribution, "low_s"));
    }
    lp_test_text("same", texts[0], texts[1]);
    g_free(texts[0]);
    g_free(texts[1]);
}

/* With ideal paths the two jobs meet nowhere, and both fidelities agree. */
static void
test_band(void)
{
    g_autoptr(json_t) result = contention(TWO_JOBS, "--band");
    json_t *job = lp_scenario_member(result, "jobs", 0),
           *ways = json_object_get(json_object_get(job, "band"), "ways_s");
    double time_s = lp_test_json_number(job, "iteration_time_s");
    lp_test_close("flow", lp_test_json_number(ways, "flow"), time_s, EXACT);
    lp_test_close("message", lp_test_json_number(ways, "message"), time_s, EXACT);
    lp_test_close("ideal", lp_test_json_number(ways, "ideal paths"),
                  lp_test_json_number(job, "uncontended_s"), EXACT);
    lp_test_close("low", lp_test_json_number(job, "band.low_s"),
                  lp_test_json_number(job, "uncontended_s"), EXACT);
    lp_test_close("high", lp_test_json_number(job, "band.high_s"), time_s, EXACT);
}

static void
test_refused(void)
{
    static const struct {
        const char *options, *part;
        int status;
    } rows[] = {
        {"--what-if=nothing=3 gpt3-125m dgx-a100-8", "--what-if=nothing=3", 1},
        {"--what-if=dp=many gpt3-125m dgx-a100-8", "--what-if=dp=many", 1},
        {"--what-if=oversubscription=many gpt3-125m dgx-a100-8", "--oversubscription", 1},
        {"--what-if gpt3-125m dgx-a100-8", "wanted 2", 2},
        {"--what-if= gpt3-125m dgx-a100-8", "--what-if: got nothing, wanted NAME=VALUE", 2},
        {"--runs=0 gpt3-125m dgx-a100-8", "--runs", 2},
        {"--runs=x gpt3-125m dgx-a100-8", "--runs", 2},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *line = g_strconcat("contention ", rows[i].options, NULL);
        lp_spawn_refused(rows[i].options, line, rows[i].status, rows[i].part);
    }
}

/* A file that somebody has changed is not what its command would generate. */
static void
test_changed_file(void)
{
    char *path = lp_spawn_platform(LEAVES);
    g_autofree char *text = NULL;
    lp_test_true("read", g_file_get_contents(path, &text, NULL, NULL));
    g_auto(GStrv) parts = g_strsplit(text, "bw=\"10GBps\"", -1);
    g_autofree char *changed = g_strjoinv("bw=\"9GBps\"", parts);
    lp_test_true("changed", strcmp(text, changed) != 0);
    char *other = lp_temporary_with_suffix(".xml", changed, -1);
    g_autofree char *line =
        g_strconcat("contention --what-if=oversubscription=1 gpt3-125m ", other, NULL);
    lp_spawn_refused(NULL, line, 1, "not as \"platform generate\" wrote it");
    lp_temporary_remove(path);
    lp_temporary_remove(other);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"what if", test_what_if},
                                       {"misfits", test_misfits},
                                       {"plan", test_plan},
                                       {"runs", test_runs},
                                       {"band", test_band},
                                       {"refused", test_refused},
                                       {"changed file", test_changed_file},
                                       {NULL, NULL}};
    return lp_test_run("contention_command", cases);
}
