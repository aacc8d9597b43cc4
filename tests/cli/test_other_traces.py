#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time-independent traces take what SimGrid's own MPI takes to replay them on a crossbar, and GOAL
schedules what a scheduler of this test gives them without a network.

Environment: LIGHTPATH (the built program)."""
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from command import output_of, run, taken

N_RANKS, N_DRAWN = 4, 10
# A crossbar without latency: SMPI's flows share a link by their routes' latencies, and ours equally.
MACHINE = ("--system=generic", f"--accelerators={N_RANKS}", f"--domain-size={N_RANKS}", "--domain-latency=0s",
           "--domain-bandwidth=50GBps")
# The engine's settings as ours are (sim/engine/engine.c).
SETTINGS = ["network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "network/latency-factor:1",
            "network/bandwidth-factor:1", "network/weight-S:0", "network/loopback-lat:0", "surf/precision:1e-12",
            "smpi/async-small-thresh:0", "smpi/send-is-detached-thresh:0", "smpi/or:0:0:0", "smpi/os:0:0:0",
            "smpi/ois:0:0:0", "smpi/test:0", "smpi/wtime:0", "smpi/iprobe:0", "smpi/init:0"]
GROUP = '<groups name="all" size="4"/>'
PROGRAMS = [
    ("computing", '<ranks list="0-3"><compute time="3ms"/><compute time="2ms"/></ranks>'),
    ("messages", '<ranks list="0"><compute time="1ms"/><send to="1" bytes="50MB"/><compute time="3ms"/></ranks>'
                 '<ranks list="1"><receive from="0" bytes="50MB"/><compute time="1ms"/></ranks>'
                 '<ranks list="2"><send to="3" bytes="5MB"/></ranks><ranks list="3"><receive from="2" bytes="5MB"/>'
                 '</ranks>'),
    ("a pipeline", '<ranks list="0"><repeat times="4"><compute time="1ms"/><send to="1" bytes="10MB"/></repeat></ranks>'
                   '<ranks list="1"><repeat times="4"><receive from="0" bytes="10MB"/><compute time="500us"/></repeat>'
                   '</ranks><ranks list="2-3"/>'),
    *((collective, f'{GROUP}<ranks list="0-3"><compute time="1ms"/><{collective} group="all" bytes="40MB"/>'
                   '<compute time="1ms"/></ranks>')
      for collective in ("all-reduce", "reduce-scatter", "all-gather", "all-to-all")),
    ("late", f'{GROUP}<ranks list="0-2"><compute time="1ms"/><all-reduce group="all" bytes="40MB"/></ranks>'
             '<ranks list="3"><compute time="4ms"/><all-reduce group="all" bytes="40MB"/></ranks>')]


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        taken("platform", "generate", *MACHINE, "-o", self.folder / "machine.xml")

    def write(self, content, n=N_RANKS):
        path = self.folder / "p.xml"
        path.write_text(f'<program name="p" ranks="{n}" library="single-ring">{content}</program>')
        return path

    def seconds(self, path, *options):
        done = taken("simulate", path, self.folder / "machine.xml", "--format=json",
                   "--set=library=single-ring", *options)
        return json.loads(done)["simulated"]["iteration_time_s"]

    def export(self, format_, content, n=N_RANKS):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        taken("export", format_, self.write(content, n), self.folder / "machine.xml", "-o", self.folder / "out")
        return self.folder / "out"

    def refused(self, wanted, lines, *others):
        path = self.folder / "t.0.ti"
        path.write_text("\n".join(lines) + "\n")
        done = run("import", "ti", path, *others)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
        self.assertIn(wanted, done.stderr)


def draw(generator, n):
    """Steps that all ranks go through in one order, so that none waits for ever; some come late to theirs."""
    ops = [[] for _ in range(n)]
    groups = ["all", "half"] if n % 2 == 0 and n > 2 else ["all"]
    for _ in range(generator.randint(1, 8)):
        for rank in range(n):
            if generator.random() < 0.5:
                ops[rank].append(f'<compute time="{generator.randint(1, 5000)}ms"/>')
        if generator.random() < 0.5:
            group = generator.choice(groups)
            size = n * generator.randint(1, 5000) * 20000
            name = generator.choice(["all-reduce", "reduce-scatter", "all-gather", "all-to-all"])
            for rank in range(n):
                ops[rank].append(f'<{name} group="{group}" bytes="{size}B"/>')
        else:
            source, to = generator.sample(range(n), 2)
            size = generator.randint(1, 50000) * 20000
            ops[source].append(f'<send to="{to}" bytes="{size}B"/>')
            ops[to].append(f'<receive from="{source}" bytes="{size}B"/>')
    half = f'<groups name="half" class="tp" size="{n // 2}"/>' if len(groups) > 1 else ""
    return f'<groups name="all" size="{n}"/>{half}' + "".join(
        f'<ranks list="{rank}">{"".join(of_rank)}</ranks>' for rank, of_rank in enumerate(ops))


class TimeIndependent(Case):
    def replay(self, folder, n=N_RANKS):
        (self.folder / "hosts").write_text("".join(f"up-{i}\n" for i in range(n)))
        printed = output_of("smpirun", "-np", n, "-platform", self.folder / "machine.xml", "-hostfile", self.folder / "hosts",
                            *(f"--cfg={setting}" for setting in SETTINGS), "-replay", "traces.txt",
                            "--log=replay.thresh:critical", "--log=smpi_replay.thresh:verbose", cwd=folder,
                            stderr=subprocess.STDOUT)
        return float(re.findall(r"Simulation time (\S+)", printed)[-1])

    @unittest.skipUnless(shutil.which("smpirun"), "no smpirun (Debian: libsimgrid-dev)")
    def test_drawn(self):
        """Whoever comes late: what is imported is what is replayed. SMPI prints microseconds."""
        generator = random.Random(4)
        for _ in range(N_DRAWN):
            n = generator.choice([2, 3, 4, 8])
            taken("platform", "generate", "--system=generic", f"--accelerators={n}", f"--domain-size={n}", "--domain-latency=0s",
                "--domain-bandwidth=1GBps", "-o", self.folder / "machine.xml")
            content = draw(generator, n)
            with self.subTest(content=content):
                folder = self.export("ti", content, n)
                imported = self.folder / "imported.xml"
                taken("import", "ti", *folder.glob("*.ti"), "-o", imported)
                self.assertAlmostEqual(self.seconds(imported), self.replay(folder, n), delta=1e-6 * (1 + self.seconds(imported)))

    def test_large(self):
        """SMPI counts bytes in 31 bits: larger messages go in pieces, which are as many on both sides."""
        folder = self.export("ti", '<ranks list="0"><send to="1" bytes="3GB"/></ranks><ranks list="1"><receive from="0" bytes="3GB"/></ranks>'
                                   '<ranks list="2-3"/>')
        sizes = [[int(line.split()[4]) for line in (folder / f"trace.{rank}.ti").read_text().splitlines() if f" {kind} " in line]
                 for rank, kind in ((0, "isend"), (1, "irecv"))]
        self.assertEqual(sizes, [[2**30, 2**30, 3 * 10**9 - 2**31]] * 2)
        taken("import", "ti", *folder.glob("*.ti"), "-o", self.folder / "imported.xml")
        self.assertAlmostEqual(self.seconds(self.folder / "imported.xml") / (3e9 / 50e9), 1.0, delta=1e-9)

    @unittest.skipUnless(shutil.which("smpirun"), "no smpirun (Debian: libsimgrid-dev)")
    def test_replay(self):
        for name, content in PROGRAMS:
            with self.subTest(program=name):
                folder = self.export("ti", content)
                imported = self.folder / "imported.xml"
                taken("import", "ti", *folder.glob("*.ti"), "-o", imported)
                theirs, ours = self.replay(folder), self.seconds(imported)
                self.assertAlmostEqual(ours / theirs, 1.0, delta=1e-6)
                self.assertAlmostEqual(self.seconds(self.folder / "p.xml", "--fidelity=message") / theirs, 1.0,
                                       delta=1e-6)

    def test_refused(self):
        self.refused('got action "gather"', ["0 init", "0 gather 5 5 0"])
        self.refused(":1: got no action of rank 0", ["1 init"])
        self.refused('send: got "5", wanted a whole number up to 0', ["0 send 5 0 10"])
        self.refused('compute: got "-1"', ["0 compute -1"])
        self.refused("not under way", ["0 wait 0 1 5"])
        self.refused("value 0", ["0 compute 5\0"])
        empty = self.folder / "t.1.ti"
        empty.write_text("")
        self.refused("t.1.ti:0: got an empty file", ["0 compute 5"], empty)
        other = self.folder / "t.1.ti"
        other.write_text("1 init\n1 compute 5\n")
        self.refused("does not receive", ["0 send 1 0 10"], other)
        self.refused("a <send> for each", ["0 recv 1 0 10"], other)
        self.refused("got root 1", ["0 bcast 10 1"], other)

    def test_damaged(self):
        generator = random.Random(3)
        good = "0 init\n0 compute 1e9\n0 isend 1 5 1000\n0 wait 0 1 5\n0 allreduce 100 100\n0 finalize\n"
        other = self.folder / "t.1.ti"
        other.write_text("1 irecv 0 5 1000\n1 waitall\n1 allreduce 100 100\n")
        path = self.folder / "t.0.ti"
        for _ in range(60):
            data = bytearray(good.encode())
            data[generator.randrange(len(data))] = generator.randrange(256)
            path.write_bytes(data[:generator.randrange(len(data))] if generator.random() < 0.3 else data)
            done = run("import", "ti", path, other, timeout=10)
            self.assertIn(done.returncode, (0, 1), data)
            self.assertEqual(done.stderr.count("\n"), done.returncode, (data, done.stderr))


def schedule(text):
    """When all ranks of a GOAL schedule have ended, in ns: messages take no time, but wait for each
    other, as do the operations of one cpu."""
    ops, requires = {}, {}
    for block in re.finditer(r"rank (\d+) \{\n(.*?)\}\n", text, re.DOTALL):
        rank = int(block[1])
        for line in block[2].splitlines():
            if found := re.fullmatch(r"(l\d+): calc (\d+) cpu (\d+)", line):
                ops[rank, found[1]] = ("calc", int(found[2]))
            elif found := re.fullmatch(r"(l\d+): (send|recv) (\d+)b (?:to|from) (\d+) tag (\d+) cpu (\d+)", line):
                ops[rank, found[1]] = (found[2], int(found[3]), int(found[4]), int(found[5]))
            else:
                found = re.fullmatch(r"(l\d+) requires (l\d+)", line)
                assert found, line
                requires.setdefault((rank, found[1]), []).append((rank, found[2]))
    # A receive requires the send of its place among those of its pair and tag.
    sends, receives = {}, {}
    for (rank, label), op in ops.items():
        if op[0] == "send":
            sends.setdefault((rank, *op[2:]), []).append((rank, label, op[1]))
        elif op[0] == "recv":
            receives.setdefault((op[2], rank, op[3]), []).append((rank, label, op[1]))
    assert sends.keys() == receives.keys()
    for key, list_ in receives.items():
        assert [op[2] for op in list_] == [op[2] for op in sends[key]]
        for (rank, label, _), sent in zip(list_, sends[key]):
            requires.setdefault((rank, label), []).append(sent[:2])
    ends = {}
    sys.setrecursionlimit(100000)

    def end(op):
        if op not in ends:
            ends[op] = max([end(other) for other in requires.get(op, [])], default=0)
            ends[op] += ops[op][1] if ops[op][0] == "calc" else 0
        return ends[op]
    return max(end(op) for op in ops)


class Goal(Case):
    def test_schedule(self):
        """Without a network: the longest path through kernels."""
        for content, milliseconds in (
                ('<ranks list="0-3"><compute time="3ms"/><compute time="2ms"/></ranks>', 5),
                ('<ranks list="0"><compute time="1ms"/><send to="1" bytes="5MB"/><compute time="3ms"/></ranks>'
                 '<ranks list="1"><receive from="0" bytes="5MB"/><compute time="4ms"/></ranks><ranks list="2-3"/>', 5),
                *((f'{GROUP}<ranks list="0-2"><compute time="1ms"/><{name} group="all" {size}/><compute time="2ms"/>'
                   f'</ranks><ranks list="3"><compute time="7ms"/><{name} group="all" {size}/></ranks>', 9)
                  for name, size in (("all-reduce", 'bytes="41MB"'), ("all-to-all", 'bytes="41MB"'), ("barrier", ""))),
                # A launch hides; what waits for it does not.
                (f'{GROUP}<ranks list="0-3"><compute time="1ms"/><all-reduce queue="q" group="all" bytes="8MB"/>'
                 '<compute time="2ms"/><wait for="q"/><compute time="1ms"/></ranks>', 4)):
            with self.subTest(content=content):
                text = (self.export("goal", content) / "schedule.goal").read_text()
                self.assertTrue(text.startswith(f"num_ranks {N_RANKS}\n"))
                self.assertEqual(schedule(text), milliseconds * 10**6)

    def test_drawn(self):
        """As programs take over links that take no time; collectives of programs wait for all members, as those of one size here do."""
        generator = random.Random(8)
        for _ in range(N_DRAWN):
            n = generator.choice([2, 3, 4, 8])
            taken("platform", "generate", "--system=generic", f"--accelerators={n}", f"--domain-size={n}", "--domain-latency=0s",
                "--domain-bandwidth=1EBps", "-o", self.folder / "machine.xml")
            content = re.sub("<(reduce-scatter|all-gather) ", "<all-reduce ", draw(generator, n))
            with self.subTest(content=content):
                text = (self.export("goal", content, n) / "schedule.goal").read_text()
                # Bytes of all messages, at an exabyte a second.
                bytes_ = sum(map(int, re.findall(r"send (\d+)b", text)))
                self.assertAlmostEqual(self.seconds(self.folder / "p.xml"), schedule(text) * 1e-9, delta=1e-9 + bytes_ / 1e18)

    def test_bytes(self):
        """A ring of n members sends 2 (n - 1) / n of the buffer, to the byte."""
        text = (self.export("goal", f'{GROUP}<ranks list="0-3"><all-reduce group="all" bytes="1003B"/></ranks>')
                / "schedule.goal").read_text()
        self.assertEqual(sum(map(int, re.findall(r"send (\d+)b", text))), 2 * 3 * 1003)


if __name__ == "__main__":
    unittest.main()
