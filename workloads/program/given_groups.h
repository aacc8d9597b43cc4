/* SPDX-License-Identifier: Apache-2.0 */
/* The communicators of a program that is given: those groups of ranks that no rank is in twice
 * share a kind (LpGroup). */
#pragma once

#include "workloads/given/given_program.h"
#include "workloads/program/program.h"

G_BEGIN_DECLS

/** Which kind each use of groups has. */
typedef struct LpGivenKinds LpGivenKinds;

/** Makes the communicators of @program. Error: LP_INPUT_ERROR, "FILE:LINE: ...": a rank is in more
 * groups of one class than there are kinds. Returns: (transfer full) the kinds, and in
 * @out_communicators (transfer full) the communicators. */
LpGivenKinds *lp_given_kinds_new(const LpGivenProgram *program, LpCommunicators **out_communicators,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_given_kinds_free(LpGivenKinds *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpGivenKinds, lp_given_kinds_free)

/** The kind that @op, a collective, runs on. */
LpGroup lp_given_kinds_of(const LpGivenKinds *self, const LpGivenOp *op);

G_END_DECLS
