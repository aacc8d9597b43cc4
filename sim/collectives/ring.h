/* SPDX-License-Identifier: Apache-2.0 */
/* The ring algorithm as arithmetic: who sends how many bytes to its neighbour at which step.
 *
 * Member i of n sends to member (i + 1) mod n. The buffer is n blocks, the first (bytes mod n) of
 * which are a byte longer. (Patarasuk and Yuan, J. Parallel Distrib. Comput. 69, 2009.) */
#pragma once

#include "workloads/program/program.h"

G_BEGIN_DECLS

/** Steps of @collective over @n members: 2(n-1) for all-reduce, n-1 for each half; 0 for n = 1. */
guint64 lp_ring_n_steps(LpCollective collective, guint64 n);
/** The block that @member sends at @step. It receives the block that its predecessor sends. */
guint64 lp_ring_block(LpCollective collective, guint64 n, guint64 member, guint64 step);
/** Bytes of @block of a buffer of @bytes. */
guint64 lp_ring_block_bytes(guint64 bytes, guint64 n, guint64 block);
/** Bytes that @member sends at @step. */
guint64 lp_ring_step_bytes(LpCollective collective, guint64 n, guint64 bytes, guint64 member,
                           guint64 step);
/** Bytes that @member sends in all steps. Over all members: 2(n-1) bytes, or (n-1) a half. */
guint64 lp_ring_member_bytes(LpCollective collective, guint64 n, guint64 bytes, guint64 member);
/** Bytes that all members send: lp_ring_n_steps() times @bytes. */
guint64 lp_ring_total_bytes(LpCollective collective, guint64 n, guint64 bytes);

G_END_DECLS
