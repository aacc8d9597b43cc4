/* SPDX-License-Identifier: Apache-2.0 */
/* Reads texts into members of structs. */
#include "platforms/catalogue/field.h"

gboolean
lp_field_set(const LpField *self, gpointer object, const char *text, GError **error)
{
    void *member = G_STRUCT_MEMBER_P(object, self->offset);
    switch (self->kind) {
    case LP_FIELD_COUNT: {
        guint64 count = 0;
        gboolean good =
            lp_count_parse(text, (guint64)self->minimum, (guint64)self->maximum, &count, error);
        if (good)
            *(guint32 *)member = (guint32)count;
        return good;
    }
    case LP_FIELD_NUMBER:
        return lp_number_parse(text, self->minimum, self->maximum, member, error);
    case LP_FIELD_QUANTITY:
        return lp_quantity_parse_in(self->quantity, text, self->minimum, self->maximum, member,
                                    error);
    case LP_FIELD_CHOICE: {
        int choice = lp_choice_parse(text, self->names, error);
        if (choice >= 0)
            *(guint *)member = (guint)choice;
        return choice >= 0;
    }
    }
    g_return_val_if_reached(FALSE);
}
