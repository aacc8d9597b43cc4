/* SPDX-License-Identifier: Apache-2.0 */
/* Rank equivalence: ranks that behave alike where nothing contends, so that one of each class is
 * enough.
 *
 * Without contention a rank's course follows from its program, its experts' load, the times of its
 * messages and collectives, and the courses of the ranks that it talks to. Ranks start as alike by
 * the first three; as long as two of a class talk to ranks of different classes, they are told
 * apart. What is left cannot differ at any instant: by induction over events, whatever happens to
 * one happens to all of its class at the same time. */
#pragma once

#include "sim/analysis/isolated_time.h"
#include "sim/analysis/contention.h"

G_BEGIN_DECLS

#define LP_RANK_CLASS_NONE G_MAXUINT32

typedef struct {
    guint32 n_classes;
    guint32 *of_rank; /* owned, by rank; LP_RANK_CLASS_NONE for replicas that the contention
                         analysis leaves out */
    guint64 *first;   /* owned, by class: its lowest rank, which stands for all */
    guint32 *of_group[LP_N_GROUPS]; /* owned, by communicator: its class */
} LpRankEquivalence;

/** For uncontended runs of @fidelity; what is worked out is kept in @cache. Returns: (transfer
 * full). */
LpRankEquivalence *lp_rank_equivalence_new(const LpCommunicationMap *map,
                                           const LpContention *contention, LpIsolatedCache *cache,
                                           LpFidelity fidelity);
void lp_rank_equivalence_free(LpRankEquivalence *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpRankEquivalence, lp_rank_equivalence_free)

G_END_DECLS
