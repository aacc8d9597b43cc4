/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a machine that follow from its description: tiers, bisection, oversubscription. */
#pragma once

#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** Links of one kind: between hosts and leaves ("port"), leaves and spines ("leaf"), ... */
typedef struct {
    const char
        *name; /* borrowed: scale-up, bridge, root, pcie, port, leaf, spine, torus, local, global */
    guint64 n_links; /**< counted once for both directions, those that act as one as one */
    double link_bytes_per_s;
    double latency_s;
    LpTechnology technology;
    double
        oversubscription; /**< bandwidth below over bandwidth above this tier, >= 1 if narrower */
} LpTierFacts;

/** Facts of a whole machine. */
typedef struct {
    guint32 n_tiers;
    LpTierFacts tiers[5 + LP_FAT_TREE_LEVELS_MAX];
    guint64 n_domains;
    /** What the scale-out fabric carries from one half of the domains to the other, one way, all
     * planes together; what leaves the cards of a half if that is less.
     * Fat tree: the narrowest tier that the halves use. Rails that never meet: all rails, with
     * domains forwarding; without, nothing gets from rail to rail.
     * Torus: the links that a plane across one dimension cuts, twice where it wraps around, for the
     * dimension where they are fewest; of even dimensions if there is one, so that halves are
     * equal. Where it is twisted, what wraps around a short dimension crosses halves of long ones,
     * too. Dragonfly: the links from half of the groups to the other half; one group: from half of
     * its rows or of the places of its rows, or of its leaves, to the other. */
    double bisection_bytes_per_s;
    /** Ports' sum over the narrowest tier's sum. Dragonfly: a group's ports over its links to other
     * groups. Torus: a link of each port of a half over the bisection. */
    double oversubscription;
    gboolean is_published;        /**< a source has the bisection of a machine of this size */
    double published_bytes_per_s; /**< what it says */
    double published_deviation;   /**< ours over it, less 1 */
    /** Torus and dragonfly: between two ports, those of accelerator 0 and of all other domains. */
    double nearest_latency_s, mean_latency_s, farthest_latency_s;
    /** Torus: what every port can at most send to all others together, as much to each, each way,
     * all planes together: the bound of an all-to-all (lp_torus_all_to_all_load()). Else 0. */
    double all_to_all_bytes_per_s;
} LpMachineFacts;

/** What follows from the description of @self; names are borrowed from the program. */
LpMachineFacts lp_machine_facts(const LpMachine *self);

/** How a route is chosen, in words: nothing is left to chance. Returns: (transfer full). */
char *lp_machine_path_text(const LpMachine *self);

G_END_DECLS
