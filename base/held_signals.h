/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what would end the process waiting for a scope in which something lies on the disk that the
 * scope itself takes away: a temporary file or folder. */
#pragma once

#include <glib.h>

#include <signal.h>

G_BEGIN_DECLS

/** What lp_held_signals_end() needs: the signals that were blocked before. */
typedef struct {
    sigset_t before;
} LpHeldSignals;

/** Blocks all signals but those of a fault of the process itself in this thread;
 * `g_auto(LpHeldSignals) held = lp_held_signals_begin();` does so for a scope, which must end soon.
 * Scopes may lie in one another. */
LpHeldSignals lp_held_signals_begin(void) G_GNUC_WARN_UNUSED_RESULT;
/** Lets those through that were not blocked before: if one has come, the process ends by it. */
void lp_held_signals_end(LpHeldSignals *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LpHeldSignals, lp_held_signals_end)

G_END_DECLS
