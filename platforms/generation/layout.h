/* SPDX-License-Identifier: Apache-2.0 */
/* Plans the scale-out cluster of a generated machine: which switches for so many cards. */
#pragma once

#include "platforms/generation/specification.h"

G_BEGIN_DECLS

/** The request for a fabric. Counts are at least 1 unless 0 is said to mean something. */
typedef struct {
    LpTopology topology;
    LpPortOrder port_order;
    gboolean rails_relay;            /**< rails never meet */
    guint32 n_domains, n_cards;      /**< n_cards: ports a domain */
    guint32 leaf_ports;              /**< ports below a leaf, */
    gboolean leaf_ports_are_given;   /**< by the caller; else at most so many */
    guint32 switch_ports;            /**< of any switch; 0: as many as a leaf has, up and down */
    gboolean switch_ports_are_given; /**< by the caller: no switch may have more */
    guint32 n_levels;                /**< of a fat tree, 2 or 3; 0: by lp_layout_plan()'s rule */
    LpOversubscription oversubscription;       /**< of leaves */
    LpOversubscription spine_oversubscription; /**< of the switches above, of three levels */
    LpTorus torus;         /**< sizes, or only the number of dimensions, sizes 0 */
    guint32 block_size;    /**< of a torus of blocks: ports along each side of one; else 0 */
    LpDragonfly dragonfly; /**< n_groups is found */
} LpLayoutRequest;

/** The fabric found. */
typedef struct {
    LpTopology topology;
    guint64 n_hosts;
    guint32 unit_domains; /**< in rail order */
    guint32 n_levels;     /**< of a fat tree */
    guint32 down[LP_FAT_TREE_LEVELS_MAX], up[LP_FAT_TREE_LEVELS_MAX];
    LpTorus torus;
    LpDragonfly dragonfly;
} LpLayout;

/**
 * Finds the smallest fabric with a port for every card; ports to spare stay unused. A leaf whose
 * ports are not given leaves as many unused as whole domains and the oversubscription ask for.
 *
 * Fat tree: one leaf is a crossbar. In node order a leaf holds whole domains; in rail order a unit
 * of the domains below a leaf has a leaf for each rail. Of no given levels it has three where two
 * would need more ports than switches of switch_ports have: above switch_ports^2 / 2 ports, or
 * switch_ports leaves (Al-Fares et al., SIGCOMM 2008: k-port switches, k^2 / 2 hosts in two levels,
 * k^3 / 4 in three). Of three levels in rail order the switches above the leaves join the leaves of
 * one rail, and the top joins rails. Rails that never meet: a crossbar where a switch holds a rail,
 * else a tree each. Torus: as few spare ports as possible with no dimension over twice another,
 * then the smallest sum. Dragonfly: full groups; one group or as many as needed.
 *
 * Errors: LP_MACHINE_ERROR, "--option: got, wanted".
 */
gboolean lp_layout_plan(const LpLayoutRequest *request, LpLayout *layout,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Sets LP_MACHINE_ERROR @code with the message that @format gives, "--option: got, wanted".
 * Returns: FALSE. */
gboolean lp_layout_fail(GError **error, LpMachineError code, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

G_END_DECLS
