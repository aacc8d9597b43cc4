#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A failure long after the end of a run changes nothing of it, though links are watched then: experts
along the rails and pair by pair, gradients in rings and scheduled, by classes and rank by rank."""

import pathlib
import sys
import tempfile
import unittest

import command

SCENARIO = """<scenario name="late"><source>a test</source>
  <job name="a" workload="mixtral-8x7b" tp="1" pp="1" virtual-stages="1" schedule="1f1b" dp="16" ep="16" experts="16"
       layers="2" seq="1024" global-batch="16" library="nccl-hopper" algorithm-dp="{}"/>{}
</scenario>"""
LATE = '<failure port="scale-out:9" at="1000000s" bandwidth-factor="0.25"/>'
MACHINE = ("--system=dgx-h100", "--accelerators=16", "--oversubscription=2", "--ignore-memory", "--no-difference")


class LateFaults(unittest.TestCase):
    def test_time(self):
        for algorithm in "ring", "direct":
            for fidelity in "flow", "message":
                for collapse in "on", "off":
                    seconds = []
                    for failure in "", LATE:
                        path = pathlib.Path(self.folder.name, "s.xml")
                        path.write_text(SCENARIO.format(algorithm, failure))
                        job = command.result("simulate", path, *MACHINE, f"--fidelity={fidelity}",
                                             f"--collapse={collapse}")["jobs"][0]
                        seconds.append(job["simulated"]["iteration_time_s"])
                    label = (algorithm, fidelity, collapse, seconds)
                    self.assertGreater(seconds[0], 0.0, label)
                    self.assertLessEqual(abs(seconds[1] - seconds[0]), 1e-9 * seconds[0], label)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
