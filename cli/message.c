/* SPDX-License-Identifier: Apache-2.0 */
/* Makes lines that are safe to print. */
#include "cli/message.h"

#include "cli/colour.h"

#include <stdio.h>
#include <string.h>

#define PROGRAM "lightpath:"
#define GAP " ... "

/* What is no character of a line: control and format characters, and the ends of lines and
 * paragraphs that Unicode has beside "\n". */
static gboolean
is_shown(gunichar c)
{
    GUnicodeType type = g_unichar_type(c);
    return g_unichar_isprint(c) && type != G_UNICODE_LINE_SEPARATOR &&
           type != G_UNICODE_PARAGRAPH_SEPARATOR;
}

/* Appends what begins at @at. Returns: what stands behind it. */
static const char *
append(GString *line, const char *at)
{
    gunichar c = g_utf8_get_char_validated(at, -1);
    if (c == (gunichar)-1 || c == (gunichar)-2) {
        g_string_append_printf(line, "\\x%02x", (guchar)*at);
        return at + 1;
    }
    if (is_shown(c))
        g_string_append_unichar(line, c);
    else if (c == '\n' || c == '\r' || c == '\t')
        g_string_append_c(line, ' ');
    else
        g_string_append_printf(line, c < 0x80 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
    return g_utf8_next_char(at);
}

/* Words are cut through only where they are longer than this, bytes. */
#define WORD 24

/* Takes the middle out of @line, whole characters and words; two thirds of what stays are its
 * beginning. */
static void
shorten(GString *line, gsize most)
{
    if (line->len <= most)
        return;
    gsize kept = most - strlen(GAP), begin = kept * 2 / 3, end = line->len - (kept - begin);
    const char *text = line->str;
    for (gsize i = 0; i < WORD && text[begin] != ' '; i++)
        begin--;
    for (gsize i = 0; i < WORD && text[end - 1] != ' '; i++)
        end++;
    while (begin > 0 && (text[begin] & 0xc0) == 0x80)
        begin--;
    while (end < line->len && (text[end] & 0xc0) == 0x80)
        end++;
    g_string_erase(line, (gssize)begin, (gssize)(end - begin));
    g_string_insert(line, (gssize)begin, GAP);
}

char *
lp_message_line(const char *text, gsize most)
{
    g_return_val_if_fail(text != NULL && most >= 100, NULL);
    GString *line = g_string_new(NULL);
    while (*text != '\0')
        text = append(line, text);
    shorten(line, most);
    return g_string_free(line, FALSE);
}

void
lp_message_print(const char *text)
{
    g_autofree char *line = lp_message_line(text, LP_MESSAGE_MAX - strlen(PROGRAM " "));
    fprintf(stderr, "%s" PROGRAM "%s %s\n", lp_colour_error_begin(), lp_colour_error_end(), line);
}
