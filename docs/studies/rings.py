# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of rings.xml: what failed nodes leave of a machine whose jobs need high-bandwidth domains."""
from drawing import curve, line, picture as draw, text
from switching import table

ACCELERATORS = 5760
GROUPS = (16, 32, 64)  # of tensor parallelism
# Nodes that are down, in the mean of the public trace of InfiniteHBD, and at most 99 % of the time.
MEAN, MOST = "0.0231", "0.0775"
DOWN = ("0", "0.005", "0.01", "0.0175", MEAN, "0.03", "0.04", "0.05", "0.06", "0.07", MOST, "0.1")
NETWORKS = ("rings of 1 hop", "rings of 2 hops", "rings of 3 hops", "racks of 72", "cubes of 64", "cubes, divided",
            "a switch for all")
# @size: accelerators of a job.
COLUMNS = ("network", "group", "down", "size", "availability", "slices")

# Of each kind of row one that takes well below a second.
FEW = ["$network = 'rings of 3 hops' and $group = 32 and $down = 0.0231",
       "$network = 'racks of 72' and $group = 32 and $down = 0.0231"]


def waste(rows, network, group, down):
    """Of all accelerators, those that are up and used for nothing."""
    row = next(row for row in rows
               if (row["network"], row["group"], row["down"]) == (network, str(group), down))
    used = float(row["availability"]) * int(row["slices"]) * int(row["size"]) / ACCELERATORS
    return 1 - float(row["down"]) - used


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
