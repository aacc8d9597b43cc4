#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what follows from the table of results, report/fields.xml.

usage: fields.py rows OUTPUT   the table of report/result_field.c
       fields.py update        docs/output.schema.json, the tables of fields in documents"""
import copy
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

SOURCE = pathlib.Path(__file__).resolve().parents[1]
WIDTH = 140
KINDS = {"number": {"type": "number"}, "text": {"type": "string"}, "boolean": {"type": "boolean"},
         "count": {"type": "integer", "minimum": 0}, "positive": {"type": "integer", "minimum": 1},
         "number-or-null": {"type": ["number", "null"]}, "text-or-number": {"type": ["string", "number"]},
         "any": {"$ref": "#/$defs/any"}}
ANY = {"type": ["number", "string", "boolean", "null", "object", "array"],
       "additionalProperties": KINDS["any"], "items": KINDS["any"]}
# The enumeration of report/result_field.h.
UNITS = {None: "NONE", "s": "TIME", "B": "SIZE", "B/s": "BANDWIDTH", "W": "POWER", "J": "ENERGY", "USD": "PRICE",
         "fraction": "FRACTION", "FLOP/s": "SPEED", "TFLOP/s": "TFLOPS", "FLOP": "OPERATIONS", "tokens/s": "RATE"}
# Units of columns of text, and how many of them the unit of JSON is.
SHOWN = {"s": 1, "us": 1e6, "B": 1, "MB": 1e-6, "GB/s": 1e-9, "%": 100, "1e9": 1e-9, "1": 1}
IN_WORDS = {"B": "bytes", "B/s": "bytes/s", "TFLOP/s": "1e12 FLOP/s"}


def read():
    """The elements <type> and <output> by their names, with what they <use> in its place."""
    root = xml.etree.ElementTree.parse(SOURCE / "report/fields.xml").getroot()
    types = {one.get("name"): one for one in root if one.tag == "type"}
    outputs = {one.get("name"): one for one in root if one.tag == "output"}
    assert len(types) + len(outputs) == len(root) == len({*types, *outputs}), "names of types and outputs"

    def expand(node):
        kept = []
        for one in node:
            used = [copy.deepcopy(part) for part in types[one.get("type")]] if one.tag == "use" else [one]
            for part in used:
                if one.get("optional"):
                    part.set("optional", "yes")
            kept += used
        node[:] = kept
        for one in node:
            expand(one)

    for one in root:
        expand(one)
    return types, outputs


# --- the schema ---

def meaning(node):
    text = " ".join(node.get("meaning", "").split())
    unit = IN_WORDS.get(node.get("unit"), node.get("unit"))
    sign = "; the sum of the parts subtracts it" if node.get("sign") == "-" else ""
    described = text + sign + (f" ({unit})" if unit and text else unit or "")
    return {"description": described} if described else {}


def value(node, outputs):
    """The schema of what stands at @node, or of its elements where there are many."""
    if node.get("type"):
        return {"$ref": ("#/commands/" if node.get("type") in outputs else "#/$defs/") + node.get("type")}
    if len(node) == 0:
        return {**KINDS[node.get("kind", "number")], **({"minimum": int(node.get("from"))} if node.get("from") else {})}
    required = [one.get("name") for one in node if not one.get("optional")]
    return {"type": "object", "properties": {one.get("name"): schema_of(one, outputs) for one in node},
            **({"required": required} if required else {}), "additionalProperties": False}


def schema_of(node, outputs):
    one = value(node, outputs)
    if node.get("of"):
        one = {"type": "array", "items": one} if node.get("of") == "list" else {"type": "object", "additionalProperties": one}
    return {**meaning(node), **one}


def layout(node, indent=""):
    """JSON of @node, an object a line where it fits."""
    flat = json.dumps(node, ensure_ascii=False)
    if not isinstance(node, dict) or ("properties" not in node and len(indent) + len(flat) < WIDTH):
        return flat
    lines = ",\n".join(f"{indent}  {json.dumps(key)}: {layout(part, indent + '  ')}" for key, part in node.items())
    return "{\n" + lines + "\n" + indent + "}"


def schema(_text, types, outputs):
    used = {one.get("type") for root in (*types.values(), *outputs.values()) for one in root.iter()}
    return layout({"$schema": "https://json-schema.org/draft/2020-12/schema",
                   "title": "Outputs of lightpath with --format=json",
                   "description": "Made of report/fields.xml. An object for each command under \"commands\"; SI units, "
                                  "fractions in place of per cent. Keys of what a run does not have are absent, not 0.",
                   "$defs": {"any": ANY, **{name: schema_of(one, outputs) for name, one in types.items() if name in used}},
                   "commands": {name: schema_of(one, outputs) for name, one in outputs.items()}}) + "\n"


# --- the documents ---

def document(text, types, _outputs):
    """@text with a table of the parts of a type under each mark that names it."""
    def table(found):
        lines = "".join(f"| {one.get('label')} | {one.get('meaning')} |\n" for one in parts(types[found[2]]))
        return found[1] + lines
    return re.sub(r"(<!-- parts of ([a-z_]+) -->\n\|.*\n\|---\|---\|\n)(?:\|.*\n)*", table, text)


def parts(node):
    """The fields of @node that sum to it, those of its parts in their place."""
    for one in node:
        if one.get("sign"):
            yield one
        yield from parts(one)


# --- the program ---

def literal(text):
    return "NULL" if text is None else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def rows(types, outputs):
    """Lists of fields: list 0 is of what has no fields, list 1 has every type and output by its name."""
    lists, numbers = ["", None], {}

    def number_of_type(name):
        if name not in numbers:
            numbers[name] = number_of(types.get(name, outputs.get(name)))
        return numbers[name]

    def number_of(node):
        if node.get("type"):
            return number_of_type(node.get("type"))
        if len(node) == 0:
            return 0
        lists.append("".join(map(row, node)))
        return len(lists) - 1

    def row(node):
        of = node.get("of") or types.get(node.get("type"), node).get("of")
        sign = {"+": 1, "-": -1}.get(node.get("sign"), 0)
        shown = node.get("shown")
        column = f'{literal("" if shown == "1" else shown)}, {SHOWN.get(shown, 1)}, {node.get("digits", "0")}, {int(node.get("signed") == "yes")}'
        return (f'    {{{literal(node.get("name"))}, {literal(node.get("label"))}, {literal(" ".join(node.get("meaning", "").split()))}, '
                f'LP_UNIT_{UNITS[node.get("unit")]}, LP_FIELD_{(of or "one").upper()}, {int(node.get("kind") in ("text", "boolean"))}, '
                f'{int(node.get("rows") == "page")}, {sign}, {column}, {number_of(node)}}},\n')

    lists[1] = "".join(f'    {{{literal(name)}, NULL, "", LP_UNIT_NONE, LP_FIELD_ONE, 0, 0, 0, NULL, 1, 0, 0, {number_of_type(name)}}},\n'
                       for name in (*types, *outputs))
    ends = [sum(part.count("\n") for part in lists[:at]) for at in range(len(lists) + 1)]
    return ("static const LpResultField fields[] = {\n" + "".join(lists) + "};\n\nstatic const guint16 starts[] = {"
            + ", ".join(map(str, ends)) + "};\n")


COMMITTED = {"docs/output.schema.json": schema, "docs/guide.md": document}


def main():
    types, outputs = read()
    if sys.argv[1:] == ["update"]:
        for name, make in COMMITTED.items():
            path = SOURCE / name
            path.write_text(make(path.read_text(), types, outputs))
    elif len(sys.argv) == 3 and sys.argv[1] == "rows":
        pathlib.Path(sys.argv[2]).write_text("/* Made by cmake/fields.py of report/fields.xml. */\n" + rows(types, outputs))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
