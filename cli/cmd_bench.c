/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath bench: what the simulator costs, each benchmark in a process of its own. */
#include "cli/bench_accuracy.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "cli/progress.h"
#include "cli/commands.h"

#include "base/json.h"
#include "base/text_table.h"

#include "base/child_process.h"
#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "sim/run/attribution.h"
#include "sim/run/bench.h"

#include <stdio.h>
#include <string.h>

/* The ring of issue and literature: 1 GB over 1,024 ranks, 2 x 1,023 steps. */
#define RING_BYTES 1000000000u
#define RING_RANKS "1024"

/** What is run: a job, or what its contention is attributed by, or the ring, through the simulator
 * or without it. */
typedef enum {
    KIND_JOB,
    KIND_CONTENTION,
    KIND_RING,
    KIND_BARE
} Kind;

typedef struct {
    const char *name;
    const char *summary; /* NULL: one of a series, shown by --growth */
    Kind kind;
    LpFidelity fidelity;
    const char *workload; /* job: */
    const char *settings;
    const char *platform; /* a shipped file, or else: */
    /* Of a dgx-h100, or else of the system; of a ring's machine if not RING_RANKS. */
    const char *accelerators;
    const char *system;
    const char *narrow; /* job: oversubscription of its system's spine; NULL: none */
    gboolean whole;     /* job: without collapse */
    gboolean collapse;  /* ring: with it */
} Benchmark;

#define GPT3(batch)                                                                                \
    .workload = "gpt3-175b", .platform = "dgx-a100-1024", .settings = "global-batch=" batch
/* 16 micro-batches for each of the replicas of 128 ranks, as the paper has them. */
#define LLAMA(ranks, replicas, batch)                                                              \
    .workload = "llama-3-405b", .accelerators = ranks,                                             \
    .settings = "dp=" replicas " global-batch=" batch
#define RANKS(ranks, replicas, batch)                                                              \
    {                                                                                              \
        .name = "ranks-" ranks, LLAMA(ranks, replicas, batch)                                      \
    }
#define MICRO_BATCHES(n, batch)                                                                    \
    {                                                                                              \
        .name = "micro-batches-" n, GPT3(batch)                                                    \
    }

static const Benchmark benchmarks[] = {
    {.name = "gpt3-175b",
     .summary = "one iteration on 1,024 A100, flow, everything included",
     .workload = "gpt3-175b",
     .platform = "dgx-a100-1024",
     .settings = ""},
    {.name = "gpt3-175b-16", .summary = "the same with 16 micro-batches", GPT3("256")},
    {.name = "gpt3-175b-96", .summary = "the same with 96, as shipped", GPT3("1536")},
    {.name = "llama-3-405b-16384",
     .summary = "one iteration on 16,384 H100, as shipped",
     LLAMA("16384", "128", "2048")},
    {.name = "llama-3-405b-131072",
     .summary = "eight times the replicas, on 131,072 H100",
     LLAMA("131072", "1024", "16384")},
    {.name = "llama-3-8b-64",
     .summary = "Llama 3 8B on 64 H100, FSDP and TP 2, which meet on every port",
     .workload = "llama-3-8b",
     .accelerators = "64",
     .settings = "tp=2 dp=32"},
    {.name = "llama-3-8b-64-message",
     .summary = "the same with every message of every collective",
     .fidelity = LP_FIDELITY_MESSAGE,
     .workload = "llama-3-8b",
     .accelerators = "64",
     .settings = "tp=2 dp=32"},
    {.name = "mixtral-8x7b-256",
     .summary = "experts whose groups meet pipelines and gradients, on 256 H100",
     .workload = "mixtral-8x7b",
     .accelerators = "256",
     .settings = "dp=64 global-batch=1024"},
    {.name = "kimi-k2-2048",
     .summary = "Kimi K2 on 2,048 H800, as shipped",
     .workload = "kimi-k2",
     .accelerators = "2048",
     .system = "hgx-h800",
     .settings = ""},
    {.name = "kimi-k2-2048-message",
     .summary = "the same with every message of every collective",
     .fidelity = LP_FIDELITY_MESSAGE,
     .workload = "kimi-k2",
     .accelerators = "2048",
     .system = "hgx-h800",
     .settings = ""},
    {.name = "qwen3-235b-256",
     .summary = "Qwen3 235B on 256 H100, as shipped",
     .workload = "qwen3-235b-a22b",
     .accelerators = "256",
     .settings = ""},
    {.name = "deepseek-v3-2048",
     .summary = "DeepSeek-V3 with DualPipe on 2,048 H800, as shipped",
     .workload = "deepseek-v3",
     .accelerators = "2048",
     .system = "hgx-h800",
     .settings = ""},
    {.name = "contention-gpt3-1024",
     .summary = "contention of GPT-3 175B on 1,024 A100 attributed, spine cut 4:1",
     .kind = KIND_CONTENTION,
     .workload = "gpt3-175b",
     .accelerators = "1024",
     .system = "dgx-a100",
     .narrow = "4",
     .settings = ""},
    {.name = "contention-mixtral-256",
     .summary = "the same of Mixtral 8x7B on 256 H100",
     .kind = KIND_CONTENTION,
     .workload = "mixtral-8x7b",
     .accelerators = "256",
     .narrow = "4",
     .settings = "dp=64 global-batch=1024"},
    {.name = "contention-deepseek-2048",
     .summary = "the same of DeepSeek-V3 on 2,048 H800",
     .kind = KIND_CONTENTION,
     .workload = "deepseek-v3",
     .accelerators = "2048",
     .system = "hgx-h800",
     .narrow = "4",
     .settings = ""},
    {.name = "ring-1024-flow",
     .summary = "ring all-reduce of 1 GB over 1,024 ranks as flows",
     .kind = KIND_RING,
     .fidelity = LP_FIDELITY_FLOW},
    {.name = "ring-1024-message",
     .summary = "the same, each of 2.1 million messages",
     .kind = KIND_RING,
     .fidelity = LP_FIDELITY_MESSAGE},
    {.name = "ring-1024-collapse",
     .summary = "ring-1024-message, worked out from its steps",
     .kind = KIND_RING,
     .fidelity = LP_FIDELITY_MESSAGE,
     .collapse = TRUE},
    {.name = "ring-65536-collapse",
     .summary = "the same over 65,536 ranks, 8.6 billion messages",
     .kind = KIND_RING,
     .fidelity = LP_FIDELITY_MESSAGE,
     .collapse = TRUE,
     .accelerators = "65536"},
    {.name = "ring-1024-bare",
     .summary = "those messages in a bare SimGrid loop",
     .kind = KIND_BARE},
    {.name = "gpt3-175b-collapse-off",
     .summary = "gpt3-175b with every compute and every flow",
     .workload = "gpt3-175b",
     .platform = "dgx-a100-1024",
     .settings = "",
     .whole = TRUE},
    RANKS("1024", "8", "128"),
    RANKS("2048", "16", "256"),
    RANKS("4096", "32", "512"),
    RANKS("8192", "64", "1024"),
    RANKS("16384", "128", "2048"),
    RANKS("32768", "256", "4096"),
    RANKS("65536", "512", "8192"),
    RANKS("131072", "1024", "16384"),
    MICRO_BATCHES("8", "128"),
    MICRO_BATCHES("16", "256"),
    MICRO_BATCHES("32", "512"),
    MICRO_BATCHES("64", "1024"),
    MICRO_BATCHES("128", "2048"),
    MICRO_BATCHES("256", "4096"),
    MICRO_BATCHES("512", "8192"),
};

/* Not among those that run when none is named: each takes most of a minute. */
static gboolean
is_long(const Benchmark *benchmark)
{
    return benchmark->whole || strcmp(benchmark->name, "deepseek-v3-2048") == 0 ||
           strcmp(benchmark->name, "contention-deepseek-2048") == 0 ||
           strcmp(benchmark->name, "qwen3-235b-256") == 0;
}

/* A flat machine of one-accelerator domains: every message crosses two private links. */
static LpMachine *
load_ring_machine(const Benchmark *self, GError **error)
{
    const char *n = self->accelerators != NULL ? self->accelerators : RING_RANKS;
    g_autofree char *options =
        g_strdup_printf("--system=generic --accelerators=%s --domain-size=1 --leaf-ports=%s", n, n);
    return lp_bench_machine(options, error);
}

static gboolean
bench_ring(const Benchmark *self, LpRunResult *out_result, GError **error)
{
    g_autoptr(LpMachine) machine = load_ring_machine(self, error);
    if (machine == NULL)
        return FALSE;
    return self->kind == KIND_BARE ? lp_bench_bare_ring(machine, RING_BYTES, out_result, error)
                                   : lp_bench_ring(machine, RING_BYTES, self->fidelity,
                                                   self->collapse, out_result, error);
}

static gboolean
load_job(const Benchmark *self, LpWorkload **out_workload, LpMachine **out_machine, GError **error)
{
    g_auto(GStrv) settings = g_strsplit(self->settings, " ", -1);
    if (self->platform != NULL)
        return lp_load_inputs(self->workload, self->platform, (const char *const *)settings,
                              LP_PLAN_FILE, out_workload, out_machine, error);
    g_autofree char *path = lp_input_find(self->workload, LP_INPUT_WORKLOAD, error);
    if (path == NULL)
        return FALSE;
    *out_workload = lp_workload_load(path, (const char *const *)settings, error);
    g_autofree char *options = g_strdup_printf(
        "--system=%s --accelerators=%s%s%s", self->system == NULL ? "dgx-h100" : self->system,
        self->accelerators, self->narrow == NULL ? "" : " --oversubscription=",
        self->narrow == NULL ? "" : self->narrow);
    *out_machine = *out_workload != NULL ? lp_bench_machine(options, error) : NULL;
    if (*out_machine == NULL)
        return FALSE;
    lp_workload_suit(*out_workload, (*out_machine)->domain_size);
    return TRUE;
}

static gboolean
bench_job(const Benchmark *self, LpRunResult *out_result, guint64 *out_children_rss_bytes,
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
bench_contention(const Benchmark *self, LpRunResult *out_result, guint64 *out_children_rss_bytes,
                 GError **error)
{
    LpWorkload *workload = NULL;
    g_autoptr(LpMachine) machine = NULL;
    gboolean good = load_job(self, &workload, &machine, error);
    g_autoptr(LpScenario) scenario =
        workload == NULL ? NULL : lp_scenario_new_single(workload, self->workload);
    g_autoptr(LpScene) scene =
        good ? lp_scene_new_unloaded(scenario, machine, LP_FIDELITY_FLOW, TRUE, error) : NULL;
    g_autoptr(LpAttributions) found =
        scene == NULL ? NULL
                      : lp_attributions_new(scene, g_get_num_processors(), NULL, NULL, error);
    if (found == NULL)
        return FALSE;
    out_result->iteration_time_s = found->jobs[0].iteration_time_s;
    out_result->n_activities = found->n_activities;
    *out_children_rss_bytes = found->peak_rss_bytes;
    return TRUE;
}

typedef struct {
    const Benchmark *benchmark; /* static */
    double wall_s;
    guint64 peak_rss_bytes;
    LpRunResult result;
} Measurement;

/* What a child process reports: a result, or why there is none. */
typedef struct {
    gboolean good;
    LpRunResult result;
    guint64 children_peak_rss_bytes;
    char message[256];
} Outcome;

static void
run_in_child(const void *data, GByteArray *result)
{
    const Benchmark *benchmark = data;
    Outcome *outcome = (gpointer)result->data;
    g_autoptr(GError) error = NULL;
    if (benchmark->kind == KIND_JOB)
        outcome->good =
            bench_job(benchmark, &outcome->result, &outcome->children_peak_rss_bytes, &error);
    else if (benchmark->kind == KIND_CONTENTION)
        outcome->good = bench_contention(benchmark, &outcome->result,
                                         &outcome->children_peak_rss_bytes, &error);
    else
        outcome->good = bench_ring(benchmark, &outcome->result, &error);
    if (error != NULL)
        g_strlcpy(outcome->message, error->message, sizeof outcome->message);
}

static gboolean
measure(const Benchmark *benchmark, Measurement *out_measurement, GError **error)
{
    Outcome outcome;
    guint64 peak_rss_bytes = 0;
    double started_s = lp_wall_clock_s();
    LpChildProcess *child =
        lp_child_process_start(benchmark->name, run_in_child, benchmark, sizeof outcome, error);
    if (child == NULL ||
        !lp_child_process_finish(child, &outcome, sizeof outcome, &peak_rss_bytes, error))
        return FALSE;
    if (!outcome.good) {
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN, "%s: %s", benchmark->name,
                    outcome.message);
        return FALSE;
    }
    *out_measurement =
        (Measurement){.benchmark = benchmark,
                      .wall_s = lp_wall_clock_s() - started_s,
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
        lp_json_set_count(element, "peak_rss_bytes", run->peak_rss_bytes);
        lp_json_set_count(element, "activities", run->result.n_activities);
        lp_json_set_number(element, "us_per_activity", us_per_activity(run));
        lp_json_set_number(element, "simulated_s", run->result.iteration_time_s);
    }
    return root;
}

static char *
to_text(const GArray *measurements)
{
    static const char *const columns[] = {"benchmark",    "#wall s",      "#peak MB", "#activities",
                                          "#us/activity", "#simulated s", NULL};
    GString *out = g_string_new(NULL);
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    for (guint i = 0; i < measurements->len; i++) {
        const Measurement *run = &g_array_index(measurements, Measurement, i);
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", run->benchmark->name);
        lp_text_table_add_cell(table, "%.2f", run->wall_s);
        lp_text_table_add_cell(table, "%.1f", (double)run->peak_rss_bytes * 1e-6);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, run->result.n_activities);
        lp_text_table_add_cell(table, "%.2f", us_per_activity(run));
        lp_text_table_add_cell(table, "%.6f", run->result.iteration_time_s);
    }
    lp_text_table_append(out, table, 0);
    return g_string_free(out, FALSE);
}

static const Benchmark *
find(const char *name, GError **error)
{
    const char *names[G_N_ELEMENTS(benchmarks) + 1] = {NULL};
    for (guint i = 0; i < G_N_ELEMENTS(benchmarks); i++)
        names[i] = benchmarks[i].name;
    g_autoptr(GError) fault = NULL;
    int index = lp_choice_parse(name, names, &fault);
    if (index >= 0)
        return &benchmarks[index];
    lp_usage_error(error, "bench: %s", fault->message);
    return NULL;
}

/* Those named; or with --growth the series; or those that take a few seconds at most. */
static GArray *
select_benchmarks(int argc, char **argv, gboolean growth, GError **error)
{
    g_autoptr(GArray) selected = g_array_new(FALSE, FALSE, sizeof(const Benchmark *));
    for (guint i = 0; i < G_N_ELEMENTS(benchmarks); i++) {
        const Benchmark *benchmark = &benchmarks[i];
        gboolean is_series = benchmark->summary == NULL;
        if (growth ? is_series : argc == 1 && !is_series && !is_long(benchmark))
            g_array_append_val(selected, benchmark);
    }
    for (int i = 1; i < argc; i++) {
        const Benchmark *benchmark = find(argv[i], error);
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

/* What "--help" says. Returns: (transfer full). */
static char *
list_benchmarks(void)
{
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"", "", NULL});
    GString *text = g_string_new("Measures the simulator: wall time, memory, engine activities.\n\n"
                                 "Benchmarks (if none is named, those without *):\n");
    for (guint i = 0; i < G_N_ELEMENTS(benchmarks); i++)
        if (benchmarks[i].summary != NULL)
            add_name(table, benchmarks[i].name, benchmarks[i].summary,
                     is_long(&benchmarks[i]) ? " *" : "");
    add_name(table, "ranks-N", "llama-3-405b on N H100, 1024 to 131072 by twos", "");
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
    LpProgress progress = lp_progress_start("benchmarks");
    for (guint i = 0; i < selected->len; i++) {
        Measurement measurement;
        lp_progress_show(&progress, i, selected->len);
        if (!measure(g_array_index(selected, const Benchmark *, i), &measurement, error))
            return FALSE;
        g_array_append_val(measurements, measurement);
    }
    lp_progress_show(&progress, selected->len, selected->len);
    if (format == LP_FORMAT_JSON)
        return lp_print_json(to_json(measurements), error);
    g_autofree char *text = to_text(measurements);
    return lp_print_result(text, error);
}
