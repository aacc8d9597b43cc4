/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic over named sizes, as lists of kernels write it: read once, worked out often.
 *
 * Numbers; names of lower-case letters, digits and hyphens; + - * / (a minus stands between blanks,
 * since names have hyphens), min(a, b), max(a, b), ceil(a); = != < <= > >=, and, or, not, which
 * give 1 or 0; a ? b : c. What stands on the left is worked out first and nothing is reordered, so
 * that a list gives the same digits as the same formula in C. A library such as muParser folds and
 * reorders constants, cannot say where it divided by zero, and has no names with hyphens. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct LpExpression LpExpression;

/** The meaning of a name: a place among the values, or another expression. */
typedef struct {
    guint place;
    const LpExpression *expression; /* borrowed; NULL: the place */
    const char *const *words; /**< of a choice, NULL-ended, what it is compared with; or NULL */
} LpExpressionName;

/** Finds @name. Returns: FALSE where nothing is called so. */
typedef gboolean (*LpExpressionFind)(gpointer data, const char *name, LpExpressionName *out);

/** Values by place, and whether one was divided by zero. */
typedef struct {
    double *values;      /* borrowed */
    gboolean is_divided; /**< by zero, since it was last cleared */
} LpExpressionValues;

/** Reads @text. Errors: LP_INPUT_ERROR, "got, wanted". Returns: (transfer full). */
LpExpression *lp_expression_parse(const char *text, LpExpressionFind find, gpointer data,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Works it out. */
double lp_expression_value(const LpExpression *self, LpExpressionValues *values);
void lp_expression_free(LpExpression *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpExpression, lp_expression_free)

G_END_DECLS
