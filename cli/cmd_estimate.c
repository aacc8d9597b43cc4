/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath estimate: the closed forms alone. */
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "cli/options.h"
#include "cli/plan_arguments.h"

#include "workloads/description/given_workload.h"

static gboolean
print_estimate(char **arguments, const LpPlanArguments *plan, gboolean amped, LpFormat format,
               gboolean verbose, gboolean kernels, GError **error)
{
    g_autoptr(LpWorkload) workload = NULL;
    g_autoptr(LpMachine) machine = NULL;
    if (!lp_load_inputs(arguments[1], arguments[2], lp_plan_arguments_settings(plan), plan->choice,
                        &workload, &machine, error) ||
        !lp_given_workload_refuse(workload, "there is no closed form of the program", error))
        return FALSE;
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, error);
    if (setup == NULL)
        return FALSE;
    LpReport report;
    lp_report_init(&report, setup, NULL);
    report.whole_plan = verbose;
    report.lists_kernels = kernels;
    g_autofree char *text = format == LP_FORMAT_JSON
                                ? lp_report_estimate_to_json_text(&report, amped)
                                : lp_report_estimate_to_text(&report, amped);
    lp_report_clear(&report);
    return lp_print_result(text, error);
}

gboolean
lp_cmd_estimate(int argc, char **argv, GError **error)
{
    static const char *const model_names[] = {"consistent", "amped", NULL};
    g_autofree char *model = NULL, *format_text = NULL;
    g_auto(LpPlanArguments) plan = {0};
    gboolean verbose = FALSE, kernels = FALSE;
    const GOptionEntry entries[] = {
        {"model", 0, 0, G_OPTION_ARG_STRING, &model,
         "The consistent form (default) or the repaired AMPeD form", "consistent|amped"},
        {"kernels", 0, 0, G_OPTION_ARG_NONE, &kernels,
         "Also list the kernels of a micro-batch, with their times", NULL},
        LP_ROW_SET(&plan.settings),
        LP_ROW_FRAMEWORK(&plan.framework),
        LP_ROW_MEMORY_RESERVE(&plan.memory_reserve),
        LP_ROW_PLAN(&plan.plan),
        LP_ROW_FORMAT(&format_text),
        {"ignore-memory", 0, 0, G_OPTION_ARG_NONE, &plan.ignore_memory,
         "With --plan=fit: also a plan that does not fit in memory; others are estimated anyway",
         NULL},
        LP_ROW_VERBOSE(&verbose),
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    guint index;
    LpFormat format;
    if (!lp_options_parse("estimate", "WORKLOAD PLATFORM",
                          "Estimates one training iteration by a closed form.", entries, &argc,
                          &argv, 2, 2, error) ||
        !lp_option_choice("model", model, model_names, 0, &index, error) ||
        !lp_format_parse(format_text, &format, error) || !lp_plan_arguments_read(&plan, error))
        return FALSE;
    return print_estimate(argv, &plan, index == 1, format, verbose, kernels, error);
}
