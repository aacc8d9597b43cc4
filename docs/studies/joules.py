# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of joules.xml: what a token costs the network."""
import functools
import json
import re
import tempfile
import xml.etree.ElementTree

from drawing import box, line, picture as draw, text
from program import HERE, lightpath
from switching import table

LINK_GBPS = 50  # each way, of an accelerator between domains: 400 Gb/s
WORKLOADS = ("gpt3-175b", "mixtral-8x7b")
MACHINES = ("electrical", "pluggable", "linear", "co-packaged", "substrate")
COLUMNS = ("workload", "machine", "iteration_time_s", "tokens_per_s", "links_energy_j",
           "always_on_energy_j", "switches_energy_j")

# Of each kind of row one that takes well below a second.
FEW = ["$workload = 'mixtral-8x7b'"]


def machine(name):
    """The options of a machine of joules.xml."""
    study = xml.etree.ElementTree.parse(HERE / "joules.xml")
    own = study.find(f"choice[@name='machine']/case[@name='{name}']/machine").attrib
    return [f"--{option}={value}" for option, value in {**study.find("machine").attrib, **own}.items()]


@functools.lru_cache(maxsize=None)
def links_of(name):
    """Links between domains, each way counted, and what a bit costs on each, J."""
    with tempfile.NamedTemporaryFile(suffix=".xml") as file:
        lightpath("platform", "generate", *machine(name), "-o", file.name)
        facts = json.loads(lightpath("platform", "describe", file.name, "--format=json"))
    text_of = re.search(r'"energy-per-bit" value="([0-9.]+)pJ/bit',
                        lightpath("platform", "generate", *machine(name)))
    n = sum(tier["links"] for tier in facts["tiers"] if tier["name"] != "scale-up")
    return 2 * n, 1e-12 * float(text_of.group(1))


def derive(point):
    """Two ports of a substrate have one link, where a switch's ports have one each."""
    n_links, bit_j = links_of(point["machine"])
    always_on = n_links * (0.5 if point["machine"] == "substrate" else 1.0)
    return {"always_on_energy_j": always_on * bit_j * 8e9 * LINK_GBPS * point["iteration_time_s"]}


# --- what follows ---


def of_token_mj(row, of):
    """Millijoules of a token."""
    tokens = float(row["tokens_per_s"]) * float(row["iteration_time_s"])
    return 1e3 * float(row[f"{of}_energy_j"]) / tokens


def whole_mj(row):
    """With links that are always on."""
    return of_token_mj(row, "always_on") + of_token_mj(row, "switches")


def tables(rows):
    parts = []
    for workload in WORKLOADS:
        of = [row for row in rows if row["workload"] == workload]
        parts.append(f"`{workload}`:\n\n" + table(
            ["network", "iteration, s", "links, by byte", "links, always on", "switches",
             "always on together, mJ a token", "over pluggable"],
            [[row["machine"], f"{float(row['iteration_time_s']):.3f}",
              *(f"{of_token_mj(row, what):.2f}" for what in ("links", "always_on", "switches")),
              f"{whole_mj(row):.1f}", f"{whole_mj(row) / whole_mj(of[1]):.3f}"] for row in of]))
    return "\n".join(parts)


# --- the picture ---

WIDTH, PANEL_WIDTH, PANEL_HEIGHT, BAR = 880, 360, 220, 40
COLOURS = {"switches": "#b3541e", "always_on": "#1f5fa8", "links": "#3a9d5d"}
NAMES = {"switches": "switches", "always_on": "links, always on", "links": "links, by byte"}


def panel(rows, parts, title, left, top):
    bottom = top + PANEL_HEIGHT
    highest = 1.15 * max(sum(of_token_mj(row, part) for part in parts) for row in rows)
    yield text(left, top - 12, title, "start", size=13)
    yield line(left, bottom, left + PANEL_WIDTH, bottom, "#333")
    pitch = PANEL_WIDTH / len(rows)
    for i, row in enumerate(rows):
        middle, y, whole = left + (i + 0.5) * pitch, bottom, 0.0
        for part in parts:
            value = of_token_mj(row, part)
            height = value / highest * PANEL_HEIGHT
            y -= height
            whole += value
            yield box(middle - BAR / 2, y, BAR, height, COLOURS[part])
        yield text(middle, y - 5, f"{whole:.3g}", size=11)
        yield text(middle, bottom + 17, row["machine"], size=11)


def picture(rows):
    elements = []
    for k, workload in enumerate(WORKLOADS):
        of = [row for row in rows if row["workload"] == workload]
        for i, (parts, what) in enumerate(((("switches", "always_on"), "always on"),
                                           (("links",), "links, by byte"))):
            elements += panel(of, parts, f"{workload}: {what}, mJ a token",
                              50 + i * (PANEL_WIDTH + 60), 80 + k * (PANEL_HEIGHT + 65))
    for k, (part, colour) in enumerate(COLOURS.items()):
        elements += [box(50 + k * 170, 16, 14, 14, colour),
                     text(70 + k * 170, 28, NAMES[part], "start")]
    return draw(WIDTH, 620, "joules", elements)
