/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of children: each result comes to its own task, and a bad end ends them all. */
#include "base/child_pool.h"

#include "base/error.h"
#include "tests/testlib.h"

#include <unistd.h>

#define N 20

static gboolean
square(const void *data, GByteArray *result, GError **error)
{
    (void)error;
    guint64 number = *(const guint64 *)data;
    *(guint64 *)(gpointer)result->data = number * number;
    return TRUE;
}

static gboolean
leave(const void *data, GByteArray *result, GError **error)
{
    (void)error;
    (void)data;
    (void)result;
    _exit(3);
}

/* What a pool tells. */
typedef struct {
    guint n_told;
    double first, last;
} Told;

static void
tell(double n_done, guint64 n_all, void *data)
{
    Told *told = data;
    lp_test_true("of all", n_all == N && n_done <= N);
    lp_test_true("it never goes back", told->n_told == 0 || n_done >= told->last);
    if (told->n_told++ == 0)
        told->first = n_done;
    told->last = n_done;
}

static void
test_results(void)
{
    static const guint at_once[] = {1, 3, N, 2 * N};
    for (guint k = 0; k < G_N_ELEMENTS(at_once); k++) {
        guint64 numbers[N], results[N], peak_rss_bytes = 0;
        LpChildTask tasks[N];
        for (guint64 i = 0; i < N; i++) {
            numbers[i] = i + 1;
            tasks[i] = (LpChildTask){.work = square,
                                     .data = &numbers[i],
                                     .out_result = &results[i],
                                     .size_bytes = sizeof results[i]};
        }
        Told told = {0};
        LpChildPool pool = {
            .name = "child", .n_at_once = at_once[k], .progress = tell, .progress_data = &told};
        g_autoptr(GError) error = NULL;
        lp_test_true("good", lp_child_pool_run(&pool, tasks, N, &peak_rss_bytes, &error));
        for (guint64 i = 0; i < N; i++)
            lp_test_true("result", results[i] == (i + 1) * (i + 1));
        lp_test_true("from none", told.first == 0.0);
        lp_test_true("to all", told.last == N);
        lp_test_true("memory", peak_rss_bytes > 0);
    }
}

/* Says that half is done, and waits until its parent has heard of it. */
static gboolean
stop_half_way(const void *data, GByteArray *result, GError **error)
{
    (void)error;
    (void)result;
    lp_child_process_report(1.0, 2, NULL);
    char sign;
    int heard = *(const int *)data;
    _exit(read(heard, &sign, 1) == 1 ? 0 : 4);
}

typedef struct {
    double most;
    int heard;
} Half;

static void
hear(double n_done, guint64 n_all, void *data)
{
    Half *half = data;
    if (n_done < (double)n_all)
        half->most = MAX(half->most, n_done / (double)n_all);
    if (half->most > 0.0 && half->heard >= 0) {
        lp_test_true("the child may end", write(half->heard, "h", 1) == 1);
        half->heard = -1;
    }
}

/* A child's share counts before it has ended, in a pool and by itself. */
static void
test_share(void)
{
    for (guint i = 0; i < 2; i++) {
        int ends[2];
        lp_test_true("a pipe", pipe(ends) == 0);
        Half half = {0.0, ends[1]};
        g_autoptr(GError) error = NULL;
        if (i == 0) {
            LpChildTask task = {.work = stop_half_way, .data = &ends[0]};
            LpChildPool pool = {
                .name = "child", .n_at_once = 1, .progress = hear, .progress_data = &half};
            lp_test_true("good", lp_child_pool_run(&pool, &task, 1, NULL, &error));
        } else {
            g_autoptr(LpChildProcess) child =
                lp_child_process_start("child", stop_half_way, &ends[0], 0, &error);
            lp_child_process_wait(child, hear, &half);
            lp_test_true("well", lp_child_process_status(child) == 0);
        }
        lp_test_true("half", half.most == 0.5);
        (void)close(ends[0]);
        (void)close(ends[1]);
    }
    lp_test_true("no child has no board", lp_child_process_board() == NULL);
}

static void
test_bad_end(void)
{
    guint64 number = 2, results[3];
    LpChildTask tasks[3];
    for (guint i = 0; i < 3; i++)
        tasks[i] = (LpChildTask){.work = i == 1 ? leave : square,
                                 .data = &number,
                                 .out_result = &results[i],
                                 .size_bytes = sizeof results[i]};
    LpChildPool pool = {.name = "child", .n_at_once = 2};
    GError *error = NULL;
    lp_test_true("bad", !lp_child_pool_run(&pool, tasks, 3, NULL, &error));
    lp_test_error("bad", &error, LP_CHILD_PROCESS_ERROR, LP_CHILD_PROCESS_ERROR_RESULT, "child");
}

/* Refuses odd numbers, the small ones late. */
static gboolean
refuse_odd(const void *data, GByteArray *result, GError **error)
{
    guint64 number = *(const guint64 *)data;
    if (number % 2 == 0)
        return square(data, result, error);
    g_usleep(number < 8 ? 50000 : 0);
    return lp_value_error(error, "got %" G_GUINT64_FORMAT ", wanted an even number", number);
}

/* An error goes to its own task, or the first of all ends the pool. */
static void
test_errors(void)
{
    static const guint at_once[] = {1, 3, N};
    for (guint k = 0; k < G_N_ELEMENTS(at_once); k++)
        for (gboolean keeps = FALSE; keeps <= TRUE; keeps++) {
            guint64 numbers[N], results[N] = {0};
            GError *errors[N] = {NULL}, *error = NULL;
            LpChildTask tasks[N];
            for (guint64 i = 0; i < N; i++) {
                numbers[i] = i + 4;
                tasks[i] = (LpChildTask){.work = refuse_odd,
                                         .data = &numbers[i],
                                         .out_result = &results[i],
                                         .size_bytes = sizeof results[i],
                                         .out_error = keeps ? &errors[i] : NULL};
            }
            LpChildPool pool = {.name = "child", .n_at_once = at_once[k]};
            lp_test_true("kept", lp_child_pool_run(&pool, tasks, N, NULL, &error) == keeps);
            if (!keeps)
                lp_test_error("the first", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                              "got 5, wanted an even number");
            for (guint i = 0; i < N && keeps; i++) {
                lp_test_true("either", (errors[i] != NULL) == (numbers[i] % 2 == 1));
                lp_test_true("result",
                             results[i] == (errors[i] != NULL ? 0 : numbers[i] * numbers[i]));
                g_clear_error(&errors[i]);
            }
        }
}

/* Fails as if all open files, or all processes, were in use. */
static gboolean
run_short(const void *data, GByteArray *result, GError **error)
{
    (void)result;
    const GQuark domains[] = {LP_INPUT_ERROR, LP_CHILD_PROCESS_ERROR, LP_CHILD_PROCESS_ERROR};
    static const int codes[] = {LP_INPUT_ERROR_SHORT, LP_CHILD_PROCESS_ERROR_START,
                                LP_CHILD_PROCESS_ERROR_RESULT};
    guint64 which = *(const guint64 *)data;
    g_set_error_literal(error, domains[which], codes[which], "too many");
    return FALSE;
}

/* What says nothing of a task is no answer of it. */
static void
test_shortage(void)
{
    for (guint64 which = 0; which < 3; which++) {
        GError *own = NULL, *error = NULL;
        LpChildTask task = {.work = run_short, .data = &which, .out_error = &own};
        LpChildPool pool = {.name = "child", .n_at_once = 1};
        lp_test_true("ends", !lp_child_pool_run(&pool, &task, 1, NULL, &error));
        lp_test_true("not the task's", own == NULL && lp_error_is_shortage(error));
        g_clear_error(&error);
    }
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
                tasks[i] = (LpChildTask){.work = square,
                                         .data = &number,
                                         .out_result = &results[i],
                                         .size_bytes = sizeof results[i]};
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
    static const LpTestCase cases[] = {{"results", test_results},   {"share", test_share},
                                       {"bad end", test_bad_end},   {"errors", test_errors},
                                       {"shortage", test_shortage}, {"over", test_over},
                                       {"nothing", test_nothing},   {NULL, NULL}};
    return lp_test_run("child_pool", cases);
}
