#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans that fill a machine: --plan.

Environment: LIGHTPATH (the built program)."""
import json
import sys
import unittest

from command import Case


class PlanOption(Case):
    def test_fit(self):
        """A plan that is too large names what fits, and --plan=fit takes it; it says what none would change."""
        self.refused(1, "precision: got mxfp8, wanted one that h100-sxm has units for", "simulate", "llama-3-8b",
                     "dgx-h100-64", "--plan=fit", "--set=precision=mxfp8")
        self.refused(1, "such as with --set dp=64 (or --plan=fit)", "simulate", "llama-3-8b",
                     "dgx-h100-64")
        for command in ("simulate", "estimate"):
            report = json.loads(self.taken(command, "llama-3-8b", "dgx-h100-64", "--plan=fit",
                                           "--format=json"))
            plan = report["plan"]
            self.assertEqual((plan["dp"], plan["micro-batch"], plan["global-batch"]), (64, 2, 256))
        report = json.loads(self.taken("estimate", "gpt3-175b", "dgx-h100-64", "--plan=fit", "--format=json"))
        self.assertEqual((report["plan"]["dp"], report["plan"]["pp"]), (1, 8))
        report = json.loads(self.taken("estimate", "bloom-176b", "dgx-h100-64", "--plan=fit", "--format=json"))
        self.assertEqual(report["plan"]["dp"] * 48, 48)
        self.refused(1, "got tp x cp x pp of 64", "simulate", "gpt3-175b", "dgx-a100-8", "--plan=fit")
        self.refused(2, "a scenario has several plans", "simulate", "two-jobs", "polaris-64", "--plan=fit")

    def fitted(self, *arguments):
        """dp, micro-batch and global-batch of each run."""
        report = json.loads(self.taken(*arguments, "--plan=fit", "--format=json"))
        plans = [run["plan"] for run in report.get("runs", [report])]
        return [(plan["dp"], plan["micro-batch"], plan["global-batch"]) for plan in plans]

    def test_fit_without_memory(self):
        """--ignore-memory leaves memory out of what fits, too: the micro-batch stays."""
        job = ["simulate", "gpt3-13b", "polaris-64", "--set=micro-batch=16"]
        self.assertEqual(self.fitted(*job), [(16, 4, 1024)])
        self.assertEqual(self.fitted(*job, "--ignore-memory"), [(16, 16, 1024)])
        job = ["gpt3-13b", "polaris-64", "--plan=fit", "--set=tp=1", "--set=recompute=none"]
        self.refused(1, "of polaris-64.xml and their memory", "simulate", *job)
        self.taken("simulate", *job, "--ignore-memory")

    def test_fit_all(self):
        """compare has one plan for all machines, which fills the smallest and the least memory."""
        self.assertEqual(self.fitted("compare", "llama-3-8b", "dgx-h100-64", "dgx-a100-8"), [(8, 2, 256)] * 2)
        job = ["compare", "gpt3-13b", "dgx-h100-64", "polaris-64", "--set=micro-batch=16"]
        self.assertEqual(self.fitted(*job), [(16, 4, 1024)] * 2)
        self.assertEqual(self.fitted(*job, "--ignore-memory"), [(16, 16, 1024)] * 2)
        self.refused(1, "dgx-a100-8.xml, the smallest machine, and the memory of each", "compare", "gpt3-175b",
                     "dgx-h100-64", "dgx-a100-8", "--plan=fit")
        self.refused(1, '"nowhere" is neither', "compare", "llama-3-8b", "dgx-h100-64", "nowhere", "--plan=fit")


if __name__ == "__main__":
    sys.exit(unittest.main())
