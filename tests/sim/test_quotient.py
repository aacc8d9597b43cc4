#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random plans of up to 64 ranks on fifteen machines and on drawn trees of rails, in both fidelities, with contention
and without, by classes and rank by rank: the quotient is exact. Both runs take the same time to 1e-6, to 1e-9 where
nothing contends, divide it into the same terms, and move the same bytes, those of the published formulas where the plan
is one of theirs; and no link has carried more than its rate times the time in which flows crossed it. Plans are those of test_properties.py, with libraries of all kinds;
placements are packed, scattered, or drawn, so that groups straddle domains and leaves. Where the times
differ by more, the run rank by rank is repeated with all bandwidths larger by 1e-13: what that changes is
shown beside the difference, and excuses it if it is as large, for then the plan amplifies rounding."""
import concurrent.futures
import json
import os
import random
import re
import sys
import tempfile

import link_law
import rail_trees
import test_properties

import command
from command import generate

PLANS = int(os.environ.get("LIGHTPATH_PLANS", "4400")) // 10
SEED = int(os.environ.get("LIGHTPATH_SEED", "2026"))
MACHINES = [
    "--system=dgx-a100 --accelerators=64",
    "--system=dgx-h100 --accelerators=64 --leaf-ports=4 --oversubscription=2",
    "--system=dgx-h100 --accelerators=64 --port-order=node --leaf-ports=16 --oversubscription=4",
    "--system=generic --accelerators=64 --domain-size=4 --leaf-ports=8 --oversubscription=2",
    "--system=generic --accelerators=64 --domain-size=1 --leaf-ports=8 --oversubscription=4",
    "--system=generic --accelerators=64 --domain-size=4 --leaf-ports=8 --path-choice=hash --paths=4",
    "--system=generic --accelerators=64 --domain-size=1 --topology=torus --dimensions=4x16",
    "--system=generic --accelerators=64 --domain-size=2 --topology=dragonfly --router-ports=4"
    " --group-routers=4 --nics-per-domain=2",
    "--system=polaris --accelerators=64",
    "--system=generic --accelerators=64 --domain-size=8 --nics-per-domain=4 --leaf-ports=12",
    "--system=hgx-h800 --accelerators=64 --accelerator=b200 --oversubscription=3 --leaf-ports=6",
    "--system=generic --accelerators=66 --domain-size=6 --leaf-ports=12 --oversubscription=3",
    "--system=generic --accelerators=64 --domain-size=8 --joined-rails=no --port-order=rail --leaf-ports=8",
    "--system=ocs --accelerators=64 --policy=static --circuit-ports=8",
    "--system=generic --accelerators=64 --domain-size=4 --rails=4 --joined-rails=no --port-order=rail --leaf-ports=8"
    " --oversubscription=2",
]
if "LIGHTPATH_MACHINES" in os.environ:  # by number
    MACHINES = [MACHINES[int(number)] for number in os.environ["LIGHTPATH_MACHINES"].split()]
RAIL_TREE_SHARE = float(os.environ.get("LIGHTPATH_RAIL_TREES", "0.5"))
CONTENDED, ALONE = 1e-6, 1e-9
ALGORITHMS = ["ring", "tree", "doubling", "halving-doubling", "bruck", "pairwise", "direct", "ring+tree", "ring+ring",
              "in-network", "torus"]
FRAMEWORKS = ["megatron-lm-2020", "megatron-lm-2021", "megatron-lm-2022", "megatron-core", "megatron-core-2025-04", "megatron-core-2025-09",
              "mlperf-2025", "megatron-core-2026-04", "megatron-core-2026", "deepspeed", "fsdp", "llm-foundry",
              "torchtitan", "bigscience", "internevo", "nanotron", "xla"]
# Settings that test_properties.py always draws and software decides where nobody else does.
SETTLED = {"overlap-dp", "overlap-tp", "overlap-pp", "overlap-param", "bucket", "slowdown", "cuda-graphs", "kernels",
           "gradient-precision", "reshard", "prefetch", "gradient-sync", "parameter-gather", "communication-precision",
           "narrow-parameters", "optimizer", "zero-variant", "sequence-parallel", "stage-layers", "library"}
ROUTING_TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "routing-loads.csv")
DISTURBANCE = 1e-13
# No class is assumed, and refinement goes on to its end.
PROVEN = ("--collapse=approximate", "--collapse-rounds=1000000")
COLLAPSES = (("--collapse=on",), PROVEN)
FIDELITIES = os.environ.get("LIGHTPATH_FIDELITIES", "flow message").split()
# How many classes of ranks there must be: a stage's ranks do the same on trees whose leaves hold whole
# rails, in any order of ranks, at any oversubscription; where rings run over several leaves, a stage's
# ranks are told apart by their place below a leaf, and no further.
SMALL = ("gpt3-175b layers=8 hidden=1024 heads=16 ffn=4096 vocab=1024 seq=1024 embedding=no tp=1 micro-batch=1")
FLAT = "--system=generic --accelerators=64 --domain-size=1 --leaf-ports=8 --oversubscription=4"
A100 = "--system=dgx-a100 --accelerators=1024 --leaf-ports=32"
CASES = [
    ("GPT-3, dp inner", A100, "gpt3-175b global-batch=256", 8),
    ("GPT-3, pp inner", A100, "gpt3-175b global-batch=256 rank-order=tp-cp-pp-ep-dp", 8),
    ("GPT-3, 4:1", A100 + " --oversubscription=4", "gpt3-175b global-batch=256", 8),
    ("Llama 3 405B", "--system=dgx-h100 --accelerators=16384", "llama-3-405b", 16),
    ("a ring a leaf, folded by D-mod-k", FLAT, SMALL + " pp=8 dp=8 global-batch=64", 8),
    ("blocks that differ by a byte", "--system=dgx-h100 --accelerators=12288", "llama-3-405b dp=96 global-batch=1536",
     16),
    ("rings over leaves", FLAT, SMALL + " pp=2 dp=32 global-batch=128", 16),
]

# What once differed, or might: what it is, machine, workload, fidelity, plan, whether classes must be used.
PLANS_TO_KEEP = [
    # Blocks differ by a byte, which is nothing.
    ("rings whose members do not divide their buffers", "--system=dgx-h100 --accelerators=384", "llama-3-405b", "flow",
     {"layers": 4, "tp": 8, "pp": 2, "dp": 24, "global-batch": 96, "virtual-stages": 1, "schedule": "1f1b",
      "stage-layers": "even"}, True),
    # Members of a tensor-parallel group receive at different times, and their hosts wait for that.
    ("hosts that are ready one after the other", "--system=summit --accelerators=48", "mixtral-8x7b", "flow",
     {"layers": 4, "hidden": 768, "heads": 8, "kv-heads": 4, "head-width": 96, "ffn": 3072, "seq": 512,
      "vocab": 6144, "experts": 16, "top-k": 4, "expert-ffn": 512, "tp": 2, "pp": 3, "dp": 8, "ep": 2,
      "micro-batch": 1, "global-batch": 48, "schedule": "gpipe", "virtual-stages": 1,
      "stage-layers": "by-weight", "recompute": "full", "overlap-dp": "yes", "host-sync": "passes"}, False),
    # Members with little to send meet others' messages at busy receivers' ports: no delay that is known.
    ("messages of unequal load with links to themselves", "--system=polaris --accelerators=16", "gpt3-175b", "message",
     {"layers": 4, "hidden": 512, "heads": 8, "ffn": 2048, "seq": 512, "vocab": 1024, "tp": 1, "pp": 1, "cp": 4,
      "dp": 1, "cp-kind": "ulysses", "experts": 16, "top-k": 1, "ep": 4, "expert-ffn": 512, "expert-every": 2,
      "skew": 1, "micro-batch": 1, "global-batch": 2, "cuda-graphs": "yes", "placement": "scattered"}, False),
    # Hosts and neighbours are waited for equally long, but for rounding: which of the two counts is no matter of order.
    ("critical paths that tie", "--system=mi300x-platform --accelerators=64", "gpt3-1.3b", "flow",
     {"hidden": 1024, "seq": 256, "tp": 2, "dp": 16, "pp": 2, "attention": "flash", "recompute": "full",
      "embedding": "no", "schedule": "zero-bubble", "micro-batch": 1, "global-batch": 128, "zero": 3, "reshard": "no",
      "sequence-parallel": "yes", "overlap-param": "yes", "positions": "rotary"}, True),
    # Members of rings that lead through domains and leaves are done with their messages at different times.
    ("rings of unequal steps with links to themselves", "--system=generic --accelerators=66 --domain-size=6"
     " --leaf-ports=12 --oversubscription=3", "gpt3-175b", "message",
     {"layers": 8, "hidden": 512, "heads": 8, "ffn": 2048, "seq": 1024, "vocab": 1024, "tp": 4, "pp": 1, "dp": 4,
      "sequence-parallel": "yes", "recompute": "full", "parallel-blocks": "yes", "micro-batch": 1, "global-batch": 4,
      "zero": 0, "gradient-sync": "each", "overlap-dp": "no", "bucket": "1000000-parameters", "cuda-graphs": "yes",
      "host-sync": "kernels", "library": "single-ring"}, False),
    # A leaf holds one rail of all domains: what keeps to the rail meets nothing, and what changes it does.
    ("experts whose messages change rails", "--system=dgx-h100 --accelerators=64 --oversubscription=4", "qwen3-30b-a3b",
     "message", {"tp": 1, "pp": 1, "dp": 64, "ep": 32, "global-batch": 64, "micro-batch": 1, "layers": 4,
                 "virtual-stages": 1, "schedule": "1f1b"}, True),
]


def draw(r):
    plan = test_properties.draw(r)
    if plan is None:
        return None
    if r.random() < 0.5:
        plan = test_properties.possible(plan)
    plan["library"] = r.choice(["single-ring", "auto", "auto"])
    plan["layers"] = min(plan["layers"], 8)
    if plan["stage-layers"] not in ("even", "balanced"):
        plan["stage-layers"] = "even"
    plan = test_properties.add(r, plan, test_properties.MOVING, 0.15)
    return r.choice(VARIANTS)(r, plan) if r.random() < 0.35 else plan


def vary_kind(r, plan):
    """An encoder, one with a decoder, or one of images."""
    kind = r.choice(["encoder", "decoder-layers", "patch"])
    plan.pop("mtp-layers", None)
    plan["kind"] = "encoder"
    if kind == "decoder-layers":
        plan.update({"kind": "encoder-decoder", kind: 4, "decoder-seq": 512, "cp": 1, "pp": 1, "virtual-stages": 1,
                     "schedule": "1f1b"})
    elif kind == "patch":
        plan.update({kind: 16, "channels": r.choice([1, 3]), "tied-embeddings": "no"})
    return plan


def vary_algorithms(r, plan):
    for group in ("tp", "cp", "ep", "dp"):
        if r.random() < 0.5:
            plan[f"algorithm-{group}"] = r.choice(ALGORITHMS)
    if r.random() < 0.3:
        plan.update({"library": r.choice(["nccl-ampere", "nccl-hopper"]),
                     "protocol": r.choice(["ll", "ll128", "simple", "fabric-ll"])})
    return plan


def vary_framework(r, plan):
    """What software does, where the plan does not say so."""
    plan["framework"] = r.choice(FRAMEWORKS)
    names = [name for name in plan if name in test_properties.SOFTWARE or name in SETTLED]
    for name in names:
        if r.random() < 0.8:
            del plan[name]
    return plan


def vary_domains(r, plan):
    """What depends on the machine's domains."""
    for name in ("shard-degree", "ep-relay", "overlap-ep"):
        if r.random() < 0.5:
            plan[name] = "domains"
    if r.random() < 0.5:
        plan["virtual-stages"] = "finest"
    return plan


def vary_experts(r, plan):
    """Measured loads, in place of drawn ones; widths of latent attention."""
    if "experts" in plan:
        plan["routing-table"] = ROUTING_TABLE
    if "kv-rank" in plan:
        plan["value-width"] = r.choice([32, 96])
    return plan


VARIANTS = [vary_kind, vary_algorithms, vary_framework, vary_domains, vary_experts]


def simulate(line):
    """What the command prints, or None: the plan is refused."""
    done = command.run(*line, timeout=600)
    if done.returncode == 1 and done.stderr.count("\n") == 1 and ("wanted" in done.stderr or " ... " in done.stderr):
        return None
    if done.returncode != 0:
        raise RuntimeError(f"lightpath {' '.join(line)}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


class Outcome:
    """Of a plan: whether it is valid, and runs by classes; what is wrong; what rounding did."""

    def __init__(self, valid=True, used=True, fault=None, amplified=None):
        self.valid, self.used, self.fault, self.amplified = valid, used, fault, amplified


def disturb(machine):
    """Writes a copy of a machine whose bandwidths are larger by 1e-13. Returns: its path."""
    with open(machine, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r'(bw|bandwidth)="([0-9.]+)', lambda m: f'{m[1]}="{float(m[2]) * (1 + DISTURBANCE)!r}', text)
    path = machine.replace(".xml", "-disturbed.xml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def compare(line, by_classes, by_ranks, collapse):
    """Returns: the outcome of a plan that ran both ways; @line: as it did but for @collapse."""
    got, wanted = by_classes["simulated"], by_ranks["simulated"]
    time_s = wanted["iteration_time_s"]
    alone = abs(wanted["uncontended_iteration_time_s"] - time_s) <= ALONE * time_s
    error = abs(got["iteration_time_s"] / time_s - 1)
    if by_classes["traffic_bytes"] != by_ranks["traffic_bytes"]:
        return Outcome(fault=f"{' '.join([*line, *collapse])}: {by_classes['traffic_bytes']} by classes, "
                             f"{by_ranks['traffic_bytes']} by ranks")
    if error <= (ALONE if alone else CONTENDED):
        terms = max(abs(got["terms_s"][term] - seconds) for term, seconds in wanted["terms_s"].items())
        return Outcome() if terms <= (ALONE if alone else CONTENDED) * time_s else Outcome(
            fault=f"lightpath {' '.join(line)}: {got['terms_s']} by classes, {wanted['terms_s']} by ranks")
    disturbed = simulate(line[:3] + [disturb(line[3])] + line[4:] + ["--collapse=off"])["simulated"]
    effect = abs(disturbed["iteration_time_s"] / time_s - 1)
    text = (f"{' '.join([*line, *collapse])}: {got['iteration_time_s']} s by classes, {time_s} s by ranks: {error:.1e} apart; "
            f"a disturbance of {DISTURBANCE} changes the latter by {effect:.1e}")
    return Outcome(amplified=text) if 10 * effect >= error else Outcome(fault=text)


def run(task, workload="gpt3-175b"):
    """Returns: the outcome of a plan on a machine."""
    plan, machine, fidelity, collapse = task
    settings = {"framework": "none", **plan}
    line = ["simulate", workload, machine, "--format=json", "--ignore-memory", f"--fidelity={fidelity}"]
    line += [f"--set={name}={value}" for name, value in settings.items()]
    try:
        by_classes = simulate([*line, *collapse])
        if by_classes is None:
            return Outcome(valid=False, used=False)
        with tempfile.TemporaryDirectory(prefix="lightpath-") as folder:
            tables = os.path.join(folder, "tables")
            by_ranks = simulate(line + ["--collapse=off", f"--csv={tables}"])
            fault = link_law.fault(tables, by_ranks["simulated"]["iteration_time_s"])
        outcome = compare(line, by_classes, by_ranks, collapse)
        if outcome.fault is None and fault is not None and link_law.holds(settings):
            outcome.fault = f"lightpath {' '.join(line)}: {fault}"
        outcome.used = "one of each is simulated" in by_classes["engine"]["proof"]
        return outcome
    except RuntimeError as error:
        return Outcome(fault=str(error))


def check_cases(folder):
    """Returns: what is wrong with the classes of CASES."""
    complaints, machine = [], os.path.join(folder, "case.xml")
    for label, options, plan, wanted in CASES:
        generate(machine, options)
        workload, *settings = plan.split()
        result = simulate(["simulate", workload, machine, "--format=json", "--ignore-memory", "--cost",
                           "--framework=none", "--set=library=single-ring",
                           *(f"--set={setting}" for setting in settings)])
        got = result["cost"].get("rank_classes")
        if got != wanted:
            complaints.append(f"{label}: {got} classes of ranks, wanted {wanted}")
    for label, options, workload, fidelity, plan, by_classes in PLANS_TO_KEEP:
        generate(machine, options)
        outcome = run((plan, machine, fidelity, COLLAPSES[0]), workload)
        if outcome.fault is not None or not outcome.valid or (by_classes and not outcome.used):
            complaints.append(f"{label}: {outcome.fault or 'refused, or not run by classes'}")
    return complaints


def main():
    r = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="lightpath-") as folder:
        complaints = check_cases(folder)
        machines = rail_trees.Machines(folder)
        placements = []
        for i in range(4):
            placements.append(os.path.join(folder, f"placement-{i}"))
            with open(placements[-1], "w", encoding="utf-8") as file:
                chosen = list(range(64)) if i % 2 else list(range(0, 64, 2)) + list(range(1, 64, 2))
                if i > 1:
                    r.shuffle(chosen)
                file.write("".join(f"{accelerator}\n" for accelerator in chosen))
        tasks = []
        while len(tasks) < PLANS:
            plan = draw(r)
            if plan is None:
                continue
            if r.random() < 0.25 and plan["tp"] * plan["cp"] * plan["dp"] * plan["pp"] == 64:
                plan["placement"] = r.choice(placements)
            tasks.append((plan, machines.draw(r, MACHINES, RAIL_TREE_SHARE), FIDELITIES[len(tasks) % len(FIDELITIES)],
                          COLLAPSES[len(tasks) // len(FIDELITIES) % len(COLLAPSES)]))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(run, tasks))
    n_run, n_used = sum(result.valid for result in results), sum(result.used for result in results)
    faults = [result.fault for result in results if result.fault is not None]
    amplified = [result.amplified for result in results if result.amplified is not None]
    for text in (complaints + faults)[:20]:
        print(text)
    for text in amplified:
        print(f"rounding: {text}")
    print(f"{n_run} of {PLANS} plans are valid, {n_used} run by classes; {len(amplified)} amplify rounding; "
          f"{len(complaints) + len(faults)} faults")
    return 0 if not complaints and not faults and n_run > PLANS / 8 and n_used > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
