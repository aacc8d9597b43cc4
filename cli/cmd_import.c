/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath import: workloads from model descriptions of others. */
#include "cli/commands.h"
#include "cli/import_plan.h"
#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/output_paths.h"

#include "base/file.h"
#include "base/units.h"
#include "base/json.h"
#include "base/text_table.h"
#include "workloads/import/huggingface.h"

#include <string.h>

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

/* The workload goes to @output or to standard output; what was made of the file, to standard output
 * if that is free. */
static gboolean
import_file(const char *name, const char *platform, const char *output, LpFormat format,
            GError **error)
{
    g_autofree char *path = lp_file_argument(name, error);
    g_autoptr(LpImport) import = path != NULL ? lp_huggingface_import(path, error) : NULL;
    if (import == NULL)
        return FALSE;
    g_autoptr(LpMachine) machine = platform != NULL ? lp_input_load_machine(platform, error) : NULL;
    if (platform != NULL &&
        (machine == NULL || !lp_import_propose_plan(import, path, machine, error)))
        return FALSE;
    g_autoptr(LpWorkload) workload = lp_import_workload(import, path, error);
    if (workload == NULL)
        return FALSE;
    g_autofree char *xml = lp_import_to_xml(import);
    if (!lp_file_write(output, xml, strlen(xml), error))
        return FALSE;
    if (strcmp(output, "-") == 0)
        return TRUE;
    if (format == LP_FORMAT_JSON)
        return lp_print_json(to_json(import, workload, output), error);
    g_autofree char *text = to_text(import, workload, output);
    return lp_print_result(text, error);
}

gboolean
lp_cmd_import(int argc, char **argv, GError **error)
{
    static const char *const kinds[] = {"huggingface", NULL};
    g_autofree char *output = NULL, *format_text = NULL, *platform = NULL;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
         "Where to write the workload (default standard output)", "FILE.xml"},
        {"platform", 0, 0, G_OPTION_ARG_STRING, &platform,
         "Propose a plan that fills this machine and fits into its memory (default: one rank)",
         "PLATFORM"},
        {"format", 0, 0, G_OPTION_ARG_STRING, &format_text,
         "With -o: how to say what became of the file (default text)", "text|json"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    LpFormat format;
    if (!lp_options_parse("import", "huggingface FILE.json",
                          "Makes a workload of a model's configuration (config.json).", entries,
                          &argc, &argv, 2, 2, error) ||
        !lp_format_parse(format_text, &format, error))
        return FALSE;
    g_autoptr(GError) fault = NULL;
    if (lp_choice_parse(argv[1], kinds, &fault) < 0)
        return lp_usage_error(error, "import: %s", fault->message);
    gboolean to_file = output != NULL && strcmp(output, "-") != 0;
    if (format_text != NULL && !to_file)
        return lp_usage_error(
            error,
            "--format: got %s without -o, wanted -o FILE.xml: the workload takes up "
            "standard output",
            format_text);
    const LpOutputPath written = {"-o", to_file ? output : NULL};
    return lp_check_outputs(&written, 1, argv + 2, error) &&
           import_file(argv[2], platform, to_file ? output : "-", format, error);
}
