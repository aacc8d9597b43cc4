#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What people see on a terminal, and nobody in a pipe: colours, and how far a command has come.

Environment: LIGHTPATH (the built program)."""
import os
import pty
import re
import subprocess
import sys
import unittest

from command import PROGRAM, SOURCE


class Terminal(unittest.TestCase):
    def on_terminal(self, *words, **variables):
        parent, child = pty.openpty()
        environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=child,
                                   stderr=child, env={**environment, "TERM": "xterm", **variables})
        os.close(child)
        text = b""
        try:
            while block := os.read(parent, 65536):
                text += block
        except OSError:
            pass  # the other end is closed
        os.close(parent)
        process.wait(60)
        return text.decode()

    def in_pipe(self, *words):
        """Standard output; nothing is said beside it."""
        done = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=True)
        self.assertEqual(done.stderr, "", words)
        return done.stdout

    def test_colour(self):
        self.assertIn("\033[1;31mlightpath:\033[0m ", self.on_terminal("estimate"))
        self.assertNotIn("\033", self.on_terminal("estimate", NO_COLOR="1"))
        self.assertNotIn("\033", self.on_terminal("estimate", TERM="dumb"))
        job = ["simulate", "gpt3-125m", "dgx-a100-8", "--ignore-memory", "--set", "seq=12800"]
        self.assertIn("\033[33mwarning ", self.on_terminal(*job))
        self.assertNotIn("\033", self.on_terminal(*job, NO_COLOR="1"))
        self.assertNotIn("\033", self.in_pipe(*job))

    def test_progress(self):
        text = self.on_terminal("collective", "all-reduce", "dgx-a100-8", "--bytes=1MiB,2MiB")
        self.assertRegex(text, r"\[\.{24}\]   0 %  0 of 2 sizes")
        self.assertRegex(text, r"\[#{12}\.{12}\]  50 %  1 of 2 sizes, about \d+ s left")
        for line, unit in (("simulate gpt3-125m dgx-a100-8 --set dp=1 --set global-batch=64 "
                            "--ignore-memory", "steps"),
                           ("contention two-jobs polaris-64", "runs"),
                           ("contention two-jobs polaris-64 --runs=2", "seeds"),
                           ("simulate two-jobs polaris-64 --runs=2", "seeds"),
                           ("simulate two-jobs polaris-64", "runs"),
                           ("tune communication dgx-a100-8 --bytes=1MiB", "runs"),
                           ("bench ring-1024-flow", "benchmarks"),
                           (f"validate --cases={SOURCE}/validation/gemm.csv", "rows")):
            shown = self.on_terminal(*line.split())
            self.assertRegex(shown, r"\[#*\.+\] +\d+ %  \d+ of \d+ " + unit, line)
            # What was shown is gone in the end, and nothing of it is a control sequence.
            self.assertRegex(shown, r"\r +\r", line)
        self.assertRegex(text, r"1 of 2 sizes, about \d+ s left")

    def test_progress_of_a_comparison(self):
        """Each process's runs count as they come, in one line that never goes back."""
        words = ["compare", "--contention", "--runs=4", "--ignore-memory", "--set=dp=32",
                 "--set=global-batch=512", "gpt3-6.7b", "dgx-a100-1024", "dgx-h100-64"]
        shown = [int(share) for share in re.findall(r"\] +(\d+) %  \d of 4 runs",
                                                    self.on_terminal(*words))]
        self.assertEqual(shown, sorted(shown))
        self.assertTrue([share for share in shown if share % 25 != 0], shown)
        self.in_pipe(*words)


if __name__ == "__main__":
    sys.exit(unittest.main())
