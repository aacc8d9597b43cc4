#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ports that lose bandwidth by the flows that come in: n of them have 1 / (1 + X (n - 1)) of it.

Environment: LIGHTPATH (the built program)."""
import json
import os
import tempfile
import unittest

from command import Case

MACHINE = ["--system=generic", "--topology=crossbar", "--scale-out-latency=0s"]


class Incast(Case):
    """Each machine is written to a file of a folder that is removed."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def machine(self, loss, accelerators=4, domain=1, rate="10GBps"):
        path = os.path.join(self.folder.name, f"{loss}-{accelerators}-{domain}.xml")
        network = ["--nics-per-domain=1", f"--nic-bandwidth={rate}"]
        self.taken("platform", "generate", *MACHINE, *network, f"--accelerators={accelerators}",
                   f"--domain-size={domain}", f"--incast-loss={loss}", "-o", path)
        return path

    def all_to_all(self, loss, ranks, *words):
        done = self.taken("collective", "all-to-all", self.machine(loss, ranks), "--algorithm=direct",
                          "--library=single-ring", "--bytes=4GB", "--format=json", *words)
        return json.loads(done)["runs"][0]

    def test_all_to_all(self):
        """Each port takes in (n - 1) / n of 4 GB, in n - 1 flows at once, alone or not."""
        for ranks in (2, 3, 4, 8):
            for loss in (0, 0.1, 1, 10):
                share = max(1 / (1 + loss * (ranks - 2)), 0.1)
                run = self.all_to_all(loss, ranks)
                for key in ("time_s", "alone_s"):
                    self.assertAlmostEqual(run[key], 0.4 * (ranks - 1) / ranks / share, delta=1e-6)

    def test_rings(self):
        """One flow comes in at a port: nothing is lost."""
        times = [json.loads(self.taken("collective", "all-reduce", self.machine(loss), "--library=single-ring",
                                       "--bytes=1GB", "--format=json"))["runs"][0]["time_s"] for loss in (0, 5)]
        self.assertAlmostEqual(times[0], times[1], delta=1e-9)

    def test_jobs(self):
        """Two rings over the same two cards: each takes twice as long as alone, and with half a port lost by
        the second flow three times; so the delay doubles, and is the port's."""
        job = os.path.join(self.folder.name, "two.xml")
        with open(job, "w", encoding="utf-8") as file:
            file.write('<scenario name="two">\n' + "".join(
                f'  <job name="{name}" workload="gpt3-125m" accelerators="{places}" dp="2" tp="1" pp="1" '
                'global-batch="2" micro-batch="1" framework="none" library="single-ring" zero="0"/>\n'
                for name, places in (("a", "0,2"), ("b", "1,3"))) + "</scenario>\n")
        delays = {}
        for loss in (0, 0.5):
            path = self.machine(loss, domain=2, rate="100MBps")
            found = json.loads(self.taken("contention", job, path, "--format=json", "--ignore-memory"))["jobs"]
            for one in found:
                self.assertAlmostEqual(one["tiers_s"]["port"] / one["total_s"], 1.0, delta=1e-6)
            delays[loss] = found[0]["total_s"]
            plain = json.loads(self.taken("simulate", job, path, "--format=json", "--ignore-memory"))["jobs"]
            self.assertAlmostEqual(plain[0]["simulated"]["iteration_time_s"], found[0]["iteration_time_s"],
                                   delta=1e-9)
        self.assertAlmostEqual(delays[0.5] / delays[0], 2.0, delta=1e-3)

    def test_training(self):
        """The same with and without what is left out; nothing is unexplained; a loss costs time."""
        times = []
        for loss in (0, 0.3):
            words = ["simulate", "gpt-neox-1.3b", self.machine(loss, 16, 4), "--ignore-memory", "--format=json",
                     "--set=tp=2", "--set=pp=2", "--set=dp=4", "--set=global-batch=16", "--set=micro-batch=1"]
            result, whole = (json.loads(self.taken(*words, f"--collapse={way}")) for way in ("on", "off"))
            times.append(result["simulated"]["iteration_time_s"])
            self.assertAlmostEqual(whole["simulated"]["iteration_time_s"] / times[-1], 1.0, delta=1e-9)
            self.assertLess(abs(result["difference"]["unexplained_s"]), 1e-9 * times[-1])
        self.assertGreater(times[1], times[0] * 1.01)

    def test_refused(self):
        for value in ("-1", "11", "nan", "many", "1GBps"):
            self.refused(2, "--incast-loss: ", "platform", "generate", *MACHINE, "--accelerators=4",
                         "--domain-size=1", f"--incast-loss={value}")
        self.refused(2, "--incast-loss: 1, wanted none beside circuits", "platform", "generate", "--system=ocs",
                     "--accelerators=16", "--incast-loss=1")


if __name__ == "__main__":
    unittest.main()
