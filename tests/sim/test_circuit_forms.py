#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Closed forms of rotors and hybrids against the simulation: to 1e-9 where plans are degenerate, within
bounds elsewhere. And what is left of a wavelength's rate where nothing meets."""
import json
import unittest

from test_circuits import Machines, SMALL, opus
from command import run

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
        done = run("estimate", "gpt3-1.3b", file, "--format=json", *opus.BARE,
                   *(f"--set={setting}" for setting in plan.split()))
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


class TreeBeside(Forms):
    """A fat tree beside circuits."""
    SIZE = "--accelerators=64 --domain-size=2 --joined-rails=yes --domain-bandwidth=300GBps "
    HYBRID = ("--system=ocs --policy=hybrid --hybrid-policy=demand --circuit-ports=4 "
              "--electrical-bandwidth=10GBps --electrical-topology=fat-tree ")

    def test_same(self):
        """Without circuits it is the fat tree that is generated for itself, of two and of three levels, by
        the simulation to the last digit and by the closed form, in node and in rail order."""
        for tree in ("--port-order=node --leaf-ports=8 --oversubscription=1",
                     "--port-order=node --leaf-ports=8 --oversubscription=4",
                     "--port-order=node --leaf-ports=4 --oversubscription=2 --levels=3",
                     "--leaf-ports=4 --port-order=rail --oversubscription=2"):
            alone = self.generate("t.xml", "--system=generic --accelerator=a100-80 "
                                  "--topology=fat-tree --scale-out-bandwidth=10GBps "
                                  f"{PLAIN}{self.SIZE}{tree}")
            beside = self.generate("b.xml", f"{self.HYBRID}{PLAIN}--circuit-traffic=none "
                                   f"{self.SIZE}{tree}")
            for plan in ("tp=2 pp=2 dp=16 zero=0 global-batch=16",
                         "tp=2 pp=2 dp=16 zero=0 global-batch=16 rank-order=pp-tp-cp-ep-dp"):
                one, other = (self.simulate("gpt3-1.3b", file, f"{SMALL} {plan}")
                              for file in (alone, beside))
                self.assertEqual(other["simulated"], one["simulated"], f"{tree} {plan}")
                self.same(other["closed_form"]["terms_s"], one["closed_form"]["terms_s"], tree)

    def test_price(self):
        """Circuits and the tree beside them, part by part: 64 accelerators with a transceiver and two
        circuit ports each; 64 ports below 4 leaves, 32 links above them, optics at both ends."""
        file = self.generate("p.xml", "--system=ocs --policy=hybrid --electrical-bandwidth=5GBps "
                             "--electrical-topology=fat-tree --leaf-ports=16 --oversubscription=2 "
                             "--accelerators=64 --domain-size=2 --port-order=node --joined-rails=yes "
                             "--technology=pluggable-400g-opus --switch-technology=piezo-polatis-192 "
                             "--electrical-technology=pluggable-400g-opus "
                             "--electrical-switch-technology=electrical-64x400g-opus")
        done = run("platform", "describe", file, "--format=json")
        network = json.loads(done.stdout)["network"]
        ports = 64 + 2 * 32
        self.assertEqual(network["switch_ports"], 128 + ports)
        self.assertEqual(network["transceivers"], 64 + 64 + ports)
        self.assertAlmostEqual(network["price_usd"], 879 * (128 + ports) + 520 * 128
                               + 37299 / 64 * ports, delta=1e-6)
        self.assertAlmostEqual(network["power_w"], 10 * (128 + ports) + 75 / 192 * 128
                               + 2524 / 64 * ports, delta=1e-6)

    def test_refused(self):
        for options, wanted in (
                ("--system=ocs --electrical-topology=fat-tree", "--electrical-bandwidth with it"),
                ("--system=ocs --policy=hybrid --electrical-bandwidth=5GBps "
                 "--electrical-topology=torus", "torus"),
                ("--system=dgx-h100 --electrical-technology=optical", "--policy with it"),
                ("--system=ocs --policy=hybrid --electrical-bandwidth=5GBps --levels=3",
                 "another topology")):
            message = self.generate("r.xml", f"{options} --accelerators=64")
            self.assertEqual(message.count("\n"), 1, message)
            self.assertIn(wanted, message)
        file = self.generate("b.xml", f"{self.HYBRID}{self.SIZE}--port-order=node --leaf-ports=8")
        with open(file, encoding="utf-8") as read:
            text = read.read()
        for tree, wanted in (("2;8,4;1,8;1,1", "32 ports, wanted at least the 64"),
                             ("1;64;1;1", "of 2 or 3 levels"), ("2;8,8;2,8;1,1", "of 2 or 3 levels"),
                             ("2;0,8;1,8;1,1", "of 2 or 3 levels"), ("", "of 2 or 3 levels"),
                             ("3;99999,99999,99999;1,1,1;1,1,1", "wanted at most")):
            with open(file, "w", encoding="utf-8") as out:
                out.write(text.replace("2;8,8;1,8;1,1", tree))
            done = run("platform", "describe", file)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
            self.assertIn(wanted, done.stderr)


class Failures(Forms):
    """What fails on circuits that turn, or never change, costs what is left of them."""
    PLAN = dict(setting.split("=") for setting in f"{SMALL} tp=2 pp=1 zero=0".split())

    def job(self, machine, failures, replicas):
        plan = {**self.PLAN, "dp": replicas, "global-batch": replicas, "framework": "none",
                "library": "single-ring"}
        settings = " ".join(f'{name}="{value}"' for name, value in plan.items())
        file = f"{self.folder.name}/scenario.xml"
        with open(file, "w", encoding="utf-8") as out:
            out.write(f'<scenario name="s"><job name="a" workload="gpt3-1.3b" {settings}/>'
                      + "".join(f'<failure circuit="{part}" at="{at}" dead="yes"/>'
                                for part, at in failures) + "</scenario>")
        done = run("simulate", file, machine, "--format=json", "--ignore-memory")
        return json.loads(done.stdout)["jobs"][0] if done.returncode == 0 else done.stderr

    def test_rotor(self):
        """Of u lanes one stops everywhere, or at one end: who waits for it has (u - 1) / u of the rate. A
        lane that no matching needs costs nothing."""
        for hops in (1, 2):
            file = self.generate("r.xml", f"--system=ocs {PLAIN}--accelerators=32 --domain-size=2 "
                                 "--policy=rotor --circuit-ports=3 --circuit-scope=plane "
                                 f"--slot-time=100us --reconfiguration-time=10us --rotor-hops={hops}")
            healthy = self.job(file, (), 16)["closed_form"]["terms_s"]
            whole_s = healthy["dp"] + healthy["reconfiguration"]
            lost_s = self.job(file, [("plane:0", "0s")], 16)["difference"]["faults_s"]
            self.assertAlmostEqual(lost_s / (whole_s * (3 / 2 - 1)), 1.0, delta=0.01)
            one_s = self.job(file, [("port:0:1", "0s")], 16)["difference"]["faults_s"]
            later_s = self.job(file, [("plane:1", "100ms")], 16)["difference"]["faults_s"]
            self.assertLess(later_s, lost_s)
            if hops == 1:
                self.assertAlmostEqual(one_s / lost_s, 1.0, delta=0.01)
            else:
                self.assertLess(one_s, lost_s / 2)
        spare = self.generate("s.xml", f"--system=ocs {PLAIN}--accelerators=8 --domain-size=2 "
                              "--policy=rotor --circuit-ports=4 --slot-time=100us "
                              "--reconfiguration-time=10us")
        self.assertEqual(self.job(spare, [("port:0:3", "0s")], 4)["difference"]["faults_s"], 0.0)

    def test_static(self):
        """A third port takes the ring over. Without one the ring of n is a line, the way round is n - 1
        circuits long, one after the other, and its first meets the ring's own: n T_DP in all."""
        for replicas in (4, 6):
            for ports, failed, factor in ((3, 1, 0), (2, 1, replicas - 1), (3, 2, replicas - 1)):
                file = self.generate("s.xml", f"--system=ocs {PLAIN}--accelerators={2 * replicas} "
                                     f"--domain-size=2 --policy=static --circuit-ports={ports}")
                job = self.job(file, [(f"port:0:{port}", "0s") for port in range(failed)], replicas)
                self.assertAlmostEqual(job["difference"]["faults_s"],
                                       factor * job["closed_form"]["terms_s"]["dp"], delta=1e-9)

    def test_refused(self):
        rotor = self.generate("r.xml", f"--system=ocs {PLAIN}--accelerators=8 --domain-size=2 "
                              "--policy=rotor --circuit-ports=2 --slot-time=100us "
                              "--reconfiguration-time=10us")
        static = self.generate("s.xml", f"--system=ocs {PLAIN}--accelerators=8 --domain-size=2 "
                               "--policy=static --circuit-ports=2")
        for machine, failures, wanted in (
                (rotor, [("port:0:0", "0s"), ("port:2:1", "0s")], "joins attachments 0 and 1"),
                (rotor, [("port:0:7", "0s")], "number 7, wanted one of the 2 ports"),
                (static, [("port:0:0", "1s")], "got 1 s on circuits that never change, wanted 0 s"),
                (static, [("port:0:0", "0s"), ("port:0:1", "0s")], "no path of circuits")):
            message = self.job(machine, failures, 4)
            self.assertEqual(message.count("\n"), 1, message)
            self.assertIn(wanted, message)


class Wavelengths(Machines):
    RATES = (25e9, 10e9, 2e9)

    def over(self, policy, rate, dead_s):
        file = self.generate("c.xml", "--system=ocs --accelerators=32 --domain-size=4 "
                             f"--scale-out-bandwidth=50GBps --policy={policy} --circuit-ports=2 "
                             f"--wavelength-bandwidth={rate / 1e9}GBps --reconfiguration-time={dead_s}s")
        return self.simulate("gpt3-1.3b", file, "tp=4 pp=2 dp=4 global-batch=32 framework=none")

    def test_slow_wavelengths(self):
        """What narrow wavelengths cost is no contention: it is there where nothing meets, too. Contention is
        waiting for circuits alone, a whole dead time each, as often at all rates; without dead times there
        is none. Circuits that never change have the same rates, and a path over several takes as many times
        as long."""
        for policy in ("demand", "provision", "static"):
            for dead_s in (0.04, 0.0):
                last_s, waits, dp_s = 0.0, set(), []
                waits_at_all = policy != "static" and dead_s > 0.0
                for rate in self.RATES:
                    result, label = self.over(policy, rate, dead_s), (policy, dead_s, rate)
                    time_s = result["simulated"]["iteration_time_s"]
                    n_waits = result["circuits"]["critical_path_reconfigurations"] if waits_at_all else 0
                    waits.add(n_waits)
                    dp_s.append(result["simulated"]["terms_s"]["dp"])
                    self.assertLess(abs(result["difference"]["contention_s"] - n_waits * dead_s),
                                    1e-9 * time_s, label)
                    self.assertLess(abs(result["difference"]["unexplained_s"]), 1e-9 * time_s, label)
                    self.assertGreaterEqual(time_s, last_s)
                    last_s = time_s
                self.assertEqual((len(waits), waits != {0}), (1, waits_at_all), label)
                fast, slow, slowest = (1 / rate for rate in self.RATES)
                self.assertAlmostEqual((dp_s[2] - dp_s[1]) / (slowest - slow),
                                       (dp_s[1] - dp_s[0]) / (slow - fast), delta=1e-9 / (slow - fast))
                if waits_at_all or policy == "static":
                    self.assertGreater(last_s, 0.5, policy)


# Its own tests only, not those that it is made from.
del Machines

if __name__ == "__main__":
    unittest.main()
