/* SPDX-License-Identifier: Apache-2.0 */
/* The names of axes and of traffic. Names of a plan's choices are made of
 * workloads/description/attributes.xml. */
#include "model/plan/plan_choices.h"

const char *const lp_axis_names[] = {"tp", "cp", "ep", "dp", "pp", NULL};
const char *const lp_traffic_names[] = {"tp", "pp", "dp", "ep", "cp", "embedding", NULL};

G_STATIC_ASSERT(G_N_ELEMENTS(lp_axis_names) == LP_N_AXES + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(lp_traffic_names) == LP_N_TRAFFIC + 1);
