/* SPDX-License-Identifier: Apache-2.0 */
/* Counts tags and attributes. */
#include "base/xml_scan.h"

#include <string.h>

/* The parts of XML without elements, by their beginning and end. */
static const struct {
    const char *begin, *end;
} opaque[] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};

/* Behind the opaque part that begins at @at, @end where it has no end; NULL: none begins there. */
static const char *
skip_opaque(const char *at, const char *end)
{
    for (guint i = 0; i < G_N_ELEMENTS(opaque); i++) {
        gsize n_begin = strlen(opaque[i].begin);
        if ((gsize)(end - at) < n_begin || memcmp(at, opaque[i].begin, n_begin) != 0)
            continue;
        at += n_begin;
        const char *close = g_strstr_len(at, end - at, opaque[i].end);
        return close != NULL ? close + strlen(opaque[i].end) : end;
    }
    return NULL;
}

/* Behind the tag that begins at @at. @out_n: its attributes. */
static const char *
skip_tag(const char *at, const char *end, guint *out_n)
{
    *out_n = 0;
    for (at++; at < end && *at != '>'; at++) {
        if (*at == '=')
            (*out_n)++;
        if (*at != '"' && *at != '\'')
            continue;
        const char *close = memchr(at + 1, *at, (gsize)(end - at - 1));
        at = close != NULL ? close : end - 1;
    }
    return MIN(at + 1, end);
}

static long
line_of(const char *text, const char *at)
{
    long line = 1;
    for (; text < at; text++)
        line += *text == '\n' ? 1 : 0;
    return line;
}

long
lp_xml_scan_crowded(const char *text, gsize length, const char **out_what)
{
    const char *end = text + length, *at = text;
    gsize n_all = 0;
    *out_what = NULL;
    while (at < end && (at = memchr(at, '<', (gsize)(end - at))) != NULL) {
        const char *tag = at, *behind = skip_opaque(at, end);
        guint n = 0;
        at = behind != NULL ? behind : skip_tag(at, end, &n);
        n_all += 1 + n;
        *out_what =
            n > LP_XML_ATTRIBUTES_MAX
                ? "an element of more than " G_STRINGIFY(LP_XML_ATTRIBUTES_MAX) " attributes"
            : n_all > LP_XML_PARTS_MAX
                ? "more than " G_STRINGIFY(LP_XML_PARTS_MAX) " tags and attributes"
                : NULL;
        if (*out_what != NULL)
            return line_of(text, tag);
    }
    return 0;
}
