/* SPDX-License-Identifier: Apache-2.0 */
/* What a report on goodput over days is made of. */
#pragma once

#include "model/reliability/goodput.h"
#include "platforms/catalogue/reliability.h"
#include "platforms/machine/machine.h"
#include "workloads/description/workload.h"

G_BEGIN_DECLS

/** What is known of the days. What is borrowed must outlive it. */
typedef struct {
    const LpWorkload *workload;       /* borrowed */
    const LpMachine *machine;         /* borrowed */
    const LpReliability *reliability; /* borrowed */
    LpGoodputInput input;
    guint64 n_accelerators;      /**< of the machine, spares included */
    guint64 block_accelerators;  /**< of a block */
    guint64 host_size;           /**< accelerators of a host */
    guint64 n_parts[LP_N_PARTS]; /**< of the whole machine, spares included; of a job */
    gboolean is_simulated;       /**< the iteration time is, or it was given */
    double iteration_time_s;
    const char *interval_rule; /* borrowed: "optimal", "given" ... */
    double checkpoint_bytes;
    double storage_bytes_per_s; /**< 0: not known, times were given */
    double detection_s, scheduling_s, loading_s;
    gboolean has_closed_form;
    LpGoodput closed_form;
    const LpGoodput *runs; /* borrowed: of the Monte Carlo method */
    guint n_runs;
    guint32 seed;
    gboolean whole_plan;
} LpGoodputReport;

G_END_DECLS
