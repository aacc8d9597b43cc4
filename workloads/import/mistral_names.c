/* SPDX-License-Identifier: Apache-2.0 */
/* Renames members, and writes a row of windows as layers. */
#include "workloads/import/mistral_names.h"

#include <string.h>

typedef struct {
    const char *own, *other;
} Name;

static const Name names[] = {{"dim", "hidden_size"},
                             {"n_layers", "num_hidden_layers"},
                             {"n_heads", "num_attention_heads"},
                             {"n_kv_heads", "num_key_value_heads"},
                             {"hidden_dim", "intermediate_size"},
                             {"norm_eps", "rms_norm_eps"},
                             {"activation", "hidden_act"},
                             {"tied_embeddings", "tie_word_embeddings"},
                             {"max_seq_len", "max_position_embeddings"},
                             {"quantization", "quantization_config"}};
/* Under "moe". */
static const Name expert_names[] = {
    {"num_experts", "num_local_experts"},       {"expert_hidden_dim", "moe_intermediate_size"},
    {"num_shared_experts", "n_shared_experts"}, {"route_every_n", "moe_layer_freq"},
    {"routed_scale", "routed_scaling_factor"},  {"num_expert_groups", "n_group"},
    {"num_expert_groups_per_tok", "topk_group"}};
/* What an absent max_seq_len means to vLLM. */
#define LONGEST 128000

gboolean
lp_mistral_names_are_of(const LpConfig *self)
{
    const json_t *root = lp_config_root(self);
    const char *type = json_string_value(json_object_get(root, "model_type"));
    gboolean is_own =
        type == NULL || strcmp(type, "transformer") == 0 || strcmp(type, "mamba") == 0;
    return is_own && json_object_get(root, "dim") != NULL &&
           json_object_get(root, "n_layers") != NULL &&
           json_object_get(root, "hidden_size") == NULL;
}

/* A member that is there under its other name is not touched. */
static void
rename_all(json_t *object, const Name *list, guint n)
{
    for (guint i = 0; i < n; i++) {
        json_t *value = json_object_get(object, list[i].own);
        if (value == NULL)
            continue;
        if (json_object_get(object, list[i].other) == NULL)
            (void)json_object_set(object, list[i].other, value);
        (void)json_object_del(object, list[i].own);
    }
}

static void
add_experts(json_t *root)
{
    g_autoptr(json_t) experts = json_copy(json_object_get(root, "moe"));
    (void)json_object_del(root, "moe");
    if (!json_is_object(experts))
        return;
    rename_all(experts, expert_names, G_N_ELEMENTS(expert_names));
    (void)json_object_update_missing(root, experts);
}

/* A row of windows, null for none, goes on over all layers. */
static gboolean
add_windows(const LpConfig *self, json_t *root, GError **error)
{
    const json_t *list = json_object_get(root, "sliding_window"), *item, *width = NULL;
    gint64 n_layers = json_integer_value(json_object_get(root, "num_hidden_layers"));
    gsize n = json_array_size(list), i;
    if (list == NULL)
        return json_object_set_new(root, "sliding_window", json_null()) == 0;
    if (!json_is_array(list))
        return TRUE;
    json_array_foreach (list, i, item) {
        gboolean is_like = json_is_null(item) || width == NULL || json_equal(item, width);
        if (!is_like || !(json_is_null(item) || json_is_integer(item)))
            return lp_config_fault(self, "sliding_window", "one width, or null, for each layer",
                                   error);
        width = json_is_null(item) ? width : item;
    }
    if (n == 0 || n_layers < 1 || n_layers > LP_CONFIG_COUNT_MAX || (gsize)n_layers % n != 0)
        return lp_config_fault(self, "sliding_window", "so many that they divide n_layers", error);
    json_t *types = json_array();
    for (gint64 layer = 0; layer < n_layers; layer++)
        (void)json_array_append_new(types,
                                    json_string(json_is_null(json_array_get(list, (gsize)layer % n))
                                                    ? "full_attention"
                                                    : "sliding_attention"));
    (void)json_object_set_new(root, "layer_types", types);
    return json_object_set_new(root, "sliding_window",
                               width != NULL ? json_integer(json_integer_value(width))
                                             : json_null()) == 0;
}

static const char *
model_type(const json_t *root)
{
    gboolean has_experts = json_integer_value(json_object_get(root, "num_local_experts")) > 1;
    if (json_object_get(root, "kv_lora_rank") != NULL)
        return "deepseek_v3";
    return has_experts ? "mixtral" : "mistral";
}

gboolean
lp_mistral_names_translate(LpConfig *self, GError **error)
{
    static const char *const needed[] = {"dim",        "n_layers",   "n_heads",
                                         "n_kv_heads", "hidden_dim", "vocab_size"};
    const json_t *type = json_object_get(lp_config_root(self), "model_type");
    if (type != NULL && g_strcmp0(json_string_value(type), "transformer") != 0)
        return lp_config_fault(self, "model_type", "\"transformer\"", error);
    for (guint i = 0; i < G_N_ELEMENTS(needed); i++)
        if (!json_is_integer(json_object_get(lp_config_root(self), needed[i])))
            return lp_config_fault(self, needed[i], "a whole number, as Mistral's params.json has",
                                   error);
    g_autoptr(json_t) root = lp_config_copy(self);
    rename_all(root, names, G_N_ELEMENTS(names));
    add_experts(root);
    if (!add_windows(self, root, error))
        return FALSE;
    if (json_object_get(root, "max_position_embeddings") == NULL)
        (void)json_object_set_new(root, "max_position_embeddings", json_integer(LONGEST));
    (void)json_object_set_new(root, "model_type", json_string(model_type(root)));
    lp_config_replace(self, g_steal_pointer(&root));
    return TRUE;
}
