#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what follows from the table of a machine's options and properties, platforms/machine/options.xml.

usage: machine_options.py names OUTPUT   the names of choices and properties
       machine_options.py places OUTPUT  the properties of each element by their place
       machine_options.py rows OUTPUT    the table of options
       machine_options.py update         what is committed: LpMachineOptionId, systems.xsd, the table in docs/platform-format.md,
                                         options in docs/lightpath.1"""
import pathlib
import re
import sys
import xml.etree.ElementTree

SOURCE = pathlib.Path(__file__).resolve().parents[1]
RANGES = {"count": ("1", "LP_MACHINE_HOSTS_MAX"), "ratio": ("1", "LP_MACHINE_HOSTS_MAX"), "time": ("0", "LP_MACHINE_LATENCY_MAX_S"),
          "bandwidth": ("LP_MACHINE_BYTES_PER_S_MIN", "LP_MACHINE_BYTES_PER_S_MAX")}
UNITS = {"boolean": "`yes`, `no`"}
# Whose members the properties of a part of a cluster are, and the kind and member of their options.
PARTS = {"accelerator": ("LpAccelerator", "PROPERTY", "accelerator"), "circuit": ("LpCircuitSwitch", "CIRCUIT", "circuits"),
         "medium": ("LpMedium", None, None)}
QUANTITIES = ("bandwidth", "time", "size", "speed", "power", "price")
# Properties of others that an element has behind its own, in this order.
GROUPS = {"zone": (), "scale-up": ("accelerator", "medium"), "scale-out": ("circuit", "medium", "packet-network"),
          "accelerator": (), "circuit": (), "medium": ()}
MEMBERS_IN = {"zone": ("zone",), "scale-up": ("cluster", "scale-up"), "scale-out": ("cluster", "scale-out")}
HEADERS = ("platforms/catalogue/catalogue.h", "platforms/machine/circuit_switch.h", "platforms/machine/machine.h",
           "platforms/machine/medium.h", "platforms/machine/pcie_host.h")
PEAK = re.compile(r"Dense .*peak.*")
PLAIN = ("count", "bandwidth", "time", "speed", "power", "price")


def constant(text):
    return text.upper().replace("-", "_")


def literal(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Option:
    """An entry of the table: an option, a property, or both."""

    def __init__(self, node):
        self.node, self.name, self.kind = node, node.get("name"), node.get("kind")
        self.meaning = " ".join(node.findtext("meaning").split())
        self.choices = [(one.get("name"), " ".join((one.text or "").split())) for one in node.findall("value")]

    def get(self, key, default=None):
        return self.node.get(key, default)

    def is_option(self):
        return self.get("value") is not None

    def help(self):
        """A line: the meaning, names to choose from, what holds otherwise."""
        names = [name for name, _ in self.choices]
        choices = ": " + ", ".join(names[:-1]) + (" or " if names[:-1] else "") + names[-1] if names else ""
        return self.meaning + choices + (f" ({self.get('default')})" if self.get("default") else "")

    def values(self, are_explained):
        """What a value may be; nothing of names that stand with their meanings beside it, nor of plain counts and quantities."""
        plain = "" if self.kind in PLAIN else UNITS.get(self.kind, self.kind)
        form = "" if are_explained else self.get("values") or plain
        return "; ".join(part for part in (form, self.get("rule")) if part)


def read():
    root = xml.etree.ElementTree.parse(SOURCE / "platforms/machine/options.xml").getroot()
    return [Option(node) for node in root]


def members(options, place):
    """The names of the properties that are @place's own."""
    if place == "packet-network":
        return ["electrical-tree"] + ["electrical-" + name for name in members(options, "medium")]
    return [one.name for one in options if one.get("property") in MEMBERS_IN.get(place, (place,))]


def names(options):
    lines = [f'#include "{header}"\n' for header in HEADERS]
    for one in options:
        if one.get("names") and one.choices:
            prefix = one.get("constants")
            texts = [(f"[{prefix}{constant(name)}] = " if prefix else "") + f'"{name}"' for name, _ in one.choices]
            end = f"[{len(texts)}] = NULL" if prefix else "NULL"
            lines.append(f"const char *const {one.get('names')}[] = {{{', '.join(texts)}, {end}}};\n")
    for group in ("accelerator", "circuit", "medium"):
        texts = ", ".join(f'"{name}"' for name in members(options, group))
        lines.append(f"const char *const lp_{group}_property_names[] = {{{texts}, NULL}};\n"
                     f"G_STATIC_ASSERT(G_N_ELEMENTS(lp_{group}_property_names) == LP_N_{constant(group)}_PROPERTIES + 1);\n")
    return "".join(lines)


def field(one, part):
    """How a property of @part is read: an LpField."""
    place = f"G_STRUCT_OFFSET({PARTS[part][0]}, {one.get('member')})"
    low, high = one.get("from", "1"), one.get("to", "0")
    if one.kind in QUANTITIES:
        return f"{{LP_FIELD_QUANTITY, LP_QUANTITY_{constant(one.kind)}, {place}, {low}, {high}, NULL}}"
    return f"{{LP_FIELD_{constant(one.kind)}, LP_QUANTITY_TIME, {place}, {low}, {high}, {one.get('names', 'NULL')}}}"


def fields(options, part):
    return "".join(f"[{constant(part)}_{constant(one.name.removeprefix(part + '-'))}] = {field(one, part)}, "
                   for one in options if one.get("property") == part and one.kind != "own")


def places(options):
    """Enumerations, and lists of names and fields as macros."""
    lines = []
    for place, groups in GROUPS.items():
        prefix = constant(place)
        own = [f"{prefix}_{constant(name.removeprefix(place + '-'))}" for name in members(options, place)]
        texts = [f'"{name}"' for part in (place, *groups) for name in members(options, part)]
        at = len(own)
        for group in groups:
            own.append(f"{prefix}_FIRST_{constant(group)} = {at}")
            at += len(members(options, group))
        lines.append(f"enum {{ {', '.join(own)} }};\n#define {prefix}_NAMES {', '.join(texts)}\n")
    texts = ", ".join(f'"{name}"' for name in members(options, "packet-network"))
    lines += [f"#define {constant(part)}_FIELDS {fields(options, part)}\n" for part in PARTS]
    return "".join(lines) + f"#define PACKET_NETWORK_NAMES {texts}\n"


def row(one):
    flags = [flag for flag, stands in (("LP_OPTION_ON_COMMAND_LINE", one.get("option") != "no"),
                                       ("LP_OPTION_IN_SYSTEMS", one.get("systems")),
                                       ("LP_OPTION_NEEDED", one.get("systems") == "needed"),
                                       ("LP_OPTION_IN_SCALE_OUT", one.get("copied") == "scale-out"),
                                       ("LP_OPTION_IN_SCALE_UP", one.get("copied") == "scale-up")) if stands]
    low, high = RANGES.get(one.kind, ("0", "0"))
    kind, member = one.kind, one.get("member")
    if one.get("property") in PARTS:
        kind, member = PARTS[one.get("property")][1:]
    parts = [f'.name = "{one.name}"', f'.value = "{one.get("value")}"', f".help = {literal(one.help())}",
             f".kind = LP_OPTION_KIND_{constant(kind)}", f".flags = {' | '.join(flags)}",
             f".offset = G_STRUCT_OFFSET(LpMachineSpecification, {member})",
             f".minimum = {one.get('from', low)}, .maximum = {one.get('to', high)}"]
    if one.choices:
        texts = ", ".join(f'"{name}"' for name, _ in one.choices)
        parts.append(f".names = {one.get('names') or '(const char *const[]){' + texts + ', NULL}'}")
    if one.get("topologies"):
        parts.append(".topologies = " + " | ".join(f"1u << LP_TOPOLOGY_{constant(name)}" for name in one.get("topologies").split()))
    return f"    [LP_MACHINE_OPTION_{constant(one.name)}] = {{{', '.join(parts)}}},\n"


def rows(options):
    return "".join(row(one) for one in options if one.is_option())


def between(text, begin, end, made):
    """@text with @made between the lines @begin and @end."""
    found = re.subn(f"({re.escape(begin)}\n).*?({re.escape(end)})", lambda match: match[1] + made + match[2], text, flags=re.DOTALL)
    assert found[1] == 1, begin
    return found[0]


def identifiers(text, options):
    made = ""
    for one in options:
        if one.is_option():
            if one.get("property") == "accelerator" and "OPTION_PROPERTY" not in made:
                made += ("    /** The first of LP_N_ACCELERATOR_PROPERTIES, in the order of lp_accelerator_property_names. */\n"
                         f"    LP_MACHINE_OPTION_PROPERTY,\n    LP_MACHINE_OPTION_{constant(one.name)} = LP_MACHINE_OPTION_PROPERTY,\n")
            else:
                made += f"    LP_MACHINE_OPTION_{constant(one.name)},\n"
    return between(text, "typedef enum { /* made of options.xml */", "    LP_N_MACHINE_OPTIONS\n", made)


def schema(text, options):
    listed = [one for one in options if one.get("systems")]
    listed.sort(key=lambda one: one.get("systems") != "needed")
    made = "".join(f'      <xs:enumeration value="{one.name}"/>\n' for one in listed)
    text = between(text, '  <xs:simpleType name="parameter-name">\n    <xs:restriction base="xs:string">',
                   "    </xs:restriction>\n  </xs:simpleType>\n  <xs:element", made)
    return re.sub(r'(name="parameter" maxOccurs=)"\d+"', rf'\1"{len(listed)}"', text)


def document(text, options):
    """@text with the table. Rows of peaks stand together, and so do options that are no property, which help tells."""
    groups = {"accelerator": "scale-up", "circuit": "scale-out", "medium": "cluster", "packet-network": "scale-out"}
    lines, peaks = ["| name | where | meaning; values |\n|---|---|---|\n"], [one for one in options if PEAK.fullmatch(one.meaning)]
    for one in options:
        if one in peaks[1:] or not one.get("property"):
            continue
        place = one.get("property")
        where = [part for part, stands in (("option", one.is_option() and one.get("option") != "no"),
                                           ("system", one.get("systems")), (groups.get(place, place), place)) if stands]
        explained = "; ".join(f"`{name}`: {meaning}" for name, meaning in one.choices if meaning)
        ends = [part for part, stands in (("required", one.get("required")),
                                          (f"default {one.get('default')}", one.get("default"))) if stands]
        name, meaning = f"`{one.name}`", one.meaning
        if one in peaks:
            name, meaning = ", ".join(f"`{peak.name}`" for peak in peaks), "Dense peak of the accelerator in this format"
        cell = "; ".join(filter(None, (meaning + (": " + explained if explained else ""), one.values(bool(explained)), *ends)))
        lines.append(f"| {name} | {'/'.join(where)} | {cell} |\n")
    more = ", ".join(f"`{one.name}`" for one in options if not one.get("property"))
    lines.append(f"| {more} | option, system | What files are made by; `lightpath platform generate --help` tells each |\n")
    return re.sub("(<!-- table of options -->\n).*", lambda match: match[1] + "".join(lines), text, flags=re.DOTALL)


def manual(text, options):
    """@text, the man page, with a paragraph for each option of "platform generate"."""
    lines = "".join(f".TP\n.BI --{one.name}= {one.get('value')}\n{one.help()}.\n" for one in options
                    if one.is_option() and one.get("option") != "no").replace("-", "\\-")
    return re.sub(r"(\.SS platform generate\n.*?Where to write; [^\n]*\n).*?(?=\.SS platform describe\n)",
                  lambda found: found[1] + lines, text, flags=re.DOTALL)


COMMITTED = {"platforms/generation/specification.h": identifiers, "platforms/systems.xsd": schema,
             "docs/platform-format.md": document, "docs/lightpath.1": manual}
MADE = {"names": names, "places": places, "rows": rows}


def main():
    options = read()
    if sys.argv[1:] == ["update"]:
        for name, make in COMMITTED.items():
            path = SOURCE / name
            path.write_text(make(path.read_text(), options))
    elif len(sys.argv) == 3 and sys.argv[1] in MADE:
        pathlib.Path(sys.argv[2]).write_text("/* Made by cmake/machine_options.py of platforms/machine/options.xml. */\n"
                                             + MADE[sys.argv[1]](options))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
