#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scenarios by classes and rank by rank: the quotient is exact. Hand-made cases have the classes that
follow from their symmetry; random ones (quotient_cases.py) take the same time both ways, to 1e-6, to
1e-9 where nothing contends, in the same terms, and move the same bytes; no link carries more than it can.

Where the run of all ranks itself amplifies rounding, a disturbance does so too: a difference is none if
bandwidths that are larger by 1e-13 change the run of all ranks by as much. Such cases are told, with both
figures.

--count=N draws N random cases; --seed=N another row of them; --only=N one of them, which is kept.
Environment: LIGHTPATH (the built program), LIGHTPATH_PLANS (a twelfth of these are drawn)."""
import argparse
import concurrent.futures
import json
import os
import random
import re
import sys
import tempfile

import link_law
import quotient_cases

import command
from command import generate

COUNT = int(os.environ.get("LIGHTPATH_PLANS", "4400")) // 12
CONTENDED, ALONE = 1e-6, 1e-9
# Senders that go on when their last message has arrived keep step or fall out of step by a rounding
# error, and stay so (docs/scenario-format.md).
CLOSED_LOOP = 1e-3
# What runs say that do not end.
ENDLESS = "waits for ever", "wanted a load that the network can carry"
DISTURBANCE = 1e-13
# A difference is the run's own if the disturbance changes it by this share of it.
SHARE = 0.02

SMALL = ('workload="gpt3-175b" framework="none" library="single-ring" layers="8" hidden="1024" heads="16" '
         'ffn="4096" vocab="1024" seq="1024" embedding="no" micro-batch="1"')
# One up-link for each way out of a leaf of eight ports; and two, between which the destination decides.
NARROW = "--system=generic --accelerators=32 --domain-size=1 --leaf-ports=8 --oversubscription=8"
FLAT = "--system=generic --accelerators=32 --domain-size=1 --leaf-ports=8 --oversubscription=4"


def ring(name, accelerators):
    """A job that is one ring of data parallelism."""
    places = ",".join(map(str, accelerators))
    return (f'<job name="{name}" {SMALL} tp="1" pp="1" dp="{len(accelerators)}" global-batch="{len(accelerators) * 4}" '
            f'accelerators="{places}"/>')


LEFT, RIGHT = [0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]
FOLDED = ",".join(f"{sender},{8 + 2 * sender}" for sender in range(8))
EXPERTS = ('tp="2" dp="2" pp="1" layers="4" hidden="512" heads="8" ffn="2048" seq="512" vocab="1024" '
           'global-batch="8" micro-batch="1" sequence-parallel="yes" host-sync="passes" experts="16" top-k="4" '
           'expert-ffn="1024" ep="4" expert-tp="1" skew="0.5" seed="268" precision="fp32"')
# What it is; the machine; the scenario; its classes of ranks and flows; how slow its traffic is.
CASES = [
    # Rings over both leaves, which meet on the up-links: flows within a leaf, and flows between them.
    ("two jobs mirrored on a tree", NARROW, ring("a", LEFT) + ring("b", RIGHT), 1, 2, None),
    ("one of them is slower", NARROW,
     ring("a", LEFT) + ring("b", RIGHT) + '<straggler job="b" factor="1.5"/>', 2, 4, None),
    ("two jobs over the same links that are no mirror images", NARROW,
     ring("a", LEFT) + ring("b", RIGHT[:2] + RIGHT[4:6]), 2, 4, None),
    # Other traffic crosses the same boundary: the one flow that does too is told apart, and no member.
    ("a ring across a leaf boundary", NARROW,
     ring("a", LEFT) +
     '<traffic name="t" pattern="pairs" accelerators="6,14" message="1MB" load="0.1" gaps="fixed"/>', 1, 3, None),
    ("its neighbour does not care", NARROW, ring("a", LEFT) + ring("b", RIGHT) + ring("c", range(16, 32)), 2, 2,
     None),
    # All eight senders' destinations are even: one of two up-links carries all.
    ("a permutation that D-mod-k folds onto one up-link", FLAT,
     ring("a", range(24, 32)) + f'<traffic name="t" pattern="pairs" accelerators="{FOLDED}" message="100MB"/>',
     1, 1, 8),
    # Flows into and out of the port, others of its job and of the other one, within leaves and between.
    ("a degraded port", NARROW,
     ring("a", LEFT) + ring("b", RIGHT) + '<failure port="scale-out:1" at="1ms" bandwidth-factor="0.5"/>',
     2, 6, None),
    # Hosts of a tensor-parallel group that are ready at different times: each collective waits for the last.
    ("experts of unequal load within tensor-parallel groups", NARROW,
     f'<job name="a" workload="gpt3-175b" framework="none" {EXPERTS} accelerators="0-3"/>', None, None, None),
]
# GPT-3 with one slow rank: the sketch has as many classes, and one more flow for each of the 64
# tensor-parallel groups, which here have their links to themselves.
SLOW = ("--system=dgx-a100 --accelerators=1024 --leaf-ports=32",
        '<job name="a" workload="gpt3-175b" global-batch="64" framework="none" library="single-ring"/>'
        '<straggler job="a" ranks="77" factor="1.1"/>', 256, 768)


def simulate(scenario, machine, *options):
    """Returns: the result; or, where the plan is refused or the run does not end, the line that says so."""
    line = ["simulate", scenario, machine, "--format=json", "--ignore-memory", "--cost", *options]
    done = command.run(*line, timeout=900)
    if done.returncode == 1 and done.stderr.count("\n") == 1 and \
            ("wanted" in done.stderr or "waits for ever" in done.stderr):
        return done.stderr
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def times(result):
    return [job[key] for job in result["jobs"] for key in ("alone_s", "end_s")] + \
        [job["simulated"]["iteration_time_s"] for job in result["jobs"]]


def distance(one, other):
    """The largest relative difference of any time."""
    return max(abs(a - b) / max(abs(b), 1e-12) for a, b in zip(times(one), times(other)))


def terms_distance(one, other):
    """The largest difference of a term of any job, over the job's iteration."""
    return max(abs(a["simulated"]["terms_s"][term] - seconds) / b["simulated"]["iteration_time_s"]
               for a, b in zip(one["jobs"], other["jobs"]) for term, seconds in b["simulated"]["terms_s"].items())


def meets_nothing(result):
    return not result["traffic"] and all(
        abs(job["difference"]["contention_s"]) + abs(job["difference"]["others_s"])
        <= ALONE * job["simulated"]["iteration_time_s"] for job in result["jobs"])


def disturb(machine, folder):
    """The machine with all bandwidths larger by DISTURBANCE."""
    path = os.path.join(folder, "disturbed-" + os.path.basename(machine))
    with open(machine, encoding="utf-8") as source, open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r'((?:bw|bandwidth|bb_bw)=")([\d.e+-]+)',
                          lambda m: m.group(1) + repr(float(m.group(2)) * (1 + DISTURBANCE)), source.read()))
    return path


def ending(result):
    """An error without the instant at which the last rank stopped: merged steps stop before the first of them."""
    return re.sub(r"stopped at \S+ s", "stopped", result) if isinstance(result, str) else None


class Case:
    """A random case, by its number."""

    def __init__(self, seed, number, folder):
        r = random.Random(f"{seed}-{number}")
        self.number = number
        self.options, size = quotient_cases.draw_fabric(r)
        self.text = quotient_cases.draw_scenario(r, size)
        self.fidelity = "message" if r.random() < 0.25 else "flow"
        self.law = all(link_law.holds(dict(re.findall(r'([a-z-]+)="([^"]*)"', line)))
                       for line in self.text.split("\n"))
        self.machine = os.path.join(folder, self.options.replace(" ", "").replace("/", "") + ".xml")
        self.scenario = os.path.join(folder, f"{number}.xml")

    def prepare(self):
        with open(self.scenario, "w", encoding="utf-8") as file:
            file.write(self.text)
        if not os.path.exists(self.machine):
            generate(self.machine, self.options)

    def limit(self, result):
        if "<traffic" in self.text and any("load=" not in line for line in self.text.split("\n")
                                           if line.startswith("<traffic")):
            return CLOSED_LOOP
        return ALONE if meets_nothing(result) else CONTENDED

    def explain(self, folder, by_ranks, error):
        """Returns: a complaint, or a remark where the run of all ranks amplifies rounding."""
        other = simulate(self.scenario, disturb(self.machine, folder), "--collapse=off",
                         f"--fidelity={self.fidelity}")
        own = distance(other, by_ranks)
        line = (f"case {self.number} on {self.options}, fidelity {self.fidelity}: by classes {error:.2e} beside "
                f"all ranks, {own:.2e} after a disturbance of {DISTURBANCE:.0e}")
        return (None, line) if own >= SHARE * error else (line, None)

    def run(self, folder):
        """Returns: whether it is valid, whether classes were used, a complaint, a remark."""
        try:
            fidelity = f"--fidelity={self.fidelity}"
            by_classes = simulate(self.scenario, self.machine, fidelity)
            if isinstance(by_classes, str) and not any(end in by_classes for end in ENDLESS):
                return False, False, None, None
            tables = os.path.join(folder, f"tables-{self.number}")
            by_ranks = simulate(self.scenario, self.machine, "--collapse=off", fidelity, f"--csv={tables}")
        except RuntimeError as error:
            return True, True, f"case {self.number} on {self.options}: {error}", None
        if isinstance(by_classes, str) or isinstance(by_ranks, str):
            same = ending(by_classes) == ending(by_ranks)
            return True, False, None if same else f"case {self.number} on {self.options}: different ends", None
        used = "rank_classes" in by_classes["cost"]
        fault = link_law.fault(tables, max(job["end_s"] for job in by_ranks["jobs"]))
        if fault is not None and self.law:
            return True, used, f"case {self.number} on {self.options}, fidelity {self.fidelity}: {fault}", None
        for one, other in zip(by_classes["jobs"], by_ranks["jobs"]):
            if one["traffic_bytes"] != other["traffic_bytes"]:
                return True, used, (f"case {self.number} on {self.options}: job {one['name']} moves "
                                    f"{one['traffic_bytes']} by classes, {other['traffic_bytes']} by ranks"), None
        error, apart = distance(by_classes, by_ranks), terms_distance(by_classes, by_ranks)
        if error <= self.limit(by_ranks):
            return True, used, None if apart <= self.limit(by_ranks) else (
                f"case {self.number} on {self.options}, fidelity {self.fidelity}: terms are {apart:.2e} apart"), None
        return True, used, *self.explain(folder, by_ranks, error)


def write(folder, options, elements):
    """Returns: a machine and a scenario."""
    machine, scenario = os.path.join(folder, "case.xml"), os.path.join(folder, "case-scenario.xml")
    generate(machine, options)
    with open(scenario, "w", encoding="utf-8") as file:
        file.write(f'<scenario name="case">{elements}</scenario>')
    return machine, scenario


def classes(result):
    return result["cost"].get("rank_classes"), result["cost"].get("flow_classes")


def check_case(folder, case):
    """Returns: what is wrong with one of CASES."""
    label, options, elements, n_ranks, n_flows, stretch = case
    machine, scenario = write(folder, options, elements)
    by_classes, by_ranks = simulate(scenario, machine), simulate(scenario, machine, "--collapse=off")
    complaints = []
    if n_ranks is not None and classes(by_classes) != (n_ranks, n_flows):
        complaints.append(f"{label}: {classes(by_classes)} classes of ranks and flows, wanted {(n_ranks, n_flows)}")
    if distance(by_classes, by_ranks) > CONTENDED:
        complaints.append(f"{label}: {times(by_classes)} by classes, {times(by_ranks)} by ranks")
    for result in (by_classes, by_ranks) if stretch is not None else ():
        got = result["traffic"][0]["slowdown"]
        if abs(got / stretch - 1) > 0.01:
            complaints.append(f"{label}: traffic takes {got} times as long as alone, wanted {stretch}")
    return complaints


def check_slow(folder):
    options, elements, n_ranks, n_flows = SLOW
    machine, scenario = write(folder, options, elements)
    got = classes(simulate(scenario, machine))
    return [] if got == (n_ranks, n_flows) else [f"one slow rank in 1,024: {got} classes, wanted {(n_ranks, n_flows)}"]


def count(results):
    n_valid, n_used = sum(valid for valid, _, _, _ in results), sum(used for _, used, _, _ in results)
    n_faults = sum(complaint is not None for _, _, complaint, _ in results)
    n_remarks = sum(remark is not None for _, _, _, remark in results)
    return (f"{n_valid} of {len(results)} random cases are valid, {n_used} run by classes; {n_remarks} amplify "
            f"rounding; {n_faults} faults")


def tell(results):
    """Says what is remarkable about the last of them, and now and then how many there are."""
    _, _, complaint, remark = results[-1]
    for line in (complaint, remark, count(results) if len(results) % 200 == 0 else None):
        if line is not None:
            print(line, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--only", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    numbers = range(arguments.count) if arguments.only is None else [arguments.only]
    with tempfile.TemporaryDirectory(prefix="lightpath-") as temporary:
        folder = temporary if arguments.only is None else "."
        complaints = [complaint for case in CASES for complaint in check_case(temporary, case)]
        complaints += check_slow(temporary)
        cases = [Case(arguments.seed, number, folder) for number in numbers]
        for case in cases:
            case.prepare()
        results = []
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for result in pool.map(lambda case: case.run(temporary), cases):
                results.append(result)
                tell(results)
    print(*complaints, count(results), sep="\n")
    return 1 if complaints or any(complaint is not None for _, _, complaint, _ in results) else 0


if __name__ == "__main__":
    sys.exit(main())
