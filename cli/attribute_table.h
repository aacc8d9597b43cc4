/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes of a workload as people read them. */
#pragma once

#include "base/json.h"
#include "workloads/description/attribute.h"

G_BEGIN_DECLS

/** The attributes called @names as a table, in the program's order; all where there are no names.
 * Returns: (transfer full). */
char *lp_attribute_table_to_text(char *const *names);
/** The same as JSON. Returns: (transfer full). */
json_t *lp_attribute_table_to_json(char *const *names);

G_END_DECLS
