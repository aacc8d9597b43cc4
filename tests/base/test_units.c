/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and quantities: what is read, what is refused, and that texts read back. */
#include "base/units.h"

#include "base/error.h"
#include "tests/testlib.h"

#include <math.h>

static void
test_quantities(void)
{
    static const struct {
        LpQuantity quantity;
        const char *text;
        double value;
    } rows[] = {
        {LP_QUANTITY_TIME, "1us", 1e-6},
        {LP_QUANTITY_TIME, "2.5 ms", 2.5e-3},
        {LP_QUANTITY_TIME, "0s", 0},
        {LP_QUANTITY_TIME, "3ps", 3e-12},
        {LP_QUANTITY_TIME, "7ns", 7e-9},
        {LP_QUANTITY_TIME, "2m", 120},
        {LP_QUANTITY_TIME, "1h", 3600},
        {LP_QUANTITY_TIME, "1e-06s", 1e-6},
        {LP_QUANTITY_TIME, "5min", 300},
        {LP_QUANTITY_TIME, "90 min", 5400},
        {LP_QUANTITY_TIME, "3\u00b5s", 3e-6},
        {LP_QUANTITY_TIME, "3 \u03bcs", 3e-6},
        {LP_QUANTITY_BANDWIDTH, "25GB/s", 25e9},
        {LP_QUANTITY_BANDWIDTH, "25 GB/s", 25e9},
        {LP_QUANTITY_BANDWIDTH, "400Gb/s", 50e9},
        {LP_QUANTITY_BANDWIDTH, "400 Gbit/s", 50e9},
        {LP_QUANTITY_BANDWIDTH, "1Mbits/s", 125e3},
        {LP_QUANTITY_BANDWIDTH, "8b/s", 1},
        {LP_QUANTITY_BANDWIDTH, "2GiB/s", 2147483648},
        {LP_QUANTITY_SIZE, "80GB", 80e9},
        {LP_QUANTITY_SIZE, "1KiB", 1024},
        {LP_QUANTITY_SIZE, "32GiB", 34359738368},
        {LP_QUANTITY_SIZE, ".5B", 0.5},
        {LP_QUANTITY_BANDWIDTH, "25GBps", 25e9},
        {LP_QUANTITY_BANDWIDTH, "200Gbps", 25e9},
        {LP_QUANTITY_BANDWIDTH, "8bps", 1},
        {LP_QUANTITY_BANDWIDTH, "1EBps", 1e18},
        {LP_QUANTITY_BANDWIDTH, "1MiBps", 1048576},
        {LP_QUANTITY_BANDWIDTH, "1Ebps", 0.125e18},
        {LP_QUANTITY_SPEED, "312Tf", 312e12},
        {LP_QUANTITY_SPEED, "1.5Ef", 1.5e18},
        {LP_QUANTITY_SPEED, "989.4 TFLOP/s", 989.4e12},
        {LP_QUANTITY_SPEED, "312TFLOPS", 312e12},
        {LP_QUANTITY_POWER, "400W", 400},
        {LP_QUANTITY_POWER, "1mW", 1e-3},
        {LP_QUANTITY_ENERGY_PER_BIT, "5pJ/bit", 5e-12},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        double value = NAN;
        lp_test_true(rows[i].text,
                     lp_quantity_parse(rows[i].quantity, rows[i].text, &value, &error));
        /* One product of two doubles: exact to its rounding. */
        lp_test_close(rows[i].text, value, rows[i].value, 3e-16);
    }
}

static void
test_bad_quantities(void)
{
    static const struct {
        LpQuantity quantity;
        const char *text;
        int code;
        const char *part;
    } rows[] = {
        {LP_QUANTITY_BANDWIDTH, "12x", LP_INPUT_ERROR_SYNTAX,
         "\"12x\" is not a bandwidth such as 25GBps or 200Gbps"},
        {LP_QUANTITY_BANDWIDTH, "12", LP_INPUT_ERROR_SYNTAX,
         "\"12\" has no unit, wanted a bandwidth"},
        {LP_QUANTITY_BANDWIDTH, "0", LP_INPUT_ERROR_SYNTAX, "has no unit"},
        {LP_QUANTITY_BANDWIDTH, "", LP_INPUT_ERROR_SYNTAX, "\"\" is not"},
        {LP_QUANTITY_BANDWIDTH, " 1Bps", LP_INPUT_ERROR_SYNTAX, "is not"},
        {LP_QUANTITY_BANDWIDTH, "1Bps ", LP_INPUT_ERROR_SYNTAX, "is not"},
        {LP_QUANTITY_BANDWIDTH, "1GB", LP_INPUT_ERROR_SYNTAX, "is not"},
        {LP_QUANTITY_BANDWIDTH, "1/s", LP_INPUT_ERROR_SYNTAX, "is not"},
        {LP_QUANTITY_BANDWIDTH, "1GB/m", LP_INPUT_ERROR_SYNTAX, "is not"},
        {LP_QUANTITY_BANDWIDTH, "1min", LP_INPUT_ERROR_SYNTAX, "is not"},
        {LP_QUANTITY_TIME, "1kmin", LP_INPUT_ERROR_SYNTAX, "is not"},
        {LP_QUANTITY_BANDWIDTH, "-1GBps", LP_INPUT_ERROR_VALUE, "is negative"},
        {LP_QUANTITY_BANDWIDTH, "-0GBps", LP_INPUT_ERROR_VALUE, "is negative"},
        {LP_QUANTITY_BANDWIDTH, "1e308GBps", LP_INPUT_ERROR_VALUE, "is too large"},
        {LP_QUANTITY_BANDWIDTH, "1e999Bps", LP_INPUT_ERROR_VALUE, "is too large"},
        {LP_QUANTITY_TIME, "nan", LP_INPUT_ERROR_SYNTAX, "is not a time such as 1us"},
        {LP_QUANTITY_TIME, "nans", LP_INPUT_ERROR_SYNTAX, "is not"},
        {LP_QUANTITY_TIME, "infs", LP_INPUT_ERROR_SYNTAX, "is not"},
        {LP_QUANTITY_TIME, "0x1s", LP_INPUT_ERROR_SYNTAX, "is not"},
        {LP_QUANTITY_TIME, "+1s", LP_INPUT_ERROR_SYNTAX, "is not"},
        {LP_QUANTITY_TIME, "1,5s", LP_INPUT_ERROR_SYNTAX, "is not"},
        {LP_QUANTITY_TIME, "1s\n2s", LP_INPUT_ERROR_SYNTAX, "\"1s 2s\" is not"},
        {LP_QUANTITY_SIZE, "1 KB", LP_INPUT_ERROR_SYNTAX, "is not a size"},
        {LP_QUANTITY_SPEED, "1TFLOP", LP_INPUT_ERROR_SYNTAX, "is not a speed"},
        {LP_QUANTITY_POWER, "1", LP_INPUT_ERROR_SYNTAX, "a power such as 400W"},
        {LP_QUANTITY_ENERGY_PER_BIT, "1J", LP_INPUT_ERROR_SYNTAX, "an energy per bit"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        double value = 0;
        lp_test_true(rows[i].text,
                     !lp_quantity_parse(rows[i].quantity, rows[i].text, &value, &error));
        lp_test_error(rows[i].text, &error, LP_INPUT_ERROR, rows[i].code, rows[i].part);
    }
}

static void
test_range(void)
{
    g_autoptr(GError) error = NULL;
    double value = 0;
    lp_test_true("at the end", lp_quantity_parse_in(LP_QUANTITY_TIME, "1s", 0, 1, &value, &error));
    lp_test_true("above", !lp_quantity_parse_in(LP_QUANTITY_TIME, "2s", 0, 1, &value, &error));
    lp_test_error("above", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                  "\"2s\" is out of range, wanted 0s to 1s");
    lp_test_true("below",
                 !lp_quantity_parse_in(LP_QUANTITY_BANDWIDTH, "0GBps", 1, 1e18, &value, &error));
    lp_test_error("below", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "wanted 1Bps to 1EBps");
}

static void
test_texts(void)
{
    static const struct {
        LpQuantity quantity;
        double value;
        const char *shown;
        const char *text;
    } rows[] = {
        {LP_QUANTITY_BANDWIDTH, 25e9, "25 GB/s", "25GBps"},
        {LP_QUANTITY_BANDWIDTH, 300e9, "300 GB/s", "300GBps"},
        {LP_QUANTITY_BANDWIDTH, 999.96e9, "1 TB/s", "999.96GBps"},
        {LP_QUANTITY_BANDWIDTH, 6.25e9, "6.25 GB/s", "6.25GBps"},
        {LP_QUANTITY_BANDWIDTH, 1e18, "1 EB/s", "1EBps"},
        {LP_QUANTITY_BANDWIDTH, 0, "0 B/s", "0Bps"},
        {LP_QUANTITY_TIME, 1.2344 * 1e-3, "1.234 ms", "1.2344ms"},
        {LP_QUANTITY_TIME, 1e-6, "1 us", "1us"},
        {LP_QUANTITY_TIME, 235 * 1e-9, "235 ns", "235ns"},
        {LP_QUANTITY_TIME, 0, "0 s", "0s"},
        {LP_QUANTITY_TIME, 7200, "7200 s", "7200s"},
        {LP_QUANTITY_SIZE, 80e9, "80 GB", "80GB"},
        {LP_QUANTITY_SPEED, 312e12, "312 TFLOP/s", "312Tf"},
        {LP_QUANTITY_POWER, 400, "400 W", "400W"},
        {LP_QUANTITY_ENERGY_PER_BIT, 5e-12, "5 pJ/bit", "5pJ/bit"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *shown = lp_quantity_format(rows[i].quantity, rows[i].value);
        g_autofree char *text = lp_quantity_to_text(rows[i].quantity, rows[i].value);
        lp_test_text(rows[i].text, shown, rows[i].shown);
        lp_test_text(rows[i].text, text, rows[i].text);
    }
}

/* Any double comes back to the bit. */
static void
test_texts_read_back(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    gboolean good = TRUE;
    for (int i = 0; i < 20000 && good; i++) {
        double value = pow(10, g_rand_double_range(random, -12, 19));
        LpQuantity quantity = (LpQuantity)(i % 6);
        g_autofree char *text = lp_quantity_to_text(quantity, value);
        double back = 0;
        good = text != NULL && lp_quantity_parse(quantity, text, &back, NULL) && back == value;
        lp_test_true(text, good);
    }
}

static void
test_counts(void)
{
    static const struct {
        const char *text;
        guint64 value;
        int code; /* -1: good */
    } rows[] = {
        {"0", 0, -1},
        {"1024", 1024, -1},
        {"007", 7, -1},
        {"18446744073709551615", G_MAXUINT64, -1},
        {"18446744073709551616", 0, LP_INPUT_ERROR_VALUE},
        {"-1", 0, LP_INPUT_ERROR_SYNTAX},
        {"+1", 0, LP_INPUT_ERROR_SYNTAX},
        {" 1", 0, LP_INPUT_ERROR_SYNTAX},
        {"1 ", 0, LP_INPUT_ERROR_SYNTAX},
        {"1.5", 0, LP_INPUT_ERROR_SYNTAX},
        {"1e3", 0, LP_INPUT_ERROR_SYNTAX},
        {"nan", 0, LP_INPUT_ERROR_SYNTAX},
        {"", 0, LP_INPUT_ERROR_SYNTAX},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        guint64 value = 0;
        gboolean good = lp_count_parse(rows[i].text, 0, G_MAXUINT64, &value, &error);
        lp_test_true(rows[i].text, good == (rows[i].code < 0) && value == rows[i].value);
        if (rows[i].code >= 0)
            lp_test_error(rows[i].text, &error, LP_INPUT_ERROR, rows[i].code, "a whole number");
    }
    g_autoptr(GError) error = NULL;
    guint64 value = 0;
    lp_test_true("range", !lp_count_parse("9", 1, 8, &value, &error));
    lp_test_error("range", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                  "\"9\" is out of range, wanted a whole number from 1 to 8");
}

static void
test_numbers(void)
{
    static const struct {
        const char *text;
        double value;
        int code; /* -1: good */
    } rows[] = {
        {"0.5", 0.5, -1},
        {"-1", -1, -1},
        {"1e0", 1, -1},
        {"2", 0, LP_INPUT_ERROR_VALUE},
        {"1e30", 0, LP_INPUT_ERROR_VALUE},
        {"-1e999", 0, LP_INPUT_ERROR_VALUE},
        {"nan", 0, LP_INPUT_ERROR_SYNTAX},
        {"inf", 0, LP_INPUT_ERROR_SYNTAX},
        {"0,5", 0, LP_INPUT_ERROR_SYNTAX},
        {"0.5x", 0, LP_INPUT_ERROR_SYNTAX},
        {"", 0, LP_INPUT_ERROR_SYNTAX},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        double value = 0;
        gboolean good = lp_number_parse(rows[i].text, -1, 1, &value, &error);
        lp_test_true(rows[i].text, good == (rows[i].code < 0) && value == rows[i].value);
        if (rows[i].code >= 0)
            lp_test_error(rows[i].text, &error, LP_INPUT_ERROR, rows[i].code, "a number from -1");
    }
}

static void
test_names(void)
{
    static const char *const names[] = {"none", "selective", "full", NULL};
    g_autoptr(GError) error = NULL;
    gboolean yes = FALSE;
    lp_test_true("full", lp_choice_parse("full", names, &error) == 2);
    lp_test_true("ful", lp_choice_parse("ful", names, &error) == -1);
    lp_test_error("ful", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                  "\"ful\" is not one of none, selective, full; the nearest is full");
    lp_test_true("far", lp_choice_parse("everything", names, &error) == -1);
    lp_test_text("far", error->message, "\"everything\" is not one of none, selective, full");
    g_clear_error(&error);
    g_autofree char *long_name = g_strnfill(100000, 'x');
    lp_test_true("long", lp_choice_parse(long_name, names, &error) == -1);
    lp_test_error("long", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME, "...");
    lp_test_true("yes", lp_boolean_parse("yes", &yes, &error) && yes);
    lp_test_true("no", lp_boolean_parse("no", &yes, &error) && !yes);
    lp_test_true("true", !lp_boolean_parse("true", &yes, &error));
    lp_test_error("true", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                  "\"true\" is not yes or no");
}

/* What is like none of the names is no guess at all. */
static void
test_like_names(void)
{
    static const char *const names[] = {"none",     "selective", "full",        "h200-sxm",
                                        "h100-sxm", "tp",        "a100-sxm-80", NULL};
    static const char *const no_names[] = {NULL};
    static const struct {
        const char *text, *like;
    } rows[] = {
        {"selctive", "selective"},
        {"SEL", "selective"},
        {"fulll", "full"},
        {"nnoe", "none"},
        {"h100", "h100-sxm"},
        {"h300-sxm", "h200-sxm"},
        {"t", "tp"},
        {"pp", "tp"},
        {"sxm-80", "a100-sxm-80"},
        {"SXM", "h200-sxm"},
        {"full-layers", "full"},
        {"balanced", NULL},
        {"zzzz", NULL},
        {"xy", NULL},
        {"0", NULL},
        {"-80", "a100-sxm-80"},
        {"", NULL},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_true(rows[i].text, g_strcmp0(lp_like_name(rows[i].text, names), rows[i].like) == 0);
    lp_test_true("none to be like", lp_like_name("x", no_names) == NULL);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"quantities", test_quantities},
                                       {"bad quantities", test_bad_quantities},
                                       {"range", test_range},
                                       {"texts", test_texts},
                                       {"texts read back", test_texts_read_back},
                                       {"counts", test_counts},
                                       {"numbers", test_numbers},
                                       {"names", test_names},
                                       {"like names", test_like_names},
                                       {NULL, NULL}};
    return lp_test_run("units", cases);
}
