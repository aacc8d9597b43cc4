/* SPDX-License-Identifier: Apache-2.0 */
/* Writes XML: libxml2's xmlTextWriter escapes and indents, this module says how lines break. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A document that is being written. Texts are UTF-8 without control characters. */
typedef struct LpXmlWriter LpXmlWriter;

/** Begins a document with its XML declaration (UTF-8); elements are indented by two blanks a level.
 * Returns: (transfer full), to be ended with lp_xml_writer_finish(). */
LpXmlWriter *lp_xml_writer_new(void) G_GNUC_WARN_UNUSED_RESULT;

/** Frees a document that is not finished. @self: NULL is passed over. */
void lp_xml_writer_free(LpXmlWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpXmlWriter, lp_xml_writer_free)

/** Writes "<!DOCTYPE @root SYSTEM "@system_id">" on a line; before the first element. */
void lp_xml_writer_doctype(LpXmlWriter *self, const char *root, const char *system_id);

/** Opens an element below the one that is open. */
void lp_xml_writer_open(LpXmlWriter *self, const char *element);

/** Gives the element just opened an attribute; @value is escaped. */
void lp_xml_writer_attribute(LpXmlWriter *self, const char *name, const char *value);

/** Gives the element just opened an attribute whose value is printed as @format says, then
 * escaped. */
void lp_xml_writer_format(LpXmlWriter *self, const char *name, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/** Breaks the line within the tag just opened: the next attribute begins after @n_columns
 * blanks, at least one. */
void lp_xml_writer_break(LpXmlWriter *self, guint n_columns);

/** Closes the element opened last: "/>" if nothing stands in it. */
void lp_xml_writer_close(LpXmlWriter *self);

/** Writes "<@element>@text</@element>" on a line; @text is escaped. */
void lp_xml_writer_text(LpXmlWriter *self, const char *element, const char *text);

/** Writes "<!--@text-->". XML allows no two hyphens in a row in @text and none at its end, and
 * escapes nothing there: the caller sees to that. */
void lp_xml_writer_comment(LpXmlWriter *self, const char *text);

/** Closes what is open, ends the document and frees @self. Returns: (transfer full) its text. */
char *lp_xml_writer_finish(LpXmlWriter *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
