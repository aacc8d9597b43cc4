#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random plans, as in test_quotient.py, by classes that are cut off after a few rounds and rank by rank:
how far off --collapse=approximate is. Where nothing was cut off it must be exact, and say nothing."""
import concurrent.futures
import os
import random
import statistics
import sys
import tempfile

import rail_trees
import test_quotient
from test_quotient import simulate

PLANS = int(os.environ.get("LIGHTPATH_PLANS", "4400")) // 11
SEED = int(os.environ.get("LIGHTPATH_SEED", "2026"))
ROUNDS = [int(k) for k in os.environ.get("LIGHTPATH_ROUNDS", "2").split()]
# Of any number of plans: docs/architecture.md has what was measured.
MEDIAN, WORST = 1e-6, 0.03


def run(task):
    """Returns: errors by rounds, of those that were cut off, relative to the run rank by rank; what is wrong."""
    plan, machine = task
    line = ["simulate", "gpt3-175b", machine, "--format=json", "--ignore-memory"]
    line += [f"--set={name}={value}" for name, value in {"framework": "none", **plan}.items()]
    errors, wanted = {}, None
    for k in ROUNDS:
        got = simulate(line + ["--collapse=approximate", f"--collapse-rounds={k}"])
        if got is None:
            return {}, None
        is_cut = any(warning.startswith("collapse: approximate") for warning in got["warnings"])
        if not is_cut and len(ROUNDS) > 1:
            continue
        wanted = wanted or simulate(line + ["--collapse=off"])
        error = got["simulated"]["iteration_time_s"] / wanted["simulated"]["iteration_time_s"] - 1
        if is_cut:
            errors[k] = error
        elif abs(error) > 1e-6:
            return errors, f"lightpath {' '.join(line)}: {error} off without a warning"
        if got["traffic_bytes"] != wanted["traffic_bytes"]:
            return errors, f"lightpath {' '.join(line)}: {got['traffic_bytes']}, wanted {wanted['traffic_bytes']}"
    return errors, None


def draw_tasks(r, folder):
    machines = rail_trees.Machines(folder)
    tasks = []
    while len(tasks) < PLANS:
        plan = test_quotient.draw(r)
        if plan is not None and plan["tp"] * plan["cp"] * plan["dp"] * plan["pp"] >= 32:
            tasks.append((plan, machines.draw(r, test_quotient.MACHINES, test_quotient.RAIL_TREE_SHARE)))
    return tasks


def main():
    r = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="lightpath-") as folder:
        tasks = draw_tasks(r, folder)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(run, tasks))
    complaints = [complaint for _, complaint in results if complaint is not None]
    for k in ROUNDS:
        errors = sorted((errors[k] for errors, _ in results if k in errors), key=abs)
        if not errors:
            complaints.append(f"{k} rounds: nothing was cut off")
            continue
        median, worst = statistics.median(abs(error) for error in errors), errors[-1]
        ninth = abs(errors[int(0.9 * (len(errors) - 1))])
        print(f"{k} rounds: {len(errors)} of {PLANS} plans cut off, median {100 * median:.2f} %, "
              f"90 in 100 within {100 * ninth:.2f} %, worst {100 * worst:+.2f} %")
        if median > MEDIAN or abs(worst) > WORST:
            complaints.append(f"{k} rounds: wanted a median of {MEDIAN} and {WORST} at worst")
    for complaint in complaints[:20]:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
