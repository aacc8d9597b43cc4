/* SPDX-License-Identifier: Apache-2.0 */
/* What a search makes least. */
#pragma once

#include "sim/analysis/summary.h"

#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** What can be made least. */
typedef enum {
    LP_OBJECTIVE_TIME,   /**< of an iteration, s */
    LP_OBJECTIVE_COST,   /**< price of the machine x time of an iteration, USD s */
    LP_OBJECTIVE_ENERGY, /**< of an iteration's communication, J */
    LP_OBJECTIVE_MEMORY, /**< of an accelerator of the fullest stage, bytes */
    LP_N_OBJECTIVES
} LpObjective;

/** "time", "cost", "energy" and "memory", NULL-ended. */
extern const char *const lp_objective_names[LP_N_OBJECTIVES + 1];

/** How plans are measured. */
typedef struct {
    LpObjective objective;
    const double *price_usd; /**< borrowed: by machine of the space; 0: not known */
    /** Energy of an iteration of @time_s with @traffic on links, J. */
    double (*energy_j)(const LpMachine *machine, const LpLinkTraffic *traffic, double time_s);
} LpSearchMeasure;

/** All that a plan is compared by. */
typedef struct {
    double of[LP_N_OBJECTIVES];
    double price_usd;
    guint64 n_accelerators;
} LpSearchFigures;

/** Figures of a plan that takes @time_s and @memory_bytes on @machine, the space's machine number
 * @index. Without @traffic (NULL) they are what a plan takes at least: its communication is free.
 */
LpSearchFigures lp_search_figures(const LpSearchMeasure *self, const LpMachine *machine,
                                  guint index, double time_s, double memory_bytes,
                                  const LpLinkTraffic *traffic);
/** Whether @a takes no more of anything than @b: of time, memory, accelerators, price and, if it is
 * the objective, energy. */
gboolean lp_search_is_as_good(const LpSearchMeasure *self, const LpSearchFigures *a,
                              const LpSearchFigures *b);
/** Below 0 where @a is better than @b by the objective or, where that is equal, by time; above 0
 * where it is worse. */
int lp_search_compare(const LpSearchMeasure *self, const LpSearchFigures *a,
                      const LpSearchFigures *b);

G_END_DECLS
