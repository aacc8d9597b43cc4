/* SPDX-License-Identifier: Apache-2.0 */
/* Reads others' JSON, and hands out its members by type. */
#include "workloads/import/config.h"

#include "base/error.h"
#include "base/file.h"

#include <math.h>
#include <string.h>

/* Configurations are a few KB; lists of labels make some of them 2 MB. */
#define SIZE_MAX_BYTES (16u << 20)

/* Python writes Infinity for what JSON has no word for; these have as many letters, and no shape
 * has such a number. */
#define PYTHON_INFINITY "Infinity"
#define JSON_INFINITY "1.7e+308"
G_STATIC_ASSERT(sizeof PYTHON_INFINITY == sizeof JSON_INFINITY);

struct LpConfig {
    char *path;         /* owned */
    json_t *root;       /* owned: an object */
    GHashTable *unread; /* owned: a set of keys */
};

/* Puts numbers in the place of the word, where it is a value: behind a bracket, a comma or a colon,
 * outside of texts. */
static void
replace_infinity(char *text, gsize length)
{
    const gsize n = strlen(PYTHON_INFINITY);
    gboolean is_text = FALSE;
    char before = ':';
    for (gsize i = 0; i < length; i++) {
        char c = text[i];
        if (is_text && c == '\\')
            i++;
        else if (c == '"')
            is_text = !is_text;
        else if (!is_text && c == 'I' && strchr("[:,-", before) != NULL && length - i >= n &&
                 memcmp(text + i, PYTHON_INFINITY, n) == 0)
            memcpy(text + i, JSON_INFINITY, n);
        if (!g_ascii_isspace(c) && c != '\0')
            before = c;
    }
}

static json_t *
read_object(const char *path, const char *text, gsize length, GError **error)
{
    g_autoptr(json_t) root = lp_json_read(path, text, length, error);
    if (root == NULL || json_is_object(root))
        return g_steal_pointer(&root);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                "%s: got %s, wanted a JSON object, \"{...}\"", path,
                json_is_array(root) ? "a list" : "a value");
    return NULL;
}

static GHashTable *
all_unread(json_t *root)
{
    GHashTable *unread = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    const char *key;
    json_t *value;
    json_object_foreach (root, key, value)
        g_hash_table_add(unread, g_strdup(key));
    return unread;
}

LpConfig *
lp_config_load(const char *path, GError **error)
{
    g_return_val_if_fail(path != NULL, NULL);
    g_autoptr(GBytes) bytes = lp_file_read(path, error);
    if (bytes == NULL)
        return NULL;
    gsize length = 0;
    const char *text = g_bytes_get_data(bytes, &length);
    if (length > SIZE_MAX_BYTES) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                    "%s: got %" G_GSIZE_FORMAT " bytes, wanted at most %u (16 MiB)", path, length,
                    SIZE_MAX_BYTES);
        return NULL;
    }
    g_autofree char *own = g_malloc(length + 1);
    memcpy(own, length > 0 ? text : "", length);
    own[length] = '\0';
    replace_infinity(own, length);
    g_autoptr(json_t) root = read_object(path, own, length, error);
    if (root == NULL)
        return NULL;
    LpConfig *self = g_new0(LpConfig, 1);
    self->path = g_strdup(path);
    self->unread = all_unread(root);
    self->root = g_steal_pointer(&root);
    return self;
}

const json_t *
lp_config_root(const LpConfig *self)
{
    return self->root;
}

json_t *
lp_config_copy(const LpConfig *self)
{
    return json_copy(self->root);
}

void
lp_config_replace(LpConfig *self, json_t *root)
{
    json_decref(self->root);
    self->root = root;
    g_hash_table_unref(self->unread);
    self->unread = all_unread(root);
}

void
lp_config_enter(LpConfig *self, const char *key)
{
    json_t *inner = json_object_get(self->root, key);
    if (!json_is_object(inner))
        return;
    g_autoptr(json_t) merged = json_copy(inner);
    (void)json_object_update_missing(merged, self->root);
    (void)json_object_del(merged, key);
    lp_config_replace(self, g_steal_pointer(&merged));
}

void
lp_config_free(LpConfig *self)
{
    if (self == NULL)
        return;
    g_hash_table_unref(self->unread);
    json_decref(self->root);
    g_free(self->path);
    g_free(self);
}

const char *
lp_config_path(const LpConfig *self)
{
    return self->path;
}

/* The value of @key, or NULL if it is absent or null. */
static const json_t *
member(const LpConfig *self, const char *key)
{
    const json_t *node = json_object_get(self->root, key);
    return json_is_null(node) ? NULL : node;
}

char *
lp_config_key(LpConfig *self, const char *keys)
{
    g_auto(GStrv) names = g_strsplit(keys, "|", -1);
    const char *found = NULL;
    for (guint i = 0; names[i] != NULL; i++) {
        g_hash_table_remove(self->unread, names[i]);
        if (found == NULL && member(self, names[i]) != NULL)
            found = names[i];
    }
    return g_strdup(found != NULL ? found : names[0]);
}

gboolean
lp_config_is_null(const LpConfig *self, const char *key)
{
    return json_is_null(json_object_get(self->root, key));
}

const json_t *
lp_config_peek(LpConfig *self, const char *key)
{
    g_hash_table_remove(self->unread, key);
    return member(self, key);
}

/* The word again, as the file has it. @printed: (transfer full). */
static char *
with_infinity(char *printed)
{
    g_autofree char *owned = printed;
    g_autoptr(json_t) number = json_real(g_ascii_strtod(JSON_INFINITY, NULL));
    g_autofree char *shown = lp_json_print_line(number);
    g_auto(GStrv) parts = g_strsplit(printed, shown, -1);
    return g_strjoinv(PYTHON_INFINITY, parts);
}

char *
lp_config_show(const LpConfig *self, const char *key)
{
    const json_t *node = json_object_get(self->root, key);
    if (node == NULL)
        return g_strdup("none");
    g_autofree char *text = with_infinity(lp_json_print_line(node));
    g_autofree char *quoted = lp_error_quote(text);
    /* The text brings its own quotes, where it has any. */
    return g_strndup(quoted + 1, strlen(quoted) - 2);
}

gboolean
lp_config_fault(const LpConfig *self, const char *key, const char *wanted, GError **error)
{
    g_autofree char *shown = lp_config_show(self, key);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "%s: %s: got %s, wanted %s",
                self->path, key, shown, wanted);
    return FALSE;
}

gboolean
lp_config_count(LpConfig *self, const char *keys, guint32 minimum, guint32 *out_value,
                GError **error)
{
    g_autofree char *key = lp_config_key(self, keys);
    const json_t *node = member(self, key);
    if (node == NULL && *out_value >= minimum)
        return TRUE;
    gint64 value = -1;
    if (json_is_integer(node))
        value = json_integer_value(node);
    if (value < (gint64)minimum || value > (gint64)LP_CONFIG_COUNT_MAX) {
        g_autofree char *wanted =
            g_strdup_printf("a whole number from %u to %u", minimum, LP_CONFIG_COUNT_MAX);
        return lp_config_fault(self, key, wanted, error);
    }
    *out_value = (guint32)value;
    return TRUE;
}

gboolean
lp_config_boolean(LpConfig *self, const char *key, gboolean *out_value, GError **error)
{
    const json_t *node = lp_config_peek(self, key);
    if (node == NULL)
        return TRUE;
    if (!json_is_boolean(node))
        return lp_config_fault(self, key, "true or false", error);
    *out_value = json_is_true(node);
    return TRUE;
}

gboolean
lp_config_fraction(LpConfig *self, const char *key, double *out_value, GError **error)
{
    const json_t *node = lp_config_peek(self, key);
    if (node == NULL)
        return TRUE;
    double value = json_is_number(node) ? json_number_value(node) : -1.0;
    if (!(value >= 0.0 && value <= 1.0))
        return lp_config_fault(self, key, "a number from 0 to 1", error);
    *out_value = value;
    return TRUE;
}

gboolean
lp_config_text(LpConfig *self, const char *keys, const char **out_text, GError **error)
{
    g_autofree char *key = lp_config_key(self, keys);
    const json_t *node = member(self, key);
    *out_text = NULL;
    if (node == NULL)
        return TRUE;
    if (!json_is_string(node))
        return lp_config_fault(self, key, "a text", error);
    *out_text = json_string_value(node);
    return TRUE;
}

gboolean
lp_config_list(LpConfig *self, const char *key, const json_t **out_list, GError **error)
{
    const json_t *node = lp_config_peek(self, key);
    *out_list = NULL;
    if (node == NULL)
        return TRUE;
    if (!json_is_array(node))
        return lp_config_fault(self, key, "a list", error);
    *out_list = node;
    return TRUE;
}

const char **
lp_config_keys(const LpConfig *self)
{
    GPtrArray *keys = g_ptr_array_new();
    const char *key;
    json_t *value;
    json_object_foreach (self->root, key, value)
        if (!json_is_null(value))
            g_ptr_array_add(keys, (gpointer)(gsize)key);
    g_ptr_array_add(keys, NULL);
    return (const char **)g_ptr_array_free(keys, FALSE);
}

GPtrArray *
lp_config_unread(const LpConfig *self)
{
    GPtrArray *keys = g_ptr_array_new();
    const char *key;
    json_t *value;
    json_object_foreach (self->root, key, value)
        if (g_hash_table_contains(self->unread, key))
            g_ptr_array_add(keys, (gpointer)(gsize)key);
    return keys;
}
