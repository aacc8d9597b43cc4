/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that pages are made of. */
#include "report/page.h"

#include "report/embedded.h"
#include "report/html.h"

#include <string.h>

/* Texts of more bytes get room to be read in. */
#define LONG_TEXT 20

/* --- the document --- */

const json_t *
lp_page_get(const LpPage *self, const char *at)
{
    return lp_json_find(self->document, at);
}

char *
lp_page_at(const char *prefix, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *rest = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return g_strconcat(prefix, rest, NULL);
}

/* --- text --- */

void
lp_page_heading(LpPage *self, guint level, const char *text)
{
    g_string_append_printf(self->text, "<h%u>", level);
    lp_html_add_text(self->text, text);
    g_string_append_printf(self->text, "</h%u>\n", level);
}

static const LpResultField *
field_at(const LpPage *self, const char *at)
{
    return lp_result_field_find(self->of, at);
}

char *
lp_page_label(const LpPage *self, const char *at, gboolean with_part)
{
    return with_part ? lp_result_field_path_label(self->of, at)
                     : g_strdup(lp_result_field_label(self->of, at));
}

void
lp_page_heading_of(LpPage *self, guint level, const char *at)
{
    g_autofree char *label = lp_page_label(self, at, FALSE);
    *label = g_ascii_toupper(*label);
    lp_page_heading(self, level, label);
}

void
lp_page_value(LpPage *self, const char *at)
{
    const json_t *node = lp_page_get(self, at);
    const LpResultField *field = field_at(self, at);
    if (json_is_number(node)) {
        double value = json_number_value(node);
        char digits[G_ASCII_DTOSTR_BUF_SIZE];
        g_autofree char *text = lp_unit_text(field != NULL ? field->unit : LP_UNIT_NONE, value);
        g_ascii_formatd(digits, sizeof digits, "%.17g", value);
        g_string_append_printf(self->text, "<data value=\"%s\" data-at=\"", digits);
        lp_html_add_text(self->text, at);
        g_string_append(self->text, "\">");
        lp_html_add_text(self->text, text);
        g_string_append(self->text, "</data>");
    } else if (json_is_string(node) || json_is_boolean(node)) {
        const char *text =
            json_is_boolean(node) ? json_is_true(node) ? "yes" : "no" : json_string_value(node);
        g_string_append(self->text, "<span data-at=\"");
        lp_html_add_text(self->text, at);
        g_string_append(self->text, "\">");
        lp_html_add_text(self->text, text);
        g_string_append(self->text, "</span>");
    } else {
        g_string_append(self->text, "\xe2\x80\x93");
    }
}

/* --- figures and tables --- */

void
lp_page_begin_figures(LpPage *self)
{
    g_string_append(self->text, "<dl class=\"figures\">\n");
}

void
lp_page_figure(LpPage *self, const char *name, const char *at)
{
    if (lp_page_get(self, at) == NULL)
        return;
    g_autofree char *label = name != NULL ? g_strdup(name) : lp_page_label(self, at, FALSE);
    g_string_append(self->text, "<div><dt>");
    lp_html_add_text(self->text, label);
    g_string_append(self->text, "</dt><dd>");
    lp_page_value(self, at);
    g_string_append(self->text, "</dd></div>\n");
}

void
lp_page_figures(LpPage *self, const char *at, const char *const *keys)
{
    for (; *keys != NULL; keys++) {
        g_autofree char *key = g_strconcat(at, *keys, NULL);
        lp_page_figure(self, NULL, key);
    }
}

void
lp_page_end_figures(LpPage *self)
{
    g_string_append(self->text, "</dl>\n");
}

void
lp_page_begin_table(LpPage *self, const char *label, const char *columns, guint n_texts)
{
    g_auto(GStrv) names = g_strsplit(columns, "|", -1);
    g_string_append(self->text, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
    lp_html_add_text(self->text, label);
    g_string_append(self->text, "\"><table><thead><tr>");
    for (guint i = 0; names[i] != NULL; i++) {
        g_string_append_printf(self->text, "<th scope=\"col\"%s>",
                               i < n_texts ? "" : " class=\"n\"");
        lp_html_add_text(self->text, names[i]);
        g_string_append(self->text, "</th>");
    }
    g_string_append(self->text, "</tr></thead>\n<tbody>");
}

/* The end tags of cells and rows may be left out in HTML, and are. */
void
lp_page_row(LpPage *self)
{
    g_string_append(self->text, "\n<tr>");
}

void
lp_page_cell_text(LpPage *self, const char *text)
{
    lp_html_cell_text(self->text, "", text);
}

void
lp_page_cell(LpPage *self, const char *at)
{
    const json_t *node = lp_page_get(self, at);
    g_string_append(self->text,
                    json_is_string(node)
                        ? (json_string_length(node) > LONG_TEXT ? "<td class=\"text\">" : "<td>")
                        : "<td class=\"n\">");
    lp_page_value(self, at);
    g_string_append(self->text, "</td>");
}

void
lp_page_cell_key(LpPage *self, const char *at, const char *key)
{
    g_string_append(self->text, "<td><span data-key=\"");
    lp_html_add_text(self->text, at);
    g_string_append(self->text, "\">");
    lp_html_add_text(self->text, key);
    g_string_append(self->text, "</span></td>");
}

void
lp_page_end_table(LpPage *self)
{
    g_string_append(self->text, "\n</tbody></table></div>\n");
}

/* The keys of the labelled fields of @self. Returns: (transfer full), of static texts. */
static GPtrArray *
labelled_keys(const LpResultField *self)
{
    guint n;
    const LpResultField *fields = lp_result_field_members(self, &n);
    GPtrArray *keys = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < n; i++)
        if (fields[i].label != NULL && fields[i].members == 0)
            g_ptr_array_add(keys, g_strconcat("/", fields[i].name, NULL));
    g_ptr_array_add(keys, NULL);
    return keys;
}

void
lp_page_list(LpPage *self, const char *label, const char *at, const char *const *keys)
{
    g_autoptr(GPtrArray) all = labelled_keys(field_at(self, at));
    const char *const *columns = keys != NULL ? keys : (const char *const *)all->pdata;
    g_autoptr(GString) names = g_string_new(NULL);
    guint n_texts = 0;
    for (guint k = 0; columns[k] != NULL; k++) {
        g_autofree char *cell = lp_page_at(at, "/0%s", columns[k]);
        g_autofree char *name = lp_page_label(self, cell, FALSE);
        g_string_append_printf(names, "%s%s", k > 0 ? "|" : "", name);
        n_texts += n_texts == k && field_at(self, cell)->is_text ? 1 : 0;
    }
    lp_page_begin_table(self, label, names->str, n_texts);
    for (guint i = 0; i < json_array_size(lp_page_get(self, at)); i++) {
        lp_page_row(self);
        for (guint k = 0; columns[k] != NULL; k++) {
            g_autofree char *cell = lp_page_at(at, "/%u%s", i, columns[k]);
            lp_page_cell(self, cell);
        }
    }
    lp_page_end_table(self);
}

static void
add_row(LpPage *self, const char *at)
{
    g_autofree char *label = lp_page_label(self, at, FALSE);
    lp_page_row(self);
    lp_page_cell_text(self, label);
    lp_page_cell(self, at);
}

void
lp_page_rows(LpPage *self, const char *at, const char *const *keys)
{
    for (guint i = 0; keys != NULL && keys[i] != NULL; i++) {
        g_autofree char *key = g_strconcat(at, keys[i], NULL);
        if (lp_page_get(self, key) != NULL)
            add_row(self, key);
    }
    guint n;
    const LpResultField *fields = lp_result_field_members(field_at(self, at), &n);
    for (guint i = 0; keys == NULL && i < n; i++) {
        g_autofree char *key = lp_page_at(at, "/%s", fields[i].name);
        if (lp_page_get(self, key) == NULL || fields[i].of != LP_FIELD_ONE)
            continue;
        if (fields[i].members > 0)
            lp_page_rows(self, key, NULL);
        else if (fields[i].label != NULL)
            add_row(self, key);
    }
}

void
lp_page_part(LpPage *self, const char *at)
{
    g_autofree char *label = lp_page_label(self, at, FALSE);
    lp_page_begin_table(self, label, "|", 1);
    lp_page_rows(self, at, NULL);
    lp_page_end_table(self);
}

/* --- plots --- */

void
lp_page_plot(LpPage *self, const char *id, const char *spec, const char *label, const char *caption,
             json_t *data)
{
    g_autofree char *file = g_strconcat(spec, ".vega.json", NULL);
    g_string_append_printf(self->text, "<figure><div class=\"plot\" id=\"plot-%s\"></div>\n", id);
    g_string_append_printf(self->text, "<figcaption>%s</figcaption></figure>\n", caption);
    json_t *plot = lp_json_append_object(self->plots);
    g_autofree char *element = g_strconcat("plot-", id, NULL);
    lp_json_set_text(plot, "element", element);
    lp_json_set_text(plot, "label", label);
    (void)json_object_set_new(plot, "spec", lp_embedded_json(file));
    (void)json_object_set_new(plot, "data", data);
}

/* --- the whole --- */

LpPage
lp_page_begin(const json_t *document, const char *of, const char *title)
{
    LpPage self = {
        .text = g_string_new(NULL), .document = document, .of = of, .plots = json_array()};
    lp_html_begin_page(self.text, title);
    g_string_append(self.text, "<style>\n");
    lp_embedded_append(self.text, "page.css");
    lp_embedded_append(self.text, "run.css");
    g_string_append(self.text, "</style>\n</head>\n<body>\n<main>\n");
    return self;
}

static void
add_json(LpPage *self, const char *id, const json_t *node)
{
    g_autofree char *text = lp_html_json(node);
    g_string_append_printf(self->text,
                           "<script type=\"application/json\" id=\"%s\">\n%s</script>\n", id, text);
}

static void
add_script(LpPage *self, const char *script)
{
    g_autofree char *safe = lp_html_script(script);
    g_string_append_printf(self->text, "<script>\n%s</script>\n", safe);
}

char *
lp_page_end(LpPage *self, const char *vega)
{
    g_autoptr(json_t) plots = json_object();
    (void)json_object_set_new(plots, "config", lp_embedded_json("vega_config.json"));
    (void)json_object_set(plots, "plots", self->plots);
    g_autoptr(GString) script = g_string_new(NULL);
    lp_embedded_append(script, "tables.js");
    lp_embedded_append(script, "run.js");
    g_string_append(self->text,
                    "<noscript><p class=\"quiet\">The plots need JavaScript; the tables do "
                    "not.</p></noscript>\n</main>\n<div id=\"tip\" hidden></div>\n");
    add_json(self, "document", self->document);
    add_json(self, "plots", plots);
    add_script(self, vega);
    add_script(self, script->str);
    g_string_append(self->text, "</body>\n</html>\n");
    g_clear_pointer(&self->plots, json_decref);
    return g_string_free(g_steal_pointer(&self->text), FALSE);
}
