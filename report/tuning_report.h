/* SPDX-License-Identifier: Apache-2.0 */
/* The output of "lightpath tune communication". */
#pragma once

#include "base/json.h"
#include "search/tuning_runs.h"

G_BEGIN_DECLS

/** A tuning that has been measured, and what came of it. */
typedef struct {
    const LpTuning *tuning;     /* borrowed */
    const LpWorkload *workload; /* borrowed; NULL: a grid */
    const GArray *runs;         /* borrowed: LpTuningRun; NULL: a grid */
    const char *library;        /* borrowed: as plans take what was chosen; NULL: nothing can */
} LpTuningReport;

/** Returns: (transfer full). */
json_t *lp_tuning_report_json(const LpTuningReport *self);
char *lp_tuning_report_text(const LpTuningReport *self);

G_END_DECLS
