/* SPDX-License-Identifier: Apache-2.0 */
/* The wire format of Protocol Buffers: the examples of protobuf.dev/programming-guides/encoding,
 * the largest numbers, and what is cut off or is none. */
#include "workloads/traces/protobuf.h"

#include "tests/testlib.h"

#include <string.h>

#define BYTES(text) text, sizeof(text) - 1
#define LARGEST "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"

static LpWire
wire_of(const char *bytes, gsize length)
{
    return (LpWire){(const guint8 *)bytes, (const guint8 *)bytes + length};
}

static void
test_varints(void)
{
    static const struct {
        const char *bytes;
        gsize length;
        guint64 value;
    } rows[] = {
        {BYTES("\x00"), 0},       {BYTES("\x01"), 1},       {BYTES("\x7f"), 127},
        {BYTES("\x80\x01"), 128}, {BYTES("\x96\x01"), 150}, {BYTES(LARGEST), G_MAXUINT64},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *label = g_strdup_printf("%" G_GUINT64_FORMAT, rows[i].value);
        LpWire wire = wire_of(rows[i].bytes, rows[i].length);
        guint64 value = 7;
        gboolean good = lp_wire_varint(&wire, &value);
        g_autofree char *got = g_strdup_printf("%" G_GUINT64_FORMAT, value);
        lp_test_text(label, good ? got : "none", label);
        lp_test_true(label, wire.at == wire.end);
        g_autoptr(GByteArray) written = g_byte_array_new();
        lp_wire_add_varint(written, rows[i].value);
        lp_test_true(label, written->len == rows[i].length &&
                                memcmp(written->data, rows[i].bytes, written->len) == 0);
    }
}

static void
test_fields(void)
{
    static const char wanted[] = "\x08\x96\x01\x12\x07testing\x19\x00\x00\x00\x00\x00\x00\xf0\x3f";
    g_autoptr(GByteArray) written = g_byte_array_new();
    lp_wire_add_number(written, 1, 150);
    lp_wire_add_bytes(written, 2, "testing", 7);
    lp_wire_add_double(written, 3, 1.0);
    lp_test_true("written", written->len == sizeof wanted - 1 &&
                                memcmp(written->data, wanted, written->len) == 0);
    LpWire wire = wire_of(BYTES(wanted));
    LpWireField field;
    lp_test_true("a number", lp_wire_next(&wire, &field) && field.number == 1 &&
                                 field.type == LP_WIRE_VARINT && field.value == 150);
    lp_test_true("a text", lp_wire_next(&wire, &field) && field.number == 2 &&
                               field.type == LP_WIRE_BYTES &&
                               field.bytes.end - field.bytes.at == 7 &&
                               memcmp(field.bytes.at, "testing", 7) == 0);
    lp_test_true("a double",
                 lp_wire_next(&wire, &field) && field.number == 3 && field.type == LP_WIRE_FIXED64);
    lp_test_close("a double", lp_wire_double(&field), 1.0, 0.0);
    lp_test_true("the end", lp_wire_next(&wire, &field) && field.number == 0);
    LpWire fixed = wire_of(BYTES("\x25\x01\x02\x03\x04"));
    lp_test_true("32 bits, the lowest first", lp_wire_next(&fixed, &field) && field.number == 4 &&
                                                  field.type == LP_WIRE_FIXED32 &&
                                                  field.value == 0x04030201);
}

static void
test_refused(void)
{
    static const struct {
        const char *label, *bytes;
        gsize length;
    } rows[] = {
        {"a key without a value", BYTES("\x08")},
        {"a number cut off", BYTES("\x08\x96")},
        {"65 bits", BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02")},
        {"eleven bytes", BYTES("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01")},
        {"number 0", BYTES("\x00\x01")},
        {"a group", BYTES("\x0b\x0c")},
        {"type 7", BYTES("\x0f\x00")},
        {"seven of eight bytes", BYTES("\x19\x00\x00\x00\x00\x00\x00\xf0")},
        {"three of four bytes", BYTES("\x25\x01\x02\x03")},
        {"a text longer than there is", BYTES("\x12\x07testin")},
        {"a length of all", BYTES("\x12" LARGEST)},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpWire wire = wire_of(rows[i].bytes, rows[i].length);
        LpWireField field;
        lp_test_true(rows[i].label, !lp_wire_next(&wire, &field));
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"varints", test_varints},
                                       {"fields", test_fields},
                                       {"refused", test_refused},
                                       {NULL, NULL}};
    return lp_test_run("protobuf", cases);
}
