# SPDX-License-Identifier: Apache-2.0
"""What does a month of failures leave? GPT-3 175B on 4,096 H100 in hosts of eight, with spare hosts,
repair times, electrical pods against circuits, and circuits that fail themselves; and slices of
TPU v4."""
import functools
import json
import tempfile

from drawing import Logarithmic, curve, line, picture as draw, text
from program import lightpath, on_machines, sets

HOSTS = 512  # of the job
PLAN = "tp=8 pp=8 dp=64 global-batch=1536"
MACHINE = ["--system=dgx-h100", f"--accelerators={8 * HOSTS}"]
RUNS = "--runs=100"
REPAIRS = {"4h": "4 hours", "24h": "a day", "168h": "a week", "336h": "two weeks"}
SPARES = (*range(0, 13), *range(14, 49, 2), 64, 96, 128)
# Hosts that must be in one pod, and spare hosts of such a pod.
PODS = {"pods of 64": (64, range(0, 17)), "pods of 8": (8, (0, 1, 2))}
REPAIRED = ("accelerator", "host", "card")  # links have spares on the shelf
CHIPS = {512: "2x2x2", 1024: "4x4x1", 1536: "4x3x2", 2048: "4x4x2", 3072: "4x4x3", 4096: "4x4x4"}
AVAILABILITIES = ("0.99", "0.995", "0.999")
PACKINGS = ("any", "contiguous", "fixed")
SWITCHES = 48  # TPU v4 has so many
OUT = ("0.01", "0.003", "0.001", "0.0003", "0.0001", "0.00003", "0.00001")
MISSING = {"all needed": "machine", "one of eight planes": "slow", "spare switches": "machine,0s"}
COLUMNS = ("figure", "network", "value", "spares", "goodput", "half_width", "closed_form",
           "slice_goodput", "availability", "waiting_h", "restart_h", "idle_h")


@functools.lru_cache(maxsize=None)
def iteration_s(share):
    """Of the job with @share of the bandwidth between domains."""
    rate = f"--scale-out-bandwidth={share * 50}GBps"
    result = on_machines([[*MACHINE, rate]], "simulate", "gpt3-175b", *sets(PLAN))
    return result["simulated"]["iteration_time_s"]


def goodput(machine, workload, *options):
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/machine.xml"
        lightpath("platform", "generate", *machine, "-o", file)
        return json.loads(lightpath("goodput", workload, file, RUNS, "--format=json", *options))


def cases():
    """(figure, network, value, spares): the value is a repair time, an availability or a share."""
    for repair in REPAIRS:
        for spares in SPARES:
            yield "spares", "any", repair, spares
    for repair in ("24h", "168h"):
        for network, (hosts, of_pod) in PODS.items():
            for spares in of_pod:
                yield "spares", network, repair, spares * HOSTS // hosts
    for availability in AVAILABILITIES:
        for packing in PACKINGS:
            for chips in CHIPS:
                yield "slices", packing, availability, chips
    for missing in MISSING:
        for out in OUT:
            yield "switches", missing, out, 8


# Of each kind of row one that takes well below a second.
FEW = [("spares", "any", "24h", 6), ("spares", "pods of 8", "24h", 64),
       ("slices", "any", "0.99", 2048), ("switches", "all needed", "0.001", 8)]


def job(*options):
    return goodput(MACHINE, "gpt3-175b", *sets(PLAN), f"--iteration-time={iteration_s(1.0)}s",
                   *options)


def run_spares(network, repair, spares):
    options = [f"--part={part}:repair={repair}" for part in REPAIRED]
    if network in PODS:
        hosts = PODS[network][0]
        pod = 8 * (hosts + spares * hosts // HOSTS)
        options += ["--packing=pods", f"--pod={pod}", f"--group={8 * hosts}"]
    return job(f"--spares={spares}", *options)


def run_slices(packing, availability, chips):
    boxes = ["--grid=4x4x4", f"--shape={CHIPS[chips]}"] if packing == "contiguous" else []
    return goodput(["--system=tpu-v4", "--accelerators=4096"], "llama-3-8b",
                   *sets(f"dp={chips} global-batch={2 * chips}"), "--reliability=tpu-v4",
                   f"--part=host:availability={availability}", f"--packing={packing}", *boxes,
                   "--slices=max", "--iteration-time=1s", "--checkpoint-time=0s",
                   "--checkpoint-size=0B", "--detection-time=0s", "--scheduling-time=0s")


def run_switches(missing, out, spares):
    effect, _, repair = MISSING[missing].partition(",")
    availability = f"{1.0 - float(out):.5f}"
    part = f"--part=ocs:availability={availability},repair=4h,count={SWITCHES},effect={effect}"
    if effect == "slow":
        part += f",slowdown={iteration_s(0.875) / iteration_s(1.0)}"
    if repair:  # a spare switch takes over: the job only starts again
        hours = 4.0 * float(availability) / (1.0 - float(availability))
        part = f"--part=ocs:mtbf={hours}h,repair={repair},count={SWITCHES},effect={effect}"
    return job(f"--spares={spares}", part)


RUN = {"spares": run_spares, "slices": run_slices, "switches": run_switches}


def run_case(case):
    """The rows of @case, as texts."""
    figure, network, value, number = case
    result = RUN[figure](network, value, number)
    column = result.get("closed_form", result)
    lost_h = {cause: seconds / 3600 for cause, seconds in column["lost_s"].items()}
    values = (*case, result["goodput"], result["half_width"]["goodput"],
              result.get("closed_form", {}).get("goodput", ""), column["slice_goodput"],
              column["availability"], lost_h["waiting"], lost_h["restart"], lost_h["idle"])
    return [dict(zip(COLUMNS, map(str, values)))]


# --- what follows ---


def of(rows, figure, network=None, value=None):
    return [row for row in rows if row["figure"] == figure and network in (None, row["network"])
            and value in (None, row["value"])]


def number(row, column):
    """In closed form where there is one: it has no noise, and Monte Carlo is near."""
    if column == "goodput" and row["closed_form"]:
        return float(row["closed_form"])
    return float(row[column])


def best(rows):
    return max(rows, key=lambda row: number(row, "goodput"))


def per_cent(value, digits=1):
    return f"{100.0 * value:.{digits}f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def spares_table(rows):
    lines = []
    for repair, name in REPAIRS.items():
        for network in ("any", *PODS):
            some = of(rows, "spares", network, repair)
            if not some:
                continue
            first, top = some[0], best(some)
            lines.append([name, "circuits" if network == "any" else network + " hosts",
                          per_cent(number(first, "goodput")), top["spares"],
                          per_cent(number(top, "goodput")), top_idle(top),
                          per_cent(float(top["availability"]), 2)])
    return table(["repair", "blocks are joined by", "no spares, %", "best number of spare hosts",
                  "goodput with them, %", "of which idle, %", "jobs have their hosts, %"], lines)


def top_idle(row):
    return per_cent(float(row["idle_h"]) / 720.0)


def slices_table(rows):
    lines = [[f"{100 * float(availability):g} %", packing,
              *(per_cent(number(row, "goodput")) for row in of(rows, "slices", packing,
                                                                availability))]
             for availability in AVAILABILITIES for packing in PACKINGS]
    return table(["hosts", "packing", *(f"{chips:,}" for chips in CHIPS)], lines)


def switches_table(rows):
    lines = [[f"{100 * (1 - float(out)):g} %",
              *(per_cent(number(of(rows, "switches", missing, out)[0], "slice_goodput"), 2)
                for missing in MISSING)] for out in OUT]
    return table(["a switch is up", *MISSING], lines)


def tables(rows):
    return "\n".join([spares_table(rows), slices_table(rows), switches_table(rows)])


# --- the picture ---

WIDTH, PANEL_WIDTH, PANEL_HEIGHT = 880, 340, 230
COLOURS = ("#1f5fa8", "#3a9d5d", "#c9871f", "#b3541e")
NETWORKS = {"any": (None, "circuits"), "pods of 64": ("7 4", "pods of 64 hosts"),
            "pods of 8": ("2 4", "pods of 8 hosts")}
PACKING_DASHES = {"any": None, "contiguous": "7 4", "fixed": "2 4"}


class Linear:
    def __init__(self, low, high, start, end):
        self.low, self.high, self.start, self.end = low, high, start, end

    def at(self, value):
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def frame(title, left, top, up, ticks, across, labels, below):
    bottom = top + PANEL_HEIGHT
    for value in ticks:
        yield line(left, up.at(value), left + PANEL_WIDTH, up.at(value), "#e4e4e4")
        yield text(left - 6, up.at(value) + 4, f"{100 * value:g} %", "end", size=11)
    for value, label in labels:
        yield line(across.at(value), bottom, across.at(value), bottom + 4, "#333")
        yield text(across.at(value), bottom + 17, label, size=11)
    yield line(left, bottom, left + PANEL_WIDTH, bottom, "#333")
    yield text(left, top - 46, title, "start", size=13)
    yield text(left + PANEL_WIDTH / 2, bottom + 34, below, size=11)


def legend(left, top, lines_of_entries):
    """Above a panel, two lines at most."""
    for i, entries in enumerate(lines_of_entries):
        x, y = left, top - 30 + 16 * i
        for label, colour, dash in entries:
            yield line(x, y, x + 22, y, colour, dash, 2)
            yield text(x + 26, y + 4, label, "start", size=11)
            x += 40 + 5.8 * len(label)


def spares_panel(rows, repairs, networks, title, left, top, highest):
    up = Linear(0.0, 1.0, top + PANEL_HEIGHT, top)
    across = Linear(0, highest, left, left + PANEL_WIDTH)
    ticks = [(n, str(n)) for n in range(0, highest + 1, highest // 4)]
    yield from frame(title, left, top, up, (0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0), across, ticks,
                     f"spare hosts, beside the job's {HOSTS}")
    for repair in repairs:
        colour = COLOURS[list(REPAIRS).index(repair)]
        for network in networks:
            points = [(across.at(int(row["spares"])), up.at(number(row, "goodput")))
                      for row in of(rows, "spares", network, repair)
                      if int(row["spares"]) <= highest]
            yield curve(points, colour, NETWORKS[network][0])


def slices_panel(rows, left, top):
    up = Linear(0.0, 1.0, top + PANEL_HEIGHT, top)
    across = Linear(0, 4096, left, left + PANEL_WIDTH)
    yield from frame("TPU v4: goodput of 4,096 chips by slice", left, top, up, (0, 0.25, 0.5, 0.75, 1.0),
                     across, [(chips, f"{chips:,}") for chips in (1024, 2048, 3072, 4096)],
                     "chips of a slice")
    for i, availability in enumerate(AVAILABILITIES):
        for packing in PACKINGS:
            points = [(across.at(int(row["spares"])), up.at(number(row, "goodput")))
                      for row in of(rows, "slices", packing, availability)]
            yield curve(points, COLOURS[i], PACKING_DASHES[packing])


def switches_panel(rows, left, top):
    up = Linear(0.5, 1.0, top + PANEL_HEIGHT, top)
    across = Logarithmic(1e-5, 1e-2, left, left + PANEL_WIDTH)
    yield from frame(f"{SWITCHES} circuit switches that fail: goodput of the job", left, top, up,
                     (0.5, 0.6, 0.7, 0.8, 0.9, 1.0), across,
                     [(out, f"{100 * (1 - out):g} %") for out in (1e-5, 1e-4, 1e-3, 1e-2)],
                     "a switch is up")
    for i, missing in enumerate(MISSING):
        points = [(across.at(float(row["value"])), up.at(number(row, "slice_goodput")))
                  for row in of(rows, "switches", missing)]
        yield curve(points, COLOURS[i])


def picture(rows):
    right, second, top = 80 + PANEL_WIDTH + 90, 85 + PANEL_HEIGHT + 125, 85
    repair = [(name, COLOURS[i], None) for i, name in enumerate(REPAIRS.values())]
    networks = [(label, "#555", dash) for dash, label in NETWORKS.values()]
    hosts = [(f"hosts up {100 * float(a):g} %", COLOURS[i], None)
             for i, a in enumerate(AVAILABILITIES)]
    packings = [(packing, "#555", PACKING_DASHES[packing]) for packing in PACKINGS]
    missing = [(name, COLOURS[i], None) for i, name in enumerate(MISSING)]
    elements = [
        *spares_panel(rows, REPAIRS, ("any",), "Circuits: goodput by spare hosts and repair time",
                      80, top, 48),
        *legend(80, top, [repair]),
        *spares_panel(rows, ("24h", "168h"), NETWORKS, "Circuits and electrical pods", right, top,
                      128),
        *legend(right, top, [networks, repair[1:3]]),
        *slices_panel(rows, 80, second), *legend(80, second, [hosts, packings]),
        *switches_panel(rows, right, second), *legend(right, second, [missing])]
    return draw(WIDTH, second + PANEL_HEIGHT + 50, "days", elements)
