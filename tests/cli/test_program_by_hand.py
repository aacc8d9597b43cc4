#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs by hand: times that follow from links and kernels, what is refused, and that a plan's
program, written down and read again, takes the plan's time.

    test_program_by_hand.py [--all]     more plans are drawn

Environment: LIGHTPATH (the built program)."""
import json
import pathlib
import random
import sys
import tempfile
import unittest

import command
from command import run

ALL = "--all" in sys.argv
N_DRAWN = 300 if ALL else 12
# Domains of eight: a port of 100 GB/s and 1 us at each end of a message, two links.
MACHINE = ("--system=generic", "--accelerators=16", "--domain-size=8", "--domain-bandwidth=100GBps",
           "--domain-latency=1us", "--scale-out-bandwidth=10GBps", "--scale-out-latency=2us")
DOMAIN_S, DOMAIN_RATE = 2e-6, 100e9
EVERY = [(collapse, fidelity) for collapse in ("on", "off") for fidelity in ("flow", "message")]


class Case(command.Case):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.machine = self.folder / "machine.xml"
        self.taken("platform", "generate", *MACHINE, "-o", self.machine)

    def write(self, content, ranks=2, name="p.xml", more='library="single-ring"'):
        path = self.folder / name
        path.write_text(f'<program name="p" ranks="{ranks}" {more}>\n{content}\n</program>\n')
        return path

    def simulate(self, path, *options, machine=None):
        where = str(machine or self.machine).split()
        return json.loads(self.taken("simulate", path, *where, "--format=json", *options))

    def check_time(self, content, seconds, ranks=2, delta=1e-12):
        """With and without collapse, in both fidelities: a lone transfer is the same in both."""
        path = self.write(content, ranks)
        for collapse, fidelity in EVERY:
            with self.subTest(content=content, collapse=collapse, fidelity=fidelity):
                found = self.simulate(path, f"--collapse={collapse}", f"--fidelity={fidelity}")["simulated"]
                self.assertAlmostEqual(found["iteration_time_s"] / seconds, 1.0, delta=delta)
                self.assertAlmostEqual(sum(found["terms_s"].values()) / seconds, 1.0, delta=1e-9)


class Times(Case):
    def test_chain(self):
        self.check_time('<ranks list="0-1"><compute time="1ms"/><compute time="2500us"/></ranks>', 3.5e-3)

    def test_message(self):
        """One link, alone: latency and bytes over the rate."""
        self.check_time('<ranks list="0"><compute time="1ms"/><send to="1" bytes="50MB"/></ranks>'
                        '<ranks list="1"><receive from="0" bytes="50MB"/><compute time="1ms"/></ranks>',
                        2e-3 + DOMAIN_S + 50e6 / DOMAIN_RATE)

    def test_two_on_a_port(self):
        """Two messages to one port share it."""
        self.check_time('<ranks list="0-1"><send to="2" bytes="50MB"/></ranks>'
                        '<ranks list="2"><receive from="0" bytes="50MB"/><receive from="1" bytes="50MB"/></ranks>',
                        DOMAIN_S + 2 * 50e6 / DOMAIN_RATE, ranks=3, delta=1e-9)

    def test_repeat(self):
        """The receiver of a pipeline of two waits for the first message alone."""
        hop_s = DOMAIN_S + 10e6 / DOMAIN_RATE
        self.check_time('<ranks list="0"><repeat times="5"><compute time="1ms"/><send to="1" bytes="10MB"/></repeat>'
                        '</ranks><ranks list="1"><repeat times="5"><receive from="0" bytes="10MB"/>'
                        '<compute time="2ms"/></repeat></ranks>', 1e-3 + hop_s + 5 * 2e-3)

    def test_nested_blocks(self):
        self.check_time('<block name="b"><compute time="1ms"/></block><ranks list="0-1"><repeat times="3">'
                        '<run block="b" times="4"/><compute time="2ms"/></repeat></ranks>', 18e-3)

    def test_rates(self):
        """A roofline at what products and streams reach, and the launch."""
        done = [self.simulate(self.write(f'<ranks list="0-1"><compute {rates}/></ranks>'))
                ["simulated"]["iteration_time_s"] for rates in ('flop="0" bytes="0B"', 'flop="1e12"',
                                                                'bytes="1GB"', 'flop="1e12" bytes="1GB"')]
        launch_s, flop_s, bytes_s = done[0], done[1] - done[0], done[2] - done[0]
        self.assertAlmostEqual((done[3] - launch_s) / max(flop_s, bytes_s), 1.0, delta=1e-12)
        # 312 TFLOP/s and 2,039 GB/s (NVIDIA A100 datasheet), of which kernels reach 60 to 100 %.
        self.assertTrue(0.6 < 1e12 / 312e12 / flop_s <= 1.0 and 0.6 < 1e9 / 2039e9 / bytes_s <= 1.0)

    def test_collectives(self):
        """Each takes what `lightpath collective` says of it."""
        for operation in ("all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast", "reduce",
                          "barrier"):
            for library, fidelity in (("single-ring", "flow"), ("nccl-ampere", "flow"), ("nccl-ampere", "message")):
                size = [] if operation == "barrier" else ["--bytes=64MiB"]
                alone = json.loads(self.taken(
                    "collective", operation, self.machine, *size, "--ranks=16", f"--library={library}",
                    f"--fidelity={fidelity}", "--format=json"))["runs"][0]["time_s"]
                bytes_ = "" if operation == "barrier" else 'bytes="64MiB"'
                path = self.write(f'<groups name="g" size="16"/><ranks list="0-15"><{operation} group="g" {bytes_}/>'
                                  '</ranks>', 16, more=f'library="{library}"')
                with self.subTest(operation=operation, library=library, fidelity=fidelity):
                    found = self.simulate(path, f"--fidelity={fidelity}")["simulated"]["iteration_time_s"]
                    self.assertAlmostEqual(found / alone, 1.0, delta=1e-9)

    def test_queues(self):
        """Queues run beside each other, and wait where they are told to, and only there."""
        ring_s = 2 * (DOMAIN_S + 0.5e6 / DOMAIN_RATE)
        group = '<groups name="g" ranks="0-1"/>'
        reduce = '<all-reduce id="r" queue="comm" group="g" bytes="1MB"/>'
        for body, seconds in (
                # Launched behind the first millisecond, and hidden behind the second.
                (f'<compute time="1ms"/>{reduce}<compute time="1ms"/>', 2e-3),
                (f'<compute time="1ms"/>{reduce}<compute time="1us"/><compute time="1ms" after="r"/>', 2e-3 + ring_s),
                (f'<compute time="1ms"/>{reduce}<compute time="1us"/><wait for="comm"/><compute time="1ms"/>',
                 2e-3 + ring_s),
                (f'<compute time="1ms"/>{reduce}<all-reduce queue="comm" group="g" bytes="1MB"/>'
                 '<wait for="comm" left="1"/><compute time="1ms"/>', 2e-3 + ring_s),
                # The end of an iteration is that of all its queues.
                (f'<compute time="1ms"/>{reduce}', 1e-3 + ring_s),
                # Kernels on two queues, the second free from the start.
                ('<compute time="3ms"/><compute time="2ms" queue="side" after=""/>', 3e-3),
                ('<compute id="a" time="1ms"/><compute time="2ms"/><compute time="2ms" queue="side" after="a"/>', 3e-3),
                ('<compute time="1ms"/><compute time="2ms"/><compute time="2ms" queue="side"/>', 5e-3),
                # One queue behind another, while the compute queue goes on.
                ('<compute id="x" time="2ms" queue="one"/><compute id="y" time="2ms" queue="two" after="x"/>'
                 '<compute time="1ms"/><compute time="1ms" after="y"/>', 5e-3),
                ('<compute time="2ms" queue="one"/><wait queue="two" for="one"/><compute time="2ms" queue="two"/>'
                 '<compute time="3ms"/>', 4e-3)):
            self.check_time(group + f'<ranks list="0-1">{body}</ranks>', seconds, delta=1e-9)

    def test_host(self):
        """What is handed out costs the host, in the order of the file, and nothing starts before."""
        ring_s = 2 * (DOMAIN_S + 0.5e6 / DOMAIN_RATE)
        reduce = '<all-reduce queue="{}" group="{}" bytes="1MB"/>'
        self.check_time('<host collective="1ms"/><groups name="g" size="2"/><groups name="h" size="2"/>'
                        f'<ranks list="0-1">{reduce.format("one", "g")}{reduce.format("two", "h")}<wait for="one"/>'
                        f'{reduce.format("two", "h")}<wait for="two"/></ranks>', 2e-3 + ring_s, delta=1e-9)
        # Of two queues that could begin, the second is handed something first.
        self.check_time('<host/><groups name="g" size="2"/><ranks list="0-1"><compute queue="one" time="0s"/>'
                        '<all-reduce queue="two" group="g" bytes="300MB"/>'
                        '<compute queue="one" time="1us" host="1ms"/></ranks>',
                        2 * (DOMAIN_S + 150e6 / DOMAIN_RATE), delta=1e-9)

    def test_sends_on_a_queue(self):
        wire_s = DOMAIN_S + 100e6 / DOMAIN_RATE
        self.check_time('<ranks list="0"><send queue="out" to="1" bytes="100MB"/><compute time="5ms"/></ranks>'
                        '<ranks list="1"><compute time="500us"/><receive from="0" bytes="100MB"/></ranks>', 5e-3)
        self.check_time('<ranks list="0"><send id="s" queue="out" to="1" bytes="100MB"/><compute time="5us"/>'
                        '<compute time="1ms" after="s"/></ranks>'
                        '<ranks list="1"><receive from="0" bytes="100MB"/></ranks>', wire_s + 1e-3)

    def test_all_to_one(self):
        """Ranks that do the same and cannot share a line are told apart."""
        receives = "".join(f'<receive from="{rank}" bytes="1MB"/>' for rank in range(7))
        self.check_time(f'<ranks list="0-6"><send to="7" bytes="1MB"/></ranks><ranks list="7">{receives}</ranks>',
                        DOMAIN_S + 7e6 / DOMAIN_RATE, ranks=8, delta=1e-9)


class Everywhere(Case):
    """A program goes where workloads go."""

    def program(self):
        return self.write('<groups name="rows" class="ep" size="8"/><groups name="all" size="16"/>'
                          '<ranks list="0-15"><repeat times="2"><compute time="100us"/>'
                          '<all-to-all queue="x" group="rows" bytes="8MB"/>'
                          '<all-reduce queue="y" group="all" bytes="8MB"/><compute time="100us"/><wait for="x"/>'
                          '<wait for="y"/></repeat></ranks>', 16)

    def test_collapse(self):
        machine = self.folder / "narrow.xml"
        self.taken("platform", "generate", "--system=generic", "--accelerators=64", "--oversubscription=4",
                      "-o", machine)
        for path in (self.program(), "dlrm"):
            for fidelity in ("flow", "message"):
                times = [self.simulate(path, f"--collapse={collapse}", f"--fidelity={fidelity}", machine=machine)
                         ["simulated"]["iteration_time_s"] for collapse in ("on", "off")]
                self.assertAlmostEqual(times[0] / times[1], 1.0, delta=1e-6)

    def test_contention(self):
        """Both exchanges leave by one port: what one command says, the other does."""
        run = self.simulate("dlrm", machine="dgx-h100-64")
        whole = json.loads(self.taken("contention", "dlrm", "dgx-h100-64", "--format=json"))
        self.assertGreater(run["difference"]["contention_s"], 1e-6)
        self.assertAlmostEqual(run["difference"]["contention_s"] / whole["total_s"], 1.0, delta=1e-6)
        pairs = {(pair["delayed"], pair["by"]): pair["seconds"] for pair in whole["pairs_s"]}
        self.assertGreater(pairs["ep", "dp"], 0.9 * whole["total_s"])

    def test_closed_form(self):
        """There is none, and what there is not is absent."""
        found = self.simulate(self.program())
        self.assertIn("program by hand", found["no_closed_form"])
        self.assertFalse({"closed_form", "amped", "memory"} & set(found) or {"mfu", "tokens_per_s"} &
                         set(found["simulated"]))
        self.assertIn("closed form none", self.taken("simulate", self.program(), self.machine))
        plan = self.simulate("gpt3-125m", "--plan=fit")
        self.assertTrue({"closed_form", "amped", "memory"} <= set(plan) and {"mfu", "tokens_per_s"} <=
                        set(plan["simulated"]) and "parts" in plan["difference"])
        for command, *rest in (("estimate",), ("goodput",), ("search",), ("simulate", "--plan=fit")):
            done = run(command, self.program(), self.machine, *rest)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"^lightpath: .*p\.xml: got a program by hand, wanted a Transformer: .*\n$")

    def test_files(self):
        """Page, tables and traces; the timeline holds what the program does."""
        names = [self.folder / name for name in ("page.html", "trace.json", "trace.paje", "tables")]
        self.taken("simulate", self.program(), self.machine, f"--report={names[0]}", f"--trace={names[1]}",
                   f"--paje={names[2]}", f"--csv={names[3]}")
        self.assertNotIn("NaN", names[0].read_text().split("<script")[0])
        self.assertIn("no_closed_form", names[0].read_text())
        self.assertNotIn("plot-kernels", names[0].read_text())
        self.assertNotIn("closed_form", (names[3] / "terms.csv").read_text())
        timeline = (names[3] / "timeline.csv").read_text()
        self.assertEqual((timeline.count("all-to-all"), timeline.count("all-reduce")), (2, 2))
        events = json.loads(names[1].read_text())["traceEvents"]
        self.assertEqual(sum(event.get("name") == "all-reduce" for event in events), 2)

    def test_compare(self):
        found = json.loads(self.taken("compare", self.program(), self.machine, "dgx-h100-64", "--format=json"))
        self.assertEqual(len(found["runs"]), 2)
        self.assertGreater(found["speedup"][1], 1.0)

    def test_scenario(self):
        """A job of a scenario; beside another on the same leaves it is no faster."""
        program = self.program()
        scenario = self.folder / "s.xml"
        scenario.write_text(f'<scenario name="s"><job name="a" workload="{program}" accelerators="0-7,16-23"/>'
                            f'<job name="b" workload="{program}" library="single-ring" accelerators="8-15,24-31" '
                            'iterations="2"/><job name="dlrm" workload="dlrm" first="32"/>'
                            '<straggler job="a" ranks="3" factor="2"/></scenario>')
        for collapse in ("on", "off"):
            jobs = self.simulate(scenario, f"--collapse={collapse}", machine="dgx-h100-64")["jobs"]
            alone = self.simulate("dlrm", machine="dgx-h100-64")["simulated"]["iteration_time_s"]
            self.assertAlmostEqual(jobs[2]["alone_s"] / alone, 1.0, delta=1e-9)
            # The slow rank computes twice as long before each exchange, and all wait for it; what it
            # computes beside them stays hidden.
            self.assertAlmostEqual(jobs[0]["difference"]["stragglers_s"], 2 * 100e-6, delta=1e-9)

    def test_circuits(self):
        """Waiting for circuits is on the path, and its own term."""
        machine = self.folder / "circuits.xml"
        path = self.write('<groups name="ring" size="16"/><groups name="pairs" class="tp" size="2" stride="8"/>'
                          '<ranks list="0-15"><repeat times="2"><all-reduce group="ring" bytes="8MB"/>'
                          '<all-reduce group="pairs" bytes="8MB"/></repeat></ranks>', 16)
        times = []
        for dead in ("0us", "1ms"):
            self.taken("platform", "generate", "--system=optical-substrate", "--accelerators=16",
                          "--policy=demand", f"--reconfiguration-time={dead}", "-o", machine)
            found = self.simulate(path, machine=machine)
            times.append(found["simulated"]["iteration_time_s"])
        self.assertGreater(found["circuits"]["reconfigurations"], 0)
        self.assertGreater(times[1], times[0] + 0.9e-3)
        self.assertGreater(found["simulated"]["terms_s"]["reconfiguration"], 0.9e-3)

    def test_sums(self):
        """The shipped DLRM: three times the forward FLOP, and an all-to-all of all rows."""
        text = self.taken("characterize", "dlrm", "--format=json")
        rows = {row["operation"]: row for row in json.loads(text)["operations"]}
        self.assertEqual(rows["all-to-all"]["calls"], 2)
        self.assertEqual(rows["all-to-all"]["buffer_bytes"] / 2, 2048 * 26 * 128 * 2)
        weights = 13 * 512 + 512 * 256 + 256 * 128 + 479 * 1024 + 1024 * 1024 + 1024 * 512 + 512 * 256 + 256
        biases = 512 + 256 + 128 + 1024 + 1024 + 512 + 256 + 1
        self.assertEqual(rows["all-reduce"]["buffer_bytes"], 4 * (weights + biases))


REFUSED = (
    ('<ranks list="0-3"><frobnicate/></ranks>', "frobnicate"),
    ('<ranks list="0-3"><compute time="1s" colour="red"/></ranks>', "colour"),
    ('<ranks list="0-4"/>', "got rank 4, wanted one of the program's 4"),
    ('<ranks list="0-2"/>', "rank 3"),
    ('<ranks list="0-3"/><ranks list="2"/>', "got rank 2 a second time"),
    ('<groups name="x" ranks="0-9"/><ranks list="0-3"/>', "got rank 4"),
    ('<groups name="x" size="3"/><ranks list="0-3"/>', "divide the 4 ranks"),
    ('<groups name="x"/><ranks list="0-3"/>', "wanted one of them"),
    ('<groups name="g" size="2"/><ranks list="0-3"/>', "g a second time"),
    ('<ranks list="0-3"><send to="9" bytes="1MB"/></ranks>', "got rank 9 for rank 0"),
    ('<ranks list="0-3"><send to="+1" bytes="1MB"/></ranks>', "got rank 4 for rank 3"),
    ('<ranks list="0-3"><send to="x" bytes="1MB"/></ranks>', 'got "x", wanted a rank'),
    ('<ranks list="0-3"><compute id="a" time="1s" after="b"/><compute id="b" queue="q" time="1s" after="a"/></ranks>',
     "cycle of dependencies"),
    ('<ranks list="0-3"><compute id="a" time="1s" after="a"/></ranks>', "cycle of dependencies"),
    ('<ranks list="0-3"><compute id="a" time="1s"/><compute id="a" time="1s"/></ranks>', "got a a second time"),
    ('<ranks list="0-3"><compute time="1s" after="z"/></ranks>', 'got "z", wanted the id'),
    ('<ranks list="0"><send to="1" bytes="1B"/></ranks><ranks list="1-3"/>', "rank 1 does not receive"),
    ('<ranks list="1"><receive from="0" bytes="1B"/></ranks><ranks list="0,2-3"/>', "no rank sends"),
    ('<ranks list="0"><send to="1" bytes="1B"/></ranks><ranks list="1"><receive from="0" bytes="2B"/></ranks>'
     '<ranks list="2-3"/>', "got 2 B, wanted the 1 B that are sent"),
    ('<ranks list="0"><receive from="1" bytes="1B"/><send to="1" bytes="1B"/></ranks>'
     '<ranks list="1"><receive from="0" bytes="1B"/><send to="0" bytes="1B"/></ranks><ranks list="2-3"/>',
     "rank 1 does not send"),
    ('<ranks list="0-2"><all-reduce group="g" bytes="1B"/></ranks><ranks list="3"><all-gather group="g" bytes="1B"/>'
     '</ranks>', "wanted members that agree"),
    ('<ranks list="0-2"><all-reduce group="g" bytes="1B"/></ranks><ranks list="3"><all-reduce group="g" bytes="2B"/>'
     '</ranks>', "wanted members that agree"),
    ('<ranks list="0-2"><all-reduce group="g" bytes="1B"/></ranks><ranks list="3"/>', "waits for ever for rank 3"),
    *((f'<groups name="h" ranks="0-3"/><ranks list="0-2"><all-reduce {queue} group="g" bytes="1B"/></ranks>'
       f'<ranks list="3"><all-reduce {queue} group="h" bytes="1B"/></ranks>', "waits for ever for rank 3")
      for queue in ("", 'queue="q"')),
    ('<groups name="x" ranks="0-1"/><groups name="y" ranks="0-1"/>'
     '<ranks list="0"><all-reduce group="x" bytes="1B"/><all-reduce group="y" bytes="1B"/></ranks>'
     '<ranks list="1"><all-reduce group="y" bytes="1B"/><all-reduce group="x" bytes="1B"/></ranks>'
     '<ranks list="2-3"/>', "waits for ever"),
    ('<groups name="x" ranks="0-1"/><ranks list="0-3"><all-reduce group="x" bytes="1B"/></ranks>',
     "in which rank 2 is not"),
    ('<ranks list="0-3"><all-reduce group="h" bytes="1B"/></ranks>', "got h, wanted the name of <groups>"),
    ('<ranks list="0-3"><all-reduce group="g" bytes="-1B"/></ranks>', "is negative"),
    ('<ranks list="0-3"><all-reduce group="g" bytes="1e30B"/></ranks>', "out of range"),
    ('<ranks list="0-3"><all-reduce group="g" bytes="1.5B"/></ranks>', "wanted whole bytes"),
    ('<ranks list="0-3"><repeat times="100"><all-reduce group="g" bytes="8PB"/></repeat></ranks>', "moves up to"),
    ('<ranks list="0-3"><compute time="-1s"/></ranks>', "is negative"),
    ('<ranks list="0-3"><compute time="nan"/></ranks>', "is not a time"),
    ('<ranks list="0-3"><compute time="1e300s"/></ranks>', "out of range"),
    ('<ranks list="0-3"><compute flop="nan"/></ranks>', "is not a number"),
    ('<ranks list="0-3"><compute flop="1e40"/></ranks>', "out of range"),
    ('<ranks list="0-3"><compute/></ranks>', "wanted time, or flop and bytes"),
    ('<ranks list="0-3"><compute time="1s" flop="1"/></ranks>', "wanted time, or flop and bytes"),
    ('<ranks list="0-3"><repeat times="0"><compute time="1s"/></repeat></ranks>', '"0" is out of range'),
    ('<ranks list="0-3"><repeat times="1000000"><repeat times="1000000"><compute time="1s"/></repeat></repeat>'
     '</ranks>', "got 2e+12 operations"),
    ('<block name="b"><run block="b"/></block><ranks list="0-3"><run block="b"/></ranks>', "got b, wanted the name"),
    ('<ranks list="0-3"><receive queue="q" from="+1" bytes="1B"/></ranks>', "wanted none"),
    ('<ranks list="0-3"><wait for="compute"/></ranks>', "wanted another"),
    ('<ranks list="0-3">' + "".join(f'<compute time="1s" queue="q{i}"/>' for i in range(5)) + "</ranks>",
     "at most 5"),
    ('<ranks list="0-3"><compute time="0s"/></ranks>', "wanted one that takes time"),
)


class Refused(Case):
    def test_one_line(self):
        for content, message in REFUSED:
            path = self.write('<groups name="g" ranks="0-3"/>\n' + content, 4)
            for command in (("simulate", path, self.machine), ("workload", "check", path)):
                if "takes time" in message and command[0] == "workload":
                    continue
                with self.subTest(content=content, command=command[0]):
                    done = run(*command)
                    self.assertEqual((done.returncode, done.stdout), (1, ""))
                    self.assertRegex(done.stderr, r"^lightpath: \S*p\.xml:[13]: [^\n]*\n$")
                    self.assertIn(message, done.stderr)

    def test_settings(self):
        path = self.write('<ranks list="0-1"><compute time="1s"/></ranks>')
        done = run("simulate", path, self.machine, "--set", "tp=2")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn("--set tp=2: got an attribute of Transformers", done.stderr)
        found = self.simulate(path, "--set", "library=nccl-ampere")
        self.assertEqual(found["plan"]["library"], "nccl-ampere")
        done = run("simulate", self.write('<ranks list="0-98"/>', 99), self.machine)
        self.assertIn("got a program of 99 ranks, wanted at most the 16", done.stderr)


def draw(generator):
    """A small plan and a machine, or None where they cannot be."""
    choose = generator.choice
    tp, pp, cp, dp = choose([1, 2, 4]), choose([1, 1, 2, 4]), choose([1, 1, 2]), choose([1, 2, 4])
    schedule = choose(["gpipe", "1f1b", "interleaved", "zero-bubble", "dualpipe"]) if pp > 1 else "1f1b"
    settings = {"layers": 8, "hidden": 1024, "heads": 16, "seq": 512, "vocab": 8192, "tp": tp, "pp": pp, "cp": cp,
                "dp": dp, "micro-batch": 1, "global-batch": dp * choose([1, 2, 4]) * (2 if pp > 1 else 1),
                "schedule": schedule, "recompute": choose(["none", "selective", "full"]),
                "zero": choose([0, 1, 2, 3]), "overlap-dp": choose(["yes", "no"]),
                "overlap-tp": choose(["no", "yes", "bulk"]), "overlap-pp": choose(["yes", "no"])}
    others = {"overlap-param": "yes", "host-sync": choose(["none", "messages", "passes", "kernels"]),
              "slowdown": 1.3, "library": "single-ring", "placement": "scattered",
              "experts": 8, "cp-kind": "ulysses", "sequence-parallel": "yes"}
    settings.update({name: value for name, value in others.items() if generator.random() < 0.3})
    if "experts" in settings:
        settings.update({"top-k": 2, "ep": choose([1, 2, 4, 8])})
    if schedule == "interleaved":
        settings["virtual-stages"] = 2
    machine = choose(["dgx-a100-1024", "dgx-h100-64", "polaris-64", "optical-substrate-1024",
                      "--system=generic --accelerators=64 --oversubscription=4",
                      "--system=rail-only --accelerators=64",
                      "--system=optical-substrate --accelerators=64 --policy=demand --reconfiguration-time=10us"])
    return machine, [f"--set={name}={value}" for name, value in settings.items()]


class WrittenDown(Case):
    """A plan's program, written and read again, is the same run: rounding of 1e-9 at most. It has
    other groups than the plan, so that less of it is left out by --collapse."""

    def test_drawn(self):
        generator = random.Random(44)
        n_same = n_tried = 0
        while n_same < N_DRAWN:
            n_tried += 1
            self.assertLess(n_tried, 20 * N_DRAWN)
            machine, settings = draw(generator)
            fidelity = generator.choice(["flow", "flow", "message"])
            collapse = [generator.choice(["on", "off"]) for _ in range(2)]
            plan = run("simulate", "gpt3-125m", *machine.split(), *settings, "--ignore-memory", "--format=json",
                             f"--fidelity={fidelity}", f"--collapse={collapse[0]}")
            if plan.returncode != 0:
                continue
            path = self.folder / "w.xml"
            self.taken("workload", "program", "gpt3-125m", *machine.split(), *settings, "-o", path)
            with self.subTest(machine=machine, settings=settings, fidelity=fidelity, collapse=collapse):
                wanted = json.loads(plan.stdout)["simulated"]
                found = self.simulate(path, f"--fidelity={fidelity}", f"--collapse={collapse[1]}", machine=machine)
                found = found["simulated"]
                self.assertAlmostEqual(found["iteration_time_s"] / wanted["iteration_time_s"], 1.0, delta=1e-9)
                n_same += 1

    def test_written_again(self):
        """What is by hand is written as itself."""
        first, second = self.folder / "first.xml", self.folder / "second.xml"
        self.taken("workload", "program", "dlrm", "dgx-h100-64", "-o", first)
        self.taken("workload", "program", first, "dgx-h100-64", "-o", second)
        times = [self.simulate(path, machine="dgx-h100-64")["simulated"]["iteration_time_s"]
                 for path in ("dlrm", first, second)]
        self.assertAlmostEqual(times[1] / times[0], 1.0, delta=1e-9)
        self.assertAlmostEqual(times[2] / times[0], 1.0, delta=1e-9)

    def test_uneven_experts(self):
        done = run("workload", "program", "mixtral-8x7b", "dgx-h100-64", "--set=skew=0.5")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1))
        self.assertIn("loads differ", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--all"])
