/* SPDX-License-Identifier: Apache-2.0 */
/* The words of Chakra traces. */
#include "workloads/traces/chakra.h"

#define NAME(text)                                                                                 \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }

const LpChakraName lp_chakra_attribute_names[LP_CHAKRA_N_ATTRIBUTES] = {
    [LP_CHAKRA_IS_CPU] = NAME("is_cpu_op"),
    [LP_CHAKRA_OPS] = NAME("num_ops"),
    [LP_CHAKRA_TENSOR_SIZE] = NAME("tensor_size"),
    [LP_CHAKRA_COMM_TYPE] = NAME("comm_type"),
    [LP_CHAKRA_COMM_SIZE] = NAME("comm_size"),
    [LP_CHAKRA_COMM_SOURCE] = NAME("comm_src"),
    [LP_CHAKRA_COMM_DESTINATION] = NAME("comm_dst"),
    [LP_CHAKRA_COMM_TAG] = NAME("comm_tag"),
    [LP_CHAKRA_GROUP] = NAME("pg_name"),
    [LP_CHAKRA_STREAM] = NAME("stream"),
    [LP_CHAKRA_TIME] = NAME("lightpath.time_s"),
    [LP_CHAKRA_HOST] = NAME("lightpath.host_s"),
    [LP_CHAKRA_ISSUE] = NAME("lightpath.issue_s"),
    [LP_CHAKRA_BOUND] = NAME("lightpath.bound_s"),
    [LP_CHAKRA_IDLE] = NAME("lightpath.idle_s"),
    [LP_CHAKRA_WAIT] = NAME("lightpath.wait_s"),
    [LP_CHAKRA_BYTES] = NAME("lightpath.bytes"),
    [LP_CHAKRA_TERM] = NAME("lightpath.term"),
    [LP_CHAKRA_CLASS] = NAME("lightpath.class"),
    [LP_CHAKRA_PASS] = NAME("lightpath.pass")};

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
