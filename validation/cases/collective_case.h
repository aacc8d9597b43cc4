/* SPDX-License-Identifier: Apache-2.0 */
/* A row of measured collectives: time or bus bandwidth on the machine that it describes. */
#pragma once

#include "validation/cases/case_kind.h"
#include "validation/cases/measured_machine.h"

G_BEGIN_DECLS

/** Rows with the columns of collectives.csv. The measured columns are time_us and busbw_GBps;
 * where the column usable says neither "time" nor "bandwidth", the time counts if there is one. */
extern const LpCaseKind lp_collective_case;

/** The time of an all-reduce of @bytes among all accelerators of @described, one domain, with their
 * communication library, s; run in a process of its own. @constants: in place of the shipped ones;
 * NULL: none. Errors: as lp_measured_machine_new() and lp_collective_run(). */
gboolean lp_collective_case_all_reduce_s(const LpMeasuredMachine *described, guint64 bytes,
                                         const LpConstants *constants, double *out_time_s,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
