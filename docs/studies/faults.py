# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of faults.xml: circuits of which a part has failed."""
from drawing import box, line, picture as draw, text
from switching import table

PLANS = ("gpt3-175b", "llama-3-70b")
POLICIES = ("static", "demand", "hybrid", "rotor")
PORTS = (2, 3, 4)
PARTS = ("a port", "a plane")
COLUMNS = ("model", "policy", "ports", "part", "healthy_s", "failed_s", "why_not")

# Of each kind of row one that takes well below a second.
FEW = ["$model = 'gpt3-175b' and $policy = 'static' and $ports = 2 and $part = 'a port'",
       "$model = 'gpt3-175b' and $policy = 'rotor' and $ports = 3 and $part = 'a plane'"]
REFUSED = ("failures leave", "no path")


def derive(point):
    """Why it is refused, in a word; else what it takes without the failure."""
    if "message" in point:
        return {"why_not": "lanes" if REFUSED[0] in point["message"] else "path"}
    return {"healthy_s": point["failed_s"] - point["lost_s"]}


# --- what follows ---


def find(rows, model, policy, ports, part):
    return next(row for row in rows if (row["model"], row["policy"], row["ports"], row["part"])
                == (model, policy, str(ports), part))


def loss(row):
    """Per cent that the iteration is longer, or None."""
    if row["why_not"]:
        return None
    return 100 * (float(row["failed_s"]) / float(row["healthy_s"]) - 1)


def cell(row):
    percent = loss(row)
    return "none left" if percent is None else f"{percent:.2f}"


def tables(rows):
    texts = []
    for model in PLANS:
        lines = [[policy, f"{float(find(rows, model, policy, PORTS[-1], 'a port')['healthy_s'] or 0):.2f}",
                  *(cell(find(rows, model, policy, ports, part)) for part in PARTS for ports in PORTS)]
                 for policy in POLICIES]
        texts += [f"`{model}`:\n",
                  table(["policy", "healthy, 4 ports, s",
                         *(f"{part} of {ports}, %" for part in PARTS for ports in PORTS)], lines)]
    return "\n".join(texts)


# --- the picture ---

COLOURS = {2: "#b3541e", 3: "#c9b458", 4: "#1f5fa8"}
WIDTH, LEFT, HIGH, BAR = 900, 60, 170, 22


def panel(rows, model, top):
    highest, bottom = 60, top + HIGH
    yield text(LEFT, top - 22, f"{model}: per cent longer", "start", size=13)
    for value in (0, 20, 40, 60):
        y = bottom - value / highest * HIGH
        yield line(LEFT, y, WIDTH - 20, y, "#333" if value == 0 else "#e4e4e4")
        yield text(LEFT - 6, y + 4, f"{value}", "end", size=11)
    groups = [(policy, part) for policy in POLICIES for part in PARTS]
    pitch = (WIDTH - 20 - LEFT) / len(groups)
    for i, (policy, part) in enumerate(groups):
        middle = LEFT + (i + 0.5) * pitch
        for k, ports in enumerate(PORTS):
            percent = loss(find(rows, model, policy, ports, part))
            x = middle + (k - 1.5) * BAR
            if percent is None:
                yield text(x + BAR / 2, bottom - 4, "-", colour=COLOURS[ports], size=14)
                continue
            height = min(max(percent, 0) / highest, 1) * HIGH
            yield box(x, bottom - height, BAR - 2, height, COLOURS[ports])
            yield text(x + BAR / 2 - 1, bottom - height - 3,
                       f"{percent:.0f}" if percent >= 1 or percent < 0.05 else f"{percent:.1f}", size=9)
        yield text(middle, bottom + 16, policy, size=11)
        yield text(middle, bottom + 30, part, size=10)


def picture(rows):
    elements = []
    for k, (ports, colour) in enumerate(COLOURS.items()):
        elements += [box(LEFT + k * 120, 14, 14, 14, colour),
                     text(LEFT + 20 + k * 120, 26, f"{ports} ports", "start")]
    elements.append(text(LEFT + 380, 26, "-: no way around it is left", "start"))
    for i, model in enumerate(PLANS):
        elements += panel(rows, model, 80 + i * 250)
    return draw(WIDTH, 60 + 250 * len(PLANS), "faults", elements)
