/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath compare: the same workload on several machines, a process each, side by side. */
#include "cli/commands.h"
#include "cli/comparison_result.h"
#include "cli/comparison_run.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "cli/options.h"
#include "cli/plan_arguments.h"
#include "cli/output_paths.h"
#include "cli/page_file.h"

#include "report/page_report.h"

typedef struct {
    LpPlanArguments plan;
    char *fidelity, *collapse, *format; /* owned */
    char *n_runs;                       /* owned */
    gboolean cost, verbose, contention;
    LpPageFile page;
} Options;

static void
options_clear(Options *self)
{
    lp_plan_arguments_clear(&self->plan);
    g_free(self->fidelity);
    g_free(self->collapse);
    g_free(self->format);
    g_free(self->n_runs);
    lp_page_file_clear(&self->page);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* Has the settings of @plan make one plan that fills the smallest machine of @runs. */
static gboolean
fit_plan(const GArray *runs, LpPlanArguments *plan, const char *path, GError **error)
{
    g_autoptr(GPtrArray) machines = g_ptr_array_new_with_free_func((GDestroyNotify)lp_machine_free);
    for (guint i = 0; i < runs->len; i++) {
        LpMachine *machine =
            lp_input_load_machine(g_array_index(runs, LpComparisonRun, i).platform, error);
        if (machine == NULL)
            return FALSE;
        g_ptr_array_add(machines, machine);
    }
    char **fitting =
        lp_plan_choice_fit(plan->choice, path, lp_plan_arguments_settings(plan),
                           (const LpMachine *const *)machines->pdata, machines->len, error);
    if (fitting == NULL)
        return FALSE;
    g_strfreev(plan->settings);
    plan->settings = fitting;
    return TRUE;
}

/* Reads the workload that all @runs have; @plan then says all of it. */
static LpWorkload *
load_workload(const GArray *runs, LpPlanArguments *plan, const char *name, GError **error)
{
    g_autofree char *path = lp_input_find(name, LP_INPUT_WORKLOAD, error);
    if (path == NULL || (plan->choice != LP_PLAN_FILE && !fit_plan(runs, plan, path, error)))
        return NULL;
    return lp_workload_load(path, lp_plan_arguments_settings(plan), error);
}

gboolean
lp_cmd_compare(int argc, char **argv, GError **error)
{
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        {"fidelity", 0, 0, G_OPTION_ARG_STRING, &options.fidelity, "As for simulate",
         "flow|message"},
        {"collapse", 0, 0, G_OPTION_ARG_STRING, &options.collapse, "As for simulate", "on|off"},
        LP_ROW_SET(&options.plan.settings),
        LP_ROW_FRAMEWORK(&options.plan.framework),
        LP_ROW_MEMORY_RESERVE(&options.plan.memory_reserve),
        {"plan", 0, 0, G_OPTION_ARG_STRING, &options.plan.plan,
         "The file's plan (default), or one with dp, micro-batch and global-batch that fill the "
         "smallest machine, for all of them",
         "file|fit"},
        LP_ROW_FORMAT(&options.format),
        {"report", 0, 0, G_OPTION_ARG_FILENAME, &options.page.path,
         "Write a page with tables and plots, which needs no network", "FILE.html"},
        {"runs", 0, 0, G_OPTION_ARG_STRING, &options.n_runs, "As for simulate", "N"},
        {"ignore-memory", 0, 0, G_OPTION_ARG_NONE, &options.plan.ignore_memory, "As for simulate",
         NULL},
        {"verbose", 0, 0, G_OPTION_ARG_NONE, &options.verbose, "As for simulate", NULL},
        {"cost", 0, 0, G_OPTION_ARG_NONE, &options.cost, "As for simulate", NULL},
        {"contention", 0, 0, G_OPTION_ARG_NONE, &options.contention,
         "Also say what each class of traffic loses to contention, as the command contention does",
         NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    LpFormat format;
    if (!lp_options_parse("compare", "WORKLOAD PLATFORM PLATFORM...",
                          "Simulates the workload on each machine, and says what changed.", entries,
                          &argc, &argv, 3, G_MAXINT, error) ||
        !lp_format_parse(options.format, &format, error) ||
        !lp_plan_arguments_read(&options.plan, error))
        return FALSE;
    g_autofree char **inputs = lp_inputs(argv + 1, options.plan.settings);
    if (!lp_page_file_prepare(&options.page, inputs, error))
        return FALSE;
    g_autoptr(GArray) runs = lp_comparison_runs_new();
    for (int i = 2; i < argc; i++) {
        LpComparisonRun run = {.platform = argv[i]};
        g_array_append_val(runs, run);
    }
    g_autoptr(LpWorkload) workload = load_workload(runs, &options.plan, argv[1], error);
    LpComparisonOptions common = {.workload = argv[1],
                                  .settings = lp_plan_arguments_settings(&options.plan),
                                  .fidelity = options.fidelity,
                                  .collapse = options.collapse,
                                  .n_runs = options.n_runs,
                                  .ignore_memory = options.plan.ignore_memory,
                                  .cost = options.cost,
                                  .contention = options.contention};
    if (workload == NULL || !lp_comparison_runs_run(runs, &common, error))
        return FALSE;
    g_autoptr(json_t) document = lp_comparison_to_json(runs);
    g_autofree char *text = format == LP_FORMAT_JSON
                                ? lp_json_print(document)
                                : lp_comparison_to_text(runs, workload, options.verbose);
    g_autoptr(GError) fault = NULL;
    gboolean good = lp_print_result(text, error);
    gboolean has_page = lp_page_file_write(&options.page, lp_page_of_comparison, document, &fault);
    return lp_outputs_join(good, has_page, &fault, error);
}
