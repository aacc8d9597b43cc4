# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of rotors.xml: circuits that turn by the clock, that are set up on request, and that have an
electrical network beside them."""
from drawing import Logarithmic, curve, line, picture as draw, text
from switching import table

DEAD_TIMES = {"1us": 1e-6, "10us": 1e-5, "100us": 1e-4, "1ms": 1e-3, "10ms": 1e-2, "100ms": 0.1}
MODELS = ("gpt3-175b", "llama-3-70b", "mixtral-8x7b")
NETWORKS = ("demand", "provision", "hybrid", "rotor, one circuit", "rotor, two")
COLUMNS = ("model", "network", "dead_time", "iteration_time_s", "closed_form_s", "reconfiguration_s")

# Of each kind of row one that takes well below a second.
FEW = ["$model = 'gpt3-175b' and $network = 'rotor, two' and $dead_time = 1e-4",
       "$model = 'llama-3-70b' and $network = 'hybrid' and $dead_time = 1e-2",
       "$model = 'mixtral-8x7b' and $network = 'electrical'"]


def derive(point):
    """The electrical network has no dead time, and is run once."""
    return {"dead_time": ""} if point["network"] == "electrical" else {}


def find(rows, model, network, dead_time=""):
    return next(row for row in rows
                if (row["model"], row["network"], row["dead_time"]) == (model, network, dead_time))


def over_electrical(rows, model, network, dead_time, column="iteration_time_s"):
    return (float(find(rows, model, network, dead_time)[column])
            / float(find(rows, model, "electrical")[column]))


def tables(rows):
    texts = []
    for model in MODELS:
        whole_s = float(find(rows, model, "electrical")["iteration_time_s"])
        lines = [[network, *(f"{over_electrical(rows, model, network, time):.3f} "
                             f"({over_electrical(rows, model, network, time, 'closed_form_s'):.3f})"
                             for time in DEAD_TIMES)] for network in NETWORKS]
        texts += [f"`{model}`, {whole_s:.2f} s over electrical:\n",
                  table(["network", *DEAD_TIMES], lines)]
    return "\n".join(texts)


# --- the picture ---

COLOURS = {"demand": "#b3541e", "provision": "#c9a227", "hybrid": "#3a8f5a",
           "rotor, one circuit": "#8a8a8a", "rotor, two": "#1f5fa8"}
WIDTH, PANEL, LEFT, TOP, HIGH = 980, 260, 60, 80, 250


def picture(rows):
    elements = [text(WIDTH / 2, 22, "times as long as over an electrical crossbar, by dead time (30 and more at the edge)",
                     size=14)]
    for k, (name, colour) in enumerate(COLOURS.items()):
        x = LEFT + k * 180
        elements += [line(x, 44, x + 24, 44, colour, width=3), text(x + 30, 48, name, "start")]
    down = Logarithmic(0.95, 30.0, TOP + HIGH, TOP)
    for i, model in enumerate(MODELS):
        left = LEFT + i * (PANEL + 55)
        across = Logarithmic(1e-6, 0.1, left, left + PANEL)
        elements.append(text(left + PANEL / 2, TOP - 8, model, size=13))
        for value in (1, 2, 5, 10, 20):
            elements += [line(left, down.at(value), left + PANEL, down.at(value),
                              "#333" if value == 1 else "#e4e4e4")]
            if i == 0:
                elements.append(text(left - 8, down.at(value) + 4, f"{value}", "end", size=11))
        for name, seconds in DEAD_TIMES.items():
            elements.append(text(across.at(seconds), TOP + HIGH + 18, name, size=11))
        for network, colour in COLOURS.items():
            elements.append(curve([(across.at(seconds),
                                    down.at(over_electrical(rows, model, network, name)))
                                   for name, seconds in DEAD_TIMES.items()], colour))
    return draw(WIDTH, TOP + HIGH + 40, "rotors", elements)
