/* SPDX-License-Identifier: Apache-2.0 */
/* Public models and accelerators, by the names that tables of measurements use for them
 * (validation/models.xml). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The shipped list of models, and of other names of accelerators. */
typedef struct LpPublicModels LpPublicModels;

/** A model that is known by name. */
typedef struct {
    char *name;         /* owned: the first of its names, for output */
    char *out_of_scope; /* owned: why it cannot be described; NULL if it can */
} LpPublicModel;

/** Reads the shipped file. Errors: LP_INPUT_ERROR. Returns: (transfer full). */
LpPublicModels *lp_public_models_load(GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** @self may be NULL. */
void lp_public_models_free(LpPublicModels *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpPublicModels, lp_public_models_free)

/**
 * The model that @text names, borrowed, or NULL. Names are compared by their words and numbers in
 * lower case, whatever joins them: "LLAMA3.1_405B (w/ MTP)" holds "Llama 3.1 405B". The name with
 * the most words that @text holds wins, the first among equals.
 */
const LpPublicModel *lp_public_models_find(const LpPublicModels *self, const char *text);

/** The shape of @model, one of @self: attributes of <transformer>, "name=value", NULL-ended.
 * Errors: LP_INPUT_ERROR of the shipped workload that has it. Returns: (transfer full). */
char **lp_public_model_settings(const LpPublicModels *self, const LpPublicModel *model,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The catalogue's name of the accelerator for which @text is another name, borrowed; or NULL. */
const char *lp_public_models_accelerator(const LpPublicModels *self, const char *text);

/** How many models there are. */
guint lp_public_models_n(const LpPublicModels *self);
/** Borrowed. */
const LpPublicModel *lp_public_models_at(const LpPublicModels *self, guint index);

/** "llama 3.1 405 b w mtp": the words and numbers that names are compared by.
 * Returns: (transfer full). */
char *lp_public_model_words(const char *text);

G_END_DECLS
