#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every shipped workload, cut to at most 256 ranks, 16 replicas and few micro-batches, by classes and rank by rank: both
take the same time, to 1e-6, to 1e-9 where nothing contends, and move the same bytes. The machine is of the
system that "lightpath workload list" names, of that size.

--ranks=512 and --replicas=32 are for a night; names of workloads leave out the others; --fidelity=message sends every message.
Environment: LIGHTPATH (the built program)."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import sys
import tempfile
import time
import xml.etree.ElementTree

import command
from shipped import shipped

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CONTENDED, ALONE = 1e-6, 1e-9
# Rank by rank, experts cost a flow a pair: of their layers so many a stage are left.
EXPERT_LAYERS = 1


def cut(name, limit, replicas):
    """Settings that leave at most @limit ranks, @replicas and few micro-batches, and how many ranks that are."""
    plan = xml.etree.ElementTree.parse(SOURCE / f"workloads/{name}.xml").getroot().find("plan").attrib
    tp, cp, pp, dp, ep, b = (int(plan.get(key, 1)) for key in ("tp", "cp", "pp", "dp", "ep", "micro-batch"))
    while (tp * cp * pp * dp > limit or dp > replicas) and dp > 1:
        dp = max(d for d in range(1, dp) if dp % d == 0)
    n_slices = pp * int(plan.get("virtual-stages", 1))
    while tp * cp * dp % (ep * int(plan.get("expert-tp", tp if tp * cp * dp % (ep * tp) == 0 else 1))):
        ep //= 2
    m = 2 * pp if plan.get("schedule") == "dualpipe" else pp
    settings = {"dp": dp, "global-batch": max(m, 2) * dp * b}
    if "shard-degree" in plan:
        settings["shard-degree"] = min(dp * cp, int(plan["shard-degree"]))
    if ep > 1:
        settings.update({"ep": ep, "layers": max(n_slices * EXPERT_LAYERS, 4), "dense-layers": 0, "stage-layers": "even"})
    return [f"--set={key}={value}" for key, value in settings.items()], tp * cp * pp * dp


def run(line):
    begin_s = time.monotonic()
    done = command.run(*line)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout), time.monotonic() - begin_s


def compare(name, accelerators, system, arguments, folder):
    """Returns: a line about it, and whether it is as wanted."""
    settings, n_ranks = cut(name, arguments.ranks, arguments.replicas)
    machine = os.path.join(folder, f"{name}.xml")
    # Machines of large domains cannot be smaller than those.
    size = accelerators if "--domain-size" in system else n_ranks + -n_ranks % 8
    command.generate(machine, f"--system={system} --accelerators={size}")
    line = ["simulate", name, machine, "--format=json", "--ignore-memory", "--cost",
            f"--fidelity={arguments.fidelity}", *settings]
    on, on_s = run(line + [f"--collapse={arguments.collapse}"])
    off, off_s = run(line + ["--collapse=off"])
    got, wanted = on["simulated"]["iteration_time_s"], off["simulated"]["iteration_time_s"]
    contends = abs(off["simulated"]["uncontended_iteration_time_s"] - wanted) > ALONE * wanted
    error = abs(got / wanted - 1)
    apart = max(abs(on["simulated"]["terms_s"][term] - seconds) for term, seconds in off["simulated"]["terms_s"].items())
    within = CONTENDED if contends else ALONE
    good = error <= within and apart <= within * wanted and on["traffic_bytes"] == off["traffic_bytes"]
    classes = on["cost"].get("rank_classes", "-")
    return (f"{name}: {n_ranks} ranks, {classes} classes, {'contends' if contends else 'alone'}: {error:.1e}, terms {apart / wanted:.1e}, "
            f"{on_s:.1f} and {off_s:.1f} s{'' if good else ': WRONG'}"), good


def tried(name, accelerators, system, arguments, folder):
    try:
        return compare(name, accelerators, system, arguments, folder)
    except RuntimeError as error:
        return f"{name}: {error}", False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--ranks", type=int, default=256)
    parser.add_argument("--replicas", type=int, default=16)
    parser.add_argument("--fidelity", default="flow")
    parser.add_argument("--collapse", default="on")
    arguments = parser.parse_args()
    rows = [row for row in shipped() if not arguments.names or row[0] in arguments.names]
    n_wrong = 0
    with tempfile.TemporaryDirectory(prefix="lightpath-") as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for text, good in pool.map(lambda row: tried(*row, arguments, folder), rows):
            print(text, flush=True)
            n_wrong += not good
    n = len(rows)
    print(f"{n} workloads, {n_wrong} faults")
    return 1 if n_wrong or n == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
