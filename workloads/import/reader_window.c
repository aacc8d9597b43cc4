/* SPDX-License-Identifier: Apache-2.0 */
/* How far back attention looks in which layers. */
#include "workloads/description/layer_pattern.h"
#include "workloads/import/reader.h"

/* What the configuration says of attention's reach. */
typedef struct {
    guint32 window, chunk; /* tokens; 0: no limit */
    LpLayerWord *reaches;  /* owned: of each layer */
    const char *key;       /* that says which layers are limited */
} Reach;

/* layer_types: one text a layer. */
static gboolean
read_layer_types(const LpReader *self, const json_t *list, LpLayerWord *reaches, GError **error)
{
    static const char *const names[] = {[LP_LAYER_FULL] = "full_attention",
                                        [LP_LAYER_WINDOW] = "sliding_attention",
                                        [LP_LAYER_CHUNK] = "chunked_attention"};
    gboolean good = json_array_size(list) == self->n_layers;
    for (guint i = 0; good && i < self->n_layers; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        guint reach = 0;
        while (reach < G_N_ELEMENTS(names) && g_strcmp0(text, names[reach]) != 0)
            reach++;
        good = reach < G_N_ELEMENTS(names);
        reaches[i] = (LpLayerWord)reach;
    }
    return good || lp_config_fault(self->config, "layer_types",
                                   "\"full_attention\", \"sliding_attention\" or "
                                   "\"chunked_attention\" for each layer",
                                   error);
}

/* no_rope_layers: 1 for each layer with rotary positions, whose attention is chunked. An empty list
 * says nothing. */
static gboolean
read_rope_layers(const LpReader *self, Reach *reach, GError **error)
{
    const json_t *list = NULL;
    if (!lp_config_list(self->config, "no_rope_layers", &list, error))
        return FALSE;
    if (list == NULL || json_array_size(list) == 0)
        return TRUE;
    gboolean good = json_array_size(list) >= self->n_layers;
    for (guint i = 0; good && i < self->n_layers; i++) {
        const json_t *item = json_array_get(list, i);
        good = json_is_integer(item);
        reach->reaches[i] = json_integer_value(item) != 0 ? LP_LAYER_CHUNK : LP_LAYER_FULL;
    }
    reach->key = "no_rope_layers";
    return good || lp_config_fault(self->config, "no_rope_layers", "0 or 1 for each layer", error);
}

/* The key of the period of the layers that are not limited, the last of each so many. */
static const char *
period_key(const LpReader *self)
{
    return self->family->window == LP_FAMILY_WINDOW_CHUNKS
               ? "no_rope_layer_interval"
               : "sliding_window_pattern|_sliding_window_pattern";
}

/* What holds where layer_types do not say. */
static gboolean
read_family_layers(const LpReader *self, Reach *reach, GError **error)
{
    LpFamilyWindow kind = self->family->window;
    LpLayerWord limited = kind == LP_FAMILY_WINDOW_CHUNKS ? LP_LAYER_CHUNK : LP_LAYER_WINDOW;
    gboolean is_switch = kind == LP_FAMILY_WINDOW_SWITCH;
    gboolean has_period = kind == LP_FAMILY_WINDOW_PATTERN || kind == LP_FAMILY_WINDOW_CHUNKS;
    /* The classes' defaults. */
    guint32 first = is_switch ? 28 : 0, period = self->family->window_period;
    if (is_switch && !lp_config_count(self->config, "max_window_layers", 0, &first, error))
        return FALSE;
    if (has_period && !lp_config_count(self->config, period_key(self), 1, &period, error))
        return FALSE;
    for (guint i = 0; i < self->n_layers; i++) {
        gboolean is_limited = has_period ? (i + 1) % period != 0 : i >= first;
        reach->reaches[i] = is_limited ? limited : LP_LAYER_FULL;
    }
    reach->key = has_period ? period_key(self) : "max_window_layers";
    return kind != LP_FAMILY_WINDOW_CHUNKS || read_rope_layers(self, reach, error);
}

static gboolean
read_layers(const LpReader *self, Reach *reach, GError **error)
{
    const json_t *list = NULL;
    if (!read_family_layers(self, reach, error) ||
        !lp_config_list(self->config, "layer_types", &list, error))
        return FALSE;
    if (list == NULL)
        return TRUE;
    reach->key = "layer_types";
    return read_layer_types(self, list, reach->reaches, error);
}

/* An absent width is the class' default, null is none. */
static gboolean
read_widths(const LpReader *self, Reach *reach, GError **error)
{
    LpFamilyWindow kind = self->family->window;
    gboolean chunks = kind == LP_FAMILY_WINDOW_CHUNKS, used = kind != LP_FAMILY_WINDOW_SWITCH;
    const char *key = chunks ? "attention_chunk_size" : "sliding_window";
    if (kind == LP_FAMILY_WINDOW_SWITCH &&
        !lp_config_boolean(self->config, "use_sliding_window", &used, error))
        return FALSE;
    guint32 width = lp_config_is_null(self->config, key) ? 0 : self->family->window_width;
    if (!lp_config_count(self->config, key, 0, &width, error))
        return FALSE;
    *(chunks ? &reach->chunk : &reach->window) = used ? width : 0;
    return TRUE;
}

/* A limit as wide as the sequence is none. Returns: whether a layer is limited so. */
static gboolean
drop_wide(const LpReader *self, const Reach *reach, LpLayerWord kind, guint32 width)
{
    gboolean any = FALSE;
    for (guint i = 0; i < self->n_layers; i++) {
        if (reach->reaches[i] != kind)
            continue;
        any = width > 0 && width < self->seq;
        if (!any)
            reach->reaches[i] = LP_LAYER_FULL;
    }
    return any;
}

/* Layers whose index is a multiple of @period have a window, and no others. */
static gboolean
is_every(const LpReader *self, const Reach *reach, guint32 period)
{
    for (guint i = 0; i < self->n_layers; i++)
        if (reach->reaches[i] != (i % period == 0 ? LP_LAYER_WINDOW : LP_LAYER_FULL))
            return FALSE;
    return TRUE;
}

/* Maps windows in the shortest terms: all layers, one layer in so many, or a pattern. */
static void
map_layers(const LpReader *self, const Reach *reach, const LpLayerPattern *pattern, const char *key)
{
    guint32 period = 2;
    while (period < self->n_layers && !is_every(self, reach, period))
        period++;
    g_autofree char *text = lp_layer_pattern_format(pattern);
    if (period < self->n_layers)
        lp_import_map_count(self->import, "window-every", period, key);
    else if (pattern->n > 1)
        lp_import_map(self->import, "layer-pattern", text, key);
}

gboolean
lp_reader_map_window(const LpReader *self, GError **error)
{
    if (self->family->window == LP_FAMILY_WINDOW_NONE)
        return TRUE;
    g_autofree LpLayerWord *reaches = g_new0(LpLayerWord, self->n_layers);
    Reach reach = {.reaches = reaches};
    if (!read_widths(self, &reach, error) || !read_layers(self, &reach, error))
        return FALSE;
    gboolean windowed = drop_wide(self, &reach, LP_LAYER_WINDOW, reach.window);
    gboolean chunked = drop_wide(self, &reach, LP_LAYER_CHUNK, reach.chunk);
    if (!windowed && !chunked)
        return TRUE;
    g_autofree char *key = lp_config_key(self->config, reach.key);
    LpLayerPattern pattern;
    g_autofree const char **words = g_new(const char *, self->n_layers);
    for (guint i = 0; i < self->n_layers; i++)
        words[i] = lp_layer_word_names[reaches[i]];
    if (!lp_layer_pattern_of(words, self->n_layers, &pattern)) {
        lp_reader_leave(self, key, "no limit: layers change more often than layer-pattern may");
        return TRUE;
    }
    if (windowed)
        lp_import_map_count(self->import, "window", reach.window,
                            lp_reader_said(self, "sliding_window"));
    if (chunked)
        lp_import_map_count(self->import, "chunk", reach.chunk,
                            lp_reader_said(self, "attention_chunk_size"));
    map_layers(self, &reach, &pattern, lp_reader_said(self, key));
    return TRUE;
}
