/* SPDX-License-Identifier: Apache-2.0 */
/* What all links of a plain platform have in common: their attributes, and names by tier. */
#pragma once

#include "base/xml_writer.h"

G_BEGIN_DECLS

/* Parts of the names of links in zones with explicit routes, by which their tier is known. A colon
 * stands in no name of a user's file. */
#define LP_PLAIN_GLOBAL_LINK ":global:"
#define LP_PLAIN_LOCAL_LINK ":local:"
#define LP_PLAIN_LEAF_LINK ":leaf:"

/** Writes the attributes of a cluster's hosts and links to the element just opened; each number
 * reads back to the same double. @bytes_per_s: of a link, each way. @latency_s: of a link. */
void lp_plain_write_links(LpXmlWriter *xml, double bytes_per_s, double latency_s);

/** Writes one link of a zone with explicit routes. @bytes_per_s: each way. */
void lp_plain_write_link(LpXmlWriter *xml, const char *name, double bytes_per_s, double latency_s);

/** Writes one step of a route: over the link @name, in the direction in which its name reads or
 * back. */
void lp_plain_write_step(LpXmlWriter *xml, const char *name, gboolean is_forward);

G_END_DECLS
