/* SPDX-License-Identifier: Apache-2.0 */
/* The one door to libxml2: loads a document, checks it against a schema, reads attributes. */
#pragma once

#include <glib.h>
#include <libxml/tree.h>

#include "base/units.h"

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC(xmlDoc, xmlFreeDoc)

/** A checked document and the name that its messages carry. */
typedef struct {
    char *path;       /* owned: what messages say */
    xmlDoc *doc;      /* owned */
    gboolean is_kept; /**< for others, as what is embedded is: not to be changed */
} LpXml;

/**
 * Loads @path (a file, or an embedded "resource:///..." path), and validates it against the
 * embedded schema @schema_resource, unless it is as it was built in, which a test has validated. No
 * network, no external entities, no DTD is read. An embedded document is read once and kept, and so
 * are schemas.
 * Errors: LP_INPUT_ERROR, "FILE:LINE: what": the first fault only.
 * Returns: (transfer full).
 */
LpXml *lp_xml_load(const char *path, const char *schema_resource,
                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Parses and validates @content as lp_xml_load() does a file. @path: what messages call it.
 * Errors: LP_INPUT_ERROR. Returns: (transfer full). */
LpXml *lp_xml_parse(const char *path, GBytes *content, const char *schema_resource,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Frees the document and all that was borrowed from it, unless it is kept; NULL is allowed. */
void lp_xml_free(LpXml *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpXml, lp_xml_free)

/** The name of the root element of @path; NULL: the file is no XML up to there. Returns: (transfer
 * full). */
char *lp_xml_root_name(const char *path);
/** The root element, borrowed. */
xmlNode *lp_xml_root(const LpXml *self);
/** The next element at or after @node called @name (any if NULL), or NULL. */
xmlNode *lp_xml_element(xmlNode *node, const char *name);

/** The text in @node, each gap one blank. Returns: (transfer full). */
char *lp_xml_text(const xmlNode *node);

/** An attribute as written (borrowed from the document), or NULL when it is absent. */
const char *lp_xml_attribute(const xmlNode *node, const char *name);
/** Like lp_xml_attribute, but absence is an error that says where. */
const char *lp_xml_required(const LpXml *self, const xmlNode *node, const char *name,
                            GError **error);
/** Reads a required attribute that is a number with a unit of @quantity, in SI units. Errors:
 * LP_INPUT_ERROR, "FILE:LINE: <element> attribute: got, wanted". */
gboolean lp_xml_quantity(const LpXml *self, const xmlNode *node, const char *name,
                         LpQuantity quantity, double *out_value, GError **error);
/** Like lp_xml_quantity, and the value is in [@minimum, @maximum]. */
gboolean lp_xml_quantity_in(const LpXml *self, const xmlNode *node, const char *name,
                            LpQuantity quantity, double minimum, double maximum, double *out_value,
                            GError **error);
/** Reads a required attribute that is a whole number from @minimum to @maximum. Errors: as
 * lp_xml_quantity(). */
gboolean lp_xml_count(const LpXml *self, const xmlNode *node, const char *name, guint64 minimum,
                      guint64 maximum, guint64 *out_value, GError **error);
/** Reads a required attribute that is a number without a unit, from @minimum to @maximum. Errors:
 * as lp_xml_quantity(). */
gboolean lp_xml_number(const LpXml *self, const xmlNode *node, const char *name, double minimum,
                       double maximum, double *out_value, GError **error);

/** Puts "FILE:LINE: <element> attribute: " before the message of @error. */
void lp_xml_prefix(const LpXml *self, const xmlNode *node, const char *attribute, GError **error);
/** Sets an error at @node: "FILE:LINE: message". */
void lp_xml_error(const LpXml *self, const xmlNode *node, int code, GError **error,
                  const char *format, ...) G_GNUC_PRINTF(5, 6);

G_END_DECLS
