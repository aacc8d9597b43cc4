/* SPDX-License-Identifier: Apache-2.0 */
/* What holds a job back, as plain data. */
#pragma once

#include "sim/run/attribution_waits.h"
#include "platforms/machine/tier.h"

G_BEGIN_DECLS

/** Whose traffic contends: classes of the job, and what is not the job's. */
typedef enum {
    LP_CONTENDER_OTHERS = LP_N_TRAFFIC, /**< all other jobs; below stand classes as LpTraffic */
    LP_CONTENDER_BACKGROUND,
    LP_N_CONTENDERS
} LpContender;

/** "tp" "pp" "dp" "ep" "cp" "embedding" "other jobs" "background". */
extern const char *const lp_contender_names[];

/** What holds a job back. */
typedef struct {
    double iteration_time_s, uncontended_s;
    double total_s; /**< the difference */
    gboolean has_tier[LP_N_TIERS];
    double tier_s[LP_N_TIERS], interaction_s; /**< they sum to total_s */
    gboolean has_circuits;                    /**< some are switched while it runs */
    double circuits_s; /**< waiting for them; part of total_s as a tier, a pair and a class */
    gboolean contends[LP_N_CONTENDERS];
    double pair_s[LP_N_CONTENDERS][LP_N_CONTENDERS]; /**< by who is delayed and who delays; they sum
                                                        to total_s */
    double class_s[LP_N_CONTENDERS];                 /**< Shapley values; they sum to total_s */
    guint n_replicas; /**< of the simulated links and flows; 1: none is left out */
    LpAttributionWaits waits;
} LpAttribution;

G_END_DECLS
