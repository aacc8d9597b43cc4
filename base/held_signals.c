/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks signals for a scope. */
#include "base/held_signals.h"

LpHeldSignals
lp_held_signals_begin(void)
{
    /* Those of a fault of this process, which cannot wait. */
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    LpHeldSignals self;
    sigset_t held;
    sigfillset(&held);
    for (guint i = 0; i < G_N_ELEMENTS(faults); i++)
        sigdelset(&held, faults[i]);
    (void)pthread_sigmask(SIG_BLOCK, &held, &self.before);
    return self;
}

void
lp_held_signals_end(LpHeldSignals *self)
{
    (void)pthread_sigmask(SIG_SETMASK, &self->before, NULL);
}
