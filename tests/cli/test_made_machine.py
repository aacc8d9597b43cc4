#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Machines that commands make by the options of "platform generate" in place of reading a file, and
options that change nothing.

Environment: LIGHTPATH (the built program)."""
import json
import os
import re
import sys
import tempfile
import unittest

from command import Case, run

MACHINE = ["--system=dgx-h100", "--accelerators=64", "--port-order=node", "--oversubscription=2"]
SMALL = ["--set=layers=4", "--set=dp=64", "--set=global-batch=128"]
# Each command that takes a machine, without it.
COMMANDS = [
    ["simulate", "llama-3-8b", *SMALL], ["estimate", "llama-3-8b", *SMALL],
    ["contention", "llama-3-8b", *SMALL], ["characterize", "llama-3-8b", *SMALL],
    ["goodput", "llama-3-8b", *SMALL, "--days=10"], ["collective", "all-reduce", "--bytes=1MB"],
    ["platform", "describe"], ["platform", "check"], ["workload", "describe", "llama-3-8b"],
    ["compare", "llama-3-8b", "dgx-h100-64", *SMALL]]


class Machines(Case):
    def test_as_file(self):
        """Whichever command: the file of the machine and its options give the same but for the name."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "machine.xml")
            self.taken("platform", "generate", *MACHINE, "-o", path)
            for command in COMMANDS:
                by_file = self.taken(*command, path, "--format=json")
                by_options = self.taken(*command, *MACHINE, "--format=json")
                self.assertGreater(len(by_file), 50)
                for name in (os.path.basename(path), path, " ".join(MACHINE)):
                    by_file, by_options = (text.replace(name, "") for text in (by_file, by_options))
                self.assertEqual(json.loads(by_options), json.loads(by_file.replace(folder + "/", "")), command)

    def test_words(self):
        """Values may stand in words of their own, and options before the other arguments."""
        wanted = self.taken("platform", "check", *MACHINE)
        words = [word for option in MACHINE for word in option.split("=")]
        self.assertEqual(self.taken("platform", "check", *words), wanted)
        self.assertEqual(self.taken("estimate", *words, "llama-3-8b", *SMALL),
                         self.taken("estimate", "llama-3-8b", *SMALL, *MACHINE))

    def test_several(self):
        """Each --system begins another machine."""
        two = ["--system=dgx-h100", "--accelerators=64", "--system=dgx-a100", "--accelerators=64", "--planes=1"]
        runs = json.loads(self.taken("compare", "llama-3-8b", *SMALL, *two, "--format=json"))["runs"]
        self.assertEqual([each["platform"] for each in runs], [" ".join(two[:2]), " ".join(two[2:])])

    def test_refused(self):
        self.refused(2, "--system beside all 2 arguments", "simulate", "llama-3-8b", "dgx-h100-64", *MACHINE)
        self.refused(2, "--accelerators: missing", "simulate", "llama-3-8b", "--system=dgx-h100")
        self.refused(2, "--leaf-ports: got no --system", "simulate", "llama-3-8b", "dgx-h100-64", "--leaf-ports=8")
        self.refused(2, "--leaf-ports: given twice", "platform", "check", *MACHINE, "--leaf-ports=8",
                     "--leaf-ports=8")
        self.refused(2, "wanted one such as --leaf-ports", "platform", "check", *MACHINE, "--leaf-port=8")
        self.refused(2, '--system: "dgx-h1000" is not one of', "platform", "check", "--system=dgx-h1000",
                     "--accelerators=8")
        self.refused(2, "--accelerators: 63, wanted a multiple", "platform", "check", "--system=dgx-h100",
                     "--accelerators=63")
        self.refused(2, "beside all 3 arguments", "simulate", "llama-3-8b", *MACHINE, "x", "y")

    def test_systems(self):
        """A system in the place of a machine is told from it, with a command that runs."""
        for system in json.loads(self.taken("platform", "list", "--format=json"))["systems"]:
            name = system if isinstance(system, str) else system["name"]
            done = run("platform", "check", name)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
            command = re.search(r"such as with: lightpath (.*)\n", done.stderr).group(1)
            self.assertRegex(self.taken(*command.split()), r": ok, [0-9]+ x ")
        for words, wanted in (
                (["simulate", "llama-3-70b", "dgx-h100"],
                 "lightpath simulate llama-3-70b --system=dgx-h100 --accelerators=256\n"),
                (["estimate", "gpt3-1.3b", "gb200-nvl72", "--set", "dp=9", "--set=tp=8", "--set=pp=1"],
                 "lightpath estimate gpt3-1.3b --system=gb200-nvl72 --accelerators=72 --set dp=9"),
                (["compare", "gpt3-175b", "dgx-h100", "dgx-a100"],
                 "gpt3-175b --system=dgx-h100 --accelerators=1024 --system=dgx-a100 --accelerators=1024\n")):
            self.refused(1, wanted, *words)

    def test_help(self):
        for command in COMMANDS:
            words = command[:2] if command[0] in ("platform", "workload") else command[:1]
            self.assertIn("--system=NAME --accelerators=N", self.taken(*words, "--help"))
        self.assertNotIn("--system", self.taken("validate", "--help"))
        self.assertEqual(self.taken("--complete", "simulate", "--system=dgx-h"), "--system=dgx-h100\n")
        self.assertIn("--leaf-ports=", self.taken("--complete", "estimate", "--system=dgx-h100", "--leaf"))


class Options(Case):
    """Options of "platform generate"."""

    def machine(self, *options):
        """What the file says, without the command that wrote it."""
        return re.sub(r".*(generated-by|source).*\n", "", self.taken("platform", "generate", *options))

    def test_same(self):
        """What a machine has anyway may be said."""
        generic = ["--system=generic", "--accelerators=64", "--domain-size=8"]
        torus = ["--system=generic", "--accelerators=4", "--domain-size=1", "--topology=torus"]
        for machine, *options in (
                (generic, "--levels=2", "--oversubscription=1"),
                (["--system=dgx-a100", "--accelerators=8"], "--levels=2", "--leaf-ports=8", "--scale-out-latency=1us",
                 "--scale-out-bandwidth=50GBps"),
                (["--system=generic", "--accelerators=16"], "--leaf-ports=64", "--levels=2"),
                (torus, "--dimensions=2x2"), (torus, "--dimensions=2"),
                (["--system=tpu-v4", "--accelerators=4"], "--dimensions=2x2")):
            for option in options:
                self.assertEqual(self.machine(*machine, option), self.machine(*machine), option)

    def test_idle(self):
        """What a machine cannot have is said, and the machine is made."""
        for words, wanted in (
                (["--system=dgx-a100", "--accelerators=64", "--spine-oversubscription=4"],
                 "--spine-oversubscription: 4 changes nothing: a tree of two levels has no switches above"),
                (["--system=dgx-a100", "--accelerators=8", "--oversubscription=4"],
                 "--oversubscription: 4 changes nothing: a machine of one domain has no scale-out network")):
            for command in ("generate", "check"):
                done = run("platform", command, *words)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1), done.stderr)
                self.assertIn(wanted, done.stderr)
                self.assertTrue(done.stdout)

    def test_own_choice(self):
        """Leaves of no given size take as many ports as domains and oversubscription divide them into."""
        for system, n, options, ports, above in (
                ("dgx-a100", 1024, ["--oversubscription=4", "--port-order=node"], 16, 4),
                ("dgx-a100", 1024, ["--oversubscription=3"], 18, 6),
                ("dgx-h100", 80, ["--oversubscription=4"], 8, 2),
                ("gb200-nvl72", 144, ["--oversubscription=4", "--port-order=node"], 72, 18)):
            text = self.machine(f"--system={system}", f"--accelerators={n}", *options)
            self.assertRegex(text, rf'topo_parameters="[23];{ports},[0-9,]*;1,{above}[,;]')
        self.refused(2, "--leaf-ports: 20, wanted a multiple of the 8 cards", "platform", "generate",
                     "--system=dgx-a100", "--accelerators=1024", "--port-order=node", "--leaf-ports=20")

    def test_units(self):
        """Rates and times are read as people write them."""
        machine = ["--system=generic", "--accelerators=64"]
        wanted = self.machine(*machine, "--scale-out-bandwidth=50GBps", "--scale-out-latency=1us")
        for rate in ("50GB/s", "50 GB/s", "400Gb/s", "400Gbit/s", "400 Gbps"):
            self.assertEqual(self.machine(*machine, f"--scale-out-bandwidth={rate}", "--scale-out-latency=1\u00b5s"),
                             wanted)
        job = ["goodput", "llama-3-8b", "dgx-h100-64", "--set=dp=64", "--days=10"]
        self.assertEqual(self.taken(*job, "--checkpoint-interval=30min"),
                         self.taken(*job, "--checkpoint-interval=1800s"))

    def test_ignore_memory(self):
        """Estimates take it, and with --plan=fit it counts."""
        self.assertEqual(self.taken("estimate", "llama-3-8b", "dgx-h100-64", *SMALL, "--ignore-memory"),
                         self.taken("estimate", "llama-3-8b", "dgx-h100-64", *SMALL))
        big = ["estimate", "gpt3-175b", "dgx-h100-64", "--plan=fit", "--set=tp=1", "--set=pp=1", "--set=dp=1"]
        self.refused(1, "memory", *big)
        self.taken(*big, "--ignore-memory")


if __name__ == "__main__":
    sys.exit(unittest.main())
