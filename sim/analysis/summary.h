/* SPDX-License-Identifier: Apache-2.0 */
/* What the analysis of a job on a machine says of its communication, as plain data. */
#pragma once

#include "model/plan/terms.h"
#include "platforms/machine/machine.h"
#include "platforms/machine/tier.h"

G_BEGIN_DECLS

/** Single communications without other traffic, in the slowest group or replica, s. */
typedef struct {
    double tp_s; /**< all collectives of the tensor-parallel group in one iteration, mean stage */
    double ep_s; /**< all collectives of the expert-parallel groups, likewise */
    double cp_s; /**< all collectives of the context-parallel group, likewise */
    double pp_s; /**< all messages of one iteration over the mean boundary, both ways, times v */
    double dp_s; /**< the gradient reduction, tied embeddings included, mean stage */
    double inner_s;     /**< of all the above, what is launched and not waited for at once */
    double message_s;   /**< one message over the mean boundary */
    double computing_s; /**< what is between them: passes, checks of gradients, optimiser, mean
                           stage */
} LpIsolatedCommunication;

/** Where the traffic of each term is narrowest, were all of it under way at once. */
typedef struct {
    LpTier narrowest[LP_N_TERMS];  /**< tier of the link with the least bandwidth a connection */
    gboolean has_tier[LP_N_TERMS]; /**< whether the term has traffic at all */
} LpTiers;

/** Bytes of one iteration, all ranks; every byte counts at every link that it crosses. */
typedef struct {
    /** Over the links of the scale-up and the scale-out network, with the protocol's overhead; PCIe
     * links are left out. */
    double link_bytes[LP_N_ATTACHMENTS];
    double sent_bytes; /**< that leave senders, whatever they cross then */
} LpLinkTraffic;

G_END_DECLS
