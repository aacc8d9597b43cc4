/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create() */
#include "tests/support/fork_client.h"

#include "base/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_STREAMS 3

static int server_socket = -1;
static pid_t server;

static void
end(void)
{
    (void)close(server_socket);
    (void)waitpid(server, NULL, 0);
}

/* Returns: a socket to a program that forks, or -1. */
static int
start(const char *program)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        g_autofree char *number = g_strdup_printf("%d", ends[1]);
        (void)close(ends[0]);
        (void)g_setenv("LD_PRELOAD", g_getenv("FORK_SERVER"), TRUE);
        (void)g_setenv("LP_FORK_SERVER", number, TRUE);
        (void)execl(program, program, NULL);
        _exit(127);
    }
    (void)close(ends[1]);
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    if (child > 0)
        server = child;
    server_socket = ends[0];
    return child > 0 && atexit(end) == 0 ? ends[0] : -1;
}

static gboolean
ask(int socket, const GString *text, const int *streams)
{
    union {
        char bytes[CMSG_SPACE(N_STREAMS * sizeof(int))];
        struct cmsghdr head;
    } control = {.bytes = ""};
    struct iovec part = {text->str, text->len};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(N_STREAMS * sizeof(int)),
                             .cmsg_level = SOL_SOCKET,
                             .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(head), streams, N_STREAMS * sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)text->len;
}

gboolean
lp_fork_client_run(char **words, int *status, char **output, char **complaint)
{
    int socket = server_socket >= 0 ? server_socket : start(words[0]);
    g_autofree char *folder = g_get_current_dir();
    g_autoptr(GString) text = g_string_new_len(folder, (gssize)strlen(folder) + 1);
    for (char **word = words; *word != NULL; word++)
        g_string_append_len(text, *word, (gssize)strlen(*word) + 1);
    int streams[N_STREAMS] = {open("/dev/null", O_RDONLY | O_CLOEXEC),
                              memfd_create("output", MFD_CLOEXEC),
                              memfd_create("error", MFD_CLOEXEC)};
    int ended = 0;
    gboolean good = socket >= 0 && ask(socket, text, streams) &&
                    recv(socket, &ended, sizeof ended, 0) == sizeof ended;
    *output = lp_file_whole(streams[1]);
    *complaint = lp_file_whole(streams[2]);
    for (int i = 0; i < N_STREAMS; i++)
        (void)close(streams[i]);
    if (good && WIFEXITED(ended))
        *status = WEXITSTATUS(ended);
    return good;
}
