#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Contention attributed by classes of ranks, and rank by rank, is the same: all parts to 1e-6 of the
iteration, the same flows of the same bytes with the same slowdowns, the same waits. A row of the first
stands for as many links, or groups, as it says."""
import json
import os
import sys
import tempfile

from command import generate, run

EXACT = 1e-6
SMALL = "embedding=no seq=1024 framework=none"
GPT3 = f"gpt3-175b {SMALL} layers=8 hidden=1024 heads=16 ffn=4096 vocab=1024 micro-batch=1"
MIXTRAL = f"mixtral-8x7b {SMALL} layers=8 hidden=1024 heads=16 kv-heads=4 ffn=2048 vocab=1024 virtual-stages=1 schedule=1f1b overlap-pp=no"
DEEPSEEK = ("deepseek-v3 embedding=no layers=16 hidden=1024 heads=16 ffn=2048 vocab=1024 seq=512 experts=32 top-k=4"
            " expert-groups=1 group-limit=1 expert-ffn=256 dense-layers=1 query-rank=256 kv-rank=128")
CASES = [
    ("GPT-3, 4:1", "--system=dgx-a100 --accelerators=256 --leaf-ports=8 --oversubscription=4",
     GPT3 + " tp=8 pp=4 dp=8 global-batch=32"),
    ("GPT-3, 4:1, leaves cut rings", "--system=generic --accelerators=64 --domain-size=1 --leaf-ports=8 --oversubscription=4",
     GPT3 + " tp=1 pp=2 dp=32 global-batch=64"),
    ("GPT-3, 4:1, messages", "--system=generic --accelerators=32 --domain-size=1 --leaf-ports=8 --oversubscription=4",
     GPT3 + " tp=1 pp=2 dp=16 global-batch=32"),
    ("Mixtral, 4:1", "--system=dgx-h100 --accelerators=64 --leaf-ports=4 --oversubscription=4",
     MIXTRAL + " pp=2 dp=32 ep=8 global-batch=64"),
    ("Mixtral, 4:1, messages", "--system=dgx-h100 --accelerators=64 --leaf-ports=4 --oversubscription=4",
     MIXTRAL + " pp=2 dp=32 ep=8 global-batch=64"),
    ("experts over domains of 6, messages", "--system=dgx-a100 --accelerators=48 --domain-size=6 --leaf-ports=4"
     " --oversubscription=2", MIXTRAL + " tp=1 pp=2 dp=16 ep=8 global-batch=32"),
    ("DeepSeek, DualPipe, 4:1", "--system=hgx-h800 --accelerators=128 --leaf-ports=4 --oversubscription=4",
     DEEPSEEK + " pp=4 dp=32 ep=16 global-batch=256"),
    ("overlap, incast on shared cards", "--system=generic --accelerators=32 --domain-size=4 --nics-per-domain=1 --leaf-ports=4"
     " --oversubscription=2", GPT3 + " tp=2 pp=4 dp=4 global-batch=16 overlap-dp=yes bucket=2MB"),
    ("hashed paths", "--system=generic --accelerators=64 --domain-size=4 --leaf-ports=4 --path-choice=hash --paths=4",
     GPT3 + " tp=4 pp=2 dp=8 global-batch=32"),
    ("torus", "--system=generic --accelerators=64 --domain-size=1 --topology=torus --dimensions=4x16",
     GPT3 + " tp=1 pp=4 dp=16 global-batch=64"),
    ("trees of collectives", "--system=generic --accelerators=64 --domain-size=2 --leaf-ports=4 --oversubscription=4",
     GPT3 + " tp=2 pp=2 dp=16 global-batch=32 algorithm-dp=tree"),
]


def attribute(label, workload, machine, settings, collapse):
    line = ["contention", workload, machine, "--format=json", "--ignore-memory", f"--collapse={collapse}"]
    line += ["--fidelity=message"] if "messages" in label else []
    done = run(*line, *(f"--set={setting}" for setting in settings), timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"lightpath {' '.join(line)}: exit {done.returncode}: {done.stderr[:400]}")
    return json.loads(done.stdout)


def compare(got, wanted):
    """Returns: what differs of two attributions."""
    whole_s, found = wanted["iteration_time_s"], []

    def close(what, one, other, scale=whole_s):
        if abs(one - other) > EXACT * scale:
            found.append(f"{what}: {one} by classes, {other} by ranks")

    for key in ("iteration_time_s", "uncontended_s", "total_s", "interaction_s"):
        close(key, got[key], wanted[key])
    for tier, seconds in wanted["tiers_s"].items():
        close(tier, got["tiers_s"][tier], seconds)
    pairs = {(pair["delayed"], pair["by"]): pair["seconds"] for pair in got["pairs_s"]}
    for pair in wanted["pairs_s"]:
        close(f"{pair['delayed']} by {pair['by']}", pairs.get((pair["delayed"], pair["by"]), 0.0), pair["seconds"])
    all_flows = {row["traffic"]: row for row in wanted["flows"]}
    for row in got["flows"]:
        other = all_flows[row["traffic"]]
        if row["flows"] != other["flows"]:
            found.append(f"{row['traffic']}: {row['flows']} flows by classes, {other['flows']} by ranks")
        for key in ("alone_s", "actual_s"):
            close(f"{row['traffic']} {key}", row[key], other[key], other[key])
        for key in ("slowdown_median", "slowdown_p99", "slowdown_worst"):
            close(f"{row['traffic']} {key}", row[key], other[key], other[key])
    links = {link["name"]: link for link in wanted["links"]}
    for link in got["links"]:
        other = links.get(link["name"])
        if other is None:
            continue
        close(f"{link['name']} seconds", link["seconds"] / link["alike"], other["seconds"])
        crossed = {row["traffic"]: row for row in other["crossed"]}
        for row in link["crossed"]:
            at = crossed[row["traffic"]]
            if (row["flows"], row["bytes"]) != (at["flows"], at["bytes"]):
                found.append(f"{link['name']}: {row} by classes, {at} by ranks")
            for key in ("from_s", "to_s", "held_back_s"):
                close(f"{link['name']} {row['traffic']} {key}", row[key], at[key], max(whole_s, at[key]))
    if len(got["flows"]) == len(wanted["flows"]):
        close("waited_s", got["waited_s"], wanted["waited_s"], max(whole_s, wanted["waited_s"]))
    path = sum(row["seconds"] for row in got.get("critical_path", [])) + got.get("other_path_s", 0.0)
    if "critical_path" in got:
        close("critical path", path, whole_s)
    return found


def main():
    complaints, n_classes = [], 0
    with tempfile.TemporaryDirectory(prefix="lightpath-") as folder:
        machine = os.path.join(folder, "machine.xml")
        for label, options, plan in CASES:
            generate(machine, options)
            workload, *settings = plan.split()
            by_classes = attribute(label, workload, machine, settings, "on")
            found = compare(by_classes, attribute(label, workload, machine, settings, "off"))
            complaints += [f"{label}: {what}" for what in found]
            is_classes = any(link["alike"] > 1 for link in by_classes["links"])
            n_classes += is_classes
            print(f"{label}: {by_classes['total_s'] / by_classes['iteration_time_s']:.4f} contention, "
                  f"{by_classes['mirror_images']} images, {'classes' if is_classes else 'no classes'}")
    for complaint in complaints[:40]:
        print(complaint)
    return 0 if not complaints and n_classes > len(CASES) / 2 else 1


if __name__ == "__main__":
    sys.exit(main())
