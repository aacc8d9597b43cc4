/* SPDX-License-Identifier: Apache-2.0 */
/* Measured times of a library: a table, and times between its rows and beyond. */
#pragma once

#include "model/network/library.h"

G_BEGIN_DECLS

/** The way in which a time that the table does not hold was found. */
typedef struct {
    guint64 n_ranks, n_nodes; /**< of the rows that it comes from */
    const char *algorithm;    /**< whose steps and bytes scale them; NULL: these very ranks were
                                 measured. Static */
    gboolean is_beyond;       /**< the buffer is larger than any of these rows */
} LpMeasuredSource;

/** Seconds of @collective of @bytes (LpOp.bytes) among @n_ranks on @n_nodes by the measured rows of
 * @self; 0: it has none of @collective. Between two sizes log t is a straight line over log bytes,
 * beyond the largest it goes on, below the smallest the time stays. Of other ranks or nodes the
 * nearest rows are scaled: by a steps(n) + b volume(n) bytes, with a and b fitted on all rows of
 * @collective, of the algorithm whose fit has the least error. Rows of one node tell nothing of
 * several, nor those of one. @out_source: may be NULL. */
double lp_library_measured_s(const LpLibrary *self, LpCollective collective, guint64 bytes,
                             guint64 n_ranks, guint64 n_nodes, LpMeasuredSource *out_source);
/** The scatter of the measured tables of @collective on one node or on several: the largest excess
 * of a smaller size's time over a larger size's. 0.03 is 3 %. */
double lp_library_scatter(const LpLibrary *self, LpCollective collective, gboolean is_one_node);
/** A sentence on which collectives of @self are as measured, and how other groups are scaled; NULL:
 * none is. */
char *lp_library_measured_text(const LpLibrary *self);

G_END_DECLS
