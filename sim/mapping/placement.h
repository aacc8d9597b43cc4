/* SPDX-License-Identifier: Apache-2.0 */
/* Where ranks stand: which accelerator each rank is. */
#pragma once

#include "platforms/machine/machine.h"
#include "workloads/description/workload.h"

G_BEGIN_DECLS

/** Made once for a job, and handed down. */
typedef struct {
    guint64 n_ranks;
    guint32 *accelerators; /* owned: by rank; NULL: packed, rank r on accelerator r */
} LpPlacement;

/** As @workload says. "packed": rank r on accelerator r. "scattered": ranks in turn over the
 * domains. Else a file: one accelerator a line, in the order of the ranks; empty lines and what
 * follows a "#" do not count. @machine must hold all ranks (lp_setup_new()).
 * Errors: LP_INPUT_ERROR_VALUE: "placement: got, wanted", "FILE:LINE: got, wanted".
 * Returns: (transfer full); NULL on errors only. */
LpPlacement *lp_placement_new(const LpWorkload *workload, const LpMachine *machine,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Rank r on accelerator r. Returns: (transfer full). */
LpPlacement *lp_placement_new_packed(guint64 n_ranks);
/** Rank r on @accelerators[r] (transfer full). Returns: (transfer full). */
LpPlacement *lp_placement_new_given(guint64 n_ranks, guint32 *accelerators);
/** Returns: (transfer full). */
LpPlacement *lp_placement_dup(const LpPlacement *self);
void lp_placement_free(LpPlacement *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpPlacement, lp_placement_free)

/** The accelerator that @rank stands on. */
guint64 lp_placement_accelerator(const LpPlacement *self, guint64 rank);

G_END_DECLS
