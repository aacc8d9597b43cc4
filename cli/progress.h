/* SPDX-License-Identifier: Apache-2.0 */
/* How far a command has come, on a terminal only: a bar, what is done, and when the rest will be.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The progress of a command. */
typedef struct {
    const char *unit;  /* borrowed: "runs" */
    double started_s;  /* on lp_wall_clock_s() */
    double told_s;     /* when the line was last written */
    guint64 n_told;    /* what it said was done */
    guint64 per_mille; /* likewise */
    double expected_s; /* that all of it takes, from started_s on; 0: nothing is known */
    guint length;      /* of the line, characters; 0: there is none */
    gboolean is_shown; /* standard error is a terminal, or lp_progress_send_to() was called */
} LpProgress;

/** Has all progress written to @socket from now on, in place of standard error: lines of JSON,
 * {"progress": 0.25}. For a program that reads them (cli/cmd_serve.c). */
void lp_progress_send_to(int socket);

/** Begins now. @unit: what is counted, in the plural. */
LpProgress lp_progress_start(const char *unit);

/** Says that @n_done of @n_all are done, and how long the rest will take if it goes on like this;
 * wipes the line when all are. May be called as often as anything happens: it writes seldom. What
 * is done goes back: something new has begun. */
void lp_progress_show(LpProgress *self, guint64 n_done, guint64 n_all);
/** lp_progress_show() as pools, runs and rows call it. @data: an LpProgress. */
void lp_progress_tell(guint64 n_done, guint64 n_all, void *data);
/** Says at once how long @n_all will take if that is long: @processor_s where forecasts are made
 * for (sim/run/forecast.h). @data: an LpProgress. */
void lp_progress_expect(double processor_s, guint64 n_all, void *data);

G_END_DECLS
