/* SPDX-License-Identifier: Apache-2.0 */
/* The places of a group's members in domains and pods. */
#include "model/closed_form/closed_form_network.h"
#include "model/closed_form/closed_form_counts.h"

guint64
lp_closed_form_member(const LpClosedFormInput *input, LpGroup group, guint64 index)
{
    return accelerator(input, lp_group_member(input->transformer, input->plan, group, 0, index));
}

gboolean
lp_closed_form_is_regular(const LpClosedFormInput *input, LpGroup group, guint64 n, guint64 n_intra)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    guint64 head = 0;
    for (guint64 i = 0; i < n; i++) {
        guint64 domain = lp_closed_form_member(input, group, i) / input->fabric->domain_size;
        if (i % n_intra == 0 && !g_hash_table_add(seen, GSIZE_TO_POINTER(domain + 1)))
            return FALSE;
        head = i % n_intra == 0 ? domain : head;
        if (domain != head)
            return FALSE;
    }
    return n % n_intra == 0;
}

guint64
lp_closed_form_n_intra(const LpClosedFormInput *input, LpGroup group, guint64 n)
{
    guint64 n_intra = 1, size = input->fabric->domain_size;
    while (n_intra < n && lp_closed_form_member(input, group, n_intra) / size ==
                              lp_closed_form_member(input, group, 0) / size)
        n_intra++;
    return n_intra;
}
