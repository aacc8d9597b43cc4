/* SPDX-License-Identifier: Apache-2.0 */
/* Which jobs of a run do the same, as far as their own programs go. */
#pragma once

#include "sim/quotient/numbering.h"
#include "sim/run/run.h"

G_BEGIN_DECLS

/** A number in @kinds: jobs of one number have the same stages, whose ranks do the same in the same
 * order and begin at the same time. */
guint32 lp_job_kind(LpNumbering *kinds, const LpRunJob *job);

G_END_DECLS
