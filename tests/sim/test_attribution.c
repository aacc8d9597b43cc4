/* SPDX-License-Identifier: Apache-2.0 */
/* Contention whose causes are known by hand, and what holds for every attribution. */
#include "tests/support/scenario_run.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"

#include <math.h>
#include <string.h>

/* Four leaves of two ports and one link up, all of 10 GB/s. */
#define LEAVES                                                                                     \
    "--system=generic --accelerators=8 --accelerator=a100-80 --domain-size=1 --leaf-ports=2 "      \
    "--oversubscription=2 --scale-out-bandwidth=10GBps"
#define BYTES_PER_S 1e10
#define EXACT 1e-9

/* The job at @index of the scenario @content on the machine of @platform. Returns: (transfer
 * full). */
static json_t *
attribute(const char *platform, const char *content, const char *options)
{
    char *machine = lp_spawn_platform(platform);
    char *scenario = lp_scenario_file(content);
    g_autofree char *line = g_strconcat("contention --format=json ", scenario, " ", machine, NULL);
    json_t *result = lp_spawn_json(line, options);
    lp_temporary_remove(machine);
    lp_temporary_remove(scenario);
    return result;
}

static double
pair_s(const json_t *job, const char *delayed, const char *by)
{
    size_t i;
    json_t *pair;
    json_array_foreach (json_object_get(job, "pairs_s"), i, pair) {
        if (strcmp(json_string_value(json_object_get(pair, "delayed")), delayed) == 0 &&
            strcmp(json_string_value(json_object_get(pair, "by")), by) == 0)
            return lp_test_json_number(pair, "seconds");
    }
    lp_test_failed(delayed, "no such pair");
    return NAN;
}

/* Seconds that a rank of two sends its gradients for, alone. */
static double
exchange_s(void)
{
    g_autoptr(json_t) result = lp_scenario_run("<job name='a' " LP_JOB_OF_TWO "/>", NULL);
    return lp_scenario_at(result, 0, "traffic_bytes.dp") / 2.0 / BYTES_PER_S;
}

/* @tier holds it all, in @delayed by @by. */
static void
check_whole(const char *label, json_t *job, const char *tier, const char *by, double seconds)
{
    static const char *const tiers[] = {"scale_up", "port", "leaf", NULL};
    lp_test_close(label, lp_test_json_number(job, "total_s"), seconds, EXACT);
    for (guint i = 0; tiers[i] != NULL; i++) {
        json_t *part = json_object_get(json_object_get(job, "tiers_s"), tiers[i]);
        if (part != NULL)
            lp_test_close(tiers[i], json_number_value(part),
                          strcmp(tiers[i], tier) == 0 ? seconds : 0.0, EXACT);
    }
    lp_test_true(label, fabs(lp_test_json_number(job, "interaction_s")) < 1e-9 * seconds);
    lp_test_close(label, pair_s(job, "dp", by), seconds, EXACT);
    lp_test_true(label, fabs(pair_s(job, "dp", "dp")) < 1e-9 * seconds);
    lp_test_close(label, lp_test_json_number(job, "classes_s.dp"), seconds / 2.0, EXACT);
}

/* Each job sends from the first leaf to the second, up and down one link that both share. */
static void
test_two_jobs(void)
{
    static const char *const options[] = {"--collapse=on", "--collapse=off"};
    for (guint i = 0; i < G_N_ELEMENTS(options); i++) {
        g_autoptr(json_t) result = attribute(LEAVES,
                                             "<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>"
                                             "<job name='b' " LP_JOB_OF_TWO " accelerators='1,3'/>",
                                             options[i]);
        for (guint job = 0; job < 2; job++) {
            json_t *at = lp_scenario_member(result, "jobs", job);
            check_whole(options[i], at, "leaf", "other jobs", exchange_s());
            /* Two links up, two down: each direction's pair holds both flows of a job back. */
            for (guint k = 0; k < 4; k++) {
                json_t *link = json_array_get(json_object_get(at, "links"), k);
                if (k < 2)
                    lp_test_text("tier", json_string_value(json_object_get(link, "tier")), "leaf");
            }
            lp_test_true("others", fabs(lp_test_json_number(at, "other_links_s")) < 1e-12);
        }
    }
}

/* Three senders keep one port busy, to which the job sends too: a quarter is left for it. */
static void
test_incast(void)
{
    g_autoptr(json_t) result = attribute(
        "--system=generic --accelerators=8 --accelerator=a100-80 --domain-size=1 "
        "--leaf-ports=8 --scale-out-bandwidth=10GBps",
        "<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>"
        "<traffic name='t' pattern='incast' accelerators='2,5-7' " LP_ENDLESS_MESSAGE "/>",
        NULL);
    json_t *job = lp_scenario_member(result, "jobs", 0);
    double seconds = 3.0 * exchange_s();
    check_whole("incast", job, "port", "background", seconds);
    json_t *links = json_object_get(job, "links");
    lp_test_true("one link", json_array_size(links) == 1);
    json_t *link = json_array_get(links, 0);
    lp_test_close("its cost", lp_test_json_number(link, "seconds"), seconds, EXACT);
    lp_test_close(
        "held back",
        lp_test_json_number(json_array_get(json_object_get(link, "crossed"), 0), "held_back_s"),
        seconds, EXACT);
    json_t *flows = json_array_get(json_object_get(job, "flows"), 0);
    lp_test_close("median", lp_test_json_number(flows, "slowdown_median"), 1.0, EXACT);
    lp_test_close("worst", lp_test_json_number(flows, "slowdown_worst"), 4.0, EXACT);
}

/* The job's one flow loses half its rate to another job on the link up, or to other traffic on the
 * port behind it, and no more to both: of d({dp, other}) = d({dp, background}) = t and
 * d(all) = -t each pair keeps t/2. That is the game of one left glove and two right ones, whose
 * values are 2/3, 1/6 and 1/6 of t. */
static void
test_three_contenders(void)
{
    g_autoptr(json_t) result =
        attribute(LEAVES,
                  "<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>"
                  "<job name='b' " LP_JOB_OF_TWO " accelerators='1,4'/>"
                  "<traffic name='t' pattern='pairs' accelerators='6,2' " LP_ENDLESS_MESSAGE "/>",
                  NULL);
    json_t *job = lp_scenario_member(result, "jobs", 0);
    double t = exchange_s();
    lp_test_close("all", lp_test_json_number(job, "total_s"), t, EXACT);
    lp_test_close("by the other", pair_s(job, "dp", "other jobs"), t / 2.0, EXACT);
    lp_test_close("by traffic", pair_s(job, "dp", "background"), t / 2.0, EXACT);
    lp_test_close("left", lp_test_json_number(job, "classes_s.dp"), t * 2.0 / 3.0, EXACT);
    lp_test_close("right", lp_test_json_number(job, "classes_s.other jobs"), t / 6.0, EXACT);
    lp_test_close("other right", lp_test_json_number(job, "classes_s.background"), t / 6.0, EXACT);
}

static double
sum_of(json_t *object)
{
    double sum = 0.0;
    const char *key;
    json_t *value;
    json_object_foreach (object, key, value)
        sum += json_number_value(value);
    return sum;
}

static double
sum_of_list(json_t *array)
{
    double sum = 0.0;
    size_t i;
    json_t *member;
    json_array_foreach (array, i, member)
        sum += lp_test_json_number(member, "seconds");
    return sum;
}

/* Tiers, pairs, classes and links each sum to the whole. */
static void
check_sums(const char *label, json_t *job)
{
    double total_s = lp_test_json_number(job, "total_s"),
           time_s = lp_test_json_number(job, "iteration_time_s");
    double interaction_s = lp_test_json_number(job, "interaction_s");
    double tiers_s = sum_of(json_object_get(job, "tiers_s"));
    double links_s = sum_of_list(json_object_get(job, "links"));
    lp_test_true(label, fabs(time_s - lp_test_json_number(job, "uncontended_s") - total_s) <
                            EXACT * time_s);
    lp_test_true(label, fabs(tiers_s + interaction_s - total_s) < EXACT * time_s);
    json_t *circuit = json_object_get(json_object_get(job, "tiers_s"), "circuit");
    links_s += lp_test_json_number(job, "other_links_s");
    links_s += circuit == NULL ? 0.0 : json_number_value(circuit);
    lp_test_true(label, fabs(links_s - tiers_s) < EXACT * time_s);
    lp_test_true(label,
                 fabs(sum_of_list(json_object_get(job, "pairs_s")) - total_s) < EXACT * time_s);
    lp_test_true(label, fabs(sum_of(json_object_get(job, "classes_s")) - total_s) < EXACT * time_s);
}

/* Iteration and contention are those of simulate. */
static void
test_simulate(void)
{
    static const char *const rows[] = {"gpt3-125m dgx-a100-8",
                                       "gpt3-1.3b --set=tp=4 --set=pp=4 --set=dp=4 dgx-h100-64",
                                       "gpt3-1.3b --set=framework=none --set=tp=16 --set=dp=4 "
                                       "--set=placement=scattered dgx-h100-64",
                                       "mixtral-8x7b dgx-h100-64", "gpt3-175b dgx-a100-1024"};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(json_t) job = lp_spawn_json("contention --format=json --ignore-memory", rows[i]);
        g_autoptr(json_t) plain = lp_spawn_json("simulate --format=json --ignore-memory", rows[i]);
        double time_s = lp_test_json_number(plain, "simulated.iteration_time_s");
        lp_test_close(rows[i], lp_test_json_number(job, "iteration_time_s"), time_s, EXACT);
        double contention_s =
            time_s - lp_test_json_number(plain, "simulated.uncontended_iteration_time_s");
        lp_test_true(rows[i],
                     fabs(lp_test_json_number(job, "total_s") - contention_s) < EXACT * time_s);
        check_sums(rows[i], job);
    }
}

/* Whatever the number of processes, the bytes are the same; and parts sum in a scenario as well. */
static void
test_scenario(void)
{
    char *texts[2] = {NULL, NULL};
    static const char *const options[] = {"--jobs=1", "--jobs=3"};
    for (guint i = 0; i < 2; i++) {
        g_autoptr(json_t) result =
            attribute(LEAVES,
                      "<job name='a' " LP_JOB_OF_TWO " accelerators='0,2' iterations='2'/>"
                      "<job name='b' " LP_JOB_OF_TWO " accelerators='1,5' start='3ms'/>"
                      "<straggler job='a' factor='1.1' ranks='1'/>"
                      "<failure port='scale-out:5' at='10ms' bandwidth-factor='0.5'/>"
                      "<traffic name='t' pattern='uniform' message='3MB' load='0.05'/>",
                      options[i]);
        texts[i] = lp_json_print(json_object_get(result, "jobs"));
        for (guint job = 0; job < 2; job++)
            check_sums("scenario", lp_scenario_member(result, "jobs", job));
    }
    lp_test_text("same bytes", texts[0], texts[1]);
    g_free(texts[0]);
    g_free(texts[1]);
}

/* A job that has the machine for itself, with a link for each of its flows. */
static void
test_nothing(void)
{
    g_autoptr(json_t) job =
        lp_spawn_json("contention --format=json --collapse=off", "gpt3-125m dgx-a100-8");
    lp_test_true("all", lp_test_json_number(job, "total_s") == 0.0);
    lp_test_true("tiers", sum_of(json_object_get(job, "tiers_s")) == 0.0);
    lp_test_true("interaction", lp_test_json_number(job, "interaction_s") == 0.0);
    lp_test_true("pairs", sum_of_list(json_object_get(job, "pairs_s")) == 0.0);
    lp_test_true("classes", sum_of(json_object_get(job, "classes_s")) == 0.0);
    lp_test_true("links", json_array_size(json_object_get(job, "links")) == 0);
}

/* Waiting for circuits is the part of the tier of that name, and as long as simulate has it. */
static void
test_circuits(void)
{
    char *machine = lp_spawn_platform("--system=ocs --accelerators=64 --policy=demand "
                                      "--reconfiguration-time=1ms");
    g_autofree char *words = g_strconcat(
        "gpt3-1.3b --set=tp=4 --set=pp=4 --set=dp=4 --set=global-batch=64 ", machine, NULL);
    g_autoptr(json_t) job = lp_spawn_json("contention --format=json", words);
    g_autoptr(json_t) plain = lp_spawn_json("simulate --format=json", words);
    double time_s = lp_test_json_number(plain, "simulated.iteration_time_s");
    double circuits_s = lp_test_json_number(job, "tiers_s.circuit");
    lp_test_close("time", lp_test_json_number(job, "iteration_time_s"), time_s, EXACT);
    lp_test_true("waits", circuits_s > 0.0);
    lp_test_close("pair", pair_s(job, "all", "circuits"), circuits_s, 0.0);
    lp_test_close("class", lp_test_json_number(job, "classes_s.circuits"), circuits_s, 0.0);
    lp_test_close("all", lp_test_json_number(job, "total_s"),
                  lp_test_json_number(plain, "difference.contention_s"), 1e-9);
    check_sums("circuits", job);
    lp_temporary_remove(machine);
}

/* Rank 1 computes a tenth longer: rank 0 waits for it once, a mean of half of that for the two, and
 * the path to the end is all of rank 1's time. */
static void
test_straggler(void)
{
    g_autoptr(json_t) result = attribute(LEAVES,
                                         "<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>"
                                         "<straggler job='a' factor='1.1' ranks='1'/>",
                                         NULL);
    json_t *job = lp_scenario_member(result, "jobs", 0), *row;
    json_t *stragglers = json_object_get(job, "stragglers");
    double compute_s = 0.0, all_s = lp_test_json_number(job, "other_path_s");
    size_t i;
    json_array_foreach (json_object_get(job, "critical_path"), i, row) {
        const char *term = json_string_value(json_object_get(row, "term"));
        compute_s += strcmp(term, "compute") == 0 ? lp_test_json_number(row, "seconds") : 0.0;
        all_s += lp_test_json_number(row, "seconds");
    }
    lp_test_close("path", all_s, lp_test_json_number(job, "iteration_time_s"), EXACT);
    lp_test_true("one", json_array_size(stragglers) == 1);
    row = json_array_get(stragglers, 0);
    lp_test_close("rank", lp_test_json_number(row, "rank"), 1.0, 0.0);
    lp_test_text("collective", json_string_value(json_object_get(row, "collective")), "all-reduce");
    lp_test_close("wait", lp_test_json_number(row, "seconds"), compute_s / 1.1 * 0.1 / 2.0, EXACT);
    lp_test_close("all waits", lp_test_json_number(job, "waited_s"),
                  lp_test_json_number(row, "seconds"), EXACT);
}

static void
test_refused(void)
{
    lp_spawn_refused(NULL, "contention gpt3-125m", 2, "wanted 2");
    lp_spawn_refused(NULL, "contention --jobs=0 gpt3-125m dgx-a100-8", 2, "--jobs");
    lp_spawn_refused(NULL, "contention nothing dgx-a100-8", 1, "nothing");
    lp_spawn_refused(NULL, "contention gpt3-175b dgx-a100-8", 1, "accelerators");
}

int
main(void)
{
    static const LpTestCase cases[] = {{"two jobs on one link", test_two_jobs},
                                       {"incast on one port", test_incast},
                                       {"three contenders", test_three_contenders},
                                       {"as simulate has it", test_simulate},
                                       {"scenario", test_scenario},
                                       {"nothing", test_nothing},
                                       {"circuits", test_circuits},
                                       {"straggler", test_straggler},
                                       {"refused", test_refused},
                                       {NULL, NULL}};
    return lp_test_run("attribution", cases);
}
