/* SPDX-License-Identifier: Apache-2.0 */
/* Members of structs that texts are read into, each with its kind and range. */
#pragma once

#include "base/units.h"

G_BEGIN_DECLS

/** The type of a member. */
typedef enum {
    LP_FIELD_COUNT,    /**< guint32 */
    LP_FIELD_NUMBER,   /**< double, without a unit */
    LP_FIELD_QUANTITY, /**< double, in SI units */
    LP_FIELD_CHOICE    /**< an enumeration: the place of a name */
} LpFieldKind;

/** A member, and what may be read into it. */
typedef struct {
    LpFieldKind kind;
    LpQuantity quantity; /**< of LP_FIELD_QUANTITY */
    gsize offset;
    double minimum, maximum;
    const char *const *names; /**< of LP_FIELD_CHOICE, NULL-ended */
} LpField;

/** Reads @text into the member of @object. Errors: LP_INPUT_ERROR, "got, wanted". */
gboolean lp_field_set(const LpField *self, gpointer object, const char *text,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
