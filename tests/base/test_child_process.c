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

static gboolean
fill(const void *data, GByteArray *result, GError **error)
{
    (void)error;
    if (result->len > 0)
        memset(result->data, *(const guint8 *)data, result->len);
    return TRUE;
}

static gboolean
append(const void *data, GByteArray *result, GError **error)
{
    (void)error;
    const char *text = data;
    g_byte_array_append(result, (const guint8 *)text, (guint)strlen(text));
    return TRUE;
}

static gboolean
crash(const void *data, GByteArray *result, GError **error)
{
    (void)error;
    (void)result;
    (void)kill(getpid(), *(const int *)data);
    return TRUE;
}

static gboolean
leave(const void *data, GByteArray *result, GError **error)
{
    (void)error;
    (void)result;
    _exit(*(const int *)data);
}

/* Gives @data as a message, and has left a part of a result before. */
static gboolean
refuse(const void *data, GByteArray *result, GError **error)
{
    (void)append("part", result, NULL);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME, "got %s, wanted more",
                (const char *)data);
    return FALSE;
}

static gboolean
say_nothing(const void *data, GByteArray *result, GError **error)
{
    (void)error;
    (void)append(data, result, NULL);
    return FALSE;
}

G_GNUC_NORETURN static gboolean
sleep_on(const void *data, GByteArray *result, GError **error)
{
    (void)error;
    (void)append(data, result, NULL);
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
        {"no word", "no word: got no result (wait status 256)", say_nothing, "some"},
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

/* An error of the work comes home with its domain, its code and all of its message. */
static void
test_errors(void)
{
    g_autofree char *text = g_strnfill(3000, 'x');
    g_autofree char *part = g_strdup_printf("got %s, wanted more", text);
    for (gboolean finishes = FALSE; finishes <= TRUE; finishes++) {
        guint8 got[4];
        GError *error = NULL;
        LpChildProcess *child = lp_child_process_start("refuse", refuse, text, 0, &error);
        LpChildProcess *children[] = {child};
        while (!lp_child_process_has_ended(child))
            lp_child_process_wait_any(children, 1, 1000);
        lp_test_true("it left one", lp_child_process_left_error(child));
        if (finishes)
            lp_test_true("finish", !lp_child_process_finish(child, got, 4, NULL, &error));
        else
            lp_test_true("check", !lp_child_process_check(child, &error));
        lp_test_error("refuse", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME, part);
        if (!finishes)
            lp_child_process_free(child);
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
                                       {"errors of the work", test_errors},
                                       {"whichever ends first", test_any},
                                       {"freeing", test_free},
                                       {NULL, NULL}};
    return lp_test_run("child process", cases);
}
