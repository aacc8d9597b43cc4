#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line as people type it: which arguments are taken, what is said of the others, and
what stays behind when a run is cut short.

Environment: LIGHTPATH (the built program)."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["LIGHTPATH"]


def run(*words, **keywords):
    """The process that ran to its end; its streams are text."""
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, **keywords)


class Case(unittest.TestCase):
    def taken(self, *words, **keywords):
        """Standard output of a command that does what it is asked for, in silence."""
        done = run(*words, **keywords)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def refused(self, status, part, *words, **keywords):
        """The command ends with @status and complains in one line, which holds @part."""
        done = run(*words, **keywords)
        self.assertEqual((done.returncode, done.stdout), (status, ""), (words, done.stderr))
        self.assertTrue(done.stderr.startswith("lightpath: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(part, done.stderr)


class Inputs(Case):
    """Files and names that stand for them."""
    WORKLOAD = SOURCE / "workloads/llama-3-8b.xml"
    SCENARIO = SOURCE / "workloads/scenarios/two-jobs.xml"
    PLATFORM = SOURCE / "platforms/dgx-h100-64.xml"
    REST = ["dgx-h100-64", "--set", "dp=64"]

    def test_kinds(self):
        """What is no workload is called what it is, shipped or not."""
        for name in ("two-jobs", str(self.SCENARIO)):
            self.refused(1, "is a scenario, wanted a workload (", "compare", name, "polaris-64",
                         "polaris-64")
            self.refused(1, "is a scenario, wanted a workload (", "estimate", name, "polaris-64")
        for name in ("polaris-64", str(self.PLATFORM)):
            self.refused(1, "is a platform, wanted a workload or a scenario", "simulate", name,
                         "polaris-64")
        for name in ("llama-3-8b", str(self.WORKLOAD)):
            self.refused(1, "is a workload, wanted a platform", "simulate", "llama-3-8b", name)
            self.refused(1, "is a workload, wanted a platform", "collective", "all-reduce", name)
            self.refused(1, "is a workload, wanted a platform", "platform", "describe", name)

    def test_likeness(self):
        """A name is suggested where it is like the one given, and no other."""
        self.refused(1, "the nearest is llama-3-8b", "simulate", "lama-3-8b", "dgx-h100-64")
        self.refused(1, "the nearest is two-jobs", "simulate", "two-job", "dgx-h100-64")
        self.refused(1, "that is shipped (lightpath workload list)", "simulate", "zebra",
                     "dgx-h100-64")
        self.refused(1, "that is shipped (lightpath platform list)", "simulate", "llama-3-8b",
                     "zebra")

    def test_streams(self):
        """Standard input and pipes are files like others."""
        wanted = self.taken("estimate", "llama-3-8b", *self.REST)
        text = self.WORKLOAD.read_text()
        self.assertEqual(self.taken("estimate", "-", *self.REST, input=text), wanted)
        with self.WORKLOAD.open() as file:
            self.assertEqual(self.taken("estimate", "-", *self.REST, stdin=file), wanted)
        line = f"'{PROGRAM}' estimate <(cat '{self.WORKLOAD}') {' '.join(self.REST)}"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), (wanted, ""))
        self.assertIn("scenario    two-jobs", self.taken("simulate", "-", "polaris-64",
                                                         input=self.SCENARIO.read_text()))
        self.refused(1, "/dev/stdin:", "simulate", "-", "polaris-64",
                     input=text.replace("layers", "layer"))

    def test_named_pipe(self):
        wanted = self.taken("estimate", "llama-3-8b", *self.REST)
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(f"{folder}/pipe")
            with subprocess.Popen(["cp", str(self.WORKLOAD), f"{folder}/pipe"]) as writer:
                got = self.taken("estimate", "pipe", *self.REST, cwd=folder, timeout=60)
                self.assertEqual(writer.wait(60), 0)
            self.assertEqual(got, wanted)


if __name__ == "__main__":
    sys.exit(unittest.main())
