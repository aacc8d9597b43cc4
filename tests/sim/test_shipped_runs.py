#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every shipped workload runs on a generated machine of its size, of the system that "lightpath
workload list" names. The largest mixtures of experts take minutes, and run whole with
LIGHTPATH_ALL=1; otherwise half of their replicas and few micro-batches."""
import json
import os
import pathlib
import sys
import tempfile

from shipped import shipped
import command

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Their iterations have millions of all-to-alls that share links with messages between stages.
SLOW = {
    "deepseek-v3": ["--set=dp=64", "--set=global-batch=2048"],
    "kimi-k2": ["--set=dp=64", "--set=global-batch=1024"],
    # Half of the replicas hold twice the experts, for which a card has not the memory.
    "qwen3-235b-a22b": ["--set=dp=8", "--set=ep=16", "--set=global-batch=512", "--ignore-memory"],
}


def run(name, accelerators, system, folder):
    """None, or what is wrong."""
    machine = os.path.join(folder, "machine.xml")
    generated = command.run("platform", "generate", *f"--system={system}".split(), f"--accelerators={accelerators}",
                            "-o", machine)
    if generated.returncode != 0:
        return generated.stderr
    less = [] if os.environ.get("LIGHTPATH_ALL") else SLOW.get(name, [])
    done = command.run("simulate", name, machine, "--format=json", *less)
    if done.returncode != 0:
        return done.stderr
    result = json.loads(done.stdout)
    if result["accelerators"] != (accelerators // 2 if less else accelerators):
        return f"got {result['accelerators']} accelerators, wanted {accelerators}"
    if not 0.01 < result["simulated"]["mfu"] < 0.9:
        return f"got an MFU of {result['simulated']['mfu']}, wanted one that can be"
    unexplained = result["difference"]["unexplained_s"]
    if abs(unexplained) > 0.02 * result["simulated"]["iteration_time_s"]:
        return f"got {unexplained} s unexplained, wanted at most 2 % of the iteration"
    return None


def main():
    rows = shipped()
    files = {path.stem for path in (SOURCE / "workloads").glob("*.xml")} - {"workloads.gresource", "frameworks"}
    n_wrong = 0
    if {name for name, _, _ in rows} != files:
        print("\"lightpath workload list\" does not list what is shipped")
        n_wrong += 1
    with tempfile.TemporaryDirectory(prefix="lightpath-") as folder:
        for name, accelerators, system in rows:
            fault = run(name, accelerators, system, folder)
            if fault is not None:
                print(f"{name}: {fault}")
                n_wrong += 1
    print(f"{len(rows)} workloads, {n_wrong} faults")
    return 1 if n_wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
