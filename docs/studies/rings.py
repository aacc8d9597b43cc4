# SPDX-License-Identifier: Apache-2.0
"""What do failed nodes leave of a machine whose jobs need high-bandwidth domains? k-hop rings of
transceivers that switch (InfiniteHBD, SIGCOMM 2025, arXiv 2502.03885), electrical racks of 72, cubes of 64
joined by circuit switches, whole or divided, and a switch for all: accelerators that are up and belong to
no group of tensor parallelism, in closed form (docs/goodput.md)."""
import json
import tempfile

from drawing import curve, line, picture as draw, text
from program import figures, lightpath
from switching import table

ACCELERATORS, NODE = 5760, 4  # whole racks of 72 and cubes of 64
GROUPS = (16, 32, 64)  # of tensor parallelism
# Nodes that are down. The public trace of InfiniteHBD (repository stepfun-ai/InfiniteHBD-Trace, 400
# servers, 349 days): 2.3 % in the mean, 1.75 % in the median, 7.75 % at most 99 % of the time.
MEAN, MOST = "0.0231", "0.0775"
DOWN = ("0", "0.005", "0.01", "0.0175", MEAN, "0.03", "0.04", "0.05", "0.06", "0.07", MOST, "0.1")
# Options of the packing, and accelerators of a block.
NETWORKS = {"rings of 1 hop": (NODE, "--packing=rings --hops=1 --regroup=free"),
            "rings of 2 hops": (NODE, "--packing=rings --hops=2 --regroup=free"),
            "rings of 3 hops": (NODE, "--packing=rings --hops=3 --regroup=free"),
            "racks of 72": (NODE, "--packing=pods --pod=72"),
            "cubes of 64": (64, "--packing=any"),
            "cubes, divided": (NODE, "--packing=fixed"),
            "a switch for all": (NODE, "--packing=any")}
COLUMNS = ("network", "group", "down", "up", "used")


def cases():
    return [(network, group, down) for network in NETWORKS for group in GROUPS for down in DOWN]


# Of each kind of row one that takes well below a second.
FEW = [("rings of 3 hops", 32, MEAN), ("racks of 72", 32, MEAN)]


def run_case(case):
    """Each job is a group, and there are as many as the machine can hold."""
    network, group, down = case
    block, packing = NETWORKS[network]
    # A job of whole cubes; groups within one are used or lost together.
    size = max(group, block)
    grouped = [f"--group={group}"] if "rings" in packing or "pods" in packing else []
    off = [f"--part={part}:mtbf=never" for part in ("accelerator", "card", "link", "software")]
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/machine.xml"
        lightpath("platform", "generate", "--system=optical-substrate", "--accelerator=h100-sxm",
                  f"--accelerators={ACCELERATORS}", f"--domain-size={size}",
                  "--domain-bandwidth=450GBps", "--scale-out-bandwidth=50GBps", "-o", file)
        result = json.loads(lightpath(
            "goodput", "gpt3-1.3b", file, "--set=tp=1", "--set=pp=1", f"--set=dp={size}",
            f"--set=global-batch={size}", "--set=micro-batch=1", "--iteration-time=1s", f"--host-size={NODE}",
            f"--block={block}", *packing.split(), *grouped, "--slices=max", *off,
            f"--part=host:availability={1 - float(down):g},repair=24h", "--checkpoint-time=0s",
            "--checkpoint-size=0B", "--detection-time=0s", "--scheduling-time=0s", "--runs=10",
            "--days=0.01", "--format=json"))
    blocks, form = result["blocks"], result["closed_form"]
    used = form["availability"] * blocks["slices"] * size / ACCELERATORS
    return [dict(zip(COLUMNS, map(figures, (*case, 1 - float(down), used))))]


# --- what follows ---


def waste(rows, network, group, down):
    """Of all accelerators, those that are up and used for nothing."""
    row = next(row for row in rows
               if (row["network"], row["group"], row["down"]) == (network, str(group), down))
    return float(row["up"]) - float(row["used"])


def tables(rows):
    shown = ("0", MEAN, "0.05", MOST)
    lines = [[network, str(group), *(f"{100 * waste(rows, network, group, down):.2f}"
                                     for down in shown)]
             for group in GROUPS for network in NETWORKS]
    return table(["network", "group", *(f"{100 * float(down):.3g} % down" for down in shown)], lines)


# --- the picture ---

WIDTH, HEIGHT, PANEL, LEFT = 930, 360, 240, 50
COLOURS = ("#9ec5ec", "#4d8fd0", "#1f5fa8", "#b3541e", "#6a4c93", "#b39ad0", "#777")
HIGHEST = 0.25


def picture(rows):
    elements, bottom, top = [], HEIGHT - 55, 70
    for i, group in enumerate(GROUPS):
        left = LEFT + i * (PANEL + 40)
        right = left + PANEL

        def at(down, share):
            return (left + float(down) / 0.1 * PANEL,
                    bottom - min(share, HIGHEST) / HIGHEST * (bottom - top))
        for share in (0, 0.05, 0.1, 0.15, 0.2, 0.25):
            y = at(0, share)[1]
            elements += [line(left, y, right, y, "#333" if share == 0 else "#e4e4e4"),
                         text(left - 5, y + 4, f"{100 * share:.0f} %", "end", size=10)]
        for down in ("0", "0.02", "0.04", "0.06", "0.08", "0.1"):
            elements.append(text(at(down, 0)[0], bottom + 16, f"{100 * float(down):.0f} %", size=10))
        x = at(MEAN, 0)[0]
        elements.append(line(x, top, x, bottom, "#bbb", "3 3"))
        elements.append(text((left + right) / 2, top - 10, f"groups of {group}"))
        for network, colour in zip(NETWORKS, COLOURS):
            elements.append(curve([at(down, waste(rows, network, group, down)) for down in DOWN
                                   if waste(rows, network, group, down) <= HIGHEST], colour))
    x = LEFT
    for network, colour in zip(NETWORKS, COLOURS):
        elements += [line(x, 24, x + 26, 24, colour, None, 3), text(x + 32, 28, network, "start")]
        x += 46 + 5.4 * len(network)
    elements.append(text(WIDTH / 2, HEIGHT - 14, "nodes of four that are down (dashed: the mean of "
                         "the trace); upwards: accelerators that are up and in no group"))
    return draw(WIDTH, HEIGHT, "rings", elements)
