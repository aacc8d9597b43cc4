/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a row's columns as people write them, and what they mean here. */
#ifndef LP_ROW_WORD_H
#define LP_ROW_WORD_H

#include "base/table.h"
#include "validation/prediction/outcome.h"

G_BEGIN_DECLS

/** What @text of @column means: "nvfp4" for "FP4", "full" for "uniform", "yes" for "True", "1024"
 * for "1,024"; @text itself where nothing better is known. Returns: (transfer full). */
char *lp_row_word(const char *column, const char *text);

/** The words of @text in small letters, as names are written: letters, digits and "-"; some may be
 * empty. Returns: (transfer full), NULL-ended. */
char **lp_row_words(const char *text);

/** As lp_table_count(), also where @column has a number that lp_row_word() knows, which becomes a
 * note of @outcome unless that is NULL. Error: LP_INPUT_ERROR_VALUE. */
gboolean lp_row_count(const LpTableRow *row, const char *column, guint64 minimum, guint64 maximum,
                      guint64 *io_value, LpOutcome *outcome,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

#endif
