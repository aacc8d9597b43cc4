/* SPDX-License-Identifier: Apache-2.0 */
/* Items of a list come one by one, and say what is wrong as the whole would. */
#include "base/json_items.h"

#include "base/error.h"
#include "tests/testlib.h"

#include <string.h>

static gboolean
take(json_t *item, gsize index, gpointer data, GError **error)
{
    GString *seen = data;
    g_autofree char *text = json_dumps(item, JSON_COMPACT | JSON_ENCODE_ANY);
    g_string_append_printf(seen, "%" G_GSIZE_FORMAT "=%s;", index, text);
    return strcmp(text, "\"stop\"") != 0 ||
           (g_set_error_literal(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "stopped"), FALSE);
}

static void
test_items(void)
{
    static const struct {
        const char *text, *seen, *rest;
    } rows[] = {{"{\"a\": 1, \"list\": [1, {\"b\": [2, \"]\"]}, \"x\\\"],\"], \"c\": [3]}",
                 "0=1;1={\"b\":[2,\"]\"]};2=\"x\\\"],\";", "{\"a\":1,\"list\":[],\"c\":[3]}"},
                {" { \"deep\" : { \"list\" : [ 7 ] } , \"list\" : [ ] } ", "",
                 "{\"deep\":{\"list\":[7]},\"list\":[]}"},
                {"[1,[],{}]", "0=1;1=[];2={};", "[]"},
                {"[]", "", "[]"},
                {"{\"other\": [1]}", "", "{\"other\":[1]}"},
                {"{\"list\": {\"list\": [1]}}", "", "{\"list\":{\"list\":[1]}}"},
                {"5", "", "5"},
                {"\xef\xbb\xbf[1]", "0=1;", "[]"},
                {"\xef\xbb\xbf{}", "", "{}"}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GString) seen = g_string_new(NULL);
        g_autoptr(json_t) rest =
            lp_json_read_items("f", rows[i].text, strlen(rows[i].text), "list", take, seen, &error);
        g_autofree char *text =
            rest != NULL ? json_dumps(rest, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
        lp_test_text(rows[i].text, seen->str, rows[i].seen);
        lp_test_text(rows[i].text, text, rows[i].rest);
    }
}

static void
test_faults(void)
{
    static const struct {
        const char *text, *part;
    } rows[] = {{"", "f:1: got no JSON"},
                {"[", "f:1: got no JSON"},
                {"[1,\n2,\n}", "f:3: got no JSON"},
                {"[1,\n2", "f:2: got no JSON"},
                {"{\"list\": [1,\n\n{\"a\": }]}", "f:3: got no JSON"},
                {"{\"list\": [1,]}", "f:1: got no JSON"},
                {"{\"list\": [1 2]}", "f:1: got no JSON"},
                {"{\"list\": [{\"a\": 1, \"a\": 2}]}", "duplicate"},
                {"{\"list\": [1],\n \"list\": [2]}", "duplicate"},
                {"{\"list\": [\n1\n],\n \"b\": x}", "f:4: got no JSON"},
                {"{\"list\": [\"no end]}", "f:1: got no JSON"},
                {"{\"list\": [[[[]}", "f:1: got no JSON"},
                {"{\"list\": [\"stop\", x]}", "stopped"},
                {"{\"list\": [1]} {}", "f:1: got no JSON"}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GString) seen = g_string_new(NULL);
        g_autoptr(json_t) rest =
            lp_json_read_items("f", rows[i].text, strlen(rows[i].text), "list", take, seen, &error);
        lp_test_true(rows[i].text, rest == NULL);
        lp_test_contains(rows[i].text, error != NULL ? error->message : "none", rows[i].part);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"items", test_items}, {"faults", test_faults}, {NULL, NULL}};
    return lp_test_run("json_items", cases);
}
