/* SPDX-License-Identifier: Apache-2.0 */
/* Compares programs member by member: structs may hold bytes between their members. */
#include "workloads/program/program_alike.h"

#include <string.h>

static gboolean
are_works_alike(const LpWork *a, const LpWork *b)
{
    return a->device_s == b->device_s && a->host_s == b->host_s && a->issue_s == b->issue_s &&
           a->bound_s == b->bound_s && a->idle_s == b->idle_s && a->wait_s == b->wait_s &&
           a->waits == b->waits;
}

static gboolean
are_ops_alike(const LpOp *a, const LpOp *b)
{
    return a->kind == b->kind && a->term == b->term && are_works_alike(&a->work, &b->work) &&
           a->loaded == b->loaded && a->draw == b->draw && a->collective == b->collective &&
           a->group == b->group && a->traffic == b->traffic && a->weight == b->weight &&
           a->bytes == b->bytes && a->stream == b->stream && a->n_pending == b->n_pending &&
           a->awaited == b->awaited;
}

static gboolean
are_segments_alike(const LpSegment *a, const LpSegment *b)
{
    return a->role == b->role && a->stage == b->stage && a->chunk == b->chunk &&
           a->first_op == b->first_op && a->n_ops == b->n_ops;
}

static gboolean
are_steps_alike(const LpStep *a, const LpStep *b)
{
    return a->kind == b->kind && a->direction == b->direction && a->bytes == b->bytes &&
           a->segment == b->segment && a->peer == b->peer && a->chunk == b->chunk &&
           a->micro_batch == b->micro_batch;
}

static gboolean
are_executions_alike(const LpExecution *a, const LpExecution *b)
{
    return a->collective_host_s == b->collective_host_s && a->host_is_free == b->host_is_free &&
           a->host_sync == b->host_sync && a->waits_within == b->waits_within &&
           a->checks == b->checks && a->change == b->change && a->slowdown == b->slowdown;
}

static gboolean
are_pipelines_alike(const LpPipeline *a, const LpPipeline *b)
{
    return a->n_stages == b->n_stages && a->stride == b->stride && a->n_chunks == b->n_chunks &&
           a->n_layers == b->n_layers && a->n_micro_batches == b->n_micro_batches &&
           a->virtual_stages == b->virtual_stages && a->both_ways == b->both_ways &&
           a->message_bytes == b->message_bytes;
}

static gboolean
are_communicators_alike(const LpCommunicator *a, const LpCommunicator *b)
{
    return a->n_members == b->n_members && a->stream == b->stream &&
           a->is_exclusive == b->is_exclusive && a->exchanges == b->exchanges &&
           a->broadcasts == b->broadcasts && a->algorithms.n_levels == b->algorithms.n_levels &&
           memcmp(a->algorithms.level, b->algorithms.level,
                  a->algorithms.n_levels * sizeof *a->algorithms.level) == 0 &&
           memcmp(a->ranks, b->ranks, a->n_members * sizeof *a->ranks) == 0;
}

static gboolean
are_all_communicators_alike(const LpCommunicators *a, const LpCommunicators *b)
{
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        guint n = lp_communicators_n(a, group);
        if (lp_communicators_n(b, group) != n)
            return FALSE;
        for (guint i = 0; i < n; i++)
            if (!are_communicators_alike(lp_communicators_get(a, group, i),
                                         lp_communicators_get(b, group, i)))
                return FALSE;
    }
    return TRUE;
}

gboolean
lp_program_is_alike(const LpProgram *self, const LpProgram *other)
{
    if (self->given != NULL || other->given != NULL || self->n_ranks != other->n_ranks ||
        self->expert_loads != NULL || other->expert_loads != NULL ||
        !are_pipelines_alike(&self->pipeline, &other->pipeline) ||
        !are_executions_alike(&self->execution, &other->execution) ||
        self->ops->len != other->ops->len || self->segments->len != other->segments->len ||
        self->steps->len != other->steps->len)
        return FALSE;
    for (guint i = 0; i < self->ops->len; i++)
        if (!are_ops_alike(lp_program_op(self, i), lp_program_op(other, i)))
            return FALSE;
    for (guint i = 0; i < self->segments->len; i++)
        if (!are_segments_alike(lp_program_segment(self, i), lp_program_segment(other, i)))
            return FALSE;
    for (guint i = 0; i < self->steps->len; i++)
        if (!are_steps_alike(lp_program_step(self, i), lp_program_step(other, i)))
            return FALSE;
    for (guint i = 0; i < self->pipeline.n_stages; i++)
        if (lp_program_stage(self, i)->first_step != lp_program_stage(other, i)->first_step)
            return FALSE;
    return are_all_communicators_alike(self->communicators, other->communicators);
}
