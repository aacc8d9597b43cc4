#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lightpath goodput as people type it: published figures, agreement of closed form and Monte Carlo,
the same bytes for the same seed, and what is refused.

Environment: LIGHTPATH (the built program)."""
import itertools
import json
import pathlib
import sys
import tempfile
import time
import unittest

from command import Case, generate, run

JOB = ("llama-3-8b", "dgx-h100-64", "--set=dp=56", "--set=global-batch=112", "--iteration-time=1s")
FREE = ("--checkpoint-time=0s", "--checkpoint-size=0B", "--detection-time=0s",
        "--scheduling-time=0s")


def stretches(up, hops):
    """Blocks that are up and within reach of each other, in a line."""
    found = []
    for block in (i for i, is_up in enumerate(up) if is_up):
        if found and block - found[-1][-1] <= hops:
            found[-1].append(block)
        else:
            found.append([block])
    return found


def regrouped(n, group, hops, slices, availability):
    """Slices of one group that are there in the mean, where groups are formed anew in each state: over all 2^n."""
    return sum(min(slices, sum(len(stretch) // group for stretch in stretches(up, hops)))
               * availability ** sum(up) * (1 - availability) ** (n - sum(up))
               for up in itertools.product((True, False), repeat=n))


def first_fit(up, slices, group, hops, most):
    """The slices with as many more as fit around them, each of the first blocks that are free."""
    taken = list(slices)
    while len(taken) < most:
        free = [is_up and all(i not in one for one in taken) for i, is_up in enumerate(up)]
        fit = next((tuple(stretch[:group]) for stretch in stretches(free, hops) if len(stretch) >= group), None)
        if fit is None:
            break
        taken.append(fit)
    return tuple(sorted(taken))


def never_moved(n, group, hops, slices, availability):
    """The same in the long run of jobs that keep their blocks until one fails: the stationary state of the Markov
    chain of what is up and who has which blocks; repairs at rate 1."""
    failure = 1 / availability - 1
    start = ((True,) * n, first_fit((True,) * n, (), group, hops, slices))
    following, todo = {}, [start]
    while todo:
        state = todo.pop()
        if state in following:
            continue
        up, jobs = state
        following[state] = []
        for block in range(n):
            changed = up[:block] + (not up[block],) + up[block + 1:]
            kept = [job for job in jobs if block not in job]
            after = (changed, first_fit(changed, kept, group, hops, slices))
            following[state].append((after, failure if up[block] else 1.0))
            todo.append(after)
    step = 0.5 / (n * max(1.0, failure))  # less than one over a state's rates, or shares would swing
    share = dict.fromkeys(following, 1 / len(following))
    for _ in range(3000):
        moved = dict.fromkeys(following, 0.0)
        for state, value in share.items():
            leaving = 0.0
            for after, rate in following[state]:
                moved[after] += value * rate * step
                leaving += rate * step
            moved[state] += value * (1 - leaving)
        change = max(abs(moved[state] - share[state]) for state in share)
        share = moved
        if change < 1e-9:
            break
    return sum(value * len(state[1]) for state, value in share.items())


class Goodput(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def taken(self, *words):
        return super().taken("goodput", *words)

    def result(self, *words):
        return json.loads(self.taken(*words, "--format=json"))

    def refused(self, status, part, *words):
        super().refused(status, part, "goodput", *words)

    def machine(self, system, n):
        path = pathlib.Path(self.folder.name) / f"{system}-{n}.xml"
        if not path.exists():
            generate(path, f"--system={system} --accelerators={n}")
        return path

    def test_sum(self):
        """Goodput and losses are all of the period, in each column."""
        result = self.result(*JOB, "--runs=20")
        for column in (result, result["closed_form"]):
            self.assertAlmostEqual(
                column["goodput"] + sum(column["lost_s"].values()) / result["period_s"], 1.0, 9)
            self.assertAlmostEqual(column["goodput"], column["slice_goodput"] * 56 / 64, 12)

    def test_tokens(self):
        """Work in iterations of a second, 112 sequences of 8,192 tokens each."""
        result = self.result(*JOB, "--runs=20")
        seconds = result["slice_goodput"] * result["period_s"]
        self.assertAlmostEqual(result["tokens"] / (seconds * 112 * 8192), 1.0, 12)

    def test_seed(self):
        self.assertEqual(self.taken(*JOB), self.taken(*JOB, "--seed=1", "--runs=1000"))
        self.assertNotEqual(self.taken(*JOB), self.taken(*JOB, "--seed=2"))

    def test_agreement(self):
        """Of twenty seeds nineteen hold the closed form on average; fewer than fourteen do once in
        three hundred thousand times."""
        answers = [self.result(*JOB, "--runs=50", f"--seed={seed}")["agreement"]
                   for seed in range(20)]
        self.assertGreaterEqual(answers.count("yes"), 14, answers)

    def test_month(self):
        """A month of 4,096 accelerators, simulation included, in ten seconds."""
        platform = self.machine("dgx-h100", 4160)
        began = time.monotonic()
        result = self.result("gpt3-175b", platform, "--set=dp=64", "--set=global-batch=1536")
        self.assertLess(time.monotonic() - began, 10.0)
        self.assertEqual((result["ranks"], result["period_s"], result["iteration_time"]),
                         (4096, 30 * 86400, "simulated"))
        simulated = json.loads(run("simulate", "gpt3-175b", platform, "--set=dp=64",
                                   "--set=global-batch=1536", "--format=json").stdout)
        self.assertAlmostEqual(result["iteration_time_s"],
                               simulated["simulated"]["iteration_time_s"], 12)

    def test_llama_3(self):
        """419 unexpected interruptions in 54 days on 16,384 accelerators, and more than 90 % of the
        time for work (arXiv 2407.21783)."""
        result = self.result("llama-3-405b", self.machine("dgx-h100", 16384), "--days=54",
                             "--spares=16", "--iteration-time=10s", "--runs=50")
        self.assertAlmostEqual(result["interruptions_per_s"] * 54 * 86400, 419, 6)
        self.assertAlmostEqual(result["interruptions"], 419, delta=15)
        self.assertGreater(result["slice_goodput"], 0.90)
        self.assertLess(result["slice_goodput"], 0.95)

    def test_tpu_v4(self):
        """Slices of half and of three quarters of 4,096 chips (Jouppi et al., ISCA 2023)."""
        platform = self.machine("tpu-v4", 4096)
        for chips, host, packing, least, most in (
                (2048, 0.990, "any", 0.495, 0.505), (2048, 0.995, "any", 0.495, 0.51),
                (3072, 0.990, "any", 0.73, 0.75), (3072, 0.995, "any", 0.745, 0.7501),
                (2048, 0.990, "fixed", 0.0, 0.02), (2048, 0.999, "fixed", 0.5, 0.7)):
            result = self.result(
                "llama-3-8b", platform, f"--set=dp={chips}", f"--set=global-batch={2 * chips}",
                "--reliability=tpu-v4", f"--part=host:availability={host}", "--slices=max",
                f"--packing={packing}", "--iteration-time=1s", "--runs=50", *FREE)
            with self.subTest(chips=chips, host=host, packing=packing):
                self.assertTrue(least <= result["goodput"] <= most, result["goodput"])
                self.assertTrue(least <= result["closed_form"]["goodput"] <= most)

    def test_bloom(self):
        """1 to 2 failures of GPUs a week, a checkpoint of 2.3 TB every 3 hours, of which a failure
        costs 1.5 on average (huggingface.co/blog/bloom-megatron-deepspeed)."""
        result = self.result("bloom-176b", self.machine("dgx-a100", 416), "--iteration-time=108s",
                             "--reliability=bloom-176b", "--checkpoint-interval=3h",
                             "--storage-bandwidth=100GBps", "--days=105", "--runs=100")
        weeks = 15 * 384 / 416
        self.assertTrue(1.0 < result["interruptions"] / weeks < 2.0)
        lost_h = result["closed_form"]["lost_s"]["lost_work"] / 3600
        self.assertAlmostEqual(lost_h / result["closed_form"]["interruptions"] * 416 / 384, 1.5,
                               delta=0.05)
        self.assertAlmostEqual(result["checkpoint"]["bytes"] / 2.3e12, 1.0, delta=0.08)

    def test_pods(self):
        """Eight NVL72 of which 64 are used: 18 hosts of four in a pod, 16 of them needed."""
        platform = self.machine("gb200-nvl72", 576)
        words = ("llama-3-70b", platform, "--set=tp=8", "--set=dp=64", "--set=micro-batch=1",
                 "--iteration-time=2s", "--host-size=4", "--runs=100", "--packing=pods",
                 "--pod=72", "--group=64")
        blocks = self.result(*words, "--block=4")["blocks"]
        self.assertEqual((blocks["all"], blocks["slice"], blocks["spares"], blocks["pod"],
                          blocks["group"]), (144, 128, 16, 18, 16))
        self.refused(2, "equal parts of one", *words, "--block=5")
        self.assertGreater(self.result(*words, "--block=4")["slice_goodput"], 0.95)

    def test_rings(self):
        """Hosts of four in k-hop rings of 32: farther reach is worth as much as any packing at last,
        and one hop is worth less than pods of 36 hosts."""
        platform = self.machine("gb200-nvl72", 576)
        words = ("llama-3-70b", platform, "--set=tp=8", "--set=dp=48", "--set=global-batch=48",
                 "--set=micro-batch=1",
                 "--iteration-time=2s", "--host-size=4", "--runs=50", "--block=4",
                 "--part=host:availability=0.97", "--checkpoint-time=0s")
        ways = [self.result(*words, "--packing=rings", "--group=32", f"--hops={hops}")
                for hops in (1, 2, 3, 100)]
        found = [way["closed_form"]["availability"] for way in ways]
        self.assertEqual(found, sorted(found))
        whole = self.result(*words)["closed_form"]["availability"]
        self.assertAlmostEqual(found[-1], whole, delta=1e-9)
        self.assertEqual((ways[1]["blocks"]["group"], ways[1]["blocks"]["hops"]), (8, 2))
        self.assertAlmostEqual(ways[1]["availability"], found[1], delta=0.02)

    def rings(self, n, group, hops, slices, availability, *words):
        """Of single accelerators, whose hosts fail."""
        path = pathlib.Path(self.folder.name) / f"line-{n}.xml"
        if not path.exists():
            done = run("platform", "generate", "--system=optical-substrate", f"--accelerators={n}", "--domain-size=1",
                       "-o", path)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        off = [f"--part={part}:mtbf=never" for part in ("accelerator", "card", "link", "software")]
        return self.result("gpt3-125m", path, "--set=tp=1", "--set=pp=1", f"--set=dp={group}",
                           f"--set=global-batch={group}", "--set=micro-batch=1", "--iteration-time=1s", "--host-size=1",
                           "--block=1", "--packing=rings", f"--hops={hops}", f"--group={group}", f"--slices={slices}",
                           *off, f"--part=host:availability={availability},repair=1h", *FREE, *words)

    def test_several_rings(self):
        """Jobs that are never moved leave gaps; what each way leaves is the exact share of time, by all states of the
        blocks and by the Markov chain of blocks and jobs. Of 18 means one lies outside of its interval, none of twice that."""
        apart = 0
        for n, group, hops, slices, availability in (
                (4, 2, 1, 2, 0.9), (6, 2, 1, 3, 0.9), (6, 2, 2, 3, 0.7), (7, 3, 2, 2, 0.9), (6, 2, 3, 2, 0.95),
                (8, 4, 2, 2, 0.9), (6, 3, 1, 1, 0.8), (5, 2, 2, 2, 0.5), (6, 2, 1, 2, 0.3)):
            exact = {"free": regrouped(n, group, hops, slices, availability) / slices,
                     "never": never_moved(n, group, hops, slices, availability) / slices}
            for way, wanted in exact.items():
                result = self.rings(n, group, hops, slices, availability, f"--regroup={way}", "--runs=200")
                with self.subTest(n=n, group=group, hops=hops, slices=slices, availability=availability, way=way):
                    self.assertAlmostEqual(result["closed_form"]["availability"] / exact["free"], 1.0, 12)
                    self.assertLess(abs(result["availability"] - wanted), 2 * result["half_width"]["availability"])
                    self.assertEqual(result["agreement"] == "bound", way == "never" and slices > 1)
                    self.assertEqual(result["blocks"]["regroup"], way)
            apart += exact["free"] - exact["never"] > 0.01
        self.assertGreater(apart, 3)

    def test_regrouped_machines(self):
        """Closed form and Monte Carlo agree where groups are formed anew, for machines that no enumeration reaches,
        restarts and checkpoints included."""
        platform = self.machine("gb200-nvl72", 576)
        for hops, group, up, part in itertools.product((1, 2, 4), (16, 64), (0.9, 0.97), (1,)):
            result = self.result("llama-3-70b", platform, "--set=tp=8", f"--set=dp={group * part // 8}",
                                 "--set=global-batch=64", "--set=micro-batch=1", "--iteration-time=2s", "--host-size=4",
                                 "--block=4", "--packing=rings", f"--hops={hops}", f"--group={group}", "--slices=max",
                                 "--regroup=free", f"--part=host:availability={up}", "--ignore-memory", "--runs=60",
                                 "--checkpoint-time=10s")
            with self.subTest(hops=hops, group=group, up=up, part=part):
                for figure in ("goodput", "availability", "interruptions"):
                    form, mean = result["closed_form"][figure], result[figure]
                    self.assertLess(abs(form - mean), 2 * result["half_width"][figure] + 2e-4 * form, figure)

    def test_without_failures(self):
        """1 less checkpoints."""
        off = [f"--part={part}:mtbf=never" for part in ("accelerator", "host", "card", "link",
                                                          "software")]
        result = self.result(*JOB, *off, "--checkpoint-interval=1h", "--checkpoint-time=60s",
                             "--runs=10")
        self.assertAlmostEqual(result["closed_form"]["slice_goodput"], 60 / 61, 12)
        self.assertAlmostEqual(result["slice_goodput"], 60 / 61, delta=1e-4)
        self.assertEqual((result["availability"], result["interruptions"]), (1.0, 0.0))
        self.assertIsNone(self.result(*JOB, *off, "--runs=10")["checkpoint"]["interval_s"])

    def test_same_content(self):
        """The text shows what JSON has."""
        text, result = self.taken(*JOB, "--runs=20"), self.result(*JOB, "--runs=20")
        for value in (result["goodput"] * 100, result["closed_form"]["goodput"] * 100,
                      result["half_width"]["goodput"] * 100, result["p5"]["goodput"] * 100,
                      result["lost_s"]["restart"] / 3600, result["tokens"] / 1e9):
            self.assertIn(f"{value:.3f}", text)
        for part in result["parts"]:
            self.assertIn(part["source"], text)

    def test_refused(self):
        for part, *words in (
                ("--days: \"0\" is out of range", "--days=0"), ("--days", "--days=-1"), ("--days", "--days=nan"),
                ("--days", "--days=1e9"), ("--runs", "--runs=1"), ("--runs", "--runs=x"),
                ("--seed", "--seed=-1"), ("--iteration-time", "--iteration-time=0s"),
                ("--iteration-time", "--iteration-time=1"), ("--block", "--block=12"),
                ("--block", "--block=128"), ("--block", "--block=0"),
                ("wanted whole parts", "--host-size=5"), ("--slices", "--slices=2"),
                ("--slices", "--slices=0"), ("--spares", "--spares=-1"),
                ("--packing", "--packing=tight"), ("--grid: got none", "--packing=contiguous"),
                ("--shape", "--packing=contiguous", "--grid=8"),
                ("--grid", "--packing=contiguous", "--grid=3x3", "--shape=7"),
                ("--grid", "--packing=contiguous", "--grid=2x2x2x1", "--shape=7"),
                ("--pod: got none", "--packing=pods"), ("--pod", "--packing=pods", "--pod=12"),
                ("--pod", "--packing=pods", "--pod=24"),
                ("--group", "--packing=pods", "--pod=32", "--group=16"),
                ("--group", "--packing=pods", "--pod=32"),
                ("--pod: got 32, wanted it with --packing=pods only", "--pod=32"),
                ("--hops: got none", "--packing=rings"), ("--hops", "--packing=rings", "--hops=0"),
                ("--group", "--packing=rings", "--hops=2", "--group=24"),
                ("--hops: got 2, wanted it with --packing=rings only", "--hops=2"),
                ("--regroup", "--packing=rings", "--hops=2", "--regroup=often"),
                ("--regroup: got free, wanted never", "--packing=contiguous", "--grid=8", "--shape=7", "--regroup=free"),
                ("--checkpoint-interval", "--checkpoint-interval=often"),
                ("--checkpoint-interval", "--checkpoint-interval=0s"),
                ("--checkpoint-size", "--checkpoint-size=-1B"),
                ("--storage-bandwidth", "--storage-bandwidth=0Bps"),
                ("--storage-bandwidth: got none", "--reliability=rsc-1"),
                ("--detection-time", "--detection-time=soon"),
                ("--runs: got 1000 runs of some", "--part=software:mtbf=0.001s"),
                ("--part", "--part=host"), ("--part", "--part=hots:mtbf=1h"),
                ("--part: ocs: got", "--part=ocs:mtbf=1h")):
            status = 1 if "ocs: got" in part else 2
            self.refused(status, part, *JOB, *words)
        self.refused(1, "--reliability", *JOB, "--reliability=lama-3")
        self.refused(1, "--reliability", *JOB, "--reliability=/nowhere.xml")
        self.refused(1, "is a scenario", "two-jobs", "dgx-h100-64")
        self.refused(2, "goodput", "llama-3-8b")
        self.refused(1, "ranks", "llama-3-8b", "dgx-h100-64", "--iteration-time=1s")


if __name__ == "__main__":
    sys.exit(unittest.main())
