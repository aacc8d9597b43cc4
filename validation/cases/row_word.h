/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a row's columns as people write them, and what they mean here. */
#ifndef LP_ROW_WORD_H
#define LP_ROW_WORD_H

#include <glib.h>

G_BEGIN_DECLS

/** What @text of @column means: "nvfp4" for "FP4", "full" for "uniform", "yes" for "True", "1024"
 * for "1,024"; @text itself where nothing better is known. Returns: (transfer full). */
char *lp_row_word(const char *column, const char *text);

G_END_DECLS

#endif
