/* SPDX-License-Identifier: Apache-2.0 */
/* Which circuits stand on which lanes, and what makes room for others. Who may use them when is
 * circuit_state.h's. */
#pragma once

#include "sim/circuits/circuit_plan.h"

G_BEGIN_DECLS

/** A circuit's life, for timelines. */
typedef struct {
    guint32 circuit;
    guint32 lane[2]; /**< the first lane at each end */
    double asked_s;  /**< when it was asked for; negative: before the job */
    double up_s;     /**< since when it carries bytes */
    double down_s;   /**< when its lanes were given away; INFINITY: never */
} LpCircuitLife;

/** The state of a circuit. */
typedef struct {
    gboolean stands; /**< or is being set up */
    double up_s;     /**< since when it carries bytes */
    double last_use_s;
    guint64 lanes[2]; /**< of each end, as bits */
    guint life;       /**< in lives */
} LpCircuitStanding;

/** The state of a pattern. */
typedef struct {
    guint32 n_missing; /**< circuits that do not stand */
    guint32 n_users;
    guint32 n_come; /**< ranks whose next phase is of it */
    double asked_s; /**< when the last of its circuits was asked for */
    double ready_s; /**< when it carries bytes */
    double used_from_s;
    guint32 n_lanes; /**< of both ends of all its circuits */
} LpPatternUse;

/** A lane that a trial takes. */
typedef struct {
    guint32 attachment, lane;
} LpLaneClaim;

/** The lanes that may be taken for a pattern. */
typedef enum {
    LP_CIRCUIT_TAKE_NONE,  /**< free lanes */
    LP_CIRCUIT_TAKE_IDLE,  /**< and those of circuits that no phase in sight wants */
    LP_CIRCUIT_TAKE_UNUSED /**< and those of circuits that nobody uses */
} LpCircuitTake;

/** Questions of the lanes to their owner about a circuit. */
typedef struct {
    const void *data;
    double (*keep)(const void *data, guint32 circuit);        /**< the least gives way */
    gboolean (*is_wanted)(const void *data, guint32 circuit); /**< by a phase in sight */
} LpCircuitJudge;

/** All lanes of a machine. */
typedef struct {
    const LpCircuitPlan *plan;       /* borrowed */
    const LpCircuitSwitch *settings; /* borrowed */
    LpCircuitJudge judge;
    double dead_s;
    guint64 all_lanes;           /**< of an attachment, as bits */
    LpCircuitStanding *circuits; /* owned */
    LpPatternUse *patterns;      /* owned */
    guint32 *first_of;           /* owned: where a circuit's patterns begin in of_circuit */
    guint32 *of_circuit;         /* owned: patterns by circuit */
    guint64 *dead;               /* owned: lanes that have stopped, by attachment, as bits */
    guint64 *claimed;            /* owned: lanes that a trial takes, by attachment, as bits */
    guint32 *occupant;           /* owned: circuits by attachment and lane */
    GArray *claims;              /* owned: LpLaneClaim, of a trial */
    guint64 n_set_up;            /**< circuits, without those of lp_circuit_lanes_begin() */
    GArray *lives;               /* owned: LpCircuitLife */
    gboolean keeps_lives;
} LpCircuitLanes;

/** No circuit stands. Everything is borrowed. */
void lp_circuit_lanes_init(LpCircuitLanes *self, const LpCircuitPlan *plan,
                           const LpCircuitSwitch *settings, gboolean keeps_lives,
                           LpCircuitJudge judge);
void lp_circuit_lanes_clear(LpCircuitLanes *self);

/** @failure has happened: circuits on its lanes are taken down, and none will stand there. */
void lp_circuit_lanes_kill(LpCircuitLanes *self, LpLaneFailure failure, double now_s);
/** Whether a pattern that @circuit belongs to is in use. */
gboolean lp_circuit_lanes_is_in_use(const LpCircuitLanes *self, guint32 circuit);
/** Finds lanes for all of @pattern's circuits that do not stand. Returns: whether there are. */
gboolean lp_circuit_lanes_find(LpCircuitLanes *self, guint32 pattern, LpCircuitTake take);
/** Sets the circuits of @pattern up on the lanes that were found, which others lose. */
void lp_circuit_lanes_set_up(LpCircuitLanes *self, guint32 pattern, double now_s);
/** Has the circuits of @pattern stand since before the job, if lanes are free. */
void lp_circuit_lanes_begin(LpCircuitLanes *self, guint32 pattern);

G_END_DECLS
