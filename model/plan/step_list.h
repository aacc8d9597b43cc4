/* SPDX-License-Identifier: Apache-2.0 */
/* A collective as a list of steps: who sends which chunk to whom at which step. */
#pragma once

#include "model/plan/collective.h"

G_BEGIN_DECLS

/** A chunk on its way. */
typedef struct {
    guint32 step, from, to;
    guint32 chunk;
    gboolean sums; /**< the receiver adds it to what it has of the chunk; else it replaces that */
} LpListedSend;

/** The steps of @collective among @n_ranks members. The buffer is @n_chunks chunks, as equal as
 * they can be; member i of an all-gather begins with the chunks of part i of @n_ranks, and of a
 * reduce-scatter ends with them; roots are member 0. Of an all-to-all there are @n_ranks squared:
 * number s n + d is what member s has for member d. What is sent at a step has come before it. */
struct LpStepList {
    char *name; /* owned */
    LpCollective collective;
    guint32 n_ranks, n_chunks, n_steps, n_sends;
    guint32 most_partners; /**< that a member sends to in a step; at least 1 */
    LpListedSend *sends;   /* owned, by step and sender, else as they were given */
    guint32 *begin;        /* owned: of the sends of a member at a step, by step and member; and the
                              end of the last */
    guint32 *n_senders;    /* owned: to a member at a step, by step and member */
};

/** Whether a list may be of @collective. */
gboolean lp_step_list_can(LpCollective collective);
/** Takes over @sends, an array of LpListedSend, whose members and chunks exist. Returns: (transfer
 * full). */
LpStepList *lp_step_list_new(const char *name, LpCollective collective, guint32 n_ranks,
                             guint32 n_chunks, guint32 n_steps, GArray *sends);
/** Frees @self; nothing if it is NULL. */
void lp_step_list_free(LpStepList *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpStepList, lp_step_list_free)

/** Follows every chunk with the members whose summands it holds. Whether every member ends with
 * what the operation promises. Error: LP_MODEL_ERROR, "step S: member M: got, wanted". */
gboolean lp_step_list_check(const LpStepList *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The step list of @collective among @n_ranks; NULL: there is none. Borrowed. */
const LpStepList *lp_step_lists_find(const LpStepLists *self, LpCollective collective,
                                     guint64 n_ranks);
/** Whether there is any list of @collective, for any number of ranks. */
gboolean lp_step_lists_have(const LpStepLists *self, LpCollective collective);

G_END_DECLS
