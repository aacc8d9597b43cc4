/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of a program by hand, as elements. */
#pragma once

#include "base/xml.h"
#include "workloads/given/given_program.h"

G_BEGIN_DECLS

/** Reads the operations in @node into a new body called @name (or NULL), with those that they
 * repeat. Errors: LP_INPUT_ERROR, "FILE:LINE: <element> attribute: got, wanted". */
gboolean lp_given_operations_read(LpGivenProgram *self, const LpXml *xml, xmlNode *node,
                                  const char *name, guint32 *out_body,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
