#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Closed forms of rotors and hybrids against the simulation: to 1e-9 where plans are degenerate, within
bounds elsewhere."""
import json
import subprocess
import unittest

from test_circuits import Machines, SMALL, opus

PLAIN = "--domain-latency=0s --scale-out-latency=0s --launch=0s "


class Forms(Machines):
    def both(self, workload, machine, plan):
        """Terms of the simulation and of the closed form."""
        result = self.simulate(workload, self.generate("m.xml", f"--system=ocs {PLAIN}{machine}"),
                               f"{SMALL} {plan}")
        return result["simulated"]["terms_s"], result["closed_form"]["terms_s"]

    def same(self, simulated, form, label):
        for term, seconds in simulated.items():
            self.assertAlmostEqual(seconds, form[term], delta=1e-9, msg=f"{label}: {term}")


class Rotor(Forms):
    def test_standing(self):
        """A lane for each matching: nothing turns, and every pair has its share of the rate."""
        for ports, share in ((7, 1 / 7), (14, 1 / 14)):
            simulated, form = self.both(
                "gpt3-1.3b", f"--accelerators=16 --domain-size=2 --policy=rotor --circuit-ports={ports} "
                "--slot-time=1ms --reconfiguration-time=100us --rotor-hops=1",
                "tp=2 pp=1 dp=8 zero=0 global-batch=8")
            self.same(simulated, form, ports)
            self.assertAlmostEqual(form["reconfiguration"], form["dp"] * (1 / share - 1), delta=1e-9)

    def test_turning(self):
        """A turning rotor, in all-to-alls, rings and messages: the closed form has what a transfer takes
        in the mean over the cycle, the simulation what it meets. Over one circuit each transfer is
        within a cycle of its own; the iteration is within 4 %, over two circuits within 8 %."""
        for workload, plan, accelerators in (
                ("mixtral-8x7b", "tp=2 pp=1 dp=8 ep=8 layers=2 global-batch=8 zero=0", 16),
                ("gpt3-1.3b", "tp=2 pp=1 dp=8 zero=0 global-batch=8", 16),
                ("gpt3-1.3b", "tp=2 pp=4 dp=2 zero=0 global-batch=8", 16)):
            for slot, dead in (("1ms", "100us"), ("100us", "10us")):
                for hops in (1, 2):
                    simulated, form = self.both(
                        workload, f"--accelerators={accelerators} --domain-size=2 --policy=rotor "
                        f"--circuit-ports=2 --slot-time={slot} --reconfiguration-time={dead} "
                        f"--rotor-hops={hops}", plan)
                    whole = sum(simulated.values())
                    self.assertAlmostEqual(sum(form.values()) / whole, 1.0,
                                           delta=0.04 if hops == 1 else 0.08,
                                           msg=f"{workload} {plan} {slot} {hops}")
                    self.assertGreater(form["reconfiguration"], 0.0)

    def test_estimate(self):
        """The estimate and the cross-check print the same closed form."""
        file = self.generate("r.xml", f"--system=ocs {PLAIN}--accelerators=16 --domain-size=2 "
                             "--policy=rotor --circuit-ports=2 --slot-time=1ms "
                             "--reconfiguration-time=100us")
        plan = f"{SMALL} tp=2 pp=4 dp=2 zero=0 global-batch=8"
        done = subprocess.run([opus.PROGRAM, "estimate", "gpt3-1.3b", file, "--format=json",
                               *opus.BARE, *(f"--set={setting}" for setting in plan.split())],
                              capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        estimate = json.loads(done.stdout)
        result = self.simulate("gpt3-1.3b", file, plan)
        self.assertIn(result["closed_form"]["terms_s"]["reconfiguration"],
                      [form["terms_s"]["reconfiguration"] for form in estimate.values()
                       if isinstance(form, dict) and "terms_s" in form])


class Hybrid(Forms):
    OPTIONS = "--policy=hybrid --electrical-bandwidth=5GBps --domain-size=2 "

    def hybrid(self, options, plan, workload="gpt3-1.3b"):
        return self.both(workload, self.OPTIONS + options, plan)

    def test_steering(self):
        """Lanes for all: each class has the rate of its network, small messages that beside circuits."""
        for steered in ("dp", "pp", "none"):
            for plan in ("tp=2 pp=4 dp=2 zero=3 global-batch=2", "tp=2 pp=2 dp=4 zero=0 global-batch=4"):
                for least in ("0B", "100MB"):
                    simulated, form = self.hybrid(
                        "--accelerators=16 --circuit-ports=4 --hybrid-policy=demand "
                        f"--reconfiguration-time=1ms --circuit-traffic={steered} "
                        f"--circuit-min-bytes={least}", plan)
                    self.same(simulated, form, f"{steered} {plan} {least}")

    def test_turns(self):
        """Sums and messages take turns at two lanes, and what a dead time holds up goes beside: d (1 -
        B / C) each, while that is less than the message takes beside them."""
        for stages, replicas, zero in ((2, 2, 0), (4, 4, 0), (4, 2, 1)):
            for policy in ("demand", "provision"):
                for dead in ("10us", "1ms"):
                    simulated, form = self.hybrid(
                        f"--accelerators={2 * stages * replicas} --circuit-ports=2 "
                        f"--hybrid-policy={policy} --reconfiguration-time={dead}",
                        f"tp=2 pp={stages} dp={replicas} zero={zero} global-batch={replicas}")
                    self.same(simulated, form, f"{stages} {replicas} {zero} {policy} {dead}")

    def test_gathers(self):
        """A gather in each pass: within 0.2 %."""
        for stages in (2, 4):
            simulated, form = self.hybrid(
                f"--accelerators={2 * stages * stages} --circuit-ports=2 --hybrid-policy=demand "
                "--reconfiguration-time=1ms",
                f"tp=2 pp={stages} dp={stages} zero=3 global-batch={stages}")
            self.assertAlmostEqual(sum(form.values()) / sum(simulated.values()), 1.0, delta=2e-3)

    def test_experts(self):
        """Circuits that follow the experts' demand, more lanes than peers, as many, and fewer."""
        for ports, accelerators in ((7, 8), (4, 8), (10, 8), (3, 4), (5, 4)):
            simulated, form = self.both(
                "mixtral-8x7b", "--policy=hybrid --electrical-bandwidth=5GBps --joined-rails=yes "
                f"--accelerators={accelerators} --domain-size=1 --circuit-ports={ports} "
                "--circuit-traffic=ep --scale-out-bandwidth=35GBps",
                f"tp=1 pp=1 dp={accelerators} ep={accelerators} layers=4 zero=0 "
                f"global-batch={accelerators}")
            self.same(simulated, form, f"{ports} {accelerators}")


# Its own tests only, not those that it is made from.
del Machines

if __name__ == "__main__":
    unittest.main()
