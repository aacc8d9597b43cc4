#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of results, report/fields.xml: what is made of it and committed is what would be made today, and what it
calls a value stands in no other source."""
import collections
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "cmake"))
import fields  # pylint: disable=wrong-import-position

def literals(text):
    """The strings of C in @text, those that follow each other joined, without the marks of tables of text around them."""
    for found in re.finditer(r'"((?:[^"\\\n]|\\.)*)"(?:\s*"((?:[^"\\\n]|\\.)*)")*', re.sub(r"#include[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)):
        whole = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', found[0]))
        for part in whole.split("|"):
            yield re.sub(r"^(\\n|[ #])*|(\\n|[ :#]|%[+\d.]*[a-z])*$", "", part)


class Table(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.types, cls.outputs = fields.read()
        cls.fields = [one for root in (*cls.types.values(), *cls.outputs.values()) for one in root.iter() if one is not root]

    def test_committed(self):
        for name, make in fields.COMMITTED.items():
            text = (SOURCE / name).read_text()
            self.assertTrue(make(text, self.types, self.outputs) == text, f"{name}: python3 cmake/fields.py update")

    def test_made(self):
        """A change of the table would show in what is committed: the schema, and the document."""
        one = next(one for one in self.types["difference"] if one.get("name") == "imbalance_s")
        before = one.get("meaning")
        one.set("meaning", "something else")
        try:
            for name, make in fields.COMMITTED.items():
                text = (SOURCE / name).read_text()
                self.assertNotEqual(make(text, self.types, self.outputs), text)
        finally:
            one.set("meaning", before)

    def test_schema(self):
        try:
            done = subprocess.run(["xmllint", "--noout", "--schema", SOURCE / "report/fields.xsd", SOURCE / "report/fields.xml"],
                                  capture_output=True, text=True, check=False)
        except FileNotFoundError:
            self.skipTest("no xmllint")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_labels_once(self):
        """What a value is called stands in the table and in no other source. Of labels of one word in small letters this is
        not asked: they are keys, attributes, commands and values, too."""
        labels = {one.get("label") for one in self.fields if re.search("[^a-z]", one.get("label", ""))}
        labels -= {one.get("name") for one in self.fields}
        self.assertGreater(len(labels), 80)
        found = collections.defaultdict(set)
        paths = [path for folder in ("report", "cli", "api", "search", "study", "python/lightpath")
                 for path in (SOURCE / folder).rglob("*") if path.suffix in (".c", ".h", ".js", ".json", ".py")]
        self.assertGreater(len(paths), 200)
        for path in paths:
            for literal in literals(path.read_text()):
                if literal in labels:
                    found[literal].add(str(path.relative_to(SOURCE)))
        self.assertEqual(found, {})

    def test_headings(self):
        """Columns of text get their headings from the table, but for what JSON does not have: "#name" is one of numbers."""
        own = {"cli/platform_list.c", "cli/platform_text.c", "cli/measured_list.c", "cli/cmd_workload.c", "cli/framework_list.c",
               "cli/kernel_calibration.c", "cli/technology_text.c"}
        for path in [*(SOURCE / "report").glob("*.c"), *(SOURCE / "cli").glob("*.c")]:
            name = str(path.relative_to(SOURCE))
            headings = re.findall(r'"#([A-Za-z][^"%]*)"', path.read_text())
            if name not in own:
                self.assertEqual(headings, [], name)

    def test_columns(self):
        """Tables of CSV have the columns of the table under their names, and scripts rely on these."""
        columns = {name: ",".join(one.get("name") for one in node) for name, node in self.types.items() if name.endswith(".csv")}
        source = (SOURCE / "report/csv_tables.c").read_text()
        self.assertEqual(set(columns), set(re.findall(r'"([a-z]+\.csv)"', source)))
        self.assertEqual(columns["terms.csv"], "model,job,term,seconds")
        self.assertEqual(columns["links.csv"], "tier,link,class,bytes_per_s,bytes,utilisation,busy_s,excess_s,place")
        self.assertEqual(columns["timeline.csv"], "lane,job,stage,name,micro_batch,bytes,start_s,end_s")

    def test_same_label(self):
        """A key that figures of iterations share is called the same wherever it stands."""
        for key in ("iteration_time_s", "mfu", "memory_bytes", "price_usd", "energy_j_per_token", "p50_s", "p99_s",
                    "utilisation", "tokens_per_s"):
            called = {one.get("label") for one in self.fields if one.get("name") == key and one.get("label")}
            called = {label for label in called if not label.startswith("which ")}  # of what was not looked at
            self.assertEqual(len(called), 1, (key, called))


if __name__ == "__main__":
    sys.exit(unittest.main())
