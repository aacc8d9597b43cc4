/* SPDX-License-Identifier: Apache-2.0 */
/* The terms that an iteration's time is split into. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The terms of an iteration: what its seconds are spent on. */
typedef enum {
    LP_TERM_COMPUTE,
    LP_TERM_TP,
    LP_TERM_PP,
    LP_TERM_DP,
    LP_TERM_EP,
    LP_TERM_CP,
    LP_TERM_BUBBLE,
    LP_TERM_OPTIMIZER,
    LP_TERM_RECONFIGURATION,
    LP_TERM_HOST,
    LP_N_TERMS
} LpTerm;

/** "compute" "tp" ..., as in output; NULL-ended. */
extern const char *const lp_term_names[];

/** Exposed seconds by term; they sum to the iteration time. */
typedef struct {
    double s[LP_N_TERMS];
} LpTerms;

/** The iteration time, s. */
double lp_terms_sum(const LpTerms *self);
/** @self without what rounding leaves where seconds cancel: terms of less than 1e-15 of the sum are
 * 0. */
LpTerms lp_terms_cleared(const LpTerms *self);

G_END_DECLS
