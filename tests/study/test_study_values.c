/* SPDX-License-Identifier: Apache-2.0 */
/* Values of an axis: lists and ranges written out by hand, and what is refused. */
#include "study/study_values.h"

#include "base/error.h"
#include "tests/testlib.h"

static void
test_values(void)
{
    static const struct {
        const char *text, *wanted; /* with a space between values */
    } rows[] = {
        {"2", "2"},
        {"1 | two|3x", "1 two 3x"},
        {"1..4", "1 2 3 4"},
        {"-1..1", "-1 0 1"},
        {"7..7", "7"},
        {"16..64+16", "16 32 48 64"},
        {"16..63+16", "16 32 48"},
        {"0.1..0.3+0.1", "0.1 0.2 0.3"},
        {"0.5..2.5", NULL},
        {"1..8*2", "1 2 4 8"},
        {"1..9*2", "1 2 4 8"},
        {"100GBps..800GBps*2", "100GBps 200GBps 400GBps 800GBps"},
        {"1us..2us+0.5us", "1us 1.5us 2us"},
        {"5|1..3|a..b", "5 1 2 3 a..b"},
        {"0.1..100*10", "0.1 1 10 100"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_auto(GStrv) values = lp_study_values_parse(rows[i].text, TRUE, &error);
        g_autofree char *got = values != NULL ? g_strjoinv(" ", values) : NULL;
        lp_test_text(rows[i].text, got, rows[i].wanted);
    }
}

static void
test_refused(void)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"", "got an empty value"},
        {"1||2", "got an empty value"},
        {"1|2|1", "got 1 twice"},
        {"1..3|2", "got 2 twice"},
        {"3..1", "wanted the larger number last"},
        {"1s..3us", "wanted one unit in a range"},
        {"1s..3s+1us", "wanted one unit in a range"},
        {"1s..4s*2s", "wanted one unit in a range"},
        {"1..3+0", "wanted a step above 0"},
        {"1..3+-1", "wanted a step above 0"},
        {"1..3*1", "a factor above 1"},
        {"0..3*2", "a first number above 0"},
        {"0.5..3", "wanted whole numbers"},
        {"0..1000001", "wanted at most 1000000"},
        {"0..1+1e-300", "wanted at most 1000000"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_auto(GStrv) values = lp_study_values_parse(rows[i].text, TRUE, &error);
        lp_test_true(rows[i].text, values == NULL);
        lp_test_error(rows[i].text, &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, rows[i].part);
    }
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) again = lp_study_values_parse("1|1", FALSE, &error);
    lp_test_true("twice where that may be", again != NULL && g_strv_length(again) == 2);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"values", test_values}, {"refused", test_refused}, {NULL, NULL}};
    return lp_test_run("study values", cases);
}
