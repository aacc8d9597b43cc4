/* SPDX-License-Identifier: Apache-2.0 */
/* Small workloads: GPT-3 with a test's own settings. */
#pragma once

#include "workloads/description/workload.h"

G_BEGIN_DECLS

/** A plan without software defaults and costs of a library: what a test sets is all there is. */
#define LP_MINIMAL_SETTINGS "framework=none library=single-ring "

/** Loads the shipped gpt3-175b with LP_MINIMAL_SETTINGS and @settings, which beat them, as words of
 * --set between single spaces, and asserts that there is no error. Returns: (transfer full), NULL
 * after a failure. */
LpWorkload *lp_small_workload_load(const char *settings);

G_END_DECLS
