#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three levels of networks: domains, pods that a network of their own joins, and what joins pods."""
import json
import unittest

from test_circuits import Machines, SMALL, opus
from command import run

PLAIN = "--domain-latency=0s --scale-out-latency=0s --launch=0s "
OUT, POD, UP = 10e9, 50e9, 200e9


class Pods(Machines):
    """Domains of 4 at 200 GB/s, pods of 4 domains at 50 GB/s, 10 GB/s between pods, of each
    accelerator."""
    SIZE = ("--system=generic --accelerator=a100-80 --accelerators=64 --domain-size=4 "
            "--domain-bandwidth=200GBps --port-order=node ")

    def machine(self, options):
        return self.generate("p.xml", f"{self.SIZE}{PLAIN}{options}")

    def pods(self, options="--topology=crossbar"):
        return self.machine(f"--scale-out-bandwidth=10GBps --pod-domains=4 --pod-bandwidth=50GBps "
                            f"{options}")

    def collective(self, operation, file, options):
        done = run("collective", operation, file, "--library=single-ring", "--format=json", *options.split())
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)["runs"][0]["time_s"]

    def test_collectives(self):
        """A ring over all is as slow as between pods; one in a pod has the pod's rate; in three levels
        each level sums what the one below has left of it: 2 (n - 1) / n of it over its network."""
        size = 4 * 4 * 4 * 10**6
        levels_s = 2 * size * (3 / 4 / UP + 3 / 4 / 4 / POD + 3 / 4 / 16 / OUT)
        for topology in ("--topology=crossbar", "--topology=fat-tree --leaf-ports=16"):
            file = self.pods(topology)
            for options, expected_s in (
                    ("", 2 * 63 / 64 * size / OUT), ("--ranks=16", 2 * 15 / 16 * size / POD),
                    ("--ranks=4", 2 * 3 / 4 * size / UP),
                    ("--algorithm=ring+ring+ring", levels_s)):
                took_s = self.collective("all-reduce", file, f"--bytes={size}B {options}")
                self.assertAlmostEqual(took_s / expected_s, 1.0, delta=1e-9, msg=options)

    def test_limits(self):
        """Pods as fast as what is between them change nothing, and one pod is one network of its rate."""
        flat = self.machine("--topology=crossbar --scale-out-bandwidth=10GBps")
        fast = self.generate("f.xml", f"{self.SIZE}{PLAIN}--topology=crossbar "
                             "--scale-out-bandwidth=50GBps")
        same = self.generate("s.xml", f"{self.SIZE}{PLAIN}--topology=crossbar --pod-domains=4 "
                             "--scale-out-bandwidth=10GBps --pod-bandwidth=10GBps")
        one = self.generate("o.xml", f"{self.SIZE}{PLAIN}--topology=crossbar --pod-domains=16 "
                            "--scale-out-bandwidth=10GBps --pod-bandwidth=50GBps")
        for plan in ("tp=4 pp=4 dp=4 zero=0 global-batch=8", "tp=4 pp=1 dp=16 zero=3 global-batch=16",
                     "tp=16 pp=1 dp=4 zero=1 global-batch=4"):
            for left, right in ((flat, same), (fast, one)):
                a, b = (self.simulate("gpt3-1.3b", file, f"{SMALL} {plan}") for file in (left, right))
                for term, seconds in a["simulated"]["terms_s"].items():
                    self.assertAlmostEqual(b["simulated"]["terms_s"][term], seconds, delta=1e-9)
                    self.assertAlmostEqual(b["closed_form"]["terms_s"][term],
                                           a["closed_form"]["terms_s"][term], delta=1e-9)

    def test_closed_form(self):
        """What each parallelism meets by its distance, to 1e-9, with and without merging: tensor
        parallelism over domains of a pod, experts over pods, gradients between pods."""
        for workload, plan in (("gpt3-1.3b", "tp=16 pp=1 dp=4 zero=0 global-batch=4"),
                               ("gpt3-1.3b", "tp=4 pp=4 dp=4 zero=0 global-batch=4"),
                               ("gpt3-1.3b", "tp=4 pp=4 dp=4 zero=0 global-batch=4 "
                                             "rank-order=tp-pp-cp-ep-dp"),
                               ("mixtral-8x7b", "tp=8 pp=1 dp=8 ep=8 layers=2 zero=0 global-batch=8"),
                               ("mixtral-8x7b", "tp=4 pp=2 dp=8 ep=8 layers=2 zero=0 global-batch=8")):
            file = self.pods()
            some = self.simulate(workload, file, f"{SMALL} {plan}")
            every = self.simulate(workload, file, f"{SMALL} {plan}", "--collapse=off")
            form = some["closed_form"]["terms_s"]
            for term, seconds in some["simulated"]["terms_s"].items():
                self.assertAlmostEqual(form[term] / max(seconds, 1e-9), 1.0 if seconds else form[term],
                                       delta=1e-6, msg=f"{plan}: {term}")
            self.assertAlmostEqual(opus.step_s(every) / opus.step_s(some), 1.0, delta=1e-6)

    def test_refused(self):
        for options, wanted in (
                ("--pod-domains=3 --pod-bandwidth=50GBps", "--pod-domains: 3, wanted a divisor"),
                ("--pod-domains=1 --pod-bandwidth=50GBps", "--pod-domains: 1, wanted a divisor"),
                ("--pod-domains=4", "pod-bandwidth"), ("--pod-bandwidth=50GBps", "pod-domains"),
                ("--pod-domains=0 --pod-bandwidth=50GBps", "pod-domains"),
                ("--pod-domains=4 --pod-bandwidth=0GBps", "pod-bandwidth"),
                ("--pod-domains=4 --pod-bandwidth=nan", "pod-bandwidth"),
                ("--pod-domains=4 --pod-bandwidth=50GBps --pod-latency=-1s", "pod-latency"),
                ("--pod-domains=4 --pod-bandwidth=50GBps --pcie-ports=2 --pcie-bandwidth=1GBps",
                 "wanted none of them"),
                ("--pod-domains=4 --pod-bandwidth=50GBps --policy=static", "wanted none of them")):
            message = self.machine(f"--topology=crossbar --scale-out-bandwidth=10GBps {options}")
            self.assertEqual(message.count("\n"), 1, message)
            self.assertIn(wanted, message)


# Its own tests only, not those that it is made from.
del Machines

if __name__ == "__main__":
    unittest.main()
