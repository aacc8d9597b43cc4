/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the wire format without copying, and never beyond its end. */
#include "workloads/traces/protobuf.h"

#include <string.h>

gboolean
lp_wire_varint(LpWire *self, guint64 *out_value)
{
    *out_value = 0;
    for (guint shift = 0; shift < 64 && self->at < self->end; shift += 7) {
        guint8 byte = *self->at++;
        if (shift == 63 && byte > 1)
            return FALSE;
        *out_value |= (guint64)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return TRUE;
    }
    return FALSE;
}

/* Most numbers have one byte. */
static inline gboolean
read_varint(LpWire *self, guint64 *out_value)
{
    if (self->at == self->end || *self->at >= 0x80)
        return lp_wire_varint(self, out_value);
    *out_value = *self->at++;
    return TRUE;
}

static gboolean
read_fixed(LpWire *self, guint n_bytes, guint64 *out_value)
{
    *out_value = 0;
    if (self->end - self->at < (gssize)n_bytes)
        return FALSE;
    for (guint i = 0; i < n_bytes; i++)
        *out_value |= (guint64)*self->at++ << 8 * i;
    return TRUE;
}

gboolean
lp_wire_message(LpWire *self, LpWire *out_message)
{
    guint64 length;
    if (!read_varint(self, &length) || length > (guint64)(self->end - self->at))
        return FALSE;
    *out_message = (LpWire){self->at, self->at + length};
    self->at += length;
    return TRUE;
}

gboolean
lp_wire_next(LpWire *self, LpWireField *out_field)
{
    guint64 key;
    *out_field = (LpWireField){0};
    if (self->at == self->end)
        return TRUE;
    if (!read_varint(self, &key) || key >> 3 == 0 || key >> 3 > G_MAXINT32)
        return FALSE;
    out_field->number = (guint32)(key >> 3);
    out_field->type = (LpWireType)(key & 7);
    switch (out_field->type) {
    case LP_WIRE_VARINT:
        return read_varint(self, &out_field->value);
    case LP_WIRE_FIXED64:
        return read_fixed(self, 8, &out_field->value);
    case LP_WIRE_FIXED32:
        return read_fixed(self, 4, &out_field->value);
    case LP_WIRE_BYTES:
        return lp_wire_message(self, &out_field->bytes);
    }
    return FALSE;
}

double
lp_wire_double(const LpWireField *field)
{
    double value;
    memcpy(&value, &field->value, sizeof value);
    return value;
}

void
lp_wire_add_varint(GByteArray *self, guint64 value)
{
    guint8 bytes[10];
    guint n = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (guint8)(value | 0x80);
    bytes[n++] = (guint8)value;
    g_byte_array_append(self, bytes, n);
}

void
lp_wire_add_number(GByteArray *self, guint32 number, guint64 value)
{
    lp_wire_add_varint(self, (guint64)number << 3 | LP_WIRE_VARINT);
    lp_wire_add_varint(self, value);
}

void
lp_wire_add_double(GByteArray *self, guint32 number, double value)
{
    guint64 bits;
    memcpy(&bits, &value, sizeof bits);
    bits = GUINT64_TO_LE(bits);
    lp_wire_add_varint(self, (guint64)number << 3 | LP_WIRE_FIXED64);
    g_byte_array_append(self, (const guint8 *)&bits, sizeof bits);
}

void
lp_wire_add_bytes(GByteArray *self, guint32 number, const void *bytes, gsize length)
{
    lp_wire_add_varint(self, (guint64)number << 3 | LP_WIRE_BYTES);
    lp_wire_add_varint(self, length);
    g_byte_array_append(self, bytes, (guint)length);
}
