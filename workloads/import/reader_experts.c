/* SPDX-License-Identifier: Apache-2.0 */
/* Mixtures of experts: how many, how wide, in which layers. */
#include "workloads/import/reader.h"

#include <string.h>

/* Which layers have experts, as the workload says it: after the dense ones, the last of each so
 * many. */
typedef struct {
    guint32 n_dense, every;
    gboolean any;
} Mixtures;

/* mlp_only_layers: indices of those that are dense. */
static gboolean
read_dense_list(const LpReader *self, const char *key, gboolean *has_experts, GError **error)
{
    const json_t *list = NULL;
    if (!lp_config_list(self->config, key, &list, error))
        return FALSE;
    for (guint i = 0; i < json_array_size(list); i++) {
        const json_t *node = json_array_get(list, i);
        gint64 layer = json_is_integer(node) ? json_integer_value(node) : -1;
        if (layer < 0 || layer >= (gint64)self->n_layers)
            return lp_config_fault(self->config, key, "indices of layers", error);
        has_experts[layer] = FALSE;
    }
    return TRUE;
}

/* moe_layer_freq as a list: 1 for each layer that has experts. */
static gboolean
read_each_layer(const LpReader *self, const char *key, const json_t *list, gboolean *has_experts,
                GError **error)
{
    gboolean good = json_array_size(list) == self->n_layers;
    for (guint i = 0; good && i < self->n_layers; i++) {
        const json_t *node = json_array_get(list, i);
        gint64 value = json_is_integer(node) ? json_integer_value(node) : -1;
        good = value == 0 || value == 1;
        has_experts[i] = has_experts[i] && value == 1;
    }
    return good || lp_config_fault(self->config, key, "0 or 1 for each layer", error);
}

/* Each so many layers have experts, or those of a list. */
static gboolean
read_every(const LpReader *self, gboolean *has_experts, GError **error)
{
    const LpFamilyExperts *experts = self->family->experts;
    guint32 every = 1;
    if (experts->every == NULL)
        return TRUE;
    const json_t *node = lp_config_peek(self->config, experts->every);
    if (json_is_array(node))
        return read_each_layer(self, experts->every, node, has_experts, error);
    if (!lp_config_count(self->config, experts->every, 1, &every, error))
        return FALSE;
    guint32 first = experts->every_is_first ? 0 : every - 1;
    if (experts->offset != NULL &&
        !lp_config_count(self->config, experts->offset, 0, &first, error))
        return FALSE;
    for (guint32 i = 0; i < self->n_layers; i++)
        if (i % every != first)
            has_experts[i] = FALSE;
    return first < every || lp_config_fault(self->config, experts->offset,
                                            "less than the layers of a period", error);
}

/* Whether they are in the last of each @every layers behind the first @n_dense, and nowhere else.
 */
static gboolean
is_regular(const LpReader *self, const gboolean *has_experts, guint32 n_dense, guint32 every)
{
    for (guint32 i = 0; i < self->n_layers; i++)
        if (has_experts[i] != (i >= n_dense && (i - n_dense + 1) % every == 0))
            return FALSE;
    return TRUE;
}

/* Finds the layers with experts, in the workload's terms, with as few dense layers as there are.
 * Where the workload has no terms for it, all layers behind the first one with experts get experts.
 */
static void
find_layers(const LpReader *self, const gboolean *has_experts, const char *key, Mixtures *mixtures)
{
    guint32 n = self->n_layers, first = 0;
    while (first < n && !has_experts[first])
        first++;
    mixtures->any = first < n;
    for (guint32 every = 1; mixtures->any && every <= first + 1; every++)
        if (is_regular(self, has_experts, first + 1 - every, every)) {
            mixtures->n_dense = first + 1 - every;
            mixtures->every = every;
            return;
        }
    mixtures->n_dense = mixtures->any ? first : 0;
    mixtures->every = 1;
    if (mixtures->any)
        lp_reader_leave(self, key,
                        first > 0 ? "all layers behind the first dense ones have experts"
                                  : "every layer has experts here");
}

static gboolean
read_expert_layers(const LpReader *self, Mixtures *mixtures, GError **error)
{
    const LpFamilyExperts *experts = self->family->experts;
    g_autofree gboolean *has_experts = g_new(gboolean, self->n_layers);
    guint32 n_dense = 0;
    if (experts->dense != NULL &&
        !lp_config_count(self->config, experts->dense, 0, &n_dense, error))
        return FALSE;
    for (guint32 i = 0; i < self->n_layers; i++)
        has_experts[i] = i >= n_dense;
    if ((experts->dense_list != NULL &&
         !read_dense_list(self, experts->dense_list, has_experts, error)) ||
        !read_every(self, has_experts, error))
        return FALSE;
    const char *key = experts->dense_list;
    if (key == NULL || lp_config_peek(self->config, key) == NULL)
        key = experts->every;
    find_layers(self, has_experts, key, mixtures);
    return TRUE;
}

static void
map_expert_layers(const LpReader *self, const Mixtures *mixtures)
{
    const LpFamilyExperts *experts = self->family->experts;
    const char *dense_key = experts->dense != NULL ? experts->dense : experts->dense_list;
    if (mixtures->n_dense > 0)
        lp_import_map_count(self->import, "dense-layers", mixtures->n_dense,
                            lp_reader_said(self, dense_key));
    if (mixtures->every > 1)
        lp_import_map_count(self->import, "expert-every", mixtures->every, experts->every);
}

static gboolean
read_shared_experts(const LpReader *self, guint32 width, GError **error)
{
    const LpFamilyExperts *experts = self->family->experts;
    guint32 n_shared = 0, shared_width = 0;
    const char *key = experts->shared != NULL ? experts->shared : experts->shared_width;
    if (experts->has_shared)
        lp_import_map_count(self->import, "shared-experts", 1, "model_type");
    if (key == NULL)
        return TRUE;
    if (experts->shared != NULL && !lp_config_count(self->config, key, 0, &n_shared, error))
        return FALSE;
    if (experts->shared_width != NULL) {
        if (!lp_config_count(self->config, key, 0, &shared_width, error))
            return FALSE;
        n_shared = (guint32)(((guint64)shared_width + width - 1) / width);
        if (shared_width % width != 0)
            lp_reader_leave(self, key, "rounded up to a whole number of experts");
    }
    if (n_shared > 0)
        lp_import_map_count(self->import, "shared-experts", n_shared, key);
    return TRUE;
}

/* Node-limited routing; a method called "greedy" does not look at groups. */
static gboolean
read_groups(const LpReader *self, guint32 n_experts, GError **error)
{
    guint32 n_groups = 1, limit = 1;
    const char *method = NULL;
    if (!lp_config_text(self->config, "topk_method", &method, error) ||
        !lp_config_count(self->config, "n_group", 1, &n_groups, error))
        return FALSE;
    limit = n_groups;
    if (!lp_config_count(self->config, "topk_group", 1, &limit, error))
        return FALSE;
    if (n_groups == 1 ||
        strcmp(method != NULL ? method : self->family->experts->method, "greedy") == 0)
        return TRUE;
    if (limit > n_groups)
        return lp_config_fault(self->config, "topk_group", "at most n_group", error);
    if (n_experts % n_groups != 0)
        return lp_config_fault(self->config, "n_group", "a divisor of the experts", error);
    lp_import_map_count(self->import, "expert-groups", n_groups, "n_group");
    lp_import_map_count(self->import, "group-limit", limit, "topk_group");
    return TRUE;
}

/* The keys of experts say nothing where there are none. */
static void
skip_experts(const LpReader *self)
{
    const LpFamilyExperts *experts = self->family->experts;
    const char *const keys[] = {experts->top_k, experts->width,      experts->shared,
                                experts->dense, experts->dense_list, experts->shared_width,
                                experts->every, experts->offset,     experts->latent};
    static const char *const groups[] = {"n_group", "topk_group", "topk_method"};
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        if (keys[i] != NULL)
            g_free(lp_config_key(self->config, keys[i]));
    for (guint i = 0; experts->method != NULL && i < G_N_ELEMENTS(groups); i++)
        (void)lp_config_peek(self->config, groups[i]);
}

/* How many experts a token goes to. */
static gboolean
read_top_k(const LpReader *self, const char *experts_key, guint32 n_experts, GError **error)
{
    const char *keys = self->family->experts->top_k;
    guint32 top_k = 0;
    if (!lp_reader_map_count(self, "top-k", keys, 1, &top_k, error))
        return FALSE;
    if (top_k <= n_experts)
        return TRUE;
    g_autofree char *key = lp_config_key(self->config, keys);
    g_autofree char *wanted = g_strdup_printf("at most %s (%u)", experts_key, n_experts);
    return lp_config_fault(self->config, key, wanted, error);
}

gboolean
lp_reader_map_experts(const LpReader *self, GError **error)
{
    const LpFamilyExperts *experts = self->family->experts;
    guint32 n_experts = 0, width = self->ffn;
    Mixtures mixtures = {.any = FALSE};
    if (experts == NULL)
        return TRUE;
    if (self->no_experts) {
        g_free(lp_config_key(self->config, experts->experts));
        skip_experts(self);
        return TRUE;
    }
    g_autofree char *key = lp_config_key(self->config, experts->experts);
    if (!lp_config_count(self->config, experts->experts, 0, &n_experts, error))
        return FALSE;
    /* DeepSeek's families say null for a dense model; the others always say a number. */
    if (lp_config_peek(self->config, key) == NULL && experts->method == NULL)
        return lp_config_fault(self->config, key, "the number of experts", error);
    if (n_experts == 1 && experts->offset != NULL) /* a network as in other layers (Jamba) */
        n_experts = 0;
    if (n_experts > 0 && !read_expert_layers(self, &mixtures, error))
        return FALSE;
    if (!mixtures.any) {
        guint32 ffn = self->ffn;
        if (experts->dense_width != NULL &&
            !lp_config_count(self->config, experts->dense_width, 1, &ffn, error))
            return FALSE;
        g_autofree char *text = g_strdup_printf("%u", ffn);
        if (ffn != self->ffn)
            lp_import_replace(self->import, "ffn", text, experts->dense_width);
        skip_experts(self);
        return TRUE;
    }
    lp_import_map_count(self->import, "experts", n_experts, key);
    if (!read_top_k(self, key, n_experts, error))
        return FALSE;
    if (experts->width != NULL) {
        width = 0;
        if (!lp_reader_map_count(self, "expert-ffn", experts->width, 1, &width, error))
            return FALSE;
    }
    guint32 latent = 0;
    if (!read_shared_experts(self, width, error) ||
        (experts->latent != NULL &&
         !lp_config_count(self->config, experts->latent, 0, &latent, error)))
        return FALSE;
    if (latent > 0)
        lp_import_map_count(self->import, "expert-latent", latent, experts->latent);
    map_expert_layers(self, &mixtures);
    return experts->method == NULL || read_groups(self, n_experts, error);
}
