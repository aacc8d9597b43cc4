# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of days.xml: what a month of failures leaves."""
import functools
import json
import re

from drawing import Logarithmic, curve, line, picture as draw, text
from program import BARE, HERE, lightpath

HOSTS = 512  # of the job
REPAIRS = {"4h": "4 hours", "24h": "a day", "168h": "a week", "336h": "two weeks"}
SPARES = (*range(0, 13), *range(14, 49, 2), 64, 96, 128)
# Hosts that must be in one pod, and spare hosts of such a pod.
PODS = {"pods of 64": (64, range(0, 17)), "pods of 8": (8, (0, 1, 2))}
CHIPS = (512, 1024, 1536, 2048, 3072, 4096)
AVAILABILITIES = ("0.99", "0.995", "0.999")
PACKINGS = ("any", "contiguous", "fixed")
SWITCHES = 48  # TPU v4 has so many
OUT = ("0.01", "0.003", "0.001", "0.0003", "0.0001", "0.00003", "0.00001")
MISSING = ("all needed", "one of eight planes", "spare switches")
COLUMNS = ("figure", "network", "value", "spares", "goodput", "half_width", "closed_form",
           "slice_goodput", "availability", "waiting_h", "restart_h", "idle_h")

# Of each kind of row one that takes well below a second.
FEW = ["$figure = 'spares' and $network = 'any' and $value = 86400 and $number = 6",
       "$figure = 'spares' and $network = 'pods of 8' and $value = 86400 and $number = 64",
       "$figure = 'slices' and $network = 'any' and $value = 0.99 and $number = 2048",
       "$figure = 'switches' and $network = 'all needed' and $value = 0.001"]
shown = str  # all digits


def iteration_s(share):
    """Of the job with @share of the bandwidth between domains."""
    told = lightpath("simulate", "gpt3-175b", "--system=dgx-h100", "--accelerators=4096",
                     f"--scale-out-bandwidth={share * 50}GBps", "--no-difference", "--format=json",
                     *(f"--set={setting}" for setting in [*BARE, "tp=8", "pp=8", "dp=64", "global-batch=1536"]))
    return json.loads(told)["simulated"]["iteration_time_s"]


@functools.lru_cache(maxsize=None)
def check_slowdown():
    """The slowdown of a job without one of eight planes is what days.xml says."""
    slowdown = iteration_s(0.875) / iteration_s(1.0)
    given = float(re.search("slowdown=([0-9.]+)", (HERE / "days.xml").read_text()).group(1))
    if abs(given / slowdown - 1.0) > 1e-9:
        raise SystemExit(f"days.xml: slowdown={given}, wanted {slowdown}")


def derive(point):
    """In closed form where there is one."""
    check_slowdown()
    form = "form_" if "closed_form" in point else ""
    shown_of = {column: point.get(form + column, "") for column in ("slice_goodput", "availability")}
    lost_h = {f"{cause}_h": point[form + cause] / 3600 for cause in ("waiting", "restart", "idle")}
    return {"spares": point["number"], **shown_of, **lost_h}


def cases():
    """(figure, network, value, spares): the value is a repair time, an availability or a share."""
    for network in ("any", *PODS):
        for repair in REPAIRS if network == "any" else ("24h", "168h"):
            hosts, of_pod = PODS.get(network, (HOSTS, SPARES))
            for spares in of_pod:
                yield "spares", network, repair, spares * HOSTS // hosts
    for packing in PACKINGS:
        for availability in AVAILABILITIES:
            for chips in CHIPS:
                yield "slices", packing, availability, chips
    for missing in MISSING:
        for out in OUT:
            yield "switches", missing, out, 8


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
            lines.append([name, "circuits" if network == "any" else network,
                          per_cent(number(first, "goodput")), top["spares"],
                          per_cent(number(top, "goodput"))])
    return table(["repair", "blocks (hosts) joined by", "no spares, %", "best spare hosts", "goodput with them, %"], lines)


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
