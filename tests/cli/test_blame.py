#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What messages blame, and what they guess was meant.

Environment: LIGHTPATH (the built program)."""
import pathlib
import sys
import tempfile
import unittest

from command import SOURCE, Case


class Blame(Case):
    JOB = ["simulate", "llama-3-8b", "dgx-h100-64", "--set", "dp=64"]

    def test_blame(self):
        """What is wrong is said of the option or the file that says it, and of no other."""
        what_if = ["contention", *self.JOB[1:], "--what-if"]
        for words, told in (
                (["characterize", "llama-3-8b", "--sweep=seq=x"], '--sweep=seq=x: "x" is not a whole'),
                ([*what_if, "micro-batch=1,tp=x"], '--what-if=tp=x: "x" is not a whole'),
                (["simulate", "two-jobs", "polaris-64", "--set", "tp=x"], '--set tp=x: "x" is not a whole'),
                (["simulate", "two-jobs", "polaris-64", "--set", "tp=3"], "two-jobs.xml:8: <job> workload: "),
                (["contention", *self.JOB[1:3]], "llama-3-8b.xml: got a plan of 128 ranks"),
                ([*self.JOB, "--set", "library=zz"], '--set library=zz: library: "zz" is not one of'),
                ([*self.JOB, "--set", "tp=3"], "--set tp=3: tp: got 3, wanted a divisor of heads (32)"),
                ([*self.JOB, "--set", "hidden=100"], "--set hidden=100: heads: got 32, wanted"),
                ([*self.JOB, "--set", "micro-batch=5"], "--set dp=64 --set micro-batch=5: global-batch: got 256"),
                ([*self.JOB, "--set", "tp=5", "--set", "tp=3"], "--set tp=3: tp: got 3, wanted"),
                ([*self.JOB, "--set", "experts=3"], "--set experts=3: top-k: got 0, wanted 1 to experts (3)"),
                ([*self.JOB, "--set", "placement=zz"], '--set placement=zz: placement: got "zz", wanted packed'),
                (["characterize", "llama-3-8b", "--sweep=heads=7"], "--sweep=heads=7: heads: got 7, wanted"),
                ([*what_if, "tp=3"], "--what-if=tp=3: tp: got 3, wanted"),
                (["workload", "attributes", "zreo"], 'workload attributes: unknown attribute "zreo"')):
            self.refused(1, f"lightpath: {told}", *words)
        scenario = (SOURCE / "workloads/scenarios/two-jobs.xml").read_text()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "jobs.xml")
            path.write_text(scenario.replace("<job ", '<job library="zz" ', 1))
            self.refused(1, 'jobs.xml:8: job "even": gpt3-1.3b.xml: library: "zz" is not one', "simulate", str(path),
                         "polaris-64")
        self.refused(2, '--ranks: "3" is out of range', "collective", "send", "dgx-h100-64", "--ranks=3")

    def test_guesses(self):
        """A name that is like a known one is a guess; of another the message says how to list those that are."""
        for words, told in (
                (["simulate", "gpt3-17b", "dgx-h100-64"], "; the nearest is gpt3-13b (lightpath workload list)"),
                (["simulate", "llama-3", "dgx-h100-64"], "; the nearest is llama-3-8b (lightpath workload list)"),
                (["simulate", "neox-1.3b", "dgx-h100-64"], "; the nearest is gpt-neox-1.3b (lightpath workload list)"),
                (["simulate", "zebra", "dgx-h100-64"], "that is shipped (lightpath workload list)"),
                (["workload", "attributes", "colour"],
                 'unknown attribute "colour", "lightpath workload attributes" lists all'),
                ([*self.JOB, "--set", "overlap-dp=sometimes"], "is not one of no, yes, replicas, accelerator\n")):
            self.refused(1, told, *words)


if __name__ == "__main__":
    sys.exit(unittest.main())
