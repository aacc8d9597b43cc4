/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath workload: lists, describes and checks workloads, and lists their attributes. */
#include "cli/attribute_table.h"
#include "cli/commands.h"
#include "cli/framework_list.h"
#include "cli/kernel_list.h"
#include "cli/option_rows.h"
#include "cli/plan_fit.h"
#include "cli/inputs.h"
#include "cli/measured_list.h"
#include "cli/options.h"
#include "cli/plan_arguments.h"
#include "cli/program_file.h"
#include "cli/subcommands.h"

#include "base/file.h"
#include "base/xml.h"
#include "model/memory/memory_fit.h"
#include "platforms/catalogue/libraries.h"
#include "report/plan_export.h"
#include "report/report_parts.h"
#include "workloads/description/attribute.h"
#include "workloads/description/given_workload.h"
#include "workloads/description/measured.h"
#include "workloads/description/scenario.h"
#include "report/given_text.h"
#include "workloads/program/training_program.h"

#include <string.h>

#define SCHEMA(workload)                                                                           \
    ((workload)->given != NULL ? "resource:///lightpath/workloads/schema/program.xsd"              \
                               : "resource:///lightpath/workloads/schema/workload.xsd")

/* --- list --- */

/* "tp 8, pp 8, dp 16": the degrees that are not 1. Returns: (transfer full). */
static char *
degrees_text(const LpPlan *plan)
{
    static const LpAxis order[] = {LP_AXIS_TP, LP_AXIS_PP, LP_AXIS_DP, LP_AXIS_CP, LP_AXIS_EP};
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(order); i++)
        if (plan->degree[order[i]] > 1)
            g_string_append_printf(text, "%s%s %u", text->len > 0 ? ", " : "",
                                   lp_axis_names[order[i]], plan->degree[order[i]]);
    return g_string_free(text, FALSE);
}

static LpWorkload *
load_shipped(const char *name, GError **error)
{
    g_autofree char *path = lp_given_workload_find(name, error);
    return path != NULL ? lp_workload_load(path, NULL, error) : NULL;
}

static void
add_listed(LpTextTable *table, json_t *list, const char *name, const LpWorkload *workload,
           double measured_s, const char *machine)
{
    g_autofree char *degrees = degrees_text(&workload->plan);
    double parameters = lp_transformer_parameters(&workload->transformer);
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", name);
    if (workload->given == NULL)
        lp_text_table_add_cell(table, "%.4g", parameters * 1e-9);
    else
        lp_text_table_add_cell(table, "-");
    lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, lp_plan_n_ranks(&workload->plan));
    lp_text_table_add_cell(table, "%s", workload->given == NULL ? degrees : "a program by hand");
    lp_text_table_add_cell(table, "%s", workload->framework);
    if (measured_s > 0.0)
        lp_text_table_add_cell(table, "%.4g s", measured_s);
    else
        lp_text_table_add_cell(table, "-");
    lp_text_table_add_cell(table, "%s", machine != NULL ? machine : "-");
    json_t *object = lp_json_append_object(list);
    lp_json_set_text(object, "name", name);
    if (workload->given == NULL)
        lp_json_set_number(object, "parameters", parameters);
    lp_json_set_count(object, "accelerators", lp_plan_n_ranks(&workload->plan));
    json_t *degree = workload->given == NULL ? lp_json_set_object(object, "plan") : NULL;
    for (guint axis = 0; degree != NULL && axis < LP_N_AXES; axis++)
        lp_json_set_count(degree, lp_axis_names[axis], workload->plan.degree[axis]);
    if (workload->given == NULL)
        lp_json_set_text(object, "framework", workload->framework);
    if (measured_s > 0.0)
        lp_json_set_number(object, "measured_s", measured_s);
    gboolean is_generated = machine != NULL && g_str_has_prefix(machine, "--");
    if (machine != NULL)
        lp_json_set_text(object, is_generated ? "generate" : "platform", machine);
}

/* Measured steps beside simulated ones. */
static gboolean
list_measured(char *const *names, LpFormat format, GError **error)
{
    g_autoptr(LpTextTable) table = NULL;
    g_autoptr(json_t) root = NULL;
    if (!lp_measured_list(names, &table, &root, error))
        return FALSE;
    return format == LP_FORMAT_JSON ? lp_print_json(g_steal_pointer(&root), error)
                                    : lp_print_table(table, error);
}

static gboolean
cmd_list(int argc, char **argv, GError **error)
{
    g_autofree char *format_text = NULL;
    gboolean measured = FALSE;
    const GOptionEntry entries[] = {{"measured", 0, 0, G_OPTION_ARG_NONE, &measured,
                                     "simulate those whose source measured a step, and show both",
                                     NULL},
                                    LP_ROW_FORMAT(&format_text),
                                    {NULL, 0, 0, 0, NULL, NULL, NULL}};
    LpFormat format;
    if (!lp_options_parse(
            "workload list", NULL,
            "Lists the workloads that are shipped, and the machines that they were "
            "published for: a shipped one, or the options of \"lightpath platform generate\".",
            entries, &argc, &argv, 0, 0, error) ||
        !lp_format_parse(format_text, &format, error))
        return FALSE;
    g_auto(GStrv) names = lp_file_shipped("workloads");
    if (measured)
        return list_measured(names, format, error);
    g_autoptr(GPtrArray) machines = lp_fit_shipped_machines(error);
    g_autoptr(json_t) root = lp_json_document();
    json_t *list = lp_json_set_array(root, "workloads");
    g_autoptr(LpTextTable) table =
        lp_text_table_new((const char *const[]){"workload", "#billion parameters", "#accelerators",
                                                "plan", "framework", "#measured", "machine", NULL});
    g_auto(GStrv) programs = lp_file_shipped(LP_GIVEN_WORKLOAD_FOLDER);
    guint n_names = g_strv_length(names), n_all = n_names + g_strv_length(programs);
    for (guint i = 0; machines != NULL && i < n_all; i++) {
        char **name = i < n_names ? &names[i] : &programs[i - n_names];
        g_autoptr(LpWorkload) workload = load_shipped(*name, error);
        if (workload == NULL)
            return FALSE;
        g_autofree char *machine = lp_fit_find_machine(workload, machines);
        g_auto(LpMeasured) step = {.step_s = 0.0};
        if (!lp_measured_load(workload->path, &step, error))
            return FALSE;
        add_listed(table, list, *name, workload, step.step_s, machine);
    }
    if (machines == NULL)
        return FALSE;
    return format == LP_FORMAT_JSON ? lp_print_json(g_steal_pointer(&root), error)
                                    : lp_print_table(table, error);
}

/* --- describe --- */

/* The texts of <source>. Returns: (transfer full). */
static char **
read_sources(const LpWorkload *workload, GError **error)
{
    g_autoptr(LpXml) xml = lp_xml_load(workload->path, SCHEMA(workload), error);
    if (xml == NULL)
        return NULL;
    GPtrArray *sources = g_ptr_array_new();
    for (xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, "source"); node != NULL;
         node = lp_xml_element(node->next, "source"))
        g_ptr_array_add(sources, lp_xml_text(node));
    g_ptr_array_add(sources, NULL);
    return (char **)g_ptr_array_free(sources, FALSE);
}

static json_t *
describe_to_json(const LpWorkload *workload, char *const *sources, const LpMachine *machine)
{
    json_t *root = lp_json_document();
    lp_json_set_text(root, "workload", workload->name);
    if (workload->given == NULL)
        lp_json_set_number(root, "parameters", lp_transformer_parameters(&workload->transformer));
    lp_json_set_count(root, "accelerators", lp_plan_n_ranks(&workload->plan));
    json_t *list = lp_json_set_array(root, "sources");
    for (; *sources != NULL; sources++)
        lp_json_append_text(list, *sources);
    lp_report_add_plan(root, workload);
    if (workload->given != NULL)
        return root;
    lp_report_add_memory(root, workload, machine);
    if (machine != NULL)
        lp_json_set_text(root, "platform", lp_file_label(machine->path));
    return root;
}

static char *
describe_to_text(const LpWorkload *workload, char *const *sources, const LpMachine *machine,
                 gboolean whole)
{
    GString *text = g_string_new(NULL);
    lp_report_append_workload(text, workload);
    g_string_append_printf(text, "ranks       %" G_GUINT64_FORMAT "\n",
                           lp_plan_n_ranks(&workload->plan));
    for (; *sources != NULL; sources++)
        lp_report_append_prose(text, "source", *sources);
    lp_report_append_plan(text, workload, whole);
    if (workload->given != NULL)
        return g_string_free(g_string_append_c(text, '\n'), FALSE);
    g_autoptr(json_t) result = json_object();
    lp_report_add_memory(result, workload, machine);
    lp_report_append_memory(text, result, machine);
    return g_string_free(text, FALSE);
}

/* What describe and check take beside the workload. */
typedef struct {
    LpPlanArguments plan;
    char *format_text, *export_text; /* owned */
    gboolean verbose;
    LpFormat format;
    guint export; /* LP_N_EXPORTS: none */
} DescribeOptions;

static void
describe_options_clear(DescribeOptions *self)
{
    g_free(self->format_text);
    g_free(self->export_text);
    lp_plan_arguments_clear(&self->plan);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DescribeOptions, describe_options_clear)

/* Whether a library that is left to the machine may have @protocol: some shipped one does. */
static gboolean
check_protocol(const char *protocol, GError **error)
{
    g_auto(GStrv) names = lp_library_names(error);
    g_autoptr(GPtrArray) known = g_ptr_array_new_with_free_func(g_free);
    for (char **name = names; names != NULL && *name != NULL; name++) {
        LpLibrary library;
        if (!lp_library_find(*name, &library, error))
            return FALSE;
        for (guint i = 0; i < library.n_protocols; i++)
            if (!g_ptr_array_find_with_equal_func(known, library.protocols[i].name, g_str_equal,
                                                  NULL))
                g_ptr_array_add(known, g_strdup(library.protocols[i].name));
    }
    g_ptr_array_add(known, NULL);
    return names != NULL &&
           lp_choice_parse(protocol, (const char *const *)known->pdata, error) >= 0;
}

static gboolean
check_named(const char *name, const char *protocol, GError **error)
{
    LpLibrary library;
    if (lp_library_is_named(name) && !lp_library_find(name, &library, error)) {
        g_prefix_error(error, "library: ");
        return FALSE;
    }
    if (lp_library_is_named(protocol) &&
        !(lp_library_is_named(name) ? lp_library_restrict(&library, protocol, error)
                                    : check_protocol(protocol, error))) {
        g_prefix_error(error, "protocol: ");
        return FALSE;
    }
    return TRUE;
}

/* A plan names libraries and protocols without a machine; whether they are there is known. */
static gboolean
check_library(const LpWorkload *workload, GError **error)
{
    const LpPlanLibrary *said = &workload->plan.library;
    guint32 n = said->picks.n_picks > 0 ? said->picks.n_names : 1;
    for (guint32 i = 0; i < n; i++)
        if (!check_named(said->picks.n_picks > 0 ? said->picks.names[i] : said->name,
                         said->protocol, error)) {
            lp_workload_prefix(workload, error);
            return FALSE;
        }
    return TRUE;
}

/* The workload called @name as the options have it. Returns: (transfer full). */
static LpWorkload *
load(const char *name, const DescribeOptions *options, GError **error)
{
    g_autofree char *path = lp_input_find(name, LP_INPUT_WORKLOAD, error);
    if (path == NULL)
        return NULL;
    g_autoptr(LpWorkload) workload =
        lp_workload_load(path, lp_plan_arguments_settings(&options->plan), error);
    return workload != NULL && check_library(workload, error) ? g_steal_pointer(&workload) : NULL;
}

static gboolean
describe(char **arguments, const DescribeOptions *options, GError **error)
{
    g_autoptr(LpWorkload) workload = load(arguments[1], options, error);
    if (workload == NULL)
        return FALSE;
    g_autoptr(LpMachine) machine =
        arguments[2] != NULL ? lp_input_load_machine(arguments[2], error) : NULL;
    g_auto(GStrv) sources =
        machine != NULL || arguments[2] == NULL ? read_sources(workload, error) : NULL;
    if (sources == NULL)
        return FALSE;
    if (machine != NULL &&
        !lp_workload_apply_machine(workload, machine->domain_size, &machine->accelerator, error))
        return FALSE;
    if (options->format == LP_FORMAT_JSON)
        return lp_print_json(describe_to_json(workload, sources, machine), error);
    g_autofree char *text = options->export < LP_N_EXPORTS
                                ? lp_plan_export(workload, (LpExport)options->export)
                                : describe_to_text(workload, sources, machine, options->verbose);
    return lp_print_result(text, error);
}

static gboolean
cmd_describe(int argc, char **argv, GError **error)
{
    g_auto(DescribeOptions) options = {.export = LP_N_EXPORTS};
    const GOptionEntry entries[] = {LP_ROW_SET(&options.plan.settings),
                                    LP_ROW_FRAMEWORK(&options.plan.framework),
                                    LP_ROW_MEMORY_RESERVE(&options.plan.memory_reserve),
                                    LP_ROW_EXPORT(&options.export_text),
                                    LP_ROW_VERBOSE(&options.verbose),
                                    LP_ROW_FORMAT(&options.format_text),
                                    {NULL, 0, 0, 0, NULL, NULL, NULL}};
    return lp_options_parse("workload describe", "WORKLOAD [PLATFORM]",
                            "Prints the plan of a workload where it differs from what holds by "
                            "itself, its sources, and the memory that it takes.",
                            entries, &argc, &argv, 1, 2, error) &&
           lp_format_parse(options.format_text, &options.format, error) &&
           lp_export_parse(options.export_text, options.format_text, &options.export, error) &&
           lp_plan_arguments_read(&options.plan, error) && describe(argv, &options, error);
}

/* --- attributes --- */

static gboolean
cmd_attributes(int argc, char **argv, GError **error)
{
    g_autofree char *format_text = NULL;
    const GOptionEntry entries[] = {LP_ROW_FORMAT(&format_text), {NULL, 0, 0, 0, NULL, NULL, NULL}};
    LpFormat format;
    if (!lp_options_parse("workload attributes", "[NAME...]",
                          "Lists the attributes of workloads: values, range, default, meaning.",
                          entries, &argc, &argv, 0, G_MAXINT, error) ||
        !lp_format_parse(format_text, &format, error))
        return FALSE;
    for (int i = 1; i < argc; i++)
        if (lp_attribute_find(argv[i], error) == NULL) {
            g_prefix_error(error, "workload attributes: ");
            return FALSE;
        }
    if (format == LP_FORMAT_JSON)
        return lp_print_json(lp_attribute_table_to_json(argv + 1), error);
    g_autofree char *text = lp_attribute_table_to_text(argv + 1);
    return lp_print_result(text, error);
}

/* --- check --- */

/* What its ranks do together is seen once it is lowered, which takes no machine. */
static gboolean
check_given(const char *name, const LpWorkload *workload, GError **error)
{
    g_autoptr(LpProgram) program = lp_training_program_new(workload, NULL, error);
    if (program == NULL)
        return FALSE;
    g_autofree char *what = lp_given_text(workload->given);
    g_autofree char *text = g_strdup_printf("%s: ok, a program by hand: %s\n", name, what);
    return lp_print_result(text, error);
}

static gboolean
check(const char *name, const DescribeOptions *options, GError **error)
{
    g_autofree char *path = lp_input_find(name, LP_INPUT_WORKLOAD | LP_INPUT_SCENARIO, error);
    if (path == NULL)
        return FALSE;
    if (lp_scenario_is_file(path)) {
        g_autoptr(LpScenario) scenario =
            lp_scenario_load(path, lp_plan_arguments_settings(&options->plan), error);
        g_autofree char *said = g_strdup_printf("%s: ok, a scenario of %u jobs\n", name,
                                                scenario != NULL ? scenario->jobs->len : 0);
        return scenario != NULL && lp_print_result(said, error);
    }
    g_autoptr(LpWorkload) workload = load(name, options, error);
    g_auto(LpMeasured) measured = {.step_s = 0.0};
    if (workload == NULL || !lp_measured_load(workload->path, &measured, error))
        return FALSE;
    if (workload->given != NULL)
        return check_given(name, workload, error);
    g_autofree char *degrees = degrees_text(&workload->plan);
    g_autofree char *text =
        g_strdup_printf("%s: ok, %.4g billion parameters on %" G_GUINT64_FORMAT
                        " accelerators%s%s%s, framework %s\n",
                        name, lp_transformer_parameters(&workload->transformer) * 1e-9,
                        lp_plan_n_ranks(&workload->plan), *degrees != '\0' ? " (" : "", degrees,
                        *degrees != '\0' ? ")" : "", workload->framework);
    return lp_print_result(text, error);
}

/* Checks a workload. With --verbose or as JSON it prints what describe does: the plan, and who gave
 * each value. */
static gboolean
cmd_check(int argc, char **argv, GError **error)
{
    g_auto(DescribeOptions) options = {.export = LP_N_EXPORTS};
    const GOptionEntry entries[] = {LP_ROW_SET(&options.plan.settings),
                                    LP_ROW_FRAMEWORK(&options.plan.framework),
                                    LP_ROW_MEMORY_RESERVE(&options.plan.memory_reserve),
                                    LP_ROW_VERBOSE(&options.verbose),
                                    LP_ROW_FORMAT(&options.format_text),
                                    {NULL, 0, 0, 0, NULL, NULL, NULL}};
    if (!lp_options_parse("workload check", "WORKLOAD|SCENARIO",
                          "Checks the file of a workload or of a scenario.", entries, &argc, &argv,
                          1, 1, error) ||
        !lp_format_parse(options.format_text, &options.format, error) ||
        !lp_plan_arguments_read(&options.plan, error))
        return FALSE;
    return options.verbose || options.format == LP_FORMAT_JSON ? describe(argv, &options, error)
                                                               : check(argv[1], &options, error);
}

gboolean
lp_cmd_workload(int argc, char **argv, GError **error)
{
    static const LpCommand commands[] = {
        {"list", cmd_list, "list shipped workloads, and machines that they run on"},
        {"describe", cmd_describe, "print a workload's plan, sources and memory"},
        {"attributes", cmd_attributes, "list attributes: values, range, default, meaning"},
        {"frameworks", lp_cmd_workload_frameworks, "list frameworks, and what each sets of a plan"},
        {"kernels", lp_cmd_workload_kernels, "list the kernels of a workload's layers"},
        {"check", cmd_check, "check a workload or a scenario"},
        {"program", lp_cmd_workload_program,
         "write what a workload's ranks do as a program by hand"},
        {NULL, NULL, NULL}};
    return lp_run_command("lightpath workload", commands, NULL, NULL, argc, argv, error);
}
