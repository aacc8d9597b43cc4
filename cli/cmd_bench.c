/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath bench: what the simulator costs, each benchmark in a process of its own. */
#include "cli/bench_accuracy.h"
#include "cli/bench_validate.h"
#include "cli/benchmark.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "cli/progress.h"
#include "cli/commands.h"

#include "base/json.h"
#include "report/result_field.h"

#include "base/child_process.h"
#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "sim/run/attribution.h"
#include "sim/run/bench.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* The ring of issue and literature: 1 GB over 1,024 ranks, 2 x 1,023 steps. */
#define RING_BYTES 1000000000u
#define RING_RANKS "1024"

/* A flat machine of one-accelerator domains: every message crosses two private links. */
static LpMachine *
load_ring_machine(const LpBenchmark *self, GError **error)
{
    const char *n = self->accelerators != NULL ? self->accelerators : RING_RANKS;
    g_autofree char *options =
        g_strdup_printf("--system=generic --accelerators=%s --domain-size=1 --leaf-ports=%s", n, n);
    return lp_bench_machine(options, error);
}

static gboolean
bench_ring(const LpBenchmark *self, LpRunResult *out_result, GError **error)
{
    g_autoptr(LpMachine) machine = load_ring_machine(self, error);
    if (machine == NULL)
        return FALSE;
    return self->kind == LP_BENCHMARK_ENGINE_RING
               ? lp_bench_engine_ring(machine, RING_BYTES, out_result, error)
               : lp_bench_ring(machine, RING_BYTES, self->fidelity, self->collapse, out_result,
                               error);
}

static gboolean
load_job(const LpBenchmark *self, LpWorkload **out_workload, LpMachine **out_machine,
         GError **error)
{
    g_auto(GStrv) settings = g_strsplit(self->settings, " ", -1);
    if (self->platform != NULL)
        return lp_load_inputs(self->workload, self->platform, (const char *const *)settings,
                              LP_PLAN_FILE, out_workload, out_machine, error);
    g_autofree char *path = lp_input_find(self->workload, LP_INPUT_WORKLOAD, error);
    if (path == NULL)
        return FALSE;
    *out_workload = lp_workload_load(path, (const char *const *)settings, error);
    g_autofree char *options =
        g_strdup_printf("--system=%s --accelerators=%s",
                        self->system == NULL ? "dgx-h100" : self->system, self->accelerators);
    *out_machine = *out_workload != NULL ? lp_bench_machine(options, error) : NULL;
    if (*out_machine == NULL)
        return FALSE;
    return lp_workload_apply_machine(*out_workload, (*out_machine)->domain_size,
                                     &(*out_machine)->accelerator, error);
}

static gboolean
bench_job(const LpBenchmark *self, LpRunResult *out_result, guint64 *out_children_rss_bytes,
          GError **error)
{
    g_autoptr(LpWorkload) workload = NULL;
    g_autoptr(LpMachine) machine = NULL;
    if (!load_job(self, &workload, &machine, error))
        return FALSE;
    LpSimulationOptions options = {.fidelity = self->fidelity, .collapse = !self->whole};
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, error);
    g_autoptr(LpSimulation) simulation =
        setup == NULL ? NULL : lp_simulation_run(setup, options, error);
    if (simulation == NULL)
        return FALSE;
    *out_result = simulation->run;
    *out_children_rss_bytes = simulation->children_peak_rss_bytes;
    return TRUE;
}

static gboolean
bench_contention(const LpBenchmark *self, LpRunResult *out_result, guint64 *out_children_rss_bytes,
                 GError **error)
{
    LpWorkload *workload = NULL;
    g_autoptr(LpMachine) machine = NULL;
    gboolean good = load_job(self, &workload, &machine, error);
    g_autoptr(LpScenario) scenario =
        workload == NULL ? NULL : lp_scenario_new_single(workload, self->workload);
    g_autoptr(LpScenarioSetup) scenario_setup =
        good ? lp_scenario_setup_new_unloaded(scenario, machine, LP_FIDELITY_FLOW, TRUE, error)
             : NULL;
    g_autoptr(LpAttributions) found =
        scenario_setup == NULL
            ? NULL
            : lp_attributions_new(scenario_setup, g_get_num_processors(), NULL, NULL, error);
    if (found == NULL)
        return FALSE;
    out_result->iteration_time_s = found->jobs[0].iteration_time_s;
    out_result->n_activities = found->n_activities;
    *out_children_rss_bytes = found->peak_rss_bytes;
    return TRUE;
}

typedef struct {
    const LpBenchmark *benchmark; /* static */
    double wall_s, processor_s;
    guint64 peak_rss_bytes;
    LpRunResult result;
} Measurement;

/* The report of a child process. */
typedef struct {
    LpRunResult result;
    guint64 children_peak_rss_bytes;
} Outcome;

static gboolean
run_in_child(const void *data, GByteArray *result, GError **error)
{
    const LpBenchmark *benchmark = data;
    Outcome *outcome = (gpointer)result->data;
    guint64 *rss_bytes = &outcome->children_peak_rss_bytes;
    gboolean good;
    if (benchmark->kind == LP_BENCHMARK_JOB)
        good = bench_job(benchmark, &outcome->result, rss_bytes, error);
    else if (benchmark->kind == LP_BENCHMARK_CONTENTION)
        good = bench_contention(benchmark, &outcome->result, rss_bytes, error);
    else if (benchmark->kind == LP_BENCHMARK_VALIDATE)
        good = lp_bench_validate(rss_bytes, error);
    else
        good = bench_ring(benchmark, &outcome->result, error);
    if (!good)
        g_prefix_error(error, "%s: ", benchmark->name);
    return good;
}

/* The processor time of all child processes that have ended. */
static double
processor_s(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
        return 0.0;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static gboolean
measure(const LpBenchmark *benchmark, Measurement *out_measurement, GError **error)
{
    Outcome outcome;
    guint64 peak_rss_bytes = 0;
    double started_s = lp_wall_clock_s(), before_s = processor_s();
    LpChildProcess *child =
        lp_child_process_start(benchmark->name, run_in_child, benchmark, sizeof outcome, error);
    if (child == NULL ||
        !lp_child_process_finish(child, &outcome, sizeof outcome, &peak_rss_bytes, error))
        return FALSE;
    *out_measurement =
        (Measurement){.benchmark = benchmark,
                      .wall_s = lp_wall_clock_s() - started_s,
                      .processor_s = processor_s() - before_s,
                      .peak_rss_bytes = peak_rss_bytes + outcome.children_peak_rss_bytes,
                      .result = outcome.result};
    return TRUE;
}

static double
us_per_activity(const Measurement *self)
{
    return self->wall_s * 1e6 / (double)MAX(self->result.n_activities, 1);
}

static json_t *
to_json(const GArray *measurements)
{
    json_t *root = lp_json_document();
    json_t *runs = lp_json_set_array(root, "runs");
    for (guint i = 0; i < measurements->len; i++) {
        const Measurement *run = &g_array_index(measurements, Measurement, i);
        json_t *element = lp_json_append_object(runs);
        lp_json_set_text(element, "name", run->benchmark->name);
        lp_json_set_number(element, "wall_s", run->wall_s);
        lp_json_set_number(element, "processor_s", run->processor_s);
        lp_json_set_count(element, "peak_rss_bytes", run->peak_rss_bytes);
        lp_json_set_count(element, "activities", run->result.n_activities);
        lp_json_set_number(element, "us_per_activity", us_per_activity(run));
        lp_json_set_number(element, "simulated_s", run->result.iteration_time_s);
    }
    return root;
}

/* @report: what to_json() made. */
static char *
to_text(const json_t *report)
{
    static const char *const keys[] = {"/name",           "/wall_s",     "/processor_s",
                                       "/peak_rss_bytes", "/activities", "/us_per_activity",
                                       "/simulated_s",    NULL};
    GString *out = g_string_new(NULL);
    g_autoptr(LpTextTable) table = lp_result_field_table("bench", "/runs", keys, report);
    lp_text_table_append(out, table, 0);
    return g_string_free(out, FALSE);
}

static const LpBenchmark *
find(const char *name, GError **error)
{
    g_autoptr(GArray) list = g_array_new(TRUE, FALSE, sizeof(const char *));
    for (const LpBenchmark *one = lp_benchmarks; one->name != NULL; one++)
        g_array_append_val(list, one->name);
    const char *const *names = (const char *const *)(gpointer)list->data;
    g_autoptr(GError) fault = NULL;
    int index = lp_choice_parse(name, names, &fault);
    if (index >= 0)
        return &lp_benchmarks[index];
    lp_usage_error(error, "bench: %s", fault->message);
    return NULL;
}

/* Selects the benchmarks that are named; with --growth the series; else those that take a few
 * seconds at most. */
static GArray *
select_benchmarks(int argc, char **argv, gboolean growth, GError **error)
{
    g_autoptr(GArray) selected = g_array_new(FALSE, FALSE, sizeof(const LpBenchmark *));
    for (const LpBenchmark *benchmark = lp_benchmarks; benchmark->name != NULL; benchmark++) {
        gboolean is_series = benchmark->summary == NULL;
        if (growth ? is_series : argc == 1 && !is_series && !benchmark->is_long)
            g_array_append_val(selected, benchmark);
    }
    for (int i = 1; i < argc; i++) {
        const LpBenchmark *benchmark = find(argv[i], error);
        if (benchmark == NULL)
            return NULL;
        g_array_append_val(selected, benchmark);
    }
    return g_steal_pointer(&selected);
}

static void
add_name(LpTextTable *table, const char *name, const char *summary, const char *mark)
{
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", name);
    lp_text_table_add_cell(table, "%s%s", summary, mark);
}

/* The summary for "--help". Returns: (transfer full). */
static char *
list_benchmarks(void)
{
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"", "", NULL});
    GString *text =
        g_string_new("Measures the simulator: wall and processor time, memory, activities.\n\n"
                     "Benchmarks (if none is named, those without *):\n");
    for (const LpBenchmark *one = lp_benchmarks; one->name != NULL; one++)
        if (one->summary != NULL)
            add_name(table, one->name, one->summary, one->is_long ? " *" : "");
    add_name(table, "ranks-N", "llama-3-405b on N H100, 1024 to 1048576 by twos", "");
    add_name(table, "micro-batches-N", "gpt3-175b with N micro-batches, 8 to 512 by twos", "");
    add_name(table, "accuracy", "collectives as flows against each step as a message, by itself",
             " *");
    lp_text_table_append(text, table, 2);
    return g_string_free(text, FALSE);
}

gboolean
lp_cmd_bench(int argc, char **argv, GError **error)
{
    g_autofree char *format_text = NULL;
    gboolean growth = FALSE;
    const GOptionEntry entries[] = {
        LP_ROW_FORMAT(&format_text),
        {"growth", 0, 0, G_OPTION_ARG_NONE, &growth,
         "How cost grows with ranks and with micro-batches: runs the series", NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    g_autofree char *summary = list_benchmarks();
    LpFormat format;
    gboolean good = lp_options_parse("bench", "[NAME...]", summary, entries, &argc, &argv, 0,
                                     G_MAXINT, error) &&
                    lp_format_parse(format_text, &format, error);
    if (!good)
        return FALSE;
    if (argc == 2 && strcmp(argv[1], "accuracy") == 0 && !growth)
        return lp_bench_accuracy(format, error);
    g_autoptr(GArray) selected = select_benchmarks(argc, argv, growth, error);
    if (selected == NULL)
        return FALSE;
    g_autoptr(GArray) measurements = g_array_new(FALSE, TRUE, sizeof(Measurement));
    g_auto(LpProgress) progress = lp_progress_start("benchmarks");
    for (guint i = 0; i < selected->len; i++) {
        Measurement measurement;
        lp_progress_show(&progress, i, selected->len);
        if (!measure(g_array_index(selected, const LpBenchmark *, i), &measurement, error))
            return FALSE;
        g_array_append_val(measurements, measurement);
    }
    lp_progress_show(&progress, selected->len, selected->len);
    if (format == LP_FORMAT_JSON)
        return lp_print_json(to_json(measurements), error);
    g_autoptr(json_t) report = to_json(measurements);
    g_autofree char *text = to_text(report);
    return lp_print_result(text, error);
}
