#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads of experts by layer and micro-batch: what must not depend on them does not, and what a hot
expert costs follows from its load.

Environment: LIGHTPATH (the built program)."""
import os
import tempfile
import unittest

from command import result

# One stage, no gradients' overlap, no host: 8 ranks, an expert each, on one domain.
PLAN = ("layers=4 tp=1 dp=8 pp=1 virtual-stages=1 ep=8 micro-batch=1 global-batch=32 zero=0 schedule=1f1b framework=none "
        "library=single-ring recompute=none").split()


def simulate(*settings, machine="dgx-a100-8", options=()):
    return result("simulate", "mixtral-8x7b", machine, "--ignore-memory", *options,
                  *(f"--set={setting}" for setting in [*PLAN, *settings]))


class Routing(unittest.TestCase):
    def table(self, rows):
        file = tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write("layer,micro-batch,expert,load\n")
            file.writelines("%d,%d,%d,%g\n" % row for row in rows)
        return "routing-table=" + file.name

    def test_even_table(self):
        """Equal loads are no loads."""
        table = self.table((layer, 0, expert, 7) for layer in range(3) for expert in range(8))
        even, tabled = simulate(), simulate(table)
        self.assertEqual(even["traffic_bytes"], tabled["traffic_bytes"])
        times = [run["simulated"]["iteration_time_s"] for run in (even, tabled)]
        self.assertAlmostEqual(times[1] / times[0], 1.0, delta=1e-9)

    def test_conservation(self):
        """Loads move bytes from one expert to another; their sum stays."""
        even = simulate()["traffic_bytes"]
        for draws in ("iteration", "layer", "micro-batch"):
            skewed = simulate("skew=0.7", "routing-draws=" + draws)["traffic_bytes"]
            self.assertEqual(even["dp"], skewed["dp"])
            self.assertAlmostEqual(skewed["ep"] / even["ep"], 1.0, delta=0.2)

    def test_alone(self):
        """Two nodes of four with two cards each: unequal flows share cards, and meet nobody else. What the engine
        makes of them is what they take alone; message by message it can only be longer."""
        for seed in range(4):
            settings = ("skew=2", f"seed={seed}")
            flow, message = (simulate(*settings, machine="polaris-64",
                                      options=("--collapse=off", f"--fidelity={fidelity}"))["simulated"]
                             for fidelity in ("flow", "message"))
            alone_s = flow["uncontended_iteration_time_s"]
            self.assertAlmostEqual(flow["iteration_time_s"] / alone_s, 1.0, delta=1e-9)
            self.assertAlmostEqual(message["uncontended_iteration_time_s"] / alone_s, 1.0, delta=1e-9)
            self.assertGreaterEqual(message["iteration_time_s"], alone_s * (1 - 1e-9))

    def test_hot_expert(self):
        """All wait for the hot expert, wherever it is: a table whose hot expert moves from layer
        to layer takes as long as one where it stays, and longer than an even one; and every
        micro-batch of its own can be hot."""
        def rows(place):
            return self.table((layer, m, expert, 3 if expert == place(layer, m) else 1)
                              for layer in range(4) for m in range(4) for expert in range(8))
        stays = simulate(rows(lambda layer, m: 2))["simulated"]["iteration_time_s"]
        moves = simulate(rows(lambda layer, m: (layer + 3 * m) % 8))
        moves = moves["simulated"]["iteration_time_s"]
        self.assertAlmostEqual(moves / stays, 1.0, delta=0.001)
        self.assertGreater(stays, 1.05 * simulate()["simulated"]["iteration_time_s"])
        cool = self.table((0, m, expert, 3 if expert == 2 and m == 0 else 1)
                          for m in range(4) for expert in range(8))
        between = simulate(cool)["simulated"]["iteration_time_s"]
        even = simulate()["simulated"]["iteration_time_s"]
        # One of the four micro-batches is hot.
        self.assertAlmostEqual((between - even) / (stays - even), 0.25, delta=0.01)

    def test_overlapped(self):
        """overlap-ep hides all-to-alls behind computing, and moves the same bytes."""
        plain, overlapped = simulate(), simulate("overlap-ep=yes")
        self.assertEqual(plain["traffic_bytes"], overlapped["traffic_bytes"])
        exposed = [run["simulated"]["terms_s"]["ep"] for run in (plain, overlapped)]
        self.assertLess(exposed[1], 0.6 * exposed[0])
        self.assertLess(overlapped["simulated"]["iteration_time_s"],
                        plain["simulated"]["iteration_time_s"])
        self.assertGreater(overlapped["memory"]["activations_bytes"],
                           plain["memory"]["activations_bytes"])

    def test_dispatch(self):
        """Tokens in fp8 are half of the bytes there; what comes back stays."""
        plain = simulate("precision=bf16")["traffic_bytes"]["ep"]
        narrow = simulate("precision=bf16", "dispatch-precision=fp8")["traffic_bytes"]["ep"]
        self.assertAlmostEqual(narrow / plain, 0.75, delta=1e-6)

    def test_seeds(self):
        one, same = simulate("skew=0.5", "seed=4"), simulate("skew=0.5", "seed=4")
        self.assertEqual(one, same)
        self.assertNotEqual(one["simulated"], simulate("skew=0.5", "seed=5")["simulated"])


if __name__ == "__main__":
    unittest.main()
