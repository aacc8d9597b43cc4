/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: strict reading, members in one call each, and the layout that outputs have. */
#pragma once

#include <glib.h>
#include <jansson.h>

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC(json_t, json_decref)

/**
 * Reads one JSON value of @length bytes of UTF-8, which a byte-order mark may precede. Keys that
 * occur twice in an object, comments, NaN and numbers beyond 64 bits or a double's range are
 * refused. @path: what messages name. @text: NULL is no text, of an empty file. Error:
 * LP_INPUT_ERROR_SYNTAX, "PATH:LINE: got, wanted". Returns: (transfer full).
 */
json_t *lp_json_read(const char *path, const char *text, gsize length,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Reads so a value whose text begins at line @line of the file. */
json_t *lp_json_read_part(const char *path, guint line, const char *text, gsize length,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The version of the layout of our outputs: it grows when a key goes or changes its meaning, not
 * when one comes. */
#define LP_JSON_FORMAT_VERSION 2

/** The root of an output: an object with "format_version". Returns: (transfer full). */
json_t *lp_json_document(void);

/** Sets the member @key to @value; what is not UTF-8 in it becomes U+FFFD. */
void lp_json_set_text(json_t *object, const char *key, const char *value);
/** Sets the member @key to the whole number @value. */
void lp_json_set_count(json_t *object, const char *key, guint64 value);
/** Sets the member @key to @value. A negative zero, which arithmetic may leave, becomes 0; what is
 * not finite becomes null, since JSON has no such number. */
void lp_json_set_number(json_t *object, const char *key, double value);
/** Sets the member @key to a new, empty object. Returns: the new one, borrowed from @object. */
json_t *lp_json_set_object(json_t *object, const char *key);
/** Sets the member @key to a new, empty array. Returns: the new one, borrowed from @object. */
json_t *lp_json_set_array(json_t *object, const char *key);

/** Appends a text to @array, as lp_json_set_text() sets one. */
void lp_json_append_text(json_t *array, const char *value);
/** Appends a number to @array, as lp_json_set_number() sets one. */
void lp_json_append_number(json_t *array, double value);
/** Appends a new, empty object to @array. Returns: the new one, borrowed from @array. */
json_t *lp_json_append_object(json_t *array);

/** The value at the pointer @pointer (RFC 6901) below @node: tokens are separated by "/", with "~1"
 * for "/" and "~0" for "~"; "" is @node. NULL: there is none, or @pointer is no pointer. Borrowed
 * from @node. */
json_t *lp_json_find(const json_t *node, const char *pointer);

/** @node as text, a value a line, indented by 2, with a line end. Returns: (transfer full). */
char *lp_json_print(const json_t *node);
/** @node as lp_json_print() has it, not indented. Returns: (transfer full). */
char *lp_json_print_flat(const json_t *node);
/** @node on one line, without blanks and without a line end. Returns: (transfer full). */
char *lp_json_print_line(const json_t *node);

G_END_DECLS
