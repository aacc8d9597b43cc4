/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of PyTorch (Kineto) as traces. */
#pragma once

#include "workloads/traces/kineto_profile.h"
#include "workloads/traces/trace.h"

G_BEGIN_DECLS

/** Reads a file a rank, as lp_chakra_read() does; or that of one rank of a job whose groups all
 * hold all ranks, which then do the same. Kernels take @scale times as long; NULL: as they did.
 * Errors: LP_INPUT_ERROR, "FILE: got, wanted" or "FILE:N: got, wanted" of event N. Returns:
 * (transfer full). */
LpTrace *lp_kineto_read(const char *const *paths, guint n_paths, const char *groups,
                        const LpKinetoScale *scale, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
