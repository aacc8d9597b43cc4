/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs and background traffic of a run, in which equal parts are to be found. */
#pragma once

#include "sim/analysis/contention.h"
#include "sim/analysis/isolated_time.h"
#include "sim/quotient/quotient_view.h"

G_BEGIN_DECLS

/** A job of the run. */
typedef struct {
    const LpCommunicationMap *map; /* borrowed */
    const LpContention
        *contention;        /* borrowed: communicators that it says have their links to
                               themselves take their isolated time; its slices play no part */
    LpIsolatedCache *cache; /* borrowed */
    guint32 program; /**< jobs of one number have the same stages, which do the same, and begin at
                        the same time */
    guint isolated; /**< classes of its traffic, as bits of LpTraffic, that take their isolated time
                       and are on no link */
    const guint32 *speeds; /* borrowed, by rank: those of one number compute as fast at all times;
                              or NULL: all are of number 0 */
} LpQuotientJob;

/** A way that messages take which are no job's. */
typedef struct {
    guint32 sender; /**< among all of the run's, from 0 */
    guint32 turn;   /**< messages of one sender and turn go this way */
    LpRoute route;
} LpBackgroundFlow;

/** A run. */
typedef struct {
    const LpQuotientJob *jobs; /* borrowed: on one network */
    guint32 n_jobs;
    LpFidelity fidelity;
    LpQuotientView view;
    const guint32 *changes; /* borrowed, by link: those of one number change their bandwidth at the
                               same times to the same share of it, 0: never; or NULL: none does.
                               None exceeds what it has at first */
    const guint32 *senders; /* borrowed, by sender: those of one number send alike, turn by turn */
    guint32 n_senders;
    const LpBackgroundFlow *background; /* borrowed */
    guint32 n_background;
    guint32
        n_rounds; /**< links tell flows apart by so many rounds of refinement only, and flows of
                     a class are as slow as the slowest of them; 0: to the end, which is exact */
    const guint32 *assumed; /* borrowed, by flow: links tell none apart, but those of one number
                               are assumed to be held back alike, as far as the rest of the run
                               lets them; the run has to check it (sim/actors/equivalence_check.h).
                               Of a view that is apart, with contention everywhere. Or NULL: nothing
                               is assumed */
    const struct LpQuotient *same; /* borrowed: of the same single job and fidelity, whose flows are
                               not listed again; or NULL */
} LpQuotientInput;

G_END_DECLS
