/* SPDX-License-Identifier: Apache-2.0 */
/* Reads others' JSON: a strict scan of the text, then json-glib, then members by type. */
#include "workloads/import/config.h"

#include "base/error.h"
#include "base/file.h"

#include <math.h>
#include <string.h>

/* Configurations are a few KB; lists of labels make some of them 2 MB. */
#define SIZE_MAX_BYTES (16u << 20)
/* json-glib reads a level by a call, and searches a list of members when one is repeated. */
#define LEVELS_MAX 64
#define VALUES_MAX 50000
/* More digits do not fit in 64 bits, and json-glib would hand on another number. */
#define DIGITS_MAX 18

struct LpConfig {
    char *path;         /* owned */
    JsonNode *root;     /* owned: an object */
    GHashTable *unread; /* owned: names borrowed from root */
};

/* The scan: where it is, and what it has met. */
typedef struct {
    const char *path; /* borrowed from the caller */
    const char *at, *end;
    guint line, n_levels, n_values;
} Scan;

static gboolean
scan_fault(const Scan *scan, const char *got, gsize n_got, const char *wanted, GError **error)
{
    g_autofree char *text = g_strndup(got, MIN(n_got, 64));
    g_autofree char *shown = lp_error_quote(text);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, "%s:%u: got %s, wanted %s",
                scan->path, scan->line, shown, wanted);
    return FALSE;
}

/* How many bytes at @scan belong to a word or a number. */
static gsize
token_length(const Scan *scan)
{
    const char *at = scan->at;
    while (at < scan->end && (g_ascii_isalnum(*at) || strchr("+-._", *at) != NULL))
        at++;
    return (gsize)(at - scan->at);
}

static const char *
skip_digits(const char *at)
{
    while (g_ascii_isdigit(*at))
        at++;
    return at;
}

/* JSON's grammar: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)? */
static gboolean
is_number(const char *text)
{
    const char *whole = text + (*text == '-' ? 1 : 0);
    const char *at = skip_digits(whole);
    if (at == whole || (*whole == '0' && at - whole > 1))
        return FALSE;
    if (*at == '\0')
        return at - whole <= DIGITS_MAX;
    if (*at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction);
        if (at == fraction)
            return FALSE;
    }
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        if (!g_ascii_isdigit(*at))
            return FALSE;
        at = skip_digits(at);
    }
    return *at == '\0' && isfinite(g_ascii_strtod(text, NULL));
}

static gboolean
scan_token(Scan *scan, GError **error)
{
    static const char *const words[] = {"true", "false", "null", NULL};
    gsize length = token_length(scan);
    /* The file may end in the middle of a character that is none of JSON's. */
    if (length == 0)
        return scan_fault(scan, scan->at, (gsize)(scan->end - scan->at), "JSON", error);
    g_autofree char *token = g_strndup(scan->at, length);
    if (!g_strv_contains(words, token) && !is_number(token))
        return scan_fault(scan, token, length,
                          "a finite number of at most 18 digits, true, false or null", error);
    scan->at += length;
    return TRUE;
}

static gboolean
scan_string(Scan *scan, GError **error)
{
    const char *begin = scan->at++;
    for (; scan->at < scan->end; scan->at++) {
        if (*scan->at == '"') {
            scan->at++;
            return TRUE;
        }
        if ((guchar)*scan->at < 0x20)
            break;
        if (*scan->at == '\\' && scan->at + 1 < scan->end && (guchar)scan->at[1] >= 0x20)
            scan->at++;
    }
    return scan_fault(scan, begin, (gsize)(scan->at - begin), "a text that ends on its line",
                      error);
}

static gboolean
scan_level(Scan *scan, char c, GError **error)
{
    if (c == '}' || c == ']')
        scan->n_levels -= scan->n_levels > 0 ? 1 : 0;
    else if (++scan->n_levels > LEVELS_MAX)
        return scan_fault(scan, &c, 1, "at most 64 levels of lists and objects", error);
    scan->at++;
    return TRUE;
}

static gboolean
scan_one(Scan *scan, GError **error)
{
    switch (*scan->at) {
    case '\n':
        scan->line++;
        scan->at++;
        return TRUE;
    case ' ':
    case '\t':
    case '\r':
    case ':':
        scan->at++;
        return TRUE;
    case ',':
        if (++scan->n_values > VALUES_MAX)
            return scan_fault(scan, ",", 1, "at most 50000 values", error);
        scan->at++;
        return TRUE;
    case '{':
    case '}':
    case '[':
    case ']':
        return scan_level(scan, *scan->at, error);
    case '"':
        return scan_string(scan, error);
    default:
        return scan_token(scan, error);
    }
}

/* What json-glib would read in its own way (comments, long numbers), or not survive (depth). That
 * brackets match is left to it. */
static gboolean
scan_text(const char *path, const char *text, gsize length, GError **error)
{
    if (!g_utf8_validate_len(text, length, NULL)) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "%s: got bytes that are not UTF-8, wanted JSON", path);
        return FALSE;
    }
    Scan scan = {.path = path, .at = text, .end = text + length, .line = 1};
    while (scan.at < scan.end)
        if (!scan_one(&scan, error))
            return FALSE;
    return TRUE;
}

static JsonNode *
parse(const char *path, const char *text, gsize length, GError **error)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    g_autoptr(GError) fault = NULL;
    if (!json_parser_load_from_data(parser, text, (gssize)length, &fault)) {
        const char *message = fault->message;
        if (g_str_has_prefix(message, "<data>:"))
            message += strlen("<data>:");
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, "%s:%s, wanted JSON", path,
                    message);
        return NULL;
    }
    JsonNode *root = json_parser_get_root(parser);
    if (root == NULL || !JSON_NODE_HOLDS_OBJECT(root)) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "%s: got %s, wanted a JSON object, \"{...}\"", path,
                    root == NULL                  ? "nothing"
                    : JSON_NODE_HOLDS_ARRAY(root) ? "a list"
                                                  : "a value");
        return NULL;
    }
    return json_parser_steal_root(parser);
}

static GHashTable *
all_unread(JsonNode *root)
{
    GHashTable *unread = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GList) names = json_object_get_members(json_node_get_object(root));
    for (GList *at = names; at != NULL; at = at->next)
        g_hash_table_add(unread, at->data);
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
    if (!scan_text(path, length > 0 ? text : "", length, error))
        return NULL;
    g_autoptr(JsonNode) root = parse(path, length > 0 ? text : "", length, error);
    if (root == NULL)
        return NULL;
    LpConfig *self = g_new0(LpConfig, 1);
    self->path = g_strdup(path);
    self->unread = all_unread(root);
    self->root = g_steal_pointer(&root);
    return self;
}

void
lp_config_free(LpConfig *self)
{
    if (self == NULL)
        return;
    g_hash_table_unref(self->unread);
    json_node_unref(self->root);
    g_free(self->path);
    g_free(self);
}

const char *
lp_config_path(const LpConfig *self)
{
    return self->path;
}

/* The value of @key, or NULL if it is absent or null. */
static JsonNode *
member(const LpConfig *self, const char *key)
{
    JsonNode *node = json_object_get_member(json_node_get_object(self->root), key);
    return node != NULL && !JSON_NODE_HOLDS_NULL(node) ? node : NULL;
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

JsonNode *
lp_config_peek(LpConfig *self, const char *key)
{
    g_hash_table_remove(self->unread, key);
    return member(self, key);
}

char *
lp_config_show(const LpConfig *self, const char *key)
{
    JsonNode *node = json_object_get_member(json_node_get_object(self->root), key);
    if (node == NULL)
        return g_strdup("none");
    g_autofree char *text = json_to_string(node, FALSE);
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
    JsonNode *node = member(self, key);
    if (node == NULL && *out_value >= minimum)
        return TRUE;
    gint64 value = -1;
    if (node != NULL && json_node_get_value_type(node) == G_TYPE_INT64)
        value = json_node_get_int(node);
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
    JsonNode *node = lp_config_peek(self, key);
    if (node == NULL)
        return TRUE;
    if (json_node_get_value_type(node) != G_TYPE_BOOLEAN)
        return lp_config_fault(self, key, "true or false", error);
    *out_value = json_node_get_boolean(node);
    return TRUE;
}

gboolean
lp_config_fraction(LpConfig *self, const char *key, double *out_value, GError **error)
{
    JsonNode *node = lp_config_peek(self, key);
    if (node == NULL)
        return TRUE;
    GType type = json_node_get_value_type(node);
    double value =
        type == G_TYPE_INT64 || type == G_TYPE_DOUBLE ? json_node_get_double(node) : -1.0;
    if (!(value >= 0.0 && value <= 1.0))
        return lp_config_fault(self, key, "a number from 0 to 1", error);
    *out_value = value;
    return TRUE;
}

gboolean
lp_config_text(LpConfig *self, const char *keys, const char **out_text, GError **error)
{
    g_autofree char *key = lp_config_key(self, keys);
    JsonNode *node = member(self, key);
    *out_text = NULL;
    if (node == NULL)
        return TRUE;
    if (json_node_get_value_type(node) != G_TYPE_STRING)
        return lp_config_fault(self, key, "a text", error);
    *out_text = json_node_get_string(node);
    return TRUE;
}

gboolean
lp_config_list(LpConfig *self, const char *key, JsonArray **out_list, GError **error)
{
    JsonNode *node = lp_config_peek(self, key);
    *out_list = NULL;
    if (node == NULL)
        return TRUE;
    if (!JSON_NODE_HOLDS_ARRAY(node))
        return lp_config_fault(self, key, "a list", error);
    *out_list = json_node_get_array(node);
    return TRUE;
}

GPtrArray *
lp_config_unread(const LpConfig *self)
{
    GPtrArray *keys = g_ptr_array_new();
    g_autoptr(GList) names = json_object_get_members(json_node_get_object(self->root));
    for (GList *at = names; at != NULL; at = at->next)
        if (g_hash_table_contains(self->unread, at->data))
            g_ptr_array_add(keys, at->data);
    return keys;
}
