/* SPDX-License-Identifier: Apache-2.0 */
/* Fields by their numbers in et_def.proto; those that are unknown are passed over, as newer schemas
 * may add some. */
#include "workloads/traces/chakra_node.h"

#include <string.h>

#define TEXT_MAX 65536

static gboolean
is_name(LpWire self, const LpChakraName *name)
{
    return (gsize)(self.end - self.at) == name->length &&
           memcmp(self.at, name->text, name->length) == 0;
}

char *
lp_chakra_text(LpWire self)
{
    if (self.at == NULL)
        return g_strdup("");
    gsize length = (gsize)(self.end - self.at);
    g_autofree char *text = g_strndup((const char *)self.at, MIN(length, TEXT_MAX));
    return g_utf8_make_valid(text, -1);
}

static gint64
unzigzag(guint64 value)
{
    return (gint64)(value >> 1) ^ -(gint64)(value & 1);
}

static double
read_float(guint64 bits)
{
    guint32 low = (guint32)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return (double)value;
}

/* The value of each kind of number, by field. */
static double
number_of(const LpWireField *field)
{
    switch (field->number) {
    case 3: /* double */
        return lp_wire_double(field);
    case 5: /* float */
        return read_float(field->value);
    case 7: /* int32, int64, */
    case 9: /* sfixed64 */
    case 25:
        return (double)(gint64)field->value;
    case 15: /* sint32, sint64 */
    case 17:
        return (double)unzigzag(field->value);
    case 23: /* sfixed32 */
        return (double)(gint32)(guint32)field->value;
    default: /* without a sign */
        return (double)field->value;
    }
}

gboolean
lp_chakra_attribute_read(LpWire message, LpWire *out_name, LpChakraValue *out_value)
{
    LpWireField field;
    *out_name = (LpWire){NULL, NULL};
    *out_value = (LpChakraValue){0};
    for (;;) {
        if (!lp_wire_next(&message, &field))
            return FALSE;
        if (field.number == 0)
            return TRUE;
        if (field.number == 1 && field.type == LP_WIRE_BYTES)
            *out_name = field.bytes;
        if (field.number < 3 || field.number > 32)
            continue;
        out_value->is_said = TRUE;
        out_value->is_text = field.type == LP_WIRE_BYTES;
        if (field.type == LP_WIRE_BYTES)
            out_value->text = field.bytes;
        else
            out_value->number = number_of(&field);
    }
}

static gboolean
read_attribute(LpChakraNode *self, LpWire message)
{
    LpWire name;
    LpChakraValue value;
    if (!lp_chakra_attribute_read(message, &name, &value))
        return FALSE;
    for (guint i = 0; i < LP_CHAKRA_N_ATTRIBUTES; i++)
        if (is_name(name, &lp_chakra_attribute_names[i]))
            self->attributes[i] = value;
    return TRUE;
}

/* One number, or several that are packed. */
static gboolean
read_deps(GArray *deps, LpWireField *field)
{
    if (field->type == LP_WIRE_VARINT) {
        g_array_append_val(deps, field->value);
        return TRUE;
    }
    while (field->type == LP_WIRE_BYTES && field->bytes.at < field->bytes.end) {
        guint64 id;
        if (!lp_wire_varint(&field->bytes, &id))
            return FALSE;
        g_array_append_val(deps, id);
    }
    return field->type == LP_WIRE_BYTES;
}

static gboolean
read_field(LpChakraNode *self, LpWireField *field)
{
    static const LpWireType types[] = {
        [1] = LP_WIRE_VARINT, [2] = LP_WIRE_BYTES,  [3] = LP_WIRE_VARINT, [4] = LP_WIRE_BYTES,
        [5] = LP_WIRE_BYTES,  [6] = LP_WIRE_VARINT, [7] = LP_WIRE_VARINT, [8] = LP_WIRE_BYTES,
        [9] = LP_WIRE_BYTES,  [10] = LP_WIRE_BYTES};
    if (field->number == 4 || field->number == 5)
        return read_deps(field->number == 4 ? self->callers : self->deps, field);
    if (field->number < G_N_ELEMENTS(types) && field->type != types[field->number])
        return FALSE;
    switch (field->number) {
    case 1:
        self->id = field->value;
        break;
    case 2:
        self->name = field->bytes;
        break;
    case 3:
        self->type = field->value;
        break;
    case 7:
        self->duration_us = field->value;
        break;
    case 8:
        self->inputs = field->bytes;
        break;
    case 10:
        return read_attribute(self, field->bytes);
    default:
        break;
    }
    return TRUE;
}

gboolean
lp_chakra_node_read(LpChakraNode *self, LpWire message)
{
    GArray *deps = self->deps, *callers = self->callers;
    memset(self, 0, sizeof *self);
    self->deps = deps;
    self->callers = callers;
    g_array_set_size(deps, 0);
    g_array_set_size(callers, 0);
    for (;;) {
        LpWireField field;
        if (!lp_wire_next(&message, &field) || (field.number > 0 && !read_field(self, &field)))
            return FALSE;
        if (field.number == 0)
            return TRUE;
    }
}
