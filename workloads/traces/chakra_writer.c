/* SPDX-License-Identifier: Apache-2.0 */
/* Writes traces of ranks: the numbers of fields are those of et_def.proto. */
#include "workloads/traces/chakra.h"

#include "base/json.h"
#include "workloads/traces/chakra_index.h"
#include "workloads/traces/protobuf.h"

#include <math.h>
#include <string.h>

/* Fields of AttributeProto. */
enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_DOUBLE = 3,
    ATTRIBUTE_INT32 = 7,
    ATTRIBUTE_INT64 = 9,
    ATTRIBUTE_UINT64 = 13,
    ATTRIBUTE_BOOL = 27,
    ATTRIBUTE_TEXT = 29
};
/* Fields of messages that hold attributes. */
enum {
    METADATA_ATTRIBUTE = 2,
    NODE_ATTRIBUTE = 10
};

static void
add_text(GByteArray *out, guint32 field, const char *text)
{
    lp_wire_add_bytes(out, field, text, strlen(text));
}

static void
add_message(GByteArray *out, guint32 field, const GByteArray *message)
{
    lp_wire_add_bytes(out, field, message->data, message->len);
}

static void
add_number(GByteArray *out, guint32 owner, const char *name, guint32 kind, guint64 value)
{
    g_autoptr(GByteArray) attribute = g_byte_array_new();
    add_text(attribute, ATTRIBUTE_NAME, name);
    lp_wire_add_number(attribute, kind, value);
    add_message(out, owner, attribute);
}

static void
add_double(GByteArray *out, guint32 owner, const char *name, double value)
{
    g_autoptr(GByteArray) attribute = g_byte_array_new();
    add_text(attribute, ATTRIBUTE_NAME, name);
    lp_wire_add_double(attribute, ATTRIBUTE_DOUBLE, value);
    add_message(out, owner, attribute);
}

static void
add_word(GByteArray *out, guint32 owner, const char *name, const char *value)
{
    g_autoptr(GByteArray) attribute = g_byte_array_new();
    add_text(attribute, ATTRIBUTE_NAME, name);
    add_text(attribute, ATTRIBUTE_TEXT, value);
    add_message(out, owner, attribute);
}

static const char *
name_of(LpChakraAttribute attribute)
{
    return lp_chakra_attribute_names[attribute].text;
}

static void
end_message(GByteArray *file, const GByteArray *message)
{
    lp_wire_add_varint(file, message->len);
    g_byte_array_append(file, message->data, message->len);
}

/* --- head --- */

static gboolean
has_rank(const LpTraceGroup *group, guint32 rank)
{
    for (guint i = 0; i < group->ranks->len; i++)
        if (g_array_index(group->ranks, guint32, i) == rank)
            return TRUE;
    return FALSE;
}

/* The rank's groups, in PyTorch's words. */
static char *
print_groups(const LpTrace *trace, guint32 rank)
{
    g_autoptr(json_t) list = json_array();
    for (guint32 i = 0; i < trace->groups->len; i++)
        if (has_rank(lp_trace_group(trace, i), rank))
            lp_chakra_add_group(list, lp_trace_group(trace, i));
    return lp_json_print_flat(list);
}

static void
write_metadata(const LpTrace *trace, guint32 rank, GByteArray *file)
{
    const LpExecution *execution = &trace->execution;
    g_autoptr(GByteArray) out = g_byte_array_new();
    g_autofree char *groups = print_groups(trace, rank);
    add_text(out, 1, "1.0.0");
    add_word(out, METADATA_ATTRIBUTE, "lightpath.name", trace->name);
    add_word(out, METADATA_ATTRIBUTE, LP_CHAKRA_GROUPS_SETTING, groups);
    if (trace->settings != NULL)
        add_word(out, METADATA_ATTRIBUTE, "lightpath.settings", trace->settings);
    add_number(out, METADATA_ATTRIBUTE, "lightpath.compute-stream", ATTRIBUTE_INT64,
               (guint64)trace->compute_stream);
    add_double(out, METADATA_ATTRIBUTE, "lightpath.host-collective_s",
               execution->collective_host_s);
    add_number(out, METADATA_ATTRIBUTE, "lightpath.host-free", ATTRIBUTE_BOOL,
               execution->host_is_free ? 1 : 0);
    add_word(out, METADATA_ATTRIBUTE, "lightpath.host-sync",
             lp_traits[LP_TRAIT_HOST_SYNC].words[execution->host_sync]);
    add_number(out, METADATA_ATTRIBUTE, "lightpath.host-waits-within", ATTRIBUTE_BOOL,
               execution->waits_within ? 1 : 0);
    add_word(out, METADATA_ATTRIBUTE, "lightpath.collective-checks",
             lp_traits[LP_TRAIT_COLLECTIVE_CHECKS].words[execution->checks]);
    end_message(file, out);
}

/* --- nodes --- */

static void
write_work(const LpWork *work, GByteArray *out)
{
    const struct {
        LpChakraAttribute attribute;
        double value;
        gboolean is_said;
    } times[] = {
        {LP_CHAKRA_TIME, work->device_s, TRUE}, {LP_CHAKRA_HOST, work->host_s, work->host_s > 0.0},
        {LP_CHAKRA_ISSUE, work->issue_s, TRUE}, {LP_CHAKRA_BOUND, work->bound_s, TRUE},
        {LP_CHAKRA_IDLE, work->idle_s, TRUE},   {LP_CHAKRA_WAIT, work->wait_s, work->waits}};
    for (guint i = 0; i < G_N_ELEMENTS(times); i++)
        if (times[i].is_said)
            add_double(out, NODE_ATTRIBUTE, name_of(times[i].attribute), times[i].value);
}

static void
write_collective(const LpTrace *trace, const LpGivenOp *op, GByteArray *out)
{
    const LpTraceGroup *group = lp_trace_group(trace, op->group);
    guint64 members = lp_chakra_members_of(op->collective, group->ranks->len);
    add_number(out, NODE_ATTRIBUTE, name_of(LP_CHAKRA_COMM_TYPE), ATTRIBUTE_INT64,
               (guint64)lp_chakra_type_of(op->collective));
    add_number(out, NODE_ATTRIBUTE, name_of(LP_CHAKRA_COMM_SIZE), ATTRIBUTE_INT64,
               op->bytes / members);
    if (op->bytes % members != 0)
        add_number(out, NODE_ATTRIBUTE, name_of(LP_CHAKRA_BYTES), ATTRIBUTE_UINT64, op->bytes);
    add_word(out, NODE_ATTRIBUTE, name_of(LP_CHAKRA_GROUP), group->name);
    if (op->has_traffic)
        add_word(out, NODE_ATTRIBUTE, name_of(LP_CHAKRA_CLASS), lp_traffic_names[op->traffic]);
}

static void
write_message(const LpGivenOp *op, guint32 rank, GByteArray *out)
{
    guint64 source = op->kind == LP_GIVEN_SEND ? rank : (guint64)op->peer;
    guint64 destination = op->kind == LP_GIVEN_SEND ? (guint64)op->peer : rank;
    add_number(out, NODE_ATTRIBUTE, name_of(LP_CHAKRA_COMM_SIZE), ATTRIBUTE_INT64, op->bytes);
    add_number(out, NODE_ATTRIBUTE, name_of(LP_CHAKRA_COMM_SOURCE), ATTRIBUTE_INT32, source);
    add_number(out, NODE_ATTRIBUTE, name_of(LP_CHAKRA_COMM_DESTINATION), ATTRIBUTE_INT32,
               destination);
    add_number(out, NODE_ATTRIBUTE, name_of(LP_CHAKRA_COMM_TAG), ATTRIBUTE_INT32, op->tag);
}

static void
write_op(const LpTrace *trace, guint32 rank, const LpGivenOp *op, GByteArray *out)
{
    switch (op->kind) {
    case LP_GIVEN_COLLECTIVE:
        write_collective(trace, op, out);
        break;
    case LP_GIVEN_SEND:
    case LP_GIVEN_RECEIVE:
        write_message(op, rank, out);
        break;
    default:
        write_work(&op->work, out);
        break;
    }
    if (op->has_term)
        add_word(out, NODE_ATTRIBUTE, name_of(LP_CHAKRA_TERM), lp_term_names[op->term]);
}

static LpChakraType
type_of(const LpTraceNode *node)
{
    static const LpChakraType types[] = {[LP_GIVEN_COMPUTE] = LP_CHAKRA_COMPUTE,
                                         [LP_GIVEN_COLLECTIVE] = LP_CHAKRA_COLLECTIVE,
                                         [LP_GIVEN_SEND] = LP_CHAKRA_SEND,
                                         [LP_GIVEN_RECEIVE] = LP_CHAKRA_RECEIVE};
    return types[node->op.kind];
}

/* --- dependencies --- */

/* What is not written: what depends on it depends on all that it depends on. */
static gboolean
is_left_out(const LpTraceNode *node)
{
    return node->is_joint && !node->is_pass;
}

static void
add_id(GArray *ids, guint64 id)
{
    for (guint i = 0; i < ids->len; i++)
        if (g_array_index(ids, guint64, i) == id)
            return;
    g_array_append_val(ids, id);
}

/* Appends what dependency @i of @node stands for. @joints: of each node that is left out, by its
 * place, what it depends on. */
static void
add_dep(const LpTraceRank *rank, const LpTraceNode *node, guint i, GArray *const *joints,
        GArray *ids)
{
    guint64 id = g_array_index(rank->deps, guint64, node->first_dep + i);
    const GArray *joint = joints[id - 1];
    if (joint == NULL)
        add_id(ids, id);
    for (guint k = 0; joint != NULL && k < joint->len; k++)
        add_id(ids, g_array_index(joint, guint64, k));
}

static void
write_ids(const GArray *ids, guint32 field, GByteArray *out)
{
    g_autoptr(GByteArray) packed = g_byte_array_new();
    for (guint i = 0; i < ids->len; i++)
        lp_wire_add_varint(packed, g_array_index(ids, guint64, i));
    if (ids->len > 0)
        add_message(out, field, packed);
}

/* Who launches a node controls it; what comes first on its stream, and what it waits for, are data.
 */
static void
write_deps(const LpTraceRank *rank, const LpTraceNode *node, GArray *const *joints, GByteArray *out)
{
    g_autoptr(GArray) control = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_autoptr(GArray) data = g_array_new(FALSE, FALSE, sizeof(guint64));
    for (guint i = 0; i < node->n_deps; i++)
        add_dep(rank, node, i, joints, node->is_launch && i == 0 ? control : data);
    write_ids(control, 4, out);
    write_ids(data, 5, out);
}

static void
write_node(const LpTrace *trace, guint32 rank, const LpTraceNode *node, GArray *const *joints,
           GByteArray *file)
{
    g_autoptr(GByteArray) out = g_byte_array_new();
    lp_wire_add_number(out, 1, node->id);
    add_text(out, 2, node->is_joint ? "pass" : lp_given_op_name(&node->op));
    lp_wire_add_number(out, 3, type_of(node));
    write_deps(lp_trace_rank(trace, rank), node, joints, out);
    if (!node->is_joint && node->op.kind == LP_GIVEN_COMPUTE)
        lp_wire_add_number(out, 7, (guint64)llround(node->op.work.device_s * 1e6));
    add_number(out, NODE_ATTRIBUTE, name_of(LP_CHAKRA_IS_CPU), ATTRIBUTE_BOOL, 0);
    add_number(out, NODE_ATTRIBUTE, name_of(LP_CHAKRA_STREAM), ATTRIBUTE_INT64,
               (guint64)node->stream);
    if (node->is_pass)
        add_number(out, NODE_ATTRIBUTE, name_of(LP_CHAKRA_PASS), ATTRIBUTE_BOOL, 1);
    if (!node->is_joint)
        write_op(trace, rank, &node->op, out);
    end_message(file, out);
}

GByteArray *
lp_chakra_write(const LpTrace *trace, guint32 rank)
{
    GByteArray *file = g_byte_array_new();
    const LpTraceRank *one = lp_trace_rank(trace, rank);
    guint n = one->nodes->len;
    g_autofree GArray **joints = g_new0(GArray *, n + 1);
    write_metadata(trace, rank, file);
    for (guint i = 0; i < n; i++) {
        const LpTraceNode *node = lp_trace_node(one, i);
        if (!is_left_out(node)) {
            write_node(trace, rank, node, joints, file);
            continue;
        }
        joints[i] = g_array_new(FALSE, FALSE, sizeof(guint64));
        for (guint k = 0; k < node->n_deps; k++)
            add_dep(one, node, k, joints, joints[i]);
    }
    for (guint i = 0; i < n; i++)
        g_clear_pointer(&joints[i], g_array_unref);
    return file;
}
