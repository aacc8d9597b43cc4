# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of machines.xml: a fat tree, an optical substrate and circuit switches."""
import functools
import json

from drawing import box, line, picture as draw, text
from program import lightpath
from switching import table

LINK_GBPS = 50  # GB/s each way of a link of 400 Gb/s
MACHINES = ("dgx-a100", "optical-substrate", "ocs")
# Links of 400 Gb/s for each accelerator, as machines.xml has them.
LINKS = {"equal bandwidth": (1, 1, 1), "equal price": (1, 4, 3)}
WORKLOADS = ("gpt3-175b", "mixtral-8x7b")
COLUMNS = ("workload", "basis", "machine", "links", "iteration_time_s", "tokens_per_s",
           "links_energy_j", "switches_energy_j", "power_w", "price_usd")

# Of each kind of row one that takes well below a second.
FEW = [f"$workload = 'gpt3-175b' and $basis = 'equal bandwidth' and $machine = '{machine}'" for machine in MACHINES]
shown = str  # all digits


@functools.lru_cache(maxsize=None)
def circuits_network():
    """Price and power of circuit switches with two ports for each accelerator, one link each."""
    networks = json.loads(lightpath(
        "platform", "price", "--accelerators=128", "--domain-size=8", "--technology=pluggable-400g-opus",
        "--switch-technology=electrical-64x400g-opus", "--circuit-switch-technology=piezo-polatis-192",
        "--circuit-ports=2", "--format=json"))["networks"]
    return next(network for network in networks if network["name"] == "circuits")


def derive(point):
    """Links for each accelerator; of circuits two ports of a switch for each link, not one."""
    n = LINKS[point["basis"]][MACHINES.index(point["machine"])]
    if point["machine"] != "ocs":
        return {"links": n}
    network = circuits_network()
    power_w = network["power_w"] * n
    more_w = power_w - point["power_w"]
    return {"links": n, "power_w": power_w, "price_usd": network["price_usd"] * n,
            "switches_energy_j": point["switches_energy_j"] + more_w * point["iteration_time_s"]}


def cases():
    return [(workload, basis) for workload in WORKLOADS for basis in LINKS]


# --- what follows ---


def energy_kj(row):
    """Of an iteration, with transceivers that are always on."""
    return float(row["power_w"]) * float(row["iteration_time_s"]) / 1e3


def tables(rows):
    head = ["machine", "GB/s", "iteration, s", "tokens/s", "links, kJ", "switches, kJ",
            "network always on, kJ", "power, kW", "price, kUSD", "tokens/s for a kUSD"]
    texts = []
    for workload, basis in cases():
        of = [row for row in rows if (row["workload"], row["basis"]) == (workload, basis)]
        texts.append(f"`{workload}`, {basis}:\n\n" + table(head, [[
            f"`{row['machine']}`", str(LINK_GBPS * int(row["links"])),
            f"{float(row['iteration_time_s']):.3f}", f"{float(row['tokens_per_s']):,.0f}",
            f"{float(row['links_energy_j']) / 1e3:.2f}",
            f"{float(row['switches_energy_j']) / 1e3:.2f}", f"{energy_kj(row):.1f}",
            f"{float(row['power_w']) / 1e3:.2f}", f"{float(row['price_usd']) / 1e3:.1f}",
            f"{float(row['tokens_per_s']) / float(row['price_usd']) * 1e3:.1f}"] for row in of]))
    return "\n".join(texts)


# --- the picture ---

COLOURS = dict(zip(MACHINES, ("#777", "#3a9d5d", "#1f5fa8")))
MEASURES = (("iteration time", lambda row: float(row["iteration_time_s"])),
            ("network energy", energy_kj),
            ("network power", lambda row: float(row["power_w"])),
            ("network price", lambda row: float(row["price_usd"])))
WIDTH, PANEL_WIDTH, PANEL_HEIGHT, HIGHEST = 880, 360, 190, 1.75
BAR = 24


def panel(rows, title, left, top):
    bottom = top + PANEL_HEIGHT
    yield text(left, top - 12, title, "start", size=13)
    for value in (0.0, 0.5, 1.0, 1.5):
        y = bottom - value / HIGHEST * PANEL_HEIGHT
        yield line(left, y, left + PANEL_WIDTH, y, "#aaa" if value == 1.0 else "#e4e4e4")
        yield text(left - 6, y + 4, f"{value:g}", "end", size=11)
    step = PANEL_WIDTH / len(MEASURES)
    for i, (name, measure) in enumerate(MEASURES):
        begin = left + i * step + (step - len(rows) * BAR) / 2
        yield text(left + (i + 0.5) * step, bottom + 17, name, size=11)
        for k, row in enumerate(rows):
            share = measure(row) / measure(rows[0])
            height = share / HIGHEST * PANEL_HEIGHT
            yield box(begin + k * BAR, bottom - height, BAR - 2, height, COLOURS[row["machine"]])
            yield text(begin + k * BAR + BAR / 2 - 1, bottom - height - 4, f"{share:.2f}", size=9)
    yield line(left, bottom, left + PANEL_WIDTH, bottom, "#333")


def picture(rows):
    elements = []
    for i, (workload, basis) in enumerate(cases()):
        of = [row for row in rows if (row["workload"], row["basis"]) == (workload, basis)]
        elements += panel(of, f"{workload}, {basis}", 60 + (i % 2) * (PANEL_WIDTH + 70),
                          75 + (i // 2) * (PANEL_HEIGHT + 65))
    for k, name in enumerate(MACHINES):
        elements += [box(60 + k * 170, 16, 14, 14, COLOURS[name]),
                     text(80 + k * 170, 28, name, "start")]
    elements.append(text(WIDTH / 2, 575, "over dgx-a100 of the same comparison"))
    return draw(WIDTH, 590, "machines", elements)
