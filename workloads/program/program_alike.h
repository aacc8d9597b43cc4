/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two programs are the same in all that a run sees. */
#pragma once

#include "workloads/program/program.h"

G_BEGIN_DECLS

/** Whether ranks do the same in both, with the same partners: equal operations, segments, steps,
 * communicators and ways to feed devices, and no uneven loads of experts; neither is given. Runs of
 * both on one machine, by one library and placement, then end at the same instant. */
gboolean lp_program_is_alike(const LpProgram *self, const LpProgram *other);

G_END_DECLS
