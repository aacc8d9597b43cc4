#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Groups of many: trees too wide to be followed take what they take message by message, and what comes
before a run grows with ranks, not with their square."""

import json
import os
import sys
import tempfile

import command


# machine, options of the collective, how far fidelity flow may be from message. Trees of up to 256 nodes,
# and few chunks, are followed: what is left are blocks that differ by a byte. Wider ones are continued
# from parts of 128 nodes, level by level. Of long pipelines 48 and 96 steps tell the rest.
TREES = (
    ("--system=generic --domain-size=1 --leaf-ports=16 --accelerators=32", "--bytes=100MB", 1e-4),
    ("--system=dgx-h100 --accelerators=256", "--bytes=317MB", 1e-4),
    ("--system=generic --domain-size=1 --leaf-ports=16 --accelerators=256", "--bytes=4MB", 1e-3),
    ("--system=generic --domain-size=1 --leaf-ports=16 --accelerators=512", "--bytes=4MB", 0.02),
    ("--system=generic --domain-size=1 --accelerators=1024", "--bytes=200kB", 1e-3),
    ("--system=dgx-h100 --accelerators=4096", "--bytes=10MB --protocol=tree-simple", 0.02),
)

# workload, command, system, accelerators: of the second of which there are four times as many. In
# proportion time is four times as long, with the square sixteen.
GROWTH = (
    ("gpt3-175b", "--dry-run", "dgx-h100", 16384, 65536),
    ("gpt3-1.3b", "", "dgx-h100", 8192, 32768),
    ("megatron-76b", "--dry-run", "dgx-h100", 8192, 32768),
    ("megatron-76b", "--dry-run", "gb200-nvl72", 16416, 65520),
)
GROWTH_MAX = 8.0

wrong = []


def check(label, is_right, detail):
    if not is_right:
        wrong.append(f"{label}: {detail}")


def run(line):
    """Output and processor seconds, those of its children included."""
    before = os.times()
    done = command.run(*line.split())
    after = os.times()
    if done.returncode != 0:
        sys.exit(f"{line}: {done.stderr}")
    return done.stdout, after.children_user - before.children_user


def generate(folder, options):
    path = os.path.join(folder, options.replace(" ", "") + ".xml")
    if not os.path.exists(path):
        run(f"platform generate {options} -o {path}")
    return path


def collective_s(platform, options, fidelity):
    text, _ = run(f"collective all-reduce {platform} --algorithm=tree {options} --fidelity={fidelity} --format=json")
    return json.loads(text)["runs"][0]["time_s"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        for machine, options, tolerance in TREES:
            platform = generate(folder, machine)
            flow_s, message_s = (collective_s(platform, options, f) for f in ("flow", "message"))
            check(f"{machine} {options}", abs(flow_s / message_s - 1.0) <= tolerance,
                  f"got {flow_s} s by flows, {message_s} s by messages, wanted a difference of {tolerance:.1%} at most")
        for workload, option, system, few, many in GROWTH:
            seconds = []
            for n in (few, many):
                platform = generate(folder, f"--system={system} --accelerators={n}")
                seconds.append(run(f"simulate {workload} {platform} --plan=fit {option}")[1])
            check(f"{workload} on {few} and {many}", seconds[1] <= GROWTH_MAX * seconds[0],
                  f"got {seconds[0]:.2f} and {seconds[1]:.2f} s, wanted at most {GROWTH_MAX:g} times as much")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
