/* SPDX-License-Identifier: Apache-2.0 */
/* Turns segments of ops into tasks: merges, and balances for the counterfactual run. */
#include "sim/task.h"

#include "sim/collective/ring.h"

/* What turning ops into tasks needs to know of the tensor-parallel groups. */
typedef struct {
    LpTasks *tasks;
    const LpIteration *iteration;
    gboolean merge_tp;  /* tp collectives are delays, the same in every group */
    LpLonelyRing tp;    /* valid if there is a tp group */
    double scale;       /* of all durations of the segment at hand */
    double launch_scale;
} Builder;

static gboolean
rings_equal(const LpLonelyRing *a, const LpLonelyRing *b)
{
    if (a->latency_s < b->latency_s || a->latency_s > b->latency_s)
        return FALSE;
    for (guint64 i = 0; i < a->n_members; i++)
        if (a->bytes_per_s[i] < b->bytes_per_s[i] || a->bytes_per_s[i] > b->bytes_per_s[i])
            return FALSE;
    return TRUE;
}

/* Whether one delay serves every tensor-parallel group. */
static gboolean
tp_uniform(const LpEdges *edges, const LpLonelyRing *first)
{
    for (guint64 rank = 0; rank < edges->n_ranks; rank++) {
        if (lp_iteration_group_index(edges->iteration, LP_GROUP_TP, rank) != 0)
            continue;
        LpLonelyRing ring;
        lp_lonely_ring_init(&ring, edges, LP_GROUP_TP, rank);
        gboolean equal = rings_equal(&ring, first);
        lp_lonely_ring_clear(&ring);
        if (!equal)
            return FALSE;
    }
    return TRUE;
}

static void
append(Builder *self, LpTask task)
{
    g_array_append_val(self->tasks->tasks, task);
}

/* The task that the next delay may join, or NULL. */
static LpTask *
open_delay(const Builder *self, const LpTaskRange *range)
{
    GArray *tasks = self->tasks->tasks;
    if (!self->tasks->mode.merge || tasks->len == range->first)
        return NULL;
    LpTask *last = &g_array_index(tasks, LpTask, tasks->len - 1);
    return last->kind == LP_TASK_DELAY ? last : NULL;
}

static void
append_delay(Builder *self, const LpTaskRange *range, LpTerm term, double duration_s)
{
    LpTask *open = open_delay(self, range);
    if (open == NULL) {
        append(self, (LpTask){.kind = LP_TASK_DELAY});
        open = &g_array_index(self->tasks->tasks, LpTask, self->tasks->tasks->len - 1);
    }
    open->duration_s += duration_s;
    open->terms.s[term] += duration_s;
}

static void
append_tp_delay(Builder *self, const LpTaskRange *range, const LpOp *op)
{
    double time_s = lp_lonely_ring_time_s(&self->tp, op->collective, op->bytes,
                                          self->tasks->mode.fidelity);
    append_delay(self, range, op->term, time_s * self->scale);
    LpTask *task = &g_array_index(self->tasks->tasks, LpTask, self->tasks->tasks->len - 1);
    task->gathers = TRUE;
    task->traffic_bytes[op->traffic] +=
        lp_ring_total_bytes(op->collective, self->tp.n_members, op->bytes);
}

static void
append_op(Builder *self, const LpTaskRange *range, const LpOp *op)
{
    switch (op->kind) {
    case LP_OP_COMPUTE:
        append_delay(self, range, op->term, op->duration_s * self->scale);
        return;
    case LP_OP_COLLECTIVE:
        if (op->group == LP_GROUP_TP && self->merge_tp)
            append_tp_delay(self, range, op);
        else
            append(self, (LpTask){.kind = LP_TASK_COLLECTIVE, .op = op, .scale = self->scale});
        return;
    case LP_OP_LAUNCH:
        append(self, (LpTask){.kind = LP_TASK_LAUNCH, .op = op, .scale = self->launch_scale});
        return;
    case LP_OP_JOIN:
        append(self, (LpTask){.kind = LP_TASK_JOIN});
        return;
    }
}

/* Lonely seconds of an op on the groups of @rank. */
static double
op_lonely_s(const LpEdges *edges, const LpOp *op, guint64 rank, LpFidelity fidelity)
{
    if (op->kind == LP_OP_COMPUTE)
        return op->duration_s;
    if (op->kind == LP_OP_JOIN)
        return 0.0;
    LpLonelyRing ring;
    lp_lonely_ring_init(&ring, edges, op->group, rank);
    double time_s = lp_lonely_ring_time_s(&ring, op->collective, op->bytes, fidelity);
    lp_lonely_ring_clear(&ring);
    return time_s;
}

/* The kinds of segments that balancing averages over stages and chunks. */
typedef enum { ROLE_FORWARD, ROLE_BACKWARD, ROLE_FINISH, N_ROLES } Role;

static Role
role_of(const LpIteration *iteration, const LpStep *step)
{
    const LpSegment *segment = lp_iteration_segment(iteration, step->segment);
    if (g_str_equal(segment->name, "finish"))
        return ROLE_FINISH;
    return step->direction == LP_DIRECTION_FORWARD ? ROLE_FORWARD : ROLE_BACKWARD;
}

/* Blocking and launched lonely seconds of the segments, and how often each runs. */
typedef struct {
    double *blocking_s, *launched_s; /* owned, by segment */
    double *term_s[LP_N_TERMS];      /* owned, by segment: collectives only */
    Role *role;                      /* owned, by segment */
    gboolean *used;                  /* owned, by segment */
} Totals;

static void
totals_init(Totals *self, guint n_segments)
{
    self->blocking_s = g_new0(double, n_segments);
    self->launched_s = g_new0(double, n_segments);
    self->role = g_new0(Role, n_segments);
    self->used = g_new0(gboolean, n_segments);
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        self->term_s[term] = g_new0(double, n_segments);
}

static void
totals_clear(Totals *self)
{
    g_free(self->blocking_s);
    g_free(self->launched_s);
    g_free(self->role);
    g_free(self->used);
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        g_free(self->term_s[term]);
}

static guint64
stage_rank(const LpIteration *iteration, guint32 stage)
{
    return lp_iteration_stage_mate(iteration, 0, stage);
}

/* A layer's ops repeat: the same collective is looked up once in a row, not once a layer. */
static void
sum_segment(Totals *self, const LpEdges *edges, guint index, guint64 rank, LpFidelity fidelity)
{
    const LpSegment *segment = lp_iteration_segment(edges->iteration, index);
    const LpOp *known = NULL;
    double known_s = 0.0;
    for (guint i = 0; i < segment->n_ops; i++) {
        const LpOp *op = lp_iteration_op(edges->iteration, segment->first_op + i);
        double time_s;
        if (op->kind == LP_OP_COMPUTE || op->kind == LP_OP_JOIN) {
            time_s = op_lonely_s(edges, op, rank, fidelity);
        } else {
            if (known == NULL || known->collective != op->collective ||
                known->group != op->group || known->bytes != op->bytes) {
                known = op;
                known_s = op_lonely_s(edges, op, rank, fidelity);
            }
            time_s = known_s;
            self->term_s[op->term][index] += time_s;
        }
        if (op->kind == LP_OP_LAUNCH)
            self->launched_s[index] += time_s;
        else
            self->blocking_s[index] += time_s;
    }
}

static void
sum_stages(LpTasks *tasks, Totals *totals, const LpEdges *edges)
{
    const LpIteration *iteration = edges->iteration;
    for (guint32 stage = 0; stage < iteration->programs->len; stage++) {
        guint64 rank = stage_rank(iteration, stage);
        const LpProgram *program = lp_iteration_program(iteration, stage);
        for (guint i = 0; i < program->n_steps; i++) {
            const LpStep *step = lp_iteration_step(iteration, program->first_step + i);
            if (step->kind == LP_STEP_SEND) {
                LpEdgeKind kind = step->direction == LP_DIRECTION_FORWARD ? LP_EDGE_FORWARD
                                                                          : LP_EDGE_BACKWARD;
                tasks->message_s[stage] += lp_lonely_message_time_s(
                    lp_edges_get(edges, kind, rank), iteration->message_bytes);
            }
            if (step->kind != LP_STEP_SEGMENT)
                continue;
            if (!totals->used[step->segment]) {
                totals->used[step->segment] = TRUE;
                totals->role[step->segment] = role_of(iteration, step);
                sum_segment(totals, edges, step->segment, rank, tasks->mode.fidelity);
            }
            for (LpTerm term = 0; term < LP_N_TERMS; term++)
                tasks->lonely_s[term][stage] += totals->term_s[term][step->segment];
        }
    }
}

/* Mean over the used segments of each role: of blocking seconds, and of launched ones where any
 * are. */
static void
mean_roles(const Totals *totals, guint n_segments, double *out_blocking_s, double *out_launched_s)
{
    guint n[N_ROLES] = {0}, n_launching[N_ROLES] = {0};
    for (guint i = 0; i < n_segments; i++) {
        if (!totals->used[i])
            continue;
        Role role = totals->role[i];
        out_blocking_s[role] += totals->blocking_s[i];
        n[role]++;
        out_launched_s[role] += totals->launched_s[i];
        n_launching[role] += totals->launched_s[i] > 0.0 ? 1 : 0;
    }
    for (Role role = 0; role < N_ROLES; role++) {
        out_blocking_s[role] /= MAX(n[role], 1);
        out_launched_s[role] /= MAX(n_launching[role], 1);
    }
}

static void
build_segments(Builder *self, const Totals *totals)
{
    const LpIteration *iteration = self->iteration;
    guint n_segments = iteration->segments->len;
    double blocking_s[N_ROLES] = {0}, launched_s[N_ROLES] = {0};
    mean_roles(totals, n_segments, blocking_s, launched_s);
    for (guint i = 0; i < n_segments; i++) {
        const LpSegment *segment = lp_iteration_segment(iteration, i);
        LpTaskRange *range = &self->tasks->ranges[i];
        range->first = self->tasks->tasks->len;
        self->scale = self->launch_scale = 1.0;
        if (self->tasks->mode.balanced && totals->blocking_s[i] > 0.0)
            self->scale = blocking_s[totals->role[i]] / totals->blocking_s[i];
        if (self->tasks->mode.balanced && totals->launched_s[i] > 0.0)
            self->launch_scale = launched_s[totals->role[i]] / totals->launched_s[i];
        for (guint k = 0; k < segment->n_ops; k++)
            append_op(self, range, lp_iteration_op(iteration, segment->first_op + k));
        range->n = self->tasks->tasks->len - range->first;
    }
}

LpTasks *
lp_tasks_new(const LpEdges *edges, const LpProof *proof, LpRunMode mode)
{
    const LpIteration *iteration = edges->iteration;
    guint n_segments = iteration->segments->len, n_stages = iteration->programs->len;
    LpTasks *self = g_new0(LpTasks, 1);
    self->mode = mode;
    self->tasks = g_array_new(FALSE, FALSE, sizeof(LpTask));
    self->ranges = g_new0(LpTaskRange, n_segments);
    self->message_s = g_new0(double, n_stages);
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        self->lonely_s[term] = g_new0(double, n_stages);

    Totals totals;
    totals_init(&totals, n_segments);
    sum_stages(self, &totals, edges);

    Builder builder = {.tasks = self, .iteration = iteration};
    gboolean has_tp = lp_iteration_group_size(iteration, LP_GROUP_TP) > 1;
    if (has_tp) {
        lp_lonely_ring_init(&builder.tp, edges, LP_GROUP_TP, 0);
        builder.merge_tp = (mode.uncontended || (mode.merge && proof->all_private[LP_GROUP_TP])) &&
                           tp_uniform(edges, &builder.tp);
    }
    build_segments(&builder, &totals);
    if (has_tp)
        lp_lonely_ring_clear(&builder.tp);
    totals_clear(&totals);
    return self;
}

void
lp_tasks_free(LpTasks *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->tasks);
    g_free(self->ranges);
    g_free(self->message_s);
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        g_free(self->lonely_s[term]);
    g_free(self);
}
