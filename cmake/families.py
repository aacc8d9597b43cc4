#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of workloads/import/family.c of workloads/import/families.xml.

usage: families.py rows OUTPUT"""
import pathlib
import sys
import xml.etree.ElementTree

SOURCE = pathlib.Path(__file__).resolve().parents[1] / "workloads/import/families.xml"
# Elements that families name, and the type of each.
SHARED = {"keys": "LpFamilyKeys", "experts": "LpFamilyExperts", "layers": "LpFamilyLayers", "bias": "LpFamilyBias"}
CHOICES = {"positions": "LP_FAMILY_POSITIONS_", "window": "LP_FAMILY_WINDOW_"}
WHETHER = {"yes": "TRUE", "no": "FALSE"}


def text(value):
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def value_of(element, name, value):
    """@value as C; the compiler knows whether the member is of its type."""
    if element == "family" and name in SHARED:
        return f"&{name}_{value}"
    if element == "family" and name in CHOICES:
        return CHOICES[name] + value.upper()
    if value in WHETHER:
        return WHETHER[value]
    return value if value.replace(".", "", 1).isdigit() else text(value)


def given(node, nodes):
    """Its attributes over those of the one that it is like."""
    like = node.get("like")
    base = given(next(one for one in nodes if one.get("name", one.get("type")) == like), nodes) if like else {}
    return {**base, **{name: value for name, value in node.attrib.items() if name != "like"}}


def structure(node, nodes):
    """An initialiser: a member for each attribute, and the sizes of mixers."""
    own = {name: value for name, value in given(node, nodes).items() if name != "name"}
    if node.tag == "family":
        own["model-type"] = own.pop("type")
    members = [f".{name.replace('-', '_')} = {value_of(node.tag, name, value)}" for name, value in own.items()]
    sizes = ["{" + ", ".join((text(one.get("attribute")), text(one.get("keys")) if one.get("keys") else "NULL", one.get("fallback"))) + "}" for one in node]
    return "{" + ", ".join(members + ([f".sizes = {{{', '.join(sizes)}}}"] if sizes else [])) + "}"


def pairs(root, element, name, *columns):
    rows = "".join("    {" + ", ".join(text(one.get(column)) for column in columns) + "},\n" for one in root.iter(element))
    return f"static const Pair {name}[] = {{\n{rows}}};\n"


def made():
    root = xml.etree.ElementTree.parse(SOURCE).getroot()
    lines = []
    for element, kind in SHARED.items():
        nodes = root.findall(element)
        named = set(one.get(element) for one in root.findall("family"))
        lines += [f"static const {kind} {element}_{one.get('name')} = {structure(one, nodes)};\n"
                  for one in nodes if one.get("name") in named]
    nodes = root.findall("family")
    types = [one.get("type") for one in nodes]
    if types != sorted(types):
        sys.exit(f"{SOURCE}: families are not sorted by their types")
    lines.append("static const LpFamily families[] = {\n" + "".join(f"    {structure(one, nodes)},\n" for one in nodes) + "};\n")
    lines.append(pairs(root, "text", "texts", "type", "family"))
    lines.append(pairs(root, "left-out", "left_out", "type", "reason"))
    lines.append(pairs(root, "matter", "matters", "name", "reason"))
    words = "".join(f"{text(word)}, " for word in root.findtext("harmless").split())
    lines.append(f"static const char *const harmless[] = {{{words}NULL}};\n")
    return "".join(lines)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "rows":
        sys.exit(__doc__)
    pathlib.Path(sys.argv[2]).write_text("/* Made by cmake/families.py of workloads/import/families.xml. */\n" + made())
