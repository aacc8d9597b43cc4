/* SPDX-License-Identifier: Apache-2.0 */
/* Operations at the end of the segment at hand. */
#include "workloads/program/builder.h"

static LpSegment *
current_segment(const LpBuilder *self)
{
    GArray *segments = self->program->segments;
    return &g_array_index(segments, LpSegment, segments->len - 1);
}

guint32
lp_builder_begin_segment(LpBuilder *self, LpRole role, guint32 stage, guint32 chunk)
{
    LpSegment segment = {
        .role = role, .stage = stage, .chunk = chunk, .first_op = self->program->ops->len};
    g_array_append_val(self->program->segments, segment);
    for (LpStream stream = 0; stream < LP_N_STREAMS; stream++)
        self->n_launched[stream] = 0;
    return self->program->segments->len - 1;
}

void
lp_builder_end_segment(LpBuilder *self)
{
    LpSegment *segment = current_segment(self);
    segment->n_ops = self->program->ops->len - segment->first_op;
}

void
lp_builder_add(LpBuilder *self, const LpOp *op)
{
    g_array_append_vals(self->program->ops, op, 1);
}

/* --- computing --- */

/* Kernels in a row are one operation. */
void
lp_builder_add_compute(LpBuilder *self, LpTerm term, LpWork work)
{
    if (work.device_s <= 0.0)
        return;
    GArray *ops = self->program->ops;
    if (ops->len > current_segment(self)->first_op) {
        LpOp *last = &g_array_index(ops, LpOp, ops->len - 1);
        if (last->kind == LP_OP_COMPUTE && last->term == term && !last->loaded) {
            last->work = lp_work_then(last->work, work);
            return;
        }
    }
    lp_builder_add(self, &(LpOp){.kind = LP_OP_COMPUTE, .term = term, .work = work});
}

void
lp_builder_add_loaded(LpBuilder *self, LpWork work)
{
    if (self->program->expert_loads == NULL)
        lp_builder_add_compute(self, LP_TERM_COMPUTE, work);
    else
        lp_builder_add(self, &(LpOp){.kind = LP_OP_COMPUTE,
                                     .term = LP_TERM_COMPUTE,
                                     .work = work,
                                     .loaded = TRUE,
                                     .draw = self->draw});
}

/* --- collectives --- */

/* @op: a collective's operation, group, traffic, weight and bytes. All communicators of a group
 * have one stream. Returns: the number of the launch; G_MAXUINT if there is none. */
static guint
launch_or_wait(LpBuilder *self, LpOp op)
{
    const LpCommunicators *communicators = self->program->communicators;
    if (lp_communicators_n(communicators, op.group) == 0 || op.bytes == 0)
        return G_MAXUINT;
    op.stream = lp_communicators_get(communicators, op.group, 0)->stream;
    op.kind = op.stream == LP_N_STREAMS ? LP_OP_COLLECTIVE : LP_OP_LAUNCH;
    lp_builder_add(self, &op);
    if (op.kind == LP_OP_COLLECTIVE)
        return G_MAXUINT;
    self->program->uses_stream[op.stream] = TRUE;
    return self->n_launched[op.stream]++;
}

static void
wait_for(LpBuilder *self, LpOp op)
{
    guint number = launch_or_wait(self, op);
    if (number == G_MAXUINT)
        return;
    LpStream stream = lp_communicators_get(self->program->communicators, op.group, 0)->stream;
    lp_builder_add_join(self, stream, number, op.term);
}

/* A collective of @group as its traits have it. */
static LpOp
group_op(LpCollective collective, LpGroup group, guint64 bytes)
{
    const LpGroupTraits *traits = lp_group_traits(group);
    return (LpOp){.collective = collective,
                  .group = group,
                  .traffic = traits->traffic,
                  .term = traits->term,
                  .bytes = bytes};
}

void
lp_builder_add_collective(LpBuilder *self, LpCollective collective, LpGroup group, guint64 bytes)
{
    wait_for(self, group_op(collective, group, bytes));
}

void
lp_builder_add_whole_gradients(LpBuilder *self, guint64 bytes)
{
    LpOp op = group_op(LP_COLLECTIVE_ALL_REDUCE, LP_GROUP_TP, bytes);
    op.term = LP_TERM_DP;
    wait_for(self, op);
}

static LpOp
vocabulary_op(LpCollective collective, guint64 bytes)
{
    LpOp op = group_op(collective, LP_GROUP_TP, bytes);
    op.traffic = LP_TRAFFIC_EMBEDDING;
    return op;
}

void
lp_builder_add_vocabulary(LpBuilder *self, LpCollective collective, guint64 bytes)
{
    wait_for(self, vocabulary_op(collective, bytes));
}

guint
lp_builder_launch_vocabulary(LpBuilder *self, LpCollective collective, guint64 bytes)
{
    return launch_or_wait(self, vocabulary_op(collective, bytes));
}

void
lp_builder_add_exchange(LpBuilder *self, LpGroup group, LpWeight weight, guint64 bytes)
{
    gboolean even = self->program->expert_loads == NULL;
    LpOp op = group_op(LP_COLLECTIVE_ALL_TO_ALL, group, bytes);
    op.weight = even ? LP_WEIGHT_EVEN : weight;
    op.draw = even || weight == LP_WEIGHT_EVEN ? 0 : self->draw;
    wait_for(self, op);
}

guint
lp_builder_add_launch(LpBuilder *self, LpCollective collective, LpGroup group, guint64 bytes)
{
    return launch_or_wait(self, group_op(collective, group, bytes));
}

/* --- joins --- */

void
lp_builder_add_join(LpBuilder *self, LpStream stream, guint number, LpTerm term)
{
    if (number != G_MAXUINT)
        lp_builder_add_join_pending(self, stream, self->n_launched[stream] - number - 1, term);
}

void
lp_builder_add_join_pending(LpBuilder *self, LpStream stream, guint n_pending, LpTerm term)
{
    lp_builder_add(
        self, &(LpOp){.kind = LP_OP_JOIN, .term = term, .stream = stream, .n_pending = n_pending});
}

void
lp_builder_add_join_all(LpBuilder *self, LpStream stream, LpTerm term)
{
    if (self->program->uses_stream[stream])
        lp_builder_add_join_pending(self, stream, 0, term);
}

/* --- rearranging --- */

GArray *
lp_builder_take(LpBuilder *self)
{
    GArray *ops = self->program->ops;
    guint first = current_segment(self)->first_op;
    GArray *taken = g_array_new(FALSE, FALSE, sizeof(LpOp));
    g_array_append_vals(taken, &g_array_index(ops, LpOp, first), ops->len - first);
    g_array_set_size(ops, first);
    return taken;
}
