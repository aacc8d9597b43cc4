/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints and restarts of "lightpath goodput" as options describe them. */
#pragma once

#include "report/goodput_data.h"

G_BEGIN_DECLS

/** Texts of the command line; NULL: not given. */
typedef struct {
    char *interval, *size, *time, *storage, *detection, *scheduling; /* owned */
} LpCheckpointOptions;

/** Frees what @self holds. */
void lp_checkpoint_options_clear(LpCheckpointOptions *self);

/** Fills checkpoints and restarts of @report, whose fleet is there. What @self does not say, the
 * profile does, or the model's memory. Errors: LP_INPUT_ERROR_USAGE. */
gboolean lp_checkpoint_options_fill(const LpCheckpointOptions *self, LpGoodputReport *report,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
