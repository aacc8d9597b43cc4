#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random collectives on fifteen machines and drawn trees of rails, in both fidelities, by one group and by several that
meet: what is worked out or runs by classes takes as long as the run of every flow, to 1e-6, and hardly less than
alone."""
import concurrent.futures
import json
import os
import random
import sys
import tempfile

import command
import rail_trees
import test_quotient

COUNT = int(os.environ.get("LIGHTPATH_PLANS", "4400")) // 5
SEED = int(os.environ.get("LIGHTPATH_SEED", "2026"))
OPERATIONS = ["all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce", "barrier"] + 4 * ["all-to-all"]
ALGORITHMS = [None, None, None, "ring", "tree", "doubling", "halving-doubling", "bruck", "pairwise", "direct",
              "ring+tree", "ring+ring", "in-network"]
# Rounding; and blocks that differ by a byte, of 64 members, each of which takes 0.04 ns at 25 GB/s.
WITHIN, WITHIN_S = 1e-6, 5e-9
# Of rounds that wait for each other, a flow that a narrow link slows lets others go first, which may end them sooner.
SOONER = 0.02


# Groups of three on domains of four: one within a domain, one across two, whose latency or protocol is another.
WITHOUT_BYTES = [["collective", operation, "--system=generic", "--accelerators=64", "--domain-size=4",
                  "--port-order=rail", "--leaf-ports=8", "--format=json", "--ranks=3", "--groups=2", "--bytes=0B",
                  "--library=nccl-hopper", f"--algorithm={algorithm}"]
                 for operation, algorithm in (("all-to-all", "direct"), ("all-reduce", "bruck"))]


def draw(r, machine):
    c = r.choice
    groups = c([1, 1, 2, 4, 8])
    ranks = c([2, 3, 4, 8, 16, 24, 32, 48, 64])
    while ranks * groups > 64:
        ranks //= 2
    line = ["collective", c(OPERATIONS), machine, "--format=json", f"--ranks={max(ranks, 2)}",
            f"--bytes={c([0, 1, 1000, 999983, 1 << 20, 64 << 20])}B", f"--fidelity={c(['flow', 'message'])}",
            f"--library={c(['auto', 'single-ring', 'nccl-hopper'])}"]
    if groups > 1:
        line += [f"--groups={groups}"] + ["--strided"] * (r.random() < 0.5)
    algorithm = c(ALGORITHMS)
    return line + ([f"--algorithm={algorithm}"] if algorithm else [])


def measure(line):
    """Seconds of the run and alone, or None: refused."""
    done = command.run(*line, timeout=600)
    if done.returncode in (1, 2) and done.stderr.count("\n") == 1 and "wanted" in done.stderr:
        return None
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr}")
    size = json.loads(done.stdout)["runs"][0]
    return size["time_s"], size["alone_s"]


def run(line):
    """Returns: whether it is valid, and what is wrong or None."""
    try:
        got = measure(line)
        if got is None:
            return False, None
        wanted = measure(line + ["--collapse=off"])
    except RuntimeError as error:
        return True, f"lightpath {' '.join(line)}: {error}"
    if abs(got[0] - wanted[0]) > WITHIN * wanted[0] + WITHIN_S:
        return True, f"lightpath {' '.join(line)}: {got[0]} s, rank by rank {wanted[0]} s"
    if wanted[0] < wanted[1] * (1 - SOONER) - WITHIN_S:
        return True, f"lightpath {' '.join(line)}: {wanted[0]} s, alone {wanted[1]} s"
    return True, None


def main():
    r = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="lightpath-") as folder:
        machines = rail_trees.Machines(folder)
        lines = WITHOUT_BYTES + [draw(r, machines.draw(r, test_quotient.MACHINES, 0.5)) for _ in range(COUNT)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(run, lines))
        faults = [fault for _, fault in results if fault is not None]
        options = {path: text for text, path in machines.paths.items()}
    for fault in faults[:40]:
        print(fault, *(f"on {options[word]}" for word in fault.split() if word in options))
    n_valid = sum(valid for valid, _ in results)
    print(f"{n_valid} of {len(lines)} collectives are valid; {len(faults)} faults")
    return 0 if not faults and n_valid > COUNT / 2 else 1


if __name__ == "__main__":
    sys.exit(main())
