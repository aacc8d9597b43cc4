#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether a plan fits, by how much, and what has to stay free: in text, page and JSON of every command that
has a plan, decided in one place.

Environment: LIGHTPATH (the built program)."""
import json
import os
import re
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["LIGHTPATH"]
JOB = ("gpt3-350m", "dgx-a100-8")
PARTS = ("weights_bytes", "gradients_bytes", "optimizer_bytes", "activations_bytes", "buffers_bytes", "step_bytes")


def run(*arguments, status=0):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: {done.returncode}: {done.stderr}")
    return done.stderr if status else done.stdout


class MemoryReserve(unittest.TestCase):
    def memory(self, command, *options):
        return json.loads(run(command, *JOB, "--format=json", *options))["memory"]

    def test_same(self):
        """The same figures from each command; the total is all parts, and what is spare follows from it."""
        memory = self.memory("estimate")
        self.assertEqual(memory["total_bytes"], sum(memory[part] for part in PARTS))
        self.assertEqual(memory["spare_bytes"],
                         memory["capacity_bytes"] - memory["total_bytes"] - memory["reserve_bytes"])
        self.assertTrue(memory["fits"])
        self.assertEqual(self.memory("simulate"), memory)
        self.assertEqual(json.loads(run("compare", *JOB, JOB[1], "--format=json"))["runs"][1]["memory"], memory)
        described = json.loads(run("workload", "describe", *JOB, "--format=json"))["memory"]
        self.assertEqual(described, memory)

    def test_stated(self):
        """A stated reserve decides to the byte, in simulate, compare, contention, goodput and --plan=fit alike."""
        memory = self.memory("estimate")
        room = int(memory["capacity_bytes"] - memory["total_bytes"])
        self.assertTrue(self.memory("simulate", f"--memory-reserve={room}B")["fits"])
        tight = f"--memory-reserve={room + 1}B"
        for command in ("simulate", "contention", "goodput", "characterize"):
            error = run(command, *JOB, tight, status=1)
            self.assertRegex(error, r"\Alightpath: .*memory: got a plan of .*less a reserve of .*\n\Z", command)
        self.assertIn("memory", run("compare", *JOB, JOB[1], tight, status=1))
        self.assertFalse(self.memory("estimate", tight)["fits"])
        ignored = self.memory("simulate", tight, "--ignore-memory")
        self.assertEqual((ignored["fits"], ignored["spare_bytes"]), (False, -1.0))
        self.assertEqual(self.memory("estimate", "--set", f"memory-reserve={room}B"),
                         self.memory("estimate", f"--memory-reserve={room}B"))

    def test_fit(self):
        """--plan=fit takes a smaller micro-batch where the file's fits only into the whole memory."""
        plan = json.loads(run("estimate", *JOB, "--plan=fit", "--format=json"))
        self.assertTrue(plan["memory"]["fits"])
        room = int(plan["memory"]["capacity_bytes"] - plan["memory"]["total_bytes"])
        less = json.loads(run("estimate", *JOB, "--plan=fit", "--format=json", f"--memory-reserve={room + 1}B"))
        self.assertTrue(less["memory"]["fits"])
        self.assertLess(less["plan"]["micro-batch"], plan["plan"]["micro-batch"])

    def test_text(self):
        for command in ("simulate", "estimate"):
            text = run(command, *JOB)
            self.assertRegex(text, r"(?m)^  reserve +\S+ GB$", command)
            self.assertRegex(text, r"(?m)^  fits a100-80: \S+ GB to spare$", command)
        text = run("estimate", *JOB, "--memory-reserve=80GB")
        self.assertRegex(text, r"(?m)^  does not fit a100-80: \S+ GB too many$")
        self.assertRegex(text, r"(?m)^warning     memory: ")

    def test_page(self):
        with tempfile.TemporaryDirectory() as folder:
            run("simulate", *JOB, f"--report={folder}/page.html")
            with open(f"{folder}/page.html") as file:
                page = file.read()
        for key in ("total_bytes", "reserve_bytes", "spare_bytes", "fits"):
            self.assertTrue(re.search(f'data-at="/memory/{key}"', page), key)

    def test_wrong(self):
        for text in ("foo", "-1GB", "3", "1s"):
            error = run("simulate", *JOB, f"--memory-reserve={text}", status=2)
            self.assertRegex(error, r"\Alightpath: --memory-reserve: .*\n\Z", text)


if __name__ == "__main__":
    unittest.main()
