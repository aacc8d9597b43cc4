/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes: results of any size come home whole, and every bad end is told. */
#include "base/child_process.h"

#include "tests/testlib.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Far more than a pipe holds at a time. */
#define LARGE_BYTES (3u << 20)

static void
fill(const void *data, GByteArray *result)
{
    if (result->len > 0)
        memset(result->data, *(const guint8 *)data, result->len);
}

static void
append(const void *data, GByteArray *result)
{
    const char *text = data;
    g_byte_array_append(result, (const guint8 *)text, (guint)strlen(text));
}

static void
crash(const void *data, GByteArray *result)
{
    (void)result;
    (void)kill(getpid(), *(const int *)data);
}

static void
leave(const void *data, GByteArray *result)
{
    (void)result;
    _exit(*(const int *)data);
}

static void
sleep_on(const void *data, GByteArray *result)
{
    append(data, result);
    for (;;)
        (void)pause();
}

static void
test_sizes(void)
{
    static const gsize sizes[] = {0, 1, 4096, 65536, 65537, LARGE_BYTES};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        const guint8 value = (guint8)(i + 1);
        guint64 peak_rss_bytes = 1;
        g_autoptr(GError) error = NULL;
        g_autofree char *label = g_strdup_printf("%" G_GSIZE_FORMAT " bytes", sizes[i]);
        g_autofree guint8 *got = g_malloc0(sizes[i] + 1);
        LpChildProcess *child = lp_child_process_start("fill", fill, &value, sizes[i], &error);
        lp_test_true(label, child != NULL && lp_child_process_finish(child, got, sizes[i],
                                                                     &peak_rss_bytes, &error));
        lp_test_true(label, error == NULL && peak_rss_bytes > 1);
        for (gsize at = 0; at < sizes[i]; at++)
            if (got[at] != value) {
                lp_test_true(label, FALSE);
                break;
            }
        lp_test_true(label, got[sizes[i]] == 0);
    }
}

static void
test_zeroed(void)
{
    guint64 got[2] = {1, 2};
    g_autoptr(GError) error = NULL;
    LpChildProcess *child = lp_child_process_start("append", append, "", sizeof got, &error);
    lp_test_true("zeros",
                 child != NULL && lp_child_process_finish(child, got, sizeof got, NULL, &error));
    lp_test_true("zeros", got[0] == 0 && got[1] == 0);
}

static void
test_faults(void)
{
    static const int killed = SIGKILL, status = 3;
    static const char text[] = "five!";
    static const struct {
        const char *name, *part;
        LpChildWork work;
        const void *data;
    } rows[] = {
        {"a signal", "a signal: got no result (wait status 9), wanted one", crash, &killed},
        {"a status", "a status: got no result (wait status 768)", leave, &status},
        {"a short result", "a short result: got no result (wait status 0)", append, ""},
        {"a long result", "a long result: got no result (wait status 0)", append, text},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        guint8 got[4] = {0};
        g_autoptr(GError) error = NULL;
        LpChildProcess *child =
            lp_child_process_start(rows[i].name, rows[i].work, rows[i].data, 0, &error);
        lp_test_true(rows[i].name,
                     child != NULL && !lp_child_process_finish(child, got, 4, NULL, &error));
        lp_test_error(rows[i].name, &error, LP_CHILD_PROCESS_ERROR, LP_CHILD_PROCESS_ERROR_RESULT,
                      rows[i].part);
    }
}

static gboolean
result_is(const LpChildProcess *self, const char *text)
{
    const GByteArray *result = lp_child_process_result(self);
    return result->len == strlen(text) && memcmp(result->data, text, result->len) == 0;
}

/* The first of three has ended well, the second never ends by itself, the third is none. */
static void
test_any(void)
{
    LpChildProcess *children[] = {
        lp_child_process_start("quick", append, "done", 0, NULL),
        lp_child_process_start("endless", sleep_on, "never", 0, NULL),
        NULL,
    };
    for (guint i = 0; i < 100 && !lp_child_process_has_ended(children[0]); i++)
        lp_child_process_wait_any(children, G_N_ELEMENTS(children), 1000);
    lp_test_true("quick", lp_child_process_has_ended(children[0]) &&
                              lp_child_process_status(children[0]) == 0 &&
                              result_is(children[0], "done"));
    lp_child_process_wait_any(children, G_N_ELEMENTS(children), 1);
    lp_test_true("endless", !lp_child_process_has_ended(children[1]));
    lp_child_process_kill(children[1]);
    for (guint i = 0; i < 100 && !lp_child_process_has_ended(children[1]); i++)
        lp_child_process_wait_any(children, G_N_ELEMENTS(children), 1000);
    lp_test_true("ended", lp_child_process_has_ended(children[1]) &&
                              WIFSIGNALED(lp_child_process_status(children[1])) &&
                              WTERMSIG(lp_child_process_status(children[1])) == SIGKILL);
    /* Nothing to wait for: at once. */
    lp_child_process_wait_any(children, G_N_ELEMENTS(children), 60000);
    lp_child_process_free(children[0]);
    lp_child_process_free(children[1]);
}

/* Freeing ends what still runs, and leaves no process that nobody has waited for. */
static void
test_free(void)
{
    lp_child_process_free(NULL);
    lp_child_process_free(lp_child_process_start("endless", sleep_on, "", 0, NULL));
    lp_test_true("none is left", waitpid(-1, NULL, WNOHANG) == -1);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"results of any size", test_sizes},
                                       {"a result begins as zeros", test_zeroed},
                                       {"bad ends", test_faults},
                                       {"whichever ends first", test_any},
                                       {"freeing", test_free},
                                       {NULL, NULL}};
    return lp_test_run("child process", cases);
}
