/* SPDX-License-Identifier: Apache-2.0 */
/* The wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding): fields of a
 * number and a value, one behind the other. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** How a field's value is written. */
typedef enum {
    LP_WIRE_VARINT = 0,
    LP_WIRE_FIXED64 = 1,
    LP_WIRE_BYTES = 2, /**< texts, messages, and lists of numbers that are packed */
    LP_WIRE_FIXED32 = 5
} LpWireType;

/** The rest of a message that is being read. */
typedef struct {
    const guint8 *at, *end; /* borrowed */
} LpWire;

/** A field. */
typedef struct {
    guint32 number;
    LpWireType type;
    guint64 value; /**< of a number: its bits */
    LpWire bytes;  /**< of bytes */
} LpWireField;

/** Reads a number of at most 64 bits. Returns: FALSE: it does not end, or is longer. */
gboolean lp_wire_varint(LpWire *self, guint64 *out_value) G_GNUC_WARN_UNUSED_RESULT;
/** Reads the next field; at the end a field of number 0. Returns: FALSE: what stands there is no
 * field, or goes beyond the end. */
gboolean lp_wire_next(LpWire *self, LpWireField *out_field) G_GNUC_WARN_UNUSED_RESULT;
/** Reads a message with its length before it. Returns: FALSE: it goes beyond the end. */
gboolean lp_wire_message(LpWire *self, LpWire *out_message) G_GNUC_WARN_UNUSED_RESULT;
/** The number whose bits @field has, of type LP_WIRE_FIXED64. */
double lp_wire_double(const LpWireField *field);

/** Appends a number, a field of a number, of a number of 64 bits, and of bytes. */
void lp_wire_add_varint(GByteArray *self, guint64 value);
void lp_wire_add_number(GByteArray *self, guint32 number, guint64 value);
void lp_wire_add_double(GByteArray *self, guint32 number, double value);
void lp_wire_add_bytes(GByteArray *self, guint32 number, const void *bytes, gsize length);

G_END_DECLS
