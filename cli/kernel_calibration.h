/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath calibrate --kernels: the user's measured kernels beside the model. */
#pragma once

#include "cli/options.h"

G_BEGIN_DECLS

/** What the command line says. */
typedef struct {
    const char *kernels, *accelerator, *output; /* borrowed; @output: NULL: none */
    gboolean is_alone;
    LpFormat format;
} LpKernelCalibration;

/** Reads the measured kernels, prints how the model does against them and what is used, and writes
 * their table. Errors: of the file, of the accelerator, of writing. */
gboolean lp_kernel_calibration_run(const LpKernelCalibration *self,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
