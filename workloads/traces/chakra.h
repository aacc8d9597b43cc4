/* SPDX-License-Identifier: Apache-2.0 */
/* Chakra execution traces (github.com/mlcommons/chakra, schema/protobuf/et_def.proto, 1.0): what
 * their fields are called, and how they are read and written. */
#pragma once

#include "workloads/traces/trace.h"

G_BEGIN_DECLS

/** Kinds of nodes, as Node.type has them. */
typedef enum {
    LP_CHAKRA_METADATA = 1,
    LP_CHAKRA_MEMORY_LOAD,
    LP_CHAKRA_MEMORY_STORE,
    LP_CHAKRA_COMPUTE,
    LP_CHAKRA_SEND,
    LP_CHAKRA_RECEIVE,
    LP_CHAKRA_COLLECTIVE
} LpChakraType;

/** Attributes of nodes. Those behind LP_CHAKRA_STREAM are ours: what the format has no words for.
 */
typedef enum {
    LP_CHAKRA_IS_CPU,
    LP_CHAKRA_OPS,
    LP_CHAKRA_TENSOR_SIZE,
    LP_CHAKRA_COMM_TYPE,
    LP_CHAKRA_COMM_SIZE,
    LP_CHAKRA_COMM_SOURCE,
    LP_CHAKRA_COMM_DESTINATION,
    LP_CHAKRA_COMM_TAG,
    LP_CHAKRA_GROUP,
    LP_CHAKRA_STREAM,
    LP_CHAKRA_TIME, /**< seconds */
    LP_CHAKRA_HOST, /**< and so on: of LpWork */
    LP_CHAKRA_ISSUE,
    LP_CHAKRA_BOUND,
    LP_CHAKRA_IDLE,
    LP_CHAKRA_WAIT,
    LP_CHAKRA_BYTES, /**< LpGivenOp.bytes */
    LP_CHAKRA_TERM,
    LP_CHAKRA_CLASS,
    LP_CHAKRA_PASS, /**< the node does nothing: a pass begins */
    LP_CHAKRA_N_ATTRIBUTES
} LpChakraAttribute;

/** The name of an attribute, and the bytes that it has. */
typedef struct {
    const char *text;
    gsize length;
} LpChakraName;

/** "is_cpu_op", "num_ops" ..., by attribute. */
extern const LpChakraName lp_chakra_attribute_names[LP_CHAKRA_N_ATTRIBUTES];
/** The attribute of GlobalMetadata in which we write the groups of a rank: a node that tells them,
 * as PyTorch's "## process_group:init ##", would end ASTRA-sim. */
#define LP_CHAKRA_GROUPS_SETTING "lightpath.groups"

/** How many bytes of comm_size make LpGivenOp.bytes in a group of @n_members: comm_size is what a
 * member puts in. */
guint64 lp_chakra_members_of(LpCollective collective, guint n_members);
/** The number of @collective in comm_type; -1: none. */
int lp_chakra_type_of(LpCollective collective);
/** The collective of comm_type @type; -1: none that is simulated. */
int lp_chakra_collective_of(gint64 type);

/** Reads a file a rank: "NAME.RANK.et", in any order; or those of an index of classes, "NAME.json",
 * alone (chakra_index.h). @groups: ranks by name of the group, as
 * ASTRA-sim takes them, a file; NULL: as the traces say. Errors: LP_INPUT_ERROR, "FILE: got,
 * wanted" or "FILE:NODE: got, wanted": a format that is wrong, ranks without a file, groups whose
 * members disagree. Returns: (transfer full). */
LpTrace *lp_chakra_read(const char *const *paths, guint n_paths, const char *groups,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The file of @rank. Returns: (transfer full). */
GByteArray *lp_chakra_write(const LpTrace *trace, guint32 rank);

G_END_DECLS
