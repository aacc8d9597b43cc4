#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A command that is forked from a linked program does what the same command does that is started.

Environment: LIGHTPATH (the built program), FORK_SERVER (what is loaded before it; none: commands are started)."""
import concurrent.futures
import pathlib
import subprocess
import tempfile
import unittest

from command import FORK_SERVER, PROGRAM, Server, run

COMMANDS = (
    ["--version"],
    ["simulate", "gpt3-125m", "dgx-a100-8", "--format=json"],
    ["simulate", "gpt3-125m", "dgx-a100-8", "--set=tp=2", "--set=dp=4", "--collapse=off"],
    ["search", "gpt3-125m", "dgx-a100-8", "--vary=micro-batch=1,2", "--format=json"],
    ["estimate", "gpt3-125m", "dgx-a100-8", "--set=tp=3"],
    ["estimate", "none", "\u00e4 b", ""],
    ["estimate", "--no-such-option"],
    [],
)


class Forked(unittest.TestCase):
    def check(self, words, cwd=None):
        started = subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=cwd)
        forked = run(*words) if cwd is None else run(*words, cwd=cwd)
        self.assertEqual((forked.returncode, forked.stdout, forked.stderr), (started.returncode, started.stdout, started.stderr))
        return forked.returncode

    def test_same(self):
        self.assertEqual({self.check(words) for words in COMMANDS}, {0, 1, 2})

    def test_threads(self):
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            list(pool.map(self.check, COMMANDS))

    def test_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in "one.xml", "two.xml":
                self.check(["platform", "generate", "--system=generic", "--accelerators=8", "-o", name], folder)
                self.assertTrue(pathlib.Path(folder, name).exists())

    @unittest.skipUnless(FORK_SERVER, "commands are started")
    def test_end(self):
        """A command that takes too long ends with its server; so does a server that nobody asks."""
        server = Server()
        with self.assertRaises(TimeoutError):
            server.run(["simulate", "gpt3-175b", "dgx-a100-1024", "--fidelity=message"], timeout=0.01)
        self.assertEqual(server.process.wait(timeout=60), -9)
        server = Server()
        process = server.process
        del server
        self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
