/* SPDX-License-Identifier: Apache-2.0 */
/* Where a stream goes on with a collective of another library, and what that costs. */
#pragma once

#include "sim/mapping/communication_map.h"

G_BEGIN_DECLS

/** Of a job. */
typedef struct {
    LpLibrarySwitch kind;
    gboolean happen; /**< some stream has collectives of several libraries */
    double device_s; /**< of an event: what the stream waits */
} LpLibraryChanges;

LpLibraryChanges lp_library_changes_find(const LpCommunicationMap *map);
/** The number of the library that runs @op, a collective of @map, where streams change libraries,
 * from 1 on: ops of one library have one number. 0: they do not, or it costs nothing. */
guint32 lp_library_changes_number(const LpLibraryChanges *self, const LpCommunicationMap *map,
                                  const LpOp *op);

G_END_DECLS
