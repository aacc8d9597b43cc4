/* SPDX-License-Identifier: Apache-2.0 */
/* The machine of "lightpath goodput" as options describe it: blocks, slices, and what fails. */
#pragma once

#include "report/goodput_data.h"

G_BEGIN_DECLS

/** Texts of the command line; NULL: not given. */
typedef struct {
    char *reliability, *block, *host_size, *spares, *slices, *packing; /* owned */
    char *grid, *shape, *pod, *group, *hops, *regroup;                 /* owned */
    char **parts;                                                      /* owned */
} LpFleetOptions;

/** Frees what @self holds. */
void lp_fleet_options_clear(LpFleetOptions *self);

/** The profiles that @self names, changed by its parts. Errors: LP_INPUT_ERROR. Returns: (transfer
 * full). */
LpReliability *lp_fleet_options_reliability(const LpFleetOptions *self,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Fills the fleet of @report, whose workload, machine and reliability are set, and what it counts.
 * Errors: LP_INPUT_ERROR_USAGE, LP_INPUT_ERROR_VALUE. */
gboolean lp_fleet_options_fill(const LpFleetOptions *self, LpGoodputReport *report,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
