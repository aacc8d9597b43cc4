/* SPDX-License-Identifier: Apache-2.0 */
/* Goes over connections, which have a route for each class. */
#include "sim/quotient/first_senders.h"

GArray *
lp_first_senders_find(const LpQuotient *quotient, const LpCommunicator *communicator,
                      const LpCollectivePeers *peers)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    for (guint32 member = 0; member < communicator->n_members; member++) {
        guint32 rank = communicator->ranks[member];
        const GArray *own = lp_collective_peers_get(peers, communicator->group, rank);
        gboolean is_first = FALSE;
        for (guint i = 0; own != NULL && i < own->len; i++) {
            const LpRoute *route = lp_quotient_peer_route(quotient, communicator->group, rank, i);
            is_first = g_hash_table_add(known, (gpointer)(guintptr)route) || is_first;
        }
        if (is_first)
            g_array_append_val(found, member);
    }
    return found;
}
