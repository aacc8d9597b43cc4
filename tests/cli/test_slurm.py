#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lightpath sweep --slurm, with a cluster of one node: slurmctld, slurmd and munged of Debian's packages, started here, in a folder
and on ports of their own. Skipped, with the reason, where they cannot start.

Environment: LIGHTPATH (the built program)."""
import contextlib
import getpass
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

from command import Case, run

PATIENCE_S = 180
STUDY = """<study name="test">
  <workload name="gpt3-125m" framework="none" dp="{8 div $tp}" pp="1" micro-batch="1"/>
  <machine system="dgx-a100" accelerators="8"/>
  <options ignore-memory="yes"/>
  <axis name="tp" values="1|2|4"/>
  <axis name="global-batch" values="16..640+16"/>
</study>
"""
# Tasks that this site allows an array; more points then go to a task.
ARRAY = 5
CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
KillWait=10
MaxArraySize={array}
SchedulerParameters=sched_interval=1,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(what, patience_s=PATIENCE_S):
    """Whether @what comes true."""
    end_s = time.monotonic() + patience_s
    while time.monotonic() < end_s:
        if what():
            return True
        time.sleep(0.1)
    return False


class Cluster:
    """munged, slurmctld and slurmd in a folder."""

    def __init__(self, folder):
        self.folder, self.processes = folder, []
        path = os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])
        self.environment = dict(os.environ, SLURM_CONF=f"{folder}/slurm.conf", PATH=path)
        for name in ("state", "spool"):
            os.mkdir(f"{folder}/{name}")
        with open(f"{folder}/munge.key", "wb") as key:
            key.write(os.urandom(128))
        os.chmod(f"{folder}/munge.key", 0o600)
        with open(f"{folder}/slurm.conf", "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(folder=folder, host=socket.gethostname().split(".")[0], user=getpass.getuser(),
                                            ports=[free_port(), free_port()], array=ARRAY, cpus=os.cpu_count()))

    def start(self):
        """None, or why it does not."""
        folder = self.folder
        for words in (["munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={folder}/munge.key",
                       f"--log-file={folder}/munge.log", f"--pid-file={folder}/munge.pid", f"--seed-file={folder}/munge.seed"],
                      ["slurmctld", "-D"], ["slurmd", "-D"]):
            if shutil.which(words[0], path=self.environment["PATH"]) is None:
                return f"there is no {words[0]}"
            self.processes.append(subprocess.Popen(words, env=self.environment, stdout=subprocess.DEVNULL,
                                                   stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL))
            if words[0] == "munged" and not wait_for(lambda: os.path.exists(f"{folder}/munge.socket"), 10):
                return "munged does not answer"
        if not wait_for(lambda: " idle " in self.ask("sinfo"), 30):
            return "slurmctld and slurmd have no idle node: " + self.ask("sinfo").replace("\n", "; ")
        return None

    def ask(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True).stdout

    def stop(self):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
        for process in reversed(self.processes):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Slurm(Case):
    exported = None

    @classmethod
    def setUpClass(cls):
        # munged wants a folder that only its user can write to.
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.cluster = Cluster(folder.name)
        cls.addClassCleanup(cls.cluster.stop)
        reason = cls.cluster.start()
        if reason is not None:
            raise unittest.SkipTest(reason)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="a folder ")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(self.folder + "/study.xml", "w", encoding="utf-8") as file:
            file.write(STUDY)
        self.words = {"cwd": self.folder, "env": self.cluster.environment}

    def tasks(self, state=None):
        """Tasks in the queue: "3_1"."""
        return self.cluster.ask("squeue", "--noheader", "--array", "--format=%i",
                                *([f"--states={state}"] if state else [])).split()

    def ended(self):
        self.assertTrue(wait_for(lambda: not self.tasks()), self.cluster.ask("squeue"))

    def has_results(self, place):
        """Whether the task whose first point is at @place has stored some on the disk of its node."""
        for name in os.listdir(self.folder + "/disk"):
            store = f"{self.folder}/disk/{name}/part.sqlite"
            with contextlib.suppress(sqlite3.OperationalError), contextlib.closing(sqlite3.connect(store)) as database:
                (first, n), = database.execute("SELECT min(place), count(json) FROM member LEFT JOIN result USING (point_id)")
                if first == place and n > 3:
                    return True
        return False

    def long_study(self):
        """Of tasks that take seconds, so that one can be ended before its end; returns what one machine exports."""
        with open(self.folder + "/study.xml", "w", encoding="utf-8") as file:
            file.write(STUDY.replace("16..640+16", "16..2560+16"))
        os.mkdir(self.folder + "/disk")
        self.words["env"] = dict(self.words["env"], TMPDIR=self.folder + "/disk")
        if Slurm.exported is None:
            Slurm.exported = self.taken("sweep", "study.xml", "--store=whole", "--export=csv", **self.words)
        return Slurm.exported

    def submit(self, n_left, n_tasks, n_points):
        """The number of the job that runs what is missing."""
        told = self.taken("sweep", "study.xml", "--slurm", "--points-per-task=20", **self.words)
        found = re.fullmatch(rf"(\d+) of {n_points} points are left, for (\d+) tasks: job (\d+)\n.*\n", told)
        self.assertIsNotNone(found, told)
        self.assertIn(int(found[1]), n_left)
        self.assertEqual(int(found[2]), n_tasks)
        return found[3]

    def test_array(self):
        """A task that is killed is lost, and nothing else; the same command runs it again, and ends with the bytes of one
        machine."""
        wanted = self.long_study()
        job = self.submit({480}, ARRAY, 480)
        self.refused(1, f"of job {job} that wait or run, wanted none", "sweep", "study.xml", "--slurm", **self.words)
        self.assertTrue(wait_for(lambda: self.has_results(96)))
        self.cluster.ask("scancel", "--signal=KILL", "--full", f"{job}_1")
        self.ended()
        # Its script may live long enough to bring the part that was done.
        parts = {name for name in os.listdir(self.folder + "/study.sqlite.parts") if name.endswith("sqlite")}
        self.assertEqual(parts | {"1.sqlite"}, {f"{part}.sqlite" for part in range(ARRAY)})
        self.submit(set(range(1, 97)), 1, 480)
        with open(self.folder + "/study.sqlite.sbatch", encoding="utf-8") as file:
            self.assertIn("\n#SBATCH --array=1\n", file.read())
        self.ended()
        for _ in range(2):
            self.assertEqual(self.taken("sweep", "study.xml", "--slurm", "--points-per-task=20", "--export=csv", **self.words),
                             wanted)

    def test_time_limit(self):
        """A task that is told to end brings what it has, and is gone on with."""
        wanted = self.long_study()
        job = self.submit({480}, ARRAY, 480)
        self.assertTrue(wait_for(lambda: self.has_results(0)))
        self.cluster.ask("scancel", "--signal=TERM", "--batch", f"{job}_0")
        self.ended()
        with open(self.folder + "/study.sqlite.parts/0.log", encoding="utf-8") as file:
            self.assertRegex(file.read(), r"lightpath: sweep: stopped, \d+ of 96 points are in ")
        self.submit(set(range(1, 96)), 1, 480)
        self.ended()
        self.assertEqual(self.taken("sweep", "study.xml", "--slurm", "--points-per-task=20", "--export=csv", **self.words), wanted)


class Written(Case):
    """The script alone, which needs no Slurm."""

    def test_write(self):
        with tempfile.TemporaryDirectory(prefix="it's a % folder ") as folder:
            with open(folder + "/study.xml", "w", encoding="utf-8") as file:
                file.write(STUDY.replace("simulate", "estimate"))
            nowhere = dict(os.environ, PATH="/nowhere")
            self.refused(1, "--slurm: got \"Failed to execute child process", "sweep", "study.xml", "--slurm", cwd=folder,
                         env=nowhere)
            told = self.taken("sweep", "study.xml", "--slurm=write", "--jobs=2", cwd=folder, env=nowhere)
            self.assertIn(f"120 of 120 points are left, for 1 tasks: sbatch {folder}/study.sqlite.sbatch\n", told)
            with open(folder + "/study.sqlite.sbatch", encoding="utf-8") as file:
                text = file.read()
            for part in ("--array=0\n", "--cpus-per-task=2\n", f"{folder.replace('%', '%%')}/study.sqlite.parts/%a.log\"\n"):
                self.assertIn("#SBATCH", text)
                self.assertIn(part, text)
            # What an array task does, without a cluster.
            done = subprocess.run(["sh", folder + "/study.sqlite.sbatch"], capture_output=True, text=True,
                                  env=dict(os.environ, SLURM_ARRAY_TASK_ID="0", SLURM_CPUS_PER_TASK="2", TMPDIR=folder))
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertEqual(run("sweep", "study.xml", "--slurm=write", "--export=csv", cwd=folder).stdout.count("done"), 120)
            self.assertEqual(sorted(os.listdir(folder)), ["study.sqlite", "study.sqlite.parts", "study.sqlite.sbatch", "study.xml"])

    def test_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/study.xml", "w", encoding="utf-8") as file:
                file.write(STUDY)
            for part, *words in (("--part: got it with --slurm", "--slurm", "--part=0/2"),
                                 ("--points-per-task: got it without --slurm", "--points-per-task=3"),
                                 ("--points-per-task", "--slurm=write", "--points-per-task=0"), ("--slurm", "--slurm=no")):
                self.refused(2, part, "sweep", folder + "/study.xml", *words)


if __name__ == "__main__":
    sys.exit(unittest.main())
