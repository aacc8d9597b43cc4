/* SPDX-License-Identifier: Apache-2.0 */
/* Generated machines: what they contain, that they are stable, and what their files say. */
#include "platforms/generation/generate.h"

#include "base/file.h"
#include "platforms/generation/system.h"
#include "platforms/machine/describe.h"
#include "tests/support/generated.h"
#include "tests/testlib.h"

#include <string.h>

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
        g_autofree char *options =
            g_strdup_printf("--system=%s --accelerators=%s", rows[i].system, rows[i].accelerators);
        g_autofree char *name = g_strdup_printf("%s-%s", rows[i].system, rows[i].accelerators);
        g_autofree char *path = lp_file_find("platforms", name, &error);
        g_autofree char *text = lp_generated_text(options, &error);
        g_autofree char *again = lp_generated_text(options, &error);
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
        const char *options;
        guint64 n_accelerators;
        guint32 domain_size, n_cards, unit_domains;
        guint64 n_ports;            /* 0: no scale-out */
        guint32 down, n_leaves, up; /* 0: a crossbar */
        double scale_up_bytes_per_s, scale_out_bytes_per_s, link_bytes_per_s;
    } rows[] = {
        {"one accelerator", "--system=dgx-a100 --accelerators=1", 1, 1, 1, 1, 0, 0, 0, 0, 300e9, 0,
         0},
        {"a part of a domain", "--system=polaris --accelerators=2", 2, 2, 1, 1, 0, 0, 0, 0, 300e9,
         0, 0},
        {"SC 2021", "--system=dgx-a100 --accelerators=3072", 3072, 8, 8, 20, 3200, 20, 160, 20,
         300e9, 25e9, 25e9},
        {"one leaf a rail", "--system=dgx-a100 --accelerators=128", 128, 8, 8, 16, 128, 16, 8, 16,
         300e9, 25e9, 25e9},
        {"largest", "--system=dgx-a100 --accelerators=131072", 131072, 8, 8, 20, 131200, 20, 6560,
         20, 300e9, 25e9, 25e9},
        {"largest crossbar", "--system=optical-substrate --accelerators=131072", 131072, 8, 8, 1,
         131072, 0, 0, 0, 300e9, 300e9, 300e9},
        {"h100", "--system=dgx-h100 --accelerators=512", 512, 8, 8, 32, 512, 32, 16, 32, 450e9,
         50e9, 50e9},
        {"polaris", "--system=polaris --accelerators=64", 64, 4, 2, 1, 32, 0, 0, 0, 300e9, 6.25e9,
         12.5e9},
        {"h800", "--system=hgx-h800 --accelerators=2048", 2048, 8, 8, 32, 2048, 32, 64, 32, 200e9,
         50e9, 50e9},
        {"a rack", "--system=gb200-nvl72 --accelerators=72", 72, 72, 1, 1, 0, 0, 0, 0, 900e9, 0, 0},
        {"two units of racks", "--system=gb200-nvl72 --accelerators=1152", 1152, 72, 72, 8, 1152, 8,
         144, 8, 900e9, 50e9, 50e9},
        {"a unit of B300", "--system=dgx-b300 --accelerators=1152", 1152, 8, 8, 72, 1152, 72, 16,
         72, 900e9, 100e9, 100e9},
        {"two units of B200", "--system=dgx-b200 --accelerators=512", 512, 8, 8, 32, 512, 32, 16,
         32, 900e9, 50e9, 50e9},
        {"GB300", "--system=gb300-nvl72 --accelerators=1152", 1152, 72, 72, 8, 1152, 8, 144, 8,
         900e9, 100e9, 100e9},
        {"frontier", "--system=frontier --accelerators=64", 64, 8, 4, 1, 512, 0, 0, 0, 50e9, 12.5e9,
         25e9},
        {"4:1", "--system=generic --accelerators=256 --leaf-ports=16 --oversubscription=4", 256, 8,
         8, 1, 256, 16, 16, 4, 300e9, 25e9, 25e9},
        {"rails", "--system=generic --accelerators=256 --rails=4 --leaf-ports=16", 256, 8, 4, 16,
         128, 16, 8, 16, 300e9, 12.5e9, 25e9},
        {"node order", "--system=dgx-a100 --accelerators=1024 --port-order=node --leaf-ports=32",
         1024, 8, 8, 1, 1024, 32, 32, 32, 300e9, 25e9, 25e9},
        {"domain of 256",
         "--system=optical-substrate --accelerators=1024 --domain-size=256 "
         "--domain-bandwidth=1TBps --scale-out-bandwidth=100GBps",
         1024, 256, 256, 1, 1024, 0, 0, 0, 1e12, 100e9, 100e9},
        {"no domains", "--system=generic --accelerators=64 --domain-size=1", 64, 1, 1, 1, 64, 32, 2,
         32, 300e9, 25e9, 25e9},
        {"four cards", "--system=dgx-a100 --accelerators=320 --nics-per-domain=4", 320, 8, 4, 20,
         160, 20, 8, 20, 300e9, 12.5e9, 25e9},
        {"spare ports", "--system=generic --accelerators=272", 272, 8, 8, 1, 288, 32, 9, 32, 300e9,
         25e9, 25e9},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpMachine) machine = lp_generated_machine(rows[i].options, &error);
        lp_test_text(rows[i].label, error != NULL ? error->message : "", "");
        if (machine == NULL)
            continue;
        const LpCluster *out = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
        g_autofree char *system = g_strdup_printf("--system=%s ", machine->system);
        lp_test_true(rows[i].label, g_str_has_prefix(rows[i].options, system));
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

/* What is read of a generated machine is enough to write it again, for every system and size. */
static void
check_round_trip(const char *system, guint32 n_domains)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(LpMachineSpecification) defaults = lp_system_load(system, NULL);
    guint32 n = defaults->domain.size * n_domains;
    g_autofree char *label = g_strdup_printf("%s-%u", system, n);
    g_autoptr(LpMachineSpecification) first = lp_specification_new(system, n, &error);
    g_autofree char *text = first != NULL ? lp_generate(first, &error) : NULL;
    lp_test_text(label, error != NULL ? error->message : "", "");
    g_autoptr(LpMachine) machine = text != NULL ? lp_machine_parse(label, text, &error) : NULL;
    if (machine == NULL)
        return;
    LpMachineFacts facts = lp_machine_facts(machine);
    g_autoptr(LpMachineSpecification) second =
        lp_specification_new(machine->system, (guint32)machine->n_accelerators, &error);
    g_autofree char *again = lp_generate(second, &error);
    lp_test_text(label, again, text);
    lp_test_true(label, facts.n_domains == n_domains &&
                            (facts.bisection_bytes_per_s > 0) == (n_domains > 1));
}

static void
test_round_trip(void)
{
    static const guint32 n_domains[] = {1, 2, 3, 7, 64, 129};
    g_auto(GStrv) systems = lp_system_names(NULL);
    for (char **system = systems; *system != NULL; system++)
        for (gsize i = 0; i < G_N_ELEMENTS(n_domains); i++)
            check_round_trip(*system, n_domains[i]);
}

/* What an option replaces, the written file says, in the order of the table. */
static void
test_sources(void)
{
    g_autofree char *text = lp_generated_text("--rails=4 --domain-bandwidth=1 TBps", NULL);
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

/* What only the whole file shows: it is read as a platform file is. */
static const LpBadOptions bad_rows[] = {
    {"paths of a static choice", "--paths=4", lp_machine_error_quark, LP_MACHINE_ERROR_STRUCTURE,
     "--paths: got it with one static path"},
    {"a hash in a crossbar", "--topology=crossbar --path-choice=hash --paths=4",
     lp_machine_error_quark, LP_MACHINE_ERROR_STRUCTURE, "--path-choice: hash, wanted static"},
    {"planes of classes", "--planes=2 --plane-use=class", lp_machine_error_quark,
     LP_MACHINE_ERROR_STRUCTURE, "--plane-classes: got none, wanted it"},
};

static void
test_bad(void)
{
    lp_generated_check_bad(bad_rows, G_N_ELEMENTS(bad_rows));
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"shipped", test_shipped}, {"machines", test_machines}, {"round trip", test_round_trip},
        {"sources", test_sources}, {"bad", test_bad},           {NULL, NULL}};
    return lp_test_run("generate", cases);
}
