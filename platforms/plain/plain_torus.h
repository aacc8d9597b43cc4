/* SPDX-License-Identifier: Apache-2.0 */
/* Tori whose ports take turns at ways, plain or twisted, as a zone with explicit routes. */
#pragma once

#include "base/xml_writer.h"
#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** Writes a zone with a host for each port of the scale-out torus, a link from each to the next one
 * of each dimension, and a route from each to each other. @id, @prefix: of the plane's zone and of
 * its hosts, borrowed. */
void lp_plain_torus_write(LpXmlWriter *xml, const LpMachine *machine, const char *id,
                          const char *prefix);

/** The name of the link from @port to the next one of @dimension; @id: of the plane's zone.
 * Returns: (transfer full). */
char *lp_plain_torus_link_name(const char *id, guint64 port,
                               guint32 dimension) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
