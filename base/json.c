/* SPDX-License-Identifier: Apache-2.0 */
/* Jansson reads, holds and escapes; the layout of what is printed is ours. */
#include "base/json.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

/* What jansson takes in memory, bytes, of a value and of an object or array, and at most of all: a
 * file is to fit into a gigabyte. */
#define VALUE_BYTES 100
#define CONTAINER_BYTES 240
#define MEMORY_MAX ((gsize)800 << 20)

/* Values are told by the signs before them, also those within texts. */
static gboolean
takes_too_much(const char *text, gsize length)
{
    gsize n_values = 0, n_containers = 0;
    for (gsize i = 0; i < length; i++) {
        n_values += text[i] == ',' ? 1 : 0;
        n_containers += text[i] == '{' || text[i] == '[' ? 1 : 0;
    }
    return n_values * VALUE_BYTES + n_containers * CONTAINER_BYTES > MEMORY_MAX;
}

json_t *
lp_json_read(const char *path, const char *text, gsize length, GError **error)
{
    g_return_val_if_fail(path != NULL && (text != NULL || length == 0), NULL);
    const char *start = text != NULL ? lp_file_skip_mark(text, &length) : "";
    if (takes_too_much(start, length)) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "%s: got JSON of millions of values, wanted fewer", path);
        return NULL;
    }
    return lp_json_read_part(path, 1, start, length, error);
}

json_t *
lp_json_read_part(const char *path, guint line, const char *text, gsize length, GError **error)
{
    json_error_t fault;
    json_t *node = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &fault);
    if (node != NULL)
        return node;
    /* Printable, and without the quotes around it: the reason quotes what it found in the text. */
    g_autofree char *reason = lp_error_quote(fault.text);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                "%s:%d: got no JSON (%.*s), wanted JSON in UTF-8 with each key once", path,
                fault.line + (int)line - 1, (int)strlen(reason) - 2, reason + 1);
    return NULL;
}

static json_t *
new_text(const char *value)
{
    /* A file may have any name; JSON is UTF-8. */
    g_autofree char *valid = g_utf8_make_valid(value, -1);
    return json_string(valid);
}

static json_t *
new_number(double value)
{
    return isfinite(value) ? json_real(value + 0.0) : json_null();
}

/* The new value belongs to @object; who asked for it borrows it. */
static json_t *
set(json_t *object, const char *key, json_t *value)
{
    int failed = json_object_set_new(object, key, value);
    g_assert(failed == 0);
    return value;
}

static json_t *
append(json_t *array, json_t *value)
{
    int failed = json_array_append_new(array, value);
    g_assert(failed == 0);
    return value;
}

json_t *
lp_json_document(void)
{
    json_t *root = json_object();
    lp_json_set_count(root, "format_version", LP_JSON_FORMAT_VERSION);
    return root;
}

void
lp_json_set_text(json_t *object, const char *key, const char *value)
{
    (void)set(object, key, new_text(value));
}

void
lp_json_set_count(json_t *object, const char *key, guint64 value)
{
    (void)set(object, key, json_integer((json_int_t)value));
}

void
lp_json_set_number(json_t *object, const char *key, double value)
{
    (void)set(object, key, new_number(value));
}

json_t *
lp_json_set_object(json_t *object, const char *key)
{
    return set(object, key, json_object());
}

json_t *
lp_json_set_array(json_t *object, const char *key)
{
    return set(object, key, json_array());
}

void
lp_json_append_text(json_t *array, const char *value)
{
    (void)append(array, new_text(value));
}

void
lp_json_append_number(json_t *array, double value)
{
    (void)append(array, new_number(value));
}

json_t *
lp_json_append_object(json_t *array)
{
    return append(array, json_object());
}

/* The member of @node that @token names. */
static json_t *
member(const json_t *node, const char *token)
{
    guint64 index;
    if (json_is_array(node))
        return lp_count_parse(token, 0, G_MAXUINT32, &index, NULL) ? json_array_get(node, index)
                                                                   : NULL;
    g_autoptr(GString) key = g_string_new(token);
    g_string_replace(key, "~1", "/", 0);
    g_string_replace(key, "~0", "~", 0);
    return json_object_get(node, key->str);
}

json_t *
lp_json_find(const json_t *node, const char *pointer)
{
    g_auto(GStrv) tokens = g_strsplit(pointer, "/", -1);
    json_t *at = *pointer == '\0' || *pointer == '/' ? (json_t *)(guintptr)node : NULL;
    for (guint i = 1; at != NULL && tokens[0] != NULL && tokens[i] != NULL; i++)
        at = member(at, tokens[i]);
    return at;
}

/* --- printing --- */

/* How values are set apart. */
typedef struct {
    const char *line; /* what ends a line */
    const char *colon;
    int indent;
} Layout;

/* Appends a number, a text, a truth value or an empty array. */
static void
add_scalar(GString *out, const json_t *node)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    if (json_is_real(node)) {
        g_string_append(out, g_ascii_dtostr(digits, sizeof digits, json_real_value(node)));
        /* A whole one shows that it is no count. */
        if (strpbrk(digits, ".e") == NULL)
            g_string_append(out, ".0");
        return;
    }
    char *text = json_dumps(node, JSON_ENCODE_ANY);
    g_string_append(out, text);
    free(text);
}

static void add_node(GString *out, const json_t *node, const Layout *layout, int level);

static void
begin_value(GString *out, gboolean is_first, const Layout *layout, int level)
{
    g_string_append_printf(out, "%s%s%*s", is_first ? "" : ",", layout->line,
                           layout->indent * level, "");
}

static void
add_members(GString *out, const json_t *node, const Layout *layout, int level)
{
    /* Jansson's iterators take no const, and change nothing. */
    json_t *object = (json_t *)(gsize)node;
    gboolean is_first = TRUE;
    for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
        g_autoptr(json_t) key = json_string(json_object_iter_key(at));
        begin_value(out, is_first, layout, level);
        add_scalar(out, key);
        g_string_append(out, layout->colon);
        add_node(out, json_object_iter_value(at), layout, level);
        is_first = FALSE;
    }
}

static void
add_elements(GString *out, const json_t *array, const Layout *layout, int level)
{
    for (gsize i = 0; i < json_array_size(array); i++) {
        begin_value(out, i == 0, layout, level);
        add_node(out, json_array_get(array, i), layout, level);
    }
}

/* Jansson's own layout differs ("key": value, 1.0e18). Scripts compare outputs byte for byte, and
 * those bytes do not change with a library: not even the blanks inside an empty object. */
static void
add_node(GString *out, const json_t *node, const Layout *layout, int level)
{
    if (json_is_object(node)) {
        g_string_append_c(out, '{');
        add_members(out, node, layout, level + 1);
        g_string_append_printf(out, "%s%*s}", json_object_size(node) > 0 ? layout->line : "",
                               layout->indent * level, "");
    } else if (json_is_array(node) && json_array_size(node) > 0) {
        g_string_append_c(out, '[');
        add_elements(out, node, layout, level + 1);
        g_string_append_printf(out, "%s%*s]", layout->line, layout->indent * level, "");
    } else {
        add_scalar(out, node);
    }
}

static GString *
print(const json_t *node, Layout layout)
{
    GString *out = g_string_new(NULL);
    add_node(out, node, &layout, 0);
    return out;
}

char *
lp_json_print(const json_t *node)
{
    return g_string_free(g_string_append_c(print(node, (Layout){"\n", " : ", 2}), '\n'), FALSE);
}

char *
lp_json_print_flat(const json_t *node)
{
    return g_string_free(g_string_append_c(print(node, (Layout){"\n", " : ", 0}), '\n'), FALSE);
}

char *
lp_json_print_line(const json_t *node)
{
    return g_string_free(print(node, (Layout){"", ":", 0}), FALSE);
}
