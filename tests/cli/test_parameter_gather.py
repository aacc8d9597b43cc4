#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Owners that broadcast whole tensors (parameter-gather) take as long as lightpath collective says
of each broadcast, one after the other, and send what gathers send.

Environment: LIGHTPATH (the built program)."""
import pathlib
import tempfile
import unittest

from command import generate, refused, result

RANKS, HIDDEN, BYTES = 16, 1024, 2
# The matrices of a layer of GPT: down and up, queries with keys and values, the projection.
MATRICES = [4 * HIDDEN**2, 4 * HIDDEN**2, 3 * HIDDEN**2, HIDDEN**2]


def simulate(platform, library, *settings):
    plan = ["framework=none", f"library={library}", "embedding=no", "layers=1", f"hidden={HIDDEN}",
            "heads=16", f"ffn={4 * HIDDEN}", "tp=1", "pp=1", f"dp={RANKS}", "micro-batch=1",
            f"global-batch={RANKS}", "zero=1", "overlap-param=no", "gradient-precision=fp16",
            *settings]
    return result("simulate", "gpt3-175b", platform, *(f"--set={setting}" for setting in plan))


def collective_s(platform, library, operation, size):
    return result("collective", operation, platform, f"--bytes={size}B", f"--ranks={RANKS}",
                  f"--library={library}")["runs"][0]["time_s"]


class ParameterGather(unittest.TestCase):
    def check(self, options, library):
        with tempfile.TemporaryDirectory() as folder:
            platform = str(pathlib.Path(folder, "machine.xml"))
            generate(platform, f"{options} --accelerators={RANKS}")
            gathered = simulate(platform, library)
            broadcast = simulate(platform, library, "parameter-gather=broadcast")
            self.assertEqual(gathered["traffic_bytes"], broadcast["traffic_bytes"])
            # Half of the traffic sums gradients, half hands parameters on, over all but one rank.
            all_bytes = gathered["traffic_bytes"]["dp"] // (2 * (RANKS - 1))
            rest = all_bytes - sum(MATRICES) * BYTES
            tensors = [m * BYTES for m in MATRICES] + [rest // 2, rest // 2]
            expected = (sum(collective_s(platform, library, "broadcast", t) for t in tensors) -
                        collective_s(platform, library, "all-gather", all_bytes))
            got = broadcast["simulated"]["iteration_time_s"] - \
                gathered["simulated"]["iteration_time_s"]
            self.assertAlmostEqual(got, expected, delta=1e-9)

    def test_one_ring(self):
        self.check("--system=generic --domain-size=1", "single-ring")

    def test_library(self):
        self.check("--system=dgx-a100", "nccl-ampere")

    def test_refused(self):
        refused("parameter-gather", "simulate", "gpt3-175b", "dgx-a100-8", "--set=parameter-gather=shout")


if __name__ == "__main__":
    unittest.main()
