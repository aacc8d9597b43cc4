/* SPDX-License-Identifier: Apache-2.0 */
/* A line on standard error that is written over and over. */
#include "cli/progress.h"

#include "base/units.h"
#include "cli/options.h"

#include <stdio.h>
#include <unistd.h>

/* Wipes the line, as every terminal understands. */
#define WIPE "\r\033[K"

LpProgress
lp_progress_start(const char *unit)
{
    return (LpProgress){unit, lp_wall_clock_s(), isatty(STDERR_FILENO) != 0};
}

void
lp_progress_show(const LpProgress *self, guint n_done, guint n_all)
{
    if (!self->is_shown)
        return;
    if (n_done >= n_all) {
        fputs(WIPE, stderr);
        return;
    }
    fprintf(stderr, WIPE "%u of %u %s", n_done, n_all, self->unit);
    if (n_done == 0)
        return;
    double left_s = (lp_wall_clock_s() - self->started_s) / n_done * (n_all - n_done);
    if (left_s >= 60.0)
        fprintf(stderr, ", about %.0f min left", left_s / 60.0);
    else
        fprintf(stderr, ", about %.0f s left", left_s);
}
