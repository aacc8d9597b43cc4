/* SPDX-License-Identifier: Apache-2.0 */
/* What can be seen of a run on the machine: which links were how busy when, and who sent how much
 * to whom. */
#pragma once

#include "sim/actors/flow_log.h"
#include "sim/analysis/traffic_census.h"
#include "sim/circuits/circuit_map.h"

G_BEGIN_DECLS

/** Links that are told of each tier: the busiest. */
#define LP_OBSERVED_LINKS 12u

/** The links of a tier that the jobs use, taken together. Of its series the run says when; how many
 * bytes there are in all follows from the program, so that what was left out as a replica or a
 * delay is there. */
typedef struct {
    LpTier tier;
    guint64 n_links;
    double bytes_per_s;                /**< summed */
    double bytes[LP_N_FLOW_LOG_KINDS]; /**< of the whole run */
    double peak_bytes_per_s;           /**< in the busiest bin */
    gboolean has_excess;               /**< each flow was simulated by itself: */
    double excess_s; /**< the most by which one of its links would need longer for its bytes, at
                        full rate, than flows crossed it: above 0 it was asked to do more than it
                        can */
    LpFlowSeries *series; /* owned; NULL: the run saw none of them */
} LpObservedTier;

/** A link. */
typedef struct {
    char *name, *place; /* owned: the engine's, and where it lies */
    LpTier tier;
    guint32 block; /**< at its lower end: of LpTrafficCensus */
    double bytes_per_s;
    double bytes[LP_N_FLOW_LOG_KINDS]; /**< of the whole run */
    LpFlowSeries *series;              /* owned: of what the engine moved; NULL: replicas or delays
                                                  stand for it */
    double busy_s;                     /**< in which that crossed it; negative: not known */
} LpObservedLink;

/** The links of a tier at one block of accelerators. */
typedef struct {
    LpTier tier;
    guint32 block;
    guint64 n_links;
    double utilisation;       /**< of all of them */
    double worst_utilisation; /**< of the busiest */
} LpObservedBlock;

/** A run, seen from the machine. The log spreads the bytes of a flow evenly over its time; what is
 * more than links carry in a bin is moved to the nearest bins with room. */
typedef struct LpObservation LpObservation;
struct LpObservation {
    double end_s; /**< of the last job */
    double bin_s; /**< of all series; the last bin ends with the run */
    guint n_bins;
    GArray *tiers;           /* owned: LpObservedTier */
    GArray *links;           /* owned: LpObservedLink, tier by tier, the busiest first */
    GArray *blocks;          /* owned: LpObservedBlock, tier by tier */
    GArray *background;      /* owned: LpLoggedMessage */
    LpTrafficCensus *census; /* owned; its network is gone after the run */
};

/** Nothing yet. Returns: (transfer full). */
LpObservation *lp_observation_new(void);
void lp_observation_free(LpObservation *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpObservation, lp_observation_free)

/** Adds the traffic of a job that has run @n_iterations times over @circuits on @network. */
void lp_observation_add_job(LpObservation *self, const LpCircuitMap *circuits,
                            const LpNetwork *network, guint32 n_iterations);
/** Fills @self after the last job was added. @log: of the run, which ended at @end_s. */
void lp_observation_finish(LpObservation *self, LpFlowLog *log, const LpNetwork *network,
                           double end_s);

G_END_DECLS
