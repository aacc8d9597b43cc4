/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes for elements, attributes and scripts. */
#include "report/html.h"

#include "base/json.h"

#include <string.h>

void
lp_html_add_text(GString *page, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    for (const char *at = valid; *at != '\0'; at++) {
        switch (*at) {
        case '&':
            g_string_append(page, "&amp;");
            break;
        case '<':
            g_string_append(page, "&lt;");
            break;
        case '>':
            g_string_append(page, "&gt;");
            break;
        case '"':
            g_string_append(page, "&quot;");
            break;
        case '\'':
            g_string_append(page, "&#39;");
            break;
        default:
            g_string_append_c(page, g_ascii_iscntrl(*at) ? ' ' : *at);
        }
    }
}

/* The page may load nothing: it works without a network, and text of others cannot reach out. Vega
 * makes functions of the expressions in its specifications. */
void
lp_html_begin_page(GString *page, const char *title)
{
    g_string_append(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    lp_html_add_text(page, title);
    g_string_append(page, "</title>\n");
}

void
lp_html_cell_text(GString *page, const char *classes, const char *text)
{
    if (*classes != '\0')
        g_string_append_printf(page, "<td class=\"%s\">", classes);
    else
        g_string_append(page, "<td>");
    lp_html_add_text(page, text);
    g_string_append(page, "</td>");
}

void
lp_html_cell_number(GString *page, const char *classes, double value, const char *text)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(digits, sizeof digits, "%.6g", value + 0.0);
    g_string_append_printf(page, "<td class=\"%s\" data-v=\"%s\">", classes, digits);
    lp_html_add_text(page, text);
    g_string_append(page, "</td>");
}

/* Outside of strings JSON has none of these characters. */
char *
lp_html_json(const json_t *node)
{
    g_autofree char *text = lp_json_print_flat(node);
    GString *safe = g_string_sized_new(strlen(text));
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '<' || *at == '>' || *at == '&')
            g_string_append_printf(safe, "\\u%04x", (guint)*at);
        else
            g_string_append_c(safe, *at);
    }
    return g_string_free(safe, FALSE);
}

/* Escapes "</script" and "<!--" in a script. They stand in its strings, patterns and comments,
 * where a backslash changes nothing. */
char *
lp_html_script(const char *script)
{
    g_autoptr(GRegex) ends = g_regex_new("<(/script|!--)", G_REGEX_CASELESS, 0, NULL);
    return g_regex_replace(ends, script, -1, 0, "<\\\\\\1", 0, NULL);
}
