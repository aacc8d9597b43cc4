/* SPDX-License-Identifier: Apache-2.0 */
/* The all-to-all as arithmetic: how many bytes each member has for each other.
 *
 * Every member's buffer is n blocks, one for each member, its own among them. With even weights
 * they are alike but for a byte; else a block is as large as the load of the experts that it goes
 * to, or comes from. All messages of an exchange are under way at once. */
#pragma once

#include "sim/collectives/algorithm.h"
#include "workloads/program/program.h"

G_BEGIN_DECLS

/** Bytes of the block that belongs to member @index: that goes to it, or, of what comes back, that
 * comes from it. @loads: by member, over the mean; NULL for even ones. Over all members: op.bytes.
 */
guint64 lp_exchange_block_bytes(const LpOp *op, const double *loads, guint64 n, guint64 index);
/** The blocks of all @n members at once, in time linear in @n: @out_bytes has room for @n. */
void lp_exchange_blocks(const LpOp *op, const double *loads, guint64 n, guint64 *out_bytes);
/** Bytes from member @from to member @to. */
guint64 lp_exchange_pair_bytes(const LpOp *op, const double *loads, guint64 n, guint64 from,
                               guint64 to);
/** Bytes that all members send: (n - 1) op.bytes. */
guint64 lp_exchange_total_bytes(const LpOp *op, guint64 n);

/** An all-to-all as rows of messages: a member sends to the other groups of @n_intra members, the
 * next one first, and in each to every member in turn, from that of its own place on. How many
 * messages are in a row, and who receives number @place of that of @from. @n_pod: members of a pod,
 * which come first (@n_intra 1); 0: there are no pods. */
guint64 lp_exchange_row_length(guint64 n, guint64 n_intra);
guint64 lp_exchange_row_receiver(guint64 n, guint64 n_intra, guint64 n_pod, guint64 from,
                                 guint64 place);

/** Adds to @sink, as sent to group member @to, what group member @from has for group member @place:
 * a block, or, where the group is one of a stage of a hierarchical all-to-all, all blocks on that
 * way. */
void lp_exchange_visit_pair(const LpStepSchedule *self, guint64 from, guint64 place, guint64 to,
                            LpSink *sink);

G_END_DECLS
