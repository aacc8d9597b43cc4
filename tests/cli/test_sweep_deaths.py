#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lightpath sweep: every point of a study is in the store once, whatever ends the sweep, and what is exported does not depend on
who ran it and when.

Environment: LIGHTPATH (the built program)."""
import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

from command import PROGRAM, run
from test_sweep import Sweep, many


class Deaths(Sweep):
    """What ends a sweep costs what was under way, and nothing else."""

    def whole(self, store):
        """That the file is one, and each point has at most one result."""
        self.assertEqual(self.ask(store, "PRAGMA integrity_check"), [("ok",)])
        self.assertEqual(self.ask(store, "PRAGMA foreign_key_check"), [])
        self.assertEqual(self.ask(store, "SELECT count(*) FROM point WHERE state IN ('done', 'refused') AND "
                                         "point_id NOT IN (SELECT point_id FROM result)"), [(0,)])

    def finished(self, store, n):
        self.whole(store)
        self.assertEqual(self.ask(store, "SELECT state, count(*) FROM point GROUP BY state"), [("done", n)])
        self.assertEqual(self.ask(store, "SELECT count(*) FROM result"), [(n,)])

    def wait_for_results(self, store):
        """Until a sweep that was begun has stored some."""
        for _ in range(6000):
            with contextlib.suppress(sqlite3.OperationalError):
                if self.ask(store, "SELECT count(*) FROM result")[0][0] > 3:
                    return
            time.sleep(0.01)
        self.fail("no results")

    def test_kill(self):
        """SIGKILL at any instant, again and again: the export has the bytes of a sweep that nothing ended."""
        n_points, n_deaths, n_midway = 100, 30, 0
        study, draw = self.study(many(n_points // 10)), random.Random(40)
        began_s = time.monotonic()
        wanted = self.taken("sweep", study, "--jobs=2", f"--store={self.path('whole')}", "--export=csv")
        whole_s = time.monotonic() - began_s
        self.assertEqual(wanted.count("\n"), n_points + 1)
        for _ in range(n_deaths):
            child = subprocess.Popen([PROGRAM, "sweep", study, "--jobs=2", "--store=" + self.path("dead")],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            try:
                child.wait(draw.uniform(0.0, whole_s))
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
                child.wait()
            self.assertIn((child.returncode, child.stderr.read()), ((-signal.SIGKILL, ""), (0, "")))
            child.stderr.close()
            if os.path.exists(self.path("dead")) and os.path.getsize(self.path("dead")) > 0:
                self.whole("dead")
                n_done = self.ask("dead", "SELECT count(*) FROM result")[0][0]
                n_midway += 0 < n_done < n_points
                if n_done == n_points:
                    os.remove(self.path("dead"))
        self.assertGreater(n_midway, n_deaths // 6)
        self.assertEqual(self.taken("sweep", study, f"--store={self.path('dead')}", "--export=csv"), wanted)
        self.finished("dead", n_points)

    def test_interrupt(self):
        """Ctrl-C ends it in a line and by the signal, keeps what is done, and leaves nothing claimed."""
        study = self.study(many(50))
        child = subprocess.Popen([PROGRAM, "sweep", study, "--jobs=1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, start_new_session=True)
        self.wait_for_results("study.sqlite")
        os.killpg(child.pid, signal.SIGINT)
        out, err = child.communicate()
        self.assertEqual((child.returncode, out), (-signal.SIGINT, ""), err)
        self.assertRegex(err, r"^lightpath: sweep: stopped, \d+ of 500 points are in .*; the same command goes on\n$")
        states = dict(self.ask("study.sqlite", "SELECT state, count(*) FROM point GROUP BY state"))
        self.assertEqual(set(states), {"done", "waiting"})
        self.assertEqual(states["done"], int(err.split()[3]))

    def test_two(self):
        """Two sweeps on one store share its points, run none twice, and both end when all are there."""
        study = self.study(many(20), attributes='command="estimate"')
        self.taken("sweep", study, "--slurm=write")
        self.ask("study.sqlite", "CREATE TABLE claims (point_id, owner)")
        self.ask("study.sqlite", "CREATE TRIGGER claim AFTER UPDATE ON point WHEN NEW.state = 'running' BEGIN "
                                 "INSERT INTO claims VALUES (NEW.point_id, NEW.owner); END")
        words = [PROGRAM, "sweep", study, "--export=csv", "--jobs=1"]
        both = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        told = [child.communicate() for child in both]
        self.assertEqual([err for _, err in told], ["", ""])
        self.assertEqual(told[0], told[1])
        self.assertEqual(told[0][0].count("\n"), 201)
        self.finished("study.sqlite", 200)
        self.assertEqual(self.ask("study.sqlite", "SELECT count(*), count(DISTINCT point_id), count(DISTINCT owner) FROM claims"),
                         [(200, 200, 2)])

    def test_orphan(self):
        """A sweep takes over what another one that died had begun, and waits for one that lives."""
        study = self.study(many(20), attributes='command="estimate"')
        child = subprocess.Popen([PROGRAM, "sweep", study, "--jobs=1"], stdout=subprocess.DEVNULL)
        self.wait_for_results("study.sqlite")
        os.kill(child.pid, signal.SIGSTOP)
        other = subprocess.Popen([PROGRAM, "sweep", study, "--jobs=1"], stdout=subprocess.DEVNULL)
        with self.assertRaises(subprocess.TimeoutExpired):
            other.wait(1.0)
        child.kill()
        child.wait()
        self.assertEqual(other.wait(), 0)
        self.finished("study.sqlite", 200)

    def test_crash(self):
        """A point whose process is killed is told of, and run by the next sweep."""
        study = self.study(many(20), attributes='command="estimate"')
        child = subprocess.Popen([PROGRAM, "sweep", study, "--jobs=1"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 text=True)
        killed = 0
        while killed < 3 and child.poll() is None:
            with contextlib.suppress(OSError, IndexError, ValueError), \
                    open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="ascii") as file:
                os.kill(int(file.read().split()[0]), signal.SIGKILL)
                killed += 1
            time.sleep(0.05)
        told = child.communicate()[1]
        self.assertEqual(child.returncode, 1)
        self.assertRegex(told, r"^lightpath: sweep: got \d of 200 points without a result, wanted all; the same command tries "
                               r"them again \(sweep: got no result \(wait status 9\)[^\n]*\n$")
        self.assertEqual(len(self.rows(study)), 200)
        self.finished("study.sqlite", 200)

    def test_full(self):
        """A disk that fills up ends the sweep in a line; with room it goes on."""
        study, store = self.study(many(20), attributes='command="estimate"'), self.path("store")
        wanted = self.taken("sweep", study, f"--store={self.path('whole')}", "--export=csv")
        # Blocks of 1,024 bytes: nothing, tables alone, some points, and some results.
        for blocks in (0, 16, 100, 250):
            done = subprocess.run(["bash", "-c", f"ulimit -f {blocks}; exec \"$@\"", "bash", PROGRAM, "sweep", study,
                                   f"--store={store}"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (1, ""), blocks)
            self.assertRegex(done.stderr, r"^lightpath: [^\n]*store: got \"[^\n]*\n$")
        self.assertGreater(self.ask("store", "SELECT count(*) FROM result")[0][0], 0)
        self.whole("store")
        self.assertEqual(self.taken("sweep", study, f"--store={store}", "--export=csv"), wanted)

    def test_small_disk(self):
        """The same on a file system that is full."""
        place = self.path("disk")
        os.mkdir(place)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", place], capture_output=True).returncode:
            self.skipTest("this user may not mount a file system")
        try:
            done = run("sweep", self.study(many(20), attributes='command="estimate"'), f"--store={place}/store")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"^lightpath: [^\n]*store: got \"database or disk is full\"[^\n]*\n$")
            self.assertGreater(self.ask("disk/store", "SELECT count(*) FROM result")[0][0], 0)
            self.whole("disk/store")
        finally:
            subprocess.run(["umount", place], check=True)


if __name__ == "__main__":
    sys.exit(unittest.main())
