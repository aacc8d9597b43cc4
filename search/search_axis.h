/* SPDX-License-Identifier: Apache-2.0 */
/* What a search varies: attributes of a workload, and the values that each takes. */
#pragma once

#include "platforms/machine/machine.h"
#include "workloads/description/workload.h"

G_BEGIN_DECLS

/** Axes that a search may have. */
#define LP_SEARCH_AXES_MAX 24

/** An attribute and the values that it takes, as settings write them. */
typedef struct {
    char *name;    /* owned */
    char **values; /* owned: NULL-ended, in order, each once */
} LpSearchAxis;

/** The axes of a search, those first that cheap rules ask for. */
typedef struct {
    GArray *axes;        /* owned: LpSearchAxis */
    guint n_degree_axes; /**< of the first axes: tp, cp, pp, dp and ep */
    guint n_batch_axes;  /**< of those behind them: micro-batch and virtual-stages */
    gboolean fills; /**< dp follows from the other degrees, so that every accelerator has a rank */
} LpSearchAxes;

/** The axes that people turn by hand: tp, pp, cp, ep, micro-batch, virtual-stages, recompute,
 * sequence-parallel and zero. */
extern const char *const lp_search_default_axes[];

/**
 * The items of @texts (NULL-ended, or NULL), "NAME" or "NAME=VALUES" with commas between them. A
 * comma in front of what neither is the name of an axis (@is_axis) nor has a "=" belongs to the
 * values: "stage-layers=3,5|4,4". Returns: (transfer full), NULL-ended.
 */
char **lp_search_items(const char *const *texts, gboolean (*is_axis)(const char *name));

/**
 * Reads VALUES of an axis called @name: values with "|" between them; a value "A..B" stands for all
 * whole numbers from A to B, "A..B*F" for A, A F, A F F and so on up to B. @check: whether a value
 * is one; or NULL. Errors: LP_INPUT_ERROR_USAGE, "got, wanted". Returns: (transfer full),
 * NULL-ended.
 */
char **lp_search_values(const char *name, const char *text,
                        gboolean (*check)(const char *name, const char *value, GError **error),
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * The axes that @items name: all are attributes of a workload. An axis without values takes those
 * that can differ in @workload on @n_accelerators. dp follows from the other degrees unless it is
 * an axis or one of @settings gives it. @items: NULL for lp_search_default_axes.
 * Errors: LP_INPUT_ERROR_USAGE, "got, wanted"; the caller says where.
 * Returns: (transfer full).
 */
LpSearchAxes *lp_search_axes_new(const char *const *items, const LpWorkload *workload,
                                 const char *const *settings, guint64 n_accelerators,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** @self may be NULL. */
void lp_search_axes_free(LpSearchAxes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpSearchAxes, lp_search_axes_free)

/** The axis at @index. Borrowed. */
const LpSearchAxis *lp_search_axis(const LpSearchAxes *self, guint index);
/** Combinations of all values. */
double lp_search_axes_n_plans(const LpSearchAxes *self);

G_END_DECLS
