/* SPDX-License-Identifier: Apache-2.0 */
/* What "platform list --technologies" prints. */
#include "cli/technology_text.h"

#include "base/json.h"
#include "base/text_table.h"
#include "platforms/catalogue/technologies.h"

static void
add_number(LpTextTable *table, json_t *parameters, const LpTechnologyEntry *entry,
           LpTechnologyParameter parameter)
{
    const LpTechnologyNumber *number = &entry->number[parameter];
    const char *name = lp_technology_parameter_names[parameter];
    const char *scope = lp_technology_scope_names[number->scope];
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", entry->name);
    lp_text_table_add_cell(table, "%s", name);
    lp_text_table_add_cell(table, "%s%s%s", number->text,
                           number->maximum_text != NULL ? " to " : "",
                           number->maximum_text != NULL ? number->maximum_text : "");
    lp_text_table_add_cell(table, "%s", scope);
    lp_text_table_add_cell(table, "%s", number->source);
    json_t *object = lp_json_append_object(parameters);
    lp_json_set_text(object, "name", name);
    lp_json_set_number(object, "value", number->value);
    lp_json_set_number(object, "maximum", number->maximum);
    lp_json_set_text(object, "scope", scope);
    lp_json_set_text(object, "source", number->source);
}

static void
add_entry(LpTextTable *table, json_t *entries, const LpTechnologyEntry *entry)
{
    json_t *object = lp_json_append_object(entries);
    lp_json_set_text(object, "name", entry->name);
    lp_json_set_text(object, "medium", entry->is_optical ? "optical" : "electrical");
    lp_json_set_text(object, "description", entry->description);
    json_t *parameters = lp_json_set_array(object, "parameters");
    for (guint i = 0; i < LP_N_TECHNOLOGY_PARAMETERS; i++)
        if (entry->number[i].is_known)
            add_number(table, parameters, entry, i);
}

gboolean
lp_technologies_print(LpFormat format, GError **error)
{
    static const char *const keys[LP_N_TECHNOLOGY_KINDS] = {"links", "switches"};
    g_autoptr(json_t) root = lp_json_document();
    g_autoptr(GString) text = g_string_new(NULL);
    for (LpTechnologyKind kind = 0; kind < LP_N_TECHNOLOGY_KINDS; kind++) {
        g_autoptr(GPtrArray) entries = lp_technologies_load(kind, error);
        if (entries == NULL)
            return FALSE;
        g_autoptr(LpTextTable) table = lp_text_table_new(
            (const char *const[]){keys[kind], "parameter", "#value", "scope", "source", NULL});
        json_t *array = lp_json_set_array(root, keys[kind]);
        for (guint i = 0; i < entries->len; i++)
            add_entry(table, array, g_ptr_array_index(entries, i));
        g_string_append(text, kind > 0 ? "\n" : "");
        lp_text_table_append(text, table, 0);
    }
    return format == LP_FORMAT_JSON ? lp_print_json(g_steal_pointer(&root), error)
                                    : lp_print_result(text->str, error);
}
