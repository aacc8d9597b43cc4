/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a program that is given comes to its end, whatever the machine. */
#pragma once

#include "model/plan/plan_options.h"
#include "workloads/given/given_program.h"
#include "workloads/program/program.h"

G_BEGIN_DECLS

/** Runs @program, made of @given, without a machine and without time: whether all members of a
 * group do the same together, each message that is received is sent, with as many bytes, each that
 * is sent is received, and no ranks wait for each other for ever. Ranks that stand alike are run
 * once. @picks: which library runs what, for hosts that wait before a queue goes on with another
 * (LP_LIBRARY_SWITCH_HOST). Errors: LP_INPUT_ERROR, "FILE:LINE: ...". */
gboolean lp_program_check(const LpProgram *program, const LpGivenProgram *given,
                          const LpLibraryPicks *picks, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
