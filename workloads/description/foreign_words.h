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

/** The last word of "ShardingStrategy.FULL_SHARD" or "kernels-community/flash-attn3". Borrowed from
 * @text. */
const char *lp_foreign_word_last(const char *text);
/** The letters and digits of @text, in lower case. */
char *lp_foreign_word_plain(const char *text) G_GNUC_WARN_UNUSED_RESULT;
/** @text without a version behind it: "Axolotl 0.9.2", "verl (v0.4)", "prime-rl@559b4477". */
char *lp_foreign_word_unversioned(const char *text) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
