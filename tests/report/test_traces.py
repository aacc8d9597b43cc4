#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Timelines in other tools' formats, and tables.

--trace is held against the rules of the Trace Event Format (Google, "Trace Event Format", the
document that Perfetto and chrome://tracing name): which members an event of each phase has, that
slices of a thread nest, that arrows bind to slices. --paje is read by the definitions at its head.
Environment: LIGHTPATH (the built program)."""
import csv
import json
import math
import pathlib
import re
import sys
import tempfile
import unittest

from command import run

RUNS = {
    "pipeline": "simulate gpt3-175b dgx-a100-1024 --set global-batch=128",
    "overlap": "simulate gpt3-175b dgx-a100-1024 --set global-batch=128 --set overlap-pp=yes "
               "--set virtual-stages=2 --set schedule=interleaved",
    "experts": "simulate mixtral-8x7b dgx-h100-64 --collapse=off --set global-batch=64",
    "jobs": "simulate two-jobs polaris-64",
    "busy": "simulate busy-fabric dgx-h100-64 --set global-batch=64",
    "optics": "simulate llama-3-8b optics.xml --set dp=16 --set precision=bf16 "
              "--set global-batch=64"}
OPTICS = ("--system=optical-substrate --accelerators=16 --policy=demand "
          "--reconfiguration-time=10us")
# Members of events by phase, besides name, ph and pid.
MEMBERS = {"M": {"args"}, "X": {"tid", "cat", "ts", "dur", "args"}, "C": {"ts", "args"},
           "s": {"tid", "cat", "ts", "id"}, "f": {"tid", "cat", "ts", "id", "bp"}}
TABLES = {"terms.csv", "timeline.csv", "links.csv", "utilisation.csv", "traffic.csv",
          "operations.csv"}
SLACK_US = 1e-5  # rounding of instants, which are doubles


class Traces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.run_one(f"platform generate {OPTICS} -o optics.xml")
        cls.traces, cls.results = {}, {}
        for name, line in RUNS.items():
            cls.results[name] = json.loads(cls.run_one(
                f"{line} --format=json --trace={name}.json --paje={name}.paje --csv={name}"))
            cls.traces[name] = json.loads((cls.folder / f"{name}.json").read_text())["traceEvents"]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def run_one(cls, line):
        done = run(*line.split(), cwd=cls.folder)
        if (done.returncode, done.stderr) != (0, ""):
            raise RuntimeError(f"{line}: {done.stderr}")
        return done.stdout

    def slices(self, name, **wanted):
        return [event for event in self.traces[name] if event["ph"] == "X" and
                all(event[key] == value for key, value in wanted.items())]

    def test_members(self):
        for name, events in self.traces.items():
            named = {event["pid"] for event in events if event["name"] == "process_name"}
            threads = {(event["pid"], event["tid"]) for event in events
                       if event["name"] == "thread_name"}
            for event in events:
                has = set(event) - {"name", "ph", "pid"}
                optional = {"tid"} if event["ph"] == "M" else set()
                self.assertEqual(has - optional, MEMBERS[event["ph"]] - optional, (name, event))
                self.assertIn(event["pid"], named, name)
                if event["ph"] in "Xsf":
                    self.assertIn((event["pid"], event["tid"]), threads, (name, event))
                for key in ("ts", "dur"):
                    self.assertGreaterEqual(event.get(key, 0), 0, (name, event))

    def test_nesting(self):
        """Slices of a thread follow each other or nest."""
        for name in RUNS:
            threads = {}
            for event in self.slices(name):
                threads.setdefault((event["pid"], event["tid"]), []).append(
                    (event["ts"], event["ts"] + event["dur"]))
            for spans in threads.values():
                spans.sort(key=lambda span: (span[0], -span[1]))
                open_until = []
                for start, end in spans:
                    while open_until and open_until[-1] <= start + SLACK_US:
                        open_until.pop()
                    if open_until:
                        self.assertLessEqual(end, open_until[-1] + SLACK_US, name)
                    open_until.append(end)

    def test_arrows(self):
        """Every message leaves a slice "send" and ends in a slice "receive" of another stage."""
        for name in ("pipeline", "overlap"):
            ends = {"s": {}, "f": {}}
            for event in self.traces[name]:
                if event["ph"] in ends:
                    self.assertNotIn(event["id"], ends[event["ph"]], name)
                    ends[event["ph"]][event["id"]] = event
            self.assertEqual(set(ends["s"]), set(ends["f"]), name)
            plan = self.results[name]["plan"]
            micro_batches = plan["global-batch"] // plan["micro-batch"] // plan["dp"]
            boundaries = plan["pp"] * plan["virtual-stages"] - 1
            self.assertEqual(len(ends["s"]), 2 * micro_batches * boundaries, name)
            for number, start in ends["s"].items():
                end = ends["f"][number]
                self.assertNotEqual(start["pid"], end["pid"])
                self.assertLessEqual(start["ts"], end["ts"] + SLACK_US)
                for event, kind in ((start, "send"), (end, "receive")):
                    around = [one for one in self.slices(name, pid=event["pid"], tid=event["tid"])
                              if one["name"].startswith(kind) and
                              one["ts"] - SLACK_US <= event["ts"] <=
                              one["ts"] + one["dur"] + SLACK_US]
                    self.assertGreater(len(around), 0, (name, event))
                    self.assertTrue(all(one["args"]["bytes"] > 0 for one in around))

    def test_waiting(self):
        """Receiving takes no longer than the bytes do; what is waited for before is no traffic."""
        received = [one for one in self.slices("pipeline", cat="pp")
                    if one["name"].startswith("receive")]
        waits = self.slices("pipeline", cat="wait")
        self.assertGreater(len(received), 0)
        self.assertGreater(sum(one["dur"] for one in waits), 10 * sum(
            one["dur"] for one in received))
        self.assertTrue(all(one["name"].startswith("wait") for one in waits))
        plan = self.results["pipeline"]["plan"]
        # Over a card of 25 GB/s, as DGX A100 have eight a node.
        bytes_each = received[0]["args"]["bytes"]
        self.assertLess(max(one["dur"] for one in received), 3 * bytes_each / 25e9 * 1e6)
        self.assertGreater(plan["pp"], 1)

    def test_counters(self):
        """Counters of links are shares of their bandwidth, and end at 0."""
        for name in RUNS:
            counters = {}
            for event in self.traces[name]:
                if event["ph"] == "C":
                    counters.setdefault(event["name"], []).append(
                        (event["ts"], event["args"]["utilisation"]))
            self.assertGreater(len(counters), 0, name)
            self.assertTrue(any(one.startswith("all of ") for one in counters), name)
            for points in counters.values():
                self.assertEqual(points, sorted(points), name)
                self.assertEqual(points[-1][1], 0.0, name)
                self.assertLess(max(share for _, share in points), 1 + 1e-6, name)

    def test_background(self):
        messages = self.slices("busy", cat="background")
        self.assertGreater(len(messages), 1000)
        self.assertEqual({one["args"]["bytes"] for one in messages}, {4e6})
        self.assertEqual(self.slices("jobs", cat="background"), [])

    def test_circuits(self):
        self.assertGreater(len(self.slices("optics", cat="circuit")), 0)
        self.assertEqual(self.slices("pipeline", cat="circuit"), [])

    def test_paje(self):
        """Every event has the fields that the file's head defines for it; containers exist before
        they are used, states that begin end, time never goes back."""
        for name in RUNS:
            lines = (self.folder / f"{name}.paje").read_text().splitlines()
            fields, kinds, known, depth, last_s = {}, {}, {"0"}, {}, 0.0
            for line in lines:
                if line.startswith("%EventDef"):
                    kind, number = line.split()[1:]
                    fields[number], kinds[number] = [], kind
                elif line.startswith("% "):
                    fields[number].append(line.split()[1])
                elif not line.startswith("%"):
                    words = re.findall(r'"[^"]*"|\S+', line)
                    kind, event = kinds[words[0]], dict(zip(fields[words[0]], words[1:]))
                    self.assertEqual(len(words) - 1, len(fields[words[0]]), (name, line))
                    if "Time" in event:
                        self.assertGreaterEqual(float(event["Time"]), last_s, (name, line))
                        last_s = float(event["Time"])
                    if kind == "PajeCreateContainer":
                        known.add(event["Alias"])
                    if "Container" in event:
                        self.assertIn(event["Container"], known, (name, line))
                    if kind in ("PajePushState", "PajePopState"):
                        step = 1 if kind == "PajePushState" else -1
                        depth[event["Container"]] = depth.get(event["Container"], 0) + step
                        self.assertGreaterEqual(depth[event["Container"]], 0, (name, line))
            self.assertGreater(len(depth), 0, name)
            self.assertEqual(set(depth.values()), {0}, name)

    def test_tables(self):
        for name, result in self.results.items():
            tables = {}
            for path in (self.folder / name).iterdir():
                with open(path, newline="") as file:
                    tables[path.name] = list(csv.DictReader(file))
            self.assertEqual(set(tables), TABLES, name)
            for job in result.get("jobs", [result]):
                for model in ("simulated", "closed_form", "amped"):
                    rows = {row["term"]: float(row["seconds"]) for row in tables["terms.csv"]
                            if row["model"] == model and row["job"] == job.get("name", "")}
                    self.assertEqual(rows, job[model]["terms_s"], name)
            for row in tables["timeline.csv"]:
                self.assertLessEqual(float(row["start_s"]), float(row["end_s"]), name)
            # The series of a tier have its bytes, less what no class of the run was seen to move.
            for tier in {row["tier"] for row in tables["utilisation.csv"]}:
                seen = sum(float(row["bytes"]) for row in tables["utilisation.csv"]
                           if (row["tier"], row["link"]) == (tier, ""))
                wanted = sum(float(row["bytes"]) for row in tables["links.csv"]
                             if (row["tier"], row["link"]) == (tier, ""))
                self.assertTrue(math.isclose(seen, wanted, rel_tol=1e-9), (name, tier))

    def test_refusals(self):
        """A folder with other files is left alone, before anything runs."""
        other = self.folder / "other"
        other.mkdir()
        (other / "mine.txt").write_text("x")
        for line, status, message in (
                (f"{RUNS['jobs']} --csv=other", 1, "other: got a folder that holds mine.txt"),
                (f"{RUNS['jobs']} --csv=-", 2, "--csv: got -, wanted a file"),
                (f"{RUNS['jobs']} --paje=-", 2, "--paje: got -, wanted a file"),
                (f"{RUNS['jobs']} --report=-", 2, "--report: got -, wanted a file"),
                (f"{RUNS['jobs']} --csv=optics.xml", 1, "optics.xml: Not a directory"),
                (f"{RUNS['jobs']} --report=/nowhere/page.html", 1, "/nowhere/page.html: "),
                (f"{RUNS['jobs']} --csv=/nowhere/tables", 1, "/nowhere/tables")):
            done = run(*line.split(), cwd=self.folder)
            self.assertEqual(done.returncode, status, (line, done.stderr))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(message, done.stderr)
        self.assertEqual([path.name for path in other.iterdir()], ["mine.txt"])
        # Tables of another run are replaced.
        self.run_one(f"{RUNS['jobs']} --csv=jobs")
        self.assertEqual({path.name for path in (self.folder / "jobs").iterdir()}, TABLES)


if __name__ == "__main__":
    sys.exit(unittest.main())
