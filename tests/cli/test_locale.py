#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a command prints does not depend on the language of its user: a Turkish "I" is no upper case
of "i", a German 1,5 is 1.5, and Arabic has digits of its own.

Environment: LIGHTPATH (the built program)."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

NAMES = ("tr_TR", "de_DE", "ar_SA", "az_AZ")
SMALL = ["gpt3-125m", "dgx-a100-8"]
COMMANDS = [["simulate", *SMALL], ["simulate", *SMALL, "--format=json", "--fidelity=message"],
            ["simulate", "two-jobs", "polaris-64", "--format=json"],
            ["simulate", "gpt3-1.3b", "--system=ocs", "--accelerators=32", "--set", "dp=32"],
            ["estimate", *SMALL], ["compare", *SMALL, "dgx-h100-64", "--set", "dp=8"],
            ["contention", *SMALL], ["characterize", *SMALL, "--format=json"],
            ["collective", "all-reduce", "dgx-a100-8"],
            ["platform", "generate", "--system=dgx-a100", "--accelerators=64", "--scale-out-latency=1.5us"],
            ["platform", "list"], ["workload", "describe", "llama-3-8b"],
            ["workload", "frameworks"], ["simulate", "--help"],
            ["simulate", "zebra", "dgx-a100-8"], ["simulate", *SMALL, "--set", "ffn=Ünsinn"],
            ["simulate", "gıda.xml", "dgx-a100-8"]]


def make(folder, names=NAMES):
    """Locales of @names in @folder, for LOCPATH. Skips the test where the system cannot make them."""
    if shutil.which("localedef") is None:
        raise unittest.SkipTest("localedef is not installed")
    if not pathlib.Path("/usr/share/i18n/locales/tr_TR").exists():
        raise unittest.SkipTest("the sources of locales are not installed")
    for name in names:
        subprocess.run(["localedef", "-i", name, "-f", "UTF-8", f"{folder}/{name}.UTF-8"], check=True,
                       capture_output=True)


class Locale(unittest.TestCase):
    def output(self, words, name, folder):
        environment = dict(os.environ, LC_ALL=name, LOCPATH=folder)
        done = subprocess.run([os.environ["LIGHTPATH"], *words], capture_output=True, env=environment)
        return done.returncode, done.stdout, done.stderr

    def test_commands(self):
        with tempfile.TemporaryDirectory() as folder:
            make(folder)
            # Without this, nothing below would say anything.
            self.assertEqual(subprocess.run(["locale", "charmap"], capture_output=True, text=True,
                                            env=dict(os.environ, LC_ALL="tr_TR.UTF-8", LOCPATH=folder)).stdout,
                             "UTF-8\n")
            for i, words in enumerate(COMMANDS):
                wanted = self.output(words, "C", folder)
                self.assertNotIn(b"xbt", wanted[2])
                self.assertIn(wanted[0], (0, 1), words)
                # Each of the others has two commands of three.
                for name in NAMES[:1] + tuple(name for k, name in enumerate(NAMES[1:]) if k != i % 3):
                    with self.subTest(words=words, locale=name):
                        self.assertEqual(self.output(words, f"{name}.UTF-8", folder), wanted)


if __name__ == "__main__":
    unittest.main()
