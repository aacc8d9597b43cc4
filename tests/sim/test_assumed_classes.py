#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where classes are assumed and checked in the run without being asked for, and what is seen of such runs.

Environment: LIGHTPATH (the built program)."""
import pathlib
import tempfile
import unittest

from command import generate, result
from test_quotient import PROVEN

SMALL = ("layers=8 hidden=1024 heads=16 ffn=4096 vocab=1024 seq=1024 embedding=no tp=1 micro-batch=1 "
         "library=single-ring")
SINGLE = "--system=generic --accelerators=64 --domain-size=1"
# Leaves of 8 ports, 4:1, and two stages: classes that are proven are 16.
FEW = (f"{SINGLE} --leaf-ports=8 --oversubscription=4", "pp=2 dp=32 global-batch=128")
# Leaves that are not narrow, and as many ranks as are tried with fewer classes.
MANY = (f"{SINGLE} --leaf-ports=8".replace("=64", "=512"), "pp=4 dp=128 global-batch=512 overlap-dp=yes")


def simulate(machine, plan, *options):
    return result("simulate", "gpt3-175b", machine, "--ignore-memory", "--framework=none", "--cost", *options,
                  *(f"--set={setting}" for setting in f"{SMALL} {plan}".split()))


def without_cost(result):
    return {name: value for name, value in result.items() if name != "cost"}


class Assumed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lightpath-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def generate(self, options):
        return generate(self.folder / "machine.xml", options)

    def test_seen(self):
        """A run that is looked at is the one that was checked."""
        options, plan = MANY
        machine = self.generate(options)
        plain = simulate(machine, plan)
        seen = simulate(machine, plan, f"--trace={self.folder}/t.json", f"--report={self.folder}/r.html")
        self.assertEqual(plain["cost"]["trials"], 1)
        self.assertEqual(without_cost(plain), without_cost(seen))
        self.assertEqual(without_cost(plain), without_cost(simulate(machine, plan)))

    def test_where_it_pays(self):
        """Few ranks are simulated as they are; many are assumed to do the same."""
        options, plan = FEW
        self.assertNotIn("trials", simulate(self.generate(options), plan)["cost"])
        options, plan = MANY
        result = simulate(self.generate(options), plan)
        self.assertEqual(result["cost"]["trials"], 1)
        self.assertEqual(result["cost"]["rank_classes"], 4)

    def test_long_programs(self):
        """Few ranks with many micro-batches are assumed to do the same, too: a tree of four domains, behind which rings of
        the same ranks would go step by step."""
        machine = self.generate("--system=p5-hf --accelerators=64")
        plan = ("tp=32 pp=1 dp=2 seq=4096 heads=32 embedding=yes vocab=32768 layers=1 sequence-parallel=yes parallel-loss=yes "
                "overlap-tp=bulk overlap-dp=yes library=auto global-batch={}")
        few = simulate(machine, plan.format(2))
        self.assertNotIn("trials", few["cost"])
        many = simulate(machine, plan.format(560))
        self.assertLess(many["cost"]["rank_classes"], few["cost"]["rank_classes"])
        proven = simulate(machine, plan.format(560), *PROVEN)
        self.assertAlmostEqual(many["simulated"]["iteration_time_s"] / proven["simulated"]["iteration_time_s"], 1.0, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
