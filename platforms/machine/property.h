/* SPDX-License-Identifier: Apache-2.0 */
/* The <prop> elements of a platform file's zones and clusters, looked up and read. */
#pragma once

#include "base/xml.h"

G_BEGIN_DECLS

#define LP_PROPERTIES_MAX 96

/** An element and its properties by place in @names, which is NULL-ended; NULL where one is absent.
 * All borrowed from the document. */
typedef struct {
    xmlNode *node;
    const char *const *names;
    xmlNode *props[LP_PROPERTIES_MAX];
} LpProperties;

/** Sets LP_MACHINE_ERROR @code (LpMachineError) with "FILE:LINE: " of @node and the message that
 * @format gives. Returns: FALSE. */
gboolean lp_platform_fail(const LpXml *xml, const xmlNode *node, int code, GError **error,
                          const char *format, ...) G_GNUC_PRINTF(5, 6);

/** Finds the properties of @self->node and puts them in their places; "source.ANYTHING" is passed
 * over. Errors: LP_INPUT_ERROR_NAME for one that is not in the names, LP_MACHINE_ERROR_STRUCTURE
 * for one that stands twice; "FILE:LINE: ...". */
gboolean lp_properties_collect(LpProperties *self, const LpXml *xml, GError **error);
/** Puts "FILE:LINE: prop NAME: " of @prop before the message of @error. Returns: FALSE. */
gboolean lp_property_prefix(const LpXml *xml, const xmlNode *prop, GError **error);

/** The value of the property at @place, which must be there. Errors: LP_MACHINE_ERROR_STRUCTURE.
 * Returns: (transfer none), borrowed from the document; NULL with the error. */
const char *lp_properties_value(const LpProperties *self, const LpXml *xml, int place,
                                GError **error);
/** Reads the count at @place, from 1 to LP_MACHINE_HOSTS_MAX. Errors: LP_INPUT_ERROR, or
 * LP_MACHINE_ERROR_STRUCTURE where it is absent; "FILE:LINE: prop NAME: got, wanted". */
gboolean lp_properties_count(const LpProperties *self, const LpXml *xml, int place,
                             guint32 *out_value, GError **error);
/** Reads the name at @place, one of the NULL-ended @names, as its index there. Errors: as
 * lp_properties_count(). */
gboolean lp_properties_choice(const LpProperties *self, const LpXml *xml, int place,
                              const char *const *names, int *out_choice, GError **error);
/** Reads a count like lp_properties_count(), but the property may be absent: @io_value then keeps
 * its value. */
gboolean lp_properties_count_or(const LpProperties *self, const LpXml *xml, int place,
                                guint32 *io_value, GError **error);
/** Reads a choice like lp_properties_choice(), but the property may be absent: @io_choice then
 * keeps its value. */
gboolean lp_properties_choice_or(const LpProperties *self, const LpXml *xml, int place,
                                 const char *const *names, int *io_choice, GError **error);

G_END_DECLS
