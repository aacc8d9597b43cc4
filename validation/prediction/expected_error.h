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
    /** Median and p90 of steps when they were first run, before anybody had looked at them: those
     * of the kind, else of the software on the accelerator, of the software, on the accelerator, of
     * all.
     */
    guint n_blind;
    double blind_median, blind_p90;
    const char *blind_software, *blind_accelerator; /**< static, "": any */
    double band; /**< the bound of nine in ten errors of steps that nobody has measured yet
                      (validation/expected-bands.csv) */
} LpExpectedError;

/** The expected error of @workload's software on @machine's accelerator. */
LpExpectedError lp_expected_error_find(const LpWorkload *workload, const LpMachine *machine);
G_END_DECLS
