/* SPDX-License-Identifier: Apache-2.0 */
/* What is due at known instants, the first of all at hand. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct LpDueQueue LpDueQueue;

/** Something that is due; no two have one number. */
typedef struct {
    double at_s;
    guint64 number; /**< of those due at one instant the lowest goes first */
    guint place;    /**< in the queue, from 1 on; 0: in none */
    gpointer owner; /**< borrowed */
} LpDue;

/** Returns: (transfer full) an empty queue. */
LpDueQueue *lp_due_queue_new(void);
/** @self may be NULL. */
void lp_due_queue_free(LpDueQueue *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpDueQueue, lp_due_queue_free)

/** Puts @due, which is borrowed until it is taken, where it belongs, whether it is in @self or not.
 */
void lp_due_queue_put(LpDueQueue *self, LpDue *due);
/** Returns: (transfer none) what is due first; NULL: nothing is. */
LpDue *lp_due_queue_first(const LpDueQueue *self);
/** Takes it out. */
void lp_due_queue_take_first(LpDueQueue *self);

G_END_DECLS
