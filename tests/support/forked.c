/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/forked.h"

#include "tests/testlib.h"

#include <CUnit/TestRun.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What travels through the pipe: the failures' texts, and the result. */
#define MESSAGE_TYPE "(asay)"

typedef gboolean (*TextWork)(const void *input, GString *text);

static gboolean
write_whole(int file, const char *data, gsize length)
{
    while (length > 0) {
        ssize_t written = write(file, data, length);
        if (written < 0 && errno != EINTR)
            return FALSE;
        if (written > 0) {
            data += written;
            length -= (gsize)written;
        }
    }
    return TRUE;
}

static GBytes *
read_whole(int file)
{
    GByteArray *bytes = g_byte_array_new();
    guint8 buffer[4096];
    for (;;) {
        ssize_t got = read(file, buffer, sizeof buffer);
        if (got > 0)
            g_byte_array_append(bytes, buffer, (guint)got);
        else if (got == 0 || errno != EINTR)
            return g_byte_array_free_to_bytes(bytes);
    }
}

/* The failures that CUnit has recorded since there were @n_before. */
static GVariant *
failures_since(guint n_before)
{
    g_auto(GVariantBuilder) builder = G_VARIANT_BUILDER_INIT(G_VARIANT_TYPE_STRING_ARRAY);
    guint n = 0;
    for (const CU_FailureRecord *record = CU_get_failure_list(); record != NULL;
         record = record->pNext)
        if (n++ >= n_before)
            g_variant_builder_add(&builder, "s", record->strCondition);
    return g_variant_builder_end(&builder);
}

/* The child's part: ends the process. */
static void G_GNUC_NORETURN
run_child(int file, TextWork work, const void *input)
{
    guint n_before = CU_get_number_of_failure_records();
    g_autoptr(GString) text = g_string_new(NULL);
    gboolean good = work(input, text);
    GVariant *result =
        g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, text->str, text->len, sizeof(guint8));
    g_autoptr(GVariant) message =
        g_variant_ref_sink(g_variant_new("(@as@ay)", failures_since(n_before), result));
    gboolean sent = write_whole(file, g_variant_get_data(message), g_variant_get_size(message));
    (void)fflush(NULL);
    _exit(good && sent ? 0 : 1);
}

/* Asserts that the child ended by itself and with 0. */
static gboolean
ended_well(const char *label, pid_t child)
{
    int status = 0;
    pid_t ended;
    do
        ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    g_autofree char *end =
        ended != child        ? g_strdup("cannot be waited for")
        : WIFSIGNALED(status) ? g_strdup_printf("ended by signal %d", WTERMSIG(status))
        : WIFEXITED(status)   ? g_strdup_printf("ended with %d", WEXITSTATUS(status))
                              : g_strdup_printf("wait status %d", status);
    g_autofree char *shown = g_strdup_printf("%s: child process", label);
    lp_test_text(shown, end, "ended with 0");
    return strcmp(end, "ended with 0") == 0;
}

/* What the child sent: its failures are recorded, its result is returned; NULL unless it ended
 * well without a failure. */
static GBytes *
finish_child(const char *label, pid_t child, int file)
{
    g_autoptr(GBytes) bytes = read_whole(file);
    (void)close(file);
    gboolean good = ended_well(label, child);
    g_autoptr(GVariant) message =
        g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(MESSAGE_TYPE), bytes, FALSE));
    g_autoptr(GVariant) failures = g_variant_get_child_value(message, 0);
    g_autoptr(GVariant) result = g_variant_get_child_value(message, 1);
    for (gsize i = 0; i < g_variant_n_children(failures); i++) {
        const char *text;
        g_variant_get_child(failures, i, "&s", &text);
        lp_test_failed(label, text);
        good = FALSE;
    }
    return good ? g_variant_get_data_as_bytes(result) : NULL;
}

/* What @work appended to its text in a child process; NULL, and a failure recorded, if it failed.
 */
static GBytes *
run_forked(const char *label, TextWork work, const void *input)
{
    int ends[2];
    /* Else both processes write what is still in the buffers. */
    (void)fflush(NULL);
    if (pipe(ends) != 0) {
        lp_test_failed(label, g_strerror(errno));
        return NULL;
    }
    pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        run_child(ends[1], work, input);
    }
    (void)close(ends[1]);
    if (child > 0)
        return finish_child(label, child, ends[0]);
    lp_test_failed(label, g_strerror(errno));
    (void)close(ends[0]);
    return NULL;
}

typedef struct {
    gboolean (*work)(const void *input, void *result);
    const void *input;
    gsize size;
} ResultWork;

static gboolean
write_result(const void *input, GString *text)
{
    const ResultWork *self = input;
    g_autofree char *result = g_malloc0(self->size);
    gboolean good = self->work(self->input, result);
    g_string_append_len(text, result, (gssize)self->size);
    return good;
}

gboolean
lp_forked_result(const char *label, gboolean (*work)(const void *input, void *result),
                 const void *input, void *result, gsize size)
{
    const ResultWork whole = {work, input, size};
    g_autoptr(GBytes) bytes = run_forked(label, write_result, &whole);
    if (bytes == NULL || g_bytes_get_size(bytes) != size)
        return FALSE;
    if (size > 0)
        memcpy(result, g_bytes_get_data(bytes, NULL), size);
    return TRUE;
}

char *
lp_forked_text(const char *label, gboolean (*work)(const void *input, GString *text),
               const void *input)
{
    g_autoptr(GBytes) bytes = run_forked(label, work, input);
    gsize length = 0;
    const char *data = bytes != NULL ? g_bytes_get_data(bytes, &length) : NULL;
    return g_strndup(data != NULL ? data : "", length);
}
