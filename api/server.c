/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the programs, keeps those that are idle for the next call, and talks to one over a socket
 * (cli/cmd_serve.c says how). */
#define _GNU_SOURCE /* dladdr(), posix_spawn_file_actions_addclosefrom_np() */
#include "api/server.h"

#include "base/printable.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM_VARIABLE "LIGHTPATH_PROGRAM"
/* Programs that wait for work, at most: one takes some 50 MB. */
#define IDLE_MAX 16
/* Between two calls of a function that is told of progress, ms. */
#define PAUSE_MS 100

extern char **environ;

/* A program and what came from it but was not looked at. */
typedef struct {
    pid_t process;
    int socket;
    GString *pending;
} Server;

/* Idle ones, of this process. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static Server *idle[IDLE_MAX];
static guint n_idle;

void
lp_server_fail(char **out_error, char *message)
{
    if (out_error != NULL)
        *out_error = message;
    else
        g_free(message);
}

/* Longer texts of a caller would hide the rest of a message. */
#define SHOWN_MAX 60

char *
lp_server_shown(const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    GString *shown = g_string_new(NULL);
    for (const char *at = valid; *at != '\0'; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);
        if (shown->len >= SHOWN_MAX) {
            g_string_append(shown, "...");
            break;
        }
        if (lp_is_printable(c))
            g_string_append_unichar(shown, c);
        else
            lp_append_escaped(shown, c);
    }
    return g_string_free(shown, FALSE);
}

/* --- the program --- */

/* The path of the program: beside the library, as both are installed (LP_PROGRAM_INSTALLED) or
 * built (LP_PROGRAM_BUILT), both relative to the library's folder; else on PATH. Returns: for
 * g_free(). */
static char *
find_program(void)
{
    static const char *const places[] = {LP_PROGRAM_INSTALLED, LP_PROGRAM_BUILT};
    const char *named = g_getenv(PROGRAM_VARIABLE);
    Dl_info library;
    if (named != NULL && *named != '\0')
        return g_strdup(named);
    if (dladdr((void *)(guintptr)find_program, &library) != 0) {
        g_autofree char *folder = g_path_get_dirname(library.dli_fname);
        for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
            g_autofree char *path = g_build_filename(folder, places[i], NULL);
            if (g_file_test(path, G_FILE_TEST_IS_EXECUTABLE))
                return g_steal_pointer(&path);
        }
    }
    return g_strdup("lightpath");
}

/* Starts @program with @socket as its standard input, in a process group of its own, so that Ctrl-C
 * in the terminal is the caller's alone. Returns: an error of errno's, or 0. */
static int
spawn(const char *program, int socket, pid_t *out_process)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    char *const argv[] = {(char[]){"lightpath"}, (char[]){"serve"}, NULL};
    int failure = posix_spawnp(out_process, program, &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failure;
}

static Server *
server_new(char **out_error)
{
    int ends[2];
    pid_t process = 0;
    g_autofree char *program = find_program();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        lp_server_fail(out_error, g_strdup_printf("socket: got \"%s\", wanted one to reach the "
                                                  "program",
                                                  g_strerror(errno)));
        return NULL;
    }
    int failure = spawn(program, ends[1], &process);
    (void)close(ends[1]);
    if (failure != 0) {
        (void)close(ends[0]);
        g_autofree char *shown = lp_server_shown(program);
        lp_server_fail(
            out_error,
            g_strdup_printf("%s: got \"%s\", wanted the program lightpath (" PROGRAM_VARIABLE
                            " names it)",
                            shown, g_strerror(failure)));
        return NULL;
    }
    Server *self = g_new(Server, 1);
    *self = (Server){process, ends[0], g_string_new(NULL)};
    return self;
}

/* Ends it with whatever it runs; a process that was forked meanwhile has the socket, too. */
static void
server_free(Server *self)
{
    int ended = 0;
    (void)shutdown(self->socket, SHUT_RDWR);
    (void)close(self->socket);
    while (waitpid(self->process, &ended, 0) < 0 && errno == EINTR)
        ;
    g_string_free(self->pending, TRUE);
    g_free(self);
}

/* A fork waits until no other thread holds the mutex, which its child could never get. */
static void
before_fork(void)
{
    pthread_mutex_lock(&mutex);
}

static void
after_fork(void)
{
    pthread_mutex_unlock(&mutex);
}

/* What the parent has started is the parent's: forgotten, not ended. */
static void
begin_child(void)
{
    while (n_idle > 0)
        (void)close(idle[--n_idle]->socket);
    pthread_mutex_unlock(&mutex);
}

static void
watch_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork, begin_child);
}

/* A program that is idle, or a new one. */
static Server *
server_take(char **out_error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch_forks);
    pthread_mutex_lock(&mutex);
    Server *self = n_idle > 0 ? idle[--n_idle] : NULL;
    pthread_mutex_unlock(&mutex);
    return self != NULL ? self : server_new(out_error);
}

static void
server_give_back(Server *self)
{
    pthread_mutex_lock(&mutex);
    gboolean stays = n_idle < IDLE_MAX;
    if (stays)
        idle[n_idle++] = self;
    pthread_mutex_unlock(&mutex);
    if (!stays)
        server_free(self);
}

/* --- the conversation --- */

/* Whether all of @line is sent. */
static gboolean
send_line(const Server *self, const char *line)
{
    gsize length = strlen(line), done = 0;
    while (done < length) {
        gssize n = send(self->socket, line + done, length - done, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return FALSE;
        done += n > 0 ? (gsize)n : 0;
    }
    return TRUE;
}

/* The next line that has come, or NULL. Returns: for json_decref(). */
static json_t *
next_message(Server *self)
{
    char *end = memchr(self->pending->str, '\n', self->pending->len);
    if (end == NULL)
        return NULL;
    *end = '\0';
    json_t *message = json_loads(self->pending->str, 0, NULL);
    g_string_erase(self->pending, 0, end - self->pending->str + 1);
    return message;
}

/* Reads what comes within @patience_ms. Returns: FALSE: the program has ended. */
static gboolean
receive(Server *self, int patience_ms)
{
    char buffer[65536];
    struct pollfd socket = {self->socket, POLLIN, 0};
    int n_ready = poll(&socket, 1, patience_ms);
    if (n_ready <= 0)
        return n_ready == 0 || errno == EINTR;
    gssize n = recv(self->socket, buffer, sizeof buffer, 0);
    if (n > 0)
        g_string_append_len(self->pending, buffer, n);
    return n > 0 || (n < 0 && errno == EINTR);
}

/* Waits for the last message of a request. @request: a line. Returns: for json_decref(), or NULL,
 * and @self is of no more use. */
static json_t *
converse(Server *self, const char *request, LpProgressFunction progress, void *data,
         char **out_error)
{
    double fraction = -1.0;
    gboolean is_there = send_line(self, request);
    while (is_there) {
        json_t *message = next_message(self);
        if (message != NULL && json_object_get(message, "status") != NULL)
            return message;
        if (message != NULL) {
            fraction = json_number_value(json_object_get(message, "progress"));
            json_decref(message);
            continue;
        }
        if (progress != NULL && progress(fraction, data) != 0) {
            lp_server_fail(out_error, g_strdup("cancelled"));
            return NULL;
        }
        is_there = receive(self, progress != NULL ? PAUSE_MS : -1);
    }
    lp_server_fail(out_error,
                   g_strdup("lightpath serve: it has ended, wanted an answer (is " PROGRAM_VARIABLE
                            " the program of this library?)"));
    return NULL;
}

#define NO_TEXT "arguments: got bytes that are no UTF-8, wanted text"

/* Returns: the output of what @request asks, for g_free(), or NULL. @request: (transfer full). */
static char *
ask(json_t *request, LpProgressFunction progress, void *data, char **out_error)
{
    char *text = json_dumps(request, JSON_COMPACT);
    g_autofree char *line = text != NULL ? g_strconcat(text, "\n", NULL) : NULL;
    free(text);
    json_decref(request);
    if (line == NULL) {
        lp_server_fail(out_error, g_strdup(NO_TEXT));
        return NULL;
    }
    Server *server = server_take(out_error);
    if (server == NULL)
        return NULL;
    json_t *message = converse(server, line, progress, data, out_error);
    if (message == NULL) {
        server_free(server);
        return NULL;
    }
    server_give_back(server);
    gboolean is_good = json_integer_value(json_object_get(message, "status")) == 0;
    const char *result = json_string_value(json_object_get(message, is_good ? "output" : "error"));
    char *copy = g_strdup(result != NULL ? result : "");
    json_decref(message);
    if (is_good)
        return copy;
    lp_server_fail(out_error, copy);
    return NULL;
}

char *
lp_server_run(const char *const *arguments, LpProgressFunction progress, void *data,
              char **out_error)
{
    json_t *words = json_array();
    for (; *arguments != NULL; arguments++)
        if (json_array_append_new(words, json_string(*arguments)) != 0) {
            json_decref(words);
            lp_server_fail(out_error, g_strdup(NO_TEXT));
            return NULL;
        }
    g_autofree char *folder = g_get_current_dir();
    return ask(json_pack("{s:o, s:s}", "arguments", words, "directory", folder), progress, data,
               out_error);
}

gboolean
lp_server_check_setting(const char *setting, char **out_error)
{
    g_autofree char *nothing = ask(json_pack("{s:s}", "setting", setting), NULL, NULL, out_error);
    return nothing != NULL;
}
