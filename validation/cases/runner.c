/* SPDX-License-Identifier: Apache-2.0 */
/* A process a row: starts them, collects their outcomes, ends those that take too long. */
#include "validation/cases/runner.h"

#include "base/child_process.h"
#include "base/error.h"
#include "base/file.h"
#include "base/folder.h"
#include "validation/cases/duplicate_rows.h"

#include <glib/gstdio.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child process is at: a row. */
typedef struct {
    guint row;
    double deadline_s;
    gboolean is_late;
} Slot;

typedef struct {
    const LpTable *table;           /* borrowed */
    const LpRunnerOptions *options; /* borrowed */
    const LpCaseKind *kind;         /* borrowed */
    GPtrArray *outcomes;            /* owned: by row */
    LpDuplicateRows *alike;         /* owned */
    LpChildProcess **children;      /* owned, of the owned: n_jobs, NULL for those that are idle */
    Slot *slots;                    /* owned: of the children */
    gboolean *has_ended;            /* owned: by row */
    guint n_done;
    GError *unkept; /* owned: why no further row is kept; NULL: they are */
} Runner;

static double
clock_s(void)
{
    return (double)g_get_monotonic_time() * 1e-6;
}

/* The row behind the outcome at @index. */
static const LpTableRow *
row_at(const Runner *self, guint index)
{
    const GArray *rows = self->options->rows;
    return lp_table_row(self->table, rows != NULL ? g_array_index(rows, guint, index) : index);
}

static LpOutcome *
outcome_of(const Runner *self, guint row)
{
    return self->outcomes->pdata[row];
}

/* The file that keeps the outcome of @row. */
static char *
kept_path(const Runner *self, guint row)
{
    const char *version = self->options->version;
    g_autofree char *content = lp_table_content(row_at(self, row));
    g_autofree char *constants = lp_constants_to_text(self->options->constants);
    g_autofree char *all =
        g_strconcat(version != NULL ? version : "", "\n", constants, "\n", content, NULL);
    g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, all, -1);
    g_autofree char *id = g_strndup(outcome_of(self, row)->id, 64);
    hash[24] = '\0';
    g_strcanon(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", '_');
    g_autofree char *name = g_strconcat(id, "-", hash, ".txt", NULL);
    return g_build_filename(self->options->resume, name, NULL);
}

static gboolean
recall(Runner *self, guint row)
{
    if (self->options->resume == NULL)
        return FALSE;
    g_autofree char *path = kept_path(self, row);
    g_autofree char *text = NULL;
    return g_file_get_contents(path, &text, NULL, NULL) &&
           lp_outcome_from_text(outcome_of(self, row), text);
}

/* A row that cannot be kept was predicted all the same. */
static void
keep(Runner *self, guint row)
{
    if (self->options->resume == NULL || self->unkept != NULL)
        return;
    g_autofree char *path = kept_path(self, row);
    g_autofree char *text = lp_outcome_to_text(outcome_of(self, row));
    g_autofree char *line = g_strconcat(text, "\n", NULL);
    if (!lp_file_write(path, line, strlen(line), &self->unkept))
        return;
}

#if !defined(__SANITIZE_ADDRESS__)
static void
limit_memory(void)
{
    struct rlimit limit = {LP_RUNNER_LIMIT_BYTES, LP_RUNNER_LIMIT_BYTES};
    (void)setrlimit(RLIMIT_AS, &limit);
}
#else
/* The sanitizer maps terabytes that it never touches. */
static void
limit_memory(void)
{
}
#endif

/* SIGXCPU ends a process that has used up its time. */
static void
limit_time(void)
{
    struct rlimit limit = {(rlim_t)LP_RUNNER_LIMIT_S, (rlim_t)LP_RUNNER_LIMIT_S + 1};
    (void)setrlimit(RLIMIT_CPU, &limit);
    /* Not a fault worth a core file. */
    struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
}

typedef struct {
    const Runner *runner; /* borrowed */
    guint row;
} Work;

/* Predicts a row in its own process; the result is the outcome as text. What says nothing of the
 * row, since open files or processes are used up, is an error. */
static gboolean
predict_row(const void *data, GByteArray *result, GError **error)
{
    const Work *work = data;
    const Runner *self = work->runner;
    /* What it may print when it crashes is not for the user. */
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)dup2(nowhere, STDERR_FILENO);
    limit_memory();
    limit_time();
    LpOutcome *outcome = outcome_of(self, work->row);
    self->kind->predict(row_at(self, work->row), self->options->constants, outcome);
    if (outcome->is_short) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SHORT, "%s: %s", outcome->id,
                    outcome->reason);
        return FALSE;
    }
    g_autofree char *text = lp_outcome_to_text(outcome);
    g_byte_array_append(result, (const guint8 *)text, (guint)strlen(text));
    return TRUE;
}

static gboolean
start_row(Runner *self, guint slot, guint row, GError **error)
{
    const Work work = {self, row};
    g_autoptr(GError) fault = NULL;
    double given_s = self->options->limit_wall_s;
    double limit_s = given_s > 0.0 ? given_s : LP_RUNNER_LIMIT_WALL_S;
    self->slots[slot] = (Slot){row, clock_s() + limit_s, FALSE};
    self->children[slot] =
        lp_child_process_start("process of a row", predict_row, &work, 0, &fault);
    if (self->children[slot] != NULL)
        return TRUE;
    g_set_error(error, LP_CHILD_PROCESS_ERROR, LP_CHILD_PROCESS_ERROR_START,
                "%s; --jobs says how many run side by side", fault->message);
    return FALSE;
}

static void
report_progress(const Runner *self)
{
    if (self->options->progress != NULL)
        self->options->progress(self->n_done, self->outcomes->len, self->options->progress_data);
}

/* Why a process gave no result. Returns: (transfer full). */
static char *
explain(const Slot *slot, int status)
{
    if (slot->is_late)
        return g_strdup("its process took too long and was ended");
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return g_strdup_printf("its process used up %.0f s of processor time and was ended",
                               LP_RUNNER_LIMIT_S);
    if (WIFSIGNALED(status))
        return g_strdup_printf("its process ended by signal %d (%s); is memory short?",
                               WTERMSIG(status), g_strsignal(WTERMSIG(status)));
    return g_strdup_printf("its process ended with status %d and no result", WEXITSTATUS(status));
}

/* Takes the outcome from the child, which has ended. */
static gboolean
finish_row(Runner *self, guint index, GError **error)
{
    g_autoptr(LpChildProcess) child = g_steal_pointer(&self->children[index]);
    const Slot *slot = &self->slots[index];
    const GByteArray *result = lp_child_process_result(child);
    int status = lp_child_process_status(child);
    if (!slot->is_late && lp_child_process_left_error(child))
        return lp_child_process_check(child, error);
    g_autofree char *text =
        g_strndup(result->len > 0 ? (const char *)result->data : "", result->len);
    LpOutcome *outcome = outcome_of(self, slot->row);
    self->has_ended[slot->row] = TRUE;
    gboolean said = !slot->is_late && status == 0 && lp_outcome_from_text(outcome, text);
    self->n_done++;
    report_progress(self);
    if (said) {
        keep(self, slot->row);
        return TRUE;
    }
    g_autofree char *reason = explain(slot, status);
    lp_outcome_fail(outcome, LP_OUTCOME_FAILED, reason);
    return TRUE;
}

static void
end_late(const Runner *self, double now_s)
{
    for (guint i = 0; i < self->options->n_jobs; i++) {
        Slot *slot = &self->slots[i];
        if (self->children[i] == NULL || slot->is_late || now_s < slot->deadline_s)
            continue;
        slot->is_late = TRUE;
        lp_child_process_kill(self->children[i]);
    }
}

static int
patience_ms(const Runner *self)
{
    double next_s = G_MAXDOUBLE, now_s = clock_s();
    for (guint i = 0; i < self->options->n_jobs; i++)
        if (self->children[i] != NULL && !self->slots[i].is_late)
            next_s = MIN(next_s, self->slots[i].deadline_s);
    /* A signal that is held back wakes nobody. */
    double most_ms = self->options->is_stopped != NULL ? 100.0 : 60e3;
    return (int)CLAMP((next_s - now_s) * 1e3 + 1.0, 0.0, most_ms);
}

/* Waits until a process of a row writes or ends; takes the outcomes of those that have ended. */
static gboolean
wait_some(Runner *self, GError **error)
{
    lp_child_process_wait_any(self->children, self->options->n_jobs, patience_ms(self));
    end_late(self, clock_s());
    for (guint i = 0; i < self->options->n_jobs; i++)
        if (self->children[i] != NULL && lp_child_process_has_ended(self->children[i]) &&
            !finish_row(self, i, error))
            return FALSE;
    return TRUE;
}

static gboolean
is_stopped(const Runner *self)
{
    return self->options->is_stopped != NULL && self->options->is_stopped();
}

static gboolean
is_busy(const Runner *self)
{
    for (guint i = 0; i < self->options->n_jobs; i++)
        if (self->children[i] != NULL)
            return TRUE;
    return FALSE;
}

/* Whether there is nothing to run: the row has failed already, or was run before. */
static gboolean
is_settled(Runner *self, guint row)
{
    if (outcome_of(self, row)->status == LP_OUTCOME_OK && !recall(self, row))
        return FALSE;
    self->has_ended[row] = TRUE;
    self->n_done++;
    report_progress(self);
    return TRUE;
}

/* Passes over rows that are like one before, to be settled later. Reading them to find out is left
 * until a process is idle: else all would be until the last has been read. */
static void
pass_alike(Runner *self, const GArray *rows, guint *io_next)
{
    while (*io_next < rows->len) {
        guint row = g_array_index(rows, guint, *io_next);
        if (!lp_duplicate_rows_add(self->alike, row, row_at(self, row), outcome_of(self, row)))
            return;
        (*io_next)++;
    }
}

/* Starts processes until all have a row, or @io_next is behind the last of @rows. */
static gboolean
start_some(Runner *self, const GArray *rows, guint *io_next, gboolean may_be_alike, GError **error)
{
    for (guint i = 0; i < self->options->n_jobs && *io_next < rows->len; i++) {
        if (self->children[i] != NULL)
            continue;
        if (may_be_alike)
            pass_alike(self, rows, io_next);
        if (*io_next < rows->len &&
            !start_row(self, i, g_array_index(rows, guint, (*io_next)++), error))
            return FALSE;
    }
    return TRUE;
}

/* Each of @rows in a process of its own, but for those that are like one of them. */
static gboolean
run_each(Runner *self, const GArray *rows, gboolean may_be_alike, GError **error)
{
    guint next = 0;
    while (!is_stopped(self) && (next < rows->len || is_busy(self))) {
        if (!start_some(self, rows, &next, may_be_alike, error) || !wait_some(self, error))
            return FALSE;
    }
    return TRUE;
}

static gint
compare_sizes(gconstpointer a, gconstpointer b, gpointer data)
{
    guint one = *(const guint *)a, other = *(const guint *)b;
    double one_n = outcome_of(data, one)->factors[LP_FACTOR_ACCELERATORS];
    double other_n = outcome_of(data, other)->factors[LP_FACTOR_ACCELERATORS];
    return one_n > other_n ? -1 : one_n < other_n ? 1 : one < other ? -1 : 1;
}

/* Rows of the largest machines take longest, and go first: else all other processes may have to
 * wait for one at the end. */
static GArray *
find_unsettled(Runner *self)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < self->outcomes->len; i++)
        if (!is_settled(self, i))
            g_array_append_val(rows, i);
    g_array_sort_with_data(rows, compare_sizes, self);
    return rows;
}

/* Settles the rows that are like one that has been run. Returns: those that are to be run for
 * themselves, since that one failed. */
static GArray *
settle_alike(Runner *self)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < lp_duplicate_rows_n(self->alike); i++) {
        guint row = lp_duplicate_rows_index(self->alike, i);
        if (!lp_duplicate_rows_settle(self->alike, i, self->outcomes)) {
            g_array_append_val(rows, row);
            continue;
        }
        self->has_ended[row] = TRUE;
        self->n_done++;
        report_progress(self);
        keep(self, row);
    }
    return rows;
}

static gboolean
run_rows(Runner *self, GError **error)
{
    g_autoptr(GArray) rows = find_unsettled(self);
    if (!run_each(self, rows, TRUE, error))
        return FALSE;
    if (is_stopped(self))
        return TRUE;
    g_autoptr(GArray) left = settle_alike(self);
    return run_each(self, left, FALSE, error);
}

static void
clear_slots(Runner *self)
{
    for (guint i = 0; i < self->options->n_jobs; i++)
        lp_child_process_free(self->children[i]);
    g_free(self->children);
    g_free(self->slots);
    g_free(self->has_ended);
    lp_duplicate_rows_free(self->alike);
}

/* Rows that did not end have no outcome. */
static void
drop_unended(const Runner *self)
{
    for (guint row = self->outcomes->len; row-- > 0;)
        if (!self->has_ended[row])
            g_ptr_array_remove_index(self->outcomes, row);
}

static void
free_outcome(gpointer data)
{
    lp_outcome_free(data);
}

GPtrArray *
lp_runner_run(const LpTable *table, const LpRunnerOptions *options, GError **error)
{
    g_return_val_if_fail(table != NULL && options->n_jobs >= 1, NULL);
    const LpCaseKind *kind = lp_case_kind(lp_table_kind(table));
    if (kind == NULL) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "%s: got rows of %s, wanted a kind that can be predicted", lp_table_path(table),
                    lp_table_kind_names[lp_table_kind(table)]);
        return NULL;
    }
    g_autofree char *first =
        options->resume != NULL ? lp_folder_make(options->resume, error) : g_strdup("");
    if (first == NULL || !lp_file_check_memory(error))
        return NULL;
    g_autoptr(GPtrArray) outcomes = g_ptr_array_new_with_free_func(free_outcome);
    Runner self = {.table = table, .options = options, .kind = kind, .outcomes = outcomes};
    guint n_rows = options->rows != NULL ? options->rows->len : lp_table_n_rows(table);
    for (guint i = 0; i < n_rows; i++)
        g_ptr_array_add(outcomes, lp_case_describe(kind, row_at(&self, i)));
    self.alike = lp_duplicate_rows_new(kind);
    self.children = g_new0(LpChildProcess *, options->n_jobs);
    self.slots = g_new0(Slot, options->n_jobs);
    self.has_ended = g_new0(gboolean, n_rows);
    gboolean good = run_rows(&self, error);
    if (good)
        drop_unended(&self);
    clear_slots(&self);
    if (options->resume != NULL)
        lp_folder_unmake(options->resume, first);
    if (good && self.unkept != NULL && options->out_unkept == NULL) {
        g_propagate_error(error, g_steal_pointer(&self.unkept));
        good = FALSE;
    }
    if (self.unkept != NULL && good)
        g_propagate_error(options->out_unkept, g_steal_pointer(&self.unkept));
    g_clear_error(&self.unkept);
    return good ? g_steal_pointer(&outcomes) : NULL;
}
