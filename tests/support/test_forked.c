/* SPDX-License-Identifier: Apache-2.0 */
/* What a child process finds comes home, and so does each way to fail in it. That is seen from
 * outside: the program runs itself with the name of a case that must fail. */
#include "tests/support/forked.h"

#include "tests/testlib.h"

#include <CUnit/TestRun.h>
#include <gio/gio.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- what must fail, each run by name in a program of its own --- */

static gboolean
assert_in_child(const void *input, void *result)
{
    (void)input;
    (void)result;
    lp_test_true("holds", TRUE);
    lp_test_text("label of the child", "this", "that");
    return TRUE;
}

static gboolean
say_no(const void *input, void *result)
{
    (void)input;
    (void)result;
    return FALSE;
}

static gboolean
die(const void *input, void *result)
{
    (void)input;
    (void)result;
    (void)raise(SIGKILL);
    return TRUE;
}

static gboolean
leave(const void *input, void *result)
{
    (void)input;
    (void)result;
    _exit(0);
}

static gboolean
assert_in_text(const void *input, GString *text)
{
    g_string_append(text, "text");
    lp_test_close("label of the child", 1.0, 2.0, *(const double *)input);
    return TRUE;
}

static void
fail_by_assertion(void)
{
    lp_test_failed("before", "not the child's");
    int result = 3;
    gboolean good = lp_forked_result("parent", assert_in_child, NULL, &result, sizeof result);
    if (!good && result == 3)
        fprintf(stderr, "told, and nothing written\n");
}

static void
fail_by_answer(void)
{
    (void)lp_forked_result("parent", say_no, NULL, NULL, 0);
}

static void
fail_by_signal(void)
{
    (void)lp_forked_result("parent", die, NULL, NULL, 0);
}

static void
fail_by_silence(void)
{
    int result = 3;
    lp_test_true("told", lp_forked_result("parent", leave, NULL, &result, sizeof result));
}

static void
fail_in_text(void)
{
    double tolerance = 1e-3;
    g_autofree char *text = lp_forked_text("parent", assert_in_text, &tolerance);
    if (*text == '\0')
        fprintf(stderr, "told, and nothing written\n");
}

static const struct {
    LpTestCase test;
    const char *shown[3]; /* by the parent */
} failing[] = {
    {{"assertion", fail_by_assertion},
     {"parent: label of the child: got \"this\", wanted \"that\"", "told, and nothing written",
      "failures 2"}},
    {{"answer", fail_by_answer}, {"parent: child process: got \"ended with 1\"", "failures 1"}},
    {{"signal", fail_by_signal},
     {"parent: child process: got \"ended by signal 9\"", "failures 1"}},
    {{"silence", fail_by_silence}, {"told: is false", "failures 1"}},
    {{"text", fail_in_text},
     {"parent: label of the child: got 1, wanted 2", "told, and nothing written", "failures 1"}},
};

static void
print_count(void)
{
    fprintf(stderr, "failures %u\n", CU_get_number_of_failure_records());
}

/* Runs the case of @failing that is called @name, and counts. */
static int
run_failing(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(failing); i++)
        if (strcmp(failing[i].test.name, name) == 0) {
            const LpTestCase cases[] = {failing[i].test, {"count", print_count}, {NULL, NULL}};
            return lp_test_run("failing", cases);
        }
    return 3;
}

/* --- the test --- */

static void
test_failures(void)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    for (guint i = 0; i < G_N_ELEMENTS(failing); i++) {
        const char *name = failing[i].test.name;
        g_autofree char *output = NULL;
        g_autoptr(GSubprocess) process =
            g_subprocess_new(G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_MERGE, NULL,
                             self, name, NULL);
        lp_test_true(name, process != NULL && g_subprocess_communicate_utf8(process, NULL, NULL,
                                                                            &output, NULL, NULL));
        lp_test_true(name, output != NULL && g_subprocess_get_if_exited(process) &&
                               g_subprocess_get_exit_status(process) == 1);
        for (guint k = 0; k < G_N_ELEMENTS(failing[i].shown); k++) {
            const char *shown = failing[i].shown[k];
            if (shown != NULL && (output == NULL || strstr(output, shown) == NULL))
                lp_test_text(name, output, shown);
        }
    }
}

static gboolean
double_it(const void *input, void *result)
{
    lp_test_true("zero before", *(int *)result == 0);
    *(int *)result = 2 * *(const int *)input;
    return TRUE;
}

/* More than a pipe holds. */
static gboolean
write_long(const void *input, GString *text)
{
    for (guint i = 0; i < *(const guint *)input; i++)
        g_string_append_c(text, (char)('a' + i % 26));
    return TRUE;
}

static void
test_results(void)
{
    int half = 21, whole = 0;
    lp_test_true("result", lp_forked_result("double", double_it, &half, &whole, sizeof whole));
    lp_test_true("42", whole == 42);
    guint length = 1000000;
    g_autofree char *text = lp_forked_text("long", write_long, &length);
    lp_test_true("length", strlen(text) == length);
    lp_test_true("last", length > 0 && text[length - 1] == 'a' + (999999 % 26));
}

int
main(int argc, char **argv)
{
    static const LpTestCase cases[] = {
        {"failures", test_failures}, {"results", test_results}, {NULL, NULL}};
    return argc > 1 ? run_failing(argv[1]) : lp_test_run("forked", cases);
}
