/* SPDX-License-Identifier: Apache-2.0 */
/* Which layers have a sliding window. */
#include "workloads/import/reader.h"

/* The period of the layers with a window, if they are those whose index is its multiple; 0 if no
 * layer has one; -1 for another pattern. */
static int
window_period(const gboolean *has, guint n_layers)
{
    guint n_with = 0;
    for (guint i = 0; i < n_layers; i++)
        n_with += has[i] ? 1 : 0;
    if (n_with == 0)
        return 0;
    guint period = 1;
    while (period < n_layers && !has[period])
        period++;
    for (guint i = 0; i < n_layers; i++)
        if (has[i] != (i % period == 0))
            return -1;
    return (int)period;
}

/* layer_types: one text a layer. */
static gboolean
read_layer_types(const LpReader *self, const json_t *list, gboolean *has, GError **error)
{
    gboolean good = json_array_size(list) == self->n_layers;
    for (guint i = 0; good && i < self->n_layers; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        has[i] = g_strcmp0(text, "sliding_attention") == 0;
        good = has[i] || g_strcmp0(text, "full_attention") == 0;
    }
    return good ||
           lp_config_fault(self->config, "layer_types",
                           "\"sliding_attention\" or \"full_attention\" for each layer", error);
}

/* Which layers have a window, if any has one. */
static gboolean
read_window_layers(const LpReader *self, gboolean *has, const char **out_key, GError **error)
{
    const json_t *list = NULL;
    gboolean is_switch = self->family->window == LP_FAMILY_WINDOW_SWITCH;
    /* The classes' default. */
    guint32 first = is_switch ? 28 : 0;
    if (is_switch && !lp_config_count(self->config, "max_window_layers", 0, &first, error))
        return FALSE;
    /* The class' default. */
    guint32 pattern = self->family->window == LP_FAMILY_WINDOW_PATTERN ? 6 : 1;
    if (pattern > 1 && !lp_config_count(self->config, "sliding_window_pattern", 1, &pattern, error))
        return FALSE;
    for (guint i = 0; i < self->n_layers; i++)
        has[i] = self->family->window == LP_FAMILY_WINDOW_LIST      ? i % 2 == 0
                 : self->family->window == LP_FAMILY_WINDOW_PATTERN ? (i + 1) % pattern != 0
                                                                    : i >= first;
    *out_key = pattern > 1 ? "sliding_window_pattern" : "max_window_layers";
    if (!lp_config_list(self->config, "layer_types", &list, error))
        return FALSE;
    if (list == NULL)
        return TRUE;
    *out_key = "layer_types";
    return read_layer_types(self, list, has, error);
}

gboolean
lp_reader_map_window(const LpReader *self, GError **error)
{
    LpFamilyWindow kind = self->family->window;
    gboolean used = kind != LP_FAMILY_WINDOW_SWITCH;
    guint32 width = 0;
    if (kind == LP_FAMILY_WINDOW_NONE)
        return TRUE;
    if (kind == LP_FAMILY_WINDOW_SWITCH &&
        !lp_config_boolean(self->config, "use_sliding_window", &used, error))
        return FALSE;
    g_autofree gboolean *has = g_new0(gboolean, self->n_layers);
    const char *key = NULL;
    if (!lp_config_count(self->config, "sliding_window", 0, &width, error) ||
        !read_window_layers(self, has, &key, error))
        return FALSE;
    /* A window as wide as the sequence is none. */
    int period = window_period(has, self->n_layers);
    if (!used || width == 0 || width >= self->seq || period == 0)
        return TRUE;
    if (period < 0) {
        lp_reader_leave(self, key,
                        "no window: layers with one are not those whose index is a multiple");
        return TRUE;
    }
    lp_import_map_count(self->import, "window", width, "sliding_window");
    if (period > 1)
        lp_import_map_count(self->import, "window-every", (guint32)period, key);
    return TRUE;
}
