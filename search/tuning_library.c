/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what was chosen as plans take it. */
#include "search/tuning.h"

#include "base/error.h"
#include "platforms/catalogue/libraries.h"

static gboolean
is_one_row(const LpTuningKey *a, const LpTuningKey *b)
{
    return a->collective == b->collective && a->traffic == b->traffic;
}

/* Appends the ranges of sizes with one library for keys @first to @end, which are of one operation
 * and class. */
static guint
append_ranges(const LpTuning *self, const guint32 *chosen, guint first, guint end, GString *text)
{
    guint n = 0;
    guint64 last_bytes = 0;
    for (guint key = first; key < end; key++) {
        const char *name = self->libraries[chosen[key]].name;
        guint64 bytes = g_array_index(self->keys, LpTuningKey, key).bytes;
        if (key + 1 < end && chosen[key] == chosen[key + 1])
            continue;
        if (n == 0 && key + 1 == end)
            g_string_append_printf(text, " %s", name);
        else if (key + 1 == end)
            g_string_append_printf(text, " >%" G_GUINT64_FORMAT "B=%s", last_bytes, name);
        else
            g_string_append_printf(text, " <=%" G_GUINT64_FORMAT "B=%s", bytes, name);
        last_bytes = bytes;
        n++;
    }
    return n;
}

static gboolean
is_one_library(const LpTuning *self, const guint32 *chosen)
{
    for (guint key = 1; key < self->keys->len; key++)
        if (chosen[key] != chosen[0])
            return FALSE;
    return TRUE;
}

char *
lp_tuning_library_text(const LpTuning *self, const guint32 *chosen, GError **error)
{
    if (self->keys->len == 0 || is_one_library(self, chosen))
        return g_strdup(self->libraries[self->keys->len == 0 ? 0 : chosen[0]].name);
    g_autoptr(GString) text = g_string_new(LP_LIBRARY_AUTO);
    guint n_ranges = 0, end = 0;
    for (guint first = 0; first < self->keys->len; first = end) {
        const LpTuningKey *key = &g_array_index(self->keys, LpTuningKey, first);
        for (end = first + 1; end < self->keys->len; end++)
            if (!is_one_row(key, &g_array_index(self->keys, LpTuningKey, end)))
                break;
        g_string_append_printf(text, "; %s%s%s:", lp_collective_names[key->collective],
                               key->traffic == LP_N_TRAFFIC ? "" : "@",
                               key->traffic == LP_N_TRAFFIC ? "" : lp_traffic_names[key->traffic]);
        n_ranges += append_ranges(self, chosen, first, end, text);
    }
    if (n_ranges <= LP_LIBRARY_PICKS_MAX && text->len < LP_LIBRARY_TEXT_MAX)
        return g_strdup(text->str);
    lp_value_error(error,
                   "got a choice of %u ranges in %" G_GSIZE_FORMAT
                   " bytes, wanted at most %d in %d, as of fewer libraries",
                   n_ranges, text->len, LP_LIBRARY_PICKS_MAX, LP_LIBRARY_TEXT_MAX - 1);
    return NULL;
}
