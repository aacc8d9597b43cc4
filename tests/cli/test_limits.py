#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A machine that gives too little, stack, memory or /proc, is an error of one line and no crash.

Environment: LIGHTPATH (the built program), CFLAGS (whether sanitizers are built in)."""
import os
import resource
import subprocess
import unittest

PROGRAM = os.environ["LIGHTPATH"]
JOB = [PROGRAM, "simulate", "gpt3-125m", "dgx-a100-8"]


def limited(which, kib):
    def limit():
        resource.setrlimit(which, (kib * 1024, kib * 1024))
    return limit


class Limits(unittest.TestCase):
    def refused(self, done, part):
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, rf"\Alightpath: {part}[^\n]*\n\Z")

    def run_within(self, which, kib):
        return subprocess.run(JOB, capture_output=True, text=True, preexec_fn=limited(which, kib))

    def test_stack(self):
        wanted = subprocess.run(JOB, capture_output=True, text=True, check=True).stdout
        for kib in (64, 128, 255):
            self.refused(self.run_within(resource.RLIMIT_STACK, kib), f"stack: got a limit of {kib} KiB")
        self.assertEqual(self.run_within(resource.RLIMIT_STACK, 256).stdout, wanted)

    @unittest.skipIf("sanitize" in os.environ.get("CFLAGS", ""), "sanitizers need all of the address space")
    def test_address_space(self):
        """Between what the loader needs, which speaks itself, and what is enough there is one line."""
        n_refused = n_taken = 0
        for mib in range(80, 200, 5):
            done = self.run_within(resource.RLIMIT_AS, mib * 1024)
            if done.returncode == 127 or done.stderr.startswith("terminate called"):
                self.assertEqual(n_refused + n_taken, 0)  # before the program's own first line
            elif done.returncode == 0:
                n_taken += 1
            else:
                self.refused(done, "memory: got ")
                self.assertEqual(n_taken, 0)
                n_refused += 1
        self.assertGreater(n_refused, 0)
        self.assertGreater(n_taken, 0)

    def test_no_proc(self):
        hide = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
                "mount -t tmpfs none /proc && exec \"$@\"", "sh"]
        if subprocess.run([*hide, "true"], capture_output=True).returncode != 0:
            self.skipTest("no name spaces to hide /proc in")
        self.refused(subprocess.run([*hide, *JOB], capture_output=True, text=True), "/dev/fd: got no name")


if __name__ == "__main__":
    unittest.main()
