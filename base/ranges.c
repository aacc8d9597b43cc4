/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes lists of whole numbers. */
#include "base/ranges.h"

#include "base/error.h"
#include "base/units.h"

#include <string.h>

static gboolean
fail(const char *text, int code, const char *wanted, GError **error)
{
    g_autofree char *shown = lp_error_quote(text);
    g_set_error(error, LP_INPUT_ERROR, code, "got %s, wanted %s", shown, wanted);
    return FALSE;
}

/* One entry: a number, or two with a hyphen between. */
static gboolean
parse_entry(const char *entry, guint32 maximum, guint64 *out_first, guint64 *out_last,
            GError **error)
{
    g_auto(GStrv) ends = g_strsplit(entry, "-", 2);
    g_autoptr(GError) fault = NULL;
    if (ends[0] == NULL || !lp_count_parse(ends[0], 0, maximum, out_first, &fault) ||
        (ends[1] != NULL && !lp_count_parse(ends[1], *out_first, maximum, out_last, &fault))) {
        g_autofree char *wanted =
            g_strdup_printf("numbers and rising ranges up to %u, such as \"0-63,128\"", maximum);
        return fail(entry, LP_INPUT_ERROR_SYNTAX, wanted, error);
    }
    if (ends[1] == NULL)
        *out_last = *out_first;
    return TRUE;
}

GArray *
lp_ranges_parse(const char *text, guint32 maximum, GError **error)
{
    g_auto(GStrv) entries = g_strsplit(text, ",", -1);
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autofree guint8 *seen = g_new0(guint8, (gsize)maximum + 1);
    if (entries[0] == NULL) {
        (void)fail(text, LP_INPUT_ERROR_SYNTAX, "at least one number", error);
        return NULL;
    }
    for (guint i = 0; entries[i] != NULL; i++) {
        guint64 first = 0, last = 0;
        if (!parse_entry(g_strstrip(entries[i]), maximum, &first, &last, error))
            return NULL;
        for (guint32 number = (guint32)first; number <= last; number++) {
            if (seen[number]++ != 0) {
                g_autofree char *wanted =
                    g_strdup_printf("each number once; %u comes again", number);
                (void)fail(text, LP_INPUT_ERROR_VALUE, wanted, error);
                return NULL;
            }
            g_array_append_val(numbers, number);
        }
    }
    return g_steal_pointer(&numbers);
}

char *
lp_ranges_format(const guint32 *numbers, guint n)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < n;) {
        guint end = i + 1;
        while (end < n && numbers[end] == numbers[end - 1] + 1)
            end++;
        g_string_append_printf(text, "%s%u", i > 0 ? "," : "", numbers[i]);
        if (end > i + 1)
            g_string_append_printf(text, "-%u", numbers[end - 1]);
        i = end;
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}
