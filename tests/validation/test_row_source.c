/* SPDX-License-Identifier: Apache-2.0 */
/* What sources of measured rows ran, and the names by which they are found. */
#include "validation/cases/row_source.h"

#include "base/xml.h"
#include "platforms/generation/system.h"
#include "tests/testlib.h"
#include "workloads/description/framework.h"

#define SOURCES "resource:///lightpath/validation/sources.xml"
#define SCHEMA "resource:///lightpath/validation/sources.xsd"

/* What is stated counts, and a source's name however it is written, but whole words alone. */
static void
test_frameworks(void)
{
    static const struct {
        const char *source, *stated, *framework;
    } rows[] = {
        {"MosaicML llm-foundry benchmarking", "fsdp", "llm-foundry"},
        {"LLMFoundry", "fsdp", "llm-foundry"},
        {"the LLM Foundry's tables", "fsdp", "llm-foundry"},
        {"MosaicML llm-foundry benchmarking", "transformers-fsdp", NULL},
        {"JAX-Toolbox PAX README", "xla", "pax"},
        {"Impax", "xla", NULL},
        {"PAXML", "xla", NULL},
        {"Narayanan et al., SC 2021", "deepspeed", "deepspeed-2021"},
        {"Narayanan et al., SC 2021", "megatron-lm-2021", NULL},
        {"MLPerf Training v5.1 closed llama31_8b, NVIDIA", "megatron-core", "mlperf-2025"},
        {"MLPerf Training v5.1 closed llama31_8b, Cisco", "megatron-core", "mlperf-2025-cisco"},
        {"MLPerf Training v3.1 closed, NVIDIA", "megatron-core", NULL},
        {"", "fsdp", NULL},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *name = lp_row_source_framework(rows[i].source, rows[i].stated);
        lp_test_text(rows[i].source, name, rows[i].framework);
    }
}

static void
test_systems(void)
{
    g_autofree char *system =
        lp_row_source_system("HuggingFace Ultra-Scale Playbook benchmark (nanotron)");
    g_autofree char *none = lp_row_source_system("AWS awsome-distributed-training");
    lp_test_text("a cluster", system, "p5-hf");
    lp_test_text("none", none, NULL);
}

static void
test_probes(void)
{
    LpRowProbe probe = {0.0, FALSE};
    lp_test_true("known", lp_row_source_probe("HF ultra-scale bench csv", &probe));
    lp_test_close("256 Mi of 4 bytes", probe.bytes, 0x1p30, 0.0);
    lp_test_true("lists", probe.has_lists);
    lp_test_true("unknown", !lp_row_source_probe("nccl-tests", &probe));
}

/* What the file names is there to run. */
static void
test_names(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *none = lp_row_source_system(""); /* which links the embedded file */
    g_autoptr(LpXml) xml = lp_xml_load(SOURCES, SCHEMA, &error);
    lp_test_text("loads", error != NULL ? error->message : NULL, none);
    guint n = 0;
    for (const xmlNode *node = xml != NULL ? lp_xml_element(lp_xml_root(xml)->children, NULL)
                                           : NULL;
         node != NULL; node = lp_xml_element(node->next, NULL), n++) {
        const char *const attributes[] = {"stated", "framework"};
        for (guint i = 0; i < G_N_ELEMENTS(attributes); i++) {
            const char *name = lp_xml_attribute(node, attributes[i]);
            g_autoptr(LpFramework) framework = name != NULL ? lp_framework_find(name, NULL) : NULL;
            lp_test_true(name, name == NULL || framework != NULL);
        }
        const char *name = lp_xml_attribute(node, "system");
        g_autoptr(LpMachineSpecification) system = name != NULL ? lp_system_load(name, NULL) : NULL;
        lp_test_true(name, name == NULL || system != NULL);
    }
    lp_test_true("some", n > 10);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"frameworks", test_frameworks},
                                       {"systems", test_systems},
                                       {"probes", test_probes},
                                       {"names", test_names},
                                       {NULL, NULL}};
    return lp_test_run("sources of rows", cases);
}
