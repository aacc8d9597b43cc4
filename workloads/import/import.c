/* SPDX-License-Identifier: Apache-2.0 */
/* Collects what an import maps and leaves out, and writes it as a workload file. */
#include "workloads/import/import.h"

#include "base/xml_writer.h"
#include "workloads/description/workload_text.h"

#include <string.h>

static void
free_row(gpointer data)
{
    LpImportRow *row = data;
    g_free(row->attribute);
    g_free(row->value);
    g_free(row->key);
    g_free(row);
}

static void
free_rest(gpointer data)
{
    LpImportRest *rest = data;
    g_free(rest->key);
    g_free(rest->value);
    g_free(rest->reason);
    g_free(rest);
}

/* @text as a line of printable characters: what XML cannot hold is gone. */
static char *
printable(const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    GString *line = g_string_new(NULL);
    for (char *at = valid; *at != '\0'; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);
        if (g_unichar_isprint(c))
            g_string_append_unichar(line, c);
        else
            g_string_append_c(line, g_unichar_isspace(c) ? ' ' : '?');
    }
    return g_string_free(line, FALSE);
}

LpImport *
lp_import_new(const char *name, const char *source)
{
    g_return_val_if_fail(name != NULL && source != NULL, NULL);
    LpImport *self = g_new0(LpImport, 1);
    self->name = printable(name);
    self->source = printable(source);
    self->plan_source = g_strdup("The plan is a beginning: one accelerator, one sequence.");
    self->mapped = g_ptr_array_new_with_free_func(free_row);
    self->rest = g_ptr_array_new_with_free_func(free_rest);
    return self;
}

void
lp_import_free(LpImport *self)
{
    if (self == NULL)
        return;
    g_free(self->name);
    g_free(self->source);
    g_free(self->plan_source);
    g_ptr_array_unref(self->mapped);
    g_ptr_array_unref(self->rest);
    g_free(self);
}

void
lp_import_map(LpImport *self, const char *attribute, const char *value, const char *key)
{
    LpImportRow *row = g_new(LpImportRow, 1);
    *row = (LpImportRow){g_strdup(attribute), g_strdup(value), printable(key)};
    g_ptr_array_add(self->mapped, row);
}

void
lp_import_replace(LpImport *self, const char *attribute, const char *value, const char *key)
{
    for (guint i = 0; i < self->mapped->len; i++) {
        LpImportRow *row = g_ptr_array_index(self->mapped, i);
        if (strcmp(row->attribute, attribute) != 0)
            continue;
        g_free(row->value);
        g_free(row->key);
        row->value = g_strdup(value);
        row->key = printable(key);
        return;
    }
    lp_import_map(self, attribute, value, key);
}

void
lp_import_map_count(LpImport *self, const char *attribute, guint32 value, const char *key)
{
    g_autofree char *text = g_strdup_printf("%u", value);
    lp_import_map(self, attribute, text, key);
}

void
lp_import_map_boolean(LpImport *self, const char *attribute, gboolean value, const char *key)
{
    lp_import_map(self, attribute, value ? "yes" : "no", key);
}

void
lp_import_leave(LpImport *self, const char *key, const char *value, const char *reason)
{
    LpImportRest *rest = g_new(LpImportRest, 1);
    *rest = (LpImportRest){printable(key), printable(value), g_strdup(reason)};
    g_ptr_array_add(self->rest, rest);
}

const char *
lp_import_value(const LpImport *self, const char *attribute)
{
    for (guint i = 0; i < self->mapped->len; i++) {
        const LpImportRow *row = g_ptr_array_index(self->mapped, i);
        if (strcmp(row->attribute, attribute) == 0)
            return row->value;
    }
    return NULL;
}

/* The rows as settings. Returns: (transfer full). */
static GPtrArray *
settings_of(const LpImport *self)
{
    GPtrArray *settings = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < self->mapped->len; i++) {
        const LpImportRow *row = g_ptr_array_index(self->mapped, i);
        g_ptr_array_add(settings, g_strconcat(row->attribute, "=", row->value, NULL));
    }
    g_ptr_array_add(settings, NULL);
    return settings;
}

LpWorkload *
lp_import_workload(const LpImport *self, const char *path, GError **error)
{
    g_autoptr(GPtrArray) settings = settings_of(self);
    return lp_workload_new(path, self->name, (const char *const *)settings->pdata, error);
}

/* A comment may hold anything but two hyphens in a row. */
static void
append_comment_text(GString *comment, const char *text)
{
    for (; *text != '\0'; text++) {
        g_string_append_c(comment, *text);
        if (text[0] == '-' && (text[1] == '-' || text[1] == '\0'))
            g_string_append_c(comment, ' ');
    }
}

static void
write_rest(LpXmlWriter *xml, const LpImport *self)
{
    if (self->rest->len == 0)
        return;
    g_autoptr(GString) comment = g_string_new(" Left out, or taken as something else:\n");
    for (guint i = 0; i < self->rest->len; i++) {
        const LpImportRest *rest = g_ptr_array_index(self->rest, i);
        g_autofree char *line =
            g_strdup_printf("%s (%s): %s", rest->key, rest->value, rest->reason);
        g_string_append(comment, "       ");
        append_comment_text(comment, line);
        g_string_append_c(comment, '\n');
    }
    g_string_append(comment, "  ");
    lp_xml_writer_comment(xml, comment->str);
}

char *
lp_import_to_xml(const LpImport *self)
{
    g_autoptr(GPtrArray) settings = settings_of(self);
    LpXmlWriter *xml = lp_xml_writer_new();
    lp_xml_writer_open(xml, "workload");
    lp_xml_writer_attribute(xml, "name", self->name);
    lp_xml_writer_text(xml, "source", self->source);
    lp_xml_writer_text(xml, "source", self->plan_source);
    write_rest(xml, self);
    lp_workload_write_element(xml, "transformer", (const char *const *)settings->pdata);
    lp_workload_write_element(xml, "plan", (const char *const *)settings->pdata);
    return lp_xml_writer_finish(xml);
}
