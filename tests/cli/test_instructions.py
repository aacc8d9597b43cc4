#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions that commands take, beside those that tests/cli/instructions.csv keeps: no more than 3 % above them, and,
so that the file stays true, no more than 10 % below. Valgrind counts them, the same on every machine; other compilers and
libraries give other counts, for which the file says nothing.

    tests/cli/test_instructions.py --update    writes the file anew

Environment: LIGHTPATH (the built program, a release), CC, CFLAGS."""
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from command import PROGRAM, run

KEPT = pathlib.Path(__file__).with_name("instructions.csv")
COMMANDS = [
    "simulate gpt3-175b dgx-a100-1024 --set=global-batch=256",
    "simulate gpt3-175b optical-substrate-1024 --set=global-batch=256",
    "simulate gpt3-13b --system=dgx-a100 --accelerators=64 --plan=fit --fidelity=message --set=global-batch=128",
    "simulate mixtral-8x7b --system=dgx-h100 --accelerators=64",
    "simulate gpt3-1.3b --system=dgx-a100 --accelerators=16 --collapse=off --set=dp=16",
    "simulate two-jobs dgx-h100-64",
    "simulate gpt3-175b --system=dgx-h100 --accelerators=2048 --plan=fit --dry-run",
    "estimate llama-3-405b --system=dgx-h100 --accelerators=16384",
    "collective all-reduce --system=dgx-h100 --accelerators=64 --bytes=1MB,1GB",
    "collective all-to-all --system=dgx-h100 --accelerators=64 --oversubscription=4 --bytes=1MB,1GB",
    "search gpt3-125m dgx-a100-8 --vary=tp --jobs=1",
]


def built_with():
    """What counts depend on, beside the sources."""
    compiler = subprocess.run([os.environ.get("CC", "cc"), "-dumpfullversion"], capture_output=True, text=True).stdout
    version = run("--version").stdout
    return f"{os.uname().machine}, compiler {compiler.strip()}, {re.search('SimGrid [0-9.]+', version)[0]}"


def count(command):
    """Instructions of all processes of @command, without filling memory as other tests do."""
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                           "--trace-children=yes", PROGRAM, *command.split()],
                          env=dict(os.environ, MALLOC_PERTURB_="0"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, check=True)
    return sum(int(text.replace(",", "")) for text in re.findall(r"I +refs: +([\d,]+)", done.stderr))


class Instructions(unittest.TestCase):
    def test_instructions(self):
        if shutil.which("valgrind") is None:
            self.skipTest("valgrind is not installed")
        if os.environ.get("CFLAGS"):
            self.skipTest("sanitizers count for themselves")
        with KEPT.open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["command"] for row in rows], COMMANDS)
        if {row["built_with"] for row in rows} != {built_with()}:
            self.skipTest(f"counts are kept of {rows[0]['built_with']}, this is {built_with()}")
        for row in rows:
            with self.subTest(command=row["command"]):
                ratio = count(row["command"]) / int(row["instructions"])
                self.assertLess(ratio, 1.03)
                self.assertGreater(ratio, 0.9)


def update():
    with KEPT.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["command", "instructions", "built_with"])
        for command in COMMANDS:
            writer.writerow([command, count(command), built_with()])


if __name__ == "__main__":
    sys.exit(update() if "--update" in sys.argv else unittest.main())
