/* SPDX-License-Identifier: Apache-2.0 */
/* Writes XML: libxml2's xmlTextWriter escapes and indents, this module says how lines break. */
#include "base/xml_writer.h"

#include <libxml/xmlwriter.h>

struct LpXmlWriter {
    xmlTextWriter *writer;  /* owned */
    xmlOutputBuffer *lines; /* owned by the writer, which writes into it */
    GString *text;          /* owned: what has left the buffer */
};

/* The writer fails where memory ends, and where calls come in an order that makes no document:
 * both are faults of the program and not of its input. */
static void
expect(int result)
{
    g_assert(result >= 0);
}

/* libxml2's own memory buffers grow by a few bytes at a time; a GString doubles. */
static int
append(void *text, const char *bytes, int length)
{
    g_string_append_len(text, bytes, length);
    return length;
}

static const xmlChar *
characters(const char *text)
{
    return (const xmlChar *)text;
}

static gboolean
is_xml_character(gunichar c)
{
    return c >= ' ' ? c != 0xfffe && c != 0xffff : c == '\t' || c == '\n' || c == '\r';
}

/* @text, in which U+FFFD stands for what no XML document can hold: bytes that are not UTF-8, most
 * control characters. *@out_own: takes a copy where one is needed (transfer full). */
static const xmlChar *
writable(const char *text, char **out_own)
{
    *out_own = g_utf8_validate(text, -1, NULL) ? NULL : g_utf8_make_valid(text, -1);
    const char *valid = *out_own != NULL ? *out_own : text, *at = valid;
    while (*at != '\0' && is_xml_character(g_utf8_get_char(at)))
        at = g_utf8_next_char(at);
    if (*at == '\0')
        return characters(valid);
    GString *rest = g_string_new_len(valid, at - valid);
    for (; *at != '\0'; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);
        g_string_append_unichar(rest, is_xml_character(c) ? c : 0xfffd);
    }
    g_free(*out_own);
    *out_own = g_string_free(rest, FALSE);
    return characters(*out_own);
}

LpXmlWriter *
lp_xml_writer_new(void)
{
    LpXmlWriter *self = g_new0(LpXmlWriter, 1);
    self->text = g_string_new(NULL);
    self->lines = xmlOutputBufferCreateIO(append, NULL, self->text, NULL);
    self->writer = xmlNewTextWriter(self->lines);
    g_assert(self->writer != NULL);
    expect(xmlTextWriterSetIndent(self->writer, 1));
    expect(xmlTextWriterSetIndentString(self->writer, characters("  ")));
    expect(xmlTextWriterStartDocument(self->writer, NULL, "UTF-8", NULL));
    return self;
}

void
lp_xml_writer_free(LpXmlWriter *self)
{
    if (self == NULL)
        return;
    xmlFreeTextWriter(self->writer);
    if (self->text != NULL)
        g_string_free(self->text, TRUE);
    g_free(self);
}

void
lp_xml_writer_doctype(LpXmlWriter *self, const char *root, const char *system_id)
{
    /* With indentation on, the writer would break the line before SYSTEM. */
    expect(xmlTextWriterSetIndent(self->writer, 0));
    expect(xmlTextWriterStartDTD(self->writer, characters(root), NULL, characters(system_id)));
    expect(xmlTextWriterSetIndent(self->writer, 1));
    expect(xmlTextWriterEndDTD(self->writer));
}

void
lp_xml_writer_open(LpXmlWriter *self, const char *element)
{
    expect(xmlTextWriterStartElement(self->writer, characters(element)));
}

void
lp_xml_writer_attribute(LpXmlWriter *self, const char *name, const char *value)
{
    g_autofree char *own = NULL;
    expect(xmlTextWriterWriteAttribute(self->writer, characters(name), writable(value, &own)));
}

void
lp_xml_writer_format(LpXmlWriter *self, const char *name, const char *format, ...)
{
    char value[64]; /* what a number needs */
    va_list arguments;
    va_start(arguments, format);
    gsize length = (gsize)g_vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    if (length < sizeof value) {
        lp_xml_writer_attribute(self, name, value);
        return;
    }
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    lp_xml_writer_attribute(self, name, text);
}

void
lp_xml_writer_break(LpXmlWriter *self, guint n_columns)
{
    g_return_if_fail(n_columns > 0);
    /* The writer never breaks a tag, so the break goes past it; it puts the last blank itself,
     * before the attribute. */
    g_autofree char *line = g_strdup_printf("\n%*s", (int)n_columns - 1, "");
    expect(xmlOutputBufferWriteString(self->lines, line));
}

void
lp_xml_writer_close(LpXmlWriter *self)
{
    expect(xmlTextWriterEndElement(self->writer));
}

void
lp_xml_writer_text(LpXmlWriter *self, const char *element, const char *text)
{
    g_autofree char *own = NULL;
    expect(xmlTextWriterWriteElement(self->writer, characters(element), writable(text, &own)));
}

void
lp_xml_writer_comment(LpXmlWriter *self, const char *text)
{
    g_autofree char *own = NULL;
    expect(xmlTextWriterWriteComment(self->writer, writable(text, &own)));
}

char *
lp_xml_writer_finish(LpXmlWriter *self)
{
    expect(xmlTextWriterEndDocument(self->writer));
    expect(xmlTextWriterFlush(self->writer));
    GString *text = g_steal_pointer(&self->text);
    lp_xml_writer_free(self);
    return g_string_free(text, FALSE);
}
