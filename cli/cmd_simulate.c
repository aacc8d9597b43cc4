/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath simulate: one iteration of a workload on a machine, beside the closed form. */
#include "cli/commands.h"
#include "cli/options.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const switch_names[] = {"off", "on", NULL};

typedef struct {
    char *fidelity, *collapse, *format, *trace; /* owned */
    char **settings;                            /* owned */
    gboolean ignore_memory, cost;
} Options;

static void
options_clear(Options *self)
{
    g_free(self->fidelity);
    g_free(self->collapse);
    g_free(self->format);
    g_free(self->trace);
    g_strfreev(self->settings);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* Shown on a terminal only, at most once a per cent. */
static void
show_progress(guint64 n_done, guint64 n_all, void *data)
{
    guint *shown = data;
    guint percent = (guint)(100 * n_done / n_all);
    if (percent == *shown)
        return;
    *shown = percent;
    fprintf(stderr, percent < 100 ? "\rsimulating %u %%" : "\r               \r", percent);
}

static gboolean
write_trace(const Options *options, const LpTimeline *timeline, const LpWorkload *workload,
            GError **error)
{
    if (options->trace == NULL)
        return TRUE;
    g_autofree char *text = lp_report_trace(timeline, workload->name);
    return lp_file_write(options->trace, text, strlen(text), error);
}

static gboolean
print_report(LpReport *report, LpFormat format, GError **error)
{
    if (format == LP_FORMAT_JSON)
        return lp_print_json(lp_report_to_json(report), error);
    g_autofree char *text = lp_report_to_text(report);
    return lp_print_result(text, error);
}

static gboolean
simulate(const Options *options, char **arguments, double started_s, GError **error)
{
    LpFormat format;
    guint fidelity, collapse, shown = G_MAXUINT;
    if (!lp_format_parse(options->format, &format, error) ||
        !lp_option_choice("fidelity", options->fidelity, lp_fidelity_names, LP_FIDELITY_FLOW,
                          &fidelity, error) ||
        !lp_option_choice("collapse", options->collapse, switch_names, TRUE, &collapse, error))
        return FALSE;
    g_autoptr(LpWorkload) workload = NULL;
    g_autoptr(LpMachine) machine = NULL;
    if (!lp_load_inputs(arguments[1], arguments[2], (const char *const *)options->settings,
                        &workload, &machine, error))
        return FALSE;

    if (!lp_simulation_check(workload, machine, error) ||
        (!options->ignore_memory && !lp_simulation_check_memory(workload, machine, error)))
        return FALSE;
    g_autoptr(LpTimeline) timeline = options->trace == NULL ? NULL : lp_timeline_new();
    LpSimulationOptions run = {
        .fidelity = (LpFidelity)fidelity, .collapse = collapse != 0, .run = {.timeline = timeline}};
    if (isatty(STDERR_FILENO)) {
        run.run.progress = show_progress;
        run.run.progress_data = &shown;
    }
    g_autoptr(LpSimulation) simulation = lp_simulation_run(workload, machine, run, error);
    if (simulation == NULL)
        return FALSE;
    LpReport report;
    lp_report_init(&report, workload, machine, simulation);
    report.fidelity = run.fidelity;
    report.collapse = run.collapse;
    report.has_cost = options->cost;
    report.cost = (LpCost){lp_wall_clock_s() - started_s,
                           lp_peak_rss_bytes() + simulation->children_peak_rss_bytes};
    gboolean good =
        write_trace(options, timeline, workload, error) && print_report(&report, format, error);
    lp_report_clear(&report);
    return good;
}

gboolean
lp_cmd_simulate(int argc, char **argv, GError **error)
{
    double started_s = lp_wall_clock_s();
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        {"fidelity", 0, 0, G_OPTION_ARG_STRING, &options.fidelity,
         "A collective as one flow a neighbour (flow, default), or each step as a message",
         "flow|message"},
        {"collapse", 0, 0, G_OPTION_ARG_STRING, &options.collapse,
         "Leave out events that provably cannot matter (default on)", "on|off"},
        {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.settings,
         "Override an attribute of the workload; may be given again", "NAME=VALUE"},
        {"format", 0, 0, G_OPTION_ARG_STRING, &options.format, "Output format (default text)",
         "text|json"},
        {"trace", 0, 0, G_OPTION_ARG_STRING, &options.trace,
         "Write a timeline for the Perfetto viewer", "FILE.json"},
        {"ignore-memory", 0, 0, G_OPTION_ARG_NONE, &options.ignore_memory,
         "Simulate a plan that does not fit in memory, with a warning", NULL},
        {"cost", 0, 0, G_OPTION_ARG_NONE, &options.cost,
         "Also say what the simulation cost: time, memory, events", NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    if (!lp_options_parse("simulate", "WORKLOAD PLATFORM",
                          "Simulates one training iteration, and explains how the result differs "
                          "from the closed form.",
                          entries, &argc, &argv, 2, 2, error))
        return FALSE;
    return simulate(&options, argv, started_s, error);
}
