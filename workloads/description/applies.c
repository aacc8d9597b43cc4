/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up in which jobs attributes have a meaning. */
#include "workloads/description/applies.h"

#include <string.h>

typedef struct {
    const char *name, *conditions;
} Applies;

/* The table, "rows": made of "applies" in attributes.xml, traits.xml and overlays of kernels. */
#include "applies_rows.h"

const char *
lp_applies_to(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].conditions;
    return NULL;
}
