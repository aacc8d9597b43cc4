#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chakra execution traces: files that are encoded here, byte by byte as the schema has them, take
the times that follow from their nodes; what is wrong with traces is one line; and a plan's traces,
written and read again, take the plan's time.

    test_chakra.py [--all]     more plans are drawn, more files are damaged

Environment: LIGHTPATH (the built program), LIGHTPATH_PLANS (how many are drawn)."""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unittest

import test_program_by_hand

from chakra_files import (COLLECTIVE, COMPUTE, LOAD, METADATA, RECEIVE, SEND, STORE, attribute, block, file_of, groups_node, node, number,
                          read_fields, read_ids, read_varint)
from command import PROGRAM, refused, run

ALL = "--all" in sys.argv
N_DRAWN, N_DAMAGED = int(os.environ.get("LIGHTPATH_PLANS", 60 if ALL else 12)), 500 if ALL else 60
# Domains of eight: a port of 100 GB/s and 1 us at each end of a message.
MACHINE = test_program_by_hand.MACHINE
DOMAIN_S, DOMAIN_RATE = test_program_by_hand.DOMAIN_S, test_program_by_hand.DOMAIN_RATE
ALL_REDUCE, GATHER, ALL_GATHER, REDUCE_SCATTER = 0, 3, 2, 7


class Case(test_program_by_hand.Case):
    def write_ranks(self, ranks, name="t"):
        paths = []
        for rank, nodes in enumerate(ranks):
            paths.append(self.folder / f"{name}.{rank}.et")
            paths[-1].write_bytes(nodes if isinstance(nodes, bytes) else file_of(nodes))
        return paths

    def time_of(self, ranks, *options):
        path = self.folder / "imported.xml"
        self.taken("import", "chakra", *self.write_ranks(ranks), *options, "-o", path)
        times = set()
        for collapse, fidelity in test_program_by_hand.EVERY:
            found = self.simulate(path, f"--collapse={collapse}", f"--fidelity={fidelity}",
                                  "--set=library=single-ring")["simulated"]
            times.add(round(found["iteration_time_s"], 14))
        self.assertEqual(len(times), 1)
        return times.pop()

    def check_time(self, ranks, seconds, *options):
        self.assertAlmostEqual(self.time_of(ranks, *options) / seconds, 1.0, delta=1e-9)


class Times(Case):
    def test_compute(self):
        """Whole microseconds, one after the other; both forms of lists of dependencies."""
        for packed in (True, False):
            one = [node(1, COMPUTE, micros=1000), node(2, COMPUTE, [1], micros=500, packed=packed),
                   node(9, COMPUTE, [1], [2], micros=250, packed=packed)]
            self.check_time([one, one], 1.75e-3)
            self.assertIn('<compute time="250us"/>', (self.folder / "imported.xml").read_text())

    def test_exact_times(self):
        """A program has a trace's times to the last bit, whole microseconds and others."""
        generator = random.Random(9)
        times = [generator.choice([generator.randrange(1, 10**9) * 1e-6, generator.uniform(1e-9, 1e3),
                                   generator.randrange(1, 10**6) * 1e-9]) for _ in range(2000)]
        path = self.folder / "p.xml"
        self.taken("import", "chakra", *self.write_ranks(
            [[node(i + 1, COMPUTE, **{"lightpath.time_s": time}) for i, time in enumerate(times)]]), "-o", path)
        found = re.findall(r'<compute time="([^"]*?)(us|s)"', path.read_text())
        self.assertEqual([float(text) * {"us": 1e-6, "s": 1}[unit] for text, unit in found], times)
        self.assertEqual({unit for _, unit in found}, {"us", "s"})

    def test_order_of_files(self):
        """A node may stand before those that it depends on."""
        one = [node(3, COMPUTE, [2], micros=1000), node(2, COMPUTE, micros=500)]
        self.check_time([one, one], 1.5e-3)

    def test_rates(self):
        """FLOP and bytes, where there is no time: as the accelerator takes them."""
        def seconds(**attributes):
            one = [node(1, COMPUTE, **attributes)]
            return self.time_of([one, one])
        launch_s = seconds(num_ops=1, tensor_size=(13, 1))
        flop_s, bytes_s = seconds(num_ops=10**12) - launch_s, seconds(tensor_size=(13, 10**9)) - launch_s
        # NVIDIA's datasheet of the A100: 312 TFLOP/s and 2,039 GB/s, of which kernels reach 60 to 100 %.
        self.assertTrue(0.6 < 1e12 / 312e12 / flop_s <= 1.0 and 0.6 < 1e9 / 2039e9 / bytes_s <= 1.0)
        self.assertAlmostEqual(seconds(num_ops=10**12, tensor_size=(13, 10**9)) - launch_s, max(flop_s, bytes_s))
        one = [node(1, LOAD, tensor_size=(13, 10**9)), node(2, STORE, [1], tensor_size=(13, 10**9))]
        self.assertAlmostEqual(self.time_of([one, one]), 2 * (bytes_s + launch_s))

    def test_message(self):
        """On a stream of its own; numbers of every kind."""
        hop_s = DOMAIN_S + 50e6 / DOMAIN_RATE
        for kind in (7, 9, 11, 13):
            sender = [node(1, COMPUTE, micros=1000),
                      node(2, SEND, [1], comm_size=(kind, 50_000_000), comm_dst=(kind, 1), comm_tag=(kind, 7))]
            receiver = [node(5, RECEIVE, comm_size=(kind, 50_000_000), comm_src=(kind, 0), comm_tag=(kind, 7)),
                        node(6, COMPUTE, micros=3000), node(7, COMPUTE, [5], micros=1000)]
            # The compute stream does in order what it can: the receive stands before its first user.
            self.check_time([sender, receiver], max(1e-3 + hop_s, 3e-3) + 1e-3)

    def test_collectives(self):
        """comm_size is what a member puts in: of an all-gather its part."""
        steps = {ALL_REDUCE: 2, ALL_GATHER: 2, REDUCE_SCATTER: 1}
        for type_, n_parts in steps.items():
            one = [node(1, COMPUTE, micros=10), node(2, COLLECTIVE, [1], comm_type=type_, comm_size=50_000_000)]
            # Two ranks: a ring of one step, or two, each of half of the whole buffer.
            n_steps = 2 if type_ == ALL_REDUCE else 1
            part = 50e6 if type_ == ALL_GATHER else 25e6
            self.check_time([one, one], 10e-6 + n_steps * (DOMAIN_S + part / DOMAIN_RATE))

    def test_beside(self):
        """What does not depend on a collective goes on beside it; control dependencies hold, too."""
        ring_s = 2 * (DOMAIN_S + 50e6 / DOMAIN_RATE)
        for deps, control, seconds in (([1], [], max(2e-3, 1e-3 + ring_s)), ([1, 2], [], 2e-3 + ring_s),
                                       ([1], [2], 2e-3 + ring_s)):
            one = [node(1, COMPUTE, micros=1000), node(2, COLLECTIVE, [1], comm_type=0, comm_size=100_000_000),
                   node(3, COMPUTE, deps, control, micros=1000)]
            with self.subTest(deps=deps, control=control):
                self.check_time([one, one], seconds)

    def test_joint(self):
        """Dependencies go through nodes that do nothing."""
        ring_s = 2 * (DOMAIN_S + 50e6 / DOMAIN_RATE)
        one = [node(1, COMPUTE, micros=1000), node(2, COLLECTIVE, [1], comm_type=0, comm_size=100_000_000),
               node(4, METADATA, [2]), node(5, METADATA, [4]), node(3, COMPUTE, [1, 5], micros=1000)]
        self.check_time([one, one], 2e-3 + ring_s)

    def test_callers(self):
        """Control dependencies are on callers, whom converters leave out."""
        one = [node(1, COMPUTE, [], [77], micros=1000), node(2, COMPUTE, [1], [78, 1], micros=500)]
        self.check_time([one, one], 1.5e-3)

    def test_streams(self):
        """Nodes of a stream keep their order without dependencies; the host runs beside."""
        one = [node(1, COMPUTE, micros=1000, stream=7), node(2, COMPUTE, micros=1000, stream=7),
               node(3, COMPUTE, micros=1500, stream=20), node(4, COMPUTE, micros=2500, is_cpu_op=True)]
        self.check_time([one, one], 2.5e-3)
        self.check_time([[*one, node(5, COMPUTE, [4], micros=100, stream=20)]] * 2, 2.6e-3)

    def test_groups(self):
        """As PyTorch tells them, and as ASTRA-sim's file does."""
        def rank(name):
            return [node(2, COLLECTIVE, comm_type=0, comm_size=100_000_000, pg_name=name)]
        ring_s = 2 * (DOMAIN_S + 50e6 / DOMAIN_RATE)
        told = [[groups_node(1, [("0", "default_pg", []), (pair, "DATA_PARALLEL_GROUP", ranks)]), *rank(pair)]
                for pair, ranks in (("3", [0, 1]), ("3", [0, 1]), ("4", [2, 3]), ("4", [2, 3]))]
        self.check_time(told, ring_s)
        path = self.folder / "groups.json"
        path.write_text('{"3": [0, 1], "4": [2, 3]}')
        self.check_time([rank(name) for name in "3344"], ring_s, "--groups", path)

    def test_equal_files(self):
        """Ranks whose files have the same bytes do the same, but for where their messages go."""
        ring_s = 2 * (3 * DOMAIN_S + 3 * 25e6 / DOMAIN_RATE)
        one = [node(1, COMPUTE, micros=1000), node(2, COLLECTIVE, [1], comm_type=0, comm_size=100_000_000),
               node(3, COMPUTE, [2], micros=1000)]
        self.check_time([one] * 4, 2e-3 + ring_s)
        send = [node(1, SEND, comm_size=50_000_000, comm_dst=1)]
        receive = [node(1 + sender, RECEIVE, comm_size=50_000_000, comm_src=sender) for sender in (0, 2)]
        self.check_time([send, receive, send], DOMAIN_S + 2 * 50e6 / DOMAIN_RATE)

    def test_alike(self):
        """Ranks in groups of their own, with peers as far away, are one class; groups that share ranks have several names."""
        def said(ranks):
            return re.search(r"in (\d+) classes", self.taken("import", "chakra", *self.write_ranks(ranks), "-o", self.folder / "a.xml"))[1]

        def rank(number, n, name):
            pair = [number - number % 2, number - number % 2 + 1]
            return [groups_node(1, [(name, "dp", pair)]), node(2, COMPUTE, micros=1000),
                    node(3, COLLECTIVE, [2], comm_type=0, comm_size=100_000_000, pg_name=name),
                    node(4, SEND, [3], comm_size=50_000_000, comm_dst=(number + 2) % n),
                    node(5, RECEIVE, [3], comm_size=50_000_000, comm_src=(number - 2) % n)]
        ring_s = 2 * (DOMAIN_S + 50e6 / DOMAIN_RATE)
        ranks = [rank(i, 8, f"{10 + i // 2}") for i in range(8)]
        # The ways that pass the end of the ring are as far as none of the others: two to a side.
        self.assertEqual(said(ranks), "3")
        self.check_time(ranks, 1e-3 + ring_s + DOMAIN_S + 50e6 / DOMAIN_RATE)
        # Another line in the file, and what only the host does, tell no ranks apart.
        alone = [[node(9, METADATA)] * (i % 2) + [node(1, COMPUTE, micros=7)] for i in range(4)]
        self.assertEqual(said(alone), "1")

        def two(names, members):
            return [groups_node(1, [(name, "dp", ranks) for name, ranks in zip(names, members)]),
                    *(node(2 + i, COLLECTIVE, [1 + i] * i, comm_type=0, comm_size=100_000_000, pg_name=name)
                      for i, name in enumerate(names))]
        crossed = [two("12", ([0, 1], [0, 2])), two("13", ([0, 1], [1, 3])), two("24", ([0, 2], [2, 3])), two("34", ([1, 3], [2, 3]))]
        self.assertEqual(said(crossed), "2")
        self.check_time(crossed, 3 * ring_s)

    def test_cost_of_alike(self):
        """Two hundred thousand nodes of ranks that do the same, each in a group of its own, take the memory of their files."""
        n_ranks, n = 100, 2000
        ranks = []
        for number in range(n_ranks):
            name = str(1 + number // 2)
            first = [groups_node(1, [(name, "dp", [number - number % 2, number - number % 2 + 1])]),
                     node(2, COLLECTIVE, comm_type=0, comm_size=8, pg_name=name)]
            ranks.append(file_of(first) + file_of([node(i, COMPUTE, [i - 1], micros=5 + i % 7) for i in range(3, n)], b"")[1:])
        paths = self.write_ranks(ranks)
        child = subprocess.Popen([PROGRAM, "import", "chakra", *paths, "-o", self.folder / "a.xml"], stdout=subprocess.PIPE)
        self.assertIn(b"in 1 classes", child.stdout.read())
        child.stdout.close()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = status
        self.assertEqual(status, 0)
        if "sanitize" not in os.environ.get("CFLAGS", ""):
            self.assertLess(used.ru_maxrss * 1024, 60e6 + 1.2 * sum(map(len, ranks)))

    def test_many_peers(self):
        """An all-to-all as messages: a port carries what it sends one after the other; more peers than lines are refused."""
        def rank(number, n):
            return [node(2 * k + i, kind, comm_size=10_000_000, **{peer: (number + sign * k) % n}) for k in range(1, n)
                    for i, kind, peer, sign in ((0, SEND, "comm_dst", 1), (1, RECEIVE, "comm_src", -1))]
        path = self.folder / "a.xml"
        for n in (8, 16, 30):
            self.taken("import", "chakra", *self.write_ranks([rank(i, n) for i in range(n)]), "-o", path)
            machine = f"--system=generic --accelerators={n} --domain-size={n} --domain-latency=0s --domain-bandwidth=100GBps"
            for collapse in ("on", "off"):
                found = self.simulate(path, f"--collapse={collapse}", machine=machine)["simulated"]["iteration_time_s"]
                self.assertAlmostEqual(found / ((n - 1) * 1e-4), 1.0, delta=1e-9)
        refused("more than 64 others", "import", "chakra", *self.write_ranks([rank(i, 66) for i in range(66)]))

    def test_stream_of_most(self):
        """What equal ranks compute counts once for each when the compute stream is looked for."""
        def rank(micros):
            return [node(1, COMPUTE, micros=micros[0], stream=1), node(2, COMPUTE, micros=micros[1], stream=2)]
        path = self.folder / "p.xml"
        self.taken("import", "chakra", *self.write_ranks([rank((300, 200))] * 3 + [rank((100, 350))]), "-o", path)
        self.assertEqual(path.read_text().count('queue="stream-2"'), 2)


class Refused(Case):
    def refused(self, wanted, ranks, *options):
        with self.subTest(wanted=wanted):
            refused(wanted, "import", "chakra", *self.write_ranks(ranks), *options)

    def test_files(self):
        good = file_of([node(1, COMPUTE, micros=5)])
        paths = self.write_ranks([good] * 4)
        refused("got rank 3 with 3 files, wanted a file of each rank", "import", "chakra", *paths[:2],
                           paths[3])
        refused("a second time", "import", "chakra", *paths[:2], paths[1])
        nameless = self.folder / "trace.et"
        nameless.write_bytes(good)
        refused("a name without a rank", "import", "chakra", paths[0], nameless)
        refused("No such file", "import", "chakra", self.folder / "none.0.et")
        refused("an empty file", "import", "chakra", self.write_ranks([b""])[0])
        refused("no GlobalMetadata", "import", "chakra", self.write_ranks([good[8:]])[0])
        refused("within a message", "import", "chakra", self.write_ranks([good[:-1]])[0])

    def test_nodes(self):
        self.refused(":2: got a second node 1", [[node(1, COMPUTE, micros=1), node(1, COMPUTE)]])
        self.refused("a dependency on node 8", [[node(1, COMPUTE, [8], micros=1)]])
        self.refused("a cycle of dependencies", [[node(1, COMPUTE, [2], micros=1), node(2, COMPUTE, [1])]])
        self.refused("a cycle of dependencies", [[node(1, METADATA, [1])]])
        self.refused("type 9", [[node(1, 9)]])
        self.refused("type 0", [[node(1, 0)]])
        self.refused("num_ops -5", [[node(1, COMPUTE, num_ops=-5)]])
        self.refused("lightpath.time_s", [[node(1, COMPUTE, **{"lightpath.time_s": float("nan")})]])
        self.refused("comm_type 3", [[node(1, COLLECTIVE, comm_type=GATHER, comm_size=8)]] * 2)
        self.refused("at most 2^53", [[node(1, COLLECTIVE, comm_type=2, comm_size=2**52)]] * 4)

    def test_messages(self):
        idle = [node(1, COMPUTE, micros=1)]
        send = node(2, SEND, comm_size=8, comm_dst=1)
        receive = node(2, RECEIVE, comm_size=8, comm_src=0)
        self.refused("wanted a <send> for each", [idle, [receive]])
        self.refused("wanted a <receive> for each", [[send], idle])
        self.refused("without comm_dst", [[node(2, SEND, comm_size=8)], [receive]])
        self.refused("comm_dst 2", [[node(2, SEND, comm_size=8, comm_dst=2)], idle])
        self.refused("to itself", [[node(2, SEND, comm_size=8, comm_dst=0)], idle])
        self.refused("8 B that are sent", [[send], [node(2, RECEIVE, comm_size=9, comm_src=0)]])

    def test_groups(self):
        def rank(groups, name="1", size=8):
            return [groups_node(1, groups), node(2, COLLECTIVE, comm_type=0, comm_size=size, pg_name=name)]
        pair, three = ("1", "dp", [0, 1]), ("1", "dp", [0, 1, 2])
        self.refused("wanted members that agree", [rank([pair]), rank([three]), [node(1, COMPUTE)]])
        self.refused("wanted members that agree", [rank([pair]), rank([("2", "dp", [0, 1])], "2")])
        self.refused("got member 5", [rank([("1", "dp", [0, 5])])] * 2)
        self.refused("in which rank 0 is not", [rank([pair], "7"), rank([pair])])
        self.refused("in which rank 2 is not", [rank([pair])] * 3)
        self.refused("members that agree", [rank([pair], size=8), rank([pair], size=9)])
        self.refused("waits for ever", [rank([pair]), rank([pair])[:1] + [node(3, COMPUTE, micros=1)]])
        path = self.folder / "groups.json"
        for content, wanted in (('{"1": [0, 9]}', "got member 9"), ("[1]", "got no object"), ('{"1": 5}', "got no list"), ("{", "no JSON")):
            path.write_text(content)
            self.refused(wanted, [rank([pair])] * 2, "--groups", path)

    def test_head(self):
        """What we write before nodes may have been changed: it is one line, or a program that can be read."""
        def head(setting, value):
            return file_of([node(1, COMPUTE, micros=5)], block(1, "1.0.0") + block(2, block(1, setting) + block(29, value)))
        for value in ("=", "x", "precision", "precision=", "=fp8", "rank=1", "ranks=9", "precision=bf16 precision=fp8", "library=\x01", "a=b",
                      'precision=bf16"><x/>\n'):
            self.refused('lightpath.settings: got "', [head("lightpath.settings", value)])
        self.refused("groups:1: got no JSON", [head("lightpath.groups", '[{"pg_name"')])
        self.refused("without pg_name", [head("lightpath.groups", '[{"pg_name": 5}]')])
        for name in ("\x01\x02\n<&>\"'", "\x7f\u2028", "", "a" * 100000):
            path = self.folder / "p.xml"
            self.taken("import", "chakra", *self.write_ranks([head("lightpath.name", name)] * 2), "-o", path)
            self.assertAlmostEqual(self.simulate(path)["simulated"]["iteration_time_s"], 5e-6)

    def test_streams(self):
        """More streams than queues share the last one, and the import says so."""
        ranks = [[node(i, COMPUTE, micros=9, stream=i) for i in range(1, 10)]]
        said = self.taken("import", "chakra", *self.write_ranks(ranks), "-o", self.folder / "p.xml")
        self.assertIn("4 share the last queue", said)

    def test_damaged(self):
        """Files whose bytes were changed or cut are read or refused, in one line and little time."""
        generator = random.Random(7)
        one = [groups_node(1, [("1", "dp", [0, 1])]), node(2, COMPUTE, micros=10, num_ops=5, stream=3),
               node(3, COLLECTIVE, [2], [1], comm_type=0, comm_size=1000, pg_name="1", is_cpu_op=False)]
        good = file_of(one)
        other = self.write_ranks([good, good])[1]
        for _ in range(N_DAMAGED):
            data = bytearray(good)
            for _ in range(generator.choice([1, 1, 2, 5])):
                data[generator.randrange(len(data))] = generator.randrange(256)
            if generator.random() < 0.3:
                del data[generator.randrange(len(data)):]
            path = self.folder / "t.0.et"
            path.write_bytes(data)
            done = run("import", "chakra", path, other, timeout=10)
            self.assertIn(done.returncode, (0, 1), data)
            self.assertEqual(done.stderr.count("\n"), done.returncode, (data, done.stderr))


class Exported(Case):
    """Traces and the plan that they are of: rounding of 1e-9 at most."""

    def round_trip(self, workload, machine, settings, *options, classes=False):
        folder, path = self.folder / "traces", self.folder / "w.xml"
        shutil.rmtree(folder, ignore_errors=True)
        self.taken("export", "chakra", workload, *machine.split(), *settings, *["--collapse"] * classes,
                      "-o", folder)
        self.taken("import", "chakra", *([folder / "classes.json"] if classes else folder.glob("*.et")), "-o", path)
        return self.simulate(path, *options, machine=machine)["simulated"]["iteration_time_s"]

    def test_drawn(self):
        generator = random.Random(442)
        n_same = n_tried = 0
        while n_same < N_DRAWN:
            n_tried += 1
            self.assertLess(n_tried, 20 * N_DRAWN)
            machine, settings = test_program_by_hand.draw(generator)
            fidelity = generator.choice(["flow", "flow", "message"])
            collapse = [generator.choice(["on", "off"]) for _ in range(2)]
            plan = run(
                "simulate", "gpt3-125m", *machine.split(), *settings, "--ignore-memory", "--format=json",
                f"--fidelity={fidelity}", f"--collapse={collapse[0]}")
            if plan.returncode != 0:
                continue
            with self.subTest(machine=machine, settings=settings, fidelity=fidelity, collapse=collapse):
                wanted = json.loads(plan.stdout)["simulated"]["iteration_time_s"]
                found = self.round_trip("gpt3-125m", machine, settings, f"--fidelity={fidelity}",
                                        f"--collapse={collapse[1]}", classes=n_same % 2 == 1)
                self.assertAlmostEqual(found / wanted, 1.0, delta=1e-9)
                n_same += 1

    def test_classes(self):
        """Ranks of a stage have partners as far away: a file for each stage, also in a ring of chunks."""
        for settings in ([], ["--set", "schedule=interleaved", "--set", "virtual-stages=3"]):
            self.taken("export", "chakra", "gpt3-125m", "--system=generic", "--accelerators=16", "--set", "pp=4", "--set",
                          "tp=2", "--set", "dp=2", *settings, "--collapse", "-o", self.folder / "classes")
            self.assertEqual(len(list((self.folder / "classes").glob("*.et"))), 4)

    def test_by_hand(self):
        wanted = self.simulate("dlrm", machine="dgx-h100-64")["simulated"]["iteration_time_s"]
        for classes in (False, True):
            found = self.round_trip("dlrm", "dgx-h100-64", [], classes=classes)
            self.assertAlmostEqual(found / wanted, 1.0, delta=1e-9)

    def test_classes(self):
        """A file for each stage of a pipeline; each rank is in one class, and what is wrong with an
        index is one line."""
        folder = self.folder / "traces"
        settings = ["--set=tp=2", "--set=pp=4", "--set=global-batch=64"]
        wanted = self.simulate("gpt3-125m", *settings, machine="dgx-h100-64")["simulated"]["iteration_time_s"]
        found = self.round_trip("gpt3-125m", "dgx-h100-64", settings, classes=True)
        self.assertAlmostEqual(found / wanted, 1.0, delta=1e-9)
        self.assertEqual(len(list(folder.glob("*.et"))), 4)
        path = folder / "classes.json"
        good = json.loads(path.read_text())
        ranks = [number for class_ in good["classes"] for part in class_["ranks"].split(",")
                 for number in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)]
        self.assertEqual(sorted(ranks), list(range(64)))
        one, *others = good["classes"]
        file, group = one["file"], good["groups"][0]
        for message, index in (
                ("no index of classes", []), ("no index of classes", {**good, "ranks": 0}),
                ("no index of classes", {**good, "ranks": 10**9}), ("no index of classes", {**good, "classes": 5}),
                ("no class with rank", {**good, "classes": others}),
                ("in two classes", {**good, "classes": good["classes"] + [one]}),
                ("behind a higher one", {**good, "classes": [{"file": file, "ranks": "1,0"}]}),
                ("up to 63", {**good, "classes": [{"file": file, "ranks": "0-64"}]}),
                ("beside the index", {**good, "classes": [{"file": f"../traces/{file}", "ranks": "0-63"}]}),
                ("beside the index", {**good, "classes": [{"ranks": "0-63"}]}),
                ("beside the index", {**good, "classes": [5]}),
                ("No such file", {**good, "classes": [{"file": "none.et", "ranks": "0-63"}]}),
                ("members that agree", {"ranks": 64, "classes": good["classes"], "groups": good["groups"][1:]}),
                ("a second time", {**good, "groups": good["groups"] + [group]}),
                ("got member 64", {**good, "groups": [{**group, "ranks": [0, 64]}]}),
                ("without pg_name", {**good, "groups": [5]})):
            with self.subTest(message=message):
                path.write_text(json.dumps(index))
                refused(message, "import", "chakra", path)
        refused("--groups", "import", "chakra", path, "--groups", folder / "groups.json")
        done = run("export", "ti", "gpt3-125m", "dgx-h100-64", "--collapse", "-o", folder)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))

    def test_whole_microseconds(self):
        """Other readers find times, sizes and groups where the schema has them."""
        folder = self.folder / "traces"
        program = self.write('<groups name="g" ranks="0-1"/><ranks list="0-1"><compute time="1.4ms"/>'
                             '<all-gather group="g" bytes="3MB"/></ranks>')
        self.taken("export", "chakra", program, self.machine, "-o", folder)
        self.assertEqual(json.loads((folder / "groups.json").read_text()), {"1": [0, 1]})
        data = (folder / "trace.1.et").read_bytes()
        self.assertIn(number(3, COMPUTE) + number(7, 1400), data)
        self.assertIn(attribute("comm_type", ALL_GATHER) + attribute("comm_size", 1_500_000)
                      + attribute("pg_name", "1"), data)

    def test_other_readers(self):
        """ASTRA-sim ends on nodes of metadata, and never issues what depends on nodes that do nothing: there are none."""
        folder = self.folder / "traces"
        program = self.write('<groups name="g" ranks="0-1"/><ranks list="0-1"><repeat times="2"><compute time="2us"/>'
                             '<all-reduce group="g" bytes="3MB" queue="q"/><compute time="3us"/><wait for="q"/></repeat>'
                             '<compute time="4us"/></ranks>')
        self.taken("export", "chakra", program, self.machine, "-o", folder)
        data, found, at = (folder / "trace.0.et").read_bytes(), {}, 0
        while at < len(data):
            length, at = read_varint(data, at)
            message, at = data[at:at + length], at + length
            fields = dict(read_fields(message))
            if isinstance(fields[1], int):
                found[fields[1]] = (fields[3], sorted(read_ids(fields.get(4, b"")) + read_ids(fields.get(5, b""))), fields.get(7, 0))
        kinds = {id_: (kind, micros) for id_, (kind, _, micros) in found.items()}
        self.assertEqual(list(kinds.values()), [(COMPUTE, 2), (COLLECTIVE, 0), (COMPUTE, 3)] * 2 + [(COMPUTE, 4)])
        ids = list(found)
        waits = [[ids.index(id_) for id_ in deps] for _, deps, _ in found.values()]
        self.assertEqual(waits, [[], [0], [0], [1, 2], [1, 3], [3], [4, 5]])

    def test_uneven_experts(self):
        refused("loads differ", "export", "chakra", "mixtral-8x7b", "dgx-h100-64", "--set=skew=0.5", "-o",
                           self.folder / "traces")


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--all"])
