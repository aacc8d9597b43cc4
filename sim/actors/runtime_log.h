/* SPDX-License-Identifier: Apache-2.0 */
/* What a communicator writes to the log of a run's flows. */
#pragma once

#include "sim/actors/flow_log.h"
#include "sim/mapping/communication_map.h"

G_BEGIN_DECLS

/** Where and how a communicator's flows are written down. */
typedef struct {
    LpFlowLog *log;                     /* borrowed, or NULL: nothing is written */
    const LpCommunicationMap *map;      /* borrowed */
    const LpCommunicator *communicator; /* borrowed */
    double weight;                      /**< replicas that it stands for */
    LpConnection *next;                 /* owned: by member, filled as they are needed; or NULL */
} LpRuntimeLog;

/** Frees what @self owns. */
void lp_runtime_log_clear(LpRuntimeLog *self);
/** A delay from @start_s to @end_s stood for @bytes of @traffic that @member sent, or for all one
 * did: they go to the next member, as in a ring. */
void lp_runtime_log_delay(LpRuntimeLog *self, guint64 member, LpTraffic traffic, double bytes,
                          double start_s, double end_s);

G_END_DECLS
