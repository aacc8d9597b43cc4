/* SPDX-License-Identifier: Apache-2.0 */
/* What a report of contention is made of. */
#pragma once

#include "report/report_data.h"
#include "sim/run/attribution.h"

G_BEGIN_DECLS

/** The jobs once more, with something changed. */
typedef struct {
    char *name;      /* owned: what was changed */
    double units;    /**< by how much: doublings of a number, 1 of anything else */
    double *times_s; /* owned: an iteration, by job; NULL where it does not fit */
    char *misfit;    /* owned: why not; or NULL */
} LpVariantRow;

/** What such a report is made of. */
typedef struct {
    const LpScenarioSetup *scenario_setup; /* borrowed */
    const LpMachine *machine;              /* borrowed */
    const LpAttributions *attributions;    /* borrowed */
    gboolean is_scenario;   /**< jobs are listed, rather than one workload's results */
    const GArray *what_ifs; /* borrowed: LpVariantRow; or NULL */
    const GArray *runs;     /* borrowed: LpVariantRow, of other seeds each; or NULL */
    const GArray *band;     /* borrowed: LpVariantRow, of other ways to simulate; or NULL */
    gboolean whole_plan;    /**< text shows all attributes, not only those that were given */
    gboolean has_cost;
    LpCost cost;
} LpContentionReport;

G_END_DECLS
