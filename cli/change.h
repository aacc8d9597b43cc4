/* SPDX-License-Identifier: Apache-2.0 */
/* The change between two simulated iterations, from their JSON. */
#pragma once

#include "base/json.h"
#include "model/plan/terms.h"

G_BEGIN_DECLS

/** The term that changed most from one run to another. */
typedef struct {
    LpTerm term;
    double seconds;   /**< the other less the one */
    const char *tier; /* borrowed from a run: where its traffic is narrowest, on the slower one */
    double moved_s;   /**< of all terms, whatever their sign */
} LpChange;

/** "iteration_time_s" of @run, as simulate prints it, s. */
double lp_change_iteration_time_s(const json_t *run);
/** The largest change from @first to @run. */
LpChange lp_change_largest(const json_t *first, const json_t *run);
/** A warning for runs whose terms move so much more than their sum that none of them says what
 * changed, since the critical path goes through other ranks. Returns: (transfer full), or NULL. */
char *lp_change_warning(const json_t *first, const json_t *run, const LpChange *change);
/** Appends a line of what the classes of @run lose to contention, less what they lose in @first if
 * that is not NULL. Both as contention prints it. */
void lp_change_append_classes(GString *out, const json_t *first, const json_t *run);

G_END_DECLS
