/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/terms.h"
#include "tests/testlib.h"

static void
test_sum(void)
{
    LpTerms terms = {{0.0}};
    lp_test_true("nothing", lp_terms_sum(&terms) <= 0.0);
    for (guint i = 0; i < LP_N_TERMS; i++)
        terms.s[i] = 1 << i;
    lp_test_close("every term once", lp_terms_sum(&terms), (1 << LP_N_TERMS) - 1, 0.0);
}

static void
test_names(void)
{
    lp_test_text("first", lp_term_names[LP_TERM_COMPUTE], "compute");
    lp_test_text("middle", lp_term_names[LP_TERM_BUBBLE], "bubble");
    lp_test_text("last", lp_term_names[LP_TERM_HOST], "host");
    lp_test_true("ended", lp_term_names[LP_N_TERMS] == NULL);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"sum", test_sum}, {"names", test_names}, {NULL, NULL}};
    return lp_test_run("terms", cases);
}
