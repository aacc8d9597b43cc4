/* SPDX-License-Identifier: Apache-2.0 */
/* The words of Chakra traces. */
#include "workloads/traces/chakra.h"

const char *const lp_chakra_attribute_names[] = {[LP_CHAKRA_IS_CPU] = "is_cpu_op",
                                                 [LP_CHAKRA_OPS] = "num_ops",
                                                 [LP_CHAKRA_TENSOR_SIZE] = "tensor_size",
                                                 [LP_CHAKRA_COMM_TYPE] = "comm_type",
                                                 [LP_CHAKRA_COMM_SIZE] = "comm_size",
                                                 [LP_CHAKRA_COMM_SOURCE] = "comm_src",
                                                 [LP_CHAKRA_COMM_DESTINATION] = "comm_dst",
                                                 [LP_CHAKRA_COMM_TAG] = "comm_tag",
                                                 [LP_CHAKRA_GROUP] = "pg_name",
                                                 [LP_CHAKRA_STREAM] = "stream",
                                                 [LP_CHAKRA_TIME] = "lightpath.time_s",
                                                 [LP_CHAKRA_HOST] = "lightpath.host_s",
                                                 [LP_CHAKRA_ISSUE] = "lightpath.issue_s",
                                                 [LP_CHAKRA_BOUND] = "lightpath.bound_s",
                                                 [LP_CHAKRA_IDLE] = "lightpath.idle_s",
                                                 [LP_CHAKRA_WAIT] = "lightpath.wait_s",
                                                 [LP_CHAKRA_BYTES] = "lightpath.bytes",
                                                 [LP_CHAKRA_TERM] = "lightpath.term",
                                                 [LP_CHAKRA_CLASS] = "lightpath.class",
                                                 [LP_CHAKRA_PASS] = "lightpath.pass",
                                                 NULL};

/* CollectiveCommType. A reduce-scatter of blocks is one of equal parts, as ours. */
static const struct {
    gint64 type;
    LpCollective collective;
} types[] = {{0, LP_COLLECTIVE_ALL_REDUCE}, {1, LP_COLLECTIVE_REDUCE},
             {2, LP_COLLECTIVE_ALL_GATHER}, {5, LP_COLLECTIVE_BROADCAST},
             {6, LP_COLLECTIVE_ALL_TO_ALL}, {7, LP_COLLECTIVE_REDUCE_SCATTER},
             {9, LP_COLLECTIVE_BARRIER},    {8, LP_COLLECTIVE_REDUCE_SCATTER}};

guint64
lp_chakra_members_of(LpCollective collective, guint n_members)
{
    return collective == LP_COLLECTIVE_ALL_GATHER ? n_members : 1;
}

int
lp_chakra_type_of(LpCollective collective)
{
    for (guint i = 0; i < G_N_ELEMENTS(types); i++)
        if (types[i].collective == collective)
            return (int)types[i].type;
    return -1;
}

int
lp_chakra_collective_of(gint64 type)
{
    for (guint i = 0; i < G_N_ELEMENTS(types); i++)
        if (types[i].type == type)
            return (int)types[i].collective;
    return -1;
}
