/* SPDX-License-Identifier: Apache-2.0 */
/* Writes workloads as files. */
#pragma once

#include "base/xml_writer.h"
#include "workloads/description/workload_data.h"

G_BEGIN_DECLS

/** Writes an element @element whose attributes are those of "name=value" @settings (NULL-ended)
 * that files have there, on lines of at most 100 columns. An element without any is left out
 * unless it is "transformer" or "plan". */
void lp_workload_write_element(LpXmlWriter *xml, const char *element, const char *const *settings);

/** The text of a file that is read as @self: the attributes that a file or settings gave, the
 * framework by its name. @sources: texts for <source>, NULL-ended. Returns: (transfer full). */
char *lp_workload_to_xml(const LpWorkload *self, const char *const *sources);

G_END_DECLS
