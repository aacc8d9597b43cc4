/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the text of an XML document before libxml2 does, which takes time by the square of an
 * element's attributes, and much memory for each part. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The largest number of attributes of an element; no description has a tenth of it. */
#define LP_XML_ATTRIBUTES_MAX 1000
/** The largest number of tags and attributes of a document: libxml2 takes some 250 bytes for each,
 * and a document is to fit into a gigabyte. */
#define LP_XML_PARTS_MAX 3500000

/** The line, from 1, of the first element that goes beyond a limit; 0: none does. @text: @length
 * bytes, in an encoding that has ASCII's characters. @out_what: "more than so many parts", a
 * constant, or NULL. */
long lp_xml_scan_crowded(const char *text, gsize length, const char **out_what);

G_END_DECLS
