/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithm by which a group runs a collective: that of the plan, or else of the library's
 * table. */
#pragma once

#include "model/network/library.h"
#include "platforms/machine/machine.h"
#include "sim/collectives/step_schedule.h"
#include "sim/fidelity.h"
#include "workloads/program/program.h"

G_BEGIN_DECLS

/** The places of a group's members in domains. */
typedef struct {
    guint64 n_members;
    guint64 n_intra;       /**< members of each domain */
    guint64 n_leaf;        /**< members below each leaf, or in each pod, a multiple of n_near; 0 if
                              that differs */
    guint64 n_pod;         /**< members of each pod, in order, if an all-to-all goes over pods' own
                              network and the one between them; else 0 */
    gboolean is_regular;   /**< as many in each, in order: those of a domain follow each other */
    gboolean in_pair;      /**< the two that a bridge joins */
    gboolean on_torus;     /**< members of different domains meet in no switch */
    gboolean has_circuits; /**< between domains */
    gboolean few_circuits; /**< between domains are circuits, too few for anything but rings */
    guint32 n_dimensions;  /**< of a block of a torus that the members fill in order; else 0 */
    guint64 dimension[LP_TORUS_DIMENSIONS_MAX];
    double links[LP_TORUS_DIMENSIONS_MAX]; /**< that a member's rings of a dimension have, both ways
                                              together, beside those of groups in between */
    const LpTorusPaths
        *ways; /* borrowed: of a torus whose ports the members are, in order; or NULL */
} LpSites;

typedef struct {
    const LpProtocol *protocol; /* borrowed from the library */
    gboolean is_scheduled;      /**< steps between any members; else a ring of neighbours, or an
                                   all-to-all along the rails */
    LpCollectiveShape shape;    /**< of what is scheduled */
} LpAlgorithmSelection;

/** The algorithm by which @communicator, whose members stand as @sites say, runs @op: that which
 * the plan names, or else the library's. @library: borrowed by the result. */
LpAlgorithmSelection lp_algorithm_selection_of(const LpLibrary *library,
                                               const LpCommunicator *communicator, const LpOp *op,
                                               const LpSites *sites);

/** Whether what was selected can be run; the error names the attribute. Error: of
 * lp_step_schedule_supports().
 */
gboolean lp_algorithm_selection_check(const LpLibrary *library, const LpCommunicator *communicator,
                                      const LpOp *op, const LpSites *sites,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The level, from the inside out, whose groups hand data to a switch in the stage that holds round
 * number @round of the schedule (a step, or with fidelity flow a phase); -1: none. */
int lp_algorithm_selection_switch_level(const LpStepSchedule *schedule, guint64 round,
                                        LpFidelity fidelity);
/** The member @distance places on among those that meet @member at @level, around the end. */
guint64 lp_algorithm_selection_neighbour(const LpCollectiveShape *shape, guint64 member,
                                         guint32 level, int distance);
/** The switch of @member's group at @level, as a participant of the schedule. */
guint64 lp_algorithm_selection_switch(const LpCollectiveShape *shape, guint64 member,
                                      guint32 level);
/** Whether groups at @level hand data to switches. Levels of a flat algorithm: one. */
gboolean lp_algorithm_selection_has_switches(const LpCollectiveShape *shape, guint32 level);
guint32 lp_algorithm_selection_n_levels(const LpCollectiveShape *shape);
/** The member at whose port arrives what @member sends to participant @to: a switch has none, and
 * the next member's stands for it. */
guint64 lp_algorithm_selection_receiver(const LpCollectiveShape *shape, guint64 member, guint64 to);

/** The algorithm for people: "ring", "ring x 8", "tree x 8", "ring+tree". Returns: (transfer full).
 */
char *lp_algorithm_selection_describe(const LpAlgorithmSelection *self);

G_END_DECLS
