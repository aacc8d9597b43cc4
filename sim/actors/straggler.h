/* SPDX-License-Identifier: Apache-2.0 */
/* How fast an accelerator computes: slower than described by a factor, and by chance from kernel to
 * kernel. */
#pragma once

#include "model/times/kernel.h"
#include "sim/quotient/numbering.h"
#include "workloads/description/scenario.h"

G_BEGIN_DECLS

typedef struct LpStraggler LpStraggler;

/** How fast @rank is in the job called @job. What it draws follows from these and the straggler's
 * seed alone. Returns: (transfer full). */
LpStraggler *lp_straggler_new(const LpScenarioStraggler *straggler, const char *job, guint64 rank);
void lp_straggler_free(LpStraggler *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpStraggler, lp_straggler_free)

/** Adds what it does to @numbering: those of one number do the same to every rank. Returns: FALSE
 * where it draws, so that every rank has its own. */
gboolean lp_straggler_number(const LpStraggler *self, LpNumbering *numbering);
/** What the next run of kernels takes, over @device_s as described, if it begins at @now_s. At
 * least 0. */
double lp_straggler_draw(LpStraggler *self, double now_s, double device_s);
/** @work with kernels that take @factor times as long; the host is as fast as ever. @issue_s: what
 * the host takes for one kernel. Exact for kernels of equal length that the device waits for; the
 * last one's own slowness is left out where the device waits for the host. */
LpWork lp_straggler_slow(LpWork work, double factor, double issue_s);

G_END_DECLS
