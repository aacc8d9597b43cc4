/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks signals for a scope. */
#include "base/held_signals.h"

LpHeldSignals
lp_held_signals_begin(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT};
    LpHeldSignals self;
    sigset_t held;
    sigemptyset(&held);
    for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
        sigaddset(&held, signals[i]);
    (void)pthread_sigmask(SIG_BLOCK, &held, &self.before);
    return self;
}

void
lp_held_signals_end(LpHeldSignals *self)
{
    (void)pthread_sigmask(SIG_SETMASK, &self->before, NULL);
}
