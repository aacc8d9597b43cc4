/* SPDX-License-Identifier: Apache-2.0 */
/* Members beyond a power of two: the first ones in pairs, of which the odd one leaves its data to
 * the even one and waits. (Thakur, Rabenseifner and Gropp, Int. J. High Perf. Comp. Appl. 19,
 * 2005.) Members count from the root on. */
#pragma once

#include "sim/collectives/step_schedule.h"

G_BEGIN_DECLS

/** Sets n_core and n_doublings. */
static inline void
lp_fold_init(LpStepSchedule *self)
{
    self->n_doublings = g_bit_storage(self->shape.n_members) - 1;
    self->n_core = (guint64)1 << self->n_doublings;
}

static inline guint64
lp_fold_excess(const LpStepSchedule *self)
{
    return self->shape.n_members - self->n_core;
}

/** The place of a member. */
typedef struct {
    guint64 core;     /**< index among the core, or of the one that it left its data to */
    gboolean folded;  /**< it left its data */
    gboolean is_pair; /**< it has such a partner, or left its data */
} LpFold;

static inline LpFold
lp_fold_of(const LpStepSchedule *self, guint64 member)
{
    guint64 n = self->shape.n_members, excess = lp_fold_excess(self);
    guint64 index = (member + n - self->shape.root) % n;
    LpFold fold = {.core = index - excess};
    if (index < 2 * excess) {
        fold.core = index / 2;
        fold.folded = index % 2 == 1;
        fold.is_pair = TRUE;
    }
    return fold;
}

/** The member of index @core among the core, or the one that left it its data. */
static inline guint64
lp_fold_member(const LpStepSchedule *self, guint64 core, gboolean folded)
{
    guint64 n = self->shape.n_members, excess = lp_fold_excess(self);
    guint64 index = core < excess ? 2 * core + (folded ? 1 : 0) : core + excess;
    return (index + self->shape.root) % n;
}

G_END_DECLS
