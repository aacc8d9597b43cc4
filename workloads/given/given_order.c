/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which operations are handed out, and what cannot have one. */
#include "workloads/given/given_program.h"

/* A body that is being put in order. Operations of a queue keep theirs, so that each queue has one
 * that is next. */
typedef struct {
    const LpGivenProgram *program; /* borrowed */
    const LpGivenBody *body;       /* borrowed */
    gboolean *is_out;              /* owned, by place */
    guint *last_compute; /* owned, by place: 1 + the last one of the compute queue before */
    guint next[LP_GIVEN_QUEUES_MAX]; /* by queue: a place, at or before its next operation */
    guint begin, end;                /* what stands between two runs of other bodies */
    GArray *order;                   /* owned */
} Sorting;

static const LpGivenOp *
at(const Sorting *self, guint place)
{
    return lp_given_body_op(self->body, place);
}

static void
hand_out(Sorting *self, guint place)
{
    guint32 number = place;
    self->is_out[place] = TRUE;
    g_array_append_val(self->order, number);
}

/* The next operation of @queue; the end of what is being sorted if there is none. */
static guint
find_next(Sorting *self, guint32 queue)
{
    guint place = self->next[queue];
    while (place < self->end && at(self, place)->queue != queue)
        place++;
    return self->next[queue] = place;
}

/* Whether all that @place waits for is out. What waits for a queue counts on all of it that stands
 * before. */
static gboolean
is_ready(Sorting *self, guint place)
{
    const LpGivenOp *op = at(self, place);
    for (guint32 i = 0; i < op->n_after; i++)
        if (!self->is_out[g_array_index(self->program->after, guint32, op->first_after + i)])
            return FALSE;
    if (op->kind == LP_GIVEN_WAIT && find_next(self, op->waited) < place)
        return FALSE;
    guint before = self->last_compute[place];
    return op->is_free || before == 0 || self->is_out[before - 1];
}

/* The first operation of other queues that may be handed out; else the compute queue's next; the
 * end if that may not be either. Those of several queues keep their order: handing out costs the
 * host. */
static guint
find_ready(Sorting *self)
{
    guint first = self->end;
    for (guint32 queue = 1; queue < self->program->queues->len; queue++) {
        guint place = find_next(self, queue);
        if (place < first && is_ready(self, place))
            first = place;
    }
    if (first < self->end)
        return first;
    guint place = find_next(self, LP_GIVEN_COMPUTE_QUEUE);
    return place < self->end && is_ready(self, place) ? place : self->end;
}

/* What other queues may take goes before what the compute queue does next. */
static gboolean
sort_span(Sorting *self, GError **error)
{
    guint32 n_queues = self->program->queues->len;
    for (guint32 queue = 0; queue < n_queues; queue++)
        self->next[queue] = self->begin;
    for (guint n = self->begin; n < self->end; n++) {
        guint place = find_ready(self);
        if (place < self->end) {
            hand_out(self, place);
            self->next[at(self, place)->queue]++;
            continue;
        }
        place = self->begin;
        while (self->is_out[place])
            place++;
        const LpGivenOp *op = at(self, place);
        lp_given_program_fail(self->program, op->line, error,
                              "<%s>: got an operation that waits for itself, by after, queues or "
                              "what is repeated, wanted no cycle of dependencies",
                              lp_given_op_name(op));
        return FALSE;
    }
    return TRUE;
}

static gboolean
sort(Sorting *self, GError **error)
{
    guint n = self->body->ops->len;
    for (self->begin = 0; self->begin < n; self->begin = self->end + 1) {
        self->end = self->begin;
        while (self->end < n && at(self, self->end)->kind != LP_GIVEN_RUN)
            self->end++;
        if (!sort_span(self, error))
            return FALSE;
        if (self->end < n)
            hand_out(self, self->end);
    }
    return TRUE;
}

GArray *
lp_given_program_order(const LpGivenProgram *self, const LpGivenBody *body, GError **error)
{
    guint n = body->ops->len;
    g_autofree gboolean *is_out = g_new0(gboolean, n);
    g_autofree guint *last_compute = g_new0(guint, n);
    guint last = 0;
    for (guint place = 0; place < n; place++) {
        const LpGivenOp *op = lp_given_body_op(body, place);
        last_compute[place] = last;
        if (op->queue == LP_GIVEN_COMPUTE_QUEUE && op->kind != LP_GIVEN_RUN)
            last = place + 1;
    }
    Sorting sorting = {.program = self,
                       .body = body,
                       .is_out = is_out,
                       .last_compute = last_compute,
                       .order = g_array_sized_new(FALSE, FALSE, sizeof(guint32), n)};
    if (sort(&sorting, error))
        return sorting.order;
    g_array_unref(sorting.order);
    return NULL;
}
