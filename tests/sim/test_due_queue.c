/* SPDX-License-Identifier: Apache-2.0 */
/* A queue of what is due, against looking at all of it. */
#include "sim/actors/due_queue.h"

#include "tests/testlib.h"

#define N_ITEMS 40
#define N_TURNS 4000
/* Few instants, so that many are due at one. */
#define N_INSTANTS 12

/* The one of lowest number of those due first, of all that are in the queue. */
static const LpDue *
find_first(const LpDue *items)
{
    const LpDue *first = NULL;
    for (guint i = 0; i < N_ITEMS; i++)
        if (items[i].place > 0 &&
            (first == NULL || items[i].at_s < first->at_s ||
             (!(items[i].at_s > first->at_s) && items[i].number < first->number)))
            first = &items[i];
    return first;
}

/* What is in it is moved as often as what is not is put in; and some is taken out. */
static void
test_random(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    g_autoptr(LpDueQueue) queue = lp_due_queue_new();
    LpDue items[N_ITEMS] = {{.at_s = 0.0}};
    gboolean equal = TRUE;
    for (guint turn = 0; turn < N_TURNS; turn++) {
        LpDue *item = &items[g_rand_int_range(rand, 0, N_ITEMS)];
        item->at_s = (double)g_rand_int_range(rand, 0, N_INSTANTS);
        item->number = turn;
        lp_due_queue_put(queue, item);
        equal = equal && lp_due_queue_first(queue) == find_first(items);
        if (g_rand_int_range(rand, 0, 3) > 0)
            continue;
        lp_due_queue_take_first(queue);
        equal = equal && lp_due_queue_first(queue) == find_first(items);
    }
    lp_test_true("the first is first", equal);
    while (lp_due_queue_first(queue) != NULL && equal) {
        equal = lp_due_queue_first(queue) == find_first(items);
        lp_due_queue_take_first(queue);
    }
    lp_test_true("to the last", equal && find_first(items) == NULL);
}

static void
test_empty(void)
{
    g_autoptr(LpDueQueue) queue = lp_due_queue_new();
    lp_test_true("nothing is due", lp_due_queue_first(queue) == NULL);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"random", test_random}, {"empty", test_empty}, {NULL, NULL}};
    return lp_test_run("due queue", cases);
}
