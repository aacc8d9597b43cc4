/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what a cluster's links and switches are made of. */
#include "platforms/machine/medium.h"

#include "base/error.h"
#include "base/units.h"
#include "property_places.h"

#include <string.h>

G_STATIC_ASSERT(MEDIUM_LINK_RATE == LP_MEDIUM_FIRST_NUMBER);

/* The limits keep sums finite. */
static const struct {
    LpQuantity quantity;
    double minimum, maximum;
} numbers[LP_N_MEDIUM_NUMBERS] = {
    [LP_MEDIUM_LINK_RATE] = {LP_QUANTITY_BANDWIDTH, 1, 1e18},
    [LP_MEDIUM_STATIC_POWER] = {LP_QUANTITY_POWER, 0, 1e6},
    [LP_MEDIUM_TRANSCEIVER_POWER] = {LP_QUANTITY_POWER, 0, 1e6},
    [LP_MEDIUM_TRANSCEIVER_PRICE] = {LP_QUANTITY_PRICE, 0, 1e9},
    [LP_MEDIUM_CARD_PRICE] = {LP_QUANTITY_PRICE, 0, 1e9},
    [LP_MEDIUM_SWITCH_PORT_POWER] = {LP_QUANTITY_POWER, 0, 1e6},
    [LP_MEDIUM_SWITCH_PORT_PRICE] = {LP_QUANTITY_PRICE, 0, 1e9},
    [LP_MEDIUM_SWITCH_PORT_RATE] = {LP_QUANTITY_BANDWIDTH, 1, 1e18},
};

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
    if (index == MEDIUM_TRANSCEIVERS) {
        int place = lp_choice_parse(text, lp_transceivers_names, error);
        if (place >= 0)
            self->transceivers = (LpTransceivers)place;
        return place >= 0;
    }
    guint number = index - LP_MEDIUM_FIRST_NUMBER;
    if (!lp_quantity_parse_in(numbers[number].quantity, text, numbers[number].minimum,
                              numbers[number].maximum, &self->number[number], error))
        return FALSE;
    self->known |= 1u << number;
    return TRUE;
}

gboolean
lp_medium_knows(const LpMedium *self, LpMediumNumber number)
{
    return (self->known & (1u << number)) != 0;
}
