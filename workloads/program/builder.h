/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a program's operations, one segment after the other. What operations are for, and when
 * they are due, is for its callers to know. */
#pragma once

#include "workloads/program/program.h"

G_BEGIN_DECLS

/** The segment at hand is the program's last. */
typedef struct {
    LpProgram *program;             /* borrowed; has its communicators and expert loads already */
    guint n_launched[LP_N_STREAMS]; /**< collectives, in the segment at hand */
    guint32 draw; /**< of the experts' loads, that the experts' operations to be added meet */
} LpBuilder;

/** Begins a segment of @stage that passes through @chunk; the one before must have ended.
 * Returns: its index in LpProgram.segments. */
guint32 lp_builder_begin_segment(LpBuilder *self, LpRole role, guint32 stage, guint32 chunk);
/** Ends the segment at hand. */
void lp_builder_end_segment(LpBuilder *self);

/** Kernels whose time counts as @term, s. None if they take the device no time; one operation with
 * kernels just before them that count alike. */
void lp_builder_add_compute(LpBuilder *self, LpTerm term, LpWork work);
/** Kernels of experts: on each rank @work, s, times the load of its experts. */
void lp_builder_add_loaded(LpBuilder *self, LpWork work);

/** A collective of @bytes (LpOp) that the compute stream waits for. None where @group has one
 * member only or @bytes is 0; so with all collectives below. */
void lp_builder_add_collective(LpBuilder *self, LpCollective collective, LpGroup group,
                               guint64 bytes);
/** The sum over the tensor-parallel group of gradients of what each of its ranks holds whole, which
 * counts as one of gradients. Waited for. */
void lp_builder_add_whole_gradients(LpBuilder *self, guint64 bytes);
/** One for the vocabulary: of the tensor-parallel group, but counted as embedding traffic. Waited
 * for. */
void lp_builder_add_vocabulary(LpBuilder *self, LpCollective collective, guint64 bytes);
/** The same, launched behind what follows: what lp_builder_add_join() waits for. */
guint lp_builder_launch_vocabulary(LpBuilder *self, LpCollective collective, guint64 bytes);
/** An all-to-all of @group, each rank with @bytes, of which a pair of members exchanges as much as
 * @weight says, where the experts' loads differ. Waited for. */
void lp_builder_add_exchange(LpBuilder *self, LpGroup group, LpWeight weight, guint64 bytes);
/** Adds a collective that runs on the stream of @group while the following operations go on; it is
 * waited for at once if that is the compute stream itself. Returns: its number among those that the
 * segment at hand launched on its stream, for lp_builder_add_join(); G_MAXUINT: there is nothing to
 * wait for. */
guint lp_builder_add_launch(LpBuilder *self, LpCollective collective, LpGroup group, guint64 bytes);

/** Waits until launch @number (of lp_builder_add_launch(), G_MAXUINT: none) has ended on @stream.
 * The time counts as @term; so below. */
void lp_builder_add_join(LpBuilder *self, LpStream stream, guint number, LpTerm term);
/** Waits until at most @n_pending launches are left on @stream. */
void lp_builder_add_join_pending(LpBuilder *self, LpStream stream, guint n_pending, LpTerm term);
/** Waits until all launches on @stream have ended, if the program has any so far. */
void lp_builder_add_join_all(LpBuilder *self, LpStream stream, LpTerm term);

/** Takes the operations of the segment at hand out of it. Returns: (transfer full) array of LpOp.
 */
GArray *lp_builder_take(LpBuilder *self);
/** An operation as it stands, from lp_builder_take(). */
void lp_builder_add(LpBuilder *self, const LpOp *op);

G_END_DECLS
