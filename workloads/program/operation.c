/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from an operation and its communicator. */
#include "workloads/program/operation.h"

const double *
lp_op_loads(const LpOp *self, const LpCommunicator *communicator)
{
    if (communicator->loads == NULL || self->weight == LP_WEIGHT_EVEN)
        return NULL;
    return communicator->loads + (gsize)self->draw * communicator->n_members;
}
