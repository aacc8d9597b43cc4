/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured of the simulator itself: rings through it, and the same messages without it. */
#pragma once

#include "sim/run/simulation.h"

G_BEGIN_DECLS

/** One ring all-reduce of @bytes over all accelerators of @machine, every flow simulated unless
 * @collapse (LpCollectiveRequest). Once a process. Error: LP_SIMULATION_ERROR. */
gboolean lp_bench_ring(const LpMachine *machine, guint64 bytes, LpFidelity fidelity,
                       gboolean collapse, LpRunResult *out_result,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The messages of that ring as a bare SimGrid program sends them: each actor puts to the next,
 * gets from the one before, and waits for both. Once a process. */
gboolean lp_bench_engine_ring(const LpMachine *machine, guint64 bytes, LpRunResult *out_result,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
