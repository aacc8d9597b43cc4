/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath platform: generates, describes, checks and lists machines. */
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/platform_text.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "platforms/catalogue/catalogue.h"
#include "platforms/generation/generate.h"
#include "platforms/catalogue/libraries.h"
#include "base/json.h"
#include "base/text_table.h"

#include <string.h>

/* Options that wait for optical circuits. */
typedef struct {
    const char *name;
    const char *trivial; /* the value that changes nothing, or NULL */
    const char *help;
    char *text; /* owned */
} Reserved;

static gboolean
check_reserved(const Reserved *reserved, gsize n_reserved, GError **error)
{
    for (gsize i = 0; i < n_reserved; i++) {
        if (reserved[i].text == NULL || g_strcmp0(reserved[i].text, reserved[i].trivial) == 0)
            continue;
        g_autofree char *shown = lp_error_quote(reserved[i].text);
        return lp_usage_error(error, "--%s: %s, wanted %s: not available yet", reserved[i].name,
                              shown,
                              reserved[i].trivial != NULL ? reserved[i].trivial : "no such option");
    }
    return TRUE;
}

/* An option of generate, and the member of LpGenerateOptions that it sets. */
typedef struct {
    const char *name;
    gsize offset;
    const char *help;
    const char *value;
    char *text; /* owned */
} Setting;

#define SETTING(name, member, value, help)                                                         \
    {                                                                                              \
        name, G_STRUCT_OFFSET(LpGenerateOptions, member), help, value, NULL                        \
    }

/* A property of the accelerator, by its place in lp_accelerator_property_names. */
#define PROPERTY(index, value, help)                                                               \
    {                                                                                              \
        lp_accelerator_property_names[index],                                                      \
            G_STRUCT_OFFSET(LpGenerateOptions, properties[index]), help, value, NULL               \
    }

static gboolean
generate(Setting *settings, gsize n_settings, const char *output, GError **error)
{
    LpGenerateOptions options = {.system = NULL};
    for (gsize i = 0; i < n_settings; i++)
        G_STRUCT_MEMBER(const char *, &options, settings[i].offset) = settings[i].text;
    if (options.system == NULL)
        return lp_usage_error(error,
                              "--system: missing, wanted a name of \"lightpath platform list\"");
    if (options.accelerators == NULL)
        return lp_usage_error(error, "--accelerators: missing, wanted their number");
    g_autoptr(GError) fault = NULL;
    g_autofree char *xml = lp_generate(&options, &fault);
    if (xml == NULL)
        return lp_usage_error(error, "%s", fault->message);
    return lp_file_write(output != NULL ? output : "-", xml, strlen(xml), error);
}

static GOptionEntry
string_entry(const char *name, char **text, const char *help, const char *value)
{
    return (GOptionEntry){.long_name = name,
                          .arg = G_OPTION_ARG_STRING,
                          .arg_data = text,
                          .description = help,
                          .arg_description = value};
}

static gboolean
cmd_generate(int argc, char **argv, GError **error)
{
    Setting settings[] = {
        SETTING("system", system, "NAME", "What to generate (required; see list)"),
        SETTING("accelerators", accelerators, "N", "How many accelerators (required)"),
        SETTING("accelerator", accelerator, "NAME", "Which accelerator (see list)"),
        SETTING("domain-size", domain_size, "N", "Accelerators of a scale-up domain"),
        SETTING("domain-bandwidth", domain_bandwidth, "RATE", "Per accelerator, each way"),
        SETTING("domain-latency", domain_latency, "TIME", "Per link; a route has two"),
        SETTING("domain-technology", domain_technology, "NAME", "electrical or optical"),
        SETTING("topology", topology, "NAME",
                "crossbar, fat-tree, torus, dragonfly, dragonfly-plus"),
        SETTING("scale-out-bandwidth", scale_out_bandwidth, "RATE",
                "Per accelerator, each way, all planes"),
        SETTING("nic-bandwidth", nic_bandwidth, "RATE", "Of a port, instead"),
        SETTING("scale-out-latency", scale_out_latency, "TIME",
                "Per link; 2 links under a leaf, 4 over a spine"),
        SETTING("nics-per-domain", nics_per_domain, "N", "Scale-out ports of a domain"),
        SETTING("rails", rails, "N", "The same, with --port-order=rail"),
        SETTING("port-order", port_order, "NAME", "node, or rail: a leaf serves one rail"),
        SETTING("leaf-ports", leaf_ports, "N", "Ports below a leaf switch"),
        SETTING("oversubscription", oversubscription, "N",
                "Ports below a leaf over links above: N or N:M"),
        SETTING("technology", technology, "NAME", "Scale-out fabric: electrical or optical"),
        SETTING("levels", levels, "N", "Of a fat tree: 2, 3 or auto, as switches need"),
        SETTING("spine-oversubscription", spine_oversubscription, "N",
                "Leaves below a spine over links above, in three levels"),
        SETTING("switch-ports", switch_ports, "N", "Of a switch: decides about levels"),
        SETTING("dimensions", dimensions, "SIZES", "Of a torus: 16x16x16, or how many"),
        SETTING("group-routers", group_routers, "N", "Dragonflies: routers of a group"),
        SETTING("router-ports", router_ports, "N", "Dragonflies: ports below a router"),
        SETTING("local-links", local_links, "N", "Dragonfly: between two routers of a group"),
        SETTING("global-links", global_links, "N", "Dragonflies: between two groups"),
        SETTING("group-spines", group_spines, "N", "Dragonfly+: spines of a group"),
        SETTING("joined-rails", joined_rails, "BOOL", "no: rails never meet"),
        SETTING("planes", planes, "N", "Equal fabrics side by side"),
        SETTING("ports-per-accelerator", ports_per_accelerator, "N",
                "The same: a port for each plane"),
        SETTING("plane-use", plane_use, "NAME", "striped, or class: a plane for each class"),
        SETTING("plane-classes", plane_classes, "LIST", "Such as \"tp=0 pp=0 dp=1 ep=1 cp=0\""),
        SETTING("path-choice", path_choice, "NAME", "In a fat tree: static or hash"),
        SETTING("paths", paths, "N", "By hash: how many to each port"),
        SETTING("path-seed", path_seed, "N", "Of the hash (1)"),
        SETTING("pcie-ports", pcie_ports, "N", "Ports that share a PCIe link"),
        SETTING("pcie-bandwidth", pcie_bandwidth, "RATE", "Of that link, each way"),
        PROPERTY(0, "RATE", "The accelerator's dense fp32 peak, such as 20Tf"),
        PROPERTY(1, "RATE", "Its tf32 peak"),
        PROPERTY(2, "RATE", "Its fp16 peak"),
        PROPERTY(3, "RATE", "Its bf16 peak"),
        PROPERTY(4, "RATE", "Its fp8 peak"),
        PROPERTY(5, "SIZE", "Its memory"),
        PROPERTY(6, "RATE", "Its memory bandwidth"),
        PROPERTY(7, "FRACTION", "Fraction of the peak that matrix products reach"),
        PROPERTY(8, "FRACTION", "Fraction of memory bandwidth that products reach"),
        PROPERTY(9, "TIME", "What a kernel costs beyond its work"),
        PROPERTY(10, "FRACTION", "Fraction of the peak that fused attention reaches"),
        PROPERTY(11, "FRACTION", "Fraction of memory bandwidth that other kernels reach"),
        PROPERTY(12, "TIME", "What issuing a kernel costs the host"),
        PROPERTY(13, "TIME", "What issuing a collective costs the host"),
    };
    Reserved reserved[] = {
        {"ocs-ports", NULL, "Not available yet", NULL},
        {"wavelengths", "1", "Not available yet", NULL},
        {"wavelength-bandwidth", NULL, "Not available yet", NULL},
        {"reconfiguration-time", NULL, "Not available yet", NULL},
        {"policy", "static", "Not available yet", NULL},
    };
    g_autofree char *output = NULL;
    GOptionEntry entries[G_N_ELEMENTS(settings) + G_N_ELEMENTS(reserved) + 2] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Where to write (standard output)",
         "FILE"}};
    gsize n_entries = 1;
    for (gsize i = 0; i < G_N_ELEMENTS(settings); i++)
        entries[n_entries++] =
            string_entry(settings[i].name, &settings[i].text, settings[i].help, settings[i].value);
    for (gsize i = 0; i < G_N_ELEMENTS(reserved); i++)
        entries[n_entries++] =
            string_entry(reserved[i].name, &reserved[i].text, reserved[i].help, "VALUE");
    gboolean good = lp_options_parse("platform generate", "--system=NAME --accelerators=N",
                                     "Writes the platform file of a machine. Values carry units: "
                                     "25GBps, 200Gbps, 1us.",
                                     entries, &argc, &argv, 0, 0, error) &&
                    check_reserved(reserved, G_N_ELEMENTS(reserved), error) &&
                    generate(settings, G_N_ELEMENTS(settings), output, error);
    for (gsize i = 0; i < G_N_ELEMENTS(settings); i++)
        g_free(settings[i].text);
    for (gsize i = 0; i < G_N_ELEMENTS(reserved); i++)
        g_free(reserved[i].text);
    return good;
}

static LpMachine *
load(const char *name, GError **error)
{
    g_autofree char *path = lp_file_find("platforms", name, error);
    return path != NULL ? lp_machine_load(path, error) : NULL;
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
    g_autoptr(LpMachine) machine = load(argv[1], error);
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
    g_autoptr(LpMachine) machine = load(argv[1], error);
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
    const GOptionEntry entries[] = {
        {"format", 0, 0, G_OPTION_ARG_STRING, &format_text, "text (default) or json", "FORMAT"},
        {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL}};
    LpFormat format = LP_FORMAT_TEXT;
    if (!lp_options_parse(
            "platform list", NULL,
            "Lists systems, accelerators, communication libraries and shipped machines.", entries,
            &argc, &argv, 0, 0, error) ||
        !lp_format_parse(format_text, &format, error))
        return FALSE;
    g_auto(GStrv) systems = lp_generate_systems(error);
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
        return lp_usage_error(error,
                              "platform: no command, wanted generate, describe, check or list");
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
