/* SPDX-License-Identifier: Apache-2.0 */
/* What the attributes of a workload mean, as docs/workload-format.md says, which is built in. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A row of the document's tables, without its markup. */
typedef struct {
    char *name, *meaning, *values, *range, *fallback; /* owned; fallback: the default */
    char **choices;                                   /* owned, NULL-ended: values to choose from */
} LpAttributeRow;

/** All rows, of LpAttributeRow, in the order of the program. Returns: (transfer full). */
GPtrArray *lp_attribute_table_load(void);

/** The table as people read it. Returns: (transfer full). */
char *lp_attribute_table_to_text(const GPtrArray *rows);

G_END_DECLS
