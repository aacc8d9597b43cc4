/* SPDX-License-Identifier: Apache-2.0 */
/* A communicator of a quotient: where all flows of a collective begin at once, one of each class;
 * where some wait for others, one member of each class of members. What has to be sent is not bound
 * to the ranks that have actors: there may be more classes of flows than of ranks, or fewer.
 * Delegates, which are actors of their own, send what the ranks' actors do not. */
#pragma once

#include "sim/actors/round_executor.h"
#include "sim/analysis/isolated_time.h"

G_BEGIN_DECLS

typedef struct LpFlowClassExecutor LpFlowClassExecutor;

/** For the communicators of @classes, which have flows, of @quotient: both borrowed. @n_actors: of
 * ranks that take part. Flows share links as @sharing says: borrowed. @watch: borrowed, or NULL;
 * which ranks wait for each other it is not told. Returns: (transfer full). */
LpFlowClassExecutor *lp_flow_class_executor_new(const LpQuotient *quotient,
                                                const LpCommunicatorClass *classes,
                                                guint64 n_actors, guint32 job,
                                                LpFlowEngine *sharing, LpWatch *watch);
/** What they send is written to @log: borrowed, or NULL. */
void lp_flow_class_executor_set_log(LpFlowClassExecutor *self, LpFlowLog *log);
void lp_flow_class_executor_free(LpFlowClassExecutor *self);

/** A collective of the communicator. Everything is borrowed. */
typedef struct {
    const LpOp *op;
    const LpIsolatedRing *ring;
    const LpProtocol *protocol;
    LpRoundPlan *round_plan; /**< NULL: it is not scheduled */
    /** What a member does in an all-to-all that goes by pairs: it stands for its class. NULL: it is
     * none
     */
    void (*run_member)(void *runtime, guint64 member, const LpOp *op);
    void *runtime;
} LpClassCollective;

/** Actor number @actor, from 0, takes part in @collective; returns when all of it has been sent.
 * Actors only, after all have come. */
void lp_flow_class_executor_run(LpFlowClassExecutor *self, guint64 actor,
                                LpClassCollective collective);

/** Bytes sent, and engine activities made so far. */
guint64 lp_flow_class_executor_sent_bytes(const LpFlowClassExecutor *self);
guint64 lp_flow_class_executor_n_activities(const LpFlowClassExecutor *self);

G_END_DECLS
