#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What --collapse of lightpath simulate takes, and what is said of a run that is not exact.

Environment: LIGHTPATH (the built program)."""
import json
import tempfile
import unittest

from command import Case


class Collapse(Case):
    """What --collapse takes, and what of it is said."""

    def test_approximate(self):
        with tempfile.TemporaryDirectory() as folder:
            machine = f"{folder}/machine.xml"
            self.taken("platform", "generate", "--system=generic", "--accelerators=64", "--domain-size=1",
                       "--leaf-ports=8", "--oversubscription=4", "-o", machine)
            job = ["simulate", "gpt3-175b", machine, "--ignore-memory", "--format=json"]
            for setting in ("layers=8", "tp=1", "pp=2", "dp=32", "global-batch=128", "micro-batch=1"):
                job += ["--set", setting]
            exact = json.loads(self.taken(*job, "--cost"))
            rough = json.loads(self.taken(*job, "--cost", "--collapse=approximate",
                                          "--collapse-rounds=1"))
            whole = json.loads(self.taken(*job, "--cost", "--collapse=approximate",
                                          "--collapse-rounds=1000000"))
            self.assertLess(rough["cost"]["rank_classes"], exact["cost"]["rank_classes"])
            self.assertIn("collapse: approximate", " ".join(rough["warnings"]))
            self.assertEqual(rough["traffic_bytes"], exact["traffic_bytes"])
            self.assertEqual(whole["simulated"], exact["simulated"])
            self.assertEqual(whole["warnings"], exact["warnings"])

    def test_faults(self):
        job = ["simulate", "llama-3-8b", "dgx-h100-64"]
        self.refused(2, '--collapse: "rough" is not one of off, on, approximate', *job, "--collapse=rough")
        for rounds in ("0", "-1", "nan", "1.5", "", "99999999999999999999"):
            self.refused(2, "--collapse-rounds", *job, "--collapse=approximate",
                         f"--collapse-rounds={rounds}")
        self.refused(2, "--collapse-rounds: got it without", *job, "--collapse-rounds=2")
        self.refused(2, "--runs: got it with --collapse=approximate", *job, "--runs=2",
                     "--collapse=approximate")
        self.refused(2, "--collapse: got approximate, wanted on or off", "simulate", "two-jobs", "polaris-64",
                     "--collapse=approximate")


if __name__ == "__main__":
    unittest.main()
