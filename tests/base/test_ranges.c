/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of numbers: what they mean, what is refused, and back. */
#include "base/ranges.h"

#include "base/error.h"
#include "tests/testlib.h"

static void
test_good(void)
{
    static const struct {
        const char *text, *again;
        guint n;
        guint32 last;
    } rows[] = {
        {"0", "0", 1, 0},          {"7", "7", 1, 7},
        {"0-3", "0-3", 4, 3},      {"2-2", "2", 1, 2},
        {"3,2,1", "3,2,1", 3, 1},  {"0, 1,2 ,5", "0-2,5", 4, 5},
        {"98-99", "98-99", 2, 99}, {"4-5,0-2,9", "4-5,0-2,9", 6, 9},
        {"1,2,0", "1-2,0", 3, 0},  {"0-99", "0-99", 100, 99},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GArray) numbers = lp_ranges_parse(rows[i].text, 99, &error);
        lp_test_text(rows[i].text, error != NULL ? error->message : NULL, NULL);
        if (numbers == NULL)
            continue;
        const guint32 *first = (const guint32 *)(gconstpointer)numbers->data;
        g_autofree char *again = lp_ranges_format(first, numbers->len);
        lp_test_text(rows[i].text, again, rows[i].again);
        lp_test_true(rows[i].text,
                     numbers->len == rows[i].n && first[numbers->len - 1] == rows[i].last);
    }
}

static void
test_faults(void)
{
    static const struct {
        const char *text;
        int code;
        const char *part;
    } rows[] = {
        {"", LP_INPUT_ERROR_SYNTAX, "at least one number"},
        {",", LP_INPUT_ERROR_SYNTAX, "got \"\""},
        {"1,", LP_INPUT_ERROR_SYNTAX, "got \"\""},
        {"x", LP_INPUT_ERROR_SYNTAX, "got \"x\""},
        {"-1", LP_INPUT_ERROR_SYNTAX, "got"},
        {"1-", LP_INPUT_ERROR_SYNTAX, "got"},
        {"1-2-3", LP_INPUT_ERROR_SYNTAX, "got"},
        {"5-4", LP_INPUT_ERROR_SYNTAX, "rising ranges up to 99"},
        {"100", LP_INPUT_ERROR_SYNTAX, "up to 99"},
        {"0-18446744073709551616", LP_INPUT_ERROR_SYNTAX, "up to 99"},
        {"1.5", LP_INPUT_ERROR_SYNTAX, "got \"1.5\""},
        {"1,1", LP_INPUT_ERROR_VALUE, "1 comes again"},
        {"0-5,3", LP_INPUT_ERROR_VALUE, "3 comes again"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GArray) numbers = lp_ranges_parse(rows[i].text, 99, &error);
        lp_test_true(rows[i].text, numbers == NULL);
        lp_test_error(rows[i].text, &error, LP_INPUT_ERROR, rows[i].code, rows[i].part);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"lists", test_good}, {"refusals", test_faults}, {NULL, NULL}};
    return lp_test_run("ranges", cases);
}
