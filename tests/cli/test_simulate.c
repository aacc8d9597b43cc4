/* SPDX-License-Identifier: Apache-2.0 */
/* The commands as scripts use them: keys, exit statuses, one line a fault, whole files or none. */
#include "tests/support/spawn.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <string.h>

#define SMALL                                                                                      \
    "--set=layers=8 --set=hidden=1024 --set=heads=16 --set=ffn=4096 --set=tp=2 --set=pp=2 "        \
    "--set=dp=2 --set=global-batch=8 --set=framework=none --set=library=single-ring"

/* Every key that scripts may rely on is there, in "simulate" and, with the same figures, in
 * "estimate". */
static void
test_keys(void)
{
    static const char *const paths[] = {"simulated.iteration_time_s",
                                        "simulated.mfu",
                                        "simulated.hfu",
                                        "simulated.tokens_per_s",
                                        "simulated.model_tflops_per_accelerator",
                                        "simulated.hardware_tflops_per_accelerator",
                                        "simulated.terms_s.compute",
                                        "simulated.terms_s.tp",
                                        "simulated.terms_s.pp",
                                        "simulated.terms_s.dp",
                                        "simulated.terms_s.ep",
                                        "simulated.terms_s.cp",
                                        "simulated.terms_s.bubble",
                                        "simulated.terms_s.optimizer",
                                        "simulated.terms_s.reconfiguration",
                                        "simulated.terms_s.host",
                                        "closed_form.iteration_time_s",
                                        "closed_form.mfu",
                                        "closed_form.hfu",
                                        "closed_form.tokens_per_s",
                                        "closed_form.model_tflops_per_accelerator",
                                        "closed_form.hardware_tflops_per_accelerator",
                                        "closed_form.terms_s.bubble",
                                        "difference.iteration_fraction",
                                        "difference.contention_s",
                                        "difference.overlap_s",
                                        "difference.algorithm_s",
                                        "difference.imbalance_s",
                                        "difference.unexplained_s",
                                        "traffic_bytes.tp",
                                        "traffic_bytes.pp",
                                        "traffic_bytes.dp",
                                        "traffic_bytes.ep",
                                        "traffic_bytes.cp",
                                        "memory.weights_bytes",
                                        "memory.gradients_bytes",
                                        "memory.optimizer_bytes",
                                        "memory.activations_bytes",
                                        "memory.buffers_bytes",
                                        "memory.step_bytes",
                                        "memory.cached_bytes",
                                        "memory.capacity_bytes",
                                        "cost.wall_s",
                                        "cost.peak_rss_bytes",
                                        "cost.activities",
                                        "plan.tp",
                                        "accelerators"};
    static const char *const others[] = {"workload", "platform", "plan", "engine", "warnings"};
    /* What was not measured has no key, rather than one that is always 0. */
    static const char *const absent[] = {"energy_j", "energy_j_by_technology", "circuits", "jobs",
                                         "network"};
    g_autoptr(json_t) result =
        lp_spawn_json("simulate gpt3-175b dgx-a100-8 --format=json --cost", SMALL);
    for (guint i = 0; i < G_N_ELEMENTS(paths); i++)
        (void)lp_test_json_number(result, paths[i]);
    for (guint i = 0; result != NULL && i < G_N_ELEMENTS(others); i++)
        lp_test_true(others[i], json_object_get(result, others[i]) != NULL);
    for (guint i = 0; i < G_N_ELEMENTS(absent); i++)
        lp_test_true(absent[i], json_object_get(result, absent[i]) == NULL);
    g_autoptr(json_t) estimate =
        lp_spawn_json("estimate gpt3-175b dgx-a100-8 --format=json", SMALL);
    g_autoptr(json_t) amped =
        lp_spawn_json("estimate gpt3-175b dgx-a100-8 --model=amped --format=json", SMALL);
    lp_test_close("estimate", lp_test_json_number(estimate, "closed_form.iteration_time_s"),
                  lp_test_json_number(result, "closed_form.iteration_time_s"), 0.0);
    lp_test_close("amped", lp_test_json_number(amped, "amped.iteration_time_s"),
                  lp_test_json_number(result, "amped.iteration_time_s"), 0.0);
}

/* The table shows what the JSON says. */
static void
test_text(void)
{
    g_autoptr(json_t) result = lp_spawn_json("simulate gpt3-175b dgx-a100-8 --format=json", SMALL);
    LpSpawned text = lp_spawn("simulate gpt3-175b dgx-a100-8", SMALL);
    static const char *const paths[] = {
        "simulated.iteration_time_s", "closed_form.iteration_time_s", "amped.iteration_time_s",
        "simulated.terms_s.compute",  "closed_form.terms_s.bubble",   "difference.imbalance_s"};
    for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
        char number[64];
        g_ascii_formatd(number, sizeof number, "%.6f", lp_test_json_number(result, paths[i]));
        lp_test_true(paths[i], text.output != NULL && strstr(text.output, number) != NULL);
    }
    lp_test_text("complaint", text.complaint, "");
    lp_spawned_clear(&text);
}

static void
test_faults(void)
{
    static const struct {
        const char *line;
        int status;
        const char *part;
    } rows[] = {
        {"simulate gpt3-175b", 2, "simulate: got 1 argument, wanted 2"},
        {"simulate gpt3-175b a b", 2, "got 3 arguments"},
        {"simulate gpt3-175b dgx-a100-8 --fidelity=fluid", 2, "--fidelity: "},
        {"simulate gpt3-175b dgx-a100-8 --collapse=maybe", 2, "--collapse: "},
        {"simulate gpt3-175b dgx-a100-8 --format=xml", 2, "--format: "},
        {"simulate gpt3-175b dgx-a100-8 --nonsense", 2, "nonsense"},
        {"simulate gpt3-175b dgx-a100-8 --set", 2, "--set"},
        {"simulate gpt3-175b dgx-a100-8 --set=tp", 2, "wanted NAME=VALUE"},
        {"simulat gpt3-175b dgx-a100-8", 2, "\"simulate\""},
        {"estimate gpt3-175b dgx-a100-8 --model=calculon", 2, "--model: "},
        {"compare gpt3-175b dgx-a100-8", 2, "compare: got 2 arguments, wanted at least 3"},
        {"bench ring-1024-flo", 2, "the nearest is ring-1024-flow"},
        {"simulate gpt3-175 dgx-a100-8", 1, "gpt3-175b"},
        {"simulate gpt3-175b dgx-a100-80", 1, "dgx-a100-8"},
        {"simulate missing.xml dgx-a100-8", 1, "missing.xml: "},
        {"simulate gpt3-175b missing.xml", 1, "missing.xml: "},
        {"simulate gpt3-175b dgx-a100-8", 1,
         "gpt3-175b.xml: got a plan of 1024 ranks (tp x cp x dp x pp), wanted at most the 8"},
        {"estimate gpt3-175b dgx-a100-8", 1, "wanted at most the 8 accelerators"},
        {"compare gpt3-175b dgx-a100-1024 dgx-a100-8 --set=global-batch=16", 1,
         "wanted at most the 8 accelerators of dgx-a100-8.xml"},
        {"compare gpt3-175b dgx-a100-1024 dgx-a100-8 --set=tpp=16", 1, "\"tp\""},
        {"simulate gpt3-175b dgx-a100-1024 --set=pp=97", 1, "pp: got 97"},
        {"simulate gpt3-175b dgx-a100-1024 --set=global-batch=64 --trace=/nowhere/t.json", 1,
         "/nowhere/t.json: "},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_spawn_refused(NULL, rows[i].line, rows[i].status, rows[i].part);
}

/* A full disk under standard output: one line, status 1. */
static void
test_full_output(void)
{
    static const char *const lines[] = {"simulate gpt3-175b dgx-a100-8 " SMALL,
                                        "estimate gpt3-175b dgx-a100-8 --format=json " SMALL,
                                        "platform list", "--version", "--help"};
    for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_autofree char *command =
            g_strdup_printf("%s %s 2>&1 >/dev/full", g_getenv("LIGHTPATH"), lines[i]);
        const char *arguments[] = {"/bin/sh", "-c", command, NULL};
        g_autofree char *complaint = NULL;
        int status = 0;
        lp_test_true(lines[i],
                     g_spawn_sync(NULL, (char **)(gpointer)arguments, NULL, G_SPAWN_DEFAULT, NULL,
                                  NULL, &complaint, NULL, &status, NULL));
        lp_test_true(lines[i], g_spawn_check_wait_status(status, NULL) == FALSE);
        lp_test_true(lines[i], g_str_has_prefix(complaint, "lightpath: ") &&
                                   strchr(complaint, '\n') == complaint + strlen(complaint) - 1);
    }
}

static void
test_compare(void)
{
    const char *line = "compare gpt3-175b dgx-a100-1024 optical-substrate-1024 "
                       "--set=global-batch=128";
    g_autoptr(json_t) result = lp_spawn_json(line, "--format=json");
    if (result == NULL)
        return;
    json_t *object = result;
    json_t *runs = json_object_get(object, "runs");
    json_t *speedup = json_object_get(object, "speedup");
    double first = lp_test_json_number(json_array_get(runs, 0), "simulated.iteration_time_s");
    double second = lp_test_json_number(json_array_get(runs, 1), "simulated.iteration_time_s");
    lp_test_close("speed-up", json_number_value(json_array_get(speedup, 1)), first / second, 1e-15);
    lp_test_true("optics are faster", second < first);
    /* The gradient reduction changes most: as many bytes at 300 GB/s in place of 25. */
    json_t *change = json_array_get(json_object_get(object, "largest_change"), 1);
    lp_test_text("term", json_string_value(json_object_get(change, "term")), "dp");
    lp_test_text("tier", json_string_value(json_object_get(change, "tier")), "port");
    lp_test_close("seconds", json_number_value(json_object_get(change, "seconds")),
                  lp_test_json_number(json_array_get(runs, 1), "simulated.terms_s.dp") -
                      lp_test_json_number(json_array_get(runs, 0), "simulated.terms_s.dp"),
                  1e-12);
    LpSpawned text = lp_spawn(line, NULL);
    lp_test_true("named", strstr(text.output, "dp changed most, -") != NULL &&
                              strstr(text.output, "(tier: port)") != NULL);
    lp_spawned_clear(&text);
}

/* The plan as text: what the file and the command line say, and with --verbose all of it. */
static void
test_verbose(void)
{
    static const struct {
        const char *label, *line;
        gboolean has_defaults;
    } rows[] = {
        {"simulate", "simulate gpt3-175b dgx-a100-8 --set=window=128", FALSE},
        {"simulate, whole", "simulate gpt3-175b dgx-a100-8 --set=window=128 --verbose", TRUE},
        {"estimate", "estimate gpt3-175b dgx-a100-8 --set=window=128", FALSE},
        {"estimate, whole", "estimate gpt3-175b dgx-a100-8 --set=window=128 --verbose", TRUE},
        {"compare", "compare gpt3-175b dgx-a100-8 dgx-a100-8 --set=window=128", FALSE},
        {"compare, whole", "compare gpt3-175b dgx-a100-8 dgx-a100-8 --set=window=128 --verbose",
         TRUE},
        {"scenario", "simulate slow-rank dgx-h100-64 --set=window=128", FALSE},
        {"scenario, whole", "simulate slow-rank dgx-h100-64 --set=window=128 --verbose", TRUE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        gboolean is_scenario = strstr(rows[i].line, "slow-rank") != NULL;
        LpSpawned run = lp_spawn(rows[i].line, is_scenario ? NULL : SMALL);
        lp_test_text(rows[i].label, run.complaint, "");
        lp_test_true(rows[i].label, run.status == 0 && strstr(run.output, " seq=") != NULL);
        lp_test_true(rows[i].label, strstr(run.output, " window=128") != NULL);
        lp_test_true(rows[i].label,
                     (strstr(run.output, " kv-heads=") != NULL) == rows[i].has_defaults);
        lp_spawned_clear(&run);
    }
    g_autoptr(json_t) json = lp_spawn_json("estimate gpt3-175b dgx-a100-8 --format=json", SMALL);
    lp_test_true("JSON is whole", lp_test_json_number(json, "plan.window") == 0.0);
}

/* Scenarios are no workloads. */
static void
test_compare_scenario(void)
{
    LpSpawned run = lp_spawn("compare two-jobs polaris-64 polaris-64", NULL);
    lp_test_true("status", run.status == 1);
    lp_test_text("nothing printed", run.output, "");
    lp_test_text(
        "one line", run.complaint,
        "lightpath: \"two-jobs\" is a scenario, wanted a workload (lightpath simulate runs "
        "scenarios)\n");
    lp_spawned_clear(&run);
}

/* What is taken in place of what is asked for is said. */
static void
test_warnings(void)
{
    g_autofree char *platform =
        lp_spawn_platform("--system=dgx-a100 --accelerators=8 --accelerator=v100-32");
    g_autofree char *line =
        g_strdup_printf("simulate gpt3-175b %s --format=json --set=precision=bf16", platform);
    g_autoptr(json_t) result = lp_spawn_json(line, SMALL);
    (void)g_unlink(platform);
    if (result == NULL)
        return;
    json_t *warnings = json_object_get(result, "warnings");
    lp_test_true("one", json_array_size(warnings) == 1);
    lp_test_true("precision", g_str_has_prefix(json_string_value(json_array_get(warnings, 0)),
                                               "precision: v100-32 has no bf16 unit"));
}

/* Products of 8 bits and fewer need units of their own. */
static void
test_narrow_refused(void)
{
    static const char *const precisions[] = {"fp8", "fp8-block", "mxfp8", "nvfp4", "int8"};
    for (guint i = 0; i < G_N_ELEMENTS(precisions); i++) {
        g_autofree char *line = g_strdup_printf(
            "simulate gpt3-175b dgx-a100-8 --set=precision=%s " SMALL, precisions[i]);
        g_autofree char *part = g_strdup_printf(
            "--set precision=%s: precision: got %s, wanted one that a100-80 has units for",
            precisions[i], precisions[i]);
        lp_spawn_refused(NULL, line, 1, part);
    }
}

/* Leaves with four times more bandwidth below than above: what grows is delayed there. */
static void
test_compare_narrow(void)
{
    g_autofree char *narrow =
        lp_spawn_platform("--system=dgx-a100 --accelerators=1024 --oversubscription=4");
    g_autofree char *line = g_strdup_printf(
        "compare gpt3-175b dgx-a100-1024 %s --set=global-batch=128 --format=json", narrow);
    g_autoptr(json_t) result = lp_spawn_json(line, NULL);
    (void)g_unlink(narrow);
    if (result == NULL)
        return;
    json_t *change = json_array_get(json_object_get(result, "largest_change"), 1);
    lp_test_text("tier", json_string_value(json_object_get(change, "tier")), "leaf");
    lp_test_true("slower", json_number_value(json_object_get(change, "seconds")) > 0.0);
}

/* A run alone gives what the same run gives in a comparison. */
static void
test_compare_is_simulate(void)
{
    g_autoptr(json_t) both =
        lp_spawn_json("compare gpt3-175b dgx-a100-8 generic-16 --format=json", SMALL);
    g_autoptr(json_t) alone = lp_spawn_json("simulate gpt3-175b generic-16 --format=json", SMALL);
    if (both == NULL || alone == NULL)
        return;
    json_t *second = json_array_get(json_object_get(both, "runs"), 1);
    g_autofree char *one = lp_json_print_line(second), *other = lp_json_print_line(alone);
    lp_test_text("run 2", one, other);
}

/* The end of the last slice on each track, to see that slices of a track do not overlap. */
static void
check_slice(json_t *slice, double *last_end, guint *n_slices)
{
    gint64 stage = json_integer_value(json_object_get(slice, "pid"));
    /* A stream has 16 threads, of which those after the first are for what overlaps. */
    gint64 stream = json_integer_value(json_object_get(slice, "tid")) / 16;
    double start = json_number_value(json_object_get(slice, "ts"));
    double end = start + json_number_value(json_object_get(slice, "dur"));
    lp_test_true("a stage and stream", stage >= 0 && stage < 2 && stream >= 0 && stream < 6);
    double *last = &last_end[stage * 6 + stream];
    /* Microseconds; rounding of the sum of start and duration. */
    lp_test_true("slices in order", start >= *last - 1e-6 * MAX(1.0, *last));
    *last = end;
    n_slices[stage * 6 + stream]++;
}

static void
test_trace(void)
{
    g_autofree char *folder = g_dir_make_tmp("lightpath-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "trace.json", NULL);
    g_autofree char *line = g_strdup_printf(
        "simulate gpt3-175b dgx-a100-8 --format=json --set=overlap-dp=yes --trace=%s", path);
    g_autoptr(json_t) result = lp_spawn_json(line, SMALL);
    g_autoptr(json_t) trace = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    lp_test_true("trace", trace != NULL);
    json_t *events = json_object_get(trace, "traceEvents");
    double last_end[12] = {0.0}, latest = 0.0;
    guint n_slices[12] = {0}, n_names = 0;
    for (guint i = 0; i < json_array_size(events); i++) {
        json_t *event = json_array_get(events, i);
        if (g_strcmp0(json_string_value(json_object_get(event, "name")), "process_name") == 0)
            n_names++;
        if (g_strcmp0(json_string_value(json_object_get(event, "ph")), "X") == 0)
            check_slice(event, last_end, n_slices);
    }
    /* Two stages, and the links. */
    lp_test_true("names", n_names == 2 + 1);
    for (guint stage = 0; stage < 2; stage++) {
        lp_test_true("compute", n_slices[stage * 6] > 0);
        lp_test_true("pp", n_slices[stage * 6 + 2] > 0);
        lp_test_true("dp", n_slices[stage * 6 + 3] > 0);
    }
    for (guint i = 0; i < 12; i++)
        latest = MAX(latest, last_end[i]);
    lp_test_close("end", latest * 1e-6, lp_test_json_number(result, "simulated.iteration_time_s"),
                  1e-9);
    (void)g_unlink(path);
    lp_test_true("nothing else is left", g_rmdir(folder) == 0);
}

static void
test_bench(void)
{
    g_autoptr(json_t) result = lp_spawn_json("bench gpt3-175b ring-1024-flow --format=json", NULL);
    if (result == NULL)
        return;
    json_t *runs = json_object_get(result, "runs");
    static const char *const keys[] = {"wall_s", "peak_rss_bytes", "activities", "us_per_activity"};
    lp_test_true("two", json_array_size(runs) == 2);
    for (guint i = 0; i < json_array_size(runs); i++)
        for (guint k = 0; k < G_N_ELEMENTS(keys); k++)
            lp_test_true(keys[k], lp_test_json_number(json_array_get(runs, i), keys[k]) > 0.0);
    /* 2 x 1023/1024 of 1 GB at 25 GB/s and 2 x 1023 latencies; each rank's latencies and flow. */
    json_t *ring = json_array_get(runs, 1);
    lp_test_close("activities", lp_test_json_number(ring, "activities"), 2 * 1024, 1e-15);
    lp_test_true("ring",
                 lp_test_json_number(ring, "simulated_s") > 2 * 1023.0 / 1024.0 * 1e9 / 25e9);
}

/* Each further micro-batch costs the same activities. */
static void
test_bench_growth(void)
{
    g_autoptr(json_t) result = lp_spawn_json(
        "bench micro-batches-8 micro-batches-16 micro-batches-32 --format=json", NULL);
    if (result == NULL)
        return;
    json_t *runs = json_object_get(result, "runs");
    double n[3] = {0.0};
    for (guint i = 0; i < 3; i++)
        n[i] = lp_test_json_number(json_array_get(runs, i), "activities");
    lp_test_true("more", n[1] > n[0]);
    lp_test_close("twice as many more", n[2] - n[1], 2 * (n[1] - n[0]), 1e-15);
}

static void
test_help(void)
{
    static const char *const lines[] = {"--help",
                                        "--version",
                                        "help",
                                        "help simulate",
                                        "simulate --help",
                                        "estimate --help",
                                        "compare --help",
                                        "platform --help",
                                        "bench --help",
                                        "platform generate --help",
                                        "platform describe --help"};
    for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
        LpSpawned run = lp_spawn(lines[i], NULL);
        lp_test_true(lines[i], run.status == 0 && *run.output != '\0');
        lp_test_text(lines[i], run.complaint, "");
        lp_spawned_clear(&run);
    }
    LpSpawned bare = lp_spawn(NULL, NULL);
    lp_test_true("no command", bare.status == 2 && *bare.output == '\0');
    lp_spawned_clear(&bare);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"keys", test_keys},
                                       {"text", test_text},
                                       {"verbose", test_verbose},
                                       {"compare a scenario", test_compare_scenario},
                                       {"warnings", test_warnings},
                                       {"narrow precisions refused", test_narrow_refused},
                                       {"faults", test_faults},
                                       {"full output", test_full_output},
                                       {"compare", test_compare},
                                       {"compare with narrow leaves", test_compare_narrow},
                                       {"compare is simulate", test_compare_is_simulate},
                                       {"trace", test_trace},
                                       {"bench", test_bench},
                                       {"bench growth", test_bench_growth},
                                       {"help", test_help},
                                       {NULL, NULL}};
    return lp_test_run("commands", cases);
}
