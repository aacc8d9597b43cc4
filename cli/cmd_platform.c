/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath platform: generates, describes, checks and lists machines, and prices networks. */
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/made_machine.h"
#include "cli/options.h"
#include "cli/platform_list.h"
#include "cli/platform_price.h"
#include "cli/platform_text.h"
#include "cli/subcommands.h"

#include "base/file.h"
#include "platforms/generation/generate.h"
#include "platforms/generation/machine_options.h"
#include "base/json.h"

#include <string.h>

static gboolean
generate(char *const *texts, const char *output, GError **error)
{
    if (texts[LP_MACHINE_OPTION_SYSTEM] == NULL)
        return lp_usage_error(error,
                              "--system: missing, wanted a name of \"lightpath platform list\"");
    if (texts[LP_MACHINE_OPTION_ACCELERATORS] == NULL)
        return lp_usage_error(error, "--accelerators: missing, wanted their number");
    g_autoptr(GError) fault = NULL;
    g_autoptr(LpMachineSpecification) specification =
        lp_specification_from_texts((const char *const *)texts, &fault);
    g_autofree char *xml =
        specification != NULL && lp_made_machine_report_idle(specification, &fault)
            ? lp_generate(specification, &fault)
            : NULL;
    if (xml == NULL)
        return lp_usage_error(error, "%s", fault->message);
    return lp_file_write(output != NULL ? output : "-", xml, strlen(xml), error);
}

static gboolean
cmd_generate(int argc, char **argv, GError **error)
{
    char *texts[LP_N_MACHINE_OPTIONS] = {NULL};
    g_autofree char *output = NULL;
    GOptionEntry entries[LP_N_MACHINE_OPTIONS + 2] = {{"output", 'o', 0, G_OPTION_ARG_FILENAME,
                                                       &output, "Where to write (standard output)",
                                                       "FILE"}};
    lp_made_machine_add_entries(entries, 1, texts, TRUE);
    gboolean good = lp_options_parse("platform generate", "--system=NAME --accelerators=N",
                                     "Writes the platform file of a machine. Values carry units: "
                                     "25GBps, 200Gbps, 1us.",
                                     entries, &argc, &argv, 0, 0, error) &&
                    generate(texts, output, error);
    for (gsize i = 0; i < LP_N_MACHINE_OPTIONS; i++)
        g_free(texts[i]);
    return good;
}

static gboolean
cmd_describe(int argc, char **argv, GError **error)
{
    g_autofree char *format_text = NULL;
    const GOptionEntry entries[] = {
        {"format", 0, 0, G_OPTION_ARG_STRING, &format_text, "text (default) or json", "FORMAT"},
        {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL}};
    LpFormat format = LP_FORMAT_TEXT;
    if (!lp_options_parse("platform describe", "PLATFORM",
                          "Prints domains, ports, tiers and bisection.", entries, &argc, &argv, 1,
                          1, error) ||
        !lp_format_parse(format_text, &format, error))
        return FALSE;
    g_autoptr(LpMachine) machine = lp_input_load_machine(argv[1], error);
    if (machine == NULL)
        return FALSE;
    return format == LP_FORMAT_JSON ? lp_platform_print_json(machine, error)
                                    : lp_platform_print_text(machine, error);
}

static gboolean
print_check_json(const char *name, const LpMachine *machine, GError **error)
{
    json_t *root = lp_json_document();
    lp_json_set_text(root, "platform", name);
    lp_json_set_text(root, "accelerator", machine->accelerator.name);
    lp_json_set_count(root, "accelerators", machine->n_accelerators);
    lp_json_set_count(root, "domains", lp_machine_n_domains(machine));
    lp_json_set_count(root, "domain_size", machine->domain_size);
    return lp_print_json(root, error);
}

static gboolean
cmd_check(int argc, char **argv, GError **error)
{
    g_autofree char *format_text = NULL;
    const GOptionEntry entries[] = {
        {"format", 0, 0, G_OPTION_ARG_STRING, &format_text, "text (default) or json", "FORMAT"},
        {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL}};
    LpFormat format = LP_FORMAT_TEXT;
    if (!lp_options_parse("platform check", "PLATFORM", "Checks a platform file.", entries, &argc,
                          &argv, 1, 1, error) ||
        !lp_format_parse(format_text, &format, error))
        return FALSE;
    g_autoptr(LpMachine) machine = lp_input_load_machine(argv[1], error);
    if (machine == NULL)
        return FALSE;
    if (format == LP_FORMAT_JSON)
        return print_check_json(argv[1], machine, error);
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(
        text, "%s: ok, %" G_GUINT64_FORMAT " x %s in %" G_GUINT64_FORMAT " domains of %u\n",
        argv[1], machine->n_accelerators, machine->accelerator.name, lp_machine_n_domains(machine),
        machine->domain_size);
    return lp_print_result(text->str, error);
}

gboolean
lp_cmd_platform(int argc, char **argv, GError **error)
{
    static const LpCommand commands[] = {
        {"generate", cmd_generate, "write the platform file of a machine"},
        {"describe", cmd_describe, "print domains, ports, tiers and bisection"},
        {"check", cmd_check, "check a platform file"},
        {"list", lp_cmd_platform_list,
         "list systems, accelerators, libraries and shipped machines"},
        {"price", lp_cmd_platform_price, "price and power of networks, side by side"},
        {NULL, NULL, NULL}};
    return lp_run_command("lightpath platform", commands, NULL, NULL, argc, argv, error);
}
