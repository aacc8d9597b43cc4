#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each reader of files and texts of users is given mutated files. LIGHTPATH_MUTATIONS: of each file.

Environment: LIGHTPATH (the built program), READERS (test_readers)."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import corpus


class Fuzz(unittest.TestCase):
    def test_readers(self):
        n = os.environ.get("LIGHTPATH_MUTATIONS", "100")
        with tempfile.TemporaryDirectory(prefix="lightpath-fuzz-") as folder:
            root = pathlib.Path(folder)
            corpus.make(os.environ["LIGHTPATH"], root)
            readers = sorted(path for path in root.iterdir() if path.is_dir())
            source = pathlib.Path(__file__).with_name("readers.c").read_text(encoding="utf-8")
            self.assertEqual([path.name for path in readers], sorted(re.findall(r'^    \{"([\w-]+)", read_', source, re.MULTILINE)))
            for reader in readers:
                with self.subTest(reader=reader.name):
                    done = subprocess.run([os.environ["READERS"], reader.name, n, *sorted(reader.iterdir())],
                                          capture_output=True, text=True)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    sys.exit(unittest.main())
