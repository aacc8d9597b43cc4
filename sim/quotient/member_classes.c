/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers members' classes. */
#include "sim/quotient/member_classes.h"

#include <stdlib.h>

LpMemberClasses
lp_member_classes_find(const guint32 *colours, guint32 n_members)
{
    g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
    LpMemberClasses self = {.of_member = g_new(guint32, n_members),
                            .first = g_new(guint32, n_members),
                            .n = g_new0(guint32, n_members)};
    for (guint32 i = 0; i < n_members; i++) {
        gpointer key = GUINT_TO_POINTER(colours[i]), number;
        if (!g_hash_table_lookup_extended(numbers, key, NULL, &number)) {
            number = GUINT_TO_POINTER(self.n_classes);
            g_hash_table_insert(numbers, key, number);
            self.first[self.n_classes++] = i;
        }
        self.of_member[i] = GPOINTER_TO_UINT(number);
        self.n[self.of_member[i]]++;
    }
    return self;
}

void
lp_member_classes_clear(LpMemberClasses *self)
{
    g_clear_pointer(&self->of_member, g_free);
    g_clear_pointer(&self->first, g_free);
    g_clear_pointer(&self->n, g_free);
}

guint32
lp_member_classes_representative(const LpMemberClasses *self, guint64 member)
{
    return self->first[self->of_member[member]];
}

/* A member, and the class of its rank. */
typedef struct {
    guint32 class, member;
} RankMember;

static int
compare(const void *a, const void *b)
{
    const RankMember *one = a, *other = b;
    if (one->class != other->class)
        return one->class < other->class ? -1 : 1;
    return one->member < other->member ? -1 : 1;
}

guint32 *
lp_member_classes_first_of(const guint32 *of_rank, const LpCommunicator *communicator)
{
    guint32 n = communicator->n_members, n_found = 0;
    g_autofree RankMember *members = g_new(RankMember, n);
    for (guint32 i = 0; i < n; i++)
        members[i] = (RankMember){of_rank[communicator->ranks[i]], i};
    qsort(members, n, sizeof *members, compare);
    guint32 *found = g_new(guint32, n);
    for (guint32 i = 0; i < n; i++)
        if (i == 0 || members[i].class != members[i - 1].class)
            found[n_found++] = members[i].member;
    return found;
}
