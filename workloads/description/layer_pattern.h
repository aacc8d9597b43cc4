/* SPDX-License-Identifier: Apache-2.0 */
/* How layers follow each other, as a text: "5*window+1*full". */
#pragma once

#include "model/transformer/transformer_shape.h"

G_BEGIN_DECLS

/** "auto", or runs joined by "+": a name of lp_layer_word_names or of a mixer of lists of kernels,
 * and before it, with "*", how many layers there are of it. Neighbours that are alike become one
 * run. Error: LP_INPUT_ERROR_VALUE, "got, wanted". */
gboolean lp_layer_pattern_parse(const char *text, LpLayerPattern *out_pattern,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** What lp_layer_pattern_parse() would read as the same. Returns: (transfer full). */
char *lp_layer_pattern_format(const LpLayerPattern *self);
/** Megatron-Core's letters of the first @n_layers layers; NULL: one of them has none. Returns:
 * (transfer full). */
char *lp_layer_pattern_letters(const LpLayerPattern *self, guint32 n_layers);
/** What run @run says. */
const char *lp_layer_pattern_word(const LpLayerPattern *self, guint run);
/** The shortest pattern that gives @n_layers layers the words @words. FALSE if it has more runs or
 * mixers than there is room for. */
gboolean lp_layer_pattern_of(const char *const *words, guint32 n_layers,
                             LpLayerPattern *out_pattern);

G_END_DECLS
