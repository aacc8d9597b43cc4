/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath import: workloads from model descriptions of others. */
#include "cli/commands.h"
#include "cli/import_plan.h"
#include "cli/import_steps.h"
#include "cli/import_trace.h"
#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/output_paths.h"
#include "cli/plan_arguments.h"

#include "base/file.h"
#include "base/units.h"
#include "base/json.h"
#include "base/text_table.h"
#include "platforms/generation/generate.h"
#include "workloads/import/huggingface.h"

#include <string.h>

#define SEQ_MAX 16777216

static char *
to_text(const LpImport *import, const LpWorkload *workload, const char *output)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "workload    %s, %.4g billion parameters\nfile        %s\n\n",
                           import->name, lp_transformer_parameters(&workload->transformer) * 1e-9,
                           output);
    g_autoptr(LpTextTable) table =
        lp_text_table_new((const char *const[]){"attribute", "value", "from", NULL});
    for (guint i = 0; i < import->mapped->len; i++) {
        const LpImportRow *row = g_ptr_array_index(import->mapped, i);
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "  %s", row->attribute);
        lp_text_table_add_cell(table, "%s", row->value);
        lp_text_table_add_cell(table, "%s", *row->key != '\0' ? row->key : "-");
    }
    lp_text_table_append(text, table, 0);
    if (import->rest->len == 0) {
        g_string_append(text, "\nnothing is left out\n");
        return g_string_free(text, FALSE);
    }
    g_string_append(text, "\nleft out, or taken as something else\n");
    for (guint i = 0; i < import->rest->len; i++) {
        const LpImportRest *rest = g_ptr_array_index(import->rest, i);
        g_string_append_printf(text, "  %s (%s): %s\n", rest->key, rest->value, rest->reason);
    }
    return g_string_free(text, FALSE);
}

static json_t *
to_json(const LpImport *import, const LpWorkload *workload, const char *output)
{
    json_t *root = lp_json_document();
    lp_json_set_text(root, "workload", import->name);
    lp_json_set_text(root, "file", output);
    lp_json_set_number(root, "parameters", lp_transformer_parameters(&workload->transformer));
    json_t *mapped = lp_json_set_array(root, "mapped");
    for (guint i = 0; i < import->mapped->len; i++) {
        const LpImportRow *row = g_ptr_array_index(import->mapped, i);
        json_t *element = lp_json_append_object(mapped);
        lp_json_set_text(element, "attribute", row->attribute);
        lp_json_set_text(element, "value", row->value);
        lp_json_set_text(element, "key", row->key);
    }
    json_t *unmapped = lp_json_set_array(root, "unmapped");
    for (guint i = 0; i < import->rest->len; i++) {
        const LpImportRest *rest = g_ptr_array_index(import->rest, i);
        json_t *element = lp_json_append_object(unmapped);
        lp_json_set_text(element, "key", rest->key);
        lp_json_set_text(element, "value", rest->value);
        lp_json_set_text(element, "reason", rest->reason);
    }
    return root;
}

/* What the command line asks for besides the file. */
typedef struct {
    char *output, *format, *platform, *seq, *framework, *system, *accelerators, *groups; /* owned */
    char *from, *to, *precision;                                                         /* owned */
} Options;

static void
options_clear(Options *self)
{
    g_free(self->output);
    g_free(self->format);
    g_free(self->platform);
    g_free(self->seq);
    g_free(self->framework);
    g_free(self->system);
    g_free(self->accelerators);
    g_free(self->groups);
    g_free(self->from);
    g_free(self->to);
    g_free(self->precision);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* The machine that a plan is for; *@out_machine: NULL if none is named. */
static gboolean
load_machine(const Options *options, LpMachine **out_machine, GError **error)
{
    *out_machine = NULL;
    if ((options->system == NULL) != (options->accelerators == NULL))
        return lp_usage_error(error,
                              "--%s: got it alone, wanted --system=NAME with "
                              "--accelerators=N",
                              options->system != NULL ? "system" : "accelerators");
    if (options->platform != NULL && options->system != NULL)
        return lp_usage_error(error, "--platform: got it with --system, wanted one of the two");
    if (options->platform != NULL)
        *out_machine = lp_input_load_machine(options->platform, error);
    if (options->system == NULL)
        return options->platform == NULL || *out_machine != NULL;
    g_autoptr(GError) fault = NULL;
    const char *texts[LP_N_MACHINE_OPTIONS] = {[LP_MACHINE_OPTION_SYSTEM] = options->system,
                                               [LP_MACHINE_OPTION_ACCELERATORS] =
                                                   options->accelerators};
    g_autoptr(LpMachineSpecification) machine = lp_specification_from_texts(texts, &fault);
    g_autofree char *label = g_strdup_printf("%s-%s", options->system, options->accelerators);
    *out_machine = machine != NULL ? lp_generate_machine(machine, label, &fault) : NULL;
    return *out_machine != NULL || lp_usage_error(error, "%s", fault->message);
}

/* What was asked for holds, and the plan is made for it. */
static gboolean
settle(LpImport *import, const Options *options, const char *path, GError **error)
{
    guint seq = 0;
    if (!lp_option_count("seq", options->seq, 1, SEQ_MAX, 1, &seq, error))
        return FALSE;
    g_autofree char *length = g_strdup_printf("%u", seq);
    if (options->seq != NULL)
        lp_import_replace(import, "seq", length, "--seq");
    if (options->framework != NULL && !lp_plan_arguments_check_framework(options->framework, error))
        return FALSE;
    if (options->framework != NULL)
        lp_import_replace(import, "framework", options->framework, "--framework");
    g_autoptr(LpMachine) machine = NULL;
    return load_machine(options, &machine, error) &&
           (machine == NULL ||
            lp_import_propose_plan(import, path, machine,
                                   options->platform != NULL ? "platform" : "system", error));
}

/* The workload goes to -o or to standard output; what was made of the file, to standard output if
 * that is free. */
static gboolean
import_file(const char *name, const Options *options, const char *output, LpFormat format,
            GError **error)
{
    g_autofree char *path = lp_file_argument(name, error);
    g_autoptr(LpImport) import = path != NULL ? lp_huggingface_import(path, error) : NULL;
    if (import == NULL || !settle(import, options, path, error))
        return FALSE;
    g_autoptr(LpWorkload) workload = lp_import_workload(import, path, error);
    if (workload == NULL)
        return FALSE;
    g_autofree char *xml = lp_import_to_xml(import);
    if (strcmp(output, "-") == 0)
        return lp_print_result(xml, error);
    g_autoptr(GError) fault = NULL;
    gboolean is_written = lp_file_write(output, xml, strlen(xml), &fault);
    g_autofree char *text = to_text(import, workload, output);
    gboolean good = format == LP_FORMAT_JSON
                        ? lp_print_json(to_json(import, workload, output), error)
                        : lp_print_result(text, error);
    return lp_outputs_join(good, is_written, &fault, error);
}

gboolean
lp_cmd_import(int argc, char **argv, GError **error)
{
    static const char *const kinds[] = {"huggingface", "chakra", "ti", "kineto", "msccl", NULL};
    if (argc > 1 && lp_import_trace_is(argv[1]))
        return lp_cmd_import_trace(argc - 1, argv + 1, error);
    if (argc > 1 && strcmp(argv[1], "msccl") == 0)
        return lp_cmd_import_steps(argc - 1, argv + 1, error);
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
         "Where to write the workload (default standard output)", "FILE.xml"},
        {"seq", 0, 0, G_OPTION_ARG_STRING, &options.seq,
         "Length of a sequence (default: before the model was stretched, at most 8192)", "N"},
        {"framework", 0, 0, G_OPTION_ARG_STRING, &options.framework,
         "Whose software trains (default: none without a machine, else what is usual on it)",
         "NAME"},
        {"platform", 0, 0, G_OPTION_ARG_STRING, &options.platform,
         "Propose a plan that fills this machine and fits into its memory (default: one rank)",
         "PLATFORM"},
        {"system", 0, 0, G_OPTION_ARG_STRING, &options.system,
         "As --platform, a machine of this system", "NAME"},
        {"accelerators", 0, 0, G_OPTION_ARG_STRING, &options.accelerators,
         "With --system: how many accelerators it has", "N"},
        {"groups", 0, 0, G_OPTION_ARG_FILENAME, &options.groups,
         "Of traces: ranks of process groups by name", "FILE.json"},
        {"from", 0, 0, G_OPTION_ARG_STRING, &options.from,
         "Of kineto, with --to: the accelerator of the profile", "ACCELERATOR"},
        {"to", 0, 0, G_OPTION_ARG_STRING, &options.to,
         "Of kineto: the accelerator whose rates kernels get", "ACCELERATOR"},
        {"precision", 0, 0, G_OPTION_ARG_STRING, &options.precision,
         "Of kineto: that of products, for --from and --to (default bf16)", "NAME"},
        {"format", 0, 0, G_OPTION_ARG_STRING, &options.format,
         "With -o: how to say what became of the file (default text)", "text|json"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    LpFormat format;
    if (!lp_options_parse("import", "huggingface FILE.json",
                          "Makes a workload of a model's configuration (config.json). "
                          "\"lightpath import chakra --help\" tells of traces.",
                          entries, &argc, &argv, 2, 2, error) ||
        !lp_format_parse(options.format, &format, error))
        return FALSE;
    g_autoptr(GError) fault = NULL;
    if (lp_choice_parse(argv[1], kinds, &fault) < 0)
        return lp_usage_error(error, "import: %s", fault->message);
    const char *of_traces[][2] = {{"groups", options.groups},
                                  {"from", options.from},
                                  {"to", options.to},
                                  {"precision", options.precision}};
    for (guint i = 0; i < G_N_ELEMENTS(of_traces); i++)
        if (of_traces[i][1] != NULL)
            return lp_usage_error(error, "--%s: got it for huggingface, wanted traces",
                                  of_traces[i][0]);
    gboolean to_file = options.output != NULL && strcmp(options.output, "-") != 0;
    if (options.format != NULL && !to_file)
        return lp_usage_error(
            error,
            "--format: got %s without -o, wanted -o FILE.xml: the workload takes up "
            "standard output",
            options.format);
    const LpOutputPath written = {"-o", to_file ? options.output : NULL, FALSE};
    return lp_check_outputs(&written, 1, argv + 2, error) &&
           import_file(argv[2], &options, to_file ? options.output : "-", format, error);
}
