/* SPDX-License-Identifier: Apache-2.0 */
/* What runs will cost, before any of them begins: how much they make the engine do, and how long
 * that takes. */
#pragma once

#include "sim/actors/actor_background.h"
#include "sim/quotient/quotient_size.h"
#include "sim/run/run_size.h"

G_BEGIN_DECLS

/** A run, of one job or of several beside each other. */
typedef struct {
    const char *name; /* static: "simulated", "uncontended" ... */
    guint32 job;      /**< of a scenario: its index; G_MAXUINT32: all, or the only one */
    LpRunSize size;
    double processor_s; /**< lp_run_size_processor_s() */
} LpForecastRun;

/** What a command would run. */
typedef struct LpForecast {
    GArray *runs;             /* owned LpForecastRun */
    LpQuotientSize quotient;  /**< of the first of them; zero where it does not go by classes */
    LpBackgroundLoad traffic; /**< of all background traffic beside the first of these runs */
    double traffic_lasts_s;   /**< for as long as that is expected to last */
    double otherwise_s; /**< processor time of that run if what it assumes of its classes turns out
                           not to hold; 0: it assumes nothing */
    gboolean is_unlike; /**< it does not (lp_assumed_check_steps()) */
} LpForecast;

LpForecast lp_forecast(void);
void lp_forecast_clear(LpForecast *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LpForecast, lp_forecast_clear)

/** Adds the run of @jobs beside each other. @name: static. */
void lp_forecast_add(LpForecast *self, const char *name, guint32 job, const LpRunJob *jobs,
                     guint n_jobs);
/** Adds @backgrounds (LpBackground), beside the run that was added first. */
void lp_forecast_add_traffic(LpForecast *self, const GPtrArray *backgrounds);
/** Processor time that their messages take. */
double lp_forecast_traffic_s(const LpForecast *self);
/** Of all runs together, and of traffic. Where what the first of them assumes does not hold, half
 * of the most: some runs more are tried, and it may come to the run otherwise. */
double lp_forecast_processor_s(const LpForecast *self);
/** Of all, and of the first run otherwise. */
double lp_forecast_most_s(const LpForecast *self);
/** Memory that their processes need beyond that of the one that prepares them. */
guint64 lp_forecast_bytes(const LpForecast *self);

/** Processor seconds of a run of @size on the machine that docs/architecture.md measures on, on
 * which `lightpath bench ring-1024-bare` takes LP_FORECAST_RING_S. */
double lp_run_size_processor_s(const LpRunSize *size);
/** What that takes there. */
#define LP_FORECAST_RING_S 8.6

G_END_DECLS
