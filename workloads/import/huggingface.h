/* SPDX-License-Identifier: Apache-2.0 */
/* Model configurations of Hugging Face's transformers ("config.json") as workloads. */
#pragma once

#include "workloads/import/import.h"

G_BEGIN_DECLS

/**
 * Reads a config.json. docs/import.md has the mapping. That the shape makes sense as a whole is for
 * lp_import_workload() to say.
 * Errors: LP_INPUT_ERROR_FILE, _SYNTAX, _NAME (model_type), _VALUE; "FILE: KEY: got, wanted".
 * Returns: (transfer full).
 */
LpImport *lp_huggingface_import(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
