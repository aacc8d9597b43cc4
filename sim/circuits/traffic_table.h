/* SPDX-License-Identifier: Apache-2.0 */
/* How much and how often the ranks of each stage send in an iteration, by group and by direction of
 * messages. */
#pragma once

#include "workloads/program/program.h"

G_BEGIN_DECLS

/** The traffic of one communicator, or of the messages that one rank sends in a direction. */
typedef struct {
    double bytes; /**< of the buffers of collectives, an all-reduce counted twice; of messages */
    double n_uses;
} LpTrafficCount;

/** The traffic of the ranks of one stage, which is the same for all of them. */
typedef struct {
    LpTrafficCount group[LP_N_GROUPS];
    LpTrafficCount direction[LP_N_PIPELINE_DIRECTIONS];
} LpStageTraffic;

/** Counts for each stage of @program. Returns: (transfer full), n_stages of them. */
LpStageTraffic *lp_traffic_table_new(const LpProgram *program);

G_END_DECLS
