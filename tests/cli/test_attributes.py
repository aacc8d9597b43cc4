#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of attributes and of a machine's options, workloads/description/attributes.xml and platforms/machine/options.xml: what
is made of them and committed is what would be made today, and the program has the defaults and choices that they say.

Environment: LIGHTPATH (the built program)."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from xml.sax.saxutils import quoteattr

from command import run

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "cmake"))
import attributes  # pylint: disable=wrong-import-position
import machine_options  # pylint: disable=wrong-import-position

LEAST = {"layers": "1", "hidden": "64", "heads": "4", "seq": "128", "vocab": "256", "micro-batch": "1", "global-batch": "2"}
# What defaults that follow from other attributes are in the least workload.
FOLLOWING = {"kv-heads": "4", "head-width": "16", "ffn": "256", "gradient-precision": "fp16", "norm": "layernorm", "bias": "yes",
             "dropout": "yes", "group-limit": "1", "expert-tp": "1"}
# Of attributes, 40 words is twice what the longest sentences in the field's own references have.
WORDS_MAX = 40


class Table(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = attributes.read()

    def describe(self, given):
        """The plan, as the program has it, of a file with the attributes @given; traits stand with the plan's."""
        lines = "".join("<" + element + "".join(f" {one.name}={quoteattr(given[one.name])}" for one in self.table
                                                if one.name in given and element == one.element.replace(attributes.TRAITS, "plan")) + "/>"
                        for element in dict.fromkeys(one.element for one in self.table) if element != attributes.TRAITS)
        with tempfile.TemporaryDirectory(prefix="lightpath-") as folder:
            path = pathlib.Path(folder) / "made.xml"
            path.write_text(f'<workload name="made">{lines}</workload>')
            done = run("workload", "describe", path, "--format=json")
        self.assertEqual(done.stderr, "")
        return {name: str(value) for name, value in json.loads(done.stdout)["plan"].items()}

    def test_committed(self):
        for name, make in attributes.COMMITTED.items():
            text = (SOURCE / name).read_text()
            self.assertTrue(make(text, self.table) == text, f"{name}: python3 cmake/attributes.py update")
            self.assertTrue(all(one.name in text for one in self.table
                                if not (attributes.is_of_one_software(one) if name.endswith(".md") else one.element == attributes.TRAITS)))

    def test_made(self):
        """Each change of the table would show in what is committed: the schema, and the document."""
        one = next(one for one in self.table if one.name == "head-norms")
        text = {name: (SOURCE / name).read_text() for name in attributes.COMMITTED}
        one.kind, one.name = "count", "other-norms"
        try:
            for name, make in attributes.COMMITTED.items():
                self.assertNotEqual(make(text[name], self.table), text[name])
        finally:
            one.kind, one.name = "boolean", "head-norms"

    def test_defaults(self):
        """Defaults are those of a file that gives nothing; a file that gives each of them says the same."""
        plan = self.describe(LEAST)
        own = [one for one in self.table if one.element != attributes.TRAITS]
        self.assertEqual([one.name for one in own], list(plan))
        for one in own:
            if one.get("default") is not None:
                self.assertEqual(plan[one.name], one.get("default"), one.name)
        following = {one.name for one in self.table if one.get("otherwise")}
        self.assertEqual({name: plan[name] for name in following}, FOLLOWING)
        self.assertEqual(self.describe(plan), plan)

    def test_with(self):
        """Each trait and overlay is taken by name, and is shown where somebody gave it; the first value is the default."""
        traits = [one for one in self.table if one.element == attributes.TRAITS]
        values = {one.name: {"boolean": "yes", "variant": "yes", "count": "7", "number": "1", "text": "1"}.get(one.kind) or one.choices[-1][0] for one in traits}
        some = {name: values[name] for name in ("fused-loss", "host-sync", "layout", "step-bytes", "core-copies", "root-unit",
                                                  "scatter-gather", "slowdown")}
        shown = self.describe({**LEAST, "with": ",".join(f"{name}={value}" for name, value in some.items())})
        self.assertEqual({name: shown[name] for name in some}, some)
        self.assertEqual(shown["with"].split(","), [name if some[name] == "yes" else f"{name}={some[name]}" for name in values if name in some])
        self.assertEqual(self.describe({**LEAST, **some}), shown)
        for one in traits:
            if one.kind == "choice":
                self.assertEqual(one.get("default"), one.choices[0][0])

    def test_sentences(self):
        for one in self.table:
            self.assertTrue(re.fullmatch(r"[A-Z].*\.", one.meaning), one.name)
            self.assertLessEqual(len(one.meaning.split()), WORDS_MAX, one.name)
            self.assertEqual(1, sum(key is not None for key in (one.get("required"), one.get("default"), one.get("otherwise"))),
                             one.name)

    def test_choices(self):
        """The program offers what the table lists, and no other value of a choice."""
        for one in self.table:
            if one.kind in ("choice", "boolean"):
                done = run("--complete", "simulate", "--set", one.name + "=", check=True)
                wanted = re.findall("`([^`]*)`", one.values())
                self.assertEqual(done.stdout.split(), [f"{one.name}={value}" for value in wanted])

    def test_schema(self):
        """Both tables are as their schemas say."""
        for table in ("workloads/description/attributes", "workloads/description/traits", "platforms/machine/options"):
            try:
                done = subprocess.run(["xmllint", "--noout", "--schema", SOURCE / (table.replace("traits", "attributes") + ".xsd"), SOURCE / (table + ".xml")],
                                      capture_output=True, text=True, check=False)
            except FileNotFoundError:
                self.skipTest("no xmllint")
            self.assertEqual(done.returncode, 0, done.stderr)


class Options(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = machine_options.read()

    def taken(self, *words):
        return run(*words, check=True).stdout

    def test_committed(self):
        for name, make in machine_options.COMMITTED.items():
            text = (SOURCE / name).read_text()
            self.assertTrue(make(text, self.table) == text, f"{name}: python3 cmake/machine_options.py update")

    def test_made(self):
        """A new option would show in all that is committed."""
        node = self.table[-1].node.makeelement("option", {"name": "other", "kind": "count", "value": "N", "member": "other", "systems": "yes"})
        node.append(node.makeelement("meaning", {}))
        node[0].text = "Another"
        more = [*self.table, machine_options.Option(node)]
        for name, make in machine_options.COMMITTED.items():
            self.assertIn("other", make((SOURCE / name).read_text(), more).lower())
            self.assertTrue(make((SOURCE / name).read_text(), more) != (SOURCE / name).read_text(), name)

    def test_help(self):
        """Help has each option with its line, in the table's order, and values are completed."""
        text = self.taken("platform", "generate", "--help")
        options = [one for one in self.table if one.is_option() and one.get("option") != "no"]
        found = [text.index(f"  --{one.name}={one.get('value')} ") for one in options]
        self.assertEqual(found, sorted(found))
        for one in options:
            self.assertRegex(text, rf"(?m)^  --{one.name}=.* {re.escape(one.help())}$")
            if one.choices:
                self.assertEqual(self.taken("--complete", "platform", "generate", f"--{one.name}=").split(),
                                 [f"--{one.name}={name}" for name, _ in one.choices])


if __name__ == "__main__":
    sys.exit(unittest.main())
