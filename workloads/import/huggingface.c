/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a config.json by its family's table, and says what no attribute stands for. */
#include "workloads/import/huggingface.h"

#include "base/error.h"
#include "workloads/import/mistral_names.h"
#include "workloads/import/reader.h"

#include <string.h>

/* What few models are pretrained at more than: Llama 3 (arXiv 2407.21783), DeepSeek-V3 (arXiv
 * 2412.19437: 4,096) and Qwen3 (arXiv 2505.09388: 4,096) reach the lengths that their files say in
 * short stages behind that. */
#define TRAINING_SEQ 8192

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
read_ffn(LpReader *reader, GError **error)
{
    const LpFamilyKeys *keys = reader->family->keys;
    /* Gated networks have no usual width, so that theirs must be said. */
    reader->ffn = reader->family->gated ? 0 : 4 * reader->hidden;
    if (keys->ffn != NULL && !lp_config_count(reader->config, keys->ffn, 1, &reader->ffn, error))
        return FALSE;
    if (reader->ffn > LP_CONFIG_COUNT_MAX) {
        g_autofree char *key = lp_config_key(reader->config, keys->hidden);
        return lp_config_fault(reader->config, key,
                               "at most 4194304, since the feed-forward network is four times that",
                               error);
    }
    lp_import_map_count(reader->import, "ffn", reader->ffn,
                        keys->ffn != NULL ? lp_reader_said(reader, keys->ffn) : "");
    gboolean gated = reader->family->gated;
    const char *activation = NULL;
    if (keys->activation != NULL &&
        !lp_config_text(reader->config, keys->activation, &activation, error))
        return FALSE;
    g_autofree char *key =
        activation != NULL ? lp_config_key(reader->config, keys->activation) : g_strdup("");
    lp_import_map(reader->import, "ffn-kind", gated ? "swiglu" : "gelu", key);
    if (activation != NULL && !is_usual(activation, gated))
        lp_reader_leave(reader, key,
                        gated ? "counted as swiglu, which has the same matrices"
                              : "counted as gelu, which has the same matrices");
    return TRUE;
}

/* Falcon says by two switches how many key-value heads there are, StarCoder by one. */
static gboolean
read_multi_query(const LpReader *reader, guint32 *n_kv_heads, GError **error)
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
                        lp_reader_said(reader, is_new ? "num_kv_heads" : "multi_query"));
    return TRUE;
}

static gboolean
read_kv_heads(const LpReader *reader, GError **error)
{
    const LpFamily *family = reader->family;
    guint32 n_kv_heads = family->kv_required ? 0 : reader->n_heads;
    if (family->kv_heads > 0)
        n_kv_heads = family->kv_heads;
    if (family->multi_query)
        return read_multi_query(reader, &n_kv_heads, error);
    if (family->keys->kv_heads == NULL)
        return TRUE;
    /* Every head of latent attention has keys and values of its own, made from one vector. */
    if (family->latent)
        return lp_config_count(reader->config, family->keys->kv_heads, 1, &n_kv_heads, error);
    return lp_reader_map_count(reader, "kv-heads", family->keys->kv_heads, 1, &n_kv_heads, error);
}

static gboolean
read_latent(const LpReader *reader, GError **error)
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
        if (!lp_reader_map_count(reader, rows[i].attribute, rows[i].key, rows[i].minimum, &value,
                                 error))
            return FALSE;
    }
    /* Newer files repeat widths under names that mean something else elsewhere. */
    (void)lp_config_peek(reader->config, "head_dim");
    return TRUE;
}

static gboolean
read_heads(LpReader *reader, GError **error)
{
    reader->n_heads = reader->family->heads;
    if (!lp_reader_map_count(reader, "heads", reader->family->keys->heads, 1, &reader->n_heads,
                             error) ||
        !read_kv_heads(reader, error))
        return FALSE;
    if (reader->family->latent)
        return read_latent(reader, error);
    guint32 width = reader->family->head_width;
    if (width == 0)
        width = MAX(reader->hidden / reader->n_heads, 1);
    if (!lp_config_count(reader->config, "head_dim|attention_head_dim", 1, &width, error))
        return FALSE;
    g_autofree char *key = lp_config_key(reader->config, "head_dim|attention_head_dim");
    if ((guint64)width * reader->n_heads != reader->hidden &&
        (lp_config_peek(reader->config, key) != NULL || reader->family->head_width != 0))
        lp_import_map_count(reader->import, "head-width", width, lp_reader_said(reader, key));
    return TRUE;
}

static gboolean
read_bias(const LpReader *reader, GError **error)
{
    const LpFamilyBias *bias = reader->family->bias;
    gboolean attention = bias->attention, ffn = bias->ffn;
    const char *key = bias->attention_key != NULL ? bias->attention_key : "";
    if ((bias->attention_key != NULL &&
         !lp_config_boolean(reader->config, bias->attention_key, &attention, error)) ||
        (bias->ffn_key != NULL && !lp_config_boolean(reader->config, bias->ffn_key, &ffn, error)))
        return FALSE;
    lp_import_map(reader->import, "bias",
                  ffn         ? "yes"
                  : attention ? "qkv"
                              : "no",
                  lp_reader_said(reader, key));
    if (attention && !ffn && (bias->attention_output || reader->family->latent))
        lp_reader_leave(reader, key,
                        "counted for queries, keys and values, not for attention's output");
    if (!attention && ffn)
        lp_reader_leave(reader, key,
                        "all biases are counted, since the feed-forward network has some");
    return TRUE;
}

/* A vision transformer's tokens are patches and one for the class; its vocabulary is the classes.
 */
static gboolean
read_image(LpReader *reader, GError **error)
{
    guint32 image = 0, patch = 0, channels = 3, n_classes = 1000;
    if (!lp_config_count(reader->config, "image_size", 1, &image, error) ||
        !lp_reader_map_count(reader, "patch", "patch_size", 1, &patch, error) ||
        !lp_reader_map_count(reader, "channels", "num_channels", 1, &channels, error))
        return FALSE;
    guint64 n_side = image / patch, seq = n_side * n_side + 1;
    if (n_side == 0)
        return lp_config_fault(reader->config, "patch_size", "at most image_size", error);
    if (seq > LP_CONFIG_COUNT_MAX)
        return lp_config_fault(reader->config, "image_size", "fewer than 2^24 patches", error);
    reader->seq = (guint32)seq;
    lp_import_map_count(reader->import, "seq", reader->seq, "image_size");
    lp_reader_leave(reader, "image_size", "seq counts the patches and one class token");
    const json_t *labels = lp_config_peek(reader->config, "id2label");
    if (labels != NULL && !json_is_object(labels))
        return lp_config_fault(reader->config, "id2label", "an object", error);
    const char *key = labels != NULL ? "id2label" : "num_labels";
    gboolean said = labels != NULL || lp_config_peek(reader->config, "num_labels") != NULL;
    if (labels != NULL)
        n_classes = (guint32)MAX(json_object_size(labels), 1);
    else if (!lp_config_count(reader->config, "num_labels", 1, &n_classes, error))
        return FALSE;
    lp_import_map_count(reader->import, "vocab", n_classes, said ? key : "");
    if (!said)
        lp_import_leave(reader->import, "id2label", "none", "1000 classes, as ImageNet has");
    return TRUE;
}

/* The length before a model was stretched, as rope_scaling or a key beside it says; 0: none does.
 */
static guint32
unstretched_seq(const LpReader *reader)
{
    static const char *const key = "original_max_position_embeddings";
    static const char *const places[] = {"rope_scaling", "rope_parameters"};
    const json_t *found = lp_config_peek(reader->config, key);
    for (guint i = 0; i < G_N_ELEMENTS(places) && found == NULL; i++)
        found = json_object_get(lp_config_peek(reader->config, places[i]), key);
    if (found == NULL)
        found = lp_config_peek(reader->config, "initial_context_length");
    json_int_t value = json_is_integer(found) ? json_integer_value(found) : 0;
    return value > 0 && value < (json_int_t)LP_CONFIG_COUNT_MAX ? (guint32)value : 0;
}

/* The longest sequence that the model takes is not what people train at. */
static gboolean
read_seq(LpReader *reader, GError **error)
{
    const char *keys = reader->family->keys->seq;
    reader->seq = reader->family->seq;
    if (!lp_config_count(reader->config, keys, 1, &reader->seq, error))
        return FALSE;
    g_autofree char *key = lp_config_key(reader->config, keys);
    guint32 first = unstretched_seq(reader);
    gboolean is_stretched = first > 0 && first < reader->seq;
    guint32 seq = is_stretched ? first : MIN(reader->seq, TRAINING_SEQ);
    lp_import_map_count(reader->import, "seq", seq,
                        is_stretched ? "original_max_position_embeddings"
                                     : lp_reader_said(reader, key));
    if (seq < reader->seq) {
        g_autofree char *longest = g_strdup_printf("%u", reader->seq);
        lp_import_leave(reader->import, key, longest,
                        "the longest that the model takes; seq is a length to train at");
    }
    return TRUE;
}

static gboolean
read_text(LpReader *reader, GError **error)
{
    const LpFamilyKeys *keys = reader->family->keys;
    guint32 vocab = reader->family->vocab;
    return read_seq(reader, error) &&
           lp_reader_map_count(reader, "vocab", keys->vocab, 1, &vocab, error);
}

static gboolean
read_embedding(LpReader *reader, GError **error)
{
    gboolean tied = reader->family->tied, is_image = reader->family->keys->seq == NULL;
    if (!(is_image ? read_image(reader, error) : read_text(reader, error)) ||
        !lp_config_boolean(reader->config, "tie_word_embeddings", &tied, error))
        return FALSE;
    if (is_image)
        lp_import_map(reader->import, "kind", "encoder", "model_type");
    lp_import_map_boolean(reader->import, "tied-embeddings", tied && !is_image,
                          is_image ? "" : lp_reader_said(reader, "tie_word_embeddings"));
    gboolean learned = reader->family->positions == LP_FAMILY_POSITIONS_LEARNED;
    const char *kind = NULL;
    if (!lp_config_text(reader->config, "position_embedding_type", &kind, error))
        return FALSE;
    gboolean none =
        reader->family->positions == LP_FAMILY_POSITIONS_NONE || g_strcmp0(kind, "nope") == 0;
    lp_import_map(reader->import, "positions",
                  learned ? "learned"
                  : none  ? "none"
                          : "rotary",
                  kind != NULL ? "position_embedding_type" : "model_type");
    if (reader->family->positions == LP_FAMILY_POSITIONS_ALIBI)
        lp_reader_leave(reader, "model_type",
                        "positions are ALiBi's, which have no weights either");
    return TRUE;
}

static gboolean
read_dropout(const LpReader *reader, double *dropout, GError **error)
{
    g_autofree char *key = lp_config_key(reader->config, reader->family->keys->dropout);
    return lp_config_fraction(reader->config, key, dropout, error);
}

/* Reads norms, dropout and the like: the family's, and switches of the configuration. */
static gboolean
read_manners(const LpReader *reader, GError **error)
{
    const LpFamily *family = reader->family;
    double dropout = family->dropout;
    gboolean parallel = family->parallel, head_norms = family->head_norms;
    lp_import_map(reader->import, "norm", family->rms_norm ? "rmsnorm" : "layernorm", "model_type");
    if (!read_bias(reader, error) || !read_dropout(reader, &dropout, error) ||
        (family->head_norms_key != NULL &&
         !lp_config_boolean(reader->config, family->head_norms_key, &head_norms, error)) ||
        (family->parallel_key != NULL &&
         !lp_config_boolean(reader->config, family->parallel_key, &parallel, error)))
        return FALSE;
    g_autofree char *dropout_key = lp_config_key(reader->config, family->keys->dropout);
    lp_import_map_boolean(reader->import, "dropout", dropout > 0.0,
                          lp_reader_said(reader, dropout_key));
    if (parallel)
        lp_import_map(reader->import, "parallel-blocks", "yes",
                      family->parallel_key != NULL ? lp_reader_said(reader, family->parallel_key)
                                                   : "model_type");
    const json_t *limit = lp_config_peek(reader->config, "swiglu_limit");
    if (json_is_number(limit) && json_number_value(limit) > 0.0)
        lp_import_map(reader->import, "clamped-activation", "yes", "swiglu_limit");
    if (head_norms)
        lp_import_map(reader->import, "head-norms", "yes",
                      family->head_norms ? "model_type" : family->head_norms_key);
    lp_import_map(reader->import, "attention", "flash", "");
    return TRUE;
}

static gboolean
read_plan(const LpReader *reader, GError **error)
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
    lp_reader_leave(reader, key, "precision stays the default");
    return TRUE;
}

/* OPT's smallest but one has an embedding that is narrower than the model. */
static gboolean
check_projection(const LpReader *reader, GError **error)
{
    guint32 width = reader->hidden;
    if (!lp_config_count(reader->config, "word_embed_proj_dim", 1, &width, error))
        return FALSE;
    if (width != reader->hidden)
        lp_reader_leave(reader, "word_embed_proj_dim",
                        "the embedding is counted as wide as the model");
    return TRUE;
}

/* A value that switches its key off. */
static gboolean
is_off(const json_t *node)
{
    if (node == NULL)
        return TRUE;
    if (json_is_object(node))
        return json_object_size(node) == 0;
    if (json_is_array(node))
        return json_array_size(node) == 0;
    if (json_is_string(node))
        return json_string_length(node) == 0;
    return json_is_number(node) ? json_number_value(node) == 0.0 : json_is_false(node);
}

/* What nothing has read. */
static void
report_rest(const LpReader *reader)
{
    g_autoptr(GPtrArray) keys = lp_config_unread(reader->config);
    for (guint i = 0; i < keys->len; i++) {
        const char *key = g_ptr_array_index(keys, i), *reason = NULL;
        LpFamilyKeyKind kind = lp_family_key_kind(key, &reason);
        const json_t *node = lp_config_peek(reader->config, key);
        if (node == NULL || kind == LP_FAMILY_KEY_HARMLESS)
            continue;
        if (kind == LP_FAMILY_KEY_UNKNOWN)
            lp_reader_leave(reader, key, "a key that is not known");
        else if (!is_off(node))
            lp_reader_leave(reader, key, reason);
    }
    if (reader->family->note != NULL)
        lp_reader_leave(reader, "model_type", reader->family->note);
}

static gboolean
read_all(LpReader *reader, GError **error)
{
    const LpFamilyKeys *keys = reader->family->keys;
    if (!lp_reader_map_count(reader, "layers", keys->layers, 1, &reader->n_layers, error) ||
        !lp_reader_map_count(reader, "hidden", keys->hidden, 1, &reader->hidden, error) ||
        !read_heads(reader, error) || !read_ffn(reader, error) || !read_embedding(reader, error) ||
        !read_manners(reader, error) || !lp_reader_map_layers(reader, error) ||
        !lp_reader_map_window(reader, error) || !lp_reader_map_experts(reader, error) ||
        !check_projection(reader, error) || !read_plan(reader, error))
        return FALSE;
    report_rest(reader);
    return TRUE;
}

LpImport *
lp_huggingface_import(const char *path, GError **error)
{
    g_autoptr(LpConfig) config = lp_config_load(path, error);
    if (config == NULL)
        return NULL;
    const char *given = NULL, *key = NULL;
    gboolean is_own = lp_mistral_names_are_of(config);
    if (is_own && !lp_mistral_names_translate(config, error))
        return NULL;
    const LpFamily *family = lp_reader_find_family(config, &key, error);
    if (family == NULL || !lp_config_text(config, "_name_or_path", &given, error))
        return NULL;
    g_autofree char *name = name_of(given, path, family->model_type);
    g_autofree char *shown = lp_config_show(config, key);
    const char *wrapper = lp_reader_wrapper(config);
    if (family->in_text || wrapper != NULL)
        lp_config_enter(config, wrapper != NULL ? wrapper : "text_config");
    g_autofree char *source =
        g_strdup_printf("%s: %s, model_type %s.", path,
                        is_own ? "Mistral's params.json, by Hugging Face's names"
                               : "a configuration of Hugging Face",
                        family->model_type);
    g_autoptr(LpImport) import = lp_import_new(name, source);
    LpReader reader = {.config = config, .family = family, .import = import};
    if (strcmp(key, "model_type") != 0) {
        g_autofree char *reason =
            g_strdup_printf("read as %s, which this says it is", family->model_type);
        lp_import_leave(import, key, strcmp(key, "architectures") == 0 ? shown : "...", reason);
    }
    return read_all(&reader, error) ? g_steal_pointer(&import) : NULL;
}
