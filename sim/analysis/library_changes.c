/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the libraries of all collectives of a stream. */
#include "sim/analysis/library_changes.h"

#include <string.h>

/* Names may be one library's: "auto" stands for one. */
static guint32
number(const LpCommunicationMap *map, const LpOp *op)
{
    LpLibrary *all = (LpLibrary *)(guintptr)map->layout->library;
    const LpLibrary *library = lp_rank_layout_library(map->layout, op);
    guint32 i = 0;
    while (strcmp(lp_library_mixed(all, i)->name, library->name) != 0)
        i++;
    return i + 1;
}

LpLibraryChanges
lp_library_changes_find(const LpCommunicationMap *map)
{
    const LpExecution *execution = &map->program->execution;
    LpLibraryChanges self = {.kind = execution->change};
    guint32 first[LP_N_STREAMS + 1] = {0};
    if (self.kind == LP_LIBRARY_SWITCH_NONE || map->layout->library->mix == NULL)
        return self;
    for (guint i = 0; i < map->program->ops->len; i++) {
        const LpOp *op = lp_program_op(map->program, i);
        if (!lp_op_is_collective(op))
            continue;
        guint32 own = number(map, op), *known = &first[op->stream];
        self.happen = self.happen || (*known != 0 && *known != own);
        *known = own;
    }
    if (self.kind == LP_LIBRARY_SWITCH_EVENT)
        self.device_s = lp_network_machine(map->network)->accelerator.launch_s;
    return self;
}

guint32
lp_library_changes_number(const LpLibraryChanges *self, const LpCommunicationMap *map,
                          const LpOp *op)
{
    return self->happen ? number(map, op) : 0;
}
