#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collectives, step by step, take as long as SimGrid's own MPI (SMPI) takes for the same algorithm
on the same platform file: an implementation that shares no line with ours.

SMPI has its costs of hosts and its start-up set to nothing, and loads our platforms unchanged.
Environment: LIGHTPATH (the built program)."""
import json
import pathlib
import sys
import tempfile
import unittest

from command import output_of, taken

SOURCE = pathlib.Path(__file__).resolve().parent / "smpi_collective.c"
# Divisible by 8, 12 and 16 ranks.
BYTES = 4_800_000
# SMPI's calls and messages cost about a nanosecond each: up to 15 of them, in at least 84 us.
TOLERANCE = 2e-4

# The engine's settings as ours are (sim/engine/engine.c); ranks compute nothing, and every message
# waits for its receiver, as a GPU's does.
SETTINGS = ["network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0",
            "network/latency-factor:1", "network/bandwidth-factor:1", "network/weight-S:0",
            "network/loopback-lat:0", "surf/precision:1e-12", "smpi/simulate-computation:no",
            "smpi/display-timing:no", "smpi/async-small-thresh:0", "smpi/send-is-detached-thresh:0"]

MACHINES = {
    "crossbar": "--topology=crossbar --scale-out-latency=0s",
    "crossbar, 1 us a link": "--topology=crossbar --scale-out-latency=1us",
    # With latencies SMPI's flows share a link by their routes' latencies, and ours equally.
    "4:1 tree": "--leaf-ports=4 --oversubscription=4 --scale-out-latency=0s"}

# Our algorithm, and SMPI's of the same steps. Its all-to-all by pairs is for powers of two, as ours;
# else both go round. Its pairs of reduce-scatter go round always, so a tree tells them apart.
ROWS = [
    ("all-reduce", "ring", lambda n: "allreduce:lr"),
    ("all-reduce", "doubling", lambda n: "allreduce:rdb"),
    ("all-reduce", "halving-doubling", lambda n: "allreduce:rab_rdb"),
    ("all-gather", "ring", lambda n: "allgather:NTSLR"),
    ("all-gather", "doubling", lambda n: "allgather:rdb"),
    ("all-gather", "bruck", lambda n: "allgather:bruck"),
    ("reduce-scatter", "ring", lambda n: "reduce_scatter:ompi_ring"),
    ("reduce-scatter", "pairwise", lambda n: "reduce_scatter:mpich_pair"),
    ("all-to-all", "pairwise", lambda n: "alltoall:ring" if n == 12 else "alltoall:pair"),
    ("all-to-all", "bruck", lambda n: "alltoall:bruck"),
    ("all-to-all", "direct", lambda n: "alltoall:basic_linear")]

# Where they differ, by how much, and why (docs/architecture.md, "Against SMPI").
DIFFERENT = {
    ("all-reduce", "doubling", 12, "crossbar"): 0.200,
    ("all-reduce", "doubling", 12, "crossbar, 1 us a link"): 0.192,
    ("all-reduce", "doubling", 12, "4:1 tree"): 0.222,
    ("all-reduce", "halving-doubling", 12, "crossbar"): 0.033,
    ("all-reduce", "halving-doubling", 12, "crossbar, 1 us a link"): 0.032,
    ("all-reduce", "halving-doubling", 12, "4:1 tree"): 0.025,
    ("all-gather", "doubling", 12, "crossbar"): 0.579,
    ("all-gather", "doubling", 12, "crossbar, 1 us a link"): 0.531,
    ("all-gather", "doubling", 12, "4:1 tree"): -0.075,
    ("reduce-scatter", "pairwise", 8, "4:1 tree"): 0.1875,
    ("reduce-scatter", "pairwise", 16, "4:1 tree"): 0.0625}


class Smpi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="lightpath-smpi-")
        output_of("smpicc", "-O1", SOURCE, "-o", "collective", cwd=cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def smpi(self, operation, algorithm, n_ranks, size=BYTES):
        hosts = pathlib.Path(self.folder.name) / "hosts"
        hosts.write_text("".join(f"out-{i}\n" for i in range(n_ranks)))
        settings = [f"--cfg={setting}" for setting in [*SETTINGS, f"smpi/{algorithm}"]]
        printed = output_of("smpirun", "-np", n_ranks, "-platform", "machine.xml", "-hostfile", "hosts",
                            *settings, "--log=root.thres:critical", "./collective", operation, size, cwd=self.folder.name)
        return max(float(line) for line in printed.split())

    def ours(self, operation, algorithm, size=BYTES):
        printed = taken("collective", operation, "machine.xml", f"--bytes={size}B", f"--algorithm={algorithm}",
                        "--library=single-ring", "--fidelity=message", "--format=json", cwd=self.folder.name)
        return json.loads(printed)["runs"][0]["time_s"]

    def check(self, machine, n_ranks):
        taken("platform", "generate", "--system=generic", f"--accelerators={n_ranks}",
            "--domain-size=1", "--scale-out-bandwidth=50GBps", *MACHINES[machine].split(), "-o",
            "machine.xml", cwd=self.folder.name)
        for operation, algorithm, theirs in ROWS:
            with self.subTest(machine=machine, ranks=n_ranks, operation=operation,
                              algorithm=algorithm):
                difference = (self.ours(operation, algorithm)
                              / self.smpi(operation, theirs(n_ranks), n_ranks) - 1)
                wanted = DIFFERENT.get((operation, algorithm, n_ranks, machine), 0.0)
                self.assertAlmostEqual(difference, wanted, delta=0.002 if wanted else TOLERANCE)

    def test_eight(self):
        for machine in MACHINES:
            self.check(machine, 8)

    def test_twelve(self):
        for machine in MACHINES:
            self.check(machine, 12)

    def test_slow_edges(self):
        """A ring in lock-step: every step takes the slowest edge's latency, 2 x 15 x 40 us."""
        taken("platform", "generate", "--system=generic", "--accelerators=16",
            "--domain-size=1", "--leaf-ports=8", "--scale-out-latency=10us", "-o", "machine.xml",
            cwd=self.folder.name)
        ours = self.ours("all-reduce", "ring", 4096)
        self.assertAlmostEqual(ours / self.smpi("all-reduce", "allreduce:lr", 16, 4096), 1.0,
                               delta=TOLERANCE)
        self.assertAlmostEqual(ours / (2 * 15 * 40e-6), 1.0, delta=1e-3)

    def test_sixteen(self):
        for machine in MACHINES:
            self.check(machine, 16)


if __name__ == "__main__":
    sys.exit(unittest.main())
