/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath platform: generates, describes, checks and lists machines, and prices networks. */
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/platform_price.h"
#include "cli/platform_text.h"
#include "cli/technology_text.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "platforms/catalogue/catalogue.h"
#include "platforms/generation/effect.h"
#include "platforms/generation/generate.h"
#include "platforms/generation/machine_options.h"
#include "platforms/generation/system.h"
#include "platforms/catalogue/libraries.h"
#include "base/json.h"
#include "base/text_table.h"

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
        specification != NULL && lp_specification_check_effect(specification, &fault)
            ? lp_generate(specification, &fault)
            : NULL;
    if (xml == NULL)
        return lp_usage_error(error, "%s", fault->message);
    return lp_file_write(output != NULL ? output : "-", xml, strlen(xml), error);
}

/* Adds an entry for each option that the command line takes; @texts gets their values. */
static void
add_entries(GOptionEntry *entries, gsize n_entries, char **texts)
{
    for (gsize i = 0; i < LP_N_MACHINE_OPTIONS; i++) {
        const LpMachineOption *option = &lp_machine_options[i];
        if ((option->flags & LP_OPTION_ON_COMMAND_LINE) != 0)
            entries[n_entries++] = (GOptionEntry){.long_name = option->name,
                                                  .arg = G_OPTION_ARG_STRING,
                                                  .arg_data = &texts[i],
                                                  .description = option->help,
                                                  .arg_description = option->value};
    }
}

static gboolean
cmd_generate(int argc, char **argv, GError **error)
{
    char *texts[LP_N_MACHINE_OPTIONS] = {NULL};
    g_autofree char *output = NULL;
    GOptionEntry entries[LP_N_MACHINE_OPTIONS + 2] = {{"output", 'o', 0, G_OPTION_ARG_FILENAME,
                                                       &output, "Where to write (standard output)",
                                                       "FILE"}};
    add_entries(entries, 1, texts);
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
    if (!lp_options_parse("platform describe", "FILE",
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
cmd_check(int argc, char **argv, GError **error)
{
    const GOptionEntry entries[] = {{NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL}};
    if (!lp_options_parse("platform check", "FILE", "Checks a platform file.", entries, &argc,
                          &argv, 1, 1, error))
        return FALSE;
    g_autoptr(LpMachine) machine = lp_input_load_machine(argv[1], error);
    if (machine == NULL)
        return FALSE;
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(
        text, "%s: ok, %" G_GUINT64_FORMAT " x %s in %" G_GUINT64_FORMAT " domains of %u\n",
        argv[1], machine->n_accelerators, machine->accelerator.name, lp_machine_n_domains(machine),
        machine->domain_size);
    return lp_print_result(text->str, error);
}

/* The names of the catalogue, NULL-ended. */
static char **
accelerator_names(GError **error)
{
    g_autoptr(GArray) accelerators = lp_catalogue_load(error);
    if (accelerators == NULL)
        return NULL;
    char **names = g_new0(char *, accelerators->len + 1);
    for (guint i = 0; i < accelerators->len; i++)
        names[i] = g_strdup(g_array_index(accelerators, LpAccelerator, i).name);
    return names;
}

static gboolean
cmd_list(int argc, char **argv, GError **error)
{
    g_autofree char *format_text = NULL;
    gboolean has_technologies = FALSE;
    const GOptionEntry entries[] = {
        {"technologies", 0, 0, G_OPTION_ARG_NONE, &has_technologies,
         "Instead: technologies of links and switches, every number with its source", NULL},
        {"format", 0, 0, G_OPTION_ARG_STRING, &format_text, "text (default) or json", "FORMAT"},
        {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL}};
    LpFormat format = LP_FORMAT_TEXT;
    if (!lp_options_parse(
            "platform list", NULL,
            "Lists systems, accelerators, communication libraries and shipped machines.", entries,
            &argc, &argv, 0, 0, error) ||
        !lp_format_parse(format_text, &format, error))
        return FALSE;
    if (has_technologies)
        return lp_technologies_print(format, error);
    g_auto(GStrv) systems = lp_system_names(error);
    g_auto(GStrv) accelerators = systems != NULL ? accelerator_names(error) : NULL;
    g_auto(GStrv) libraries = accelerators != NULL ? lp_library_names(error) : NULL;
    if (libraries == NULL)
        return FALSE;
    g_auto(GStrv) machines = lp_file_shipped("platforms");
    const struct {
        const char *name;
        char **items;
    } lists[] = {{"systems", systems},
                 {"accelerators", accelerators},
                 {"libraries", libraries},
                 {"machines", machines}};
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"", "", NULL});
    g_autoptr(json_t) root = json_object();
    for (gsize i = 0; i < G_N_ELEMENTS(lists); i++) {
        json_t *names = lp_json_set_array(root, lists[i].name);
        for (char **item = lists[i].items; *item != NULL; item++)
            lp_json_append_text(names, *item);
        g_autofree char *joined = g_strjoinv(" ", lists[i].items);
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", lists[i].name);
        lp_text_table_add_cell(table, "%s", joined);
    }
    return format == LP_FORMAT_JSON ? lp_print_json(g_steal_pointer(&root), error)
                                    : lp_print_table(table, error);
}

static const struct {
    const char *name;
    gboolean (*function)(int, char **, GError **);
    const char *summary;
} commands[] = {
    {"generate", cmd_generate, "write the platform file of a machine"},
    {"describe", cmd_describe, "print domains, ports, tiers and bisection"},
    {"check", cmd_check, "check a platform file"},
    {"list", cmd_list, "list systems, accelerators, libraries and shipped machines"},
    {"price", lp_cmd_platform_price, "price and power of networks, side by side"},
};

static gboolean
print_help(GError **error)
{
    g_autoptr(GString) text = g_string_new("Usage:\n  lightpath platform COMMAND [OPTION...]\n\n"
                                           "Commands (each with --help):\n");
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"", "", NULL});
    for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", commands[i].name);
        lp_text_table_add_cell(table, "%s", commands[i].summary);
    }
    lp_text_table_append(text, table, 2);
    return lp_print_result(text->str, error);
}

gboolean
lp_cmd_platform(int argc, char **argv, GError **error)
{
    if (argc < 2)
        return lp_usage_error(
            error, "platform: no command, wanted generate, describe, check, list or price");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help(error);
    const char *names[G_N_ELEMENTS(commands) + 1] = {NULL};
    for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
        names[i] = commands[i].name;
    g_autoptr(GError) fault = NULL;
    int place = lp_choice_parse(argv[1], names, &fault);
    if (place < 0)
        return lp_usage_error(error, "platform: %s", fault->message);
    return commands[place].function(argc - 1, argv + 1, error);
}
