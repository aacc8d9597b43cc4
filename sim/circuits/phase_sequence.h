/* SPDX-License-Identifier: Apache-2.0 */
/* The patterns over which a rank sends, in the order of its program. A row of uses of one pattern
 * is a phase. */
#pragma once

#include "sim/circuits/circuit_plan.h"

G_BEGIN_DECLS

/** Uses of one pattern in a row that are still to come. */
typedef struct {
    guint32 pattern;
    guint32 n_left;
} LpPhase;

/** The phases of one rank; it begins anew with each iteration. */
typedef struct {
    GArray *phases;  /* owned: LpPhase */
    GArray *initial; /* owned: what phases is at the beginning of an iteration */
    guint first;     /**< the first with uses left */
} LpPhaseSequence;

/** The phases of @rank, of an iteration of @plan's program. */
void lp_phase_sequence_init(LpPhaseSequence *self, const LpCircuitPlan *plan, guint64 rank);
void lp_phase_sequence_clear(LpPhaseSequence *self);

/** The pattern of the phase that the rank is in or comes to next; LP_CIRCUIT_NONE at the end. */
guint32 lp_phase_sequence_next(const LpPhaseSequence *self);
/** The pattern of the phase @ahead of that one; LP_CIRCUIT_NONE behind the last. */
guint32 lp_phase_sequence_ahead(const LpPhaseSequence *self, guint ahead);
/** One use of @pattern has ended: the first that is left. After the last of all a new iteration
 * begins. */
void lp_phase_sequence_use(LpPhaseSequence *self, guint32 pattern);
/** The number of phases before the next one of @pattern; G_MAXUINT: none follows. */
guint lp_phase_sequence_distance(const LpPhaseSequence *self, guint32 pattern);

G_END_DECLS
