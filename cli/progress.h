/* SPDX-License-Identifier: Apache-2.0 */
/* How far a command has come, on a terminal only: a bar, what is done, and when the rest will be.
 */
#pragma once

#include "sim/run/result.h"

G_BEGIN_DECLS

/** The progress of a command. */
typedef struct {
    const char *unit;  /* borrowed: "runs" */
    double from, to;   /* what is counted is this part of the command's work, of 1 */
    double started_s;  /* on lp_wall_clock_s() */
    double told_s;     /* when the line was last written */
    double n_shown;    /* what it said was done */
    guint64 per_mille; /* likewise */
    double expected_s; /* that all of it takes, from started_s on; 0: nothing is known */
    guint length;      /* of the line, characters; 0: there is none */
    gboolean is_shown; /* standard error is a terminal, or a program is told */
} LpProgress;

/** Has all progress written to @socket from now on, in place of standard error: lines of JSON,
 * {"progress": 0.25}. For a program that reads them (cli/cmd_serve.c). */
void lp_progress_send_to(int socket);
/** Has all progress of this process and of its children told to the parent of this one
 * (lp_child_process_report()), in place of standard error. For a child that runs a whole command.
 */
void lp_progress_send_to_parent(void);

/** Begins now. @unit: what is counted, in the plural. */
LpProgress lp_progress_start(const char *unit);
/** Wipes the line where it still stands, so that what comes next has one of its own. */
void lp_progress_clear(LpProgress *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LpProgress, lp_progress_clear)
/** Goes on with something else that is counted in @unit, until @to of the command's work, of 1, is
 * done. */
void lp_progress_phase(LpProgress *self, const char *unit, double to);

/** Says that @n_done of @n_all are done, and how long the rest will take if it goes on like this;
 * wipes the line when all are. May be called as often as anything happens: it writes seldom. What
 * is done goes back: something new has begun. */
void lp_progress_show(LpProgress *self, double n_done, guint64 n_all);
/** lp_progress_show() as pools, runs and rows call it. @data: an LpProgress. */
void lp_progress_callback(double n_done, guint64 n_all, void *data);
/** Says at once how long @n_all will take if that is long: @processor_s where forecasts are made
 * for (sim/run/forecast.h). @data: an LpProgress. */
void lp_progress_expect(double processor_s, guint64 n_all, void *data);
/** Has @run, which @self outlives, tell it how far it has come and how long it will take, where
 * that is shown. */
void lp_progress_watch(LpProgress *self, LpRunOptions *run);

G_END_DECLS
