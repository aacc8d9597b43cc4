/* SPDX-License-Identifier: Apache-2.0 */
/* Generated machines: what they contain, that they are stable, and which options are refused. */
#include "platforms/generation/generate.h"

#include "base/error.h"
#include "base/file.h"
#include "platforms/machine/describe.h"
#include "platforms/generation/system.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <string.h>

static LpMachine *
load_generated(const LpGenerateOptions *options, GError **error)
{
    g_autofree char *text = lp_generate(options, error);
    if (text == NULL)
        return NULL;
    g_autofree char *path = NULL;
    int fd = g_file_open_tmp("lightpath-XXXXXX.xml", &path, NULL);
    lp_test_true("temporary file",
                 fd >= 0 && g_close(fd, NULL) && g_file_set_contents(path, text, -1, NULL));
    LpMachine *machine = lp_machine_load(path, error);
    g_unlink(path);
    return machine;
}

/* The shipped machines are what the command writes, to the byte. */
static void
test_shipped(void)
{
    static const struct {
        const char *system, *accelerators;
    } rows[] = {{"dgx-a100", "8"}, {"dgx-a100", "1024"},          {"dgx-h100", "64"},
                {"generic", "16"}, {"optical-substrate", "1024"}, {"polaris", "64"}};
    g_auto(GStrv) shipped = lp_file_shipped("platforms");
    lp_test_true("all of them", g_strv_length(shipped) == G_N_ELEMENTS(rows));
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        LpGenerateOptions options = {.system = rows[i].system,
                                     .accelerators = rows[i].accelerators};
        g_autofree char *name = g_strdup_printf("%s-%s", rows[i].system, rows[i].accelerators);
        g_autofree char *path = lp_file_find("platforms", name, &error);
        g_autofree char *text = lp_generate(&options, &error);
        g_autofree char *again = lp_generate(&options, &error);
        g_autoptr(GBytes) bytes = lp_file_read(path, &error);
        gsize length = 0;
        const char *wanted = g_bytes_get_data(bytes, &length);
        g_autofree char *wanted_text = g_strndup(wanted, length);
        lp_test_text(name, text, wanted_text);
        lp_test_text(name, text, again);
    }
}

static void
test_machines(void)
{
    static const struct {
        const char *label;
        LpGenerateOptions options;
        guint64 n_accelerators;
        guint32 domain_size, n_cards, unit_domains;
        guint64 n_ports;            /* 0: no scale-out */
        guint32 down, n_leaves, up; /* 0: a crossbar */
        double scale_up_bytes_per_s, scale_out_bytes_per_s, link_bytes_per_s;
    } rows[] = {
        {"one accelerator",
         {.system = "dgx-a100", .accelerators = "1"},
         1,
         1,
         1,
         1,
         0,
         0,
         0,
         0,
         300e9,
         0,
         0},
        {"a part of a domain",
         {.system = "polaris", .accelerators = "3"},
         3,
         3,
         1,
         1,
         0,
         0,
         0,
         0,
         300e9,
         0,
         0},
        {"SC 2021",
         {.system = "dgx-a100", .accelerators = "3072"},
         3072,
         8,
         8,
         20,
         3200,
         20,
         160,
         20,
         300e9,
         25e9,
         25e9},
        {"one leaf a rail",
         {.system = "dgx-a100", .accelerators = "128"},
         128,
         8,
         8,
         16,
         128,
         16,
         8,
         16,
         300e9,
         25e9,
         25e9},
        {"largest",
         {.system = "dgx-a100", .accelerators = "131072"},
         131072,
         8,
         8,
         20,
         131200,
         20,
         6560,
         20,
         300e9,
         25e9,
         25e9},
        {"largest crossbar",
         {.system = "optical-substrate", .accelerators = "131072"},
         131072,
         8,
         8,
         1,
         131072,
         0,
         0,
         0,
         300e9,
         300e9,
         300e9},
        {"h100",
         {.system = "dgx-h100", .accelerators = "512"},
         512,
         8,
         8,
         32,
         512,
         32,
         16,
         32,
         450e9,
         50e9,
         50e9},
        {"polaris",
         {.system = "polaris", .accelerators = "64"},
         64,
         4,
         2,
         1,
         32,
         0,
         0,
         0,
         300e9,
         6.25e9,
         12.5e9},
        {"h800",
         {.system = "hgx-h800", .accelerators = "2048"},
         2048,
         8,
         8,
         32,
         2048,
         32,
         64,
         32,
         200e9,
         50e9,
         50e9},
        {"a rack",
         {.system = "gb200-nvl72", .accelerators = "72"},
         72,
         72,
         1,
         1,
         0,
         0,
         0,
         0,
         900e9,
         0,
         0},
        {"two units of racks",
         {.system = "gb200-nvl72", .accelerators = "1152"},
         1152,
         72,
         72,
         8,
         1152,
         8,
         144,
         8,
         900e9,
         50e9,
         50e9},
        {"frontier",
         {.system = "frontier", .accelerators = "64"},
         64,
         8,
         4,
         1,
         512,
         0,
         0,
         0,
         50e9,
         12.5e9,
         25e9},
        {"4:1",
         {.system = "generic", .accelerators = "256", .leaf_ports = "16", .oversubscription = "4"},
         256,
         8,
         8,
         1,
         256,
         16,
         16,
         4,
         300e9,
         25e9,
         25e9},
        {"rails",
         {.system = "generic", .accelerators = "256", .rails = "4", .leaf_ports = "16"},
         256,
         8,
         4,
         16,
         128,
         16,
         8,
         16,
         300e9,
         25e9,
         50e9},
        {"node order",
         {.system = "dgx-a100", .accelerators = "1024", .port_order = "node", .leaf_ports = "32"},
         1024,
         8,
         8,
         1,
         1024,
         32,
         32,
         32,
         300e9,
         25e9,
         25e9},
        {"domain of 256",
         {.system = "optical-substrate",
          .accelerators = "1024",
          .domain_size = "256",
          .domain_bandwidth = "1TBps",
          .scale_out_bandwidth = "100GBps"},
         1024,
         256,
         256,
         1,
         1024,
         0,
         0,
         0,
         1e12,
         100e9,
         100e9},
        {"no domains",
         {.system = "generic", .accelerators = "64", .domain_size = "1"},
         64,
         1,
         1,
         1,
         64,
         32,
         2,
         32,
         300e9,
         25e9,
         25e9},
        {"four cards",
         {.system = "dgx-a100", .accelerators = "320", .nics_per_domain = "4"},
         320,
         8,
         4,
         20,
         160,
         20,
         8,
         20,
         300e9,
         25e9,
         50e9},
        {"spare ports",
         {.system = "generic", .accelerators = "272"},
         272,
         8,
         8,
         1,
         288,
         32,
         9,
         32,
         300e9,
         25e9,
         25e9},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpMachine) machine = load_generated(&rows[i].options, &error);
        lp_test_text(rows[i].label, error != NULL ? error->message : "", "");
        if (machine == NULL)
            continue;
        const LpCluster *out = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
        lp_test_text(rows[i].label, machine->system, rows[i].options.system);
        lp_test_true(rows[i].label, machine->n_accelerators == rows[i].n_accelerators &&
                                        machine->domain_size == rows[i].domain_size &&
                                        machine->cards_per_domain == rows[i].n_cards &&
                                        machine->unit_domains == rows[i].unit_domains);
        lp_test_true(rows[i].label,
                     machine->has_scale_out == (rows[i].n_ports > 0) &&
                         out->n_hosts == rows[i].n_ports && out->down[0] == rows[i].down &&
                         out->down[1] == rows[i].n_leaves && out->up[1] == rows[i].up);
        lp_test_close(rows[i].label, machine->cluster[LP_ATTACHMENT_SCALE_UP].link_bytes_per_s,
                      rows[i].scale_up_bytes_per_s, 1e-15);
        lp_test_close(rows[i].label, lp_machine_scale_out_bytes_per_s(machine),
                      rows[i].scale_out_bytes_per_s, 1e-15);
        lp_test_close(rows[i].label, out->link_bytes_per_s, rows[i].link_bytes_per_s, 1e-15);
    }
}

static void
test_bad(void)
{
    static const struct {
        const char *label;
        LpGenerateOptions options;
        const char *part;
    } rows[] = {
        {"system", {.system = "dgx"}, "--system: \"dgx\" is not one of "},
        {"accelerator", {.accelerator = "a100"}, "--accelerator: \"a100\" is not one of v100-32"},
        {"accelerators",
         {.accelerators = "12"},
         "--accelerators: 12, wanted a multiple of the domain size 8"},
        {"a part of the domain asked for",
         {.accelerators = "4", .domain_size = "8"},
         "--accelerators: 4, wanted a multiple of the domain size 8"},
        {"cards", {.nics_per_domain = "3"}, "--nics-per-domain: 3, wanted a divisor of the domain"},
        {"more cards than accelerators", {.nics_per_domain = "16"}, "--nics-per-domain: 16"},
        {"rails", {.rails = "3"}, "--rails: 3, wanted a divisor of the domain size 8"},
        {"rails in node order",
         {.rails = "8", .port_order = "node"},
         "--rails: given with --port-order=node"},
        {"rails against cards",
         {.rails = "8", .nics_per_domain = "4"},
         "--rails: 8, wanted the value of --nics-per-domain"},
        {"shared cards",
         {.system = "polaris", .accelerators = "9", .domain_size = "3"},
         "--domain-size: 3, wanted a multiple of the 2 accelerators that share a card"},
        {"oversubscription",
         {.accelerators = "1024", .leaf_ports = "16", .oversubscription = "3"},
         "--oversubscription: 3, wanted a divisor of the 16 ports below a leaf"},
        {"a crossbar's oversubscription",
         {.topology = "crossbar", .oversubscription = "2"},
         "--oversubscription: 2, wanted 1: a crossbar has nothing above its ports"},
        {"leaf ports",
         {.accelerators = "1024", .leaf_ports = "12"},
         "--leaf-ports: 12, wanted a multiple of the 8 cards of a domain"},
        {"a torus's oversubscription",
         {.topology = "torus", .oversubscription = "2"},
         "--oversubscription: 2, wanted 1: a torus has nothing above its ports"},
        {"oversubscription of no whole number",
         {.accelerators = "1024", .leaf_ports = "16", .oversubscription = "3:2"},
         "--oversubscription: 3:2, wanted a divisor of the 16 ports below a leaf"},
        {"oversubscription of spines",
         {.accelerators = "1024", .leaf_ports = "8", .levels = "3", .spine_oversubscription = "3"},
         "--spine-oversubscription: 3, wanted a divisor of the 8 leaves below a spine"},
        {"too small a torus",
         {.topology = "torus", .dimensions = "3x7x3"},
         "--dimensions: 3x7x3, 63 ports, wanted at least 64"},
        {"too large a torus",
         {.topology = "torus", .dimensions = "1024x1024x2"},
         "--dimensions: 1024x1024x2, wanted at most 1048576 ports"},
        {"a torus without a dimension",
         {.topology = "torus", .dimensions = "64x1"},
         "--dimensions: \"1\" is out of range"},
        {"seven sizes",
         {.topology = "torus", .dimensions = "2x2x2x2x2x2x2"},
         "--dimensions: 7 sizes, wanted at most 6"},
        {"a torus of rails",
         {.topology = "torus", .port_order = "rail"},
         "--port-order: rail, wanted node: a torus has no leaves"},
        {"too large a dragonfly",
         {.topology = "dragonfly", .group_routers = "1048576", .router_ports = "8"},
         "--accelerators: a dragonfly of 8388608 ports"},
        {"rails of a node order",
         {.joined_rails = "no"},
         "--joined-rails: no, wanted --port-order=rail"},
        {"planes", {.planes = "17"}, "--planes: 17, wanted at most 16"},
        {"planes against ports",
         {.planes = "2", .ports_per_accelerator = "4"},
         "--ports-per-accelerator: 4, wanted the value of --planes"},
        {"paths of a static choice", {.paths = "4"}, "prop paths with one static path"},
        {"a hash in a crossbar",
         {.topology = "crossbar", .path_choice = "hash", .paths = "4"},
         "prop path-choice: hash, wanted static"},
        {"too large a tree",
         {.accelerators = "1048576", .leaf_ports = "1000000"},
         "a fat tree of 2000000 ports, wanted at most 1048576"},
        {"too fast a card",
         {.scale_out_bandwidth = "1EBps", .nics_per_domain = "1"},
         "--scale-out-bandwidth: 8e+18 B/s a card"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpGenerateOptions options = rows[i].options;
        options.system = options.system != NULL ? options.system : "generic";
        options.accelerators = options.accelerators != NULL ? options.accelerators : "64";
        g_autoptr(GError) error = NULL;
        g_autofree char *text = lp_generate(&options, &error);
        lp_test_true(rows[i].label, text == NULL && error != NULL);
        if (error == NULL)
            continue;
        GQuark domain = error->domain;
        lp_test_true(rows[i].label, domain == LP_MACHINE_ERROR || domain == LP_INPUT_ERROR);
        lp_test_error(rows[i].label, &error, domain, error->code, rows[i].part);
    }
}

/* Every option with each kind of nonsense; the message names the option. */
static void
test_nonsense(void)
{
    static const struct {
        const char *option;
        gsize offset;
    } members[] = {
        {"--accelerators: ", G_STRUCT_OFFSET(LpGenerateOptions, accelerators)},
        {"--accelerator: ", G_STRUCT_OFFSET(LpGenerateOptions, accelerator)},
        {"--domain-size: ", G_STRUCT_OFFSET(LpGenerateOptions, domain_size)},
        {"--domain-bandwidth: ", G_STRUCT_OFFSET(LpGenerateOptions, domain_bandwidth)},
        {"--domain-latency: ", G_STRUCT_OFFSET(LpGenerateOptions, domain_latency)},
        {"--domain-technology: ", G_STRUCT_OFFSET(LpGenerateOptions, domain_technology)},
        {"--topology: ", G_STRUCT_OFFSET(LpGenerateOptions, topology)},
        {"--scale-out-bandwidth: ", G_STRUCT_OFFSET(LpGenerateOptions, scale_out_bandwidth)},
        {"--scale-out-latency: ", G_STRUCT_OFFSET(LpGenerateOptions, scale_out_latency)},
        {"--nics-per-domain: ", G_STRUCT_OFFSET(LpGenerateOptions, nics_per_domain)},
        {"--rails: ", G_STRUCT_OFFSET(LpGenerateOptions, rails)},
        {"--port-order: ", G_STRUCT_OFFSET(LpGenerateOptions, port_order)},
        {"--leaf-ports: ", G_STRUCT_OFFSET(LpGenerateOptions, leaf_ports)},
        {"--oversubscription: ", G_STRUCT_OFFSET(LpGenerateOptions, oversubscription)},
        {"--technology: ", G_STRUCT_OFFSET(LpGenerateOptions, technology)},
        {"--system: ", G_STRUCT_OFFSET(LpGenerateOptions, system)},
        {"--nic-bandwidth: ", G_STRUCT_OFFSET(LpGenerateOptions, nic_bandwidth)},
        {"--levels: ", G_STRUCT_OFFSET(LpGenerateOptions, levels)},
        {"--spine-oversubscription: ", G_STRUCT_OFFSET(LpGenerateOptions, spine_oversubscription)},
        {"--switch-ports: ", G_STRUCT_OFFSET(LpGenerateOptions, switch_ports)},
        {"--dimensions: ", G_STRUCT_OFFSET(LpGenerateOptions, dimensions)},
        {"--group-routers: ", G_STRUCT_OFFSET(LpGenerateOptions, group_routers)},
        {"--router-ports: ", G_STRUCT_OFFSET(LpGenerateOptions, router_ports)},
        {"--local-links: ", G_STRUCT_OFFSET(LpGenerateOptions, local_links)},
        {"--global-links: ", G_STRUCT_OFFSET(LpGenerateOptions, global_links)},
        {"--group-spines: ", G_STRUCT_OFFSET(LpGenerateOptions, group_spines)},
        {"--joined-rails: ", G_STRUCT_OFFSET(LpGenerateOptions, joined_rails)},
        {"--planes: ", G_STRUCT_OFFSET(LpGenerateOptions, planes)},
        {"planes: ", G_STRUCT_OFFSET(LpGenerateOptions, ports_per_accelerator)},
        {"plane-use: ", G_STRUCT_OFFSET(LpGenerateOptions, plane_use)},
        {"path-choice: ", G_STRUCT_OFFSET(LpGenerateOptions, path_choice)},
    };
    static const char *const values[] = {"0",      "-1",    "nan",    "inf",       "1e30", "text",
                                         "",       "1.5",   "8 ",     "1e30GBps",  "-1us", "0GBps",
                                         "-1GBps", "nanus", "1e999s", "4294967297"};
    for (gsize i = 0; i < G_N_ELEMENTS(members); i++) {
        for (gsize j = 0; j < G_N_ELEMENTS(values); j++) {
            LpGenerateOptions options = {.system = "generic", .accelerators = "64"};
            G_STRUCT_MEMBER(const char *, &options, members[i].offset) = values[j];
            g_autoptr(GError) error = NULL;
            g_autofree char *text = lp_generate(&options, &error);
            g_autofree char *label = g_strdup_printf("%s%s", members[i].option, values[j]);
            lp_test_true(label, text == NULL && error != NULL);
            if (error != NULL)
                lp_test_error(label, &error, LP_INPUT_ERROR, error->code, members[i].option);
        }
    }
}

/* The shape of what is written, by the parameters of the topology. */
static void
test_shapes(void)
{
    static const struct {
        const char *label;
        LpGenerateOptions options;
        const char *part;
    } rows[] = {
        {"two levels hold 64^2 / 2 ports",
         {.system = "dgx-h100", .accelerators = "2048"},
         "\"2;32,64;1,32;1,1\""},
        {"and no more",
         {.system = "dgx-h100", .accelerators = "4096"},
         "\"3;32,16,8;1,32,16;1,1,1\""},
        {"unless told",
         {.system = "dgx-h100", .accelerators = "4096", .levels = "2"},
         "\"2;32,128;1,32;1,1\""},
        {"systems stay as they are",
         {.system = "dgx-a100", .accelerators = "131072"},
         "\"2;20,6560;1,20;1,1\""},
        {"node order",
         {.accelerators = "1024",
          .leaf_ports = "16",
          .levels = "3",
          .oversubscription = "2",
          .spine_oversubscription = "4"},
         "\"3;16,16,4;1,8,4;1,1,1\""},
        {"no third level to join",
         {.accelerators = "128", .leaf_ports = "16", .levels = "3"},
         "\"2;16,8;1,16;1,1\""},
        {"more above than below",
         {.accelerators = "128", .leaf_ports = "16", .oversubscription = "2:3"},
         "\"2;16,8;1,24;1,1\""},
        {"even torus", {.accelerators = "4096", .topology = "torus"}, "\"16,16,16\""},
        {"even as can be", {.accelerators = "1024", .topology = "torus"}, "\"8,8,16\""},
        {"a port to spare",
         {.accelerators = "7", .domain_size = "1", .topology = "torus", .dimensions = "2"},
         "\"2,4\""},
        {"a prime",
         {.accelerators = "4093", .domain_size = "1", .topology = "torus"},
         "\"13,15,21\""},
        {"square", {.accelerators = "1024", .topology = "torus", .dimensions = "2"}, "\"32,32\""},
        {"a ring", {.accelerators = "16", .topology = "torus", .dimensions = "1"}, "\"16\""},
        {"too few for three", {.system = "tpu-v4", .accelerators = "4"}, "\"2,2\""},
        {"a pod", {.system = "tpu-v4", .accelerators = "4096"}, "\"16,16,16\""},
        {"SimGrid's dragonfly",
         {.system = "frontier", .accelerators = "1032"},
         "\"2,4;1,1;32,1;16\""},
        {"all of Frontier", {.system = "frontier", .accelerators = "75264"}, "\"74,4;32,1;16\""},
        {"dragonfly+",
         {.accelerators = "512",
          .topology = "dragonfly-plus",
          .router_ports = "16",
          .group_routers = "16",
          .group_spines = "8",
          .global_links = "3"},
         "\"2,3;8;16;16\""},
        {"a switch a rail", {.system = "rail-only", .accelerators = "512"}, "radical=\"0-511\""},
        {"a tree a rail",
         {.system = "rail-only", .accelerators = "520"},
         "\"3;32,3,8;1,32,1;1,1,1\""},
        {"all of Summit",
         {.system = "summit", .accelerators = "27648"},
         "\"3;18,256,2;1,18,256;1,1,1\""},
        {"a card's rate", {.system = "summit", .accelerators = "12"}, "bw=\"12.5GBps\""},
        {"planes share", {.system = "p5", .accelerators = "16"}, "bw=\"12.5GBps\""},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpGenerateOptions options = rows[i].options;
        options.system = options.system != NULL ? options.system : "generic";
        g_autoptr(GError) error = NULL;
        g_autofree char *text = lp_generate(&options, &error);
        lp_test_text(rows[i].label, error != NULL ? error->message : "", "");
        if (text != NULL && strstr(text, rows[i].part) == NULL)
            lp_test_text(rows[i].label, text, rows[i].part);
    }
}

/* What is read of a generated machine is enough to write it again, for every system and size. */
static void
test_round_trip(void)
{
    static const guint32 n_domains[] = {1, 2, 3, 7, 64, 129};
    g_auto(GStrv) systems = lp_generate_systems(NULL);
    for (char **system = systems; *system != NULL; system++) {
        LpGenerateOptions one = {.system = *system, .accelerators = "1"};
        g_autoptr(LpSystem) parameters = lp_system_load(*system, NULL);
        guint64 size = g_ascii_strtoull(parameters->value[LP_PARAMETER_DOMAIN_SIZE], NULL, 10);
        for (gsize i = 0; i < G_N_ELEMENTS(n_domains); i++) {
            g_autoptr(GError) error = NULL;
            g_autofree char *wanted = g_strdup_printf("%d", (int)(size * n_domains[i]));
            one.accelerators = wanted;
            g_autofree char *text = lp_generate(&one, &error);
            g_autofree char *label = g_strdup_printf("%s-%s", *system, wanted);
            lp_test_text(label, error != NULL ? error->message : "", "");
            g_autoptr(LpMachine) machine =
                text != NULL ? lp_machine_parse(label, text, &error) : NULL;
            if (machine == NULL)
                continue;
            LpMachineFacts facts = lp_machine_facts(machine);
            g_autofree char *again_of = g_strdup_printf("%d", (int)machine->n_accelerators);
            LpGenerateOptions second = {.system = machine->system, .accelerators = again_of};
            g_autofree char *again = lp_generate(&second, &error);
            lp_test_text(label, again, text);
            lp_test_true(label, facts.n_domains == n_domains[i] &&
                                    (facts.bisection_bytes_per_s > 0) == (n_domains[i] > 1));
        }
    }
}

/* What an option replaces, the written file says; XML's own characters are escaped. */
static void
test_sources(void)
{
    LpGenerateOptions options = {
        .system = "generic", .accelerators = "64", .rails = "4", .domain_bandwidth = "1 TBps"};
    g_autofree char *text = lp_generate(&options, NULL);
    static const char *const parts[] = {
        "--system=generic --accelerators=64 --domain-bandwidth=1 TBps --rails=4\"",
        "\"source.domain-bandwidth\" value=\"1 TBps (given on the command line)\"",
        "\"source.port-order\" value=\"rail (follows from --rails on the command line)\"",
        "\"source.domain-size\" value=\"8 (free choice",
        "<prop id=\"port-order\" value=\"rail\"/>",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(parts); i++)
        lp_test_true(parts[i], strstr(text, parts[i]) != NULL);
    lp_test_true("no default where the line says otherwise",
                 strstr(text, "source.accelerators-per-nic") == NULL);
}

static void
test_systems(void)
{
    g_auto(GStrv) names = lp_generate_systems(NULL);
    g_autofree char *joined = g_strjoinv(" ", names);
    lp_test_text("systems", joined,
                 "dgx-a100 dgx-h100 frontier gb200-nvl72 generic hgx-a100-4nic hgx-h800 "
                 "optical-substrate p5 polaris rail-only summit tpu-v4");
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"shipped", test_shipped},       {"machines", test_machines}, {"shapes", test_shapes},
        {"round trip", test_round_trip}, {"bad", test_bad},           {"nonsense", test_nonsense},
        {"sources", test_sources},       {"systems", test_systems},   {NULL, NULL}};
    return lp_test_run("generate", cases);
}
