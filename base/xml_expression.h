/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions in attributes: XPath 1.0 without a document, whose variables the caller knows. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** An expression, read once. */
typedef struct LpXmlExpression LpXmlExpression;

/** The text of the variable @name, NULL: there is none. Borrowed until the next call. */
typedef const char *(*LpXmlVariable)(const char *name, gconstpointer data);

/** Reads @text. Error: LP_INPUT_ERROR_SYNTAX, "got, wanted". Returns: (transfer full). */
LpXmlExpression *lp_xml_expression_new(const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** @self may be NULL. */
void lp_xml_expression_free(LpXmlExpression *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpXmlExpression, lp_xml_expression_free)

/** Whether @self, a comparison, holds. A variable whose text is a number or a quantity with a unit
 * is a number, in SI units; any other is a text. Errors: LP_INPUT_ERROR_NAME of an unknown
 * variable, LP_INPUT_ERROR_VALUE; "got, wanted". */
gboolean lp_xml_expression_test(LpXmlExpression *self, LpXmlVariable variable, gconstpointer data,
                                gboolean *out_holds, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The number that @self is. Errors: as lp_xml_expression_test(); LP_INPUT_ERROR_VALUE where it is
 * not finite. */
gboolean lp_xml_expression_number(LpXmlExpression *self, LpXmlVariable variable, gconstpointer data,
                                  double *out_value, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
