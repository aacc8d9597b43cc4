/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks and releases signals. */
#include "cli/interruption.h"

#include <signal.h>

static const int signals[] = {SIGINT, SIGTERM};

/* The handled signals: those of the list that would end the process. A shell's background jobs
 * ignore Ctrl-C. */
static sigset_t
taken(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (guint i = 0; i < G_N_ELEMENTS(signals); i++) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&set, signals[i]);
    }
    return set;
}

void
lp_interruption_hold(void)
{
    sigset_t set = taken();
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
}

gboolean
lp_interruption_has_come(void)
{
    sigset_t pending, set = taken();
    if (sigpending(&pending) != 0)
        return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
        if (sigismember(&set, signals[i]) == 1 && sigismember(&pending, signals[i]) == 1)
            return TRUE;
    return FALSE;
}

void
lp_interruption_release(void)
{
    sigset_t set = taken();
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}
