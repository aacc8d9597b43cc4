#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Circuits of experts, which follow their demand beside an electrical network (MixNet)."""
import unittest

from test_circuits import Machines, opus
from command import run


class Experts(Machines):
    def test_experts(self):
        """Circuits that follow the experts' demand: as fast as an electrical network of both parts'
        rate where lanes suffice and nothing changes, also where the network beside them has none; slower
        with a dead time, never slower than what stands beside them alone; and a wrong forecast costs more than a right one."""
        plan = ("tp=1 pp=1 dp=8 ep=8 global-batch=8 micro-batch=1 virtual-stages=1 schedule=1f1b "
                "layers=4 zero=0 overlap-dp=no overlap-param=no recompute=none ep-relay=1 ")
        machine = ("--accelerators=8 --accelerator=a100-80 --domain-size=1 --port-order=node "
                   "--joined-rails=yes --scale-out-latency=0s ")
        circuits = ("--system=ocs --policy=hybrid --circuit-traffic=ep --scale-out-bandwidth=35GBps "
                    "--circuit-ports=7 --electrical-bandwidth=5GBps " + machine)

        def ep_s(options, skew):
            file = self.generate("m.xml", options)
            result = self.simulate("mixtral-8x7b", file, plan + f"skew={skew}")
            return result["simulated"]["terms_s"]["ep"]
        whole = "--system=ocs --policy=provision --circuit-ports=8 " + machine
        both = ep_s(whole + "--scale-out-bandwidth=40GBps", 0)
        beside = ep_s(whole + "--scale-out-bandwidth=5GBps", 0.5)
        self.assertAlmostEqual(ep_s(circuits + "--reconfiguration-time=10ms", 0) / both, 1, delta=1e-4)
        alone = ep_s(circuits.replace("=5GBps", "=1Bps") + "--reconfiguration-time=10ms", 0)
        standing = whole.replace("--circuit-ports=8", "--circuit-ports=7") + "--scale-out-bandwidth=35GBps"
        self.assertAlmostEqual(alone / ep_s(standing, 0), 1, delta=1e-4)
        skewed = [ep_s(circuits + f"--reconfiguration-time={dead} --circuit-forecast={when}", 0.5)
                  for dead, when in (("0s", "ahead"), ("1ms", "ahead"), ("1ms", "gate"),
                                     ("1s", "gate"))]
        self.assertEqual(skewed, sorted(skewed))
        self.assertLess(skewed[-1], beside * 1.0001)
        wrong = ep_s(circuits + "--reconfiguration-time=0s --circuit-forecast=ahead "
                     "--forecast-error=2", 0.5)
        self.assertGreater(wrong, skewed[0] * 1.05)

    def test_changes(self):
        """Two domains of experts: their circuits never change, whatever the tokens want, so that a dead
        time costs nothing. Of eight with few lanes they do: a longer dead time costs more, but less than
        all beside the circuits, since some are kept; and who weighs changes does not lose by them."""
        plan = ("tp=1 pp=1 dp=8 ep=8 global-batch=16 micro-batch=1 virtual-stages=1 schedule=1f1b "
                "layers=4 zero=0 overlap-dp=no overlap-param=no recompute=none ep-relay=1 skew=1")
        machine = ("--accelerators=8 --accelerator=a100-80 --port-order=node --joined-rails=yes "
                   "--nics-per-domain=1 --scale-out-latency=0s --system=ocs --policy=hybrid "
                   "--circuit-traffic=ep --circuit-ports=4 --scale-out-bandwidth=30GBps "
                   "--electrical-bandwidth=5GBps ")

        def run(options):
            result = self.simulate("mixtral-8x7b", self.generate("m.xml", machine + options), plan)
            return (result["simulated"]["terms_s"]["ep"], result["circuits"]["reconfigurations"],
                    result["circuits"]["hybrid"])
        fast, slow = (run(f"--domain-size=4 --reconfiguration-time={dead}") for dead in ("0s", "10s"))
        self.assertEqual((fast[1], slow[1]), (0, 0))
        self.assertAlmostEqual(fast[0], slow[0], delta=1e-12)
        always = [run(f"--domain-size=1 --reconfiguration-time={dead}") for dead in
                  ("0s", "1ms", "10ms", "10s")]
        self.assertTrue(all(one[1] > 0 for one in always))
        times = [one[0] for one in always]
        self.assertEqual(times, sorted(times))
        self.assertLess(1.5 * times[0], times[-1])
        self.assertGreater(always[-1][2]["circuit_bytes"], 0)
        gain = [run(f"--domain-size=1 --reconfiguration-time={dead} --circuit-changes=gain")[0]
                for dead in ("1ms", "10s", "1000s")]
        self.assertLess(gain[0], times[1] * 1.001)
        self.assertLess(gain[1], times[-1])
        self.assertAlmostEqual(gain[1], gain[2], delta=1e-9)

    def test_shared(self):
        """Circuits of experts take all lanes: no other class may be steered beside them."""
        file = self.generate("m.xml", "--system=ocs --policy=hybrid --accelerators=16 --domain-size=1 "
                             "--port-order=node --joined-rails=yes --electrical-bandwidth=5GBps")
        plan = ("tp=1 pp=1 dp=16 ep=8 global-batch=16 micro-batch=1 virtual-stages=1 schedule=1f1b "
                "layers=4 ep-relay=1")
        done = run("simulate", "mixtral-8x7b", file, "--ignore-memory", *opus.BARE,
                   *(f"--set={setting}" for setting in plan.split()))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn("circuit-traffic: ep beside other classes", done.stderr)


if __name__ == "__main__":
    unittest.main()
