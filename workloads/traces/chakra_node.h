/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of Chakra traces, field by field, before anything is made of them. */
#pragma once

#include "workloads/traces/chakra.h"
#include "workloads/traces/protobuf.h"

G_BEGIN_DECLS

/** The value of an attribute. */
typedef struct {
    gboolean is_said;
    gboolean is_text;
    double number; /**< of what is no text */
    LpWire text;   /**< borrowed from the file */
} LpChakraValue;

/** A node. */
typedef struct {
    guint64 id, type, duration_us;
    LpWire name, inputs; /**< borrowed from the file */
    GArray *deps;        /* owned: guint64, data dependencies */
    GArray *callers;     /* owned: guint64, control dependencies */
    LpChakraValue attributes[LP_CHAKRA_N_ATTRIBUTES];
} LpChakraNode;

/** Reads @message into @self, whose arrays are used again. Returns: FALSE: it is none. */
gboolean lp_chakra_node_read(LpChakraNode *self, LpWire message) G_GNUC_WARN_UNUSED_RESULT;
/** Reads the name and the value of an AttributeProto. Lists are said, and hold nothing. Returns:
 * FALSE: it is none. */
gboolean lp_chakra_attribute_read(LpWire message, LpWire *out_name,
                                  LpChakraValue *out_value) G_GNUC_WARN_UNUSED_RESULT;
/** @self as text: bytes that are none become '?'. Returns: (transfer full). */
char *lp_chakra_text(LpWire self);

G_END_DECLS
