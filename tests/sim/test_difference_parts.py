#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Contention is one number wherever it stands: the iteration less the same one with its links free. The
parts of the difference sum to it, large ones are named, and the setting that is named with one removes it.

Environment: LIGHTPATH (the built program)."""
import json
import tempfile
import unittest

from command import taken

LARGE = 0.02  # of the iteration: what is larger is named
SAME = 1e-9  # of the iteration: the runs of both commands share links by the same filling, in another order

NARROW = ("--system=dgx-h100", "--accelerators=64", "--port-order=node", "--leaf-ports=16", "--oversubscription=4",
          "--path-choice=hash", "--paths=4")
OPTICAL = ("--system=ocs", "--accelerators=64", "--reconfiguration-time=1ms")
PIPED = ("gpt3-6.7b", "tp=8", "dp=4", "pp=2", "global-batch=32")
TORUS = ("mixtral-8x7b", "tp=1", "pp=1", "dp=64", "ep=8", "layers=4", "virtual-stages=1", "schedule=1f1b",
         "global-batch=128", "framework=none")
MACHINES = (
    ("narrow, hashed", NARROW, ("llama-3-8b", "dp=32", "tp=2", "global-batch=64")),
    ("narrow rails", ("--system=dgx-h100", "--accelerators=128", "--oversubscription=8"), ("mixtral-8x7b",)),
    ("circuits stand", ("--system=ocs", "--accelerators=64"), PIPED),
    ("circuits on demand", (*OPTICAL, "--policy=demand"), PIPED),
    ("circuits provisioned", (*OPTICAL, "--policy=provision"), PIPED),
    ("rotor", (*OPTICAL, "--policy=rotor", "--slot-time=10ms"), PIPED),
    ("hybrid", (*OPTICAL, "--policy=hybrid", "--electrical-bandwidth=5GBps"), PIPED),
    ("torus", ("--system=tpu-v4", "--accelerators=64"), TORUS),
)
LEAVES = ("--system=generic", "--accelerators=8", "--accelerator=a100-80", "--domain-size=1", "--leaf-ports=2",
          "--oversubscription=2", "--scale-out-bandwidth=10GBps")
SCENARIO = """<scenario name="two"><source>An example.</source>
 <job name="a" workload="gpt3-1.3b" tp="1" dp="4" pp="1" global-batch="16" accelerators="0,2,4,6"/>
 <job name="b" workload="gpt3-1.3b" tp="1" dp="4" pp="1" global-batch="32" accelerators="1,3,5,7" iterations="2"/>
 %s</scenario>"""
SURROUNDINGS = (
    "",
    '<straggler accelerators="2" factor="1.2"/>',
    '<failure port="scale-out:2" at="100ms" bandwidth-factor="0.5"/>',
    '<straggler accelerators="2" factor="1.2"/><failure port="scale-out:2" at="100ms" bandwidth-factor="0.5"/>',
)
# workload and settings, and words of the parts that must be named
NAMED = (
    (("llama-3-8b", "dp=32", "tp=2", "global-batch=64"), NARROW, ("overlap", "communication algorithms", "contention beyond")),
    (("gpt3-6.7b", "tp=2", "dp=1", "pp=32", "global-batch=64"), ("--system=dgx-h100", "--accelerators=64"), ("imbalance",)),
    (("mixtral-8x7b", "skew=0.8"), ("--system=dgx-h100", "--accelerators=64"), ("imbalance",)),
    (("gpt3-6.7b", "tp=8", "dp=8", "slowdown=1.4", "overlap-dp=yes"), ("--system=dgx-h100", "--accelerators=64"), ("slowed computing",)),
    (PIPED, (*OPTICAL, "--policy=rotor", "--slot-time=10ms"), ("contention beyond",)),
)


class DifferenceParts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def machine(self, options):
        path = f"{self.folder}/machine.xml"
        taken("platform", "generate", *options, "-o", path)
        return path

    def simulate(self, workload, machine, settings, command="simulate"):
        words = [f"--set={setting}" for setting in settings]
        return json.loads(taken(command, workload, machine, "--ignore-memory", "--format=json", *words))

    def check(self, label, simulated, contention):
        """One contention, and parts that sum to the difference."""
        time_s, difference = simulated["simulated"]["iteration_time_s"], simulated["difference"]
        uncontended_s = simulated["simulated"]["uncontended_iteration_time_s"]
        self.assertAlmostEqual(difference["contention_s"], contention["total_s"], delta=SAME * time_s, msg=label)
        self.assertAlmostEqual(difference["contention_s"], time_s - uncontended_s, delta=1e-12 * time_s, msg=label)
        self.assertAlmostEqual(contention["uncontended_s"], uncontended_s, delta=SAME * time_s, msg=label)
        whole_s = time_s - simulated["closed_form"]["iteration_time_s"]
        self.assertAlmostEqual(sum(part["seconds"] for part in difference["parts"]), whole_s, delta=1e-12 * time_s, msg=label)
        self.assertLess(abs(difference["unexplained_s"]), 0.01 * time_s, label)

    def test_machines(self):
        for label, options, (workload, *settings) in MACHINES:
            machine = self.machine(options)
            simulated = self.simulate(workload, machine, settings)
            self.check(label, simulated, self.simulate(workload, machine, settings, "contention"))
            self.assertGreater(simulated["difference"]["contention_s"], 0.0, label)
            # What narrow links add to the form cannot be less than nothing.
            self.assertGreaterEqual(simulated["difference"]["closed_form_contention_s"], 0.0, label)

    def test_fitting_plan(self):
        """A plan that fills the machine is the same one for both commands."""
        line = ("llama-3-8b", self.machine(NARROW), "--plan=fit", "--set=layers=4", "--ignore-memory", "--format=json")
        self.check("fit", json.loads(taken("simulate", *line)), json.loads(taken("contention", *line)))

    def test_scenarios(self):
        """What others, failures and slow ranks do is in the same definition; slow ranks are a part of their own."""
        machine = self.machine(LEAVES)
        for surroundings in SURROUNDINGS:
            path = f"{self.folder}/two.xml"
            with open(path, "w") as file:
                file.write(SCENARIO % surroundings)
            jobs = json.loads(taken("simulate", path, machine, "--ignore-memory", "--format=json"))["jobs"]
            delayed = json.loads(taken("contention", path, machine, "--ignore-memory", "--format=json"))["jobs"]
            for job, other in zip(jobs, delayed, strict=True):
                self.check(surroundings + job["name"], job, other)
                is_slow = "straggler" in surroundings and job["name"] == "a"
                self.assertEqual(job["difference"]["stragglers_s"] > 0.01, is_slow, surroundings)

    def named(self, result):
        """Sentences by the name of the part, and the sizes that they state."""
        sentences = dict(sentence.split(": ", 1) for sentence in result["closed_form"]["left_out"])
        return {name: (float(text.split()[0]), text.split("removed by ")[-1]) for name, text in sentences.items()}

    def without(self, setting, options, settings):
        """Options and settings with what is named."""
        if setting.startswith("platform generate "):
            new = setting.split()[2:]
            names = [option.split("=")[0] for option in new]
            names += {"--policy": ["--slot-time"], "--path-choice": ["--paths"]}.get(names[-1], [])
            return [*(one for one in options if one.split("=")[0] not in names), *new], settings
        words = setting.split(",")[0].split(" and ")
        keys = [word.split("=")[0] for word in words]
        return options, [*(one for one in settings if one.split("=")[0] not in keys), *words]

    def test_named(self):
        """By size, above the limit only; with the setting they are gone, or of another cause."""
        for (workload, *settings), options, wanted in NAMED:
            result = self.simulate(workload, self.machine(options), settings)
            time_s = result["simulated"]["iteration_time_s"]
            found = self.named(result)
            for name in wanted:
                self.assertTrue(any(one.startswith(name) for one in found), (workload, name, found))
            sizes = [abs(size) for size, _ in found.values()]
            self.assertEqual(sizes, sorted(sizes, reverse=True), workload)
            self.assertTrue(all(size > 0.999 * LARGE * time_s for size in sizes), workload)
            parts = {part["part"]: part["seconds"] for part in result["difference"]["parts"]}
            parts["contention"] += parts.pop("closed form's contention")
            self.assertEqual(len(found), sum(abs(seconds) > LARGE * time_s for seconds in parts.values()), workload)
            for name, (_, setting) in found.items():
                new_options, new_settings = self.without(setting, options, settings)
                again = self.simulate(workload, self.machine(new_options), new_settings)
                self.assertNotEqual(self.named(again).get(name, (0, ""))[1], setting, (workload, name))

    def test_text(self):
        """The text names what JSON does."""
        machine = self.machine(NARROW)
        words = ("llama-3-8b", machine, "--set=dp=32", "--set=tp=2", "--set=global-batch=64")
        text = " ".join(taken("simulate", *words).split())
        for sentence in json.loads(taken("simulate", *words, "--format=json"))["closed_form"]["left_out"]:
            self.assertIn("left out " + sentence, text)


if __name__ == "__main__":
    unittest.main()
