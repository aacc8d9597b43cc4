/* SPDX-License-Identifier: Apache-2.0 */
/* What comes before a pipeline's flows. */
#include "sim/analysis/pipeline_start.h"

#include "sim/analysis/fewer_members.h"
#include "sim/analysis/round_plan_time.h"
#include "sim/mapping/collective_peers.h"

#include <math.h>

/* Steps of a pipeline that are followed one by one. */
#define STEPS_MAX 96
/* Significant bits of the size that a longer one is told from. */
#define SIZE_BITS 6
/* Blocks of a tree (lp_fewer_members_n_blocks()), and members, that are. */
#define BLOCKS_MAX 256
#define MEMBERS_MAX 4096
/* Blocks of the parts that a wider tree is continued from. */
#define PART_BLOCKS 128
/* A part has no fewer. */
#define PART_BLOCKS_MIN 16

/* A collective of a communicator, or of a part of one. */
typedef struct {
    const LpCommunicationMap *map;      /* borrowed */
    const LpCommunicator *communicator; /* borrowed */
    LpCollectiveShape shape;
    const LpProtocol *protocol; /* borrowed */
    guint32 at_once;            /* LpRoundPlan.at_once */
    LpIsolatedCache *cache;     /* borrowed */
    LpIsolatedSteps key;        /* in it, but for the bytes */
} Pipeline;

static gboolean
is_chain(LpCollective collective, LpAlgorithm algorithm)
{
    return algorithm == LP_ALGORITHM_RING &&
           (collective == LP_COLLECTIVE_BROADCAST || collective == LP_COLLECTIVE_REDUCE);
}

static gboolean
is_pipeline(LpCollective collective, LpAlgorithm algorithm)
{
    return algorithm == LP_ALGORITHM_TREE || algorithm == LP_ALGORITHM_IN_NETWORK ||
           algorithm == LP_ALGORITHM_BRUCK || is_chain(collective, algorithm);
}

static gboolean
has_pipeline(const LpCollectiveShape *shape)
{
    if (shape->algorithm != LP_ALGORITHM_HIERARCHICAL)
        return is_pipeline(shape->collective, shape->algorithm);
    for (guint32 i = 0; i < shape->n_levels; i++)
        if (is_pipeline(shape->collective, shape->level_algorithm[i]))
            return TRUE;
    return FALSE;
}

/* --- step by step --- */

static double
follow_s(const Pipeline *self, guint64 bytes)
{
    LpCollectiveShape shape = self->shape;
    shape.bytes = bytes;
    LpRoundPlan steps;
    lp_round_plan_init_shape(&steps, self->map, self->communicator, &shape, self->protocol,
                             self->at_once, LP_FIDELITY_MESSAGE);
    double time_s = lp_round_plan_time_s(&steps);
    lp_round_plan_clear(&steps);
    return time_s;
}

/* Seconds of the collective with another size, step by step. Long pipelines of different sizes are
 * often told from the same few steps. */
static double
steps_s(const Pipeline *self, guint64 bytes)
{
    LpIsolatedSteps key = self->key;
    key.bytes = bytes;
    double time_s;
    if (lp_isolated_cache_find_steps(self->cache, &key, &time_s))
        return time_s;
    time_s = follow_s(self, bytes);
    lp_isolated_cache_store_steps(self->cache, &key, time_s);
    return time_s;
}

/* The first chunk of each channel of a chain goes step by step; those that follow take as long as
 * they flow, whatever other channels do: in steps, channels would wait for each other. */
static double
chain_s(const Pipeline *self, guint64 n_chunks, double flow_s)
{
    return steps_s(self, self->shape.bytes / n_chunks) +
           flow_s * (double)(n_chunks - 1) / (double)n_chunks;
}

static guint64
n_steps_of(const Pipeline *self)
{
    LpStepSchedule schedule;
    lp_step_schedule_init(&schedule, &self->shape);
    return lp_step_schedule_n_steps(&schedule);
}

/* @bytes to some 2 %: a size that is near it does as well, and pipelines of almost equal sizes, as
 * stages have for their gradients, are told from the same one. */
static guint64
round_size(guint64 bytes)
{
    guint n_bits = g_bit_storage((gulong)bytes);
    guint64 unit = 1ull << (n_bits > SIZE_BITS ? n_bits - SIZE_BITS : 0);
    return (bytes + unit / 2) / unit * unit;
}

static double
long_s(const Pipeline *self)
{
    guint64 n_steps = n_steps_of(self), bytes = self->shape.bytes;
    if (n_steps <= STEPS_MAX)
        return steps_s(self, bytes);
    guint64 shorter = round_size(bytes / n_steps * (STEPS_MAX / 2));
    double short_s = steps_s(self, shorter), twice_s = steps_s(self, 2 * shorter);
    return short_s + (twice_s - short_s) * (double)(bytes - shorter) / (double)shorter;
}

/* --- wide trees --- */

/* As long_s(), of the first @n_blocks of every @stride blocks. */
static double
part_s(const Pipeline *self, guint64 n_blocks, guint64 stride)
{
    LpFewerMembers few;
    lp_fewer_members_init(&few, self->map, self->communicator, &self->shape, n_blocks, stride);
    Pipeline part = *self;
    part.map = &few.map;
    part.communicator = &few.communicator;
    part.shape = few.shape;
    part.key.n_blocks = n_blocks;
    part.key.stride = stride;
    double time_s = long_s(&part);
    lp_fewer_members_clear(&few);
    return time_s;
}

/* Blocks of a part of a tree whose blocks have @block members: a power of two. */
static guint64
part_blocks(guint64 block)
{
    guint64 n_blocks = PART_BLOCKS;
    while (n_blocks > PART_BLOCKS_MIN && n_blocks * block > MEMBERS_MAX / 2)
        n_blocks /= 2;
    return n_blocks;
}

/* Few chunks are followed whatever the tree. */
static gboolean
is_wide(const LpCollectiveShape *shape, guint64 n_chunks)
{
    guint64 n_blocks = lp_fewer_members_n_blocks(shape);
    if (MIN(n_chunks, STEPS_MAX) * shape->n_members <= STEPS_MAX * BLOCKS_MAX)
        return FALSE;
    return n_blocks > BLOCKS_MAX ||
           (n_blocks > 2 * PART_BLOCKS_MIN && shape->n_members > MEMBERS_MAX);
}

/* The lower part of a tree joins blocks that stand next to each other, as in the first blocks.
 * Above, each level of nodes makes the way longer by what it does between blocks far apart: by the
 * difference between two parts of which one has twice the other's blocks. */
static double
wide_s(const Pipeline *self)
{
    guint64 n_blocks = lp_fewer_members_n_blocks(&self->shape);
    guint64 part = part_blocks(self->shape.n_members / n_blocks), stride = n_blocks / part;
    double level_s = part_s(self, part, stride) - part_s(self, part / 2, 2 * stride);
    double n_levels = log2((double)n_blocks / (double)part);
    return part_s(self, part, 1) + n_levels * MAX(level_s, 0.0);
}

/* @flow_s: what the flows take that follow. */
static double
all_steps_s(const Pipeline *self, guint64 n_chunks, double flow_s)
{
    if (is_chain(self->shape.collective, self->shape.algorithm))
        return chain_s(self, n_chunks, flow_s);
    return is_wide(&self->shape, n_chunks) ? wide_s(self) : long_s(self);
}

void
lp_pipeline_start_prepare(LpRoundPlan *round_plan, const LpOp *op, LpIsolatedCache *cache)
{
    const LpStepSchedule *schedule = &round_plan->schedule;
    if (round_plan->fidelity != LP_FIDELITY_FLOW || !has_pipeline(&schedule->shape) ||
        op->bytes == 0)
        return;
    guint shape = lp_collective_peers_shape(round_plan->map->peers, round_plan->communicator);
    double start_s;
    if (!lp_isolated_cache_find(cache, shape, op, LP_ISOLATED_START_S, &start_s)) {
        round_plan->start_s = 0.0;
        double flow_s = lp_round_plan_time_s(round_plan);
        Pipeline self = {
            .map = round_plan->map,
            .communicator = round_plan->communicator,
            .shape = schedule->shape,
            .protocol = round_plan->protocol,
            .at_once = round_plan->at_once,
            .cache = cache,
            .key = lp_isolated_steps_of(shape, op, &schedule->shape, round_plan->protocol)};
        double steps_s = all_steps_s(&self, schedule->n_chunks, flow_s);
        start_s = MAX(steps_s - flow_s, 0.0);
        lp_isolated_cache_store(cache, shape, op, LP_ISOLATED_START_S, start_s);
        lp_isolated_cache_store(cache, shape, op, LP_ISOLATED_FLOW_S, start_s + flow_s);
    }
    round_plan->start_s = start_s;
}
