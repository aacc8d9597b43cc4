#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""simulate --dry-run: what it says a run will do is what the run does.

Environment: LIGHTPATH (the built program)."""
import json
import os
import pty
import subprocess
import tempfile
import unittest

from command import PROGRAM, Case, run

MACHINES = {"cut.xml": "--system=dgx-a100 --accelerators=64 --leaf-ports=6 --oversubscription=2",
            "torus.xml": "--system=generic --topology=torus --accelerators=64"}
LLAMA = "--set tp=4 --set pp=2 --set dp=8 --set global-batch=32 --ignore-memory"
# Jobs, and by how much the count may be off: 0 where no wait depends on what else goes on. Waits
# for the host, which runs ahead of the device, come on top where there are any.
JOBS = [("gpt3-175b dgx-a100-1024 --set global-batch=64", 0.0),
        ("gpt3-175b dgx-a100-1024 --set global-batch=64 --fidelity=message", 0.0),
        ("gpt3-175b dgx-a100-1024 --set global-batch=16 --collapse=off", 0.0),
        ("llama-3-8b dgx-h100-64 --set tp=2 --set dp=32", 0.001),
        ("llama-3-8b dgx-h100-64 --set tp=2 --set dp=32 --fidelity=message", 0.001),
        ("mixtral-8x7b dgx-h100-64", 0.01),
        ("mixtral-8x7b dgx-h100-64 --set global-batch=64 --collapse=off", 0.02),
        (f"llama-2-7b cut.xml {LLAMA}", 0.001),
        (f"llama-2-7b torus.xml {LLAMA}", 0.1),
        (f"llama-2-7b torus.xml {LLAMA} --set library=single-ring --fidelity=message --collapse=off",
         0.001),
        ("gpt3-1.3b dgx-a100-8 --set tp=4 --set pp=1 --set dp=2 --set global-batch=16 --ignore-memory "
         "--set library=azure-mscclpp --collapse=off", 0.001),
        ("two-jobs polaris-64", 0.0),
        ("slow-rank dgx-h100-64 --set global-batch=64", 0.01)]


LOAD = 0.1
TRAFFIC = """<scenario name="busy">
  <source>As busy-fabric, of the shipped scenarios.</source>
  <job name="training" workload="gpt3-6.7b" tp="8" dp="8" micro-batch="4" global-batch="256" overlap-dp="no"/>
  <traffic name="background" pattern="permutation" class="scale-out" message="{size}kB" load="0.1" seed="7"/>
</scenario>
"""


class DryRun(Case):
    """What --dry-run counts, and what it takes."""

    def json_of(self, folder, words):
        done = run("simulate", *words, "--format=json", cwd=folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return json.loads(done.stdout)

    def test_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, options in MACHINES.items():
                self.taken("platform", "generate", *options.split(), "-o", f"{folder}/{name}")
            for job, tolerance in JOBS:
                with self.subTest(job=job):
                    told = self.json_of(folder, [*job.split(), "--dry-run"])
                    cost = self.json_of(folder, [*job.split(), "--cost"])["cost"]
                    run, n = told["runs"][0], cost["activities"]
                    if "otherwise_s" in told and "assumed_ways" not in cost:
                        # What was assumed did not hold, and that shows in a step by itself.
                        self.assertTrue(told["assumed_unlike"])
                        self.assertGreaterEqual(2.0 * told["processor_s"], told["processor_s_max"])
                        continue
                    self.assertEqual(run["name"], "simulated")
                    self.assertLessEqual(run["activities_min"], n)
                    self.assertLessEqual(n, run["activities_max"])
                    self.assertLessEqual(abs(run["activities"] / n - 1.0), tolerance)
                    for key, value in told.get("classes", {}).items():
                        self.assertEqual(value, cost[key], key)

    def test_runs(self):
        """A dry run names all runs, says the same twice, and starts none of them."""
        job = ["deepseek-v3", "dgx-h100-64", "--ignore-memory", "--dry-run"]
        for setting in ("pp=4", "dp=16", "ep=16", "global-batch=61440"):
            job += ["--set", setting]
        told = self.json_of("/", job)
        self.assertEqual([run["name"] for run in told["runs"]],
                         ["simulated", "uncontended", "balanced", "free messages"])
        self.assertGreater(told["runs"][0]["activities"], 5000000)
        self.assertGreater(told["reference_s"], 5.0)  # by what is counted, whatever it takes here
        for key in ("simulated", "difference", "cost"):
            self.assertNotIn(key, told)
        self.assertEqual(told["runs"], self.json_of("/", job)["runs"])
        text = self.taken("simulate", *job)
        self.assertRegex(text, r"(?m)^engine +not started")
        for run in told["runs"]:
            self.assertRegex(text, rf"{run['name']} +{run['ranks']} +{run['actors']} ")

    def test_terminal(self):
        """On a terminal a long run says at once how long it will take; a pipe hears nothing."""
        job = [PROGRAM, "simulate", "gpt3-175b", "dgx-a100-1024", "--collapse=off"]
        terminal, end = pty.openpty()
        with subprocess.Popen(job, stdout=subprocess.DEVNULL, stderr=end) as process:
            os.close(end)
            said = b""
            while b"left" not in said:
                said += os.read(terminal, 4096)
            process.kill()
        os.close(terminal)
        self.assertRegex(said.decode(), r"^\r\[\.{24}\]   0 %  0 of \d+ steps, about \d+ (s|min) left")

    def test_traffic(self):
        """Messages of a permutation at a share of every port's rate: as many a second as that is, for as long as the job
        takes by itself. Where ports have room for them, each is under way for as long as it takes alone."""
        told = []
        for size in (64, 1):
            with tempfile.TemporaryDirectory() as folder:
                with open(f"{folder}/busy.xml", "w") as file:
                    file.write(TRAFFIC.format(size=size))
                self.taken("platform", "generate", "--system=dgx-a100", "--accelerators=64", "-o",
                           f"{folder}/machine.xml")
                told.append(self.json_of(folder, ["busy.xml", "machine.xml", "--dry-run"]))
            traffic = told[-1]["traffic"]
            self.assertGreater(traffic["lasts_s"], 0.0)
            self.assertAlmostEqual(traffic["messages"] / traffic["lasts_s"] / (64 * LOAD * 25e9 / (size * 1e3)),
                                   1.0, delta=1e-9)
            self.assertGreater(told[-1]["processor_s"], told[-1]["setup_s"] + traffic["processor_s"])
        few, many = (run["traffic"] for run in told)
        self.assertAlmostEqual(many["messages"] / few["messages"], 64.0, delta=1e-9)

    def test_traffic_takes(self):
        """What is said of traffic is what it then takes, within a factor of two in messages."""
        for pattern, machine in (("permutation", "--system=dgx-a100"), ("uniform", "--system=generic --topology=torus")):
            with self.subTest(machine=machine), tempfile.TemporaryDirectory() as folder:
                with open(f"{folder}/busy.xml", "w") as file:
                    file.write(TRAFFIC.format(size=4000).replace("permutation", pattern))
                self.taken("platform", "generate", *machine.split(), "--accelerators=64", "-o", f"{folder}/machine.xml")
                job = ["busy.xml", "machine.xml", "--set", "global-batch=32"]
                said = self.json_of(folder, [*job, "--dry-run"])["traffic"]["messages"]
                sent = self.json_of(folder, job)["traffic"][0]["messages"]
                self.assertLess(max(said / sent, sent / said), 2.0)

    def test_set_up(self):
        """Preparing grows with ranks and not with their square, whatever the collective: processor seconds on the machine
        of docs/architecture.md, with room for others' load. Trees between racks of 72 take 2 to 3 s (6 with each channel of
        each member looked at in each step), tori 0.8 s (2.3 with each of a layer's gathers counted by itself)."""
        for job, most_s in (("bert-large --system=gb200-nvl72 --accelerators=9216", 4.6),
                            ("llama-3-70b --system=tpu-v4 --accelerators=16384", 1.6)):
            with self.subTest(job=job):
                told = self.json_of("/", [*job.split(), "--plan=fit", "--dry-run"])
                self.assertLess(told["setup_s"] / told["slowness"], most_s)

    def test_contention_on_terminal(self):
        """A comparison counts the runs that explain contention among its runs."""
        job = [PROGRAM, "compare", "gpt3-1.3b", "dgx-a100-8", "dgx-h100-64", "--contention", "--set",
               "dp=8", "--ignore-memory"]
        terminal, end = pty.openpty()
        with subprocess.Popen(job, stdout=subprocess.DEVNULL, stderr=end) as process:
            os.close(end)
            self.assertIn(b" of 4 runs", os.read(terminal, 4096))
            process.kill()
        os.close(terminal)

    def test_faults(self):
        job = ["simulate", "llama-3-8b", "dgx-h100-64", "--dry-run"]
        self.refused(2, "--dry-run: got it with --runs or a file to write", *job, "--runs=2")
        self.refused(2, "--dry-run: got it with --runs or a file to write", *job, "--trace=/tmp/x.json")
        self.refused(1, "got 128", *job, "--set", "tp=128")


if __name__ == "__main__":
    unittest.main()
