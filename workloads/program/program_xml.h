/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a program as one by hand (docs/program-format.md). */
#pragma once

#include "workloads/description/workload.h"
#include "workloads/program/program.h"

G_BEGIN_DECLS

/** @program, that of @workload on the accelerator called @accelerator, as a file that is read as
 * the same operations: they take the same times. Error: LP_PROGRAM_ERROR_FORM, "FILE: got, wanted":
 * loads of experts differ, which such a file does not say, or ranks of a stage send to places of
 * their own. Returns: (transfer full). */
char *lp_program_to_xml(const LpProgram *program, const LpWorkload *workload,
                        const char *accelerator, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The name of each kind of groups: "tp", no name of two words. Returns: (transfer full). */
char *lp_program_group_name(LpGroup group);

G_END_DECLS
