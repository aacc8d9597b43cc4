/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and rates that JSON and tables of a characterisation share. */
#pragma once

#include "report/characterization_data.h"

G_BEGIN_DECLS

/** The time and the rates of the calls of a row; 0 without a simulation. */
typedef struct {
    double time_s, share;           /**< of the iteration */
    double algorithmic_bytes_per_s; /**< buffers over time */
    double bus_bytes_per_s;         /**< what the rank sends over time */
} LpRowRates;

/** All calls of a class of traffic, of the stage with most of each. */
typedef struct {
    guint64 n_calls, all_bytes;
    double sent_bytes, time_s;
} LpTrafficSum;

/** Calls whose size is at least from_bytes, a power of two, and below twice that. */
typedef struct {
    guint64 from_bytes, n_calls, bytes;
} LpSizeBin;

/** Seconds that the calls of @row take a rank of its stage, each from when its last member has come
 * to its end; 0 without a simulation. */
double lp_characterization_row_s(const LpCharacterization *self, const LpCensusRow *row);
/** Fills a point of a sweep from @census and, unless it is NULL, from @run on @machine. @workload:
 * of that point. */
void lp_sweep_point_fill(LpSweepPoint *self, const LpWorkload *workload,
                         const LpCollectiveCensus *census, const LpMachine *machine,
                         const LpRunResult *run);

/** Time and rates of @row. */
LpRowRates lp_characterization_rates(const LpCharacterization *self, const LpCensusRow *row);
/** The name of the group of @row's calls. Static. */
const char *lp_characterization_group(const LpCensusRow *row);
/** The term that the exposed time of @traffic counts as; LP_N_TERMS: several. */
LpTerm lp_characterization_term(LpTraffic traffic);
/** The sums over the rows of @traffic. */
LpTrafficSum lp_characterization_sum(const LpCharacterization *self, LpTraffic traffic);
/** The histogram of @row's sizes, without empty bins. Returns: (transfer full), of LpSizeBin. */
GArray *lp_characterization_bins(const LpCensusRow *row);

G_END_DECLS
