/* SPDX-License-Identifier: Apache-2.0 */
/* What other programs call the attributes of a workload. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The attribute that @word means, as Megatron-LM, DeepSpeed, torchtitan, configurations of Hugging
 * Face and people say it, whatever the case, with "-", "_" or "." between its parts, and with or
 * without an end such as "-size". NULL: none. Borrowed. */
const char *lp_foreign_word_attribute(const char *word);

/** The words at @index: @out_word and its @out_attribute, both borrowed. Returns: FALSE beyond the
 * last. */
gboolean lp_foreign_word_at(guint index, const char **out_word, const char **out_attribute);

G_END_DECLS
