/* SPDX-License-Identifier: Apache-2.0 */
/* Forks, and brings a result back through a pipe. */
#include "sim/run/child.h"

#include "sim/error.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static gboolean
write_whole(int file, const void *data, size_t length)
{
    const char *rest = data;
    while (length > 0) {
        ssize_t written = write(file, rest, length);
        if (written < 0 && errno != EINTR)
            return FALSE;
        if (written > 0) {
            rest += written;
            length -= (size_t)written;
        }
    }
    return TRUE;
}

static gboolean
read_whole(int file, void *data, size_t length)
{
    char *rest = data;
    while (length > 0) {
        ssize_t got = read(file, rest, length);
        if (got == 0 || (got < 0 && errno != EINTR))
            return FALSE;
        if (got > 0) {
            rest += got;
            length -= (size_t)got;
        }
    }
    return TRUE;
}

gboolean
lp_child_start(LpChild *self, void (*work)(const void *data, void *out), const void *data,
               gsize size, GError **error)
{
    int ends[2];
    if (pipe(ends) != 0) {
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN,
                    "process of a run: cannot make a pipe: %s", g_strerror(errno));
        return FALSE;
    }
    self->pid = fork();
    if (self->pid == 0) {
        /* A result that nobody waits for any more is not worth a processor. */
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        g_autofree void *out = g_malloc0(size);
        work(data, out);
        _exit(write_whole(ends[1], out, size) ? 0 : 1);
    }
    close(ends[1]);
    self->pipe = ends[0];
    if (self->pid > 0)
        return TRUE;
    close(ends[0]);
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN,
                "process of a run: cannot start a process: %s", g_strerror(errno));
    return FALSE;
}

gboolean
lp_child_finish(LpChild *self, void *out, gsize size, guint64 *io_peak_rss_bytes, GError **error)
{
    gboolean whole = read_whole(self->pipe, out, size);
    int status = 0;
    struct rusage usage = {0};
    close(self->pipe);
    while (wait4(self->pid, &status, 0, &usage) < 0 && errno == EINTR)
        continue;
    /* Linux counts in KiB. */
    *io_peak_rss_bytes += (guint64)usage.ru_maxrss * 1024;
    if (whole && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return TRUE;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN,
                "process of a run: got no result (wait status %d), wanted one; is memory short?",
                status);
    return FALSE;
}
