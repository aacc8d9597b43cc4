/* SPDX-License-Identifier: Apache-2.0 */
/* Lists frameworks, what each sets of a plan, when, and by which source. */
#include "cli/framework_list.h"

#include "cli/option_rows.h"
#include "cli/options.h"
#include "report/report_parts.h"
#include "workloads/description/framework.h"

/* --- all --- */

static void
add_framework(LpTextTable *table, json_t *list, const LpFramework *framework)
{
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", framework->name);
    lp_text_table_add_cell(table, "%s", framework->like != NULL ? framework->like : "-");
    lp_text_table_add_cell(table, "%u", framework->settings->len);
    lp_text_table_add_cell(table, "%s", framework->description);
    json_t *object = lp_json_append_object(list);
    lp_json_set_text(object, "name", framework->name);
    if (framework->like != NULL)
        lp_json_set_text(object, "base", framework->like);
    lp_json_set_text(object, "description", framework->description);
    lp_json_set_count(object, "settings", framework->settings->len);
}

static gboolean
print_all(LpFormat format, GError **error)
{
    g_auto(GStrv) names = lp_framework_names(error);
    g_autoptr(json_t) root = lp_json_document();
    json_t *list = lp_json_set_array(root, "frameworks");
    g_autoptr(LpTextTable) table =
        lp_text_table_new((const char *const[]){"framework", "base", "#settings", "what", NULL});
    for (char **name = names; name != NULL && *name != NULL; name++) {
        g_autoptr(LpFramework) framework = lp_framework_find(*name, error);
        if (framework == NULL)
            return FALSE;
        add_framework(table, list, framework);
    }
    if (names == NULL)
        return FALSE;
    return format == LP_FORMAT_JSON ? lp_print_json(g_steal_pointer(&root), error)
                                    : lp_print_table(table, error);
}

/* --- one --- */

static json_t *
one_to_json(const LpFramework *framework)
{
    json_t *root = lp_json_document();
    lp_json_set_text(root, "framework", framework->name);
    if (framework->like != NULL)
        lp_json_set_text(root, "base", framework->like);
    lp_json_set_text(root, "description", framework->description);
    json_t *list = lp_json_set_array(root, "settings");
    for (guint i = 0; i < framework->settings->len; i++) {
        const LpFrameworkSetting *setting = framework->settings->pdata[i];
        g_autofree char *when = lp_framework_setting_when(setting);
        json_t *object = lp_json_append_object(list);
        lp_json_set_text(object, "name", setting->name);
        lp_json_set_text(object, "value", setting->value);
        lp_json_set_text(object, "when", when);
        lp_json_set_text(object, "of", setting->framework);
        lp_json_set_text(object, "source", setting->source);
        if (setting->publishers != NULL)
            lp_json_set_count(object, "publishers", (guint64)(*setting->publishers - '0'));
    }
    return root;
}

/* Whose rows test its conditions: the schema takes "0", "1" and "2". */
static const char *
publishers_of(const LpFrameworkSetting *setting)
{
    static const char *const words[] = {"nobody", "one publisher", "two publishers"};
    return words[*setting->publishers - '0'];
}

static char *
one_to_text(const LpFramework *framework)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "framework   %s: %s\n", framework->name, framework->description);
    if (framework->like != NULL)
        g_string_append_printf(text, "base        %s, whose settings hold behind its own\n",
                               framework->like);
    if (framework->settings->len == 0)
        g_string_append(text, "settings    none\n");
    for (guint i = 0; i < framework->settings->len; i++) {
        const LpFrameworkSetting *setting = framework->settings->pdata[i];
        g_autofree char *when = lp_framework_setting_when(setting);
        g_string_append_printf(text, "\n%s=%s%s%s\n", setting->name, setting->value,
                               *when != '\0' ? "  where " : "", when);
        if (g_strcmp0(setting->framework, framework->name) != 0)
            lp_report_append_prose(text, "  of", setting->framework);
        if (setting->publishers != NULL)
            g_string_append_printf(text, "  measured  by %s\n", publishers_of(setting));
        lp_report_append_prose(text, "  source", setting->source);
    }
    return g_string_free(text, FALSE);
}

static gboolean
print_one(const char *name, LpFormat format, GError **error)
{
    g_autoptr(LpFramework) framework = lp_framework_find(name, error);
    if (framework == NULL) {
        g_prefix_error(error, "workload frameworks: ");
        return FALSE;
    }
    if (format == LP_FORMAT_JSON)
        return lp_print_json(one_to_json(framework), error);
    g_autofree char *text = one_to_text(framework);
    return lp_print_result(text, error);
}

gboolean
lp_cmd_workload_frameworks(int argc, char **argv, GError **error)
{
    g_autofree char *format_text = NULL;
    const GOptionEntry entries[] = {LP_ROW_FORMAT(&format_text), {NULL, 0, 0, 0, NULL, NULL, NULL}};
    LpFormat format;
    if (!lp_options_parse("workload frameworks", "[FRAMEWORK]",
                          "Lists the frameworks that --framework takes, or what one of them sets "
                          "of a plan: the first setting of a name whose conditions hold counts.",
                          entries, &argc, &argv, 0, 1, error) ||
        !lp_format_parse(format_text, &format, error))
        return FALSE;
    return argc > 1 ? print_one(argv[1], format, error) : print_all(format, error);
}
