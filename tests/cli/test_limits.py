#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A machine that gives too little, stack, memory or /proc, is an error of one line and no crash.

Environment: LIGHTPATH (the built program), CFLAGS (whether sanitizers are built in)."""
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import unittest

from command import PROGRAM, SOURCE

JOB = [PROGRAM, "simulate", "gpt3-125m", "dgx-a100-8"]
# Some 2,000 actors, most of which are started while the engine runs.
MANY = [PROGRAM, "simulate", "bert-large", "--system=dgx-h100", "--accelerators=256", "--set=layers=1", "--set=tp=1",
        "--set=dp=256", "--set=micro-batch=1", "--set=global-batch=256", "--collapse=off", "--ignore-memory",
        "--no-difference"]


def limited(which, kib):
    def limit():
        resource.setrlimit(which, (kib * 1024, kib * 1024))
    return limit


class Limits(unittest.TestCase):
    def refused(self, done, part):
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, rf"\Alightpath: {part}[^\n]*\n\Z")

    def run_within(self, which, kib, job=JOB, **keywords):
        return subprocess.run(job, capture_output=True, text=True, preexec_fn=limited(which, kib), **keywords)

    def test_stack(self):
        wanted = subprocess.run(JOB, capture_output=True, text=True, check=True).stdout
        for kib in (24, 32, 64, 128, 255):
            self.refused(self.run_within(resource.RLIMIT_STACK, kib), f"stack: got a limit of {kib} KiB")
        # The loader of libraries needs 16 KiB beside the environment: with less the program does not begin.
        self.refused(self.run_within(resource.RLIMIT_STACK, 16, env={}), "stack: got a limit of 16 KiB")
        self.assertEqual(self.run_within(resource.RLIMIT_STACK, 256).stdout, wanted)

    @unittest.skipIf("sanitize" in os.environ.get("CFLAGS", ""), "sanitizers need all of the address space")
    def test_address_space(self):
        """Between what the loader needs, which speaks itself, and what is enough there is one line."""
        self.try_limits(JOB, range(80, 200, 5))
        self.try_limits(JOB, (1, 2, 3, 4, 6, 8, 20, 45, 50, 90, 120), resource.RLIMIT_DATA)

    @unittest.skipIf("sanitize" in os.environ.get("CFLAGS", ""), "sanitizers need all of the address space")
    def test_stacks_of_actors(self):
        self.try_limits(MANY, range(120, 361, 20))

    def try_limits(self, job, limits_mib, which=resource.RLIMIT_AS):
        n_refused = n_taken = 0
        for mib in limits_mib:
            done = self.run_within(which, mib * 1024, job)
            if done.returncode == 127:
                self.assertEqual(n_refused + n_taken, 0)  # the loader, before the program's own first line
            elif done.returncode == 0:
                n_taken += 1
            else:
                self.refused(done, "memory: got ")
                self.assertEqual(n_taken, 0)
                n_refused += 1
        self.assertGreater(n_refused, 0)
        self.assertGreater(n_taken, 0)

    def test_open_files(self):
        """As few as the loader of libraries needs: an answer or a line, and no waiting for ever."""
        job = [PROGRAM, "search", *JOB[2:], "--budget=2", "--jobs=9"]
        for n in (5, 6, 8, 10, 16):
            done = subprocess.run(job, capture_output=True, text=True, timeout=120,
                                  preexec_fn=lambda n=n: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)))
            if done.returncode != 0:
                self.refused(done, "")
            else:
                self.assertIn("simulated", done.stdout)

    def test_shortage_is_no_answer(self):
        """Runs for which there are too few open files are not told, or kept, as if their input were wrong."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            rows = (SOURCE / "validation/training.csv").read_text(encoding="utf-8").splitlines(keepends=True)
            (folder / "rows.csv").write_text("".join(rows[:2]), encoding="utf-8")
            (folder / "study.xml").write_text(
                '<study name="few"><workload name="gpt3-125m"/><machine system="dgx-a100" accelerators="8"/>'
                '<axis name="tp" values="1|2"/></study>', encoding="utf-8")
            wanted = {}
            for n in (64, 5, 6, 8, 11, 12):
                for words in (["characterize", *JOB[2:], "--sweep=seq=1024,2048", "--jobs=2"],
                              ["validate", "rows.csv", "--resume=kept", "--jobs=2"],
                              ["sweep", "study.xml", "--store=points.sqlite", "--jobs=2", "--export=csv"],
                              ["search", *JOB[2:], "--vary=tp", "--jobs=2"]):
                    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=folder,
                                          preexec_fn=lambda n=n: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)))
                    output = re.sub(r"\d+\.\d+ s\b", "", done.stdout)  # search tells how long it took
                    if done.returncode == 0:
                        self.assertEqual((output, done.stderr), (wanted.setdefault(words[0], output), ""), n)
                    else:
                        self.assertRegex(done.stderr, r"\Alightpath: [^\n]*(Too many open files|that can be read and written)"
                                                      r"[^\n]*\n\Z")
                        self.assertFalse((folder / "kept").exists() and words[0] == "validate")
                for path in (folder / "points.sqlite", *folder.glob("kept/*"), folder / "kept"):
                    if path.exists():
                        path.rmdir() if path.is_dir() else path.unlink()
            self.assertEqual(len(wanted), 4)

    @unittest.skipIf("sanitize" in os.environ.get("CFLAGS", ""), "sanitizers read their program's name in /proc")
    def test_no_proc(self):
        hide = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
                "mount -t tmpfs none /proc && exec \"$@\"", "sh"]
        if subprocess.run([*hide, "true"], capture_output=True).returncode != 0:
            self.skipTest("no name spaces to hide /proc in")
        for job in (JOB, [PROGRAM, "validate"], [PROGRAM, "search", *JOB[2:]], [PROGRAM, "goodput", *JOB[2:]]):
            self.refused(subprocess.run([*hide, *job], capture_output=True, text=True),
                         "/dev/fd: got no name of an open file in it, wanted /proc to be mounted")


if __name__ == "__main__":
    unittest.main()
