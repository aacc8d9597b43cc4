/* SPDX-License-Identifier: Apache-2.0 */
/* Members of JSON objects, one call each. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

void lp_json_text(JsonBuilder *builder, const char *key, const char *value);
void lp_json_count(JsonBuilder *builder, const char *key, guint64 value);
/** Finite numbers only. A negative zero, which arithmetic may leave, is written as 0. */
void lp_json_number(JsonBuilder *builder, const char *key, double value);
/** Begins the object @key; json_builder_end_object() ends it. */
void lp_json_begin(JsonBuilder *builder, const char *key);
/** Begins the array @key; json_builder_end_array() ends it. */
void lp_json_begin_array(JsonBuilder *builder, const char *key);

/** Pretty-printed, with a line end. Returns: (transfer full). */
char *lp_json_print(JsonNode *node);
/** The same without indentation. Returns: (transfer full). */
char *lp_json_print_flat(JsonNode *node);

G_END_DECLS
