/* SPDX-License-Identifier: Apache-2.0 */
/* Mistral's own configurations ("params.json") under the names that transformers has. */
#pragma once

#include "workloads/import/config.h"

G_BEGIN_DECLS

/** Whether @self is such a configuration: of mistral-inference, src/mistral_inference/args.py. */
gboolean lp_mistral_names_are_of(const LpConfig *self);
/** Gives its members the names and the form that they have in transformers, with the model_type
 * that is of this shape, as vllm/transformers_utils/configs/mistral.py of vLLM does. Error:
 * LP_INPUT_ERROR_VALUE: what is not a transformer, or lacks what all have; by its own name. */
gboolean lp_mistral_names_translate(LpConfig *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
