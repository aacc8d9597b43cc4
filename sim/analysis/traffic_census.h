/* SPDX-License-Identifier: Apache-2.0 */
/* How many bytes an iteration moves: over each link, between blocks of accelerators, and in
 * messages of which size. */
#pragma once

#include "sim/mapping/communication_map.h"

G_BEGIN_DECLS

/** Blocks that a machine is divided into at most. */
#define LP_TRAFFIC_BLOCKS_MAX 64u
/** In place of a collective: a message between stages. */
#define LP_MESSAGE_BETWEEN_STAGES LP_N_COLLECTIVES

/** Operations of one size. */
typedef struct {
    LpTraffic traffic;
    guint operation; /**< LpCollective or LP_MESSAGE_BETWEEN_STAGES */
    guint64 bytes;   /**< of the whole buffer, or the message */
    double n;        /**< of all communicators or ranks */
} LpMessageCount;

/** What is counted. */
typedef struct {
    const LpNetwork *network; /* borrowed */
    guint64 block_size;       /**< accelerators in a block: one, or whole domains */
    guint32 n_blocks;
    double *link_bytes;  /* owned: by link and LpTraffic */
    guint32 *link_block; /* owned: by link, the block at its lower end, of the first that used it */
    double *pair_bytes;  /* owned: by LpTraffic, sending and receiving block */
    GArray *messages;    /* owned: LpMessageCount */
} LpTrafficCensus;

/** Nothing so far, on @network, which is borrowed. Returns: (transfer full). */
LpTrafficCensus *lp_traffic_census_new(const LpNetwork *network);
void lp_traffic_census_free(LpTrafficCensus *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpTrafficCensus, lp_traffic_census_free)

/** Bytes of @traffic over @link. */
double lp_traffic_census_link(const LpTrafficCensus *self, guint32 link, LpTraffic traffic);
/** Bytes of @traffic that block @from sends to block @to. */
double lp_traffic_census_pair(const LpTrafficCensus *self, LpTraffic traffic, guint32 from,
                              guint32 to);
/** @bytes of @traffic go from accelerator @from to accelerator @to over @route, @n_times where they
 * leave their domain. */
void lp_traffic_census_add(LpTrafficCensus *self, LpTraffic traffic, guint64 from, guint64 to,
                           const LpRoute *route, double bytes, double n_times);
/** @message.n such operations. */
void lp_traffic_census_add_message(LpTrafficCensus *self, LpMessageCount message);

G_END_DECLS
