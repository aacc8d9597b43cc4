/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the table of attributes. */
#include "cli/attribute_table.h"

#include <string.h>

#define LINE_WIDTH 96

/* Traits are listed where one is named, and all of them with "with". */
static gboolean
is_asked(const LpAttribute *one, char *const *names)
{
    if (*names == NULL)
        return !lp_attribute_is_trait(one);
    return g_strv_contains((const char *const *)names, lp_attribute_name(one)) ||
           g_strv_contains((const char *const *)names, lp_attribute_element(one));
}

/* The attribute at @io_index or behind it that is one of @names; NULL: no more. */
static const LpAttribute *
next(char *const *names, guint *io_index)
{
    const LpAttribute *one;
    while ((one = lp_attribute_at((*io_index)++)) != NULL)
        if (is_asked(one, names))
            break;
    return one;
}

/* Appends @text in lines of a terminal's width, indented. */
static void
append_wrapped(GString *out, const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    gsize column = 0;
    for (char **word = words; *word != NULL; word++) {
        gsize width = strlen(*word) + 1;
        if (column == 0 || column + width > LINE_WIDTH) {
            g_string_append(out, column == 0 ? "     " : "\n     ");
            column = strlen("     ");
        }
        g_string_append_printf(out, " %s", *word);
        column += width;
    }
    g_string_append_c(out, '\n');
}

char *
lp_attribute_table_to_text(char *const *names)
{
    GString *out = g_string_new(NULL);
    const LpAttribute *one;
    for (guint i = 0; (one = next(names, &i)) != NULL;) {
        const LpAttributeHelp *help = lp_attribute_help(one);
        g_string_append_printf(out, "%s: %s%s%s; default: %s\n", lp_attribute_name(one),
                               help->values, *help->range != '\0' ? "; " : "", help->range,
                               help->fallback);
        append_wrapped(out, help->meaning);
        for (const LpAttributeValue *value = help->choices; value->name != NULL; value++) {
            g_autofree char *line = g_strdup_printf("%s: %s", value->name, value->meaning);
            append_wrapped(out, line);
        }
    }
    return g_string_free(out, FALSE);
}

json_t *
lp_attribute_table_to_json(char *const *names)
{
    json_t *root = lp_json_document();
    json_t *list = lp_json_set_array(root, "attributes");
    const LpAttribute *one;
    for (guint i = 0; (one = next(names, &i)) != NULL;) {
        const LpAttributeHelp *help = lp_attribute_help(one);
        json_t *object = lp_json_append_object(list);
        lp_json_set_text(object, "name", lp_attribute_name(one));
        lp_json_set_text(object, "element", lp_attribute_element(one));
        lp_json_set_text(object, "values", help->values);
        lp_json_set_text(object, "range", help->range);
        lp_json_set_text(object, "default", help->fallback);
        lp_json_set_text(object, "meaning", help->meaning);
        json_t *choices = lp_json_set_object(object, "choices");
        for (const LpAttributeValue *value = help->choices; value->name != NULL; value++)
            lp_json_set_text(choices, value->name, value->meaning);
        lp_json_set_text(object, "since", help->since);
    }
    return root;
}
