/* SPDX-License-Identifier: Apache-2.0 */
/* A ring all-reduce in plain SimGrid, to measure ours against. */
#pragma once

#include "sim/run/run.h"

G_BEGIN_DECLS

/** All-reduces @bytes over all scale-out ports of the machine. Once a process. */
LpRunResult lp_bench_ring_bare(const LpNetwork *network, guint64 bytes);

G_END_DECLS
