/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of a rank's nodes: each behind what it depends on, else as in the file. */
#include "workloads/traces/trace_order.h"

#include "tests/testlib.h"

#include <string.h>

/* A rank of nodes as in "abd b cb d": the first, a, depends on b and d. Returns: (transfer full).
 */
static LpTrace *
trace(const char *text)
{
    LpTrace *self = lp_trace_new("test", 1);
    lp_trace_rank(self, 0)->path = g_strdup("test");
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    for (char **word = words; *word != NULL; word++) {
        const LpTraceNode node = {.id = (guint64)(*word)[0]};
        (void)lp_trace_add_node(lp_trace_rank(self, 0), &node);
        for (const char *on = *word + 1; *on != '\0'; on++)
            lp_trace_add_dep(lp_trace_rank(self, 0), (guint64)*on);
    }
    return self;
}

/* The order of @text, of which the nodes @late are late, in letters; or the error. */
static char *
order_of(const char *text, const char *late)
{
    g_autoptr(LpTrace) self = trace(text);
    const LpTraceRank *rank = lp_trace_rank(self, 0);
    g_autofree gboolean *is_late = g_new0(gboolean, rank->nodes->len);
    for (guint i = 0; i < rank->nodes->len; i++)
        is_late[i] = strchr(late, (int)lp_trace_node(rank, i)->id) != NULL;
    g_autoptr(GError) error = NULL;
    g_autofree guint *deps = NULL;
    g_autoptr(GArray) order = lp_trace_order(rank, is_late, &deps, &error);
    if (order == NULL)
        return g_strdup(error->message);
    GString *letters = g_string_new(NULL);
    for (guint i = 0; i < order->len; i++)
        g_string_append_c(letters, (char)lp_trace_node(rank, g_array_index(order, guint, i))->id);
    return g_string_free(letters, FALSE);
}

static void
test_order(void)
{
    static const struct {
        const char *text, *late, *order;
    } rows[] = {
        {"a b c", "", "abc"},
        {"a ba cb", "", "abc"},
        {"abcd b c d", "", "bcda"}, /* in the order in which a names them */
        {"adcb b c d", "", "dcba"},
        {"aeb b cb dc ed", "", "bcdea"},
        {"ab bc c da eba", "", "cbade"},
        {"a b ca d", "a", "bacd"}, /* before the first that depends on it */
        {"a b c", "a", "bca"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *got = order_of(rows[i].text, rows[i].late);
        lp_test_text(rows[i].text, got, rows[i].order);
    }
}

static void
test_refused(void)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"a bc cb", "a cycle of dependencies through node"},
        {"ab", "a dependency on node 98"},
        {"a b a", "a second node 97"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *got = order_of(rows[i].text, "");
        lp_test_contains(rows[i].text, got, rows[i].part);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"order", test_order}, {"refused", test_refused}, {NULL, NULL}};
    return lp_test_run("orders of traces", cases);
}
