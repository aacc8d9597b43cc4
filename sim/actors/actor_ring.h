/* SPDX-License-Identifier: Apache-2.0 */
/* Rings among actors: as one flow a connection, or step by step. */
#pragma once

#include "sim/actors/communicator_state.h"

G_BEGIN_DECLS

/** Member @index takes part in @op, a ring; all have come. One flow a connection carries all of the
 * collective's bytes, and the collective ends with the last flow, since every block goes all the
 * way round. Actors only. */
void lp_communicator_ring_flow(LpCommunicatorRuntime *self, guint64 index, const LpOp *op);
/** The same step by step. */
void lp_communicator_ring_messages(LpCommunicatorRuntime *self, guint64 index, const LpOp *op);

G_END_DECLS
