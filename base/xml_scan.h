/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the text of an XML document before libxml2 does, which takes time by the square of an
 * element's attributes. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The largest number of attributes of an element; no description has a tenth of it. */
#define LP_XML_ATTRIBUTES_MAX 1000

/** The line, from 1, on which an element with more than LP_XML_ATTRIBUTES_MAX attributes begins; 0:
 * none does. @text: @length bytes, in an encoding that has ASCII's characters. */
long lp_xml_scan_crowded(const char *text, gsize length);

G_END_DECLS
