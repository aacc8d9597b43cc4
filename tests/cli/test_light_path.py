#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Light that goes on at a switch crosses one link, and its bits cost once; behind switches of packets every link counts.

Environment: LIGHTPATH (the built program)."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["LIGHTPATH"]
BIT_J = 21e-12
WORKLOAD = """<workload name="tiny">
  <transformer layers="8" hidden="1024" heads="16" kv-heads="8" ffn="4096" ffn-kind="swiglu"
               attention="flash" positions="rotary" seq="1024" vocab="32768" tied-embeddings="no"/>
  <plan tp="1" pp="2" dp="1" micro-batch="1" global-batch="8" precision="bf16" gradient-precision="fp32"/>
</workload>
"""


def lightpath(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)


class LightPath(unittest.TestCase):
    def energy_j(self, *options):
        """Of the bits of activations and gradients of eight micro-batches, 2 MiB each, between two stages."""
        with tempfile.TemporaryDirectory() as folder:
            workload, platform = pathlib.Path(folder, "tiny.xml"), pathlib.Path(folder, "two.xml")
            workload.write_text(WORKLOAD)
            done = lightpath("platform", "generate", *options, "--accelerators=2", "--domain-size=1",
                             "--technology=pluggable-400g-opus", "-o", platform)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = lightpath("simulate", workload, platform, "--set=embedding=no", "--set=library=single-ring",
                             "--format=json")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)["energy_j"]["dynamic"]

    def test_energy(self):
        sent_j = 8 * BIT_J * 2 * 8 * 1024 * 1024 * 2
        circuits = ("--system=ocs", "--reconfiguration-time=0s", "--switch-technology=piezo-polatis-192")
        for n_links, options in (
                (1, (*circuits, "--policy=demand")), (1, (*circuits, "--policy=static")),
                (1, ("--system=optical-substrate",)),
                (1, ("--system=dgx-a100", "--topology=crossbar", "--transceivers=host")),
                (2, ("--system=dgx-a100", "--topology=crossbar", "--switch-technology=electrical-64x400g-opus")),
                (2, ("--system=dgx-a100", "--topology=crossbar"))):
            with self.subTest(options=options):
                self.assertAlmostEqual(self.energy_j(*options) / (n_links * sent_j), 1.0, delta=1e-12)


if __name__ == "__main__":
    unittest.main()
