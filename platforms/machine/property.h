/* SPDX-License-Identifier: Apache-2.0 */
/* The <prop> elements of a platform file's zones and clusters, looked up and read. */
#pragma once

#include "base/xml.h"

G_BEGIN_DECLS

#define LP_PROPERTIES_MAX 24

/** An element and its properties by place in @names; NULL where one is absent. All borrowed from
 * the document. */
typedef struct {
    xmlNode *node;
    const char *const *names;
    xmlNode *props[LP_PROPERTIES_MAX];
} LpProperties;

/** Sets LP_MACHINE_ERROR @code with "FILE:LINE: message"; returns FALSE. */
gboolean lp_platform_fail(const LpXml *xml, const xmlNode *node, int code, GError **error,
                          const char *format, ...) G_GNUC_PRINTF(5, 6);

/** Finds the properties of @self->node. One that is not in the names, or stands twice, is an error;
 * "source.ANYTHING" is passed over. */
gboolean lp_properties_collect(LpProperties *self, const LpXml *xml, GError **error);
/** Puts "FILE:LINE: prop NAME: " before the message; returns FALSE. */
gboolean lp_property_prefix(const LpXml *xml, const xmlNode *prop, GError **error);

/** The value of a property that must be there (borrowed), or NULL with an error. */
const char *lp_properties_value(const LpProperties *self, const LpXml *xml, int place,
                                GError **error);
/** A count from 1 up to the most hosts that a cluster may have. */
gboolean lp_properties_count(const LpProperties *self, const LpXml *xml, int place,
                             guint32 *out_value, GError **error);
/** A name of the NULL-ended @names, as its index. */
gboolean lp_properties_choice(const LpProperties *self, const LpXml *xml, int place,
                              const char *const *names, int *out_choice, GError **error);
/** As above, where the property may be absent: @io_value then stays. */
gboolean lp_properties_count_or(const LpProperties *self, const LpXml *xml, int place,
                                guint32 *io_value, GError **error);
gboolean lp_properties_choice_or(const LpProperties *self, const LpXml *xml, int place,
                                 const char *const *names, int *io_choice, GError **error);

G_END_DECLS
