/* SPDX-License-Identifier: Apache-2.0 */
/* A census of a program's communication: what each parallelism asks for, how often, and of how many
 * bytes. It needs no machine and no engine. */
#pragma once

#include "workloads/program/program.h"

G_BEGIN_DECLS

/** Calls of one size. */
typedef struct {
    guint64 bytes; /**< as LpOp.bytes, or of a message */
    guint64 n_calls;
} LpCensusSize;

/** Calls of one operation for one purpose, on a rank of the stage that asks for most bytes of it.
 */
typedef struct {
    LpTraffic traffic;
    LpGroup group; /**< LP_N_GROUPS: messages between stages */
    LpCollective collective;
    guint32 n_members;      /**< of each communicator; 2 for messages */
    guint32 stage;          /**< of those that ask for equally much, the first */
    guint64 n_calls;        /**< of a rank there; of messages, those that it sends */
    guint64 buffer_bytes;   /**< of these calls, summed: what the caller sees */
    double sent_bytes;      /**< what the rank sends in them */
    guint64 all_sent_bytes; /**< what all ranks send, of all stages */
    GArray *sizes;          /* owned: LpCensusSize, the smallest first */
} LpCensusRow;

/** The communication of one iteration. */
typedef struct {
    GArray *rows;    /* owned: LpCensusRow, by traffic, group and operation */
    guint64 *n_runs; /* owned: how often a rank of its stage runs it, by segment */
} LpCollectiveCensus;

/** Tallies @program. Expert loads shift bytes between members and change no sum: rows have those of
 * even loads. Returns: (transfer full). */
LpCollectiveCensus *lp_collective_census_new(const LpProgram *program);
void lp_collective_census_free(LpCollectiveCensus *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpCollectiveCensus, lp_collective_census_free)

/** The row at @index of LpCollectiveCensus.rows. Borrowed. */
const LpCensusRow *lp_collective_census_row(const LpCollectiveCensus *self, guint index);
/** Whether @op is one of the calls of @row, on whichever stage. */
gboolean lp_collective_census_row_has(const LpCensusRow *row, const LpOp *op);

G_END_DECLS
