/* SPDX-License-Identifier: Apache-2.0 */
/* All-to-alls among actors: along the rails, or pair by pair. */
#pragma once

#include "sim/actors/communicator_state.h"

G_BEGIN_DECLS

/** Member @index takes part in @op, an all-to-all; all have come. @clock: as
 * lp_communicator_runtime_run(). Actors only. */
void lp_communicator_run_all_to_all(LpCommunicatorRuntime *self, guint64 index, const LpOp *op,
                                    LpClock *clock);
/** Member @index sends its part of an all-to-all that goes by pairs (lp_pair_flows_are_all()), and
 * waits for nobody. Actors only. */
void lp_communicator_run_pairs(LpCommunicatorRuntime *self, guint64 index, const LpOp *op);
/** What stays in domains goes on beside what leaves them, from @from_s on, for as long as its ports
 * need: waits for it. Actors only. */
void lp_communicator_wait_for_ports(LpCommunicatorRuntime *self, double from_s);

G_END_DECLS
