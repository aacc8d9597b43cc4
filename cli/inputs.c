/* SPDX-License-Identifier: Apache-2.0 */
/* The workloads, scenarios and platforms that a command line names. */
#include "cli/inputs.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "base/xml.h"

#include <string.h>

static const struct {
    LpInputKind kind;
    const char *root;   /* the root element of such a file */
    const char *folder; /* of shipped ones */
    const char *named;
    const char *hint; /* where it belongs */
} kinds[] = {
    {LP_INPUT_WORKLOAD, "workload", "workloads", "a workload", "workloads come before platforms"},
    {LP_INPUT_SCENARIO, "scenario", "workloads/scenarios", "a scenario",
     "lightpath simulate runs scenarios"},
    {LP_INPUT_PLATFORM, "platform", "platforms", "a platform", "platforms come after workloads"},
};

/* "a workload or a scenario". Returns: (transfer full). */
static char *
wanted_text(guint wanted)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        if ((kinds[i].kind & wanted) != 0)
            g_string_append_printf(text, "%s%s", text->len > 0 ? " or " : "", kinds[i].named);
    return g_string_free(text, FALSE);
}

static void
refuse_kind(const char *name, guint index, guint wanted, GError **error)
{
    g_autofree char *shown = lp_error_quote(name);
    g_autofree char *text = wanted_text(wanted);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME, "%s is %s, wanted %s (%s)", shown,
                kinds[index].named, text, kinds[index].hint);
}

/* A path, if its file does not say of itself that it is something else. */
static char *
find_path(const char *name, guint wanted, GError **error)
{
    g_autofree char *path = lp_file_argument(name, error);
    /* Reading a pipe would empty it. */
    if (path == NULL || !g_file_test(path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer(&path);
    g_autofree char *root = lp_xml_root_name(path);
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (g_strcmp0(root, kinds[i].root) == 0 && (kinds[i].kind & wanted) == 0) {
            refuse_kind(name, i, wanted, error);
            return NULL;
        }
    return g_steal_pointer(&path);
}

static void
refuse_unknown(const char *name, guint wanted, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autofree char **shipped = lp_file_shipped(kinds[i].folder);
        for (char **item = shipped; *item != NULL; item++)
            if ((kinds[i].kind & wanted) != 0)
                g_ptr_array_add(names, *item);
            else
                g_free(*item);
    }
    g_ptr_array_add(names, NULL);
    g_autofree char *shown = lp_error_quote(name);
    g_autofree char *text = wanted_text(wanted);
    const char *like = lp_like_name(name, (const char *const *)names->pdata);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                "%s is neither a file nor the name of %s that is shipped%s%s (lightpath %s list)",
                shown, text, like != NULL ? "; the nearest is " : "", like != NULL ? like : "",
                (wanted & LP_INPUT_PLATFORM) != 0 ? "platform" : "workload");
}

char *
lp_input_find(const char *name, guint wanted, GError **error)
{
    if (lp_file_is_path(name))
        return find_path(name, wanted, error);
    for (guint pass = 0; pass < 2; pass++)
        for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
            gboolean is_wanted = (kinds[i].kind & wanted) != 0;
            g_auto(GStrv) shipped = lp_file_shipped(kinds[i].folder);
            if (is_wanted != (pass == 0) || !g_strv_contains((const char *const *)shipped, name))
                continue;
            if (is_wanted)
                return lp_file_find(kinds[i].folder, name, error);
            refuse_kind(name, i, wanted, error);
            return NULL;
        }
    refuse_unknown(name, wanted, error);
    return NULL;
}

LpMachine *
lp_input_load_machine(const char *name, GError **error)
{
    g_autofree char *path = lp_input_find(name, LP_INPUT_PLATFORM, error);
    return path != NULL ? lp_machine_load(path, error) : NULL;
}

gboolean
lp_load_inputs(const char *workload_name, const char *platform_name, const char *const *settings,
               LpWorkload **out_workload, LpMachine **out_machine, GError **error)
{
    g_autofree char *workload_path = lp_input_find(workload_name, LP_INPUT_WORKLOAD, error);
    if (workload_path == NULL)
        return FALSE;
    g_autofree char *platform_path = lp_input_find(platform_name, LP_INPUT_PLATFORM, error);
    if (platform_path == NULL)
        return FALSE;
    g_autoptr(LpWorkload) workload = lp_workload_load(workload_path, settings, error);
    if (workload == NULL)
        return FALSE;
    *out_machine = lp_machine_load(platform_path, error);
    if (*out_machine == NULL)
        return FALSE;
    *out_workload = g_steal_pointer(&workload);
    return TRUE;
}
