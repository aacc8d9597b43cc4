/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a config.json by its family's table, and says what no attribute stands for. */
#include "workloads/huggingface.h"

#include "base/error.h"
#include "base/units.h"
#include "workloads/config.h"
#include "workloads/family.h"

#include <string.h>

/* More than there are. */
#define FAMILIES_MAX 64

/* What several steps need, in the order in which they read it. */
typedef struct {
    LpConfig *config;       /* borrowed from the caller */
    const LpFamily *family; /* static */
    LpImport *import;       /* borrowed from the caller */
    guint32 n_layers, hidden, n_heads, ffn, seq;
} Reader;

/* Says that @key is left out, with the value that it has. */
static void
leave(const Reader *reader, const char *key, const char *reason)
{
    g_autofree char *value = lp_config_show(reader->config, key);
    lp_import_leave(reader->import, key, value, reason);
}

/* Reads a count and gives it to @attribute. */
static gboolean
map_count(const Reader *reader, const char *attribute, const char *keys, guint32 minimum,
          guint32 *value, GError **error)
{
    if (!lp_config_count(reader->config, keys, minimum, value, error))
        return FALSE;
    g_autofree char *key = lp_config_key(reader->config, keys);
    gboolean there = lp_config_peek(reader->config, key) != NULL;
    lp_import_map_count(reader->import, attribute, *value, there ? key : "");
    return TRUE;
}

static const char *
basename_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The last part of _name_or_path, else the file's name, or its folder's, since most are called
 * config.json. */
static char *
name_of(const char *given, const char *path, const char *model_type)
{
    if (given != NULL && *basename_of(given) != '\0')
        return g_strdup(basename_of(given));
    g_autofree char *file = g_path_get_basename(path);
    char *end = g_str_has_suffix(file, ".json") ? file + strlen(file) - strlen(".json") : NULL;
    if (end != NULL)
        *end = '\0';
    if (strcmp(file, "config") != 0 && *file != '\0')
        return g_steal_pointer(&file);
    g_autofree char *folder = g_path_get_dirname(path);
    const char *last = basename_of(folder);
    return g_strdup(*last != '\0' && *last != '.' ? last : model_type);
}

/* Whether an activation is the one that the attribute's name stands for. */
static gboolean
is_usual(const char *activation, gboolean gated)
{
    static const char *const gates[] = {"silu", "swish", NULL};
    static const char *const plain[] = {"gelu",       "gelu_new",          "gelu_fast",
                                        "quick_gelu", "gelu_pytorch_tanh", NULL};
    return g_strv_contains(gated ? gates : plain, activation);
}

static gboolean
read_ffn(Reader *reader, GError **error)
{
    const LpFamilyKeys *keys = reader->family->keys;
    reader->ffn = 4 * reader->hidden;
    /* Gated networks have no usual width, so that theirs must be said. */
    if (reader->family->gated || strcmp(reader->family->model_type, "opt") == 0)
        reader->ffn = 0;
    if (keys->ffn == NULL)
        lp_import_map_count(reader->import, "ffn", reader->ffn, "");
    else if (!map_count(reader, "ffn", keys->ffn, 1, &reader->ffn, error))
        return FALSE;
    gboolean gated = reader->family->gated;
    const char *activation = NULL;
    if (keys->activation != NULL &&
        !lp_config_text(reader->config, keys->activation, &activation, error))
        return FALSE;
    lp_import_map(reader->import, "ffn-kind", gated ? "swiglu" : "gelu",
                  activation != NULL ? keys->activation : "");
    if (activation != NULL && !is_usual(activation, gated))
        leave(reader, keys->activation,
              gated ? "counted as swiglu, which has the same matrices"
                    : "counted as gelu, which has the same matrices");
    return TRUE;
}

/* Falcon says by two switches how many key-value heads there are. */
static gboolean
read_falcon_kv_heads(Reader *reader, guint32 *n_kv_heads, GError **error)
{
    gboolean is_new = FALSE, is_multi = TRUE;
    *n_kv_heads = reader->n_heads;
    if (!lp_config_boolean(reader->config, "new_decoder_architecture", &is_new, error) ||
        !lp_config_boolean(reader->config, "multi_query", &is_multi, error) ||
        !lp_config_count(reader->config, "num_kv_heads|n_head_kv", 1, n_kv_heads, error))
        return FALSE;
    if (!is_new)
        *n_kv_heads = is_multi ? 1 : reader->n_heads;
    lp_import_map_count(reader->import, "kv-heads", *n_kv_heads,
                        is_new ? "num_kv_heads" : "multi_query");
    return TRUE;
}

static gboolean
read_kv_heads(Reader *reader, GError **error)
{
    const LpFamily *family = reader->family;
    guint32 n_kv_heads = family->kv_required ? 0 : reader->n_heads;
    if (strcmp(family->model_type, "falcon") == 0)
        return read_falcon_kv_heads(reader, &n_kv_heads, error);
    if (family->keys->kv_heads == NULL)
        return TRUE;
    /* Every head of latent attention has keys and values of its own, made from one vector. */
    if (family->latent)
        return lp_config_count(reader->config, family->keys->kv_heads, 1, &n_kv_heads, error);
    return map_count(reader, "kv-heads", family->keys->kv_heads, 1, &n_kv_heads, error);
}

static gboolean
read_latent(Reader *reader, GError **error)
{
    static const struct {
        const char *attribute, *key;
        guint32 minimum;
    } rows[] = {{"head-width", "qk_nope_head_dim", 1},
                {"query-rank", "q_lora_rank", 0},
                {"kv-rank", "kv_lora_rank", 1},
                {"rope-width", "qk_rope_head_dim", 1},
                {"value-width", "v_head_dim", 1}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        guint32 value = 0;
        if (!map_count(reader, rows[i].attribute, rows[i].key, rows[i].minimum, &value, error))
            return FALSE;
    }
    /* Newer files repeat widths under names that mean something else elsewhere. */
    (void)lp_config_peek(reader->config, "head_dim");
    return TRUE;
}

static gboolean
read_heads(Reader *reader, GError **error)
{
    if (!map_count(reader, "heads", reader->family->keys->heads, 1, &reader->n_heads, error) ||
        !read_kv_heads(reader, error))
        return FALSE;
    if (reader->family->latent)
        return read_latent(reader, error);
    guint32 width = reader->family->head_width;
    if (width == 0)
        width = MAX(reader->hidden / reader->n_heads, 1);
    if (!lp_config_count(reader->config, "head_dim", 1, &width, error))
        return FALSE;
    if ((guint64)width * reader->n_heads != reader->hidden &&
        (lp_config_peek(reader->config, "head_dim") != NULL || reader->family->head_width != 0))
        lp_import_map_count(reader->import, "head-width", width, "head_dim");
    return TRUE;
}

static gboolean
read_bias(Reader *reader, GError **error)
{
    const LpFamilyBias *bias = reader->family->bias;
    gboolean attention = bias->attention, ffn = bias->ffn;
    const char *key = bias->attention_key != NULL ? bias->attention_key : "";
    if ((bias->attention_key != NULL &&
         !lp_config_boolean(reader->config, bias->attention_key, &attention, error)) ||
        (bias->ffn_key != NULL && !lp_config_boolean(reader->config, bias->ffn_key, &ffn, error)))
        return FALSE;
    lp_import_map(reader->import, "bias", ffn ? "yes" : attention ? "qkv" : "no", key);
    if (attention && !ffn && (bias->attention_output || reader->family->latent))
        leave(reader, key, "counted for queries, keys and values, not for attention's output");
    if (!attention && ffn)
        leave(reader, key, "all biases are counted, since the feed-forward network has some");
    return TRUE;
}

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
read_layer_types(Reader *reader, JsonArray *list, gboolean *has, GError **error)
{
    gboolean good = json_array_get_length(list) == reader->n_layers;
    for (guint i = 0; good && i < reader->n_layers; i++) {
        JsonNode *node = json_array_get_element(list, i);
        const char *text =
            json_node_get_value_type(node) == G_TYPE_STRING ? json_node_get_string(node) : NULL;
        has[i] = g_strcmp0(text, "sliding_attention") == 0;
        good = has[i] || g_strcmp0(text, "full_attention") == 0;
    }
    return good ||
           lp_config_fault(reader->config, "layer_types",
                           "\"sliding_attention\" or \"full_attention\" for each layer", error);
}

/* Which layers have a window, if any has one. */
static gboolean
read_window_layers(Reader *reader, gboolean *has, const char **out_key, GError **error)
{
    JsonArray *list = NULL;
    gboolean is_switch = reader->family->window == LP_FAMILY_WINDOW_SWITCH;
    /* The classes' default. */
    guint32 first = is_switch ? 28 : 0;
    if (is_switch && !lp_config_count(reader->config, "max_window_layers", 0, &first, error))
        return FALSE;
    for (guint i = 0; i < reader->n_layers; i++)
        has[i] = reader->family->window == LP_FAMILY_WINDOW_LIST ? i % 2 == 0 : i >= first;
    *out_key = "max_window_layers";
    if (!lp_config_list(reader->config, "layer_types", &list, error))
        return FALSE;
    if (list == NULL)
        return TRUE;
    *out_key = "layer_types";
    return read_layer_types(reader, list, has, error);
}

static gboolean
read_window(Reader *reader, GError **error)
{
    LpFamilyWindow kind = reader->family->window;
    gboolean used = kind != LP_FAMILY_WINDOW_SWITCH;
    guint32 width = 0;
    if (kind == LP_FAMILY_WINDOW_NONE)
        return TRUE;
    if (kind == LP_FAMILY_WINDOW_SWITCH &&
        !lp_config_boolean(reader->config, "use_sliding_window", &used, error))
        return FALSE;
    g_autofree gboolean *has = g_new0(gboolean, reader->n_layers);
    const char *key = NULL;
    if (!lp_config_count(reader->config, "sliding_window", 0, &width, error) ||
        !read_window_layers(reader, has, &key, error))
        return FALSE;
    /* A window as wide as the sequence is none. */
    int period = window_period(has, reader->n_layers);
    if (!used || width == 0 || width >= reader->seq || period == 0)
        return TRUE;
    if (period < 0) {
        leave(reader, key, "no window: layers with one are not those whose index is a multiple");
        return TRUE;
    }
    lp_import_map_count(reader->import, "window", width, "sliding_window");
    if (period > 1)
        lp_import_map_count(reader->import, "window-every", (guint32)period, key);
    return TRUE;
}

/* mlp_only_layers: the workload knows the first so many. */
static gboolean
read_dense_list(Reader *reader, const char *key, guint32 *n_dense, GError **error)
{
    JsonArray *list = NULL;
    if (!lp_config_list(reader->config, key, &list, error))
        return FALSE;
    guint n = list != NULL ? json_array_get_length(list) : 0;
    g_autofree gboolean *dense = g_new0(gboolean, reader->n_layers);
    for (guint i = 0; i < n; i++) {
        JsonNode *node = json_array_get_element(list, i);
        gint64 layer =
            json_node_get_value_type(node) == G_TYPE_INT64 ? json_node_get_int(node) : -1;
        if (layer < 0 || layer >= (gint64)reader->n_layers)
            return lp_config_fault(reader->config, key, "indices of layers", error);
        dense[layer] = TRUE;
    }
    guint32 n_first = 0, n_all = 0;
    while (n_first < reader->n_layers && dense[n_first])
        n_first++;
    for (guint i = 0; i < reader->n_layers; i++)
        n_all += dense[i] ? 1 : 0;
    *n_dense = n_first;
    if (n_all != n_first)
        leave(reader, key, "only the first layers in a row are dense");
    return TRUE;
}

/* Which layers have experts, as the workload says it: after the dense ones, the last of each so
 * many. */
typedef struct {
    guint32 n_dense, every;
    gboolean any;
} Mixtures;

static gboolean
read_expert_layers(Reader *reader, Mixtures *mixtures, GError **error)
{
    const LpFamilyExperts *experts = reader->family->experts;
    guint32 n_dense = 0, every = 1;
    if ((experts->dense != NULL &&
         !lp_config_count(reader->config, experts->dense, 0, &n_dense, error)) ||
        (experts->dense_list != NULL &&
         !read_dense_list(reader, experts->dense_list, &n_dense, error)) ||
        (experts->every != NULL &&
         !lp_config_count(reader->config, experts->every, 1, &every, error)))
        return FALSE;
    guint64 first = experts->every_is_first ? ((guint64)n_dense + every - 1) / every * every
                                            : ((guint64)n_dense + every) / every * every - 1;
    mixtures->any = first < reader->n_layers;
    /* A mixture in layer 0 and then one in each so many: no number of dense layers leads there. */
    if (mixtures->any && first + 1 < every) {
        leave(reader, experts->every, "every layer has experts here");
        every = 1;
    }
    mixtures->every = every;
    mixtures->n_dense = mixtures->any ? (guint32)(first + 1 - every) : 0;
    return TRUE;
}

static void
map_expert_layers(const Reader *reader, const Mixtures *mixtures)
{
    const LpFamilyExperts *experts = reader->family->experts;
    const char *dense_key = experts->dense != NULL ? experts->dense : experts->dense_list;
    if (mixtures->n_dense > 0)
        lp_import_map_count(reader->import, "dense-layers", mixtures->n_dense, dense_key);
    if (mixtures->every > 1)
        lp_import_map_count(reader->import, "expert-every", mixtures->every, experts->every);
}

static gboolean
read_shared_experts(Reader *reader, guint32 width, GError **error)
{
    const LpFamilyExperts *experts = reader->family->experts;
    guint32 n_shared = 0, shared_width = 0;
    const char *key = experts->shared != NULL ? experts->shared : experts->shared_width;
    if (key == NULL)
        return TRUE;
    if (experts->shared != NULL && !lp_config_count(reader->config, key, 0, &n_shared, error))
        return FALSE;
    if (experts->shared_width != NULL) {
        if (!lp_config_count(reader->config, key, 0, &shared_width, error))
            return FALSE;
        n_shared = (guint32)(((guint64)shared_width + width - 1) / width);
        if (shared_width % width != 0)
            leave(reader, key, "rounded up to a whole number of experts");
    }
    if (n_shared > 0)
        lp_import_map_count(reader->import, "shared-experts", n_shared, key);
    return TRUE;
}

/* Node-limited routing; a method called "greedy" does not look at groups. */
static gboolean
read_groups(Reader *reader, guint32 n_experts, GError **error)
{
    guint32 n_groups = 1, limit = 1;
    const char *method = NULL;
    if (!lp_config_text(reader->config, "topk_method", &method, error) ||
        !lp_config_count(reader->config, "n_group", 1, &n_groups, error))
        return FALSE;
    limit = n_groups;
    if (!lp_config_count(reader->config, "topk_group", 1, &limit, error))
        return FALSE;
    if (n_groups == 1 || g_strcmp0(method, "greedy") == 0)
        return TRUE;
    if (limit > n_groups)
        return lp_config_fault(reader->config, "topk_group", "at most n_group", error);
    if (n_experts % n_groups != 0)
        return lp_config_fault(reader->config, "n_group", "a divisor of the experts", error);
    lp_import_map_count(reader->import, "expert-groups", n_groups, "n_group");
    lp_import_map_count(reader->import, "group-limit", limit, "topk_group");
    return TRUE;
}

/* The keys of experts say nothing where there are none. */
static void
skip_experts(Reader *reader)
{
    const LpFamilyExperts *experts = reader->family->experts;
    const char *const keys[] = {experts->top_k, experts->width,      experts->shared,
                                experts->dense, experts->dense_list, experts->shared_width,
                                experts->every};
    static const char *const groups[] = {"n_group", "topk_group", "topk_method"};
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        if (keys[i] != NULL)
            g_free(lp_config_key(reader->config, keys[i]));
    for (guint i = 0; experts->groups && i < G_N_ELEMENTS(groups); i++)
        (void)lp_config_peek(reader->config, groups[i]);
}

/* How many experts a token goes to. */
static gboolean
read_top_k(Reader *reader, const char *experts_key, guint32 n_experts, GError **error)
{
    const char *keys = reader->family->experts->top_k;
    guint32 top_k = 0;
    if (!map_count(reader, "top-k", keys, 1, &top_k, error))
        return FALSE;
    if (top_k <= n_experts)
        return TRUE;
    g_autofree char *key = lp_config_key(reader->config, keys);
    g_autofree char *wanted = g_strdup_printf("at most %s (%u)", experts_key, n_experts);
    return lp_config_fault(reader->config, key, wanted, error);
}

static gboolean
read_experts(Reader *reader, GError **error)
{
    const LpFamilyExperts *experts = reader->family->experts;
    guint32 n_experts = 0, width = reader->ffn;
    Mixtures mixtures = {.any = FALSE};
    if (experts == NULL)
        return TRUE;
    g_autofree char *key = lp_config_key(reader->config, experts->experts);
    if (!lp_config_count(reader->config, experts->experts, 0, &n_experts, error))
        return FALSE;
    /* DeepSeek's families say null for a dense model; the others always say a number. */
    if (lp_config_peek(reader->config, key) == NULL && !experts->groups)
        return lp_config_fault(reader->config, key, "the number of experts", error);
    if (n_experts > 0 && !read_expert_layers(reader, &mixtures, error))
        return FALSE;
    if (!mixtures.any) {
        skip_experts(reader);
        return TRUE;
    }
    lp_import_map_count(reader->import, "experts", n_experts, key);
    if (!read_top_k(reader, key, n_experts, error))
        return FALSE;
    if (experts->width != NULL) {
        width = 0;
        if (!map_count(reader, "expert-ffn", experts->width, 1, &width, error))
            return FALSE;
    }
    if (!read_shared_experts(reader, width, error))
        return FALSE;
    map_expert_layers(reader, &mixtures);
    return !experts->groups || read_groups(reader, n_experts, error);
}

/* A vision transformer's tokens are patches and one for the class; its vocabulary is the classes.
 */
static gboolean
read_image(Reader *reader, GError **error)
{
    guint32 image = 0, patch = 0, channels = 3, n_classes = 1000;
    if (!lp_config_count(reader->config, "image_size", 1, &image, error) ||
        !map_count(reader, "patch", "patch_size", 1, &patch, error) ||
        !map_count(reader, "channels", "num_channels", 1, &channels, error))
        return FALSE;
    guint64 n_side = image / patch, seq = n_side * n_side + 1;
    if (n_side == 0)
        return lp_config_fault(reader->config, "patch_size", "at most image_size", error);
    if (seq > LP_CONFIG_COUNT_MAX)
        return lp_config_fault(reader->config, "image_size", "fewer than 2^24 patches", error);
    reader->seq = (guint32)seq;
    lp_import_map_count(reader->import, "seq", reader->seq, "image_size");
    leave(reader, "image_size", "seq counts the patches and one class token");
    JsonNode *labels = lp_config_peek(reader->config, "id2label");
    if (labels != NULL && !JSON_NODE_HOLDS_OBJECT(labels))
        return lp_config_fault(reader->config, "id2label", "an object", error);
    const char *key = labels != NULL ? "id2label" : "num_labels";
    gboolean said = labels != NULL || lp_config_peek(reader->config, "num_labels") != NULL;
    if (labels != NULL)
        n_classes = MAX(json_object_get_size(json_node_get_object(labels)), 1);
    else if (!lp_config_count(reader->config, "num_labels", 1, &n_classes, error))
        return FALSE;
    lp_import_map_count(reader->import, "vocab", n_classes, said ? key : "");
    if (!said)
        lp_import_leave(reader->import, "id2label", "none", "1000 classes, as ImageNet has");
    return TRUE;
}

static gboolean
read_text(Reader *reader, GError **error)
{
    const LpFamilyKeys *keys = reader->family->keys;
    guint32 vocab = 0;
    reader->seq = reader->family->seq;
    return map_count(reader, "seq", keys->seq, 1, &reader->seq, error) &&
           map_count(reader, "vocab", keys->vocab, 1, &vocab, error);
}

static gboolean
read_embedding(Reader *reader, GError **error)
{
    gboolean tied = reader->family->tied, is_image = reader->family->keys->seq == NULL;
    if (!(is_image ? read_image(reader, error) : read_text(reader, error)) ||
        !lp_config_boolean(reader->config, "tie_word_embeddings", &tied, error))
        return FALSE;
    if (is_image)
        lp_import_map(reader->import, "kind", "encoder", "model_type");
    gboolean said = lp_config_peek(reader->config, "tie_word_embeddings") != NULL;
    lp_import_map_boolean(reader->import, "tied-embeddings", tied && !is_image,
                          said && !is_image ? "tie_word_embeddings" : "");
    gboolean learned = reader->family->positions == LP_FAMILY_POSITIONS_LEARNED;
    lp_import_map(reader->import, "positions", learned ? "learned" : "rotary", "model_type");
    if (reader->family->positions == LP_FAMILY_POSITIONS_ALIBI)
        leave(reader, "model_type", "positions are ALiBi's, which have no weights either");
    return TRUE;
}

/* Norms, dropout and the like: what the family says, and switches. */
static gboolean
read_manners(Reader *reader, GError **error)
{
    const LpFamily *family = reader->family;
    double dropout = family->dropout;
    gboolean parallel = family->parallel;
    lp_import_map(reader->import, "norm", family->rms_norm ? "rmsnorm" : "layernorm", "model_type");
    if (!read_bias(reader, error) ||
        (family->keys->dropout != NULL &&
         !lp_config_fraction(reader->config, family->keys->dropout, &dropout, error)) ||
        (family->parallel_key != NULL &&
         !lp_config_boolean(reader->config, family->parallel_key, &parallel, error)))
        return FALSE;
    lp_import_map_boolean(reader->import, "dropout", dropout > 0.0,
                          family->keys->dropout != NULL ? family->keys->dropout : "");
    if (parallel)
        lp_import_map(reader->import, "parallel-blocks", "yes", family->parallel_key);
    lp_import_map(reader->import, "attention", "flash", "");
    return TRUE;
}

static gboolean
read_plan(Reader *reader, GError **error)
{
    static const char *const ones[] = {"tp", "pp", "dp", "micro-batch", "global-batch"};
    static const struct {
        const char *dtype, *precision;
    } rows[] = {
        {"bfloat16", "bf16"}, {"float16", "fp16"}, {"float32", "fp32"}, {"float8_e4m3fn", "fp8"}};
    const char *dtype = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(ones); i++)
        lp_import_map_count(reader->import, ones[i], 1, "");
    if (!lp_config_text(reader->config, "torch_dtype|dtype", &dtype, error))
        return FALSE;
    g_autofree char *key = lp_config_key(reader->config, "torch_dtype|dtype");
    for (guint i = 0; dtype != NULL && i < G_N_ELEMENTS(rows); i++) {
        if (strcmp(dtype, rows[i].dtype) != 0)
            continue;
        lp_import_map(reader->import, "precision", rows[i].precision, key);
        return TRUE;
    }
    leave(reader, key, "precision stays the default");
    return TRUE;
}

/* OPT's smallest but one has an embedding that is narrower than the model. */
static gboolean
check_projection(Reader *reader, GError **error)
{
    guint32 width = reader->hidden;
    if (strcmp(reader->family->model_type, "opt") != 0)
        return TRUE;
    if (!lp_config_count(reader->config, "word_embed_proj_dim", 1, &width, error))
        return FALSE;
    if (width != reader->hidden)
        leave(reader, "word_embed_proj_dim", "the embedding is counted as wide as the model");
    return TRUE;
}

/* A value that switches its key off. */
static gboolean
is_off(JsonNode *node)
{
    if (node == NULL)
        return TRUE;
    if (JSON_NODE_HOLDS_OBJECT(node))
        return json_object_get_size(json_node_get_object(node)) == 0;
    if (JSON_NODE_HOLDS_ARRAY(node))
        return json_array_get_length(json_node_get_array(node)) == 0;
    if (json_node_get_value_type(node) == G_TYPE_STRING)
        return *json_node_get_string(node) == '\0';
    if (json_node_get_value_type(node) == G_TYPE_BOOLEAN)
        return !json_node_get_boolean(node);
    return json_node_get_double(node) == 0.0;
}

/* What nothing has read. */
static void
report_rest(Reader *reader)
{
    g_autoptr(GPtrArray) keys = lp_config_unread(reader->config);
    for (guint i = 0; i < keys->len; i++) {
        const char *key = g_ptr_array_index(keys, i), *reason = NULL;
        LpFamilyKeyKind kind = lp_family_key_kind(key, &reason);
        JsonNode *node = lp_config_peek(reader->config, key);
        if (node == NULL || kind == LP_FAMILY_KEY_HARMLESS)
            continue;
        if (kind == LP_FAMILY_KEY_UNKNOWN)
            leave(reader, key, "a key that is not known");
        else if (!is_off(node))
            leave(reader, key, reason);
    }
    if (reader->family->note != NULL)
        leave(reader, "model_type", reader->family->note);
}

static gboolean
read_all(Reader *reader, GError **error)
{
    const LpFamilyKeys *keys = reader->family->keys;
    if (!map_count(reader, "layers", keys->layers, 1, &reader->n_layers, error) ||
        !map_count(reader, "hidden", keys->hidden, 1, &reader->hidden, error) ||
        !read_heads(reader, error) || !read_ffn(reader, error) || !read_embedding(reader, error) ||
        !read_manners(reader, error) || !read_window(reader, error) ||
        !read_experts(reader, error) || !check_projection(reader, error) ||
        !read_plan(reader, error))
        return FALSE;
    report_rest(reader);
    return TRUE;
}

static const LpFamily *
find_family(LpConfig *config, GError **error)
{
    const char *names[FAMILIES_MAX + 1] = {NULL}, *model_type = NULL;
    for (guint i = 0; i < FAMILIES_MAX && lp_family_at(i) != NULL; i++)
        names[i] = lp_family_at(i)->model_type;
    if (!lp_config_text(config, "model_type", &model_type, error))
        return NULL;
    if (model_type == NULL) {
        lp_config_fault(config, "model_type", "one such as \"llama\"", error);
        return NULL;
    }
    int index = lp_choice_parse(model_type, names, error);
    if (index < 0) {
        g_prefix_error(error, "%s: model_type: ", lp_config_path(config));
        return NULL;
    }
    return lp_family_at((guint)index);
}

LpImport *
lp_huggingface_import(const char *path, GError **error)
{
    g_autoptr(LpConfig) config = lp_config_load(path, error);
    if (config == NULL)
        return NULL;
    const LpFamily *family = find_family(config, error);
    const char *given = NULL;
    if (family == NULL || !lp_config_text(config, "_name_or_path", &given, error))
        return NULL;
    g_autofree char *name = name_of(given, path, family->model_type);
    g_autofree char *source =
        g_strdup_printf("%s, a Hugging Face configuration of a %s.", path, family->model_type);
    g_autoptr(LpImport) import = lp_import_new(name, source);
    Reader reader = {.config = config, .family = family, .import = import};
    return read_all(&reader, error) ? g_steal_pointer(&import) : NULL;
}
