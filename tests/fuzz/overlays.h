/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that lie over a workload: the workload is read once, else it would take most of the time.
 */
#pragma once

#include "workloads/description/workload.h"

G_BEGIN_DECLS

/** The smallest shipped model with @setting or NULL. Borrowed: kept for the next call. */
const LpWorkloadDraft *lp_fuzz_draft(const char *setting);

/** Small lists of kernels that inputs may start from, as "base.xml" beside them. */
extern const char lp_fuzz_lists_base[];
/** Reads the lists of kernels in @path, and checks them with lp_fuzz_draft(@setting), as workloads
 * do, which keep those that they have read. Errors: LP_INPUT_ERROR and LP_MODEL_ERROR. */
gboolean lp_fuzz_lists_read(const char *path, const char *setting, GError **error);

G_END_DECLS
