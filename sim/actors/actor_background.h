/* SPDX-License-Identifier: Apache-2.0 */
/* Background traffic in a run: actors that send messages nobody of a job waits for. */
#pragma once

#include "sim/actors/actor_watch.h"
#include "sim/actors/background_load.h"
#include "sim/actors/background_result.h"
#include "sim/actors/flow_engine.h"
#include "sim/actors/flow_log.h"
#include "sim/quotient/quotient.h"
#include "workloads/description/scenario.h"

G_BEGIN_DECLS

/** Messages of a generator that may be under way at once, whatever the number of its senders: what
 * a network cannot carry piles up without end. */
#define LP_BACKGROUND_FLIGHTS_MAX 32768

typedef struct LpBackground LpBackground;

/** @specification: borrowed, as is @network; both must outlive it. Error: LP_INPUT_ERROR_VALUE:
 * accelerators that the machine does not have, or that its ports do not join.
 * Returns: (transfer full). */
LpBackground *lp_background_new(const LpScenarioTraffic *specification, const LpNetwork *network,
                                guint32 index, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_background_free(LpBackground *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpBackground, lp_background_free)

/** How many messages may be under way at once: some for each sender, at most
 * LP_BACKGROUND_FLIGHTS_MAX. */
guint64 lp_background_flights_max(guint64 n_senders);
/** How much it sends until @end_s. */
LpBackgroundLoad lp_background_load(const LpBackground *self, double end_s);
/** Marks the links that its messages may cross in @io_links, by link. */
void lp_background_mark(const LpBackground *self, gboolean *io_links);
/** Adds its senders to @senders (guint32: those of one number of @kinds send alike) and their ways
 * to @flows (LpBackgroundFlow): for the quotient that the next run goes by, whose it must be the
 * whole input of. Returns: FALSE: they are too many. */
gboolean lp_background_add_classes(LpBackground *self, LpNumbering *kinds, GArray *senders,
                                   GArray *flows) G_GNUC_WARN_UNUSED_RESULT;

/** What it runs in; everything is borrowed. */
typedef struct {
    LpWatch *watch;
    LpFlowEngine *sharing;      /**< NULL: the engine shares links among its messages and others */
    LpFlowLog *log;             /**< or NULL */
    const LpQuotient *quotient; /**< one sender of each class sends; NULL: all do */
} LpBackgroundRun;

/** Starts its actors, which end with the run. */
void lp_background_start(LpBackground *self, const LpBackgroundRun *run);
LpBackgroundResult lp_background_result(const LpBackground *self);

G_END_DECLS
