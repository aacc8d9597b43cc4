/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that are read, and the one line said about those that are not. */
#include "base/xml.h"

#include "base/error.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <string.h>

static const char schema[] =
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'>"
    "<xs:simpleType name='rate'><xs:restriction base='xs:string'>"
    "<xs:pattern value='[0-9]+GBps'/></xs:restriction></xs:simpleType>"
    "<xs:element name='m'><xs:complexType><xs:sequence>"
    "<xs:element name='e' minOccurs='0' maxOccurs='unbounded'><xs:complexType>"
    "<xs:attribute name='n' type='xs:string' use='required'/>"
    "<xs:attribute name='bw' type='rate'/></xs:complexType></xs:element>"
    "</xs:sequence></xs:complexType></xs:element></xs:schema>";

/* A folder with the schema and a document, both removed by files_clear(). */
typedef struct {
    char *folder, *schema, *document; /* owned */
} Files;

static Files
files_new(const char *text, gssize length)
{
    Files files = {.folder = g_dir_make_tmp("lightpath-XXXXXX", NULL)};
    files.schema = g_build_filename(files.folder, "m.xsd", NULL);
    files.document = g_build_filename(files.folder, "m.xml", NULL);
    lp_test_true("write", g_file_set_contents(files.schema, schema, -1, NULL) &&
                              g_file_set_contents(files.document, text, length, NULL));
    return files;
}

static void
files_clear(Files *files)
{
    g_unlink(files->schema);
    g_unlink(files->document);
    g_rmdir(files->folder);
    g_free(files->schema);
    g_free(files->document);
    g_free(files->folder);
}

static void
test_good(void)
{
    Files files =
        files_new("<?xml version='1.0'?>\n<!DOCTYPE m SYSTEM 'https://example.org/m.dtd'>\n"
                  "<m><!-- c -->\n<e n='12' bw='25GBps'/>\n<e n='0.5'/><e n=''/></m>",
                  -1);
    g_autoptr(GError) error = NULL;
    g_autoptr(LpXml) xml = lp_xml_load(files.document, files.schema, &error);
    lp_test_true("load", xml != NULL && error == NULL);
    xmlNode *first = lp_xml_element(lp_xml_root(xml)->children, "e");
    xmlNode *second = lp_xml_element(first->next, NULL);
    guint64 count = 0;
    double value = 0;
    lp_test_true("count", lp_xml_count(xml, first, "n", 0, 100, &count, &error) && count == 12);
    lp_test_true("quantity",
                 lp_xml_quantity(xml, first, "bw", LP_QUANTITY_BANDWIDTH, &value, &error) &&
                     value == 25e9);
    lp_test_true("number", lp_xml_number(xml, second, "n", 0, 1, &value, &error) && value == 0.5);
    lp_test_true("absent", lp_xml_attribute(second, "bw") == NULL);
    lp_test_text("empty", lp_xml_attribute(lp_xml_element(second->next, "e"), "n"), "");
    lp_test_true("no more", lp_xml_element(second, "x") == NULL);
    lp_test_true("required", lp_xml_required(xml, second, "bw", &error) == NULL);
    lp_test_error("required", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                  "m.xml:5: <e> has no attribute \"bw\"");
    lp_test_true("range", !lp_xml_count(xml, first, "n", 0, 9, &count, &error));
    lp_test_error("range", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                  "m.xml:4: <e> n: \"12\" is out of range");
    lp_test_true("unit", !lp_xml_quantity(xml, first, "n", LP_QUANTITY_TIME, &value, &error));
    lp_test_error("unit", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                  "m.xml:4: <e> n: \"12\" has no unit");
    lp_test_true("number range", !lp_xml_number(xml, first, "n", 0, 1, &value, &error));
    lp_test_error("number range", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "m.xml:4: <e> n: ");
    files_clear(&files);
}

static void
test_bad(void)
{
    static const struct {
        const char *text;
        const char *part;
    } rows[] = {
        {"", "m.xml:1: "},
        {"hello", "m.xml:1: "},
        {"<m>\n<e n='1'/>\n", "m.xml:3: Premature end of data"},
        {"<m>\n<e n='1'></m>", "m.xml:2: Opening and ending tag mismatch"},
        {"<m>\n<e n='1' n='2'/></m>", "m.xml:2: Attribute n redefined"},
        {"<m/>trailing", "m.xml:1: Extra content"},
        {"<m>\n\n<e/></m>", "m.xml:3: Element 'e': The attribute 'n' is required but missing"},
        {"<m>\n<e n='1' bw='12x'/></m>",
         "m.xml:2: Element 'e', attribute 'bw': The value '12x' is not accepted by the pattern"},
        {"<m>\n<f/></m>", "m.xml:2: Element 'f': This element is not expected"},
        {"<x/>", "m.xml:1: Element 'x'"},
        {"<m>&undeclared;</m>", "m.xml:1: Entity 'undeclared' not defined"},
        {"<!DOCTYPE m [<!ENTITY a 'x'>]><m/>", "entity \"a\", wanted no entities"},
        {"<!DOCTYPE m [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>"
         "<!ENTITY c '&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;'>]><m><e n='&d;'/></m>",
         "entity \"a\", wanted no entities"},
        {"<!DOCTYPE m [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><m><e n='1'/>&a;</m>",
         "entity \"a\", wanted no entities"},
        {"<!DOCTYPE m [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><m/>",
         "entity \"p\", wanted no entities"},
        {"<!DOCTYPE m [<!ATTLIST e bw CDATA '1GBps'>]><m><e n='1'/></m>",
         "an internal DTD subset, wanted none"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        Files files = files_new(rows[i].text, -1);
        g_autoptr(GError) error = NULL;
        g_autoptr(LpXml) xml = lp_xml_load(files.document, files.schema, &error);
        lp_test_true(rows[i].text, xml == NULL);
        lp_test_error(rows[i].text, &error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, rows[i].part);
        files_clear(&files);
    }
}

static void
test_bad_files(void)
{
    Files files = files_new("<m/>\0<m/>", 9);
    g_autoptr(GError) error = NULL;
    lp_test_true("missing", lp_xml_load("/nonexistent.xml", files.schema, &error) == NULL);
    lp_test_error("missing", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "/nonexistent.xml: ");
    lp_test_true("a folder", lp_xml_load("/tmp", files.schema, &error) == NULL);
    lp_test_error("a folder", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "/tmp: ");
    lp_test_true("a null byte", lp_xml_load(files.document, files.schema, &error) == NULL);
    lp_test_error("a null byte", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, "m.xml:1: ");
    files_clear(&files);
    files = files_new("<m/>", -1);
    lp_test_true("no schema", lp_xml_load(files.document, files.document, &error) == NULL);
    lp_test_error("no schema", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, "m.xml:");
    lp_test_true("missing schema", lp_xml_load(files.document, "resource:///x", &error) == NULL);
    lp_test_error("missing schema", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "x: No such file");
    files_clear(&files);
}

/* libxml2 stops counting lines at 65,535 unless it is told not to. */
static void
test_line_numbers(void)
{
    g_autofree char *lines = g_strnfill(99999, '\n');
    g_autofree char *text = g_strconcat("<m>", lines, "<e/></m>", NULL);
    Files files = files_new(text, -1);
    g_autoptr(GError) error = NULL;
    lp_test_true("load", lp_xml_load(files.document, files.schema, &error) == NULL);
    lp_test_error("line", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, "m.xml:100000: ");
    files_clear(&files);
}

/* A document says what it is before it ends, or is found to be damaged. */
static void
test_root_name(void)
{
    static const struct {
        const char *text, *name;
    } rows[] = {
        {"<m/>", "m"},
        {"\xef\xbb\xbf<?xml version='1.0'?><!-- <n/> --><!DOCTYPE m SYSTEM 'm.dtd'><m/>", "m"},
        {"<x:m xmlns:x='urn:x'><n/></x:m>", "m"},
        {"<m><e></m>", "m"},
        {"<m", "m"},
        {"<", NULL},
        {"text <m/>", NULL},
        {"<!DOCTYPE m [<!ENTITY e 'f'>]><m/>", NULL},
        {"", NULL}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        Files files = files_new(rows[i].text, -1);
        g_autofree char *name = lp_xml_root_name(files.document);
        lp_test_true(rows[i].text, g_strcmp0(name, rows[i].name) == 0);
        files_clear(&files);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"good", test_good},           {"bad", test_bad},
        {"bad files", test_bad_files}, {"line numbers", test_line_numbers},
        {"root name", test_root_name}, {NULL, NULL}};
    return lp_test_run("xml", cases);
}
