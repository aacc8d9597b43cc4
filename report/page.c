/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that pages are made of. */
#include "report/page.h"

#include "base/units.h"
#include "report/embedded.h"
#include "report/html.h"

#include <math.h>
#include <string.h>

/* Texts of more bytes get room to be read in. */
#define LONG_TEXT 20

/* --- the document --- */

const json_t *
lp_page_get(const LpPage *self, const char *at)
{
    return lp_json_at(self->document, at);
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

/* Returns: (transfer full). */
static char *
with_sign(LpQuantity quantity, double value)
{
    /* Below the engine's precision there is only rounding. */
    double shown = quantity == LP_QUANTITY_TIME && fabs(value) < 1e-12 ? 0.0 : value;
    g_autofree char *text = lp_quantity_format(quantity, fabs(shown));
    return g_strconcat(shown < 0.0 ? "\xe2\x88\x92" : "", text, NULL);
}

/* Counts are whole to the last digit; what is measured has four. */
static char *
plain(double value)
{
    if (value == floor(value) && fabs(value) < 1e15)
        return g_strdup_printf("%.0f", value);
    return g_strdup_printf(fabs(value) >= 1e4 && fabs(value) < 1e15 ? "%.0f" : "%.4g", value);
}

/* Returns: (transfer full). */
static char *
number_text(double value, LpPageUnit unit)
{
    switch (unit) {
    case LP_PAGE_PLAIN:
        return plain(value);
    case LP_PAGE_SHARE:
        return g_strdup_printf("%s%.4g %%", value < 0.0 ? "\xe2\x88\x92" : "", 100.0 * fabs(value));
    case LP_PAGE_TIME:
        return with_sign(LP_QUANTITY_TIME, value);
    case LP_PAGE_SIZE:
        return with_sign(LP_QUANTITY_SIZE, value);
    case LP_PAGE_BANDWIDTH:
        return with_sign(LP_QUANTITY_BANDWIDTH, value);
    case LP_PAGE_POWER:
        return with_sign(LP_QUANTITY_POWER, value);
    case LP_PAGE_ENERGY:
        return with_sign(LP_QUANTITY_ENERGY, value);
    case LP_PAGE_PRICE:
        return with_sign(LP_QUANTITY_PRICE, value);
    case LP_PAGE_TFLOPS:
        return g_strdup_printf("%.4g TFLOP/s", value);
    }
    g_assert_not_reached();
}

void
lp_page_value(LpPage *self, const char *at, LpPageUnit unit)
{
    const json_t *node = lp_page_get(self, at);
    if (json_is_number(node)) {
        double value = json_number_value(node);
        char digits[G_ASCII_DTOSTR_BUF_SIZE];
        g_autofree char *text = number_text(value, unit);
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
lp_page_figure(LpPage *self, const char *name, const char *at, LpPageUnit unit)
{
    if (lp_page_get(self, at) == NULL)
        return;
    g_string_append(self->text, "<div><dt>");
    lp_html_add_text(self->text, name);
    g_string_append(self->text, "</dt><dd>");
    lp_page_value(self, at, unit);
    g_string_append(self->text, "</dd></div>\n");
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
lp_page_cell(LpPage *self, const char *at, LpPageUnit unit)
{
    const json_t *node = lp_page_get(self, at);
    g_string_append(self->text,
                    json_is_string(node)
                        ? (json_string_length(node) > LONG_TEXT ? "<td class=\"text\">" : "<td>")
                        : "<td class=\"n\">");
    lp_page_value(self, at, unit);
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
lp_page_begin(const json_t *document, const char *title)
{
    LpPage self = {.text = g_string_new(NULL), .document = document, .plots = json_array()};
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
