/* SPDX-License-Identifier: Apache-2.0 */
/* JSON is read strictly, and printed in one layout. */
#include "base/json.h"

#include "base/error.h"
#include "tests/testlib.h"

#include <math.h>
#include <string.h>

static void
test_read(void)
{
    static const struct {
        const char *label, *text, *wanted;
    } rows[] = {
        {"byte-order mark", "\xef\xbb\xbf{\"a\": 1}", "{\"a\":1}"},
        {"keys keep their order", "{\"b\": [true, null], \"a\": \"\\u00e9\"}",
         "{\"b\":[true,null],\"a\":\"\u00e9\"}"},
        {"a number alone", " 1.5e-7\n", "1.4999999999999999e-07"},
        {"the largest count", "[9223372036854775807]", "[9223372036854775807]"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(json_t) node = lp_json_read("x.json", rows[i].text, strlen(rows[i].text), &error);
        lp_test_text(rows[i].label, error != NULL ? error->message : NULL, NULL);
        g_autofree char *printed = node != NULL ? lp_json_print_line(node) : NULL;
        lp_test_text(rows[i].label, printed, rows[i].wanted);
    }
}

static void
test_faults(void)
{
    g_autofree char *deep = g_strnfill(100000, '[');
    const struct {
        const char *label, *text, *part;
    } rows[] = {
        {"nothing", "", "x.json:1: got "},
        {"a key twice", "{\n\"a\": 1,\n\"a\": 2}",
         "x.json:3: got no JSON (duplicate object key near '\"a\"'), wanted"},
        {"a key twice, inside", "{\"b\": {\"a\": 1, \"a\": 1}}", "duplicate object key"},
        {"not a number", "[NaN]", "x.json:1: got no JSON (invalid token near 'NaN'), wanted JSON"},
        {"infinite", "[1,\n-Infinity]", "x.json:2: got "},
        {"beyond a double", "[1e999]", "real number overflow near '1e999'"},
        {"beyond 64 bits", "[9223372036854775808]", "too big integer"},
        {"hexadecimal", "[0x20]", "x.json:1: got "},
        {"a leading zero", "[032]", "invalid token"},
        {"a comment", "{\n// one\n}", "x.json:2: got "},
        {"a last comma", "[1,]", "x.json:1: got "},
        {"behind the end", "{} {}", "end of file expected"},
        {"no end", "{\"a\": 1,\n\n", "x.json:3: got "},
        {"a line in a text", "[\"a\nb\"]", "unexpected newline"},
        {"not UTF-8", "[\"\xff\"]", "unable to decode byte 0xff"},
        {"a zero byte", "[\"\\u0000\"]", "\\u0000 is not allowed"},
        {"half a mark", "\xef\xbb{}", "x.json:1: got "},
        {"deep", deep, "maximum parsing depth reached"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(json_t) node = lp_json_read("x.json", rows[i].text, strlen(rows[i].text), &error);
        lp_test_true(rows[i].label, node == NULL);
        lp_test_error(rows[i].label, &error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, rows[i].part);
    }
}

/* Each number as JSON that other readers take, and so that it comes back the same. */
static void
test_numbers(void)
{
    static const struct {
        double value;
        const char *wanted;
    } rows[] = {{0.0, "0.0"},
                {-0.0, "0.0"},
                {1.0, "1.0"},
                {-2.5, "-2.5"},
                {0.1, "0.10000000000000001"},
                {1e16, "10000000000000000.0"},
                {1e18, "1e+18"},
                {-1e300, "-1.0000000000000001e+300"},
                {4e-320, "3.999955468730732e-320"},
                {NAN, "null"},
                {INFINITY, "null"},
                {-INFINITY, "null"}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(json_t) array = json_array();
        lp_json_append_number(array, rows[i].value);
        g_autofree char *printed = lp_json_print_line(array);
        g_autofree char *wanted = g_strconcat("[", rows[i].wanted, "]", NULL);
        lp_test_text(rows[i].wanted, printed, wanted);
        g_autoptr(json_t) back = lp_json_read("back", printed, strlen(printed), NULL);
        lp_test_true(rows[i].wanted, back != NULL);
        if (isfinite(rows[i].value))
            lp_test_true(rows[i].wanted, json_real_value(json_array_get(back, 0)) == rows[i].value);
    }
}

static void
test_layout(void)
{
    g_autoptr(json_t) root = json_object();
    lp_json_set_text(root, "text", "a\"b\\c\n\xff");
    lp_json_set_count(root, "count", 7);
    lp_json_set_number(root, "number", 0.5);
    lp_json_set_number(lp_json_set_object(root, "inner"), "x", NAN);
    json_t *list = lp_json_set_array(root, "list");
    lp_json_append_text(list, "one");
    lp_json_set_count(lp_json_append_object(list), "two", 2);
    (void)lp_json_set_array(root, "none");
    (void)lp_json_set_object(root, "nothing");
    g_autofree char *printed = lp_json_print(root);
    g_autofree char *line = lp_json_print_line(root);
    g_autofree char *flat = lp_json_print_flat(root);
    lp_test_text("indented", printed,
                 "{\n"
                 "  \"text\" : \"a\\\"b\\\\c\\n\xef\xbf\xbd\",\n"
                 "  \"count\" : 7,\n"
                 "  \"number\" : 0.5,\n"
                 "  \"inner\" : {\n"
                 "    \"x\" : null\n"
                 "  },\n"
                 "  \"list\" : [\n"
                 "    \"one\",\n"
                 "    {\n"
                 "      \"two\" : 2\n"
                 "    }\n"
                 "  ],\n"
                 "  \"none\" : [],\n"
                 "  \"nothing\" : {  }\n"
                 "}\n");
    lp_test_text("a line", line,
                 "{\"text\":\"a\\\"b\\\\c\\n\xef\xbf\xbd\",\"count\":7,\"number\":0.5,"
                 "\"inner\":{\"x\":null},\"list\":[\"one\",{\"two\":2}],\"none\":[],"
                 "\"nothing\":{}}");
    lp_test_true("flat", strstr(flat, "\n\"inner\" : {\n\"x\" : null\n},\n") != NULL);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"read", test_read},
                                       {"faults", test_faults},
                                       {"numbers", test_numbers},
                                       {"layout", test_layout},
                                       {NULL, NULL}};
    return lp_test_run("json", cases);
}
