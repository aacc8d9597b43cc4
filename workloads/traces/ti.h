/* SPDX-License-Identifier: Apache-2.0 */
/* SimGrid's time-independent traces: an action a line, which SMPI replays. */
#pragma once

#include "workloads/traces/trace.h"

G_BEGIN_DECLS

/** What @rank does, one action behind the other: what its streams do beside each other stands in
 * the order in which it is launched. Returns: (transfer full). */
char *lp_ti_write(const LpTrace *trace, guint32 rank);
/** Reads a file a rank, as lp_chakra_read() does. @groups: NULL, as there are none. Errors:
 * LP_INPUT_ERROR, "FILE:LINE: got, wanted". Returns: (transfer full). */
LpTrace *lp_ti_read(const char *const *paths, guint n_paths, const char *groups,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
