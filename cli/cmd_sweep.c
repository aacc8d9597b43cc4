/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath sweep: all points of a study, in a store that outlives the sweep. */
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/inputs.h"
#include "cli/interruption.h"
#include "cli/options.h"
#include "cli/program_digest.h"
#include "cli/progress.h"
#include "cli/study_point.h"
#include "cli/study_text.h"
#include "cli/subcommands.h"
#include "cli/sweep_plot.h"
#include "cli/sweep_slurm.h"
#include "cli/sweep_store.h"

#include "base/error.h"
#include "base/units.h"
#include "study/study_export.h"
#include "study/study_run.h"

#include <string.h>

#define JOBS_MAX 1024
/* Points of a task of a cluster: a minute or two. */
#define PER_TASK 300

/* Whether a cluster runs the points. */
typedef enum {
    SLURM_SUBMIT,
    SLURM_WRITE,
    SLURM_NOT
} Slurm;

typedef struct {
    char *store, *jobs, *part, *export, *slurm, *per_task; /* owned */
} Options;

static void
options_clear(Options *self)
{
    g_free(self->store);
    g_free(self->jobs);
    g_free(self->part);
    g_free(self->export);
    g_free(self->slurm);
    g_free(self->per_task);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* A sweep that goes on. */
typedef struct {
    LpStudy *study;      /* owned */
    char *program;       /* owned */
    LpStudySpace *space; /* owned */
    char *store_path;    /* owned */
    LpStudyStore *store; /* owned */
    gint64 number;       /* of the study in the store */
    guint64 first, end;  /* places of its points that are run */
    guint n_at_once, n_per_task;
    gboolean is_part;
    Slurm slurm;
} Sweep;

static void
sweep_clear(Sweep *self)
{
    lp_study_store_free(self->store);
    lp_study_space_free(self->space);
    lp_study_free(self->study);
    g_free(self->program);
    g_free(self->store_path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sweep, sweep_clear)

/* --- what the command line says --- */

/* "3/8": of eight parts the fourth. */
static gboolean
read_part(const char *text, guint64 n_points, Sweep *sweep, GError **error)
{
    guint64 part, n_parts;
    sweep->end = n_points;
    sweep->is_part = text != NULL;
    if (text == NULL)
        return TRUE;
    g_auto(GStrv) halves = g_strsplit(text, "/", 2);
    if (halves[0] == NULL || halves[1] == NULL ||
        !lp_count_parse(halves[1], 1, LP_STUDY_POINTS_MAX, &n_parts, NULL) ||
        !lp_count_parse(halves[0], 0, n_parts - 1, &part, NULL))
        return lp_usage_error(error, "--part: got \"%s\", wanted K/N, K from 0 to N - 1", text);
    sweep->first = n_points * part / n_parts;
    sweep->end = n_points * (part + 1) / n_parts;
    return TRUE;
}

/* STUDY.sqlite beside STUDY.xml. */
static char *
store_beside(const char *path)
{
    gboolean is_xml = g_str_has_suffix(path, ".xml");
    g_autofree char *stem = g_strndup(path, strlen(path) - (is_xml ? 4 : 0));
    return g_strconcat(stem, ".sqlite", NULL);
}

static gboolean
read_slurm(const Options *options, Sweep *sweep, GError **error)
{
    static const char *const ways[] = {"submit", "write", NULL};
    guint way = SLURM_NOT;
    if (options->slurm != NULL && options->part != NULL)
        return lp_usage_error(error, "--part: got it with --slurm, wanted one of them");
    if (options->slurm == NULL && options->per_task != NULL)
        return lp_usage_error(error, "--points-per-task: got it without --slurm, wanted both");
    if (options->slurm != NULL && g_getenv("G_RESOURCE_OVERLAYS") != NULL)
        return lp_usage_error(error, "--slurm: got --catalogue or --libraries beside it, wanted "
                                     "shipped data: tasks have no others");
    if (!lp_option_choice("slurm", options->slurm, ways, SLURM_NOT, &way, error) ||
        !lp_option_count("points-per-task", options->per_task, 1, LP_STUDY_POINTS_MAX, PER_TASK,
                         &sweep->n_per_task, error))
        return FALSE;
    sweep->slurm = (Slurm)way;
    return TRUE;
}

static gboolean
prepare(const Options *options, const char *path, Sweep *sweep, GError **error)
{
    static const char *const formats[] = {"csv", "json", NULL};
    guint format;
    /* A task of a cluster asks for one processor unless it is told otherwise. */
    guint64 n_jobs = options->slurm != NULL ? 1 : MIN(g_get_num_processors(), JOBS_MAX);
    if (!lp_option_choice("export", options->export, formats, 0, &format, error) ||
        !lp_option_count("jobs", options->jobs, 1, JOBS_MAX, n_jobs, &sweep->n_at_once, error) ||
        !read_slurm(options, sweep, error))
        return FALSE;
    sweep->study = lp_study_load(path, error);
    sweep->program = sweep->study != NULL ? lp_program_digest() : NULL;
    if (sweep->study != NULL && sweep->program == NULL)
        return lp_value_error(error, "sweep: /proc/self/exe cannot be read, which tells results of "
                                     "one version from those of another");
    if (sweep->study != NULL)
        sweep->space =
            lp_study_space_new(sweep->study, sweep->program, lp_study_point_machine_options, error);
    sweep->store_path = options->store != NULL ? g_strdup(options->store) : store_beside(path);
    return sweep->space != NULL &&
           read_part(options->part, lp_study_space_n_points(sweep->space), sweep, error);
}

/* --- running --- */

/* Reads shipped files before the first point forks, and refuses what no point can do without. */
static gboolean
warm(Sweep *sweep, GError **error)
{
    const LpStudyInputs *base = &sweep->study->base;
    gboolean is_named = base->workload != NULL && !sweep->study->command->has_operation;
    g_autofree char *workload =
        is_named ? lp_input_find(base->workload, LP_INPUT_WORKLOAD | LP_INPUT_SCENARIO, error)
                 : g_strdup("");
    g_autofree char *machine = workload == NULL ? NULL
                               : base->machine != NULL
                                   ? lp_input_find(base->machine, LP_INPUT_PLATFORM, error)
                                   : g_strdup("");
    if (machine == NULL) {
        g_prefix_error(error, "%s: <%s> name: ", sweep->study->path,
                       workload == NULL ? "workload" : "machine");
        return FALSE;
    }
    g_autoptr(GError) fault = NULL;
    lp_study_space_seek(sweep->space, sweep->first);
    const LpStudyPoint *first = lp_study_space_next(sweep->space, &fault);
    if (first != NULL)
        lp_study_point_warm((const char *const *)first->words);
    if (fault != NULL)
        g_propagate_error(error, g_steal_pointer(&fault));
    return first != NULL || sweep->first == sweep->end;
}

/* A word about points that are not there. */
static gboolean
judge(Sweep *sweep, gboolean is_stopped_early, GError **error)
{
    LpStudyCounts counts;
    if (!lp_study_store_count(sweep->store, sweep->number, &counts, error))
        return FALSE;
    guint64 n_ended = counts.n_done + counts.n_refused + counts.n_crashed;
    if (is_stopped_early)
        return lp_value_error(error,
                              "sweep: stopped, %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                              " points are in %s; the same command goes on",
                              n_ended, counts.n, sweep->store_path);
    g_autofree char *message = NULL;
    if (!lp_sweep_store_message(sweep->store, sweep->number,
                                counts.n_crashed > 0 ? "crashed" : "refused", &message, error))
        return FALSE;
    if (counts.n_crashed > 0)
        return lp_value_error(error,
                              "sweep: got %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                              " points without a result, wanted all; the same command tries them "
                              "again (%s)",
                              counts.n_crashed, counts.n, message);
    if (sweep->is_part)
        return TRUE;
    if (counts.n_refused == counts.n && counts.n > 0)
        return lp_value_error(error,
                              "%s: got %" G_GUINT64_FORMAT
                              " points of which none can run, wanted at least one (%s)",
                              sweep->study->path, counts.n, message);
    return lp_sweep_store_check_records(sweep->store, sweep->number, sweep->study, error);
}

static gboolean
run(Sweep *sweep, GError **error)
{
    g_auto(LpProgress) progress = lp_progress_start("points");
    LpStudyRunOptions options = {.work = lp_study_point_run,
                                 .n_at_once = sweep->n_at_once,
                                 .is_stopped = lp_interruption_has_come,
                                 .progress = progress.is_shown ? lp_progress_callback : NULL,
                                 .progress_data = &progress};
    gboolean is_stopped_early = FALSE;
    /* Children never get the signals, so that none ends half-way and says so: the sweep ends them.
     */
    lp_interruption_hold();
    return lp_study_run(sweep->store, sweep->number, sweep->study, &options, &is_stopped_early,
                        error) &&
           judge(sweep, is_stopped_early, error);
}

/* Whether all points are there; if not, they are under way. */
static gboolean
run_on_cluster(Sweep *sweep, const char *path, gboolean *out_done, GError **error)
{
    LpSweepSlurm slurm = {.store = sweep->store,
                          .number = sweep->number,
                          .n_points = lp_study_space_n_points(sweep->space),
                          .study = path,
                          .path = sweep->store_path,
                          .n_jobs = sweep->n_at_once,
                          .n_per_task = sweep->n_per_task,
                          .write_only = sweep->slurm == SLURM_WRITE};
    return lp_sweep_slurm_submit(&slurm, out_done, error) &&
           (!*out_done || judge(sweep, FALSE, error));
}

/* What tasks have brought is there before points are entered. */
static gboolean
enter(Sweep *sweep, GError **error)
{
    sweep->store = lp_study_store_open(sweep->store_path, error);
    if (sweep->store == NULL || (sweep->slurm != SLURM_NOT &&
                                 !lp_sweep_slurm_collect(sweep->store, sweep->store_path, error)))
        return FALSE;
    return lp_study_store_enter(sweep->store, sweep->study, sweep->space, sweep->first, sweep->end,
                                sweep->program, &sweep->number, error);
}

static gboolean
sweep(const Options *options, const char *path, GError **error)
{
    g_auto(Sweep) sweep = {.slurm = SLURM_NOT};
    gboolean is_done = TRUE;
    if (!prepare(options, path, &sweep, error) || !warm(&sweep, error) || !enter(&sweep, error))
        return FALSE;
    gboolean good = sweep.slurm == SLURM_NOT ? run(&sweep, error)
                                             : run_on_cluster(&sweep, path, &is_done, error);
    if (!good || !is_done)
        return good;
    return options->export != NULL
               ? lp_sweep_store_print(sweep.store, sweep.number, options->export, error)
               : lp_study_text_print(sweep.store, sweep.number, sweep.store_path, error);
}

/* "--slurm" by itself submits. */
static void
complete_slurm(int argc, char **argv)
{
    static char whole[] = "--slurm=submit";
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--slurm") == 0)
            argv[i] = whole;
}

/* What is done with stores alone. */
static const LpCommand store_commands[] = {{"merge", lp_sweep_merge, "add what others have"},
                                           {"export", lp_sweep_export, "print one as it is now"},
                                           {"plot", lp_sweep_plot, "draw one as a page"},
                                           {NULL, NULL, NULL}};

/* The command of stores that the words name, at @at; NULL: none. */
static const LpCommand *
find_store_command(int argc, char **argv, int at)
{
    for (const LpCommand *command = store_commands; command->name != NULL; command++)
        if (argc > at && strcmp(argv[at], command->name) == 0)
            return command;
    return NULL;
}

/* Completes a command of stores, or what stands behind one. Returns: whether that is all. */
static gboolean
complete_store_command(int argc, char **argv, gboolean *out_good, GError **error)
{
    const LpCommand *command = argc > 3 ? find_store_command(argc, argv, 2) : NULL;
    if (command != NULL) {
        /* The command sees its name, and behind it that it is to complete. */
        char *swapped = argv[1];
        argv[1] = argv[2];
        argv[2] = swapped;
        *out_good = command->function(argc - 1, argv + 1, error);
        return TRUE;
    }
    g_autoptr(GString) out = g_string_new(NULL);
    for (command = store_commands; argc <= 3 && command->name != NULL; command++)
        lp_complete_add(out, argc == 3 ? argv[2] : "", command->name, command->summary);
    *out_good = lp_print_result(out->str, error);
    return !*out_good;
}

gboolean
lp_cmd_sweep(int argc, char **argv, GError **error)
{
    gboolean good = FALSE;
    const LpCommand *command = find_store_command(argc, argv, 1);
    if (command != NULL)
        return command->function(argc - 1, argv + 1, error);
    if (argc > 1 && strcmp(argv[1], LP_COMPLETE_OPTION) == 0 &&
        complete_store_command(argc, argv, &good, error))
        return good;
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        {"store", 0, 0, G_OPTION_ARG_FILENAME, &options.store,
         "Where results are kept; what is there is not run again (default: STUDY.sqlite)",
         "FILE.sqlite"},
        {"jobs", 0, 0, G_OPTION_ARG_STRING, &options.jobs,
         "Run so many points side by side (as many as there are processors)", "N"},
        {"part", 0, 0, G_OPTION_ARG_STRING, &options.part,
         "Run only part K, from 0, of N equal ones", "K/N"},
        {"export", 0, 0, G_OPTION_ARG_STRING, &options.export,
         "Print all points when they are there", "csv|json"},
        {"slurm", 0, 0, G_OPTION_ARG_STRING, &options.slurm,
         "Submit what is missing as a job array (submit, which may be left out), or only write its "
         "script",
         "submit|write"},
        {"points-per-task", 0, 0, G_OPTION_ARG_STRING, &options.per_task,
         "With --slurm: points of an array task (300)", "N"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    complete_slurm(argc, argv);
    return lp_options_parse("sweep", "STUDY.xml",
                            "Runs all points of a study that are not in its store yet.\n\n"
                            "Commands on stores (each with --help):\n"
                            "  merge   add what others have\n"
                            "  export  print one as it is now\n"
                            "  plot    draw one as a page",
                            entries, &argc, &argv, 1, 1, error) &&
           sweep(&options, argv[1], error);
}
