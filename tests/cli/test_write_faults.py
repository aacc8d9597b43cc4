#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whichever call of a write fails, and how: files come whole or not at all, nothing else stays, and the
command says so in one line. --all: more commands.

Environment: LIGHTPATH (the built program), WRITE_FAULTS (tests/support/write_faults.c)."""
import errno
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import model_configs
import test_kernel_tables
import test_step_lists

PROGRAM = os.environ["LIGHTPATH"]
JOB = ["gpt3-125m", "dgx-a100-8"]
SMALL = [*JOB, "--set=layers=1", "--set=dp=2", "--set=global-batch=4", "--set=micro-batch=2"]
# Commands of few seconds, and what they write.
QUICK = [["platform", "generate", "--system=dgx-a100", "--accelerators=16", "-o", "old.xml"],
         ["import", "msccl", "ring.xml", "-o", "new.xml"],
         ["export", "goal", *SMALL, "-o", "folder"]]
LONG = [["import", "huggingface", "config.json", "-o", "new.xml"],
        ["calibrate", "--kernels=rows.csv", "--accelerator=h100-sxm", "-o", "new.xml"],
        ["tune", "communication", "dgx-a100-8", "--bytes=1MiB", "-o", "new.xml"],
        ["export", "chakra", *SMALL, "-o", "folder"], ["export", "ti", *SMALL, "-o", "new"],
        ["simulate", *SMALL, "--report=old.xml", "--csv=folder", "--trace=new.json", "--paje=new.paje"],
        ["compare", *JOB, "dgx-a100-8", "--report=new.html"], ["contention", *SMALL, "--report=new.html"],
        ["workload", "kernels", *JOB, "--report=new.html"],
        ["search", *JOB, "--vary=tp", "--jobs=1", "--report=new.html", "--csv=new.csv", "-o", "new.xml"]]
ERRORS = [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS, errno.EACCES]


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
            for path in sorted(folder.rglob("*"))}


class WriteFaults(unittest.TestCase):
    def run_with(self, words, fault, error=0):
        """The process of @words in a new folder in which call number @fault fails, what is in there before and behind it."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "old.xml").write_text("old", encoding="utf-8")
            (folder / "folder").mkdir()
            (folder / "ring.xml").write_text(test_step_lists.msccl_ring(2), encoding="utf-8")
            (folder / "config.json").write_text(json.dumps(model_configs.MODELS["llama-3.1-8b"][1]), encoding="utf-8")
            (folder / "rows.csv").write_text(test_kernel_tables.HEADER + "sweep,,,,,,,4096,0.0002,,,,,,\n", encoding="utf-8")
            before = contents(folder)
            done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True, timeout=120,
                                  env={**os.environ, "LD_PRELOAD": os.environ["WRITE_FAULTS"],
                                       "LIGHTPATH_FAULT": str(fault), "LIGHTPATH_ERROR": str(error)})
            self.assertNotIn(name, done.stderr)  # files are named as the command line names them
            return done, before, contents(folder)

    def check(self, words):
        done, before, wanted = self.run_with(words, 0)
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        n_calls = max(int(number) for number in re.findall(r"(\d+) calls", done.stderr))
        self.assertGreater(n_calls, 4)
        n_failed = 0
        for fault in range(1, n_calls + 1):
            error = ERRORS[fault % len(ERRORS)]
            with self.subTest(command=words[:2], fault=fault, error=errno.errorcode[error]):
                got, _, left = self.run_with(words, fault, error)
                self.assertLessEqual(set(left), set(wanted))
                for name, content in left.items():
                    self.assertIn(content, (wanted[name], before.get(name)), name)
                # That a folder is not flushed leaves whole files, and is no fault of theirs.
                if got.returncode == 0:
                    self.assertEqual((got.stdout, got.stderr, left), (done.stdout, "", wanted))
                else:
                    self.assertEqual(got.returncode, 1)
                    self.assertRegex(got.stderr, rf"\Alightpath: [^\n]*{os.strerror(error)}[^\n]*\n\Z")
                    n_failed += 1
            got, _, left = self.run_with(words, fault)
            self.assertEqual((got.returncode, got.stdout, got.stderr, left), (0, done.stdout, "", wanted), "a short write")
        self.assertGreater(n_failed, n_calls // 2)

    def test_each(self):
        for words in QUICK + (LONG if "--all" in sys.argv else []):
            self.check(words)


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--all"])
