/* SPDX-License-Identifier: Apache-2.0 */
/* Writes lists of steps. */
#pragma once

#include "model/plan/step_list.h"

G_BEGIN_DECLS

/** @list as a file that lp_step_file_load() reads; @source: where it comes from. Returns: (transfer
 * full). */
char *lp_step_list_to_xml(const LpStepList *list, const char *source);

G_END_DECLS
