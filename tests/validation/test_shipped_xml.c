/* SPDX-License-Identifier: Apache-2.0 */
/* Every embedded document follows its schema: the program does not check what it was built with. */
#include "base/xml.h"
#include "platforms/catalogue/catalogue.h"
#include "tests/testlib.h"
#include "workloads/description/framework.h"

#include <gio/gio.h>

#define ROOT "/lightpath/"

/* By the folder that a document lies in, and its root element. */
static const struct {
    const char *folder, *element, *schema;
} rows[] = {
    {"kernels/", "kernels", "kernels/kernels.xsd"},
    {"platforms/", "platform", "platforms/platform.xsd"},
    {"platforms/catalogue/", "accelerators", "platforms/catalogue/accelerators.xsd"},
    {"platforms/catalogue/", "kernels", "platforms/catalogue/kernels.xsd"},
    {"platforms/catalogue/", "libraries", "platforms/catalogue/libraries.xsd"},
    {"platforms/catalogue/", "reliability", "platforms/catalogue/reliability.xsd"},
    {"platforms/catalogue/", "systems", "platforms/catalogue/systems.xsd"},
    {"platforms/catalogue/", "technologies", "platforms/catalogue/technologies.xsd"},
    {"workloads/", "workload", "workloads/schema/workload.xsd"},
    {"workloads/", "program", "workloads/schema/program.xsd"},
    {"workloads/", "scenario", "workloads/schema/scenario.xsd"},
    {"workloads/catalogue/", "frameworks", "workloads/catalogue/frameworks.xsd"},
};

/* Returns: the row of a document; -1: none. */
static int
row_of(const char *path, const char *element)
{
    int found = -1;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        if (g_str_has_prefix(path + strlen(ROOT), rows[i].folder) &&
            g_strcmp0(element, rows[i].element) == 0)
            found = (int)i;
    return found;
}

static void
check(const char *path, gboolean *out_seen)
{
    g_autofree char *resource = g_strconcat("resource://", path, NULL);
    g_autofree char *element = lp_xml_root_name(resource);
    int row = row_of(path, element);
    lp_test_true(path, row >= 0);
    if (row < 0)
        return;
    out_seen[row] = TRUE;
    g_autoptr(GError) error = NULL;
    g_autofree char *schema = g_strconcat("resource://" ROOT, rows[row].schema, NULL);
    g_autoptr(GBytes) content = g_resources_lookup_data(path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    g_autoptr(LpXml) xml = lp_xml_parse(path, content, schema, &error);
    lp_test_text(path, error != NULL ? error->message : NULL, NULL);
    lp_test_true(path, xml != NULL);
}

static void
walk(const char *folder, gboolean *out_seen)
{
    g_auto(GStrv) names =
        g_resources_enumerate_children(folder, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    for (guint i = 0; names != NULL && names[i] != NULL; i++) {
        g_autofree char *path = g_strconcat(folder, names[i], NULL);
        if (g_str_has_suffix(path, "/"))
            walk(path, out_seen);
        else if (g_str_has_suffix(path, ".xml"))
            check(path, out_seen);
    }
}

static void
test_shipped(void)
{
    gboolean seen[G_N_ELEMENTS(rows)] = {FALSE};
    /* Named so that a static link keeps the embedded files. */
    g_autoptr(GArray) accelerators = lp_catalogue_load(NULL);
    g_auto(GStrv) frameworks = lp_framework_names(NULL);
    lp_test_true("catalogues", accelerators != NULL && frameworks != NULL);
    walk(ROOT, seen);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_true(rows[i].schema, seen[i]);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"shipped", test_shipped}, {NULL, NULL}};
    return lp_test_run("shipped XML", cases);
}
