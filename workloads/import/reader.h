/* SPDX-License-Identifier: Apache-2.0 */
/* A configuration on its way to a workload: what the steps of workloads/import/huggingface.c share.
 */
#pragma once

#include "workloads/import/config.h"
#include "workloads/import/family.h"
#include "workloads/import/import.h"

G_BEGIN_DECLS

/** What is known so far. The numbers are there once the step that maps them is done. */
typedef struct {
    LpConfig *config;       /* borrowed from the caller */
    const LpFamily *family; /* static */
    LpImport *import;       /* borrowed from the caller */
    guint32 n_layers, hidden, n_heads, ffn, seq;
    gboolean no_experts; /**< the layers' pattern has none, whatever else is said */
} LpReader;

/** The family of @config: by model_type, else by what its classes are called (architectures), or by
 * the model of text inside (text_config). *@out_key: which of these said so; static. Errors:
 * LP_INPUT_ERROR_VALUE, LP_INPUT_ERROR_NAME, which says the nearest. Returns: static. */
const LpFamily *lp_reader_find_family(LpConfig *config, const char **out_key,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The key of the object that alone has the shape (text_config and the like), or NULL. Static. */
const char *lp_reader_wrapper(LpConfig *config);

/** @key if the configuration has it, else "": where a value comes from. */
const char *lp_reader_said(const LpReader *self, const char *key);
/** Says that @key is left out, with the value that it has. */
void lp_reader_leave(const LpReader *self, const char *key, const char *reason);
/** Reads a count as lp_config_count() does, and gives it to @attribute. Errors: as there. */
gboolean lp_reader_map_count(const LpReader *self, const char *attribute, const char *keys,
                             guint32 minimum, guint32 *value,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Maps the pattern of mixers and their sizes. Error: LP_INPUT_ERROR_VALUE, "FILE: KEY: got,
 * wanted". */
gboolean lp_reader_map_layers(LpReader *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Maps the sliding window. Error: LP_INPUT_ERROR_VALUE, "FILE: KEY: got, wanted". */
gboolean lp_reader_map_window(const LpReader *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Maps the experts, and which layers have them. Error: LP_INPUT_ERROR_VALUE, "FILE: KEY: got,
 * wanted". */
gboolean lp_reader_map_experts(const LpReader *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
