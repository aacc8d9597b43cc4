/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded before a program (LD_PRELOAD), lets it begin many times and be linked once: the dynamic
 * linker takes longer over the engine's libraries than a short command then runs.
 *
 * The descriptor that the environment names LP_FORK_SERVER is a socket of packets. A request is the
 * folder and the words of a command, each ended by a zero byte, with three descriptors: its
 * streams. The command is a process that is forked where main() would be called; the answer is its
 * wait status. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUEST_MAX (1 << 18)
#define N_WORDS_MAX 1024
#define N_STREAMS 3

typedef int Main(int, char **, char **);
typedef int Start(Main *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

static Main *program_main;

/* Returns: how long the request is; nothing where whoever asks is gone. */
static ssize_t
receive(int socket, char *text, int *streams)
{
    union {
        char bytes[CMSG_SPACE(N_STREAMS * sizeof(int))];
        struct cmsghdr head;
    } control;
    struct iovec part = {text, REQUEST_MAX};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control};
    ssize_t length = recvmsg(socket, &message, 0);
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (length <= 0 || head == NULL || head->cmsg_len != CMSG_LEN(N_STREAMS * sizeof(int)))
        return 0;
    memcpy(streams, CMSG_DATA(head), N_STREAMS * sizeof(int));
    return length;
}

static void
run(int socket, char *text, ssize_t length, const int *streams)
{
    static char *words[N_WORDS_MAX + 1];
    int n = 0;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)close(socket);
    for (int i = 0; i < N_STREAMS; i++) {
        (void)dup2(streams[i], i);
        (void)close(streams[i]);
    }
    if (chdir(text) != 0)
        _exit(127);
    for (char *word = text + strlen(text) + 1; word < text + length && n < N_WORDS_MAX;
         word += strlen(word) + 1)
        words[n++] = word;
    exit(program_main(n, words, environ));
}

static int
serve(int argc, char **argv, char **environment)
{
    static char text[REQUEST_MAX];
    const char *name = getenv("LP_FORK_SERVER");
    if (name == NULL)
        return program_main(argc, argv, environment);
    int socket = atoi(name), streams[N_STREAMS], status = 0;
    (void)unsetenv("LP_FORK_SERVER");
    (void)unsetenv("LD_PRELOAD");
    for (ssize_t length; (length = receive(socket, text, streams)) > 0;) {
        pid_t child = fork();
        if (child == 0)
            run(socket, text, length, streams);
        for (int i = 0; i < N_STREAMS; i++)
            (void)close(streams[i]);
        if (waitpid(child, &status, 0) != child ||
            send(socket, &status, sizeof status, MSG_NOSIGNAL) != sizeof status)
            return 1;
    }
    return 0;
}

/* The C library's, which calls what it is given once all is linked and initialised. */
int __libc_start_main(Main *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

int
__libc_start_main(Main *program, int argc, char **argv, void (*init)(void), void (*fini)(void),
                  void (*linker_fini)(void), void *stack_end)
{
    program_main = program;
    Start *start = NULL;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    return start(serve, argc, argv, init, fini, linker_fini, stack_end);
}
