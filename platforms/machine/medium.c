/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what a cluster's links and switches are made of. */
#include "platforms/machine/medium.h"

#include "base/error.h"
#include "base/units.h"
#include "platforms/catalogue/field.h"
#include "property_places.h"

#include <string.h>

G_STATIC_ASSERT(MEDIUM_LINK_RATE == LP_MEDIUM_FIRST_NUMBER);

/* The properties of a medium. Their limits keep sums finite. */
static const LpField fields[] = {MEDIUM_FIELDS};

static gboolean
set_name(char *name, const char *text, GError **error)
{
    gsize length = strlen(text);
    if (length == 0 || length > LP_MEDIUM_NAME_MAX) {
        g_autofree char *shown = lp_error_quote(text);
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "%s, wanted a name of 1 to %d bytes", shown, LP_MEDIUM_NAME_MAX);
        return FALSE;
    }
    g_strlcpy(name, text, LP_MEDIUM_NAME_MAX + 1);
    return TRUE;
}

gboolean
lp_medium_set(LpMedium *self, guint index, const char *text, GError **error)
{
    g_return_val_if_fail(index < LP_N_MEDIUM_PROPERTIES, FALSE);
    if (index == MEDIUM_LINK_TECHNOLOGY)
        return set_name(self->link_technology, text, error);
    if (index == MEDIUM_SWITCH_TECHNOLOGY)
        return set_name(self->switch_technology, text, error);
    if (!lp_field_set(&fields[index], self, text, error))
        return FALSE;
    if (index >= LP_MEDIUM_FIRST_NUMBER)
        self->known |= 1u << (index - LP_MEDIUM_FIRST_NUMBER);
    return TRUE;
}

gboolean
lp_medium_knows(const LpMedium *self, LpMediumNumber number)
{
    return (self->known & (1u << number)) != 0;
}
