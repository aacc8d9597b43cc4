/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the calls of every stage, and keeps of each row the stage with most. */
#include "workloads/program/collective_census.h"

/* What is counted of a row while stages are gone through. */
typedef struct {
    LpCensusRow row;
    guint64 n_calls, buffer_bytes; /* of the stage at hand */
    GArray *sizes;                 /* owned: of the stage at hand */
} Count;

/* Times that @n_members together send their buffer, by an algorithm that moves no more than it
 * must: n times the factor from algorithmic to bus bandwidth of NVIDIA's nccl-tests
 * (doc/PERFORMANCE.md).
 */
static guint64
total_factor(LpCollective collective, guint32 n_members)
{
    if (collective == LP_COLLECTIVE_SEND)
        return 1;
    guint64 others = n_members - 1;
    return collective == LP_COLLECTIVE_ALL_REDUCE ? 2 * others : others;
}

gboolean
lp_collective_census_row_has(const LpCensusRow *row, const LpOp *op)
{
    return lp_op_is_collective(op) && row->group == op->group && row->traffic == op->traffic &&
           row->collective == op->collective;
}

/* --- rows --- */

static Count *
find(GArray *counts, const LpCensusRow *like)
{
    for (guint i = 0; i < counts->len; i++) {
        Count *count = &g_array_index(counts, Count, i);
        if (count->row.group == like->group && count->row.traffic == like->traffic &&
            count->row.collective == like->collective)
            return count;
    }
    Count made = {.row = *like, .sizes = g_array_new(FALSE, FALSE, sizeof(LpCensusSize))};
    made.row.sizes = g_array_new(FALSE, FALSE, sizeof(LpCensusSize));
    g_array_append_val(counts, made);
    return &g_array_index(counts, Count, counts->len - 1);
}

static void
add_size(GArray *sizes, guint64 bytes, guint64 n_calls)
{
    guint at = 0;
    while (at < sizes->len && g_array_index(sizes, LpCensusSize, at).bytes < bytes)
        at++;
    if (at < sizes->len && g_array_index(sizes, LpCensusSize, at).bytes == bytes) {
        g_array_index(sizes, LpCensusSize, at).n_calls += n_calls;
        return;
    }
    LpCensusSize made = {bytes, n_calls};
    g_array_insert_val(sizes, at, made);
}

static void
add_calls(GArray *counts, const LpCensusRow *like, guint64 bytes, guint64 n_calls)
{
    Count *count = find(counts, like);
    count->n_calls += n_calls;
    count->buffer_bytes += bytes * n_calls;
    add_size(count->sizes, bytes, n_calls);
}

/* Communicators of @group whose calls are those of @stage: all members make the same. */
static guint64
n_communicators(const LpProgram *program, LpGroup group, guint32 stage)
{
    guint64 n = 0;
    for (guint i = 0; i < lp_communicators_n(program->communicators, group); i++) {
        const LpCommunicator *one = lp_communicators_get(program->communicators, group, i);
        n += lp_program_rank_stage(program, one->ranks[0]) == stage;
    }
    return n;
}

/* The counts of @stage are complete: they go into their rows. */
static void
end_stage(GArray *counts, const LpProgram *program, guint32 stage)
{
    for (guint i = 0; i < counts->len; i++) {
        Count *count = &g_array_index(counts, Count, i);
        LpCensusRow *row = &count->row;
        guint64 n_senders = row->group == LP_N_GROUPS ? lp_program_stage_ranks(program, stage)
                                                      : n_communicators(program, row->group, stage);
        row->all_sent_bytes +=
            n_senders * total_factor(row->collective, row->n_members) * count->buffer_bytes;
        if (count->buffer_bytes > row->buffer_bytes) {
            row->stage = stage;
            row->n_calls = count->n_calls;
            row->buffer_bytes = count->buffer_bytes;
            GArray *sizes = row->sizes;
            row->sizes = count->sizes;
            count->sizes = sizes;
        }
        count->n_calls = count->buffer_bytes = 0;
        g_array_set_size(count->sizes, 0);
    }
}

/* --- stages --- */

static void
count_segment(GArray *counts, const LpProgram *program, const LpSegment *segment, guint64 n_runs)
{
    for (guint i = 0; i < segment->n_ops; i++) {
        const LpOp *op = lp_program_op(program, segment->first_op + i);
        if (!lp_op_is_collective(op))
            continue;
        LpCensusRow like = {.traffic = op->traffic,
                            .group = op->group,
                            .collective = op->collective,
                            .n_members =
                                lp_communicators_n_members(program->communicators, op->group)};
        add_calls(counts, &like, op->bytes, n_runs);
    }
}

static void
count_stage(LpCollectiveCensus *self, GArray *counts, const LpProgram *program, guint32 stage)
{
    const LpStageProgram *steps = lp_program_stage(program, stage);
    LpCensusRow message = {.traffic = LP_TRAFFIC_PP,
                           .group = LP_N_GROUPS,
                           .collective = LP_COLLECTIVE_SEND,
                           .n_members = 2};
    for (guint i = 0; i < steps->n_steps; i++) {
        const LpStep *step = lp_program_step(program, steps->first_step + i);
        if (step->kind == LP_STEP_SEGMENT)
            self->n_runs[step->segment]++;
        if (step->kind == LP_STEP_SEND && step->bytes > 0)
            add_calls(counts, &message, step->bytes, 1);
    }
    for (guint i = 0; i < program->segments->len; i++) {
        const LpSegment *segment = lp_program_segment(program, i);
        if (segment->stage == stage && self->n_runs[i] > 0)
            count_segment(counts, program, segment, self->n_runs[i]);
    }
    end_stage(counts, program, stage);
}

static gint
compare_rows(gconstpointer a, gconstpointer b)
{
    const LpCensusRow *one = a, *other = b;
    if (one->traffic != other->traffic)
        return one->traffic < other->traffic ? -1 : 1;
    if (one->group != other->group)
        return one->group < other->group ? -1 : 1;
    return (one->collective > other->collective) - (one->collective < other->collective);
}

LpCollectiveCensus *
lp_collective_census_new(const LpProgram *program)
{
    LpCollectiveCensus *self = g_new(LpCollectiveCensus, 1);
    self->rows = g_array_new(FALSE, FALSE, sizeof(LpCensusRow));
    self->n_runs = g_new0(guint64, program->segments->len);
    g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(Count));
    for (guint32 stage = 0; stage < program->pipeline.n_stages; stage++)
        count_stage(self, counts, program, stage);
    for (guint i = 0; i < counts->len; i++) {
        Count *count = &g_array_index(counts, Count, i);
        LpCensusRow row = count->row;
        row.sent_bytes = row.collective == LP_COLLECTIVE_SEND
                             ? (double)row.buffer_bytes
                             : (double)total_factor(row.collective, row.n_members) *
                                   (double)row.buffer_bytes / row.n_members;
        g_array_append_val(self->rows, row);
        g_array_unref(count->sizes);
    }
    g_array_sort(self->rows, compare_rows);
    return self;
}

void
lp_collective_census_free(LpCollectiveCensus *self)
{
    if (self == NULL)
        return;
    for (guint i = 0; i < self->rows->len; i++)
        g_array_unref(g_array_index(self->rows, LpCensusRow, i).sizes);
    g_array_unref(self->rows);
    g_free(self->n_runs);
    g_free(self);
}

const LpCensusRow *
lp_collective_census_row(const LpCollectiveCensus *self, guint index)
{
    return &g_array_index(self->rows, LpCensusRow, index);
}
