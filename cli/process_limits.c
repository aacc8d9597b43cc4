/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of stack and memory. */
#include "cli/process_limits.h"

#include "base/address_space.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* More than twice what any command was seen to need, KiB. */
#define STACK_MIN_KIB 256
/* What reading files takes: libraries of XML end the process without. */
#define SPACE_MIN_BYTES (24.0 * 1024.0 * 1024.0)

/* std::set_new_handler(): who is asked when the engine, which is C++, finds no memory. */
void (*lp_set_new_handler(void (*handler)(void)))(void) __asm__("_ZSt15set_new_handlerPFvvE");

/* The process that speaks: of its children, which have its handlers, it says itself how they ended.
 * Set once, as handlers are given nothing; 0: all do. */
static pid_t speaker;

G_GNUC_NORETURN static void
end_without_memory(void)
{
    if (speaker != 0 && getpid() != speaker)
        _exit(1);
    static const char line[] = "lightpath: memory: got none that is left, wanted more: it ends, or "
                               "a limit of it (ulimit -v or -d)\n";
    _exit(write(STDERR_FILENO, line, strlen(line)) < 0 ? 2 : 1);
}

/* Before libraries are made ready, which takes more than the smallest stacks and memories that
 * programs start with at all, and ends the process where there is less. */
static void
check_first(void)
{
    struct rlimit stack;
    char line[128];
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < STACK_MIN_KIB * 1024) {
        int n =
            snprintf(line, sizeof line,
                     "lightpath: stack: got a limit of %lu KiB (ulimit -s), wanted at least %d\n",
                     (unsigned long)(stack.rlim_cur / 1024), STACK_MIN_KIB);
        _exit(write(STDERR_FILENO, line, (size_t)n) < 0 ? 2 : 1);
    }
    if (lp_address_space_left_bytes() < SPACE_MIN_BYTES)
        end_without_memory();
}
static void (*const first)(void) __attribute__((section(".preinit_array"), used)) = check_first;

/* GLib's other errors are bugs, which end the process as they do. */
static void
on_glib_error(const char *domain, GLogLevelFlags level, const char *message, void *data)
{
    if (strstr(message, "failed to allocate") != NULL)
        end_without_memory();
    g_log_default_handler(domain, level, message, data);
}

gboolean
lp_process_limits_check(GError **error)
{
    speaker = getpid();
    (void)lp_set_new_handler(end_without_memory);
    (void)g_log_set_handler("GLib", G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION,
                            on_glib_error, NULL);
    return lp_address_space_check(SPACE_MIN_BYTES, "the program", error);
}
