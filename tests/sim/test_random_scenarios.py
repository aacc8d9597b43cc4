#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random scenarios: whatever jobs, traffic, slow ranks and failures there are, a run ends with a
result or with one line; leaving out what cannot matter changes nothing; a job whose own messages
do not meet is never faster beside others.

Environment: LIGHTPATH (the built program), LIGHTPATH_SCENARIOS (how many), LIGHTPATH_SEED (the first)."""
import json
import os
import pathlib
import random
import sys
import tempfile
import unittest

from command import run

COUNT = int(os.environ.get("LIGHTPATH_SCENARIOS", "30"))
FIRST = int(os.environ.get("LIGHTPATH_SEED", "0"))
PLATFORM = "dgx-h100-64"
SHAPE = ('layers="4" hidden="512" heads="8" ffn="2048" seq="512" vocab="1024" global-batch="16" '
         'micro-batch="1"')
# Both sides round some thousand sums and quotients.
COLLAPSE = 1e-6
# Senders that go on when their last message has arrived keep step or fall out of step by a rounding
# error, and stay so: bandwidths that are larger by 1e-13 move rank-by-rank runs by 2e-3.
CLOSED_LOOP = 1e-2
ROUNDING = 1e-9


def draw_job(draw, index, free):
    """One job on some of the accelerators @free, and perhaps slow ranks; nothing if it has no room."""
    degrees = [draw.choice((1, 2, 4)) for _ in range(3)]
    n_ranks = degrees[0] * degrees[1] * degrees[2]
    if n_ranks > len(free):
        return []
    own = [free.pop(0) for _ in range(n_ranks)]
    tp, pp, dp = degrees
    more = [draw.choice(("", 'overlap-dp="yes"')),
            draw.choice(("", "", 'overlap-pp="yes"')) if pp > 1 else "",
            draw.choice(("", "", 'overlap-tp="yes" sequence-parallel="yes"')) if tp > 1 else ""]
    elements = [f'<job name="j{index}" workload="gpt3-1.3b" {SHAPE} tp="{tp}" pp="{pp}" dp="{dp}" '
                f'{" ".join(more)} accelerators="{",".join(map(str, own))}" '
                f'start="{draw.randint(0, 3)}ms" iterations="{draw.choice((1, 1, 2))}"/>']
    if draw.random() < 0.3:
        elements.append(f'<straggler job="j{index}" factor="{1 + draw.random():.3f}" '
                        f'distribution="{draw.choice(("normal", "lognormal", "exponential"))}" '
                        f'jitter="0.1" seed="{draw.randint(0, 99)}"/>')
    return elements


def draw_traffic(draw, index):
    some = draw.sample(range(64), draw.randint(2, 12))
    pattern = draw.choice(("permutation", "uniform", "pairs", "incast", "all-to-all"))
    # Four senders of at most a fifth do not fill a port, behind which messages would pile up.
    some = some[:5] if pattern == "incast" else some
    return (f'<traffic name="t{index}" '
            f'pattern="{pattern}" '
            f'accelerators="{",".join(map(str, some))}" '
            f'message="{draw.choice(("1MB", "100kB", "10MB"))}" '
            f'{draw.choice(("", "load=%r" % "0.1", "load=%r gaps=%r" % ("0.2", "fixed")))} '
            f'seed="{draw.randint(0, 99)}" class="{draw.choice(("auto", "scale-out"))}"/>')


def draw_failure(draw):
    """A port that fails, and perhaps recovers."""
    kind = 'dead="yes"' if draw.random() < 0.4 else f'bandwidth-factor="{draw.choice((0.1, 0.9))}"'
    at, port = draw.randint(0, 20), f'{draw.choice(("scale-up", "scale-out"))}:{draw.randint(0, 63)}'
    changes = [(at, kind)]
    if draw.random() < 0.5:
        changes.append((at + draw.randint(1, 20), 'bandwidth-factor="1"'))
    return "".join(f'<failure at="{at}ms" port="{port}" {what}/>' for at, what in changes)


def draw_scenario(seed):
    draw = random.Random(seed)
    free = list(range(64))
    if draw.random() < 0.5:
        draw.shuffle(free)
    elements = [draw_job(draw, 0, free)]
    elements += [draw_job(draw, index, free) for index in range(1, draw.randint(1, 4))]
    elements = [element for job in elements for element in job]
    elements += [draw_traffic(draw, index) for index in range(draw.randint(0, 2))]
    elements += [draw_failure(draw) for _ in range(draw.choice((0, 0, 1, 2)))]
    return elements


class Scenarios(unittest.TestCase):
    def simulate(self, elements, *options):
        with tempfile.TemporaryDirectory(prefix="lightpath-") as folder:
            path = pathlib.Path(folder) / "scenario.xml"
            path.write_text('<scenario name="random">' + "".join(elements) + "</scenario>")
            done = run("simulate", path, PLATFORM, "--format=json", *options, timeout=300)
        label = "\n".join(elements)
        self.assertIn(done.returncode, (0, 1), label)
        self.assertEqual(done.stderr.count("\n"), done.returncode, label + done.stderr)
        if done.returncode == 1:
            self.assertTrue("waits for ever for a message of rank" in done.stderr or
                            "wanted a load that the network can carry" in done.stderr,
                            label + done.stderr)
        return done.stdout

    def compare(self, on, off, label):
        self.assertEqual(on == "", off == "", label)
        if on == "":
            return 0
        closed = any("<traffic" in element and "load=" not in element for element in label.split("\n"))
        tolerance = CLOSED_LOOP if closed else COLLAPSE
        jobs, others = json.loads(on)["jobs"], json.loads(off)["jobs"]
        self.assertEqual(len(jobs), len(others), label)
        self.assertGreater(len(jobs), 0, label)
        for one, other in zip(jobs, others):
            wanted_s = other["simulated"]["iteration_time_s"]
            self.assertAlmostEqual(one["simulated"]["iteration_time_s"], wanted_s,
                                   delta=tolerance * wanted_s, msg=label)
            for term, seconds in other["simulated"]["terms_s"].items():
                self.assertAlmostEqual(one["simulated"]["terms_s"][term], seconds, delta=tolerance * wanted_s,
                                       msg=f"{label}\n{term}")
            difference = one["difference"]
            if abs(difference["contention_s"] - difference["others_s"]) < ROUNDING * wanted_s:
                self.assertGreaterEqual(one["slowdown"], 1 - ROUNDING, label)
        return 1

    def test_random(self):
        n_results = 0
        for seed in range(FIRST, FIRST + COUNT):
            elements = draw_scenario(seed)
            on = self.simulate(elements)
            off = self.simulate(elements, "--collapse=off")
            n_results += self.compare(on, off, "\n".join(elements))
            if seed % 4 == 0:
                random.Random(seed).shuffle(elements)
                self.assertEqual(self.simulate(elements), on, "\n".join(elements))
        self.assertGreater(n_results, COUNT // 2)


if __name__ == "__main__":
    sys.exit(unittest.main())
