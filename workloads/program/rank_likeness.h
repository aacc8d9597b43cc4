/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that stand alike in a program: they run the same, with ranks that stand alike in turn. */
#pragma once

#include "workloads/program/program.h"

G_BEGIN_DECLS

/** Classes of ranks and of communicators. */
typedef struct {
    guint32 n_classes;
    guint32 *of_rank;               /* owned, by rank */
    guint32 *first;                 /* owned, by class: its lowest rank */
    guint32 *of_group[LP_N_GROUPS]; /* owned, by communicator: its class; NULL: there are none */
    guint32 n_of_group[LP_N_GROUPS];
} LpRankLikeness;

/** The likeness of @program's ranks. Ranks are told apart by hashes of 64 bits of what they see;
 * collisions are ignored. Returns: (transfer full). */
LpRankLikeness *lp_rank_likeness_new(const LpProgram *program);
void lp_rank_likeness_free(LpRankLikeness *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpRankLikeness, lp_rank_likeness_free)

G_END_DECLS
