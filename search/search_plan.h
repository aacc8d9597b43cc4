/* SPDX-License-Identifier: Apache-2.0 */
/* The plans that a search chooses from, and what was refused. */
#pragma once

#include "search/search_axis.h"

G_BEGIN_DECLS

/** A plan that is legal and fits. */
typedef struct {
    guint index;                       /**< its own among the plans of the space */
    guint machine;                     /**< index among the machines of the space */
    guint16 value[LP_SEARCH_AXES_MAX]; /**< by axis: which of its values */
    guint32 dp;                        /**< where it fills the machine; else 0 */
    double memory_bytes;               /**< of an accelerator of the fullest stage */
    double bound_s;  /**< no simulation is faster: model/closed_form/lower_bound.h */
    double closed_s; /**< by the consistent closed form; INFINITY where the bound is so far above
                        the best closed form that it was not worked out yet */
} LpSearchPlan;

/** Why plans were refused: the attribute that a rule begins with, how many, and the first one's
 * message. */
typedef struct {
    char *attribute, *message; /* owned */
    guint64 n;
} LpSearchRefusal;

/** What there is to choose from. */
typedef struct {
    const LpWorkloadDraft *draft;     /* borrowed */
    const LpMachine *const *machines; /* borrowed */
    guint n_machines;
    const LpSearchAxes *const *axes; /* borrowed: by machine */
    gboolean ignore_memory;
    LpWorkload *own;            /* owned: what holds where no axis says otherwise */
    guint64 n_considered;       /**< combinations, on all machines */
    guint64 n_refused_memory;   /**< legal, and larger than an accelerator's memory */
    double least_lacking_bytes; /**< what the nearest of these lacks; INFINITY: there is none */
    LpSearchPlan nearest;       /**< that one, but for its times */
    double best_closed_s;       /**< the least that the closed form says of any; INFINITY: none */
    GArray *plans;              /* owned: LpSearchPlan */
    GArray *refusals;           /* owned: LpSearchRefusal, most first */
} LpSearchSpace;

/** Without plans, on what @of borrows. Returns: (transfer full). */
LpSearchSpace *lp_search_space_new_part(const LpSearchSpace *of);
/** @self may be NULL. */
void lp_search_space_free(LpSearchSpace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpSearchSpace, lp_search_space_free)

/** "name=value" of @plan, in the order of the axes, NULL-ended. Returns: (transfer full). */
char **lp_search_space_settings(const LpSearchSpace *self, const LpSearchPlan *plan);
/** The workload with the settings of @plan, for its machine. Errors: as
 * lp_workload_draft_complete(). Returns: (transfer full). */
LpWorkload *lp_search_space_workload(const LpSearchSpace *self, const LpSearchPlan *plan,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Counts @n plans of @self as refused with @message. */
void lp_search_space_add_refusal(LpSearchSpace *self, const char *attribute, const char *message,
                                 guint64 n);
/** The same by @error, which it frees. */
void lp_search_space_refuse(LpSearchSpace *self, guint64 n, GError *error);
/** The most first. */
void lp_search_space_sort_refusals(LpSearchSpace *self);

G_END_DECLS
