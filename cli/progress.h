/* SPDX-License-Identifier: Apache-2.0 */
/* How far a command has come, on a terminal only. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The progress of a command. */
typedef struct {
    const char *unit;  /* borrowed: "runs" */
    double started_s;  /* on lp_wall_clock_s() */
    gboolean is_shown; /* standard error is a terminal */
} LpProgress;

/** Begins now. @unit: what is counted, in the plural. */
LpProgress lp_progress_start(const char *unit);

/** Says that @n_done of @n_all are done, and how long the rest will take if it goes on like this;
 * wipes the line when all are. */
void lp_progress_show(const LpProgress *self, guint n_done, guint n_all);

G_END_DECLS
