/* SPDX-License-Identifier: Apache-2.0 */
/* How much background traffic there will be, counted from its ways before it is sent. */
#pragma once

#include "sim/actors/background_ways.h"

G_BEGIN_DECLS

typedef struct {
    double n_messages;    /**< that start */
    double n_under_way;   /**< at once, on the average */
    double n_ways;        /**< that they take */
    guint32 n_overloaded; /**< links that are sent more than they carry */
} LpBackgroundLoad;

/** Of messages on @ways until @end_s. Where each waits for the one before they are as many as if
 * nothing else were on their ways. More are under way where their rates add up to more than a link
 * has, or jobs' flows are there too: the former is counted, the latter is not. */
LpBackgroundLoad lp_background_load_find(const LpBackgroundWays *ways,
                                         const LpScenarioTraffic *specification,
                                         const LpNetwork *network, double end_s);

G_END_DECLS
