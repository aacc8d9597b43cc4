/* SPDX-License-Identifier: Apache-2.0 */
/* Starts SimGrid: the one place where its settings are chosen. */
#pragma once

#include "sim/engine/engine_option.h"

G_BEGIN_DECLS

/** All settings for a simulation of @n_actors actors. Returns: (transfer full) array. */
GArray *lp_engine_options(guint64 n_actors);

/** Starts the engine with @options, and loads @platform_path, which must have been checked. Once a
 * process: a second platform aborts. */
void lp_engine_start(const GArray *options, const char *platform_path);

/** Whether lp_engine_start() was called in this process, or in the one that it is a fork of. */
gboolean lp_engine_has_started(void);

/** The engine's name and version, "SimGrid 3.32". Static. */
const char *lp_engine_version(void);

/** To be called before @n_actors actors are made: ends the process as GLib does without memory if a
 * limit of address space (ulimit -v) leaves too little for their stacks, where the engine would end
 * it with a backtrace. */
void lp_engine_reserve_stacks(guint64 n_actors);

/** Runs until all actors have ended. Returns: the simulated time, s. */
double lp_engine_run(void);

G_END_DECLS
