/* SPDX-License-Identifier: Apache-2.0 */
/* Ports by what actors send and receive. */
#include "sim/run/run_placement.h"

gboolean
lp_run_placement_is_delay(const LpRunPlacement *self, const LpCommunicator *communicator)
{
    return lp_run_mode_isolates(self->tasks->mode, lp_group_traits(communicator->group)->traffic) ||
           (self->tasks->mode.merge &&
            lp_contention_is_private(self->contention, self->map->communicators, communicator));
}

/* Roughly how many messages connections of @kind carry in an iteration. */
static double
message_weight(const LpProgram *program, LpConnectionKind kind)
{
    double m = program->pipeline.n_micro_batches;
    LpGroup group = lp_connection_group(kind);
    if (group == LP_N_GROUPS)
        return m;
    return lp_group_traits(group)->in_layers ? m * program->pipeline.n_layers : 1.0;
}

/* Whether the compute stream (@stream: LP_N_STREAMS) or a stream runs connections of @kind. */
static gboolean
runs_connections(const LpProgram *program, LpConnectionKind kind, LpStream stream)
{
    LpGroup group = lp_connection_group(kind);
    if (group == LP_N_GROUPS)
        return stream == lp_program_message_stream(
                             program, (LpPipelineDirection)(kind - LP_CONNECTION_MESSAGES));
    return lp_communicators_n(program->communicators, group) > 0 &&
           lp_communicators_get(program->communicators, group, 0)->stream == stream;
}

/* A stream stands where most of its own messages leave and arrive: the others cost more, but move
 * the same bytes over the same links. */
LpAttachment
lp_run_placement_stream(const LpRunPlacement *self, guint64 rank, LpStream stream)
{
    const LpProgram *program = self->map->program;
    double n_messages[LP_N_ATTACHMENTS] = {0};
    for (LpConnectionKind kind = 0; kind < LP_CONNECTION_MESSAGES + lp_program_n_lines(program);
         kind++) {
        const LpConnection *connection = lp_communication_map_connection(self->map, kind, rank);
        LpGroup group = lp_connection_group(kind);
        if (!connection->present || !runs_connections(program, kind, stream) ||
            (group != LP_N_GROUPS &&
             lp_run_placement_is_delay(self, lp_program_communicator(program, group, rank))))
            continue;
        n_messages[connection->attachment] += message_weight(program, kind);
    }
    return n_messages[LP_ATTACHMENT_SCALE_OUT] > n_messages[LP_ATTACHMENT_SCALE_UP]
               ? LP_ATTACHMENT_SCALE_OUT
               : LP_ATTACHMENT_SCALE_UP;
}

const LpPort *
lp_run_placement_port(const LpRunPlacement *self, guint64 rank, LpAttachment attachment)
{
    return lp_network_port(self->map->network, lp_rank_layout_accelerator(self->map->layout, rank),
                           attachment);
}

/* Whether both the actor that sends over a connection and the one that receives stand on its
 * ports: not where the connection takes another plane, or a path of its own. Messages between
 * stages are received by the compute stream, whoever sends them. */
gboolean
lp_run_placement_on_connection(const LpRunPlacement *self, LpConnectionKind kind, guint64 rank,
                               const LpConnection *connection)
{
    const LpProgram *program = self->map->program;
    if (connection->route.legs != NULL || self->in_parts)
        return FALSE;
    if (connection->route.from != lp_run_placement_port(self, rank, connection->attachment) ||
        connection->route.to != lp_run_placement_port(self, connection->to, connection->attachment))
        return FALSE;
    for (LpStream stream = 0; stream <= LP_N_STREAMS; stream++) {
        if (!runs_connections(program, kind, stream))
            continue;
        LpStream receiver = lp_connection_group(kind) == LP_N_GROUPS ? LP_N_STREAMS : stream;
        return lp_run_placement_stream(self, rank, stream) == connection->attachment &&
               lp_run_placement_stream(self, connection->to, receiver) == connection->attachment;
    }
    return FALSE;
}
