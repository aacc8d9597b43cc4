/* SPDX-License-Identifier: Apache-2.0 */
/* The step that the source of a workload's plan measured. */
#pragma once

#include "workloads/description/workload.h"

G_BEGIN_DECLS

/** What a file's <measured> says; texts are owned, NULL where it says none. */
typedef struct {
    double
        step_s; /**< an iteration, from whatever quantity the source gives; 0: nothing measured */
    char *quantity;  /**< that quantity, as the file has it: "137 TFLOP/s (hardware)" */
    char *source;    /**< where it stands, and how it was run */
    char **settings; /**< "name=value", NULL-ended: where the measured run was another plan than the
                          file's own */
    char *apart;     /**< why the simulation is more than 10 % from it */
} LpMeasured;

/** Frees what @self owns. */
void lp_measured_clear(LpMeasured *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LpMeasured, lp_measured_clear)

/** Reads what the file of @path says was measured into @out_measured, empty if it says nothing. A
 * rate is turned into an iteration of the file's plan with the settings of the measured run.
 * Errors: as lp_workload_load(). */
gboolean lp_measured_load(const char *path, LpMeasured *out_measured,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
