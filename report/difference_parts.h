/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the difference between simulation and closed form as a list with signs. */
#pragma once

#include "report/report_data.h"

G_BEGIN_DECLS

/** A part smaller than this share of the iteration is not named among what a form leaves out. */
#define LP_DIFFERENCE_LARGE 0.02

/** A part of the difference. */
typedef struct {
    const char *name; /* static */
    double seconds;   /**< what it adds to the closed form */
} LpDifferencePart;

enum {
    LP_DIFFERENCE_PARTS_MAX = 10
};

/** Fills @out_parts: their sum is what the simulation takes longer than the closed form. Returns:
 * how many. */
guint lp_difference_parts(const LpReport *self, LpDifferencePart *out_parts);

/** Of those parts that are larger than LP_DIFFERENCE_LARGE of the iteration, the largest first:
 * name, size, and the setting without which it is small. What the simulation and the form have of
 * contention is one of them. Returns: (transfer full) of texts, maybe none. */
GPtrArray *lp_difference_large_parts(const LpReport *self);

G_END_DECLS
