/* SPDX-License-Identifier: Apache-2.0 */
/* How much other traffic may be beside tensor-parallel collectives, and whether it counts. */
#include "sim/analysis/contention.h"

#include "model/plan/group_traits.h"

/* What one run of a segment adds. An all-reduce sends twice what a gather or a message does. */
static void
add_segment_bytes(const LpProgram *program, const LpSegment *segment, double *io_tp,
                  double *io_beside)
{
    for (guint i = 0; i < segment->n_ops; i++) {
        const LpOp *op = lp_program_op(program, segment->first_op + i);
        gboolean sends = lp_op_is_collective(op);
        double passes = op->collective == LP_COLLECTIVE_ALL_REDUCE ? 2.0 : 1.0;
        if (sends && op->group == LP_GROUP_TP)
            *io_tp += (double)op->bytes * passes;
        else if (op->kind == LP_OP_LAUNCH && op->stream == LP_STREAM_DP)
            *io_beside += (double)op->bytes * passes;
    }
}

double
lp_contention_other_traffic_share(const LpProgram *program)
{
    double share = 0.0;
    for (guint stage = 0; stage < program->stage_programs->len; stage++) {
        const LpStageProgram *stage_program = lp_program_stage(program, stage);
        double tp = 0.0, beside = 0.0, sent = 0.0, received = 0.0;
        for (guint i = 0; i < stage_program->n_steps; i++) {
            const LpStep *step = lp_program_step(program, stage_program->first_step + i);
            sent += step->kind == LP_STEP_SEND ? (double)step->bytes : 0.0;
            received += step->kind == LP_STEP_RECV ? (double)step->bytes : 0.0;
            if (step->kind == LP_STEP_SEGMENT)
                add_segment_bytes(program, lp_program_segment(program, step->segment), &tp,
                                  &beside);
        }
        if (!(tp > 0.0))
            return G_MAXDOUBLE;
        beside += MAX(sent, received);
        share = MAX(share, beside / tp);
    }
    return share;
}

/* The narrowest link on the ways of some groups, and whether any of these leaves its domain. */
typedef struct {
    double bytes_per_s;
    gboolean leaves;
} Reach;

static void
add_reach(Reach *self, const LpCommunicationMap *map, const LpConnection *connection)
{
    for (guint32 i = 0; connection->present && i < connection->route.n_links; i++) {
        LpLink link = lp_network_link(map->network, connection->route.links[i]);
        self->bytes_per_s = MIN(self->bytes_per_s, link.bytes_per_s);
        self->leaves = self->leaves || link.tier != LP_TIER_SCALE_UP;
    }
}

static void
add_group_reach(Reach *self, const LpCommunicationMap *map, LpGroup group)
{
    for (guint64 rank = 0; rank < map->n_ranks; rank++) {
        const GArray *peers = lp_collective_peers_get(map->peers, group, rank);
        add_reach(self, map, lp_communication_map_connection(map, (LpConnectionKind)group, rank));
        for (guint i = 0; peers != NULL && i < peers->len; i++)
            add_reach(self, map, &g_array_index(peers, LpCollectivePeer, i).connection);
    }
}

gboolean
lp_contention_is_negligible(const LpCommunicationMap *map, double share)
{
    if (lp_contention_other_traffic_share(map->program) > share)
        return FALSE;
    if (!map->program->uses_stream[LP_STREAM_DP])
        return TRUE;
    Reach tp = {G_MAXDOUBLE, FALSE}, dp = {G_MAXDOUBLE, FALSE};
    add_group_reach(&tp, map, LP_GROUP_TP);
    for (LpGroup group = LP_GROUP_TP; group < LP_N_GROUPS; group++)
        if (lp_group_traits(group)->traffic == LP_TRAFFIC_DP)
            add_group_reach(&dp, map, group);
    return !tp.leaves && dp.leaves && 4.0 * dp.bytes_per_s <= tp.bytes_per_s;
}
