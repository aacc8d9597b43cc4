/* SPDX-License-Identifier: Apache-2.0 */
/* Which layers have a mixer in attention's place, and its sizes. */
#include "workloads/description/layer_pattern.h"
#include "workloads/import/reader.h"

#include <string.h>

/* layer_types: one text a layer. */
static gboolean
read_types(const LpReader *self, const char *key, const char **words, GError **error)
{
    static const char *const mixers[] = {"mamba", "linear_attention", "hybrid", NULL};
    static const char *const attention[] = {"attention", "full_attention", NULL};
    const json_t *list = NULL;
    if (!lp_config_list(self->config, key, &list, error))
        return FALSE;
    gboolean good = json_array_size(list) == self->n_layers;
    for (guint i = 0; good && i < self->n_layers; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        gboolean mixes = text != NULL && g_strv_contains(mixers, text);
        good = mixes || (text != NULL && g_strv_contains(attention, text));
        words[i] = mixes ? self->family->layers->mixer : self->family->layers->attention;
    }
    return good || lp_config_fault(self->config, key,
                                   "\"mamba\", \"linear_attention\", \"attention\" or "
                                   "\"full_attention\" for each layer",
                                   error);
}

/* A list of the layers that have attention, counted from @first. */
static gboolean
read_indices(const LpReader *self, const char *key, const json_t *list, json_int_t first,
             const char **words, GError **error)
{
    const json_t *item;
    gsize i;
    gboolean good = json_is_array(list);
    for (guint layer = 0; layer < self->n_layers; layer++)
        words[layer] = self->family->layers->mixer;
    json_array_foreach (list, i, item) {
        json_int_t layer = json_is_integer(item) ? json_integer_value(item) - first : -1;
        good = good && layer >= 0 && layer < (json_int_t)self->n_layers;
        if (good)
            words[layer] = self->family->layers->attention;
    }
    return good || lp_config_fault(self->config, key, "layers that there are", error);
}

static gboolean
read_interval(const LpReader *self, const char **words, GError **error)
{
    const LpFamilyLayers *layers = self->family->layers;
    guint32 every = layers->every;
    if (layers->interval != NULL &&
        !lp_config_count(self->config, layers->interval, 1, &every, error))
        return FALSE;
    guint32 first = layers->offset != NULL ? layers->first : every - 1;
    if (layers->offset != NULL && !lp_config_count(self->config, layers->offset, 0, &first, error))
        return FALSE;
    for (guint i = 0; i < self->n_layers; i++)
        words[i] = every > 0 && i % every == first ? layers->attention : layers->mixer;
    return first < every || layers->offset == NULL ||
           lp_config_fault(self->config, layers->offset, "less than the layers of a period", error);
}

static gboolean
read_words(const LpReader *self, const char **words, const char **out_key, GError **error)
{
    const LpFamilyLayers *layers = self->family->layers;
    const json_t *inner = NULL;
    if (layers->object != NULL) {
        *out_key = layers->object;
        inner = json_object_get(lp_config_peek(self->config, layers->object), "full_attn_layers");
        return read_indices(self, layers->object, inner, 1, words, error);
    }
    if (layers->types != NULL) {
        g_autofree char *key = lp_config_key(self->config, layers->types);
        if (lp_config_peek(self->config, key) != NULL) {
            *out_key = g_intern_string(key);
            return read_types(self, key, words, error);
        }
    }
    if (layers->indices != NULL && lp_config_peek(self->config, layers->indices) != NULL) {
        *out_key = layers->indices;
        return read_indices(self, layers->indices, lp_config_peek(self->config, layers->indices), 0,
                            words, error);
    }
    *out_key = layers->interval != NULL ? layers->interval : "model_type";
    return read_interval(self, words, error);
}

/* Letters of blocks, one a layer. */
static gboolean
map_letters(LpReader *self, GError **error)
{
    const char *key = self->family->layers->letters, *letters = NULL;
    LpLayerPattern pattern = {.n = 0};
    if (!lp_config_text(self->config, key, &letters, error))
        return FALSE;
    gboolean good = letters != NULL && strlen(letters) == self->n_layers &&
                    lp_layer_pattern_parse(letters, &pattern, NULL) && pattern.single_blocks;
    if (!good)
        return lp_config_fault(self->config, key, "M, -, * or E for each layer", error);
    lp_import_map(self->import, "layer-pattern", letters, key);
    self->no_experts = strchr(letters, 'E') == NULL;
    return TRUE;
}

static gboolean
map_words(const LpReader *self, GError **error)
{
    g_autofree const char **words = g_new0(const char *, self->n_layers);
    const char *key = "";
    LpLayerPattern pattern = {.n = 0};
    if (!read_words(self, words, &key, error))
        return FALSE;
    if (!lp_layer_pattern_of(words, self->n_layers, &pattern))
        return lp_config_fault(self->config, key, "layers that change less often", error);
    g_autofree char *text = lp_layer_pattern_format(&pattern);
    lp_import_map(self->import, "layer-pattern", text, lp_reader_said(self, key));
    if (self->family->layers->single_blocks)
        lp_import_map(self->import, "single-blocks", "yes", "model_type");
    return TRUE;
}

/* Sizes that stand in an object of their own. */
static gboolean
map_inner(const LpReader *self, const LpFamilySize *size, GError **error)
{
    const char *object = self->family->layers->object;
    const json_t *node = json_object_get(lp_config_peek(self->config, object), size->keys);
    json_int_t value = node == NULL ? (json_int_t)size->fallback : json_integer_value(node);
    if (value < 1 || value > (json_int_t)LP_CONFIG_COUNT_MAX)
        return lp_config_fault(self->config, object, "counts in it", error);
    lp_import_map_count(self->import, size->attribute, (guint32)value, object);
    return TRUE;
}

static gboolean
map_size(const LpReader *self, const LpFamilySize *size, GError **error)
{
    guint32 value = size->fallback;
    if (size->keys == NULL) {
        lp_import_map_count(self->import, size->attribute, value, "model_type");
        return TRUE;
    }
    g_autofree char *key = lp_config_key(self->config, size->keys);
    const json_t *node = lp_config_peek(self->config, key);
    gboolean is_auto = g_strcmp0(json_string_value(node), "auto") == 0;
    if (size->fallback == 0 && (node == NULL || is_auto))
        return TRUE;
    return lp_reader_map_count(self, size->attribute, size->keys, 1, &value, error);
}

gboolean
lp_reader_map_layers(LpReader *self, GError **error)
{
    const LpFamilyLayers *layers = self->family->layers;
    if (layers == NULL)
        return TRUE;
    if (layers->letters != NULL ? !map_letters(self, error) : !map_words(self, error))
        return FALSE;
    for (const LpFamilySize *size = layers->sizes; size->attribute != NULL; size++)
        if (layers->object != NULL ? !map_inner(self, size, error) : !map_size(self, size, error))
            return FALSE;
    return TRUE;
}
