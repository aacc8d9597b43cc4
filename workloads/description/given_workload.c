/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a program, and the few attributes of plans that it has. */
#include "workloads/description/given_workload.h"

#include "base/error.h"
#include "base/file.h"
#include "base/xml.h"
#include "workloads/description/attribute.h"
#include "workloads/given/given_reader.h"
#include "workloads_resource.h"

#include <string.h>

#define SCHEMA "resource:///lightpath/workloads/schema/program.xsd"

/* What a program by hand has of a plan. */
static const char *const names[] = {
    "precision", "library", "library-switch", "protocol", "placement", "slowdown", NULL};

gboolean
lp_given_workload_is_file(const char *path)
{
    /* Reading a pipe would empty it. */
    g_autofree char *root =
        g_str_has_prefix(path, "resource:") || g_file_test(path, G_FILE_TEST_IS_REGULAR)
            ? lp_xml_root_name(path)
            : NULL;
    return g_strcmp0(root, "program") == 0;
}

char *
lp_given_workload_find(const char *name, GError **error)
{
    g_auto(GStrv) programs = lp_file_shipped(LP_GIVEN_WORKLOAD_FOLDER);
    gboolean is_program = g_strv_contains((const char *const *)programs, name);
    return lp_file_find(is_program ? LP_GIVEN_WORKLOAD_FOLDER : "workloads", name, error);
}

gboolean
lp_given_workload_has_attribute(const LpWorkload *self, const char *name, GError **error)
{
    if (self->given == NULL || g_strv_contains(names, name))
        return TRUE;
    g_autofree char *all = g_strjoinv(", ", (char **)(gpointer)(guintptr)names);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                "got an attribute of Transformers for a program by hand, wanted one of %s", all);
    return FALSE;
}

gboolean
lp_given_workload_refuse(const LpWorkload *workload, const char *what, GError **error)
{
    if (workload->given == NULL)
        return TRUE;
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                "%s: got a program by hand, wanted a Transformer: %s",
                lp_file_label(workload->path), what);
    return FALSE;
}

/* The least Transformer, so that nothing that is asked of it fails. */
static void
set_least(LpWorkload *self, guint32 n_ranks)
{
    self->transformer.n_layers = 1;
    self->transformer.hidden = 1;
    self->transformer.n_heads = 1;
    self->transformer.seq = 1;
    self->transformer.vocab = 1;
    self->transformer.embedding = FALSE;
    self->plan.batch.micro = 1;
    self->plan.batch.global = n_ranks;
    self->plan.degree[LP_AXIS_DP] = n_ranks;
    self->plan.format.gradient_bytes = 2;
    lp_transformer_resolve(&self->transformer);
    self->plan.experts.tp = 1;
    lp_plan_deal_layers(&self->plan, &self->transformer);
}

gboolean
lp_given_workload_read(LpWorkload *self, GError **error)
{
    (void)lp_workloads_get_resource();
    g_autoptr(LpXml) xml = lp_xml_load(self->path, SCHEMA, error);
    if (xml == NULL)
        return FALSE;
    xmlNode *root = lp_xml_root(xml);
    self->name = g_strdup(lp_xml_attribute(root, "name"));
    self->machine = g_strdup(lp_xml_attribute(root, "machine"));
    for (guint i = 0; names[i] != NULL; i++) {
        const char *text = lp_xml_attribute(root, names[i]);
        const LpAttribute *attribute = lp_attribute_find(names[i], error);
        if (text == NULL)
            continue;
        if (attribute == NULL || !lp_attribute_set(attribute, self, text, LP_ORIGIN_FILE, error)) {
            lp_xml_prefix(xml, root, names[i], error);
            return FALSE;
        }
    }
    self->given = lp_given_program_read(xml, error);
    if (self->given == NULL)
        return FALSE;
    set_least(self, self->given->n_ranks);
    return TRUE;
}
