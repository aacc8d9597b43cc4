#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""simulate and compare with --runs=N: the iteration over seeds.

Environment: LIGHTPATH (the built program)."""
import json
import sys
import unittest

from command import Case


class Seeds(Case):
    """Quantiles of the iteration, and what is refused."""
    ORDER = ("low_s", "p50_s", "p95_s", "p99_s", "high_s")

    def result(self, *words):
        return json.loads(self.taken(*words, "--format=json"))

    def test_nothing_drawn(self):
        """Without chance each seed gives the iteration itself."""
        for plan in ([], ["--plan=fit"]):
            result = self.result("simulate", "gpt3-125m", "dgx-a100-8", "--runs=3", *plan)
            distribution = result["distribution"]
            self.assertEqual(distribution["runs"], 3)
            for key in self.ORDER:
                self.assertAlmostEqual(distribution[key] / result["simulated"]["iteration_time_s"],
                                       1.0, delta=1e-12)

    def test_skew(self):
        """Quantiles rise, the file's own seed is among the runs."""
        job = ["mixtral-8x7b", "dgx-h100-64", "--set=skew=0.5", "--set=global-batch=64", "--runs=3"]
        result = self.result("simulate", *job)
        times = [result["distribution"][key] for key in self.ORDER]
        self.assertEqual(times, sorted(times))
        self.assertGreater(times[-1], times[0])
        self.assertLessEqual(times[0], result["simulated"]["iteration_time_s"])
        self.assertGreaterEqual(times[-1], result["simulated"]["iteration_time_s"])
        self.assertIn(f"3 runs: p50 {times[1]:.6f}, p95", self.taken("simulate", *job))

    def test_compare(self):
        job = ["gpt3-125m", "dgx-a100-8", "dgx-a100-8", "--runs=2"]
        runs = self.result("compare", *job)["runs"]
        self.assertEqual([run["distribution"]["runs"] for run in runs], [2, 2])
        self.assertEqual(runs[0]["distribution"], runs[1]["distribution"])
        self.assertIn("  p50 (s) ", self.taken("compare", *job))

    def test_scenario(self):
        jobs = self.result("simulate", "slow-rank", "dgx-h100-64", "--set=global-batch=64",
                           "--runs=2")["jobs"]
        self.assertEqual([job["distribution"]["runs"] for job in jobs], [2] * len(jobs))

    def test_refused(self):
        for words in (["simulate", "gpt3-125m", "dgx-a100-8"],
                      ["compare", "gpt3-125m", "dgx-a100-8", "dgx-a100-8"]):
            for number in ("0", "-1", "x", "1e9", ""):
                self.refused(2, "--runs: ", *words, f"--runs={number}")
        self.refused(2, "--approximate", "simulate", "gpt3-125m", "dgx-a100-8", "--runs=2",
                     "--approximate")


if __name__ == "__main__":
    sys.exit(unittest.main())
