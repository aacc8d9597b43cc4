/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of an operation and its communicator. */
#include "workloads/program/operation.h"

const double *
lp_op_loads(const LpOp *self, const LpCommunicator *communicator)
{
    if (communicator->loads == NULL || self->weight == LP_WEIGHT_EVEN)
        return NULL;
    return communicator->loads + (gsize)self->draw * communicator->n_members;
}

gboolean
lp_op_is_alike(gconstpointer self, gconstpointer other)
{
    const LpOp *a = self, *b = other;
    return a->bytes == b->bytes && a->collective == b->collective && a->weight == b->weight &&
           a->draw == b->draw;
}

guint
lp_op_hash(gconstpointer self)
{
    const LpOp *op = self;
    return g_int64_hash(&op->bytes) ^ op->draw ^ ((guint)op->collective << 28);
}
