/* SPDX-License-Identifier: Apache-2.0 */
/* Reads sizes, lists and ranges of them. */
#include "cli/sizes.h"

#include "base/error.h"
#include "base/units.h"
#include "cli/options.h"

#define BYTES_MAX 1e15
#define SIZES_MAX 64

static gboolean
parse_size(const char *text, double *out_bytes, GError **error)
{
    g_autoptr(GError) fault = NULL;
    if (!lp_quantity_parse_in(LP_QUANTITY_SIZE, text, 0.0, BYTES_MAX, out_bytes, &fault))
        return lp_usage_error(error, "--bytes: %s", fault->message);
    if (*out_bytes < 1.0 && *out_bytes > 0.0)
        return lp_usage_error(error, "--bytes: got \"%s\", wanted whole bytes", text);
    return TRUE;
}

GArray *
lp_sizes_parse(const char *text, GError **error)
{
    g_autoptr(GArray) sizes = g_array_new(FALSE, TRUE, sizeof(guint64));
    g_auto(GStrv) ends = g_strsplit(text, "-", 2);
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    gboolean is_range = g_strv_length(ends) == 2 && ends[0][0] != '\0';
    double bytes = 0.0, last = 0.0;
    if (is_range && (!parse_size(ends[0], &bytes, error) || !parse_size(ends[1], &last, error)))
        return NULL;
    for (; is_range && bytes >= 1.0 && bytes <= last && sizes->len <= SIZES_MAX; bytes *= 2.0) {
        guint64 size = (guint64)bytes;
        g_array_append_val(sizes, size);
    }
    for (guint i = 0; !is_range && parts[i] != NULL && sizes->len <= SIZES_MAX; i++) {
        if (!parse_size(parts[i], &bytes, error))
            return NULL;
        guint64 size = (guint64)bytes;
        g_array_append_val(sizes, size);
    }
    if (sizes->len >= 1 && sizes->len <= SIZES_MAX)
        return g_steal_pointer(&sizes);
    g_autofree char *shown = lp_error_quote(text);
    lp_usage_error(error,
                   "--bytes: got %s, wanted a size, a list such as 1MB,64MB, or a range such as "
                   "1MiB-1GiB of at most %d doublings",
                   shown, SIZES_MAX);
    return NULL;
}
