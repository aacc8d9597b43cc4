/* SPDX-License-Identifier: Apache-2.0 */
/* What sources of shipped workloads measured, beside what a simulation says. */
#pragma once

#include "base/json.h"
#include "base/text_table.h"

G_BEGIN_DECLS

/** Simulates each of the shipped workloads @names, NULL-ended, whose file says what was measured,
 * on the machine that it names, a process for each. @out_table, @out_document: (transfer full) rows
 * for people, and "measured[]". Errors: as lp_workload_load(). */
gboolean lp_measured_list(char *const *names, LpTextTable **out_table, json_t **out_document,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
