/* SPDX-License-Identifier: Apache-2.0 */
/* How the flows of a communicator or of a channel are sent: who shares links among them, who
 * watches over them, and where they are written down. */
#pragma once

#include "sim/actors/actor_watch.h"
#include "sim/actors/flow_engine.h"
#include "sim/actors/flow_log.h"

G_BEGIN_DECLS

typedef struct {
    LpFlowEngine *sharing; /* borrowed; NULL: the engine shares links */
    LpWatch *watch;        /* borrowed; NULL: no link ever dies */
    LpFlowLog *log;        /* borrowed, or NULL */
    double log_weight;     /**< replicas that what is logged stands for */
    guint32 job;
    LpTraffic traffic;
    const void *owner; /**< flows of one owner are one collective's: only compared */
} LpFlowSender;

/** @bytes over @route as a flow of @self. */
LpFlow lp_flow_sender_flow(const LpFlowSender *self, const LpRoute *route, guint64 bytes);
/** Sends @bytes from rank @from to rank @to over @route, waits until they have arrived, and logs
 * them. Actors only. */
void lp_flow_sender_send(const LpFlowSender *self, const LpRoute *route, guint64 bytes,
                         guint64 from, guint64 to);
/** Whether flows can be sent that no actor waits for (lp_flow_engine_launch()). */
gboolean lp_flow_sender_launches(const LpFlowSender *self);
/** Logs that @bytes have flowed over @route. */
void lp_flow_sender_log(const LpFlowSender *self, const LpRoute *route, guint64 bytes,
                        double start_s, double end_s);
/** Sleeps until @until_s, which is one more of @io_n_activities (or NULL) of the engine; nothing
 * where it has passed. Actors only. */
void lp_flow_sender_sleep(const LpFlowSender *self, double until_s, guint64 *io_n_activities);

G_END_DECLS
