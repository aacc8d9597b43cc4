/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the difference between simulation and closed form as a list with signs. */
#pragma once

#include "report/result_field.h"
#include "report/report_data.h"

G_BEGIN_DECLS

/** A part smaller than this share of the iteration is not named among what a form leaves out. */
#define LP_DIFFERENCE_LARGE 0.02

/** A part of the difference. */
typedef struct {
    const LpResultField *field; /* static */
    double seconds;             /**< what it adds to the closed form */
} LpDifferencePart;

/** The parts of @difference, the object of that key in a result, in the order of report/fields.xml.
 * Their sum is what the simulation takes longer than the closed form. Returns: (transfer full) of
 * LpDifferencePart. */
GArray *lp_difference_parts(const json_t *difference);

/** The parts that are larger than LP_DIFFERENCE_LARGE of the iteration, the largest first: name,
 * size, and the setting without which it is small. The contention of simulation and form together
 * is one of them. Returns: (transfer full) of texts, maybe none. */
GPtrArray *lp_difference_large_parts(const LpReport *self, const json_t *difference);

G_END_DECLS
