#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps under circuit switching, measured and simulated by Opus (arXiv 2602.12521, SIGCOMM 2026;
opus.csv restates the figures of repository opusfabric/Opus, evaluation/ and
simulation/reconfig_backend/), beside what Lightpath says of the same plans: increases over zero delay.

    LIGHTPATH=build/release/cli/lightpath docs/studies/run.py opus

writes steps.csv and the tables of docs/studies/opus.md. One number a case is fitted, the rate of an
accelerator, to the step without circuits (measured) or at zero delay (simulated: the operation counts
behind it are not published); the delays are not."""
import csv
import functools
import json
import os
import pathlib
import subprocess
import tempfile
import threading

PROGRAM = os.environ.get("LIGHTPATH", "build/release/cli/lightpath")
HERE = pathlib.Path(__file__).resolve().parent
ROOFLINE = ("--accelerator=h200 --domain-size=8 --domain-bandwidth=450GBps --domain-latency=0s "
            "--scale-out-latency=0s --gemm-efficiency=1 --memory-efficiency=1 --launch=0s "
            "--elementwise-efficiency=1 --attention-efficiency=1 --host-kernel=0s "
            "--host-collective=0s").split()
FOUR_CARDS = ("--accelerator=a100-80 --domain-size=4 --domain-bandwidth=100GBps "
              "--scale-out-bandwidth=25GBps").split()
MEASURED, UNDIVIDED, LARGE, SMALL = ("perlmutter-16", "perlmutter-16-deepseek16b-pp4tp4",
                                     "h200-128-dp4-pp4-tp8", "h200-32-dp2-pp2-tp8")
# Plan and machine of each case, as published.
CASES = {
    # Llama 3 8B on four nodes of Perlmutter.
    MEASURED: ("llama-3-8b", "tp=4 pp=2 dp=2 micro-batch=4 global-batch=16 "
               "overlap-dp=yes overlap-param=yes", 16, FOUR_CARDS),
    # No data parallelism: nothing takes turns. Their DeepSeek 16B has a shape of its own, which
    # the answer does not depend on; Llama 3 8B stands for it.
    UNDIVIDED: (
        "llama-3-8b", "tp=4 pp=4 dp=1 micro-batch=1 global-batch=8 zero=0 reshard=yes "
        "overlap-dp=no overlap-param=no", 16, FOUR_CARDS),
    LARGE: (str(HERE / "opus-96.xml"), "", 128, [*ROOFLINE, "--scale-out-bandwidth=50GBps"]),
    SMALL: (str(HERE / "opus-96.xml"), "pp=2 dp=2 micro-batch=128", 32,
            [*ROOFLINE, "--scale-out-bandwidth=100GBps"]),
}
# The rate that is fitted, as an option with its unit, where to begin, and the policy of the step.
FITTED = {MEASURED: ("gemm-efficiency", "", 0.35, "electrical"),
          LARGE: ("peak-bf16", "Tf", 1200.0, "demand"),
          SMALL: ("peak-bf16", "Tf", 1450.0, "demand")}
# Their simulator has rings without a protocol, and no software around them.
BARE = ("--framework=none", "--set=library=single-ring")
COLUMNS = ("case", "policy", "delay_ms", "rate", "step_s", "waits")
LOCK = threading.Lock()


def theirs():
    """Published steps, s, by case, policy and delay in ms as it is written; an electrical one has none."""
    with open(HERE / "opus.csv", newline="") as file:
        return {(row["case"], row["policy"], row["delay_ms"]): float(row["seconds"])
                for row in csv.DictReader(file)}


def simulate(case, policy, delay_ms, settings="", rate=None):
    """The JSON of a step of @case. @settings: more of --set, such as "pp=8"; @rate: else the fitted one."""
    workload, plan, accelerators, machine = CASES[case]
    for setting in settings.split():
        if setting.startswith("pp="):
            accelerators = accelerators * int(setting[3:]) // int(plan_pp(workload, plan))
    if case in FITTED:
        machine = [*machine, "--{}={}{}".format(FITTED[case][0], rate or fit(case), FITTED[case][1])]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "machine.xml")
        subprocess.run([PROGRAM, "platform", "generate", "--system=ocs",
                        f"--accelerators={accelerators}", *machine, f"--policy={policy}",
                        f"--reconfiguration-time={delay_ms}ms", "-o", file], check=True)
        sets = [f"--set={setting}" for setting in f"{plan} {settings}".split()]
        done = subprocess.run([PROGRAM, "simulate", workload, file, "--format=json",
                               "--ignore-memory", *BARE, *sets], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


@functools.cache
def search(case):
    _, _, rate, policy = FITTED[case]
    wanted_s = theirs()[case, policy, "" if policy == "electrical" else "0"]

    def undelayed_s(rate):
        return step_s(simulate(case, "demand", 0, rate=f"{rate:.9g}"))
    # A step is nearly a + b / rate.
    last, last_s = rate * 1.05, undelayed_s(rate * 1.05)
    for _ in range(8):
        now_s = undelayed_s(rate)
        slope = (now_s - last_s) / (1 / rate - 1 / last)
        last, last_s, rate = rate, now_s, 1 / (1 / rate + (wanted_s - now_s) / slope)
        if abs(now_s / wanted_s - 1) < 1e-6:
            break
    return f"{last:.4g}"


def fit(case):
    """The rate, to four digits, at which the undelayed step is theirs."""
    with LOCK:
        return search(case)


def plan_pp(workload, plan):
    """Stages that the case has."""
    for setting in plan.split():
        if setting.startswith("pp="):
            return setting[3:]
    return "4"


def step_s(result):
    return result["simulated"]["iteration_time_s"]


# --- the study ---


def cases():
    return [key for key in theirs() if key[1] != "electrical"]


# The rate is fitted anew; one row of a plan that is not.
FEW = [(MEASURED, "demand", "0"), (MEASURED, "provision", "500"), (UNDIVIDED, "demand", "100")]


def run_case(case):
    result = simulate(*case)
    rate = fit(case[0]) if case[0] in FITTED else ""
    return [dict(zip(COLUMNS, (*case, rate, f"{step_s(result):.9g}",
                               str(result["circuits"]["critical_path_reconfigurations"]))))]


def increases(rows):
    """Their step and ours at each delay less those at zero, s, and how often our critical path waited for circuits,
    by case, policy and delay in ms."""
    of = {(row["case"], row["policy"], row["delay_ms"]): row for row in rows}
    published = theirs()
    return {key: (published[key] - published[(*key[:2], "0")],
                  float(row["step_s"]) - float(of[(*key[:2], "0")]["step_s"]), int(row["waits"]))
            for key, row in of.items()}


def lines(rows, of_case, delays, titles):
    increase = increases(rows)
    for case, policy, title, ours in titles:
        if of_case(case):
            for who, name in enumerate((f"{title}, theirs", ours)):
                yield "| " + " | ".join([name, *(f"{increase[case, policy, delay][who]:.3f}" for delay in delays)]) + " |"


def heading(first, delays):
    return [f"| {first} | {delays[0]} ms | " + " | ".join(f"{int(delay):,}" for delay in delays[1:]) + " |",
            "|---" * (len(delays) + 1) + "|"]


def tables(rows):
    measured = ("50", "100", "250", "500", "750", "1000", "2000", "3000")
    simulated = ("50", "100", "250", "500", "1000")
    titles = [(MEASURED, "demand", "demand", "demand, ours"), (MEASURED, "provision", "provision", "provision, ours"),
              (LARGE, "demand", "128 H200, pp 4, dp 4, demand", "ours"), (LARGE, "provision", "provision", "ours"),
              (SMALL, "demand", "32 H200, pp 2, dp 2, demand", "ours"), (SMALL, "provision", "provision", "ours")]
    first = heading("measured: 16 A100, Llama 3 8B, tp 4, pp 2, FSDP 2", measured)
    second = heading("simulated: 96 layers, tp 8, rings on rails", simulated)
    return "\n".join([*first, *lines(rows, MEASURED.__eq__, measured, titles), "",
                      *second, *lines(rows, MEASURED.__ne__, simulated, titles), ""])
