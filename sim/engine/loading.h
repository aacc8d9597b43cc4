/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the engine on a machine. It never reads the user's own file: a plain copy is written,
 * since SimGrid aborts on what it does not expect. */
#pragma once

#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** Starts the engine on @machine (lp_machine_to_plain()). Once a process.
 * @engine_options: of lp_engine_options(). Error: GFileError of the temporary file. */
gboolean lp_engine_load(const LpMachine *machine, const GArray *engine_options,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** As lp_engine_load(), but where the machine's scale-out tree falls apart into rails
 * (lp_plain_rails()), one tree a rail is loaded: for runs that send nothing from one rail to
 * another (lp_rail_is_kept()). */
gboolean lp_engine_load_on_rails(const LpMachine *machine, const GArray *engine_options,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
