/* SPDX-License-Identifier: Apache-2.0 */
/* Thin wrappers of JsonBuilder and JsonGenerator. */
#include "report/json.h"

void
lp_json_text(JsonBuilder *builder, const char *key, const char *value)
{
    /* A file may have any name; JSON is UTF-8. */
    g_autofree char *valid = g_utf8_make_valid(value, -1);
    json_builder_set_member_name(builder, key);
    json_builder_add_string_value(builder, valid);
}

void
lp_json_count(JsonBuilder *builder, const char *key, guint64 value)
{
    json_builder_set_member_name(builder, key);
    json_builder_add_int_value(builder, (gint64)value);
}

void
lp_json_number(JsonBuilder *builder, const char *key, double value)
{
    json_builder_set_member_name(builder, key);
    json_builder_add_double_value(builder, value + 0.0);
}

void
lp_json_begin(JsonBuilder *builder, const char *key)
{
    json_builder_set_member_name(builder, key);
    json_builder_begin_object(builder);
}

void
lp_json_begin_array(JsonBuilder *builder, const char *key)
{
    json_builder_set_member_name(builder, key);
    json_builder_begin_array(builder);
}

/* JSON-GLib 1.6 writes 1e18 as 1e+18.0, which no reader takes. A value stands on a line of its own.
 */
static char *
mend_exponents(const char *text)
{
    g_autoptr(GRegex) broken = g_regex_new("^( *(?:\"[^\"]*\" : )?-?[0-9]+e[+-][0-9]+)\\.0(,?)$",
                                           G_REGEX_MULTILINE, 0, NULL);
    return g_regex_replace(broken, text, -1, 0, "\\1\\2", 0, NULL);
}

static char *
print(JsonNode *node, guint indent)
{
    g_autoptr(JsonGenerator) generator = json_generator_new();
    json_generator_set_root(generator, node);
    json_generator_set_pretty(generator, TRUE);
    json_generator_set_indent(generator, indent);
    g_autofree char *text = json_generator_to_data(generator, NULL);
    g_autofree char *mended = mend_exponents(text);
    return g_strconcat(mended, "\n", NULL);
}

char *
lp_json_print(JsonNode *node)
{
    return print(node, 2);
}

char *
lp_json_print_flat(JsonNode *node)
{
    return print(node, 0);
}
