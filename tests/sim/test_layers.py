#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers that have a mixer in attention's place: each rank by itself takes as long as ranks that are alike together, under
every kind of parallelism, and all commands take them.

Environment: LIGHTPATH (the built program)."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.command import refused, result, taken

MACHINE = ("--system=dgx-h100", "--accelerators=16", "--ignore-memory")
PLANS = (
    ("nemotron-h-8b", "tp=4 dp=4 layers=11 global-batch=8"),
    ("nemotron-h-8b", "tp=2 pp=2 dp=2 cp=2 layers=22 global-batch=8"),
    ("nemotron-h-8b", "tp=2 pp=2 dp=2 cp=2 layers=22 global-batch=8 cp-kind=ulysses recompute=selective "
                      "selective=attention,norms,qkv"),
    ("nemotron-h-8b", "tp=2 dp=8 layers=22 global-batch=8 zero=3 recompute=full"),
    ("nemotron-h-8b", "tp=1 pp=4 dp=4 layers=32 global-batch=32 schedule=zero-bubble stage-layers=balanced"),
    ("qwen3-next-80b-a3b", "pp=1 dp=8 cp=2 ep=8 layers=8 global-batch=16 virtual-stages=1 schedule=1f1b experts=64"),
    ("kimi-linear-48b-a3b", "tp=2 pp=2 dp=4 ep=4 layers=8 global-batch=16 experts=64"),
    ("deepseek-v3.2", "pp=2 dp=2 cp=4 ep=8 layers=8 global-batch=16 experts=64 seq=16384"),
    ("nemotron-h-8b", "tp=1 pp=2 dp=8 layers=16 global-batch=16 layer-pattern=3*mamba-1+1*full selective-norms=1 recompute=selective "
                      "selective=attention,norms,qkv"),
    ("granite-4-h-small", "dp=16 ep=8 layers=10 global-batch=16 expert-latent=1024"),
)


def settings(text):
    return [f"--set={one}" for one in text.split()]


class Layers(unittest.TestCase):
    def test_collapse(self):
        for workload, text in PLANS:
            with self.subTest(workload, plan=text):
                on, off = (result("simulate", workload, *MACHINE, "--no-difference", *settings(text), f"--collapse={collapse}")
                           ["simulated"]["iteration_time_s"] for collapse in ("on", "off"))
                self.assertAlmostEqual(on / off, 1.0, delta=1e-6)

    def test_closed_form(self):
        """Sums of the same kernels: without overlap and contention both are within some per cent of each other."""
        for workload, text in PLANS:
            with self.subTest(workload, plan=text):
                both = result("simulate", workload, *MACHINE, "--no-difference", *settings(text))
                ratio = both["closed_form"]["iteration_time_s"] / both["simulated"]["iteration_time_s"]
                self.assertTrue(0.75 < ratio < 1.1, ratio)

    def test_linear(self):
        """Mamba-2's FLOP grow as the sequence does, attention's faster: so do their times."""
        times = {}
        for pattern in ("mamba-2", "full"):
            for seq in (8192, 65536):
                done = result("estimate", "nemotron-h-8b", *MACHINE, *settings(
                    f"layers=4 tp=2 dp=8 global-batch=8 seq={seq} single-blocks=yes layer-pattern={pattern}"))
                times[pattern, seq] = done["closed_form"]["terms_s"]["compute"]
        self.assertLess(times["mamba-2", 65536] / times["mamba-2", 8192], 8.2)
        self.assertGreater(times["full", 65536] / times["full", 8192], 9.0)

    def test_scans(self):
        """Mamba-2's scan is 2 to 8 times as fast as that of the first version (Dao and Gu, arXiv 2405.21060, abstract)."""
        for state in (64, 128, 256):
            times = {}
            for version in ("mamba-1", "mamba-2"):
                kernels = result("workload", "kernels", "nemotron-h-8b", "--system=dgx-a100", "--accelerators=16", *settings(
                    f"layers=4 tp=1 dp=16 global-batch=16 micro-batch=1 hidden=2560 mamba-heads=80 mamba-groups=1 single-blocks=yes "
                    f"recompute=none mamba-state={state} selective-state={state} layer-pattern={version}"))["kernels"]
                times[version] = sum(one["time_s"] for one in kernels if one["pass"] == "forward" and one["kernel"] in (
                    "mamba-scan", "mamba-scores", "mamba-chunk-states", "mamba-pass-states"))
            self.assertTrue(2.0 < times["mamba-1"] / times["mamba-2"] < 8.0, (state, times))

    def test_refusals(self):
        for wanted, text in (("tp: got 16, wanted a divisor of mamba-groups (8)", "tp=16 dp=1 global-batch=8"),
                             ("wanted one of full, window", "layer-pattern=mamba-4"),
                             ("cp-kind: got ulysses, wanted gather",
                              "layer-pattern=sparse-attention kv-rank=512 rope-width=64 kv-heads=32 cp=2 cp-kind=ulysses framework=none")):
            refused(wanted, "simulate", "nemotron-h-8b", *MACHINE, *settings(text))

    def test_commands(self):
        plan = settings("tp=2 dp=8 layers=11 global-batch=8")
        self.assertIn("mamba-scan", taken("workload", "kernels", "nemotron-h-8b", *MACHINE[:2], *plan))
        found = result("search", "nemotron-h-8b", *MACHINE[:2], "--set=layers=11", "--set=global-batch=16", "--top=1",
                       "--vary=tp,dp")
        self.assertTrue(found["plans"])


if __name__ == "__main__":
    unittest.main()
