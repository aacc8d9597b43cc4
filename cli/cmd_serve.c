/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath serve: runs commands for a program that uses the library (lightpath.h).
 *
 * Standard input is a socket. A request is a line of JSON, {"arguments": [...], "directory":
 * "..."}, and answered by lines {"progress": 0.25} and one {"status": 0, "output": "...", "error":
 * "..."}; or {"setting": "tp=8"}, which is answered by the last kind at once. Each command runs in
 * a process that is forked for it, and finds there what was read of shipped files before. Where the
 * socket closes, a command under way is ended, and so is this program. */
#define _GNU_SOURCE /* memfd_create(), ppoll() */
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/inputs.h"
#include "platforms/machine/machine.h"
#include "sim/mapping/setup.h"
#include "workloads/description/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET STDIN_FILENO
/* The largest request, bytes: any command line is shorter. */
#define REQUEST_MAX (4u << 20)

static void
say(const json_t *message)
{
    g_autofree char *text = json_dumps(message, JSON_COMPACT | JSON_ENSURE_ASCII);
    g_autofree char *line = g_strconcat(text, "\n", NULL);
    gsize length = strlen(line), done = 0;
    while (done < length) {
        gssize n = send(SOCKET, line + done, length - done, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return; /* whoever asked is gone, which the next read finds */
        done += n > 0 ? (gsize)n : 0;
    }
}

static void
answer(int status, const char *output, const char *error)
{
    g_autoptr(json_t) message =
        json_pack("{s:i, s:s, s:s}", "status", status, "output", output, "error", error);
    say(message);
}

/* Reads all shipped files that runs read, by making one ready. */
static void
warm(void)
{
    g_autoptr(GError) error = NULL;
    LpWorkload *workload = NULL;
    LpMachine *machine = NULL;
    if (!lp_load_inputs("gpt3-125m", "--system=dgx-h100 --accelerators=8", NULL,
                        LP_PLAN_FIT_WITHOUT_MEMORY, &workload, &machine, &error))
        return;
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, NULL);
    g_clear_pointer(&setup, lp_setup_free);
    lp_workload_free(workload);
    lp_machine_free(machine);
}

/* --- a command --- */

/* A command under way: its process, and what it prints. */
typedef struct {
    pid_t process;
    int output, error;
} Command;

static const char *
last_line(char *text)
{
    g_strchomp(text);
    const char *line = strrchr(text, '\n');
    line = line != NULL ? line + 1 : text;
    return g_str_has_prefix(line, "lightpath: ") ? line + strlen("lightpath: ") : line;
}

/* Runs a command in its own process. @mask: the signal mask that this program had at its start. */
static void
run_command(const Command *command, const json_t *request, const sigset_t *mask)
{
    (void)signal(SIGCHLD, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, mask, NULL);
    (void)setpgid(0, 0);
    int socket = fcntl(SOCKET, F_DUPFD_CLOEXEC, 3), nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (socket < 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(command->output, STDOUT_FILENO) < 0 || dup2(command->error, STDERR_FILENO) < 0)
        _exit(1);
    const char *folder = json_string_value(json_object_get(request, "directory"));
    const json_t *words = json_object_get(request, "arguments"), *word;
    if (folder != NULL && chdir(folder) != 0) {
        lp_message_print("the folder of the program that asks is gone");
        _exit(1);
    }
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(texts, g_strdup("lightpath"));
    gboolean own_data = FALSE;
    size_t i;
    json_array_foreach (words, i, word) {
        const char *text = json_string_value(word);
        own_data = own_data || g_str_has_prefix(text, "--catalogue") ||
                   g_str_has_prefix(text, "--libraries");
        g_ptr_array_add(texts, g_strdup(text));
    }
    g_ptr_array_add(texts, NULL);
    /* What the user lays over shipped files comes before they are read. */
    if (own_data) {
        (void)execv("/proc/self/exe", (char **)texts->pdata);
        _exit(1);
    }
    lp_progress_send_to(socket);
    /* The program takes words out of its array; the texts stay ours. */
    g_autofree char **argv = g_memdup2(texts->pdata, sizeof *argv * texts->len);
    int status = lp_run_program((int)texts->len - 1, argv);
    g_clear_pointer(&argv, g_free);
    g_clear_pointer(&texts, g_ptr_array_unref);
    exit(status);
}

static gboolean
start_command(Command *self, const json_t *request, const sigset_t *mask)
{
    self->output = memfd_create("output", MFD_CLOEXEC);
    self->error = memfd_create("error", MFD_CLOEXEC);
    self->process = self->output >= 0 && self->error >= 0 ? fork() : -1;
    if (self->process == 0)
        run_command(self, request, mask);
    return self->process > 0;
}

static void
report_end(const Command *self, int ended)
{
    g_autofree char *output = lp_file_whole(self->output), *error = lp_file_whole(self->error);
    if (WIFSIGNALED(ended)) {
        g_autofree char *reason =
            g_strdup_printf("the run was ended by signal %d", WTERMSIG(ended));
        answer(1, "", reason);
        return;
    }
    answer(WEXITSTATUS(ended), output, WEXITSTATUS(ended) == 0 ? error : last_line(error));
}

/* Waits for the end of a command, and ends it if whoever asked is gone. @waiting: the signals that
 * are let through meanwhile. */
static gboolean
finish_command(const Command *self, const sigset_t *waiting)
{
    int ended = 0;
    while (waitpid(self->process, &ended, WNOHANG) == 0) {
        struct pollfd socket = {SOCKET, POLLIN | POLLRDHUP, 0};
        if (ppoll(&socket, 1, NULL, waiting) > 0) {
            (void)kill(-self->process, SIGKILL);
            (void)kill(self->process, SIGKILL);
            return FALSE;
        }
    }
    /* What it started ends with it. */
    (void)kill(-self->process, SIGKILL);
    report_end(self, ended);
    return TRUE;
}

/* Returns: whether whoever asks is still there. */
static gboolean
serve_command(const json_t *request, const sigset_t *waiting)
{
    Command command = {-1, -1, -1};
    gboolean stays = TRUE;
    if (start_command(&command, request, waiting))
        stays = finish_command(&command, waiting);
    else
        answer(1, "", "no process can be started");
    (void)close(command.output);
    (void)close(command.error);
    return stays;
}

static void
serve_setting(const char *setting)
{
    g_autoptr(GError) error = NULL;
    gboolean good = lp_workload_check_setting(setting, &error);
    /* The library puts the setting, of which it shows so much, in front. */
    const gsize shown = 80;
    g_autofree char *line = good ? NULL : lp_message_line(error->message, LP_MESSAGE_MAX - shown);
    answer(good ? 0 : 1, "", good ? "" : line);
}

/* --- requests --- */

/* Whether @request is one. */
static gboolean
is_good(const json_t *request)
{
    const json_t *words = json_object_get(request, "arguments"), *word;
    size_t i;
    json_array_foreach (words, i, word) {
        if (!json_is_string(word))
            return FALSE;
    }
    return json_is_array(words) || json_is_string(json_object_get(request, "setting"));
}

/* Returns: whether to go on. */
static gboolean
serve_line(const char *line, const sigset_t *waiting)
{
    g_autoptr(json_t) request = json_loads(line, 0, NULL);
    if (request == NULL || !is_good(request)) {
        answer(2, "", "got no request, wanted a line of JSON with \"arguments\"");
        return TRUE;
    }
    const char *setting = json_string_value(json_object_get(request, "setting"));
    if (setting == NULL)
        return serve_command(request, waiting);
    serve_setting(setting);
    return TRUE;
}

/* Does nothing: the signal only ends a wait. */
static void
on_child(int number)
{
    (void)number;
}

/* A child that ends while nobody waits is known when the next wait begins. Returns: the signals to
 * let through during a wait. */
static sigset_t
hold_child_signals(void)
{
    sigset_t held, before;
    struct sigaction action = {.sa_handler = on_child};
    sigemptyset(&action.sa_mask);
    (void)sigaction(SIGCHLD, &action, NULL);
    sigemptyset(&held);
    sigaddset(&held, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &held, &before);
    sigdelset(&before, SIGCHLD);
    return before;
}

gboolean
lp_cmd_serve(int argc, char **argv, GError **error)
{
    const GOptionEntry entries[] = {{.long_name = NULL}};
    if (!lp_options_parse("serve", "",
                          "Runs commands for a program that uses the library, which starts it; "
                          "standard input is a socket.",
                          entries, &argc, &argv, 0, 0, error))
        return FALSE;
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(SOCKET, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM)
        return lp_usage_error(error, "serve: got a standard input that is no socket, wanted the "
                                     "library to start it");
    sigset_t waiting = hold_child_signals();
    warm();
    g_autoptr(GString) text = g_string_new(NULL);
    char buffer[65536];
    gssize n = 0;
    while ((n = read(SOCKET, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR)) {
        g_string_append_len(text, buffer, MAX(n, 0));
        char *end = memchr(text->str, '\n', text->len);
        if (end == NULL && text->len > REQUEST_MAX)
            break;
        if (end == NULL)
            continue;
        *end = '\0';
        if (!serve_line(text->str, &waiting))
            break;
        g_string_erase(text, 0, end - text->str + 1);
    }
    return TRUE;
}
