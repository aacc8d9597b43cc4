/* SPDX-License-Identifier: Apache-2.0 */
/* What a characterisation is made of. */
#pragma once

#include "report/report_data.h"
#include "sim/actors/call_times.h"
#include "workloads/program/collective_census.h"

G_BEGIN_DECLS

/** A workload with one of its attributes changed. Plain data: it travels between processes. */
typedef struct {
    char value[32];                 /**< of the attribute */
    char reason[384];               /**< why nothing else is known; empty: all is */
    double parameters;              /**< of the model */
    double n_tokens;                /**< of an iteration */
    double all_bytes[LP_N_TRAFFIC]; /**< that all ranks send in an iteration */
    double largest_bytes;           /**< the largest buffer of a call */
    LpFigures figures;              /**< 0 without a machine */
    LpTerms terms;                  /**< likewise */
} LpSweepPoint;

/** What a characterisation is made of. */
typedef struct {
    const LpWorkload *workload;       /* borrowed */
    const LpProgram *program;         /* borrowed */
    const LpCollectiveCensus *census; /* borrowed: of that */
    const LpMachine *machine;         /* borrowed; NULL: counts only */
    const LpSimulation *simulation;   /* borrowed: on the machine, or NULL */
    const LpCallTimes *times;         /* borrowed: of the simulation, or NULL */
    LpFidelity fidelity;
    gboolean collapse;
    gboolean whole_plan;   /**< text shows all attributes, not only those that were given */
    const char *parameter; /* borrowed: the attribute that is swept, or NULL */
    const GArray *points;  /* borrowed: LpSweepPoint, or NULL */
} LpCharacterization;

G_END_DECLS
