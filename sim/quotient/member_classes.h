/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a communicator that do the same in collectives in which flows wait for others. */
#pragma once

#include "workloads/program/communicator.h"

G_BEGIN_DECLS

typedef struct {
    guint32 n_classes;
    guint32 *of_member; /* owned, by member: its class */
    guint32 *first;     /* owned, by class: its lowest member, which stands for all */
    guint32 *n;         /* owned, by class: how many it stands for */
} LpMemberClasses;

/** Divides @n_members members into classes: those with one number in @colours are of one class.
 * Classes are numbered in the order of their lowest members. */
LpMemberClasses lp_member_classes_find(const guint32 *colours, guint32 n_members);
void lp_member_classes_clear(LpMemberClasses *self);

/** The member that stands for @member. */
guint32 lp_member_classes_representative(const LpMemberClasses *self, guint64 member);

/** The lowest member of @communicator in each class of ranks, which @of_rank gives, in the order of
 * the classes. Returns: (transfer full). */
guint32 *lp_member_classes_first_of(const guint32 *of_rank, const LpCommunicator *communicator);

G_END_DECLS
