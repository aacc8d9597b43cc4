/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON file of another program: one object, strictly read, whose members are read by type, and
 * which records the members that were never read. */
#pragma once

#include "base/json.h"

G_BEGIN_DECLS

typedef struct LpConfig LpConfig;

/** The largest count that a member may have, as workload attributes have it. */
#define LP_CONFIG_COUNT_MAX (1u << 24)

/**
 * Reads @path: at most 16 MiB of JSON as lp_json_read() has it, with an object outside. Infinity,
 * which Python writes, is a number that no shape has.
 * Errors: LP_INPUT_ERROR_FILE, LP_INPUT_ERROR_SYNTAX; "FILE: got, wanted", "FILE:LINE: got,
 * wanted". Returns: (transfer full).
 */
LpConfig *lp_config_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_config_free(LpConfig *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpConfig, lp_config_free)

/** Takes the object under @key for the configuration, with what stands beside it and not in it;
 * nothing if there is no such object. */
void lp_config_enter(LpConfig *self, const char *key);
/** The whole object. Borrowed. */
const json_t *lp_config_root(const LpConfig *self);
/** The members of the configuration in an object of their own. Returns: (transfer full). */
json_t *lp_config_copy(const LpConfig *self);
/** Takes @root, an object, for the configuration. @root: (transfer full). */
void lp_config_replace(LpConfig *self, json_t *root);
/** The path as given. */
const char *lp_config_path(const LpConfig *self);

/** The first of the names in @keys ("n_embed|hidden_size") that is there and not null, as it stands
 * in @keys' order; else the first name. All names count as read. Returns: (transfer full). */
char *lp_config_key(LpConfig *self, const char *keys);
/** Whether @key is there, and null. */
gboolean lp_config_is_null(const LpConfig *self, const char *key);
/** The value of @key, or NULL if it is absent or null. Counts as read. Borrowed. */
const json_t *lp_config_peek(LpConfig *self, const char *key);

/**
 * A whole number from @minimum to LP_CONFIG_COUNT_MAX. @keys: as in lp_config_key(). An absent or
 * null one is *@out_value as it was, unless that is 0 and less than @minimum: then the key is
 * required. Error: LP_INPUT_ERROR_VALUE, "FILE: KEY: got, wanted".
 */
gboolean lp_config_count(LpConfig *self, const char *keys, guint32 minimum, guint32 *out_value,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** true or false; *@out_value stays if @key is absent or null. */
gboolean lp_config_boolean(LpConfig *self, const char *key, gboolean *out_value,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** A finite number from 0 to 1; *@out_value stays if @key is absent or null. */
gboolean lp_config_fraction(LpConfig *self, const char *key, double *out_value,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** A text, borrowed; NULL if @keys are absent or null. */
gboolean lp_config_text(LpConfig *self, const char *keys, const char **out_text,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** A list, borrowed; NULL if @key is absent or null. */
gboolean lp_config_list(LpConfig *self, const char *key, const json_t **out_list,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Sets LP_INPUT_ERROR_VALUE "FILE: KEY: got VALUE, wanted @wanted"; returns FALSE. */
gboolean lp_config_fault(const LpConfig *self, const char *key, const char *wanted, GError **error);

/** The value of @key as JSON on one line, cut after 60 characters; "none" if absent.
 * Returns: (transfer full). */
char *lp_config_show(const LpConfig *self, const char *key);
/** All that are not null, NULL-ended. Returns: (transfer container). */
const char **lp_config_keys(const LpConfig *self);
/** The members that were never read, in the file's order. Returns: (transfer container). */
GPtrArray *lp_config_unread(const LpConfig *self);

G_END_DECLS
