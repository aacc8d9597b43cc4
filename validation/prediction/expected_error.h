/* SPDX-License-Identifier: Apache-2.0 */
/* How far predictions of a kind were from measured steps (validation/expected-errors.csv). */
#pragma once

#include "platforms/machine/machine.h"
#include "workloads/description/workload.h"

G_BEGIN_DECLS

/** The error to expect of a prediction. */
typedef struct {
    const char *kind; /**< static: "experts", "sharded" (ZeRO 3 without experts), "dense", or ""
                           where too few of the kind were measured, and all kinds count */
    guint n_steps;    /**< measured steps that it is of; 0: none of that software and accelerator */
    guint n_sources;  /**< that published them */
    double median, p90; /**< of |predicted / measured - 1| */
} LpExpectedError;

/** Of @workload's software on @machine's accelerator. */
LpExpectedError lp_expected_error_find(const LpWorkload *workload, const LpMachine *machine);
G_END_DECLS
