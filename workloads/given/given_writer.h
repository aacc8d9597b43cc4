/* SPDX-License-Identifier: Apache-2.0 */
/* Writes programs as docs/program-format.md has them. */
#pragma once

#include "workloads/given/given_program.h"

G_BEGIN_DECLS

/** @self as a file. @name: of the job; @source: where its numbers come from; @settings: other
 * attributes of its root, "library=nccl precision=bf16", or NULL. Returns: (transfer full). */
char *lp_given_program_to_xml(const LpGivenProgram *self, const char *name, const char *source,
                              const char *settings);

G_END_DECLS
