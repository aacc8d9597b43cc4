/* SPDX-License-Identifier: Apache-2.0 */
/* Documents as they are written, to the byte, and that what is written is read back the same. */
#include "base/xml_writer.h"

#include "tests/testlib.h"

#include <string.h>

#define DECLARATION "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

static void
test_layout(void)
{
    LpXmlWriter *xml = lp_xml_writer_new();
    lp_xml_writer_doctype(xml, "m", "https://example.org/m.dtd");
    lp_xml_writer_open(xml, "m");
    lp_xml_writer_attribute(xml, "name", "a");
    lp_xml_writer_format(xml, "n", "%d-%s", 12, "x");
    lp_xml_writer_break(xml, 3);
    lp_xml_writer_attribute(xml, "next", "");
    lp_xml_writer_comment(xml, " c\n  ");
    lp_xml_writer_open(xml, "e");
    lp_xml_writer_close(xml);
    lp_xml_writer_text(xml, "source", "here");
    lp_xml_writer_open(xml, "left-open");
    g_autofree char *text = lp_xml_writer_finish(xml);
    lp_test_text("layout", text,
                 DECLARATION "<!DOCTYPE m SYSTEM \"https://example.org/m.dtd\">\n"
                             "<m name=\"a\" n=\"12-x\"\n   next=\"\">\n"
                             "  <!-- c\n  -->\n  <e/>\n  <source>here</source>\n"
                             "  <left-open/>\n</m>\n");
}

/* Values are written whole, however long. */
static void
test_long_value(void)
{
    for (int length = 1; length <= 200; length++) {
        LpXmlWriter *xml = lp_xml_writer_new();
        lp_xml_writer_open(xml, "m");
        lp_xml_writer_format(xml, "n", "%0*d", length, 7);
        g_autofree char *text = lp_xml_writer_finish(xml);
        g_autofree char *wanted = g_strdup_printf(DECLARATION "<m n=\"%0*d\"/>\n", length, 7);
        lp_test_text("long", text, wanted);
    }
}

/* XML's own characters are escaped, other alphabets are not. */
static void
test_escapes(void)
{
    static const struct {
        const char *text, *attribute, *content;
    } rows[] = {
        {"", "<m a=\"\">\n  <t></t>\n</m>\n", ""},
        {"<&>\"'", "a=\"&lt;&amp;&gt;&quot;'\"", "<t>&lt;&amp;&gt;&quot;'</t>"},
        {"\xc3\xa9\xe6\xbc\xa2", "a=\"\xc3\xa9\xe6\xbc\xa2\"", "<t>\xc3\xa9\xe6\xbc\xa2</t>"},
        {"%s%n", "a=\"%s%n\"", "<t>%s%n</t>"},
        {"x\ny", "a=\"x&#10;y\"", "<t>x\ny</t>"},
        {"\x1b[\x01", "a=\"\xef\xbf\xbd[\xef\xbf\xbd\"", "<t>\xef\xbf\xbd[\xef\xbf\xbd</t>"},
        {"a\xef\xbf\xbe", "a=\"a\xef\xbf\xbd\"", "<t>a\xef\xbf\xbd</t>"},
        {"\xff\xed\xa0\x80", "\xef\xbf\xbd", "\xef\xbf\xbd</t>"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpXmlWriter *xml = lp_xml_writer_new();
        lp_xml_writer_open(xml, "m");
        lp_xml_writer_attribute(xml, "a", rows[i].text);
        lp_xml_writer_text(xml, "t", rows[i].text);
        g_autofree char *text = lp_xml_writer_finish(xml);
        if (strstr(text, rows[i].attribute) == NULL || strstr(text, rows[i].content) == NULL)
            lp_test_text(rows[i].text, text, rows[i].attribute);
    }
}

/* Far more than a buffer holds. */
static void
test_long(void)
{
    enum {
        N_ELEMENTS = 100000
    };
    LpXmlWriter *xml = lp_xml_writer_new();
    lp_xml_writer_open(xml, "m");
    for (int i = 0; i < N_ELEMENTS; i++) {
        lp_xml_writer_open(xml, "e");
        lp_xml_writer_format(xml, "n", "%06d", i);
        lp_xml_writer_close(xml);
    }
    g_autofree char *text = lp_xml_writer_finish(xml);
    const gsize line = strlen("  <e n=\"000000\"/>\n");
    lp_test_true("length", strlen(text) == strlen(DECLARATION "<m>\n</m>\n") + N_ELEMENTS * line);
    lp_test_true("last", g_str_has_suffix(text, "  <e n=\"099999\"/>\n</m>\n"));
}

static void
test_unfinished(void)
{
    g_autoptr(LpXmlWriter) xml = lp_xml_writer_new();
    lp_xml_writer_open(xml, "m");
    lp_xml_writer_free(NULL);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"layout", test_layout},         {"escapes", test_escapes},       {"long", test_long},
        {"long value", test_long_value}, {"unfinished", test_unfinished}, {NULL, NULL}};
    return lp_test_run("XML writer", cases);
}
