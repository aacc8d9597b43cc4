#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what follows from the tables of attributes and of traits, workloads/description/attributes.xml and traits.xml, and
from overlays of lists of kernels, model/kernels.

usage: attributes.py names OUTPUT   the names of choices, and the traits, for model/
       attributes.py sizes OUTPUT   sizes that mixers ask for, for model/
       attributes.py rows OUTPUT    the parser's table, for workloads/description/attribute.c
       attributes.py words OUTPUT   other programs' words, for workloads/description/foreign_words.c
       attributes.py applies OUTPUT   the jobs in which each has a meaning, for workloads/description/applies.c
       attributes.py update         the attributes in workloads/workload.xsd, the tables in docs/workload-format.md"""
import pathlib
import re
import sys
import xml.etree.ElementTree

SOURCE = pathlib.Path(__file__).resolve().parents[1]
SHOWN_WORDS = 8
COUNT_MAX = 1 << 24  # LP_PLAN_COUNT_MAX
TYPES = {"count": "guint32", "number": "double", "boolean": "gboolean", "variant": "guint64"}
TRAITS = "with"
SCHEMA_TYPES = {"count": "count", "boolean": "yes-no", "variant": "yes-no"}


def literal(text):
    """@text as a literal of C, without the marks around names."""
    if text is None:
        return "NULL"
    return '"' + text.replace("`", "").replace("\\", "\\\\").replace('"', '\\"') + '"'


class Attribute:
    """A row of the table, and what is derived of it."""

    def __init__(self, element, node, since):
        self.element, self.node = element, node
        self.name, self.kind = node.get("name"), node.get("kind")
        self.since = node.get("since", since)
        self.meaning = " ".join(node.findtext("meaning").split())
        self.choices = [(one.get("name"), " ".join((one.text or "").split())) for one in node.findall("value")]
        self.words = [(one.get("names").split(), one.get("settings"), one.get("nearest")) for one in node.findall("word")]
        self.low = float(node.get("from", 1))
        self.high = float(node.get("to", COUNT_MAX))
        self.trait = "LP_TRAIT_" + self.name.upper().replace("-", "_") if element == TRAITS and not (node.get("member") or node.get("reader")) else None

    def get(self, key, default=None):
        return self.node.get(key, default)

    def member(self, index):
        """Where it stands in LpWorkload; @index: among the traits."""
        return self.get("member") or (f"plan.traits[{index}]" if self.trait else None)

    def form(self):
        """The Kind of attribute.c."""
        if self.get("negated"):
            return "NEGATED"
        return "MAPPED" if self.kind == "choice" and self.get("reader") else self.kind.upper()

    def constants(self):
        """The enumeration's constant of each choice."""
        return [(one.get("constant") or self.get("constants") + one.get("name").upper().replace("-", "_"), one.get("name"))
                for one in self.node.findall("value")]

    def values(self):
        if self.kind in ("boolean", "variant"):
            return "`yes`, `no`"
        if self.choices and self.kind in ("choice", "kernels"):
            more = [self.get("values")] if self.get("values") else []
            return ", ".join([f"`{name}`" for name, _ in self.choices] + more)
        return self.get("values", self.kind)

    def bounds(self):
        """The range in words: of counts only what is not usual."""
        if self.kind == "number" or (self.kind == "count" and self.low == 0 and self.high < 1000):
            return f"{self.low:.15g} to {self.high:.15g}".replace("e+", "e")
        parts = []
        if self.kind == "count" and self.low != 1:
            parts.append(f"from {self.low:.0f}")
        if self.kind == "count" and self.high != COUNT_MAX:
            parts.append(f"at most {self.high:,.0f}")
        return ", ".join(parts)

    def range(self):
        return "; ".join(part for part in (self.bounds(), self.get("rule")) if part)

    def fallback(self):
        if self.get("required"):
            return "required"
        return f"`{self.get('default')}`" if self.get("default") is not None else self.get("otherwise")


def overlays(since):
    """Those of the lists of kernels: files that start from others."""
    for path in sorted((SOURCE / "model/kernels").glob("*.xml")):
        lists = xml.etree.ElementTree.parse(path).getroot()
        if "like" in lists.attrib:
            node = xml.etree.ElementTree.Element("attribute", name=lists.get("name"), kind="variant", member="plan.variants", default="no")
            node.set("applies", lists.get("applies", ""))
            xml.etree.ElementTree.SubElement(node, "meaning").text = lists.get("description")
            yield Attribute(TRAITS, node, since)


def sizes(since):
    """Sizes of a model's shape that mixers in the lists of kernels ask for, each once."""
    seen = set()
    for path in sorted((SOURCE / "model/kernels/mixers").glob("*.xml")):
        for size in xml.etree.ElementTree.parse(path).getroot().iter("size"):
            if size.get("default") is None or size.get("name") in seen:
                continue
            node = xml.etree.ElementTree.Element("attribute", name=size.get("name"), kind="count", default=size.get("default"),
                                                 member=f"transformer.sizes[{len(seen)}]")
            node.set("from", "0")
            seen.add(size.get("name"))
            xml.etree.ElementTree.SubElement(node, "meaning").text = size.get("meaning")
            yield Attribute("transformer", node, since)


def shape_sizes(attributes):
    """Names and places of these, for the vocabulary of lists."""
    listed = [f' \\\n    NUMBER("{one.name}", shape->{one.get("member").split(".")[1]})'
              for one in attributes if one.get("member", "").startswith("transformer.sizes[")]
    return "#pragma once\n#define LP_SHAPE_SIZES(NUMBER)" + "".join(listed) + "\n"


def read():
    roots = [xml.etree.ElementTree.parse(SOURCE / "workloads/description" / name).getroot() for name in ("attributes.xml", "traits.xml")]
    table = [Attribute(element.get("name"), node, root.get("since")) for root in roots for element in root for node in element]
    named = {one.name: one for one in table}
    for one in table:
        if one.get("words-of"):
            one.words = named[one.get("words-of")].words
    own = [one for one in table if one.element != TRAITS]
    traits = [one for one in table if one.element == TRAITS]
    return own + list(sizes(roots[0].get("since"))) + traits + list(overlays(roots[0].get("since")))


def names(attributes):
    lines = ['#include "model/plan/plan_traits.h"', '#include "model/plan/plan_choices.h"', '#include "model/transformer/transformer_shape.h"', ""]
    for one in attributes:
        if one.get("names"):
            constants = one.constants()
            texts = ", ".join(f'[{constant}] = "{name}"' for constant, name in constants)
            lines.append(f"const char *const {one.get('names')}[] = {{{texts}, [{len(constants)}] = NULL}};")
    traits = [one for one in attributes if one.trait]
    lines.append("const LpKernelSize lp_traits[] = {")
    for one in traits:
        words = ", ".join(literal(name) for name, _ in one.choices)
        lines.append(f'    {{"{one.name}", ' + (f"(const char *const[]){{{words}, NULL}}}}," if one.kind == "choice" else "NULL},"))
    lines.append("};\nconst guint lp_n_traits = G_N_ELEMENTS(lp_traits);\nG_STATIC_ASSERT(G_N_ELEMENTS(lp_traits) <= LP_TRAITS_MAX);")
    header = (SOURCE / "model/plan/plan_traits.h").read_text()
    named = [one.trait for one in traits if re.search(rf"\b{one.trait}\b", header)]
    lines += [f"G_STATIC_ASSERT({name} == {i});" for i, name in enumerate(named)]
    lines.append(f"G_STATIC_ASSERT(LP_N_NAMED_TRAITS == {len(named)});")
    return "\n".join(lines) + "\n"


def plain(word):
    """As lp_attribute_word() compares them."""
    return re.sub("[^a-z0-9]", "", word.lower())


def row(one, index):
    parts = [f'.name = "{one.name}"', f'.element = "{one.element}"',
             f".kind = KIND_{one.form()}"]
    if one.member(index):
        parts.append(f".offset = offsetof(LpWorkload, {one.member(index)})")
    if one.kind in ("count", "number"):
        parts.append(f".minimum = {one.low!r}, .maximum = {one.high!r}")
    if one.get("names"):
        parts.append(f".choices = {one.get('names')}")
    elif one.kind == "choice":
        listed = ", ".join(literal(name) for name, _ in one.choices)
        parts.append(f".choices = (const char *const[]){{{listed}, NULL}}")
    if one.get("reader"):
        parts.append(f".{'text' if one.kind == 'text' else 'mapping'} = &{one.get('reader')}")
    if one.get("default") is not None:
        parts.append(f".initial = {literal(one.get('default'))}")
    if one.words:
        words = "".join(f"{{{literal(plain(name))}, {literal(settings)}, {literal(nearest)}}}, "
                        for names, settings, nearest in one.words for name in names)
        parts.append(f".words = (const Word[]){{{words}{{NULL, NULL, NULL}}}}")
    help_ = [literal(text) for text in (one.values(), one.range(), one.fallback(), one.meaning, one.since)]
    words = "".join(f'"{word}", ' for word in re.findall(r"`([^`]*)`", one.values()))
    help_.append(f"(const char *const[]){{{words}NULL}}")
    meanings = "".join(f"{{{literal(name)}, {literal(text)}}}, " for name, text in one.choices if text)
    help_.append(f"(const LpAttributeValue[]){{{meanings}{{NULL, NULL}}}}")
    parts.append(".help = {" + ", ".join(help_) + "}")
    return "{" + ", ".join(parts) + "},\n"


def rows(attributes):
    """The table, and checks that members are of the type that their kind is."""
    checks = "".join(f"G_STATIC_ASSERT(_Generic(((LpWorkload *)NULL)->{one.get('member')}, {TYPES[one.kind]}: 1, default: 0));\n"
                     for one in attributes if one.kind in TYPES and not one.trait)
    traits = [one for one in attributes if one.trait]
    made = [row(one, traits.index(one) if one.trait else 0) for one in attributes]
    return checks + "static const LpAttribute attributes[] = {\n" + "".join(made) + "};\n"


def words():
    """Other programs' words and the attribute that each means."""
    root = xml.etree.ElementTree.parse(SOURCE / "workloads/description/foreign_words.xml").getroot()
    return "static const Word words[] = {\n" + "".join(f"    {{{literal(word)}, {literal(one.get('name'))}}},\n" for one in root.iter("attribute")
                                                     for word in one.text.split()) + "};\n"


def applies(attributes):
    """Attributes that have a meaning in some jobs alone, with their conditions."""
    return "static const Applies rows[] = {\n" + "".join(f"    {{{literal(one.name)}, {literal(one.get('applies'))}}},\n" for one in attributes
                                                        if one.get("applies")) + "};\n"


def declaration(one):
    use = ' use="required"' if one.get("required") else ""
    if one.words or one.element == TRAITS:  # what a text means, the program knows alone
        return f'    <xs:attribute name="{one.name}" type="xs:string"{use}/>\n'
    if one.kind != "choice":
        return f'    <xs:attribute name="{one.name}" type="{SCHEMA_TYPES.get(one.kind, "xs:string")}"{use}/>\n'
    values = "".join(f'<xs:enumeration value="{name}"/>' for name, _ in one.choices)
    return (f'    <xs:attribute name="{one.name}"{use}>\n      <xs:simpleType><xs:restriction base="xs:string">{values}'
            "</xs:restriction></xs:simpleType>\n    </xs:attribute>\n")


def schema(text, attributes):
    """@text with the attributes of each element's type."""
    for element in dict.fromkeys(one.element for one in attributes):
        lines = "".join(map(declaration, (one for one in attributes if one.element == element)))
        text = re.sub(rf'(<xs:(complexType|attributeGroup) name="{element}">\n).*?((?:    <xs:attributeGroup ref=.*\n)?  </xs:\2>)',
                      lambda found, lines=lines: found[1] + lines + found[3], text, flags=re.DOTALL)
    return text


def limits(one):
    """What the default does not show: kind and range, values without a meaning beside them, other words."""
    fallback, parts = one.get("default"), []
    explained = one.kind in ("boolean", "variant") or one.choices and one.kind == "choice" and all(text for _, text in one.choices)
    plainly = one.kind == "count" and not one.get("values")
    if not explained and not plainly:
        parts.append(one.values())
    parts.append(one.get("rule") if plainly and one.bounds() == "from 0" and fallback == "0" else one.range())
    if one.words and not one.get("words-of"):
        shown = [f"`{names[0]}`" for names, settings, _ in one.words if settings]
        parts.append("or " + ", ".join(shown if len(shown) <= SHOWN_WORDS else [*shown[:SHOWN_WORDS], "..."]))
    return "; ".join(filter(None, parts))


def is_of_one_software(one):
    """Whether the program alone lists it: sizes of mixers, and what one software or another does."""
    return one.get("member", "").startswith("transformer.sizes[") or one.kind == "variant" or (
        one.element == TRAITS and one.kind in ("choice", "count", "boolean"))


def table(attributes):
    lines, seen = ["| attribute | meaning | default first |", "|---|---|---|"], {}
    for one in attributes:
        if is_of_one_software(one):
            continue
        choices = "; ".join(f"`{name}`: {text}" for name, text in one.choices if text)
        meaning = one.meaning + (f" {choices}" if choices else "") + (f" (since {one.since})" if one.get("since") else "")
        values = limits(one)
        if len(values.split()) > 10 and values in seen:
            values = f"as `{seen[values]}`"
        seen.setdefault(values, one.name)
        first = "" if values.startswith(f"{one.fallback()}, ") else one.fallback()
        lines.append(f"| `{one.name}` | {meaning} | {'; '.join(filter(None, (first, values)))} |")
    return "\n".join(lines)


def document(text, attributes):
    """@text with a table under each mark that names an element."""
    for element in dict.fromkeys(one.element for one in attributes):
        made = table([one for one in attributes if one.element == element])
        text = re.sub(rf"(<!-- table of {element} -->\n)(?:\|.*\n)*", lambda found, made=made: found[1] + made + "\n", text)
    return text


COMMITTED = {"workloads/workload.xsd": schema, "docs/workload-format.md": document}


def main():
    attributes = read()
    if sys.argv[1:] == ["update"]:
        for name, make in COMMITTED.items():
            path = SOURCE / name
            path.write_text(make(path.read_text(), attributes))
    elif len(sys.argv) == 3 and sys.argv[1] in ("names", "rows", "sizes", "words", "applies"):
        make = {"names": names, "rows": rows, "sizes": shape_sizes, "words": lambda _: words(), "applies": applies}[sys.argv[1]]
        pathlib.Path(sys.argv[2]).write_text("/* Made by cmake/attributes.py of workloads/description/attributes.xml and traits.xml. */\n" + make(attributes))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
