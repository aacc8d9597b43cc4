/* SPDX-License-Identifier: Apache-2.0 */
/* Where the actors of a job stand: on the ports that most of their messages use. */
#pragma once

#include "sim/analysis/task.h"

G_BEGIN_DECLS

/** What decides where actors stand. */
typedef struct {
    const LpCommunicationMap *map;  /* borrowed */
    const LpContention *contention; /* borrowed */
    const LpTasks *tasks;           /* borrowed */
    gboolean in_parts;              /**< messages are cut into parts that let others go first */
} LpRunPlacement;

/** Whether collectives of @communicator take their isolated time, and send nothing. */
gboolean lp_run_placement_is_delay(const LpRunPlacement *self, const LpCommunicator *communicator);
/** The port of @rank by which it is attached; borrowed from the network. */
const LpPort *lp_run_placement_port(const LpRunPlacement *self, guint64 rank,
                                    LpAttachment attachment);
/** Where @rank's @stream stands; LP_N_STREAMS: its compute stream. */
LpAttachment lp_run_placement_stream(const LpRunPlacement *self, guint64 rank, LpStream stream);
/** Whether both the actor that sends over @connection of @rank and the one that receives stand on
 * its ports: not where it takes another plane, or a path of its own. */
gboolean lp_run_placement_on_connection(const LpRunPlacement *self, LpConnectionKind kind,
                                        guint64 rank, const LpConnection *connection);

G_END_DECLS
