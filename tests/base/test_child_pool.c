/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of children: each result comes to its own task, and a bad end ends them all. */
#include "base/child_pool.h"

#include "tests/testlib.h"

#include <unistd.h>

#define N 20

static void
square(const void *data, GByteArray *result)
{
    guint64 number = *(const guint64 *)data;
    *(guint64 *)(gpointer)result->data = number * number;
}

static void
leave(const void *data, GByteArray *result)
{
    (void)data;
    (void)result;
    _exit(3);
}

static void
count(guint64 n_done, guint64 n_all, void *data)
{
    guint64 *seen = data;
    lp_test_true("in order", n_done == ++*seen && n_all == N);
}

static void
test_results(void)
{
    static const guint at_once[] = {1, 3, N, 2 * N};
    for (guint k = 0; k < G_N_ELEMENTS(at_once); k++) {
        guint64 numbers[N], results[N], n_seen = 0, peak_rss_bytes = 0;
        LpChildTask tasks[N];
        for (guint64 i = 0; i < N; i++) {
            numbers[i] = i + 1;
            tasks[i] = (LpChildTask){square, &numbers[i], &results[i], sizeof results[i]};
        }
        LpChildPool pool = {
            .name = "child", .n_at_once = at_once[k], .progress = count, .progress_data = &n_seen};
        g_autoptr(GError) error = NULL;
        lp_test_true("good", lp_child_pool_run(&pool, tasks, N, &peak_rss_bytes, &error));
        for (guint64 i = 0; i < N; i++)
            lp_test_true("result", results[i] == (i + 1) * (i + 1));
        lp_test_true("all seen", n_seen == N);
        lp_test_true("memory", peak_rss_bytes > 0);
    }
}

static void
test_bad_end(void)
{
    guint64 number = 2, results[3];
    LpChildTask tasks[3];
    for (guint i = 0; i < 3; i++)
        tasks[i] = (LpChildTask){i == 1 ? leave : square, &number, &results[i], sizeof results[i]};
    LpChildPool pool = {.name = "child", .n_at_once = 2};
    GError *error = NULL;
    lp_test_true("bad", !lp_child_pool_run(&pool, tasks, 3, NULL, &error));
    lp_test_error("bad", &error, LP_CHILD_PROCESS_ERROR, LP_CHILD_PROCESS_ERROR_RESULT, "child");
}

/* Over once @data, a number of tasks that may still begin, is used up. */
static gboolean
use_up(const void *data)
{
    guint *left = (guint *)(gpointer)(guintptr)data;
    return *left == 0 || (*left)-- == 0;
}

static void
test_over(void)
{
    static const guint at_once[] = {1, 3, N, 2 * N};
    for (guint k = 0; k < G_N_ELEMENTS(at_once); k++)
        for (guint n_begun = 0; n_begun <= N; n_begun++) {
            guint left = n_begun;
            guint64 number = 3, results[N] = {0};
            LpChildTask tasks[N];
            for (guint i = 0; i < N; i++)
                tasks[i] = (LpChildTask){square, &number, &results[i], sizeof results[i]};
            LpChildPool pool = {
                .name = "child", .n_at_once = at_once[k], .is_over = use_up, .is_over_data = &left};
            lp_test_true("good", lp_child_pool_run(&pool, tasks, N, NULL, NULL));
            for (guint i = 0; i < N; i++)
                lp_test_true("those that began", results[i] == (i < n_begun ? 9 : 0));
        }
}

static void
test_nothing(void)
{
    LpChildPool pool = {.name = "child", .n_at_once = 2};
    lp_test_true("nothing", lp_child_pool_run(&pool, NULL, 0, NULL, NULL));
}

int
main(void)
{
    static const LpTestCase cases[] = {{"results", test_results},
                                       {"bad end", test_bad_end},
                                       {"over", test_over},
                                       {"nothing", test_nothing},
                                       {NULL, NULL}};
    return lp_test_run("child_pool", cases);
}
