/* SPDX-License-Identifier: Apache-2.0 */
/* What a rank's streams really do in one run: operations of the program, in a row made one task
 * where nothing else waits for what happens between them. */
#pragma once

#include "sim/analysis/contention.h"
#include "sim/analysis/idle_steps.h"
#include "sim/analysis/library_changes.h"
#include "sim/analysis/segment_times.h"

G_BEGIN_DECLS

/** How much of the machine a run leaves out. Each level leaves out what those before it do, too. */
typedef enum {
    LP_RUN_AS_IS,
    LP_RUN_UNCONTENDED,  /**< every communication takes its isolated time */
    LP_RUN_BALANCED,     /**< every stage, group and message takes the mean stage's time, counted in
                              the slowest group */
    LP_RUN_FREE_MESSAGES /**< messages between stages take no time */
} LpRunLevel;

/** How one run of a program differs from another. */
typedef struct {
    LpFidelity fidelity;
    LpRunLevel level;
    gboolean merge; /**< operations in a row that nothing else waits for are one task */
    guint isolated; /**< classes of traffic, as bits of LpTraffic, that take their isolated
                       time and are on no link */
    guint alike;    /**< groups, as bits of LpGroup, whose members do the same at the same instants,
                       as those of one class of ranks do */
    gboolean has_stragglers; /**< ranks of one stage compute at different speeds: nothing is merged
                                 that they would start together */
} LpRunMode;

/** Whether communication of @traffic takes its isolated time in such a run. */
static inline gboolean
lp_run_mode_isolates(LpRunMode self, LpTraffic traffic)
{
    return self.level >= LP_RUN_UNCONTENDED || (self.isolated & (1u << traffic)) != 0;
}

typedef enum {
    LP_TASK_DELAY,      /**< takes a known time */
    LP_TASK_COLLECTIVE, /**< runs on the group's channels, or takes the group's isolated time */
    LP_TASK_LAUNCH, /**< hands a collective, kernels, or waiting for another stream to a stream */
    LP_TASK_JOIN,
} LpTaskKind;

/** A delay that hides merged collectives is a row of pieces, since what they hide depends on when
 * the host is ready. */
typedef enum {
    LP_PIECE_WORK,
    LP_PIECE_LAUNCH, /**< a collective begins, after those before it */
    LP_PIECE_JOIN    /**< all but the last n_pending have ended */
} LpPieceKind;

typedef struct {
    LpPieceKind kind;
    LpTerm term;     /**< join */
    LpWork work;     /**< work; what launching costs */
    LpTerms terms;   /**< of work; they sum to work.device_s */
    double time_s;   /**< launch: of the collective */
    LpStream stream; /**< launch and join: that it would run in */
    guint n_pending; /**< join */
} LpPiece;

typedef struct {
    LpTaskKind kind;
    guint gathers;   /**< a delay that holds collectives: groups that start it together, as bits */
    gboolean loaded; /**< a delay that takes the rank's expert load times as long, */
    guint32 draw;    /**< that of this draw (LpOp.draw) */
    LpWork work;     /**< of a delay without pieces; of a collective and a launch only the host's */
    LpTerms terms;   /**< of that; they sum to work.device_s */
    guint first_piece, n_pieces;         /**< in LpTasks.pieces */
    guint64 traffic_bytes[LP_N_TRAFFIC]; /**< of a delay: of its merged collectives, by the whole
                                            tp group */
    const LpOp *op;                      /* borrowed from the iteration: collective, launch, join */
    double delay_s;  /**< of a collective whose group is a delay; negative: the group's own */
    guint32 library; /**< of a collective: lp_library_changes_number() */
} LpTask;

/** The tasks of a segment. */
typedef struct {
    guint first, n;
} LpTaskRange;

typedef struct {
    LpRunMode mode;
    GArray *tasks;       /* owned: LpTask */
    GArray *pieces;      /* owned: LpPiece */
    LpTaskRange *ranges; /* owned, by segment */
    LpTaskRange
        *idle_ranges;      /* owned, by segment: for steps at which @idle, where more is merged */
    gboolean *idle;        /* owned, by step: lp_idle_steps_find() */
    double message_host_s; /**< what a message between stages costs the host */
    LpLibraryChanges changes;
    LpIsolatedCommunication isolated;
} LpTasks;

/** The tasks of a run in @mode on @map, of which @contention may be relied on if that says to
 * merge. What is worked out is kept in @cache. Returns: (transfer full). */
LpTasks *lp_tasks_new(const LpCommunicationMap *map, const LpContention *contention,
                      LpIsolatedCache *cache, LpRunMode mode);
void lp_tasks_free(LpTasks *self);
/** What @step of @program, which runs a segment, does. */
LpTaskRange lp_tasks_of_step(const LpTasks *self, const LpProgram *program, const LpStep *step);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpTasks, lp_tasks_free)

G_END_DECLS
