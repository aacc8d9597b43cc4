/* SPDX-License-Identifier: Apache-2.0 */
/* The content of a report on one simulated or estimated iteration. */
#pragma once

#include "model/closed_form/amped.h"
#include "model/memory/memory_fit.h"
#include "report/distribution.h"
#include "report/figures.h"
#include "sim/run/scenario_simulation.h"
#include "validation/crosscheck/crosscheck.h"

G_BEGIN_DECLS

/** The cost of a run on the machine that it ran on. */
typedef struct {
    double wall_s;
    guint64 peak_rss_bytes;
} LpCost;

/** The content of a report: what lp_report_init() computes, and what the caller adds. */
typedef struct {
    const LpWorkload *workload;     /* borrowed */
    const LpMachine *machine;       /* borrowed */
    const LpPlacement *placement;   /* borrowed */
    LpLibrary *library;             /**< owned; NULL: there is none, or its name is wrong */
    const LpSimulation *simulation; /* borrowed; NULL for an estimate */
    LpFidelity fidelity;
    gboolean collapse;
    gboolean whole_plan;    /**< text shows all attributes, not only those that were given */
    gboolean lists_kernels; /**< of an estimate */
    LpTerms closed_form, amped;
    LpDifference difference;
    gboolean is_job;     /**< of a scenario: what follows is there, and is not in difference */
    double stragglers_s; /**< what slow ranks cost without contention; a part of the difference */
    double others_s;     /**< iteration time beside the others less that alone */
    double faults_s;     /**< alone less that of one iteration without slow ranks and failures */
    GPtrArray *warnings; /* owned: text */
    LpDistribution distribution; /**< over seeds */
    gboolean has_cost;
    LpCost cost;
} LpReport;

G_END_DECLS
