#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Light that goes on at a switch crosses one link, and its bits cost once; behind switches of packets every link counts.

Environment: LIGHTPATH (the built program)."""
import pathlib
import tempfile
import unittest

from command import generate, result

BIT_J = 21e-12
WORKLOAD = """<workload name="tiny">
  <transformer layers="8" hidden="1024" heads="16" kv-heads="8" ffn="4096" ffn-kind="swiglu"
               attention="flash" positions="rotary" seq="1024" vocab="32768" tied-embeddings="no"/>
  <plan tp="1" pp="2" dp="1" micro-batch="1" global-batch="8" precision="bf16" gradient-precision="fp32"/>
</workload>
"""


class LightPath(unittest.TestCase):
    def simulate(self, *options, n=2, settings=()):
        """Two stages by default."""
        with tempfile.TemporaryDirectory() as folder:
            workload, platform = pathlib.Path(folder, "tiny.xml"), pathlib.Path(folder, "two.xml")
            workload.write_text(WORKLOAD)
            generate(platform, f"{' '.join(options)} --accelerators={n} --domain-size=1 --technology=pluggable-400g-opus")
            return result("simulate", workload, platform, "--set=embedding=no", "--set=library=single-ring", *settings)

    def energy_j(self, *options):
        """Of the bits of activations and gradients of eight micro-batches, 2 MiB each, between two stages."""
        return self.simulate(*options)["energy_j"]["dynamic"]

    def test_rotor(self):
        """What a rotor relays goes over two light paths, and the rest over one."""
        for hops in (1, 2):
            ran = self.simulate("--system=ocs", "--policy=rotor", "--slot-time=200us", "--reconfiguration-time=10us",
                                f"--rotor-hops={hops}", n=8, settings=("--set=pp=1", "--set=dp=8"))
            rotor, sent = ran["circuits"]["rotor"], ran["traffic_bytes"]["dp"]
            self.assertAlmostEqual((rotor["direct_bytes"] + rotor["relayed_bytes"]) / sent, 1.0, delta=1e-6)
            self.assertEqual(rotor["relayed_bytes"] > 0.0, hops == 2)
            paths_bytes = sent + rotor["relayed_bytes"]
            self.assertAlmostEqual(ran["energy_j"]["dynamic"] / (8 * BIT_J * paths_bytes), 1.0, delta=1e-6)

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
