/* SPDX-License-Identifier: Apache-2.0 */
/* Values and terms of outcomes as text. */
#include "report/wording.h"

#include "base/units.h"

#define N_TERMS_SHOWN 3

char *
lp_wording_terms(const LpOutcome *outcome)
{
    GString *text = g_string_new(NULL);
    LpTerms left = outcome->terms;
    double sum = lp_terms_sum(&left);
    for (guint i = 0; outcome->has_terms && i < N_TERMS_SHOWN; i++) {
        LpTerm largest = 0;
        for (LpTerm term = 1; term < LP_N_TERMS; term++)
            if (left.s[term] > left.s[largest])
                largest = term;
        if (left.s[largest] < 0.01 * sum)
            break;
        g_string_append_printf(text, "%s%s %.0f %%", i > 0 ? ", " : "", lp_term_names[largest],
                               100.0 * left.s[largest] / sum);
        left.s[largest] = 0.0;
    }
    return g_string_free(text, FALSE);
}

char *
lp_wording_value(const LpOutcome *outcome, double value)
{
    switch (outcome->measure) {
    case LP_MEASURE_TIME:
        return lp_quantity_format(LP_QUANTITY_TIME, value);
    case LP_MEASURE_BANDWIDTH:
        return lp_quantity_format(LP_QUANTITY_BANDWIDTH, value);
    case LP_MEASURE_RATE:
        return g_strdup_printf("%.4g TFLOP/s", value * 1e-12);
    case LP_MEASURE_RATIO:
        return g_strdup_printf("%.4g", value);
    case LP_MEASURE_MEMORY:
        return lp_quantity_format(LP_QUANTITY_SIZE, value);
    case LP_N_MEASURES:
        break;
    }
    g_assert_not_reached();
}
