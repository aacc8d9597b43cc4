#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws of accounting on random plans: terms add up to the iteration, parts explain the difference to the closed
form, no time is below zero, no zero is a rounding error, and collapsing changes none of it."""

import json
import os
import random
import sys
import tempfile

from command import run

PLANS = int(os.environ.get("LIGHTPATH_PLANS", "200"))
SEED = int(os.environ.get("LIGHTPATH_SEED", "1"))

# Relative to the iteration.
UNEXPLAINED_MAX = 1e-6
# Of the iteration: runs with and without collapsing, as tests/sim/test_properties.py has it.
COLLAPSE_MAX = 1e-6
# One plan in so many runs again without collapsing.
COLLAPSE_EVERY = 4
# Times are sums of some thousands of terms in double precision, each off by 1e-16 of the iteration.
ROUNDING = 1e-12

SYSTEMS = ("dgx-a100", "dgx-h100", "pcie-5", "generic", "gb200-nvl72", "tpu-v4", "mi300x-platform", "polaris")
SHAPES = (("512", "8"), ("1024", "16"), ("2048", "16"))


def draw(dice):
    """A system, its size, and settings; many are refused, which is another test's business."""
    n = dice.choice((8, 16, 32))
    tp, pp = dice.choice((1, 1, 2, 4)), dice.choice((1, 1, 2, 4))
    cp = dice.choice((1, 1, 1, 2))
    dp = max(n // (tp * pp * cp), 1)
    micro, hidden = dice.choice((1, 2)), dice.choice(SHAPES)
    schedules = ("1f1b", "gpipe", "interleaved", "zero-bubble", "dualpipe") if pp > 1 else ("1f1b", "gpipe")
    settings = {
        "hidden": hidden[0], "heads": hidden[1], "kv-heads": hidden[1], "ffn": str(4 * int(hidden[0])), "seq": dice.choice(("256", "1024")),
        "layers": str(pp * dice.choice((1, 2, 4))), "tp": tp, "pp": pp, "dp": dp, "cp": cp, "micro-batch": micro,
        "global-batch": dp * micro * dice.choice((1, 2, 4)) * (2 * pp if pp > 1 else 1),
        "schedule": dice.choice(schedules),
        "zero": dice.choice((0, 0, 1, 2, 3)),
        "recompute": dice.choice(("none", "selective", "full")),
    }
    if settings["schedule"] == "interleaved":
        settings["virtual-stages"], settings["layers"] = 2, 2 * pp * dice.choice((1, 2))
    if settings["schedule"] == "dualpipe":
        settings["layers"] = 2 * pp * dice.choice((1, 2))
    if dice.random() < 0.4:
        settings["experts"], settings["top-k"] = dice.choice((4, 8)), dice.choice((1, 2))
        settings["ep"] = dice.choice((1, 2, 4))
        settings["expert-every"] = dice.choice((1, 1, 2))
    for name, chance, values in (
            ("mtp-layers", 0.15, (1, 2)), ("overlap-dp", 0.4, ("yes",)), ("overlap-param", 0.3, ("yes",)),
            ("overlap-pp", 0.3, ("yes",)), ("overlap-tp", 0.2, ("yes",)), ("overlap-ep", 0.2, ("yes",)),
            ("bucket", 0.5, ("7kB", "1MB", "25MB", "40M")), ("gradient-check", 0.3, ("yes",)),
            ("sequence-parallel", 0.4, ("yes",)), ("reshard", 0.3, ("no",)), ("embedding", 0.2, ("no",)),
            ("first-buckets", 0.2, ("yes",)), ("attention", 0.5, ("flash",)), ("host-sync", 0.2, ("none",)),
            ("stage-layers", 0.2, ("balanced", "with-ends")), ("skew", 0.2, ("0.5",))):
        if dice.random() < chance:
            settings[name] = dice.choice(values)
    return dice.choice(SYSTEMS), n, settings, dice.choice(("none", "megatron-core", "fsdp"))


def numbers(value, path=""):
    """All numbers of a JSON value, with where they stand."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from numbers(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from numbers(item, f"{path}[{index}]")
    elif isinstance(value, float):
        yield path, value


def faults(result):
    """What is wrong with a run."""
    run_s = result["simulated"]["iteration_time_s"]
    for form in ("simulated", "closed_form", "amped"):
        if form not in result:
            continue
        terms = result[form]["terms_s"]
        whole_s = result[form]["iteration_time_s"]
        if abs(sum(terms.values()) - whole_s) > ROUNDING * whole_s:
            yield f"terms of {form} add up to {sum(terms.values())}, wanted {whole_s}"
        for name, term in terms.items():
            if term < 0.0:
                yield f"{form} {name}: got {term} s, wanted none below zero"
    unexplained_s = result["difference"]["unexplained_s"]
    if abs(unexplained_s) > UNEXPLAINED_MAX * run_s:
        yield f"unexplained {unexplained_s / run_s:.2e} of the iteration, wanted {UNEXPLAINED_MAX:g} at most"
    for path, value in numbers(result):
        is_time = path.endswith("_s") or "_s." in path
        if is_time and value != 0.0 and abs(value) < 1e-15 * run_s:
            yield f"{path}: got {value}, wanted 0"


def accounts(result):
    """What collapsing must not change: terms, hidden time, and parts of the difference."""
    simulated, difference = result["simulated"], result["difference"]
    yield from simulated["terms_s"].items()
    yield "hidden", simulated["overlap_s"]
    yield from ((key, value) for key, value in difference.items() if key.endswith("_s") and isinstance(value, float))


def collapse_faults(result, command):
    """What is otherwise with every rank simulated."""
    done = run(*command.split(), "--collapse=off")
    if done.returncode != 0:
        yield f"--collapse=off: {done.stderr.strip()}"
        return
    most_s = COLLAPSE_MAX * result["simulated"]["iteration_time_s"]
    whole = dict(accounts(json.loads(done.stdout)))
    for name, value in accounts(result):
        if abs(value - whole[name]) > most_s:
            yield f"{name}: got {value} s, with --collapse=off {whole[name]} s"


def simulate(folder, system, n, settings, framework):
    """The result, or None where the plan is refused."""
    platform = os.path.join(folder, f"{system}-{n}.xml")
    if not os.path.exists(platform):
        run("platform", "generate", f"--system={system}", f"--accelerators={n}", "-o", platform)
    command = ["simulate", "gpt3-1.3b", platform, "--ignore-memory", "--format=json",
               f"--framework={framework}", *(f"--set={name}={value}" for name, value in settings.items())]
    done = run(*command)
    return (json.loads(done.stdout) if done.returncode == 0 else None), " ".join(command), done.stderr


def main():
    dice, wrong, n_run = random.Random(SEED), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(100 * PLANS):
            if n_run == PLANS:
                break
            system, n, settings, framework = draw(dice)
            result, command, complaint = simulate(folder, system, n, settings, framework)
            if os.environ.get("LIGHTPATH_TALK") and result is None:
                print(complaint.strip(), file=sys.stderr)
            if result is None:
                continue
            n_run += 1
            found = list(faults(result))
            if n_run % COLLAPSE_EVERY == 0:
                found += collapse_faults(result, command)
            for fault in found:
                print(f"lightpath {command}\n    {fault}", file=sys.stderr)
                wrong += 1
    print(f"{n_run} plans, {wrong} faults")
    return 1 if wrong > 0 or n_run < PLANS else 0


if __name__ == "__main__":
    sys.exit(main())
