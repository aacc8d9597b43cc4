/* SPDX-License-Identifier: Apache-2.0 */
/* What process groups are for: the one table of their axes, classes of traffic and terms. */
#pragma once

#include "model/plan/group.h"
#include "model/plan/terms.h"

G_BEGIN_DECLS

/** What the collectives of a group are for, whatever the plan. */
typedef struct {
    const char *name;    /**< for people: "tensor-parallel" */
    const char *setting; /**< the plan's attribute that names their algorithm */
    LpAxis axis;         /**< whose attribute that is */
    LpTraffic traffic;   /**< the class of their bytes */
    LpTerm term;         /**< of the iteration, that their exposed time counts as */
    gboolean in_layers;  /**< they run in every layer, and not once an iteration or bucket */
} LpGroupTraits;

/** The traits of @group, which is below LP_N_GROUPS. Static. */
const LpGroupTraits *lp_group_traits(LpGroup group);
/** The term as which waiting for @traffic counts. */
LpTerm lp_traffic_term(LpTraffic traffic);
G_END_DECLS
