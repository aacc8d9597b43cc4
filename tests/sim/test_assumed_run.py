#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Classes that are assumed and checked in the run: cases in which the assumption holds, and in which it
does not and classes come apart, give what the classes that are proven and all ranks give.

Environment: LIGHTPATH (the built program)."""
import json
import pathlib
import subprocess
import tempfile
import unittest

from test_quotient import PROGRAM

SMALL = ("layers=8 hidden=1024 heads=16 ffn=4096 vocab=1024 seq=1024 embedding=no tp=1 micro-batch=1 "
         "library=single-ring")
SINGLE = "--system=generic --accelerators=64 --domain-size=1"
# What stands for a machine with leaves that groups straddle, and a plan: ranks that stay where links are
# known before, runs that are tried, and classes of ranks that are left. One stage's ring leads over four
# leaves of 8 ports, so that its members stand in 8 places of a leaf; all of them send at once, and a link
# 4:1 of a leaf holds back its one flow and thereby the ring: each stage is one class. Leaves of 12 ports
# put links with one flow and with two on the same ring: flows of two kinds. Leaves of 20, 2:1, and
# gradients behind backward passes: what begins when a first ring ends is told apart in turn.
CASES = [
    ("one kind of flow", f"{SINGLE} --leaf-ports=8 --oversubscription=4", "pp=2 dp=32 global-batch=128", 16, 1, 2),
    ("no link is full but ports", f"{SINGLE} --leaf-ports=8", "pp=4 dp=16 global-batch=64 overlap-dp=yes", 32, 1, 4),
    ("rings held back in one place", f"{SINGLE} --leaf-ports=12", "pp=2 dp=32 global-batch=128", None, 2, 2),
    ("rings that meet others in time", f"{SINGLE} --leaf-ports=20 --oversubscription=2",
     "pp=4 dp=16 global-batch=64 overlap-dp=yes", None, 3, 40),
]


def simulate(machine, plan, *options):
    line = [PROGRAM, "simulate", "gpt3-175b", machine, "--ignore-memory", "--framework=none", "--format=json", "--cost",
            *options]
    done = subprocess.run(line + [f"--set={setting}" for setting in f"{SMALL} {plan}".split()], capture_output=True,
                          text=True, check=True)
    return json.loads(done.stdout)


def without_cost(result):
    return {name: value for name, value in result.items() if name != "cost"}


class Assumed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lightpath-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def generate(self, options):
        path = self.folder / "machine.xml"
        subprocess.run([PROGRAM, "platform", "generate", *options.split(), "-o", path], check=True)
        return str(path)

    def test_cases(self):
        for label, options, plan, n_proven, n_trials, n_left in CASES:
            with self.subTest(label):
                machine = self.generate(options)
                whole = simulate(machine, plan, "--collapse=off")
                proven = simulate(machine, plan, "--collapse=proven")
                assumed = simulate(machine, plan, "--collapse=assumed")
                self.assertEqual(proven["cost"].get("rank_classes"), n_proven)
                self.assertNotIn("trials", proven["cost"])
                self.assertEqual(assumed["cost"]["trials"], n_trials)
                self.assertEqual(assumed["cost"]["rank_classes"], n_left)
                self.assertLessEqual(assumed["cost"]["flow_classes"], assumed["cost"]["assumed_ways"])
                for result in (proven, assumed):
                    self.assertAlmostEqual(result["simulated"]["iteration_time_s"] /
                                           whole["simulated"]["iteration_time_s"], 1.0, delta=1e-9)
                    for term, seconds in whole["simulated"]["terms_s"].items():
                        self.assertAlmostEqual(result["simulated"]["terms_s"][term], seconds,
                                               delta=1e-9 * whole["simulated"]["iteration_time_s"], msg=term)
                    self.assertEqual(result["traffic_bytes"], whole["traffic_bytes"])

    def test_seen(self):
        """A run that is looked at is the one that was checked."""
        _, options, plan, *_ = CASES[3]
        machine = self.generate(options)
        plain = simulate(machine, plan, "--collapse=assumed")
        seen = simulate(machine, plan, "--collapse=assumed", f"--trace={self.folder}/t.json",
                        f"--report={self.folder}/r.html")
        self.assertEqual(without_cost(plain), without_cost(seen))
        self.assertEqual(without_cost(plain), without_cost(simulate(machine, plan, "--collapse=assumed")))

    def test_where_it_pays(self):
        """Few ranks are simulated as they are; many are assumed to do the same."""
        machine = self.generate(CASES[0][1])
        self.assertNotIn("trials", simulate(machine, CASES[0][2])["cost"])
        machine = self.generate(CASES[1][1].replace("=64", "=512"))
        result = simulate(machine, "pp=4 dp=128 global-batch=512 overlap-dp=yes")
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
        proven = simulate(machine, plan.format(560), "--collapse=proven")
        self.assertAlmostEqual(many["simulated"]["iteration_time_s"] / proven["simulated"]["iteration_time_s"], 1.0, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
