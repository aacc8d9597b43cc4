/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts of a machine are out, and when they will be back: each fails and is repaired for
 * itself, after exponential times. */
#pragma once

#include "model/reliability/goodput.h"

G_BEGIN_DECLS

typedef struct LpOutages LpOutages;

/** A failure or a repair. */
typedef struct {
    double time_s;
    LpGoodputPart part;
    guint64 block; /**< of LP_EFFECT_BLOCK */
} LpOutage;

/** The machine at time 0, in the long run's state: each part is out with the probability of that.
 * @fleet, @generator: borrowed. Returns: (transfer full). */
LpOutages *lp_outages_new(const LpFleet *fleet, GRand *generator);
void lp_outages_free(LpOutages *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpOutages, lp_outages_free)

/** When, after @now_s, the next part fails while @n_jobs jobs have blocks; INFINITY: never. It is
 * drawn anew each time, which exponential times allow. */
double lp_outages_draw_failure_s(LpOutages *self, double now_s, guint64 n_jobs);
/** When the next part is back; INFINITY: none is out. */
double lp_outages_next_repair_s(const LpOutages *self);
/** A part fails at @now_s: which one is drawn. */
LpOutage lp_outages_fail(LpOutages *self, double now_s, guint64 n_jobs);
/** The part of lp_outages_next_repair_s() is back. */
void lp_outages_repair(LpOutages *self);

/** A place from 0 to @n - 1, each as likely as any other. @n: at least 1. */
guint64 lp_outages_draw_place(GRand *generator, guint64 n);

/** Whether all parts of @block are up. */
gboolean lp_outages_is_block_up(const LpOutages *self, guint64 block);
/** Whether no part that stops every job is out. */
gboolean lp_outages_is_machine_up(const LpOutages *self);
/** Work in a second of work, over that of a machine with all parts up. */
double lp_outages_speed(const LpOutages *self);

G_END_DECLS
