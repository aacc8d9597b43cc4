/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes tuning files. */
#include "workloads/description/tuning_file.h"

#include "base/error.h"
#include "base/xml.h"
#include "base/xml_writer.h"
#include "workloads_resource.h"

#include <string.h>

#define SCHEMA "resource:///lightpath/workloads/schema/tuning.xsd"

gboolean
lp_tuning_file_is_named(const char *text)
{
    return g_str_has_suffix(text, ".xml");
}

/* --- reading --- */

/* Whether nothing in @value would begin something else in words. */
static gboolean
is_word(const LpXml *xml, const xmlNode *node, const char *name, GError **error)
{
    const char *value = lp_xml_attribute(node, name);
    if (value == NULL || (*value != '\0' && value[strcspn(value, "=<>:;,@ \t\n")] == '\0'))
        return TRUE;
    g_autofree char *shown = lp_error_quote(value);
    lp_xml_error(xml, node, LP_INPUT_ERROR_VALUE, error,
                 "<%s> %s: got %s, wanted a word without blanks and = < > : ; , @",
                 (const char *)node->name, name, shown);
    return FALSE;
}

static gboolean
are_words(const LpXml *xml, const xmlNode *node, GError **error)
{
    static const char *const names[] = {"operation", "class", "bytes-up-to", "library"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (!is_word(xml, node, names[i], error))
            return FALSE;
    return TRUE;
}

static gboolean
is_same_row(const xmlNode *a, const xmlNode *b)
{
    return a != NULL && b != NULL &&
           g_strcmp0(lp_xml_attribute(a, "operation"), lp_xml_attribute(b, "operation")) == 0 &&
           g_strcmp0(lp_xml_attribute(a, "class"), lp_xml_attribute(b, "class")) == 0;
}

/* " <=SIZE=NAME"; the last range of a row, if it is not the only one, goes on from @last. */
static void
append_range(GString *text, const xmlNode *choice, const char *last)
{
    const char *up_to = lp_xml_attribute(choice, "bytes-up-to");
    const char *library = lp_xml_attribute(choice, "library");
    if (up_to != NULL)
        g_string_append_printf(text, " <=%s=%s", up_to, library);
    else if (last != NULL)
        g_string_append_printf(text, " >%s=%s", last, library);
    else
        g_string_append_printf(text, " %s", library);
}

static gboolean
append_choices(const LpXml *xml, GString *text, GError **error)
{
    const xmlNode *before = NULL, *choice = lp_xml_element(lp_xml_root(xml)->children, "choice");
    for (; choice != NULL; choice = lp_xml_element(choice->next, "choice")) {
        const char *class = lp_xml_attribute(choice, "class"), *last = NULL;
        if (!are_words(xml, choice, error))
            return FALSE;
        if (is_same_row(before, choice)) {
            last = lp_xml_attribute(before, "bytes-up-to");
            if (last == NULL) {
                lp_xml_error(xml, choice, LP_INPUT_ERROR_VALUE, error,
                             "<choice>: got a range behind one of all sizes, wanted that at the "
                             "end");
                return FALSE;
            }
        } else {
            g_string_append_printf(text, "; %s%s%s:", lp_xml_attribute(choice, "operation"),
                                   class != NULL ? "@" : "", class != NULL ? class : "");
        }
        append_range(text, choice, last);
        before = choice;
    }
    return TRUE;
}

char *
lp_tuning_file_read(const char *path, GError **error)
{
    (void)lp_workloads_get_resource();
    g_autoptr(LpXml) xml = lp_xml_load(path, SCHEMA, error);
    if (xml == NULL || !is_word(xml, lp_xml_root(xml), "library", error))
        return NULL;
    g_autoptr(GString) text = g_string_new(lp_xml_attribute(lp_xml_root(xml), "library"));
    return append_choices(xml, text, error) ? g_strdup(text->str) : NULL;
}

/* --- writing --- */

char *
lp_tuning_file_write(const LpPlanLibrary *said, const char *machine, const char *workload)
{
    const LpLibraryPicks *picks = &said->picks;
    LpXmlWriter *xml = lp_xml_writer_new();
    lp_xml_writer_open(xml, "tuning");
    lp_xml_writer_attribute(xml, "library", picks->n_picks > 0 ? picks->names[0] : said->name);
    lp_xml_writer_attribute(xml, "machine", machine);
    if (workload != NULL)
        lp_xml_writer_attribute(xml, "workload", workload);
    for (guint32 i = 0; i < picks->n_picks; i++) {
        const LpLibraryPick *pick = &picks->picks[i];
        lp_xml_writer_open(xml, "choice");
        lp_xml_writer_attribute(xml, "operation", lp_collective_names[pick->collective]);
        if (pick->traffic != LP_N_TRAFFIC)
            lp_xml_writer_attribute(xml, "class", lp_traffic_names[pick->traffic]);
        if (pick->bytes_max != G_MAXUINT64)
            lp_xml_writer_format(xml, "bytes-up-to", "%" G_GUINT64_FORMAT "B", pick->bytes_max);
        lp_xml_writer_attribute(xml, "library", picks->names[pick->library]);
        lp_xml_writer_close(xml);
    }
    return lp_xml_writer_finish(xml);
}
