/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath validate as a benchmark. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Runs "validate" in this process, which does nothing else: what it prints, and all that follows,
 * is thrown away. @out_children_rss_bytes: the largest peak of a process that it started. Errors:
 * as the command's. */
gboolean lp_bench_validate(guint64 *out_children_rss_bytes,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
