/* SPDX-License-Identifier: Apache-2.0 */
/* What the host did in a profile of PyTorch: calls that launch, and who says what is sent. */
#pragma once

#include "base/json.h"

G_BEGIN_DECLS

/** A call of the host, in microseconds of the profile's clock. */
typedef struct {
    double start_us, end_us;
    gint64 thread;
} LpKinetoCall;

/** Calls by correlation, and records of communication by thread. */
typedef struct LpKinetoCalls LpKinetoCalls;

LpKinetoCalls *lp_kineto_calls_new(void);
void lp_kineto_calls_free(LpKinetoCalls *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpKinetoCalls, lp_kineto_calls_free)

/** Keeps @call, which launched what has @correlation. */
void lp_kineto_calls_add(LpKinetoCalls *self, gint64 correlation, const LpKinetoCall *call);
/** The call that launched what has @correlation; NULL: it was not seen. Borrowed. */
const LpKinetoCall *lp_kineto_calls_find(const LpKinetoCalls *self, gint64 correlation);

/** Keeps what @event, called @name, says of the communication that is launched while @span lasts:
 * a record_param_comms, or an annotation "nccl:all_reduce" with the shapes that it was given. Of
 * any other nothing. */
void lp_kineto_calls_record(LpKinetoCalls *self, const char *name, const json_t *event,
                            const LpKinetoCall *span);
/** What the record says in which @call stands, the innermost one, in the words of a
 * record_param_comms; of an annotation in a job of @n_ranks ranks. NULL: there is none. Returns:
 * (transfer full). */
json_t *lp_kineto_calls_said(LpKinetoCalls *self, const LpKinetoCall *call, guint n_ranks);

G_END_DECLS
