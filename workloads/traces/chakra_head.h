/* SPDX-License-Identifier: Apache-2.0 */
/* What stands before the nodes of a Chakra trace, and what we write there. */
#pragma once

#include "workloads/traces/chakra_node.h"
#include "workloads/traces/trace_groups.h"

G_BEGIN_DECLS

/** Whose GlobalMetadata are read. */
typedef struct {
    LpTrace *trace;        /* borrowed */
    LpTraceNaming *naming; /* borrowed */
    const char *path;      /* borrowed */
    guint32 rank;
} LpChakraHead;

/** Reads GlobalMetadata: the groups of the rank alone, or all else. Errors: LP_INPUT_ERROR,
 * "PATH:0: got, wanted". */
gboolean lp_chakra_head_read(const LpChakraHead *self, LpWire message, gboolean wants_groups,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Reads groups of @rank from text: a list, or the text of a list of texts. Errors: LP_INPUT_ERROR,
 * "PATH:NUMBER: got, wanted". */
gboolean lp_chakra_groups_read(LpTraceNaming *naming, guint32 rank, const char *path, guint number,
                               LpWire text, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
