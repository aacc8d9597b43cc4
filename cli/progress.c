/* SPDX-License-Identifier: Apache-2.0 */
/* A line on standard error that is written over and over. It holds no control sequences, which some
 * terminals do not know and some users do not want: what is left of the last one is blanked. */
#include "cli/progress.h"

#include "base/child_process.h"
#include "base/units.h"
#include "cli/machine_speed.h"
#include "cli/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAR 24
/* Between two lines, s: often enough for people. */
#define PAUSE_S 0.1

/* The socket to which progress is reported to a program; negative: people read it. */
static int program_socket = -1;

void
lp_progress_send_to(int socket)
{
    program_socket = socket;
}

/* The board of this process, if it runs a whole command for another process; else NULL. */
static LpChildBoard *parent_board = NULL;

void
lp_progress_send_to_parent(void)
{
    parent_board = lp_child_process_board();
}

static gboolean
is_sent(void)
{
    return program_socket >= 0 || parent_board != NULL;
}

/* @share: of the command's work. */
static void
send(double share)
{
    if (parent_board != NULL)
        lp_child_board_write(parent_board, share, 1);
    else
        (void)dprintf(program_socket, "{\"progress\": %.3f}\n", share);
}

LpProgress
lp_progress_start(const char *unit)
{
    return (LpProgress){.unit = unit,
                        .to = 1.0,
                        .started_s = lp_wall_clock_s(),
                        .per_mille = G_MAXUINT64,
                        .is_shown = is_sent() || isatty(STDERR_FILENO) != 0};
}

void
lp_progress_phase(LpProgress *self, const char *unit, double to)
{
    self->unit = unit;
    self->from = self->to < 1.0 ? self->to : 0.0;
    self->to = to;
    self->started_s = lp_wall_clock_s();
    self->expected_s = self->n_shown = 0.0;
    self->per_mille = G_MAXUINT64;
}

static void
wipe(LpProgress *self)
{
    if (self->length > 0)
        fprintf(stderr, "\r%*s\r", (int)self->length, "");
    self->length = 0;
}

void
lp_progress_clear(LpProgress *self)
{
    wipe(self);
}

/* What is expected to take longer is said at once, s. */
#define LONG_S 3.0

/* How long it will take, and until when if that is long. */
static void
append_rest(GString *line, double left_s)
{
    if (left_s < 60.0) {
        g_string_append_printf(line, ", about %.0f s left", left_s);
        return;
    }
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autoptr(GDateTime) end = now == NULL ? NULL : g_date_time_add_seconds(now, left_s);
    g_autofree char *until = end == NULL ? NULL : g_date_time_format(end, "%H:%M");
    g_string_append_printf(line, ", about %.0f min left", left_s / 60.0);
    if (until != NULL)
        g_string_append_printf(line, ", until %s", until);
}

/* The remaining seconds: estimated from the forecast at first, and more and more from what has been
 * done. */
static double
left_s(const LpProgress *self, double n_done, guint64 n_all)
{
    double done = n_done / (double)n_all, taken_s = self->told_s - self->started_s;
    double measured_s = n_done <= 0.0 ? 0.0 : taken_s / done * (1.0 - done);
    if (self->expected_s <= 0.0)
        return measured_s;
    double trust = n_done <= 0.0 ? 0.0 : MIN(10.0 * done, 1.0);
    return trust * measured_s + (1.0 - trust) * MAX(self->expected_s - taken_s, 0.0);
}

static void
write_line(LpProgress *self, double n_done, guint64 n_all)
{
    g_autoptr(GString) line = g_string_new("[");
    guint full = (guint)(self->per_mille * BAR / 1000);
    for (guint i = 0; i < BAR; i++)
        g_string_append_c(line, i < full ? '#' : '.');
    g_string_append_printf(line, "] %3" G_GUINT64_FORMAT " %%  %.0f of %" G_GUINT64_FORMAT " %s",
                           self->per_mille / 10, floor(n_done), n_all, self->unit);
    if (n_done > 0.0 || self->expected_s > 0.0)
        append_rest(line, left_s(self, n_done, n_all));
    int blanks = self->length > line->len ? (int)(self->length - line->len) : 0;
    fprintf(stderr, "\r%s%*s", line->str, blanks, "");
    self->length = (guint)line->len + (guint)blanks;
}

void
lp_progress_show(LpProgress *self, double n_done, guint64 n_all)
{
    if (!self->is_shown)
        return;
    if (n_done >= (double)n_all) {
        wipe(self);
        return;
    }
    gboolean is_new = n_done < self->n_shown;
    double share = n_done / (double)n_all;
    guint64 per_mille = (guint64)(share * 1000.0);
    if (per_mille == self->per_mille && !is_new)
        return;
    double now_s = lp_wall_clock_s();
    if (is_new)
        self->started_s = now_s;
    else if ((self->length > 0 || is_sent()) && now_s < self->told_s + PAUSE_S && n_all > BAR)
        return;
    self->told_s = now_s;
    self->n_shown = n_done;
    self->per_mille = per_mille;
    if (is_sent())
        send(self->from + share * (self->to - self->from));
    else
        write_line(self, n_done, n_all);
}

void
lp_progress_expect(double processor_s, guint64 n_all, void *data)
{
    LpProgress *self = data;
    if (!self->is_shown)
        return;
    /* What came before says nothing of how fast steps are. */
    gboolean is_long = processor_s >= LONG_S;
    self->expected_s = is_long ? processor_s * lp_machine_slowness() : processor_s;
    self->started_s = lp_wall_clock_s();
    if (is_long)
        lp_progress_show(self, 0, n_all);
}

void
lp_progress_callback(double n_done, guint64 n_all, void *data)
{
    lp_progress_show(data, n_done, n_all);
}

void
lp_progress_watch(LpProgress *self, LpRunOptions *run)
{
    run->progress = self->is_shown ? lp_progress_callback : NULL;
    run->expect = self->is_shown ? lp_progress_expect : NULL;
    run->progress_data = self;
}
