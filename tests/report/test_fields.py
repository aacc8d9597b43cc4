#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of results, report/fields.xml: what is made of it and committed is what would be made today."""
import pathlib
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "cmake"))
import fields  # pylint: disable=wrong-import-position

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


if __name__ == "__main__":
    sys.exit(unittest.main())
