#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The public surface, lightpath.h: it needs no header but C's, each declaration says what it is, the
library exports what it declares, no more and no less, and all versions are one.

Environment: BUILD (the build folder), CC, VERSION."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HEADER = (SOURCE / "lightpath.h").read_text()
# A declaration begins a line, and its comment ends the line above.
PROTOTYPE = re.compile(r"^(/\*\*(?:(?!\*/).)*\*/\n)?(?!typedef\b|#)[a-zA-Z][\w *]*?\*?"
                       r"\b(lp_\w+)(\([^;]*);", re.DOTALL | re.MULTILINE)


class Surface(unittest.TestCase):
    def test_comments(self):
        """Every prototype has a comment, which names its errors; so has every type."""
        found = PROTOTYPE.findall(HEADER)
        self.assertGreater(len(found), 20)
        for comment, name, parameters in found:
            self.assertTrue(comment, name)
            if "out_error" in parameters and "The rest is as in" not in comment:
                self.assertIn("Errors: ", comment, name)
        for before, name in re.findall(r"(.*)\ntypedef struct \w+ (\w+);", HEADER):
            self.assertTrue(before.endswith("*/"), name)

    def test_includes(self):
        self.assertEqual(re.findall(r"#include (.*)", HEADER), ["<stddef.h>"])

    def test_exports(self):
        library = pathlib.Path(os.environ["BUILD"]) / "liblightpath.so"
        symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True,
                                 text=True, check=True).stdout
        exported = {line.split()[-1] for line in symbols.splitlines()}
        versions = {name for name in exported if name.startswith("LIGHTPATH_")}
        self.assertEqual(len(versions), 1)
        self.assertEqual({name.split("@")[0] for name in exported - versions},
                         {name for _, name, _ in PROTOTYPE.findall(HEADER)})

    def test_versions(self):
        """Header, Python package, symbols and project are of one version."""
        numbers = re.findall(r"#define LP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", HEADER)
        version = os.environ["VERSION"]
        self.assertEqual(".".join(numbers), version.split("-")[0])
        self.assertIn(f'#define LP_VERSION_STRING "{version}"', HEADER)
        self.assertIn(f'version = "{version.replace("-", "")}"',
                      (SOURCE / "python/pyproject.toml").read_text())
        self.assertTrue((SOURCE / "api/exports.map").read_text().startswith(
            f"LIGHTPATH_{numbers[0]} "))


if __name__ == "__main__":
    sys.exit(unittest.main())
