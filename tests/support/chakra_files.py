# SPDX-License-Identifier: Apache-2.0
"""Chakra execution traces, encoded and decoded byte by byte as their schema has them."""
import json
import struct

METADATA, LOAD, STORE, COMPUTE, SEND, RECEIVE, COLLECTIVE = range(1, 8)


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def attribute(name, value):
    """An AttributeProto; a whole number may be an (field, value) of another kind of number."""
    if isinstance(value, bool):
        body = number(27, value)
    elif isinstance(value, str):
        body = block(29, value)
    elif isinstance(value, float):
        body = varint(3 << 3 | 1) + struct.pack("<d", value)
    elif isinstance(value, tuple):
        body = number(*value)
    else:
        body = number(9, value)
    return block(10, block(1, name) + body)


def node(id_, type_, deps=(), control=(), micros=0, name="n", packed=True, inputs=None, **attributes):
    out = number(1, id_) + block(2, name) + number(3, type_)
    for field, ids in ((4, control), (5, deps)):
        if packed and ids:
            out += block(field, b"".join(varint(i) for i in ids))
        elif ids:
            out += b"".join(number(field, i) for i in ids)
    if micros:
        out += number(7, micros)
    if inputs is not None:
        out += block(8, block(1, inputs))
    return out + b"".join(attribute(key, value) for key, value in attributes.items())


def groups_node(id_, groups):
    """As PyTorch's observer writes them: a list with one text, JSON."""
    text = json.dumps([{"pg_name": name, "pg_desc": kind, "ranks": ranks} for name, kind, ranks in groups])
    return node(id_, METADATA, name="## process_group:init ##", inputs=str([text]))


def file_of(nodes, metadata=block(1, "1.0.0")):
    return b"".join(varint(len(message)) + message for message in [metadata, *nodes])


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return value, at


def read_fields(message):
    """Fields of a message that are numbers or blocks."""
    at = 0
    while at < len(message):
        key, at = read_varint(message, at)
        value, at = read_varint(message, at)
        if key & 7 == 2:
            value, at = message[at:at + value], at + value
        yield key >> 3, value


def read_ids(packed):
    ids, at = [], 0
    while at < len(packed):
        value, at = read_varint(packed, at)
        ids.append(value)
    return ids
