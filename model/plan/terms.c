/* SPDX-License-Identifier: Apache-2.0 */
/* Names and sum of the terms of an iteration's time. */
#include "model/plan/terms.h"

#include <math.h>

/* The relative rounding error of a sum of some tens of doubles. */
#define ROUNDING 1e-14

const char *const lp_term_names[] = {
    "compute",         "tp",   "pp", "dp", "ep", "cp", "bubble", "optimizer",
    "reconfiguration", "host", NULL};

G_STATIC_ASSERT(G_N_ELEMENTS(lp_term_names) == LP_N_TERMS + 1);

double
lp_terms_sum(const LpTerms *self)
{
    double sum_s = 0.0;
    for (guint i = 0; i < LP_N_TERMS; i++)
        sum_s += self->s[i];
    return sum_s;
}

LpTerms
lp_terms_cleared(const LpTerms *self)
{
    LpTerms cleared = *self;
    double least_s = ROUNDING * lp_terms_sum(self);
    for (guint i = 0; i < LP_N_TERMS; i++)
        if (fabs(cleared.s[i]) < least_s)
            cleared.s[i] = 0.0;
    return cleared;
}
