/* SPDX-License-Identifier: Apache-2.0 */
/* How long the calls of a run took, by operation of its program: from when the last member has come
 * to when the operation has ended. */
#pragma once

#include "workloads/program/program.h"

G_BEGIN_DECLS

/** Seconds of all runs of an operation, by all ranks that were simulated, or stood for. */
typedef struct {
    double sum_s;
    guint64 n;
} LpCallTime;

/** The times of a program's calls. */
typedef struct LpCallTimes {
    GArray *of_op;      /* owned: LpCallTime, by index in LpProgram.ops */
    LpCallTime message; /**< between stages: from when its sender is ready to its arrival */
} LpCallTimes;

/** Empty ones. Returns: (transfer full). */
LpCallTimes *lp_call_times_new(void);
void lp_call_times_free(LpCallTimes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpCallTimes, lp_call_times_free)

/** Makes room for the operations of @program. */
void lp_call_times_prepare(LpCallTimes *self, const LpProgram *program);
/** Counts a call of @op, one of @program, that took each of @n ranks @time_s; nothing if @self is
 * NULL. */
void lp_call_times_add(LpCallTimes *self, const LpProgram *program, const LpOp *op, guint64 n,
                       double time_s);
/** Seconds of one call of the operation at @index, in the mean over ranks and runs; 0 if nothing is
 * known of it. */
double lp_call_times_mean_s(const LpCallTimes *self, guint index);
/** Seconds of one message between stages, in the mean; 0 without any. */
double lp_call_times_message_s(const LpCallTimes *self);

G_END_DECLS
