/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the kernels of a workload's layers. */
#include "cli/kernel_list.h"

#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "cli/options.h"
#include "cli/plan_arguments.h"
#include "cli/output_paths.h"
#include "cli/page_file.h"

#include "base/error.h"
#include "base/file.h"
#include "report/kernel_rows.h"
#include "report/page_report.h"
#include "report/report_parts.h"

static json_t *
to_json(const LpReport *report)
{
    json_t *root = lp_json_document();
    lp_json_set_text(root, "workload", report->workload->name);
    lp_json_set_text(root, "platform", lp_file_label(report->machine->path));
    lp_report_add_plan(root, report->workload);
    lp_kernel_rows_add_json(root, report);
    return root;
}

static gboolean
print_text(const LpReport *report, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    lp_report_append_workload(text, report->workload);
    lp_kernel_rows_append_text(text, report);
    return lp_print_result(text->str, error);
}

static gboolean
print(char **arguments, const LpPlanArguments *plan, LpFormat format, const LpPageFile *page,
      GError **error)
{
    g_autofree char *path = lp_input_find(arguments[1], LP_INPUT_WORKLOAD, error);
    g_autoptr(LpWorkload) workload =
        path != NULL ? lp_workload_load(path, lp_plan_arguments_settings(plan), error) : NULL;
    g_autoptr(LpMachine) machine =
        workload != NULL ? lp_input_load_machine(arguments[2], error) : NULL;
    if (machine == NULL)
        return FALSE;
    if (workload->given != NULL) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "%s: got a program by hand, wanted a Transformer, whose layers have kernels",
                    arguments[1]);
        return FALSE;
    }
    if (!lp_workload_apply_machine(workload, machine->domain_size, &machine->accelerator, error))
        return FALSE;
    LpReport report = {.workload = workload, .machine = machine};
    g_autoptr(json_t) document = to_json(&report);
    g_autoptr(GError) fault = NULL;
    gboolean is_printed = format == LP_FORMAT_JSON ? lp_print_json(json_incref(document), error)
                                                   : print_text(&report, error);
    gboolean has_page = lp_page_file_write(page, lp_page_of_kernels, document, &fault);
    return lp_outputs_join(is_printed, has_page, &fault, error);
}

static gboolean
prepare_page(LpPageFile *page, char *const *arguments, char *const *settings, GError **error)
{
    g_autofree char **inputs = lp_inputs(arguments, settings);
    return lp_page_file_prepare(page, inputs, error);
}

gboolean
lp_cmd_workload_kernels(int argc, char **argv, GError **error)
{
    g_autofree char *format_text = NULL;
    g_auto(LpPlanArguments) plan = {0};
    LpPageFile page = {NULL, NULL};
    const GOptionEntry entries[] = {
        LP_ROW_SET(&plan.settings),
        LP_ROW_FRAMEWORK(&plan.framework),
        LP_ROW_FORMAT(&format_text),
        {"report", 0, 0, G_OPTION_ARG_FILENAME, &page.path,
         "Also write a page: where a micro-batch's time goes, and all kernels", "FILE.html"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    LpFormat format;
    gboolean good =
        lp_options_parse("workload kernels", "WORKLOAD PLATFORM",
                         "Lists the kernels that a micro-batch runs in all layers: sizes, FLOP, "
                         "bytes, time, by what it is bound, and where the list of each stands.",
                         entries, &argc, &argv, 2, 2, error) &&
        lp_format_parse(format_text, &format, error) && lp_plan_arguments_read(&plan, error) &&
        prepare_page(&page, argv + 1, plan.settings, error) &&
        print(argv, &plan, format, &page, error);
    lp_page_file_clear(&page);
    return good;
}
