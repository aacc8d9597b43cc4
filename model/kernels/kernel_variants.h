/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of the standard lists, which are shipped: what one software or another runs otherwise.
 */
#pragma once

#include "model/kernels/kernel_lists.h"

G_BEGIN_DECLS

/** The names of the variants, in the order in which they are laid over the standard lists. Static,
 * NULL-ended. */
const char *const *lp_kernel_variant_names(void);
/** The variant called @name, as a bit of a set; 0: there is none. */
guint64 lp_kernel_variant(const char *name);
/** The standard lists with @variants, a set. Read once and kept. */
const LpKernelLists *lp_kernel_variants_lists(guint64 variants,
                                              const LpKernelVocabulary *vocabulary);
/** Names of the shipped mixers. Static, NULL-ended. */
const char *const *lp_kernel_mixer_names(void);
/** The same, and over them the shipped lists among @mixers, names, NULL-ended or NULL, and those of
 * @path, a file or NULL. Read once and kept. Errors: LP_INPUT_ERROR, "FILE:LINE: got, wanted". */
const LpKernelLists *lp_kernel_variants_load(guint64 variants, const char *const *mixers,
                                             const char *path, const LpKernelVocabulary *vocabulary,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
