#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps under circuit switching, measured and simulated by Opus (arXiv 2602.12521, SIGCOMM 2026;
opus.csv restates the figures of repository opusfabric/Opus, evaluation/ and
simulation/reconfig_backend/), beside what Lightpath says of the same plans: increases over zero delay.

    LIGHTPATH=build/release/cli/lightpath validation/optics/opus.py

One number a case is fitted, the rate of an accelerator, to the step without circuits (measured) or at
zero delay (simulated: the operation counts behind it are not published); the delays are not."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("LIGHTPATH", "build/release/cli/lightpath")
HERE = pathlib.Path(__file__).resolve().parent
ROOFLINE = ("--accelerator=h200 --domain-size=8 --domain-bandwidth=450GBps --domain-latency=0s "
            "--scale-out-latency=0s --gemm-efficiency=1 --memory-efficiency=1 --launch=0s "
            "--elementwise-efficiency=1 --attention-efficiency=1 --host-kernel=0s "
            "--host-collective=0s").split()
FOUR_CARDS = ("--accelerator=a100-80 --domain-size=4 --domain-bandwidth=100GBps "
              "--scale-out-bandwidth=25GBps").split()
# Plan and machine of each case, as published; what is fitted comes last.
CASES = {
    # Llama 3 8B on four nodes of Perlmutter; native step 10.178 s.
    "perlmutter-16": ("llama-3-8b", "tp=4 pp=2 dp=2 micro-batch=4 global-batch=16 "
                      "overlap-dp=yes overlap-param=yes", 16,
                      [*FOUR_CARDS, "--gemm-efficiency=0.3634"]),
    # No data parallelism: nothing takes turns. Their DeepSeek 16B has a shape of its own, which
    # the answer does not depend on; Llama 3 8B stands for it.
    "perlmutter-16-deepseek16b-pp4tp4": (
        "llama-3-8b", "tp=4 pp=4 dp=1 micro-batch=1 global-batch=8 zero=0 reshard=yes "
        "overlap-dp=no overlap-param=no", 16, FOUR_CARDS),
    "h200-128-dp4-pp4-tp8": (str(HERE / "opus-96.xml"), "", 128,
                             [*ROOFLINE, "--scale-out-bandwidth=50GBps", "--peak-bf16=1216Tf"]),
    "h200-32-dp2-pp2-tp8": (str(HERE / "opus-96.xml"), "pp=2 dp=2 micro-batch=128", 32,
                            [*ROOFLINE, "--scale-out-bandwidth=100GBps", "--peak-bf16=1495Tf"]),
}


# Their simulator has rings without a protocol, and no software around them.
BARE = ("--framework=none", "--set=library=single-ring")


def simulate(case, policy, delay_ms, settings=""):
    """The JSON of a step of @case. @settings: more of --set, such as "pp=8"."""
    workload, plan, accelerators, machine = CASES[case]
    for setting in settings.split():
        if setting.startswith("pp="):
            accelerators = accelerators * int(setting[3:]) // int(plan_pp(workload, plan))
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "machine.xml")
        subprocess.run([PROGRAM, "platform", "generate", "--system=ocs",
                        f"--accelerators={accelerators}", *machine, f"--policy={policy}",
                        f"--reconfiguration-time={delay_ms}ms", "-o", file], check=True)
        sets = [f"--set={setting}" for setting in f"{plan} {settings}".split()]
        done = subprocess.run([PROGRAM, "simulate", workload, file, "--format=json",
                               "--ignore-memory", *BARE, *sets], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def plan_pp(workload, plan):
    """Stages that the case has."""
    for setting in plan.split():
        if setting.startswith("pp="):
            return setting[3:]
    return "4"


def step_s(result):
    return result["simulated"]["iteration_time_s"]


def rows():
    """Of each published step: case, kind, policy, delay in ms, their increase and ours, s, and how
    often our critical path waited for circuits."""
    with open(HERE / "opus.csv", newline="") as file:
        table = list(csv.DictReader(file))
    zero = {}
    for row in table:
        case, policy = row["case"], row["policy"]
        if policy == "electrical":
            continue
        delay_ms = float(row["delay_ms"])
        result = simulate(case, policy, row["delay_ms"])
        if delay_ms == 0:
            zero[case, policy] = float(row["seconds"]), step_s(result)
        theirs_s, ours_s = zero[case, policy]
        yield (case, row["kind"], policy, delay_ms, float(row["seconds"]) - theirs_s,
               step_s(result) - ours_s, result["circuits"]["critical_path_reconfigurations"])


def main():
    print(f"{'case':34}{'policy':11}{'delay ms':>8} {'theirs s':>9} {'ours s':>9} {'error':>7} waits")
    for case, _, policy, delay_ms, theirs_s, ours_s, waits in rows():
        error = f"{100 * (ours_s / theirs_s - 1):+.1f} %" if theirs_s > 0.02 else ""
        print(f"{case:34}{policy:11}{delay_ms:8g} {theirs_s:9.3f} {ours_s:9.3f} {error:>7} {waits:4}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
