/* SPDX-License-Identifier: Apache-2.0 */
/* Makes lines that are safe to print. */
#include "cli/message.h"

#include "base/printable.h"
#include "cli/colour.h"

#include <stdio.h>
#include <string.h>

#define PROGRAM "lightpath:"
#define GAP " ... "

/* How what is not shown is written: "\\x1b" and "\\u202e" for people, as strings of JSON have it,
 * or as a reference of XML. */
typedef enum {
    FOR_PEOPLE,
    IN_JSON,
    IN_XML
} Escape;

static void
append_escaped(GString *out, gunichar c, Escape escape)
{
    if (escape == IN_XML)
        g_string_append_printf(out, "&#x%x;", c);
    else if (escape == FOR_PEOPLE)
        lp_append_escaped(out, c);
    else if (c < 0x10000)
        g_string_append_printf(out, "\\u%04x", c);
    else /* in UTF-16 */
        g_string_append_printf(out, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
}

/* Appends what begins at @at, but leaves @kept, ends of lines and gaps, as they are. Returns: what
 * stands behind it. */
static const char *
append(GString *out, const char *at, const char *kept, Escape escape)
{
    gunichar c = g_utf8_get_char_validated(at, -1);
    if (c == (gunichar)-1 || c == (gunichar)-2) {
        g_string_append_printf(out, "\\x%02x", (guchar)*at);
        return at + 1;
    }
    if (lp_is_printable(c) || (c < 0x80 && strchr(kept, (int)c) != NULL))
        g_string_append_unichar(out, c);
    else if (*kept == '\0' && (c == '\n' || c == '\r' || c == '\t'))
        g_string_append_c(out, ' ');
    else
        append_escaped(out, c, escape);
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
        text = append(line, text, "", FOR_PEOPLE);
    shorten(line, most);
    return g_string_free(line, FALSE);
}

char *
lp_message_text(const char *text)
{
    g_return_val_if_fail(text != NULL, NULL);
    Escape escape = g_str_has_prefix(text, "<?xml") ? IN_XML
                    : *text == '{' || *text == '<'  ? IN_JSON
                                                    : FOR_PEOPLE;
    GString *out = g_string_sized_new(strlen(text) + 1);
    while (*text != '\0') {
        gsize n_plain = 0;
        while (text[n_plain] >= ' ' && text[n_plain] < 0x7f)
            n_plain++;
        g_string_append_len(out, text, (gssize)n_plain);
        text += n_plain;
        if (*text != '\0')
            text = append(out, text, "\n\t", escape);
    }
    return g_string_free(out, FALSE);
}

void
lp_message_print(const char *text)
{
    g_autofree char *line = lp_message_line(text, LP_MESSAGE_MAX - strlen(PROGRAM " "));
    fprintf(stderr, "%s" PROGRAM "%s %s\n", lp_colour_error_begin(), lp_colour_error_end(), line);
}
