/* SPDX-License-Identifier: Apache-2.0 */
/* A run in a process of its own. The engine can run once a process, and a loaded platform survives
 * a fork: the child starts where the parent stands, without loading anything again. */
#pragma once

#include <glib.h>
#include <sys/types.h>

G_BEGIN_DECLS

typedef struct {
    pid_t pid;
    int pipe;
} LpChild;

/** Starts a process in which @work fills @size bytes of @out from @data.
 * Error: LP_SIMULATION_ERROR_RUN. */
gboolean lp_child_start(LpChild *self, void (*work)(const void *data, void *out), const void *data,
                        gsize size, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Waits for it. @io_peak_rss_bytes: what it took is added. Error: LP_SIMULATION_ERROR_RUN. */
gboolean lp_child_finish(LpChild *self, void *out, gsize size, guint64 *io_peak_rss_bytes,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
