/* SPDX-License-Identifier: Apache-2.0 */
/* Where ranks stand: which accelerator each rank is. */
#pragma once

#include "platforms/machine/machine.h"
#include "workloads/description/workload.h"

G_BEGIN_DECLS

/** "packed": rank r on accelerator r. "scattered": ranks in turn over the domains. Else a file: one
 * accelerator a line, in the order of the ranks; empty lines and what follows a "#" do not count.
 * The machine must hold all ranks (lp_simulation_check()).
 * Errors: LP_INPUT_ERROR_VALUE: "placement: got, wanted", "FILE:LINE: got, wanted".
 * Returns: (transfer full) an accelerator for each rank; NULL for packed ones if *@error is not
 * set. */
guint32 *lp_placement_new(const LpWorkload *workload, const LpMachine *machine, GError **error);

G_END_DECLS
