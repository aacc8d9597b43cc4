/* SPDX-License-Identifier: Apache-2.0 */
/* What a workload is: a Transformer, the plan to train it, and where it came from. */
#pragma once

#include "model/plan.h"

G_BEGIN_DECLS

/** Bits for all attributes of a workload. */
#define LP_WORKLOAD_SAID_WORDS 2

/** A workload: a model, the plan to train it, and where its ranks stand. */
typedef struct {
    char *path; /* owned: the file, as messages name it */
    char *name; /* owned: the workload's own name */
    LpTransformer transformer;
    LpPlan plan;
    char *placement; /* owned: "packed", "scattered", or the path of a file
                        (sim/mapping/placement.h) */
    /** A bit for each attribute that the file or a setting gave; the others have defaults. */
    guint64 said[LP_WORKLOAD_SAID_WORDS];
} LpWorkload;

G_END_DECLS
