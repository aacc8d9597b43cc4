/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a machine that follow from its description: tiers, bisection, oversubscription. */
#pragma once

#include "platforms/machine.h"

G_BEGIN_DECLS

/** Links of one kind: between hosts and leaves ("port"), leaves and spines ("leaf"), ... */
typedef struct {
    const char *name; /* borrowed: scale-up, port, leaf, spine */
    guint64 n_links;  /**< counted once for both directions */
    double link_bytes_per_s;
    double latency_s;
    LpTechnology technology;
    double
        oversubscription; /**< bandwidth below over bandwidth above this tier, >= 1 if narrower */
} LpTierFacts;

typedef struct {
    guint32 n_tiers;
    LpTierFacts tiers[2 + LP_FAT_TREE_LEVELS_MAX];
    guint64 n_domains;
    double bisection_bytes_per_s; /**< scale-out fabric cut in two halves of the domains, one way */
    double oversubscription;      /**< ports' sum over the narrowest tier's sum */
} LpMachineFacts;

LpMachineFacts lp_machine_facts(const LpMachine *self);

G_END_DECLS
