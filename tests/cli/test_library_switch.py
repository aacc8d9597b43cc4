#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a stream pays to go on with another library: an event, or a wait of the host; and that no job hangs of it.

Environment: LIGHTPATH (the built program)."""
import json
import os
import random
import tempfile
import unittest
import xml.etree.ElementTree as ET
from xml.sax.saxutils import quoteattr

from command import run

ALPS = ("--system=generic", "--accelerators=8", "--domain-size=4", "--accelerator=gh200-96")
TREE = os.path.join(os.path.dirname(__file__), "..", "..")
MIXED = "alps-nccl; all-to-all: <=744KiB=alps-ompi-cxi, >744KiB=alps-ompi-linkx"
HOW = [(f"--collapse={collapse}", f"--fidelity={fidelity}")
       for collapse in ("on", "off") for fidelity in ("flow", "message")]
# Rows of the tables in platforms/libraries.xml, us: as measured.
CXI, LINKX, NCCL = ("all-to-all", 8 << 10, 22.37), ("all-to-all", 8 << 20, 221.46), ("all-reduce", 16 << 20, 461.7)


def launch_us():
    """The launch of the machine's accelerator, by the catalogue."""
    for accelerator in ET.parse(os.path.join(TREE, "platforms", "accelerators.xml")).iter("accelerator"):
        if accelerator.get("name") == "gh200-96":
            return float(accelerator.find("achievable").get("launch").removesuffix("us"))
    raise KeyError("gh200-96")


class SwitchTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.directory.name, "p.xml")
        self.addCleanup(self.directory.cleanup)

    def write(self, sections, library=MIXED, host="", groups=("dp", "ep"), n=8):
        names = "".join(f'<groups name="{name}" size="{n}" class="{name}"/>' for name in groups)
        ranks = "".join(f'<ranks list="{ranks}">{body}</ranks>' for ranks, body in sections.items())
        with open(self.path, "w", encoding="utf-8") as stream:
            stream.write(f'<program name="p" ranks="{n}" library={quoteattr(library)}>{names}{host}{ranks}</program>')

    def simulate(self, switch, *more):
        done = run("simulate", self.path, *ALPS, "--format=json", "--set", f"library-switch={switch}", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["simulated"]

    def check(self, switch, wanted_us):
        for how in HOW:
            got = self.simulate(switch, *how)
            self.assertAlmostEqual(got["iteration_time_s"] * 1e6 / wanted_us, 1, delta=1e-9, msg=f"{switch} {how}")
            self.assertAlmostEqual(sum(got["terms_s"].values()), got["iteration_time_s"], delta=1e-12)

    @staticmethod
    def calls(rows, more=""):
        return "".join(f'<{operation} group="dp" bytes="{size}B" {more}/>' for operation, size, _ in rows)

    def test_compute_queue(self):
        """Each change costs a launch; or what its host needs, which has waited and is not ahead any more."""
        rows = (CXI, CXI, LINKX, LINKX, NCCL, CXI)
        alone_us = sum(row[2] for row in rows)
        self.write({"0-7": self.calls(rows)})
        self.check("none", alone_us)
        self.check("event", alone_us + 3 * launch_us())
        self.check("host", alone_us)
        self.write({"0-7": self.calls(rows)}, host='<host collective="7us"/>')
        self.check("none", alone_us)
        self.check("host", alone_us + 3 * 7)
        self.check("event", alone_us + 3 * launch_us())
        # A host that is still busy with the collective before begins later: 22.37 us are over when it has 77.63 to go.
        self.write({"0-7": self.calls((CXI, LINKX))}, host='<host collective="100us"/>')
        self.check("host", 100 + 100 + LINKX[2])

    def test_other_queue(self):
        """A host that waits for a queue hands its own rank nothing meanwhile; an event stops the queue alone."""
        body = self.calls((CXI, CXI, NCCL), 'queue="comm"') + '<compute time="900us"/><wait for="comm"/>'
        self.write({"0-7": body})
        self.check("none", 900)
        self.check("event", 900)
        self.check("host", 900 + 2 * CXI[2])
        self.write({"0-7": body.replace("900us", "100us")})
        self.check("none", 2 * CXI[2] + NCCL[2])
        self.check("event", 2 * CXI[2] + NCCL[2] + launch_us())
        self.check("host", 2 * CXI[2] + NCCL[2])

    def test_iterations(self):
        """What repeats pays for the way back, too."""
        body = f'<repeat times="5">{self.calls((CXI, NCCL))}</repeat>'
        self.write({"0-7": body})
        self.check("event", 5 * (CXI[2] + NCCL[2]) + 9 * launch_us())

    def test_one_library(self):
        """Names of one library are one library, and two queues that have one each never change."""
        rows = (NCCL, ("all-reduce", 8, 17.93), NCCL)
        for library in ("alps-nccl; all-reduce@dp: <=1KiB=alps-nccl >1KiB=alps-nccl", "alps-nccl"):
            self.write({"0-7": self.calls(rows)}, library)
            for switch in ("none", "event", "host"):
                self.check(switch, sum(row[2] for row in rows))
        self.write({"0-7": self.calls((CXI,)) + self.calls((NCCL,), 'queue="comm"') + self.calls((CXI,))})
        for switch in ("event", "host"):
            self.check(switch, CXI[2] + NCCL[2])

    def test_slowdown(self):
        """What computes is slowed once while collectives of two libraries are under way beside it."""
        body = ('<all-to-all group="ep" bytes="8KiB" queue="a"/><all-reduce group="dp" bytes="16MiB" queue="b"/>'
                '<compute time="200us"/>')
        self.write({"0-7": body})
        for how in HOW:
            got = self.simulate("event", "--set", "slowdown=1.5", *how)
            self.assertAlmostEqual(got["terms_s"]["compute"], 300e-6, delta=1e-12)
            self.assertAlmostEqual(got["iteration_time_s"], NCCL[2] * 1e-6, delta=1e-9)

    def test_contention(self):
        """Two libraries under way at once share links: both need them longer than either's table says."""
        def both_s(first, second):
            self.write({"0-7": f'<all-to-all group="ep" bytes="256MiB" queue="a"/><all-reduce group="dp" bytes="{first}" '
                               f'queue="b"/>'}, second)
            return self.simulate("event")["iteration_time_s"]
        alone_s, beside_s = both_s("8B", MIXED), both_s("256MiB", MIXED)
        self.assertGreater(beside_s, 1.3 * alone_s)
        self.assertAlmostEqual(beside_s / both_s("256MiB", MIXED.replace("alps-ompi-linkx", "alps-mpich")), 1, delta=0.05)

    def test_host_that_would_hang(self):
        """Rank 0 launches two collectives of two libraries before what rank 1 does first: its host must not wait.

        An event is nothing that a host waits for, so that what ends without it ends with it."""
        self.write({"0": '<all-reduce queue="q" group="dp" bytes="64KiB"/><all-to-all queue="q" group="dp" bytes="64KiB"/>'
                         '<all-reduce group="ep" bytes="64KiB"/>',
                    "1": '<all-reduce group="ep" bytes="64KiB"/><all-reduce queue="q" group="dp" bytes="64KiB"/>'
                         '<all-to-all queue="q" group="dp" bytes="64KiB"/>'}, n=2)
        self.assertAlmostEqual(self.simulate("event")["iteration_time_s"] -
                               self.simulate("none")["iteration_time_s"], launch_us() * 1e-6, delta=1e-12)
        done = run("simulate", self.path, *ALPS, "--set", "library-switch=host")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Alightpath: [^\n]*p\.xml:1: <all-reduce>: got rank 0 that waits for ever for rank 1 "
                                      r"of its group, wanted [^\n]*, or no library-switch=host[^\n]*\n\Z")

    def test_drawn_programs(self):
        """What ends with one library ends with events, never sooner; with hosts it ends, or is refused in one line."""
        generator = random.Random(4101)
        n_refused = 0
        for _ in range(25):
            events = [(generator.choice(("all-to-all", "all-reduce")), generator.choice(("dp", "ep")),
                       generator.choice(("", "a")), 8 << generator.randint(7, 18))
                      for _ in range(generator.randint(2, 7))]
            first = [event for event in events if event[2]] + [event for event in events if not event[2]]
            second = [event for event in events if not event[2]] + [event for event in events if event[2]]
            orders = (events, events) if generator.random() < 0.5 else (first, second)
            bodies = ["".join(f'<{name} group="{group}{queue}" bytes="{size}B"{queue and f" queue={quoteattr(queue)}"}/>'
                              for name, group, queue, size in order) for order in orders]
            self.write({"0": bodies[0], "1": bodies[1]}, n=2,
                       library="alps-nccl; all-to-all: <=64KiB=alps-ompi-cxi >64KiB=alps-mpich; all-to-all@ep: alps-ompi-linkx")
            self.name_groups()
            none_s = self.simulate("none")["iteration_time_s"]
            self.assertGreaterEqual(self.simulate("event")["iteration_time_s"], none_s * (1 - 1e-9))
            done = run("simulate", self.path, *ALPS, "--format=json", "--set", "library-switch=host")
            if done.returncode == 0:
                self.assertGreaterEqual(json.loads(done.stdout)["simulated"]["iteration_time_s"], none_s * (1 - 1e-9))
            else:
                self.assertRegex(done.stderr, r"\Alightpath: [^\n]+ waits for ever [^\n]+ library-switch=host[^\n]+\n\Z")
                n_refused += 1
        self.assertGreater(n_refused, 0)
        self.assertLess(n_refused, 20)

    def name_groups(self):
        """Groups of one class for each queue, as a communicator is of one stream."""
        more = "".join(f'<groups name="{group}a" size="2" class="{group}"/>' for group in ("dp", "ep"))
        self.edit("<ranks", more + "<ranks")

    def edit(self, old, new):
        with open(self.path, encoding="utf-8") as stream:
            text = stream.read()
        with open(self.path, "w", encoding="utf-8") as stream:
            stream.write(text.replace(old, new, 1))

    def test_transformers(self):
        """All ranks of a stage do the same in one order: hosts that wait end, by classes and rank by rank."""
        words = ("simulate", "glam-64e", "--system=dgx-a100", "--accelerators=32", "--ignore-memory", "--format=json",
                 "--set", "layers=4", "--set", "tp=2", "--set", "ep=8", "--set", "expert-tp=1",
                 "--set", "global-batch=16", "--set", "micro-batch=1", "--set",
                 "library=nccl-ampere; all-to-all@ep: single-ring; reduce-scatter@dp: single-ring; all-gather@tp: single-ring")
        for plan in (("pp=1", "dp=16"), ("pp=2", "dp=8", "schedule=1f1b")):
            settings = [word for setting in plan for word in ("--set", setting)]
            times = {}
            for switch in ("none", "event", "host"):
                both = []
                for collapse in ("on", "off"):
                    done = run(*words, *settings, "--set", f"library-switch={switch}", f"--collapse={collapse}")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    answer = json.loads(done.stdout)
                    both.append(answer["simulated"]["iteration_time_s"])
                    self.assertLess(abs(answer["difference"]["unexplained_s"]), 0.02 * both[0])
                self.assertAlmostEqual(both[0] / both[1], 1, delta=1e-6)
                times[switch] = both[0]
            self.assertLess(times["none"], times["event"])
            self.assertLess(times["none"], times["host"])

    def test_kept(self):
        """A program that is written of a plan, and traces of it, have the setting."""
        self.write({"0-7": self.calls((CXI, NCCL))})
        traces, again = (os.path.join(self.directory.name, name) for name in ("traces", "again.xml"))
        self.edit("<program ", '<program library-switch="none" ')
        self.assertEqual(run("export", "chakra", self.path, *ALPS, "-o", traces).returncode, 0)
        files = sorted(os.path.join(traces, name) for name in os.listdir(traces) if name.endswith(".et"))
        self.assertEqual(run("import", "chakra", *files, "-o", again).returncode, 0)
        self.assertEqual(ET.parse(again).getroot().get("library-switch"), "none")
        written = run("workload", "program", "glam-64e", "dgx-a100-1024", "--set", "library-switch=host",
                            "--set", "layers=2", "--set", "skew=0", "-o", again)
        self.assertEqual(written.returncode, 0, written.stderr)
        self.assertEqual(ET.parse(again).getroot().get("library-switch"), "host")

    def test_refused(self):
        self.write({"0-7": self.calls((CXI,))})
        done = run("simulate", self.path, *ALPS, "--set", "library-switch=stream")
        self.assertRegex(done.stderr, r"\Alightpath: [^\n]*library-switch=stream: [^\n]* none, event, host\n\Z")


if __name__ == "__main__":
    unittest.main()
