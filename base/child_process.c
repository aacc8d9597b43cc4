/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a function in a forked child process and brings its result home through a pipe. */
#include "base/child_process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct LpChildBoard {
    double n_done;
    guint64 n_all;
};

struct LpChildProcess {
    const char *name; /* borrowed */
    pid_t pid;
    int pipe; /* its reading end; -1: the child has ended, and status and usage are known */
    int status;
    struct rusage usage;
    GByteArray *result;  /* owned */
    LpChildBoard *board; /* owned, mapped; or NULL where there is no memory for it */
};

G_DEFINE_QUARK(lp_child_process_error, lp_child_process_error)

/* The board of this process, if it is a child; set once, as the child begins. */
static LpChildBoard *own_board = NULL;

LpChildBoard *
lp_child_process_board(void)
{
    return own_board;
}

void
lp_child_board_write(LpChildBoard *self, double n_done, guint64 n_all)
{
    if (self != NULL)
        *self = (LpChildBoard){n_done, n_all};
}

void
lp_child_process_report(double n_done, guint64 n_all, void *data)
{
    (void)data;
    lp_child_board_write(own_board, n_done, n_all);
}

/* The progress that the child reported last; 0: none. */
static guint64
last_told(const LpChildProcess *self, double *out_n_done)
{
    LpChildBoard told = self->board != NULL ? *self->board : (LpChildBoard){0.0, 0};
    *out_n_done = told.n_done;
    return told.n_all;
}

double
lp_child_process_share(const LpChildProcess *self)
{
    double n_done;
    guint64 n_all = last_told(self, &n_done);
    return n_all == 0 ? 0.0 : CLAMP(n_done / (double)n_all, 0.0, 1.0);
}

static LpChildBoard *
new_board(void)
{
    void *board =
        mmap(NULL, sizeof(LpChildBoard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return board != MAP_FAILED ? board : NULL;
}

static void
free_board(LpChildBoard *board)
{
    if (board != NULL)
        (void)munmap(board, sizeof *board);
}

static gboolean
write_whole(int file, const GByteArray *bytes)
{
    const guint8 *rest = bytes->data;
    gsize left = bytes->len;
    while (left > 0) {
        ssize_t written = write(file, rest, left);
        if (written < 0 && errno != EINTR)
            return FALSE;
        if (written > 0) {
            rest += written;
            left -= (gsize)written;
        }
    }
    return TRUE;
}

/* The status of a child whose result is an error: code, domain and message. */
#define LEFT_ERROR 4

static void
leave_error(GByteArray *result, const GError *error)
{
    const char *domain = g_quark_to_string(error->domain);
    g_byte_array_set_size(result, 0);
    g_byte_array_append(result, (const guint8 *)&error->code, sizeof error->code);
    g_byte_array_append(result, (const guint8 *)domain, (guint)strlen(domain) + 1);
    g_byte_array_append(result, (const guint8 *)error->message, (guint)strlen(error->message) + 1);
}

/* The error that @left holds; NULL if it holds none. Returns: (transfer full). */
static GError *
read_error(const GByteArray *left)
{
    int code;
    const char *domain = (const char *)left->data + sizeof code;
    if (left->len <= sizeof code || left->data[left->len - 1] != '\0')
        return NULL;
    gsize length = strlen(domain) + 1;
    if (sizeof code + length >= left->len)
        return NULL;
    memcpy(&code, left->data, sizeof code);
    return g_error_new_literal(g_quark_from_string(domain), code, domain + length);
}

/* Runs @work in the child process, writes its result to @file and ends the process. */
G_GNUC_NORETURN static void
run(LpChildWork work, const void *data, gsize size_bytes, int file, LpChildBoard *board,
    pid_t parent)
{
    own_board = board;
    /* The child ends with its parent, since nobody would wait for its result; the parent may have
     * ended already. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    g_autoptr(GByteArray) result = g_byte_array_new();
    g_byte_array_set_size(result, (guint)size_bytes);
    if (size_bytes > 0)
        memset(result->data, 0, size_bytes);
    g_autoptr(GError) error = NULL;
    gboolean good = work(data, result, &error);
    if (!good && error != NULL)
        leave_error(result, error);
    if ((!good && error == NULL) || !write_whole(file, result))
        _exit(1);
    _exit(good ? 0 : LEFT_ERROR);
}

static LpChildProcess *
fail_to_start(const char *name, const char *wanted, GError **error)
{
    g_set_error(error, LP_CHILD_PROCESS_ERROR, LP_CHILD_PROCESS_ERROR_START, "%s: cannot %s: %s",
                name, wanted, g_strerror(errno));
    return NULL;
}

LpChildProcess *
lp_child_process_start(const char *name, LpChildWork work, const void *data, gsize size_bytes,
                       GError **error)
{
    g_return_val_if_fail(name != NULL && work != NULL && size_bytes <= G_MAXUINT, NULL);
    int ends[2];
    if (pipe(ends) != 0)
        return fail_to_start(name, "make a pipe", error);
    /* Buffers of streams are flushed first: both processes would write their content. */
    (void)fflush(NULL);
    LpChildBoard *board = new_board();
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        close(ends[0]);
        run(work, data, size_bytes, ends[1], board, parent);
    }
    int code = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        free_board(board);
        errno = code;
        return fail_to_start(name, "start a process", error);
    }
    LpChildProcess *self = g_new0(LpChildProcess, 1);
    self->name = name;
    self->pid = pid;
    self->pipe = ends[0];
    self->result = g_byte_array_new();
    self->board = board;
    return self;
}

/* Reads once, for as long as it takes; the pipe's end is the child's end. */
static void
read_some(LpChildProcess *self)
{
    guint8 block[65536];
    ssize_t n = read(self->pipe, block, sizeof block);
    if (n > 0)
        g_byte_array_append(self->result, block, (guint)n);
    if (n > 0 || (n < 0 && errno == EINTR))
        return;
    close(self->pipe);
    self->pipe = -1;
    while (wait4(self->pid, &self->status, 0, &self->usage) < 0 && errno == EINTR)
        continue;
}

gboolean
lp_child_process_left_error(const LpChildProcess *self)
{
    return WIFEXITED(self->status) && WEXITSTATUS(self->status) == LEFT_ERROR;
}

/* @fits: whether the result has the size that it is to have. */
static gboolean
check(const LpChildProcess *self, gboolean fits, GError **error)
{
    GError *left = lp_child_process_left_error(self) ? read_error(self->result) : NULL;
    if (self->status == 0 && fits)
        return TRUE;
    if (left != NULL)
        g_propagate_error(error, left);
    else
        g_set_error(error, LP_CHILD_PROCESS_ERROR, LP_CHILD_PROCESS_ERROR_RESULT,
                    "%s: got no result (wait status %d), wanted one; is memory short?", self->name,
                    self->status);
    return FALSE;
}

gboolean
lp_child_process_check(const LpChildProcess *self, GError **error)
{
    return check(self, TRUE, error);
}

gboolean
lp_child_process_finish(LpChildProcess *self, void *out_result, gsize size_bytes,
                        guint64 *io_peak_rss_bytes, GError **error)
{
    while (!lp_child_process_has_ended(self))
        read_some(self);
    /* Linux counts in KiB. */
    if (io_peak_rss_bytes != NULL)
        *io_peak_rss_bytes += (guint64)self->usage.ru_maxrss * 1024;
    gboolean good = check(self, self->result->len == size_bytes, error);
    if (good && size_bytes > 0)
        memcpy(out_result, self->result->data, size_bytes);
    lp_child_process_free(self);
    return good;
}

void
lp_child_process_wait_any(LpChildProcess *const *children, guint n, int patience_ms)
{
    g_autofree struct pollfd *ends = g_new0(struct pollfd, n);
    g_autofree guint *of = g_new0(guint, n);
    guint n_running = 0;
    /* Of those that run alone: poll(2) takes no more than there may be open files. */
    for (guint i = 0; i < n; i++) {
        if (children[i] == NULL || children[i]->pipe < 0)
            continue;
        ends[n_running] = (struct pollfd){children[i]->pipe, POLLIN, 0};
        of[n_running++] = i;
    }
    if (n_running == 0 || poll(ends, n_running, patience_ms) <= 0)
        return;
    for (guint i = 0; i < n_running; i++)
        if (ends[i].revents != 0)
            read_some(children[of[i]]);
}

/* The time between two looks at the progress of a child, ms. */
#define PAUSE_MS 200

void
lp_child_process_wait(LpChildProcess *self, void (*progress)(double, guint64, void *), void *data)
{
    while (!lp_child_process_has_ended(self)) {
        double n_done;
        guint64 n_all = last_told(self, &n_done);
        if (progress != NULL && n_done < (double)n_all)
            progress(n_done, n_all, data);
        lp_child_process_wait_any(&self, 1, progress != NULL ? PAUSE_MS : -1);
    }
}

gboolean
lp_child_process_has_ended(const LpChildProcess *self)
{
    return self->pipe < 0;
}

int
lp_child_process_status(const LpChildProcess *self)
{
    return self->status;
}

const GByteArray *
lp_child_process_result(const LpChildProcess *self)
{
    return self->result;
}

void
lp_child_process_kill(LpChildProcess *self)
{
    if (!lp_child_process_has_ended(self))
        (void)kill(self->pid, SIGKILL);
}

void
lp_child_process_free(LpChildProcess *self)
{
    if (self == NULL)
        return;
    lp_child_process_kill(self);
    while (!lp_child_process_has_ended(self))
        read_some(self);
    g_byte_array_unref(self->result);
    free_board(self->board);
    g_free(self);
}
