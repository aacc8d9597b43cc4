#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and a batch system's end: a command ends by the signal, so that a shell's loop ends with it,
says first what it knows, and goes on where its caller ignores the signal. What search and sweep say
stands in their tests.

Environment: LIGHTPATH (the built program)."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from command import PROGRAM

# Some seconds of the engine.
LONG = [PROGRAM, "simulate", "gpt3-175b", "dgx-a100-1024", "--collapse=off", "--set=pp=1", "--set=dp=128",
        "--set=global-batch=8192", "--ignore-memory", "--fidelity=message"]


def run_until(words, number, delay_s, **keywords):
    """Status, output and complaint of @words, which got the signal @number after @delay_s."""
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             start_new_session=True, **keywords)
    time.sleep(delay_s)
    early = child.poll()
    os.killpg(child.pid, number)
    try:
        output, complaint = child.communicate(timeout=120)
    finally:
        if child.returncode is None:
            os.killpg(child.pid, signal.SIGKILL)
    return early, child.returncode, output, complaint


class Interruption(unittest.TestCase):
    def test_simulate(self):
        """Before and while the engine runs."""
        for number, delay_s in ((signal.SIGINT, 0.3), (signal.SIGINT, 1.0), (signal.SIGTERM, 0.3), (signal.SIGTERM, 1.0)):
            ended = run_until(LONG, number, delay_s)
            self.assertEqual(ended, (None, -number, "", ""), delay_s)

    def test_shell(self):
        """A shell gets 128 + 2, and its loop ends."""
        loop = "for i in 1 2 3; do \"$@\"; echo went on; done"
        _, status, output, complaint = run_until(["bash", "-c", loop, "bash", *LONG], signal.SIGINT, 1.0)
        self.assertEqual((status, output, complaint), (-signal.SIGINT, "", ""))

    def test_ignored(self):
        """Started by nohup, or in the background of a script."""
        words = [PROGRAM, "simulate", "gpt3-13b", "--system=dgx-a100", "--accelerators=64", "--collapse=off", "--set=dp=8",
                 "--set=global-batch=128"]
        wanted = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        ignore = "trap '' INT TERM; exec \"$@\""
        child = subprocess.Popen(["bash", "-c", ignore, "bash", *words], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, start_new_session=True)
        ignored = 0
        while child.poll() is None:
            state = pathlib.Path(f"/proc/{child.pid}/status").read_text(encoding="utf-8")
            masks = [line.split()[1] for line in state.splitlines() if line.startswith("SigIgn")]
            if masks and int(masks[0], 16) >> (signal.SIGINT - 1) & 1:
                os.killpg(child.pid, signal.SIGINT)
                ignored += 1
            time.sleep(0.02)
        self.assertEqual((child.returncode, *child.communicate()), (0, wanted, ""))
        self.assertGreater(ignored, 3)

    def validate(self, number, *options):
        """What is said where the signal comes after three rows."""
        with tempfile.TemporaryDirectory() as folder:
            child = subprocess.Popen([PROGRAM, "validate", "--jobs=1", f"--resume={folder}", *options],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while len(os.listdir(folder)) < 3:
                time.sleep(0.02)
            child.send_signal(number)
            output, complaint = child.communicate(timeout=120)
            self.assertEqual((child.returncode, complaint), (-number, ""))
            return output

    def test_validate(self):
        """Rows that are there are told, and how many are not."""
        told = json.loads(self.validate(signal.SIGINT, "--format=json"))
        self.assertGreater(len(told["rows"]), 0)
        self.assertGreater(told["rows_left"], 0)
        self.assertEqual({row["status"] for row in told["rows"]} - {"ok", "failed", "infeasible"}, set())
        for row in told["rows"]:
            self.assertTrue(row["status"] != "ok" or row["predicted_s"] > 0.0, row)
        self.assertRegex(self.validate(signal.SIGTERM), r"(?m)^interrupted: \d+ rows are left out$")


if __name__ == "__main__":
    unittest.main()
