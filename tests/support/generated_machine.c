/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/generated_machine.h"

#include "platforms/generation/generate.h"
#include "tests/testlib.h"

#include <string.h>

/* The options that tests use. */
static const struct {
    const char *name;
    gsize offset;
} known[] = {
    {"--system=", offsetof(LpGenerateOptions, system)},
    {"--accelerators=", offsetof(LpGenerateOptions, accelerators)},
    {"--domain-size=", offsetof(LpGenerateOptions, domain_size)},
    {"--domain-bandwidth=", offsetof(LpGenerateOptions, domain_bandwidth)},
    {"--domain-latency=", offsetof(LpGenerateOptions, domain_latency)},
    {"--topology=", offsetof(LpGenerateOptions, topology)},
    {"--scale-out-bandwidth=", offsetof(LpGenerateOptions, scale_out_bandwidth)},
    {"--scale-out-latency=", offsetof(LpGenerateOptions, scale_out_latency)},
    {"--nics-per-domain=", offsetof(LpGenerateOptions, nics_per_domain)},
    {"--port-order=", offsetof(LpGenerateOptions, port_order)},
    {"--leaf-ports=", offsetof(LpGenerateOptions, leaf_ports)},
    {"--oversubscription=", offsetof(LpGenerateOptions, oversubscription)},
    {"--dimensions=", offsetof(LpGenerateOptions, dimensions)},
};

/* Points at the value of @word, which keeps it. */
static void
set_option(LpGenerateOptions *options, const char *word)
{
    for (guint i = 0; i < G_N_ELEMENTS(known); i++)
        if (g_str_has_prefix(word, known[i].name)) {
            *(const char **)(gpointer)((char *)options + known[i].offset) =
                word + strlen(known[i].name);
            return;
        }
    lp_test_failed(word, "no option of machines that tests use");
}

LpMachine *
lp_generated_machine_good(const char *options)
{
    g_auto(GStrv) words = g_strsplit(options, " ", -1);
    LpGenerateOptions parsed = {.system = NULL};
    for (guint i = 0; words[i] != NULL; i++)
        set_option(&parsed, words[i]);
    g_autoptr(GError) error = NULL;
    g_autofree char *text = lp_generate(&parsed, &error);
    LpMachine *machine = text != NULL ? lp_machine_parse("generated", text, &error) : NULL;
    lp_test_text(options, error != NULL ? error->message : NULL, NULL);
    return machine;
}
