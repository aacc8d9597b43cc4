# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of mapping.xml: where tensor, pipeline and data parallelism go, inside nodes and between them."""
from drawing import box, line, picture as draw, text
from switching import table

BATCHES = (1024, 8192)
# Named by what is inside a node of 8, and what is between nodes.
MAPPINGS = ("TP / DP", "TP / DP 64, PP 2", "TP / DP 32, PP 4", "TP / DP 16, PP 8", "TP / DP 8, PP 16", "TP / TP 2, DP 8, PP 8",
            "TP / TP 4, DP 8, PP 4", "PP / DP", "DP / DP 8, PP 16")
# Accelerators and cards of a node.
NODES = ((8, 8), (8, 1), (4, 4), (4, 1), (2, 2), (2, 1), (1, 1))
STAGES = (1, 4, 16)
COLUMNS = ("case", "node", "cards", "batch", "mapping", "simulated_s", "consistent_s", "amped_s",
           "memory_gb")

# Of each kind of row one that takes well below a second.
FEW = ["$case = 'mapping' and $batch = 1024 and $mapping = 'TP / DP'",
       "$case = 'mapping' and $batch = 8192 and $mapping = 'TP / TP 2, DP 8, PP 8'",
       "$case = 'nodes' and $node = 4 and $cards = 1 and $mapping = 'PP 4'"]


def derive(point):
    """What a point has besides: memory in use."""
    return {"memory_gb": sum(point.get(f"{part}_bytes", 0) for part in
                             ("weights", "gradients", "optimizer", "activations", "buffers", "step")) / 1e9}


def number(text_of):
    return f"{float(text_of):.1f}"


def by_mapping(rows, batch):
    return {row["mapping"]: row for row in rows
            if row["case"] == "mapping" and row["batch"] == str(batch)}


def by_node(rows):
    return {(int(row["node"]), int(row["cards"]), row["mapping"]): row for row in rows
            if row["case"] == "nodes"}


def tables(rows):
    of = [by_mapping(rows, batch) for batch in BATCHES]
    mappings = [[mapping, *(number(some[mapping][f"{form}_s"]) for some in of
                            for form in ("simulated", "consistent", "amped")),
                 f"{float(of[0][mapping]['memory_gb']):.0f}"] for mapping in MAPPINGS]
    nodes = by_node(rows)
    smaller = [[f"{node}", f"{cards}",
                *(number(nodes[node, cards, f"PP {stages}"][f"{form}_s"])
                  for form in ("simulated", "amped") for stages in STAGES)]
               for node, cards in NODES]
    return "\n".join([
        table(["inside a node / between nodes",
               *(f"{form}, batch {batch:,}" for batch in BATCHES
                 for form in ("simulated", "consistent", "AMPeD")), "GB"], mappings),
        table(["accelerators", "cards", *(f"{form}, PP {stages}" for form in ("simulated", "AMPeD")
                                          for stages in STAGES)], smaller)])


# --- the picture ---

WIDTH, LEFT, BAR, PANEL_HEIGHT = 880, 70, 22, 190
COLOURS = {1: "#b3541e", 4: "#c9b458", 16: "#1f5fa8"}
FORM_COLOURS = {"simulated": "#1f5fa8", "consistent": "#777", "amped": "#3a9d5d"}


def axis(top, highest, step):
    bottom = top + PANEL_HEIGHT
    value = 0
    while value <= highest:
        y = bottom - value / highest * PANEL_HEIGHT
        yield line(LEFT, y, WIDTH - 20, y, "#333" if value == 0 else "#e4e4e4")
        yield text(LEFT - 6, y + 4, f"{value}", "end", size=11)
        value += step


def bar(x, bottom, value, highest, colour):
    height = min(value / highest, 1.0) * PANEL_HEIGHT
    return box(x, bottom - height, BAR - 2, height, colour)


def mapping_panel(rows, top):
    highest, bottom = 60, top + PANEL_HEIGHT
    yield text(LEFT, top - 12, "batch 1,024, nodes of 8: seconds of an iteration", "start", size=13)
    yield from axis(top, highest, 20)
    pitch = (WIDTH - 20 - LEFT) / len(MAPPINGS)
    for i, (mapping, row) in enumerate(by_mapping(rows, BATCHES[0]).items()):
        middle = LEFT + (i + 0.5) * pitch
        for k, (form, colour) in enumerate(FORM_COLOURS.items()):
            value = float(row[f"{form}_s"])
            yield bar(middle + (k - 1.5) * BAR, bottom, value, highest, colour)
            if value > highest:
                yield text(middle + (k - 1) * BAR, top - 3, f"{value:.0f}", size=9)
        inside, between = mapping.split(" / ")
        yield text(middle, bottom + 15, f"{inside} /", size=10)
        yield text(middle, bottom + 28, between, size=10)


def node_panel(rows, top):
    highest, bottom = 40, top + PANEL_HEIGHT
    nodes = by_node(rows)
    yield text(LEFT, top - 12, "tensor parallelism in a node, simulated, batch 1,024: seconds",
               "start", size=13)
    yield from axis(top, highest, 20)
    pitch = (WIDTH - 20 - LEFT) / len(NODES)
    for i, (node, cards) in enumerate(NODES):
        middle = LEFT + (i + 0.5) * pitch
        for k, (stages, colour) in enumerate(COLOURS.items()):
            value = float(nodes[node, cards, f"PP {stages}"]["simulated_s"])
            yield bar(middle + (k - 1.5) * BAR, bottom, value, highest, colour)
            if value > highest:
                yield text(middle + (k - 1) * BAR, top - 2, f"{value:.0f}", size=9)
        yield text(middle, bottom + 17, f"{node}, cards {cards}", size=11)


def picture(rows):
    elements = [*mapping_panel(rows, 70), *node_panel(rows, 370)]
    for k, (name, colour) in enumerate((("simulated", FORM_COLOURS["simulated"]),
                                        ("consistent form", FORM_COLOURS["consistent"]),
                                        ("AMPeD", FORM_COLOURS["amped"]))):
        elements += [box(LEFT + k * 150, 16, 14, 14, colour),
                     text(LEFT + 20 + k * 150, 28, name, "start")]
    for k, (stages, colour) in enumerate(COLOURS.items()):
        elements += [box(LEFT + k * 150, 322, 14, 14, colour),
                     text(LEFT + 20 + k * 150, 334, f"PP {stages}", "start")]
    return draw(WIDTH, 600, "mapping", elements)
