#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which library for which collective: by the tables of Alps, against all choices of drawn workloads, and as files.

Environment: LIGHTPATH (the built program)."""
import itertools
import json
import math
import os
import random
import re
import tempfile
import unittest
import xml.etree.ElementTree as ET

from command import run

ALPS = ("--system=generic", "--accelerators=8", "--domain-size=4", "--accelerator=gh200-96")
TREE = os.path.join(os.path.dirname(__file__), "..", "..")
EXCHANGES = ("alps-ompi-cxi", "alps-ompi-linkx", "alps-mpich")


def output(*words):
    done = run(*words)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


def tune(*words):
    return json.loads(output("tune", "communication", *words, "--format=json"))


def tables():
    """Times by library, s, of sizes of the whole buffer."""
    found = {}
    for library in ET.parse(os.path.join(TREE, "platforms", "libraries.xml")).iter("library"):
        for table in library.iter("measured"):
            rows = (row.split("=") for row in table.get("times").split())
            found[library.get("name"), table.get("operation")] = [(int(size[:-1]), float(time[:-2]) * 1e-6)
                                                                  for size, time in rows]
    return found


TABLES = tables()


def table_s(library, size, operation="all-to-all"):
    """By a straight line of logarithms, within the table."""
    rows = TABLES[library, operation]
    for (small, short), (large, long) in zip(rows, rows[1:]):
        if small <= size <= large:
            return short * (size / small) ** (math.log(long / short) / math.log(large / small))
    raise ValueError(size)


class TuneTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.directory.name, "p.xml")
        self.file = os.path.join(self.directory.name, "tuning.xml")
        self.addCleanup(self.directory.cleanup)

    def write(self, sizes, host=""):
        calls = "".join(f'<all-to-all group="ep" bytes="{size}B"/>' for size in sizes)
        with open(self.path, "w", encoding="utf-8") as stream:
            stream.write(f'<program name="p" ranks="8"><groups name="ep" size="8" class="ep"/>{host}'
                         f'<ranks list="0-7">{calls}</ranks></program>')

    def tune(self, switch, *more):
        return tune(*ALPS, f"--workload={self.path}", f"--libraries={','.join(EXCHANGES)}", "--set",
                    f"library-switch={switch}", *more)

    # --- the tables of Alps ---

    def test_alps(self):
        """CXI below and LINKx above where their tables cross, at 93 KiB a peer; MPICH nowhere in the tables."""
        low, high = 64 << 10, 128 << 10
        while high / low > 1.0001:
            middle = math.sqrt(low * high)
            low, high = ((middle, high) if table_s(EXCHANGES[0], 8 * middle) < table_s(EXCHANGES[1], 8 * middle)
                         else (low, middle))
        self.assertAlmostEqual(low / 1024, 93, delta=1)
        for libraries in itertools.permutations(EXCHANGES):
            answer = tune(*ALPS, f"--libraries={','.join(libraries)}", "--bytes=1KiB-8MiB", "-o", self.file)
            for choice in answer["choices"]:
                size = choice["bytes"]
                times = {time["library"]: time["time_s"] for time in choice["times"]}
                for library in EXCHANGES:
                    self.assertAlmostEqual(times[library] / table_s(library, size), 1, delta=1e-9)
                wanted = EXCHANGES[0] if size <= 8 * low else EXCHANGES[1]
                self.assertEqual(choice["best"], wanted, size)
                self.assertNotEqual(choice["best"], "alps-mpich")
                self.assertTrue(all(time["measured"] for time in choice["times"]))
                # The tables fall by 1.2 % (CXI) and 5.2 % (LINKx) where they should grow.
                self.assertEqual(choice["tied"], choice["margin"] < 0.064, size)
            first, last = ET.parse(self.file).getroot()
            self.assertEqual((first.get("library"), last.get("library")), EXCHANGES[:2])
            self.assertAlmostEqual(int(first.get("bytes-up-to")[:-1]) / (8 * low), 1, delta=0.01)
            self.assertIsNone(last.get("bytes-up-to"))

    def test_default(self):
        """By default the machine's own library and those that were measured on its accelerator."""
        answer = tune(*ALPS, "--bytes=1MiB")
        names = {choice["operation"]: {time["library"] for time in choice["times"]} for choice in answer["choices"]}
        self.assertEqual(names["all-reduce"], {"nccl-hopper", "alps-nccl"})
        self.assertEqual(names["all-to-all"], {"nccl-hopper", "alps-nvshmem", *EXCHANGES})
        self.assertEqual(names["all-gather"], {"nccl-hopper"})
        answer = tune("dgx-a100-8", "--bytes=1MiB", "--libraries=nccl-ampere")
        self.assertEqual({choice["best"] for choice in answer["choices"]}, {"nccl-ampere"})

    # --- workloads ---

    def draw(self, generator, n_sizes):
        sizes = [8 * int(2 ** generator.uniform(7, 20)) for _ in range(n_sizes)]
        return [generator.choice(sizes) for _ in range(generator.randint(1, 8))]

    def test_free(self):
        """Where changes cost nothing the mix takes what the best library takes for each call: never more than one for all."""
        generator = random.Random(4102)
        n_mixed = 0
        for _ in range(200):
            sizes = self.draw(generator, 3)
            self.write(sizes)
            answer = self.tune("none")
            best_s = sum(min(table_s(library, size) for library in EXCHANGES) for size in sizes)
            singles = {run["library"]: run["iteration_time_s"] for run in answer["runs"] if run["kind"] == "single"}
            for library in EXCHANGES:
                self.assertAlmostEqual(singles[library] / sum(table_s(library, size) for size in sizes), 1, delta=1e-9)
            self.assertAlmostEqual(answer["iteration_time_s"] / best_s, 1, delta=1e-9)
            self.assertLessEqual(answer["iteration_time_s"], min(singles.values()))
            self.assertAlmostEqual(answer["gain"], min(singles.values()) / best_s - 1, delta=1e-8)
            n_mixed += answer["gain"] > 1e-3
        self.assertGreater(n_mixed, 20)

    def test_weighed(self):
        """With hosts that wait the best of all choices is taken, which is one for all where a mix by call loses."""
        generator = random.Random(4103)
        n_lost = n_mixed = 0
        for _ in range(40):
            sizes, host_us = self.draw(generator, 3), generator.randint(1, 20)
            self.write(sizes, f'<host collective="{host_us}us"/>')
            answer = self.tune("host")
            keys = sorted(set(sizes))
            def cost_s(chosen):
                by = [chosen[keys.index(size)] for size in sizes]
                changes = sum(a != b for a, b in zip(by, by[1:]))
                return sum(map(table_s, by, sizes)) + changes * host_us * 1e-6
            best_s = min(map(cost_s, itertools.product(EXCHANGES, repeat=len(keys))))
            by_call_s = cost_s([min(EXCHANGES, key=lambda library: table_s(library, size)) for size in keys])
            single_s = min(cost_s([library] * len(keys)) for library in EXCHANGES)
            self.assertAlmostEqual(answer["iteration_time_s"] / best_s, 1, delta=1e-9)
            if by_call_s > single_s * (1 + 1e-9):
                n_lost += 1
                by_call = [run for run in answer["runs"] if run["kind"] == "call by call"]
                self.assertAlmostEqual(by_call[0]["iteration_time_s"] / by_call_s, 1, delta=1e-9)
                self.assertLessEqual(answer["iteration_time_s"], single_s * (1 + 1e-9))
            n_mixed += ";" in answer["library"]
        self.assertGreater(n_lost, 3)
        self.assertGreater(n_mixed, 3)

    def test_file(self):
        """A workload with the file takes what the tuner says that it takes, and traces keep what it says."""
        self.write([1 << 16, 8 << 20, 1 << 16, 4 << 20])
        answer = self.tune("event", "-o", self.file)
        for library in (self.file, answer["library"]):
            simulated = json.loads(output("simulate", self.path, *ALPS, "--format=json", "--set", f"library={library}"))
            self.assertAlmostEqual(simulated["simulated"]["iteration_time_s"] / answer["iteration_time_s"], 1, delta=1e-12)
        with open(self.path, encoding="utf-8") as stream:
            text = stream.read()
        with open(self.path, "w", encoding="utf-8") as stream:
            stream.write(text.replace("<program ", f'<program library="{self.file}" '))
        again = json.loads(output("simulate", self.path, *ALPS, "--format=json"))["simulated"]["iteration_time_s"]
        self.assertAlmostEqual(again / answer["iteration_time_s"], 1, delta=1e-12)

    def test_transformer(self):
        """What a plan calls, by class; the best of all runs is taken."""
        answer = tune("dgx-a100-8", "--workload=gpt3-1.3b", "--set", "tp=4", "--set", "dp=2", "--set", "layers=4", "--set",
                      "global-batch=8", "--libraries=nccl-ampere,single-ring", "-o", self.file)
        self.assertEqual({choice["class"] for choice in answer["choices"]}, {"tp", "dp"})
        self.assertEqual(answer["iteration_time_s"], min(run["iteration_time_s"] for run in answer["runs"]))
        self.assertIn("single", {run["kind"] for run in answer["runs"]})

    # --- files of others ---

    def read_nccl(self, text):
        """By NVIDIA/nccl, plugins/tuner/example/README.md: rows of 8 to 10 fields, none of them unknown."""
        rows = []
        for line in text.splitlines():
            self.assertLess(len(line), 256)
            if line.startswith("#") or not line:
                continue
            fields = line.split(",")
            self.assertIn(len(fields), (8, 9, 10))
            self.assertIn(fields[0], ("broadcast", "reduce", "allgather", "reducescatter", "allreduce"))
            self.assertIn(fields[3], ("tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"))
            self.assertIn(fields[4], ("ll", "ll128", "simple"))
            low, high, channels, nodes, ranks, pipe, registered = map(int, (*fields[1:3], *fields[5:]))
            self.assertTrue(0 <= low <= high <= 4294967295)
            self.assertTrue(channels == -1 or channels > 0)
            self.assertTrue(nodes >= 1 and ranks >= 2 and pipe == -1 and registered in (-1, 0, 1))
            rows.append((fields[0], nodes, ranks, low, high, fields[3], fields[4]))
        return rows

    def test_nccl(self):
        """All sizes are there once, and each row has the algorithm and protocol that take least of NCCL's."""
        rows = self.read_nccl(output("tune", "communication", "dgx-h100-64", "--ranks=8,64", "--bytes=1KiB-1GiB",
                                     "--export=nccl-tuner"))
        groups = {}
        for operation, nodes, ranks, low, high, *_ in rows:
            self.assertEqual(groups.get((operation, nodes, ranks), -1) + 1, low)
            groups[operation, nodes, ranks] = high
        self.assertEqual(set(groups.values()), {4294967295})
        self.assertEqual({key[1:] for key in groups}, {(1, 8), (8, 64)})
        self.assertLessEqual({"allreduce", "allgather", "reducescatter"}, {key[0] for key in groups})
        protocols = {("ring", "ll"): "fabric-ll", ("ring", "simple"): "fabric-simple", ("tree", "ll"): "tree-ll",
                     ("tree", "simple"): "tree-simple"}
        for size in (1 << 14, 1 << 22, 1 << 30):
            times = {}
            for (algorithm, kind), protocol in protocols.items():
                run, = json.loads(output("collective", "all-reduce", "dgx-h100-64", f"--bytes={size}B", "--format=json",
                                         f"--algorithm={algorithm}", f"--protocol={protocol}"))["runs"]
                times[algorithm, kind] = run["time_s"]
            row, = [row for row in rows if row[:3] == ("allreduce", 8, 64) and row[3] <= size <= row[4]]
            self.assertEqual(row[5:], min(times, key=times.get), f"{size} {times}")

    def test_ncclx(self):
        """By meta-pytorch/torchcomms, comms/ncclx/meta/tuner/README.md: the same choices, by intervals of a rank's part."""
        words = ("tune", "communication", "dgx-h100-64", "--ranks=8,64", "--bytes=1KiB-1GiB")
        wanted = self.read_nccl(output(*words, "--export=nccl-tuner"))
        rows = []
        for line in output(*words, "--export=ncclx").splitlines():
            if line.startswith("#") or not line:
                continue
            operation, interval, rest = re.fullmatch(r"([a-z]+),([\[(][^\])]*[\])]),(.*)", line).groups()
            low, high = interval[1:-1].split(",")
            algorithm, protocol, channels, nodes, local, *optional = rest.split(",")
            self.assertTrue(len(optional) <= 3 and int(channels) == -1 and (not high or int(low) <= int(high)))
            rows.append((operation, int(nodes), int(nodes) * int(local), int(low) + (interval[0] == "("),
                         int(high) if high else None, algorithm, protocol))
        self.assertEqual(len(rows), len(wanted))
        for got, row in zip(rows, wanted):
            self.assertEqual(got[:3] + got[5:], row[:3] + row[5:])
            self.assertEqual(got[3], -(-row[3] // row[2]) if row[3] else 0)
            self.assertEqual(got[4], row[4] // row[2] if row[4] < 4294967295 else None)

    def test_ucc(self):
        """By openucx/ucc, docs/user_guide.md: tokens with "#" between them, of coll_type:msg_range:mem_type:team_size:score."""
        text = output("tune", "communication", *ALPS, "--libraries=alps-nccl,alps-ompi-cxi", "--export=ucc", "--bytes=1KiB-8MiB")
        comments = [line for line in text.splitlines() if line.startswith("#")]
        line, = [line for line in text.splitlines() if not line.startswith("#")]
        self.assertRegex(line, r"\AUCC_TL_NCCL_TUNE=allreduce:0-inf:cuda:\[8-8\]:inf\Z")
        self.assertEqual(len(comments), 1)
        self.assertIn("alps-ompi-cxi", comments[0])

    # --- single collectives of a mix ---

    def test_collective(self):
        mix = "alps-nccl; all-to-all: <=744KiB=alps-ompi-cxi >744KiB=alps-ompi-linkx; all-to-all@ep: alps-mpich"
        for more, wanted in (((), EXCHANGES[:2]), (("--class=ep",), ("alps-mpich",) * 2), (("--class=dp",), EXCHANGES[:2])):
            answer = json.loads(output("collective", "all-to-all", *ALPS, "--bytes=64KiB,8MiB", f"--library={mix}",
                                       "--format=json", *more))
            self.assertEqual(answer["library"], mix)
            for run, library in zip(answer["runs"], wanted, strict=True):
                self.assertEqual(run["library"], library)
                self.assertAlmostEqual(run["time_s"] / table_s(library, run["bytes"]), 1, delta=1e-9)

    # --- what is refused ---

    def test_refused(self):
        self.write([1024])
        with open(os.path.join(self.directory.name, "r.xml"), "w", encoding="utf-8") as stream:
            stream.write('<program name="r" ranks="8"><groups name="dp" size="8"/><ranks list="0-7">'
                         '<all-reduce group="dp" bytes="1KiB"/></ranks></program>')
        for words, status, part in (
                (("--libraries=nobody",), 2, "nobody"),
                (("--libraries=",), 2, "wanted names"),
                (("--bytes=1KiB", f"--workload={self.path}"), 2, "--bytes"),
                (("--set", "library-switch=none"), 2, "without --workload"),
                (("--ranks=9",), 2, "--ranks"),
                (("--ranks=4,8", "-o", self.file), 2, "several sizes"),
                (("--export=mpich",), 2, "nccl-tuner"),
                (("--export=ucc", "--format=json"), 2, "--format"),
                (("--export=ncclx", "--libraries=alps-nccl"), 1, "nccl-hopper"),
                (("--export=ucc", "--libraries=alps-mpich"), 1, "team layer"),
                ((f"--workload={self.directory.name}/r.xml", "--libraries=alps-mpich"), 1,
                 "none of which has all-reduce among 8 ranks on 2 nodes")):
            done = run("tune", "communication", *ALPS, *words)
            self.assertEqual(done.returncode, status, f"{words}: {done.stderr}")
            self.assertRegex(done.stderr, r"\Alightpath: [^\n]+\n\Z")
            self.assertIn(part, done.stderr)

    def test_refused_files(self):
        self.write([1024])
        choice = '<choice operation="all-to-all"'
        for text, part in (
                ("", "tuning.xml"),
                ("<tuning/>", "library"),
                ('<workload name="x"/>', "tuning.xml:1"),
                (f'<tuning library="auto">{choice} library="nobody"/></tuning>', "nobody"),
                (f'<tuning library="auto">{choice} library="a; b"/></tuning>', "tuning.xml:1: <choice> library: got"),
                (f'<tuning library="auto">{choice} bytes-up-to="1KiB" library="alps-mpich"/></tuning>', "above the last"),
                (f'<tuning library="auto">{choice} bytes-up-to="2KiB" library="alps-mpich"/>'
                 f'{choice} bytes-up-to="1KiB" library="alps-mpich"/>{choice} library="alps-mpich"/></tuning>', "overlaps"),
                (f'<tuning library="auto">{choice} library="alps-mpich"/>{choice} library="alps-mpich"/></tuning>',
                 "behind one of all sizes"),
                (f'<tuning library="auto">{choice} bytes-up-to="-1KiB" library="alps-mpich"/></tuning>', "-1KiB"),
                ('<tuning library="auto"><choice operation="all-to-none" library="alps-mpich"/></tuning>', "all-to-none"),
                ('<tuning library="auto"><choice operation="all-to-all" class="x" library="alps-mpich"/></tuning>', '"x"')):
            with open(self.file, "w", encoding="utf-8") as stream:
                stream.write(text)
            done = run("simulate", self.path, *ALPS, "--set", f"library={self.file}")
            self.assertEqual(done.returncode, 1, f"{text}: {done.stderr}")
            self.assertRegex(done.stderr, r"\Alightpath: [^\n]+\n\Z")
            self.assertIn(part, done.stderr)
        done = run("simulate", self.path, *ALPS, "--set", "library=missing.xml")
        self.assertRegex(done.stderr, r"\Alightpath: [^\n]*missing\.xml[^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main()
