#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether a plan fits, by how much, and what has to stay free: in text, page and JSON of every command that
has a plan, decided in one place.

Environment: LIGHTPATH (the built program)."""
import re
import tempfile
import unittest

from command import refused, result, taken

JOB = ("gpt3-350m", "dgx-a100-8")
PARTS = ("weights_bytes", "gradients_bytes", "optimizer_bytes", "activations_bytes", "buffers_bytes", "step_bytes")


class MemoryReserve(unittest.TestCase):
    def memory(self, command, *options):
        return result(command, *JOB, *options)["memory"]

    def test_same(self):
        """The same figures from each command; the total is all parts, and what is spare follows from it."""
        memory = self.memory("estimate")
        self.assertEqual(memory["total_bytes"], sum(memory[part] for part in PARTS))
        self.assertEqual(memory["spare_bytes"],
                         memory["capacity_bytes"] - memory["total_bytes"] - memory["reserve_bytes"])
        self.assertTrue(memory["fits"])
        self.assertEqual(self.memory("simulate"), memory)
        self.assertEqual(result("compare", *JOB, JOB[1])["runs"][1]["memory"], memory)
        described = result("workload", "describe", *JOB)["memory"]
        self.assertEqual(described, memory)

    def test_stated(self):
        """A stated reserve decides to the byte, in simulate, compare, contention, goodput and --plan=fit alike."""
        memory = self.memory("estimate")
        room = int(memory["capacity_bytes"] - memory["total_bytes"])
        self.assertTrue(self.memory("simulate", f"--memory-reserve={room}B")["fits"])
        tight = f"--memory-reserve={room + 1}B"
        for command in ("simulate", "contention", "goodput", "characterize"):
            error = refused("", command, *JOB, tight)
            self.assertRegex(error, r"\Alightpath: .*memory: got a plan of .*less a reserve of .*\n\Z", command)
        self.assertIn("memory", refused("", "compare", *JOB, JOB[1], tight))
        self.assertFalse(self.memory("estimate", tight)["fits"])
        ignored = self.memory("simulate", tight, "--ignore-memory")
        self.assertEqual((ignored["fits"], ignored["spare_bytes"]), (False, -1.0))
        self.assertEqual(self.memory("estimate", "--set", f"memory-reserve={room}B"),
                         self.memory("estimate", f"--memory-reserve={room}B"))

    def test_fit(self):
        """--plan=fit takes a smaller micro-batch where the file's fits only into the whole memory."""
        plan = result("estimate", *JOB, "--plan=fit")
        self.assertTrue(plan["memory"]["fits"])
        room = int(plan["memory"]["capacity_bytes"] - plan["memory"]["total_bytes"])
        less = result("estimate", *JOB, "--plan=fit", f"--memory-reserve={room + 1}B")
        self.assertTrue(less["memory"]["fits"])
        self.assertLess(less["plan"]["micro-batch"], plan["plan"]["micro-batch"])

    def test_text(self):
        for command in ("simulate", "estimate"):
            text = taken(command, *JOB)
            self.assertRegex(text, r"(?m)^  reserve +\S+ GB$", command)
            self.assertRegex(text, r"(?m)^  fits a100-80: \S+ GB to spare$", command)
        text = taken("estimate", *JOB, "--memory-reserve=80GB")
        self.assertRegex(text, r"(?m)^  does not fit a100-80: \S+ GB too many$")
        self.assertRegex(text, r"(?m)^warning     memory: ")

    def test_page(self):
        with tempfile.TemporaryDirectory() as folder:
            taken("simulate", *JOB, f"--report={folder}/page.html")
            with open(f"{folder}/page.html") as file:
                page = file.read()
        for key in ("total_bytes", "reserve_bytes", "spare_bytes", "fits"):
            self.assertTrue(re.search(f'data-at="/memory/{key}"', page), key)

    def test_wrong(self):
        for text in ("foo", "-1GB", "3", "1s"):
            error = refused("", "simulate", *JOB, f"--memory-reserve={text}", status=2)
            self.assertRegex(error, r"\Alightpath: --memory-reserve: .*\n\Z", text)


if __name__ == "__main__":
    unittest.main()
