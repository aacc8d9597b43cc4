/* SPDX-License-Identifier: Apache-2.0 */
/* One member's part of an all-to-all as messages from member to member. */
#pragma once

#include "sim/actors/flow_engine.h"
#include "sim/actors/actor_watch.h"
#include "sim/actors/runtime_log.h"
#include "sim/analysis/isolated_time.h"
#include "sim/quotient/quotient.h"

G_BEGIN_DECLS

/** An all-to-all under way. */
typedef struct {
    const LpIsolatedRing *ring;  /* borrowed */
    const LpOp *op;              /* borrowed */
    const LpProtocol *protocol;  /* borrowed */
    LpWatch *watch;              /* borrowed, or NULL */
    LpFlowEngine *sharing;       /* borrowed, or NULL */
    const LpRuntimeLog *log;     /* borrowed */
    LpFlow flow;                 /**< whose flows they are; their routes and bytes are set here */
    double forwarding;           /**< circuits that a byte takes */
    const LpQuotient *quotient;  /**< borrowed: whose routes they take; NULL: their own */
    guint64 sent_bytes, n_flows; /**< so far */
} LpExchangeRun;

/** Member @index sends to the domains at the distances from @first to before @end, one after the
 * other, and in each to every member in turn: at any time each port has one message in and one out.
 * Groups that stand in no order go by pairs altogether. Actors only. */
void lp_exchange_run_pairwise(LpExchangeRun *self, guint64 index, guint64 first, guint64 end);
/** Member @index sends all that leaves its domain at once, over circuits that turn, and waits until
 * it has arrived. What goes to another domain goes to the member of the same place there, where
 * groups stand in order; else pair by pair. Actors only. */
void lp_exchange_run_posted(LpExchangeRun *self, guint64 index);

G_END_DECLS
