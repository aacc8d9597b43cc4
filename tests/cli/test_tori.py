#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums and gathers on tori by default: rings both ways round over all axes of the group at once, against the
bound of its links (Jain and Sabharwal, Optimal bucket algorithms, ICS 2010), 45 of 50 GB/s a link.

Environment: LIGHTPATH (the built program)."""
import math
import pathlib
import tempfile
import unittest

from command import generate, result

BYTES, RATE, WIRE, HOP_S = 64e6, 45e9, 50e9, 470e-9


def bound_s(sizes, halves=2, rings=True, rate=RATE):
    """The bytes that every member must send, over its links along axes of @sizes: two where it goes round the axis
    and the axis is longer than two, else one."""
    n = math.prod(sizes)
    links = sum(2 if rings and size > 2 else 1 for size in sizes if size > 1)
    return halves * (n - 1) / n * BYTES / (links * rate)


class Tori(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def machine(self, sizes, *options):
        return generate(self.folder / f"{sizes}{''.join(options)}.xml",
                        f"--system=tpu-v4 --accelerators={math.prod(map(int, sizes.split('x')))} "
                        f"--dimensions={sizes if 'x' in sizes else 1} {' '.join(options)}")

    def times_s(self, file, *options, operation="all-reduce"):
        """By flows and by messages, with what can be worked out left out or not."""
        times = []
        for way in ((), ("--fidelity=message",), ("--collapse=off",)):
            run = result("collective", operation, file, "--bytes=64MB", *options, *way)["runs"][0]
            self.assertEqual((run["algorithm"], run["protocol"]), ("torus", "link"))
            times.append(run["time_s"])
        self.assertAlmostEqual(times[0] / times[2], 1.0, delta=1e-9)
        return times

    def test_cubes(self):
        """Where all dimensions are alike, the bound and the latencies of the steps, whatever the operation."""
        for sizes in ("4x4x4", "8x8", "16", "2x2x2", "5x5", "3x3x3"):
            shape = [int(size) for size in sizes.split("x")]
            file = self.machine(sizes)
            for operation, halves in (("all-reduce", 2), ("reduce-scatter", 1), ("all-gather", 1)):
                expected = bound_s(shape, halves) + halves * sum(size - 1 for size in shape) * HOP_S
                for time_s in self.times_s(file, operation=operation):
                    with self.subTest(sizes=sizes, operation=operation):
                        # Parts, blocks and cells are whole bytes: of the smallest of them one is 3e-6.
                        self.assertAlmostEqual(time_s / expected, 1.0, delta=1e-5)

    def test_shapes(self):
        """Other shapes: never below the bound, and no more than a fifth above it."""
        for sizes in ("4x4x8", "4x16", "3x5x7", "2x4x8", "4x2", "2x2x16", "4x4x2x2"):
            shape = [int(size) for size in sizes.split("x")]
            for time_s in self.times_s(self.machine(sizes)):
                with self.subTest(sizes=sizes):
                    self.assertGreater(time_s, bound_s(shape))
                    self.assertLess(time_s - 2 * len(shape) * (max(shape) - 1) * HOP_S, 1.2 * bound_s(shape))

    def test_groups(self):
        """An axis, planes, parts of axes and what is dealt out, alone or beside others of their kind."""
        file = self.machine("4x4x4")
        for ranks, groups, strided, sizes, rings in (
                (4, 1, False, (4,), True), (4, 16, True, (4,), True), (4, 16, False, (4,), True),
                (16, 1, False, (4, 4), True), (16, 4, True, (4, 4), True),
                (2, 1, False, (2,), True), (3, 1, False, (3,), False)):
            options = [f"--ranks={ranks}", f"--groups={groups}", *(["--strided"] if strided else [])]
            # A part of an axis comes back the way that it went.
            steps = sum(size - 1 for size in sizes) if rings else 2 * (2 * sizes[0] - 3)
            for time_s in self.times_s(file, *options):
                with self.subTest(ranks=ranks, groups=groups, strided=strided):
                    bound = bound_s(sizes, rings=rings)
                    self.assertAlmostEqual(time_s, bound + 2 * steps * HOP_S, delta=4e-3 * bound)

    def test_no_worse_than_a_ring(self):
        """Groups that fill no block, and every second member: at most the time of one ring, one way."""
        for file in (self.machine("4x4x4"), self.machine("4x4x8", "--twist=yes")):
            for options in (("--ranks=24",), ("--ranks=7",), ("--ranks=32", "--groups=2", "--strided"),
                            ("--ranks=8", "--groups=8", "--strided"), ("--ranks=12",)):
                ring = result("collective", "all-reduce", file, "--bytes=64MB", *options, "--algorithm=ring")
                for time_s in self.times_s(file, *options):
                    with self.subTest(file=file.name, options=options):
                        self.assertLess(time_s, ring["runs"][0]["time_s"] * 1.001)

    def test_training(self):
        """Sums of gradients over the whole torus: both forms have the rate of all six links, the simulation 0.9 of
        it; and neither classes nor fidelity change that."""
        file = self.machine("4x4x4")
        settings = ["--ignore-memory", "--set=dp=64", "--set=tp=1", "--set=pp=1", "--set=zero=0",
                    "--set=overlap-dp=no", "--set=framework=none"]
        runs = [result("simulate", "llama-3-8b", file, *settings, *more)
                for more in ((), ("--collapse=off",), ("--fidelity=message",))]
        times = [run["simulated"]["iteration_time_s"] for run in runs]
        for time_s in times:
            self.assertAlmostEqual(time_s / times[0], 1.0, delta=1e-6)
        simulated, formula = (runs[0][side]["terms_s"]["dp"] for side in ("simulated", "closed_form"))
        gradients = runs[0]["traffic_bytes"]["dp"] / 64
        self.assertAlmostEqual(formula / (gradients / (6 * WIRE)), 1.0, delta=2e-3)
        self.assertAlmostEqual(simulated / (gradients / (6 * RATE)), 1.0, delta=2e-3)

    def test_training_on_unequal_axes(self):
        """Both forms wait for the largest part at each turn: of 4 x 8 the parts are 7/13 and 6/13, so that
        3/4 of the one on the axis of 4 and 7/8 of the other take the same time. Twisted tori as well."""
        settings = ["--ignore-memory", "--set=tp=1", "--set=pp=1", "--set=zero=0", "--set=overlap-dp=no",
                    "--set=framework=none"]
        for sizes, twist in (("4x8", "no"), ("4x4x8", "no"), ("3x5", "no"), ("2x8", "no"), ("4x8", "yes"),
                             ("4x4x8", "yes"), ("4x8x8", "yes")):
            n = math.prod(map(int, sizes.split("x")))
            run = result("simulate", "gpt3-1.3b", self.machine(sizes, f"--twist={twist}"), *settings,
                            f"--set=dp={n}", f"--set=global-batch={n}", "--set=micro-batch=1", "--set=precision=bf16",
                            "--set=gradient-precision=bf16")
            simulated, formula = (run[side]["terms_s"]["dp"] for side in ("simulated", "closed_form"))
            with self.subTest(sizes=sizes, twist=twist):
                self.assertAlmostEqual(simulated / formula * RATE / WIRE, 1.0, delta=3e-3)
            if (sizes, twist) == ("4x8", "no"):
                whole = run["traffic_bytes"]["dp"] / n / 2 * n / (n - 1)
                first = whole * 7 / 13 * 3 / 4 / (2 * WIRE)  # both parts end it together
                second = whole * 7 / 13 / 4 * 7 / 8 / (2 * WIRE), whole * 6 / 13 / 8 * 3 / 4 / (2 * WIRE)
                steps = 2 * 2 * 7 * HOP_S
                self.assertAlmostEqual(formula, 2 * (first + max(second)) + steps, delta=1e-3 * formula)


if __name__ == "__main__":
    unittest.main()
