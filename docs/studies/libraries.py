# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of libraries.xml: what mixing communication libraries is worth."""
from drawing import box, line, picture as draw, text
from switching import table

MOE, DENSE, DLRM = MODELS = ("DeepSpeed-MoE", "dense, ZeRO", "DLRM")
USUAL, SMALL = MESSAGES = ("usual", "small")
NCCL, MIXED = "NCCL", "mixed"
SINGLE = (NCCL, "Spectrum MPI", "MVAPICH2")
PUBLISHED = {MOE: 0.31, DENSE: 0.20, DLRM: 0.25}  # more throughput, of MCR-DL's abstract
TERMS = ("compute", "tp", "dp", "ep", "host")
COLUMNS = ("model", "messages", "libraries", "switch", "iteration_time_s", *(f"{term}_s" for term in TERMS))

FEW = ["$model = 'DLRM' and $messages = 'small'", "$model = 'DeepSpeed-MoE' and $messages = 'usual' and $libraries = 'NCCL'"]


def find(rows, model, messages, libraries, switch="event"):
    return next((row for row in rows if (row["model"], row["messages"], row["libraries"], row["switch"]) ==
                 (model, messages, libraries, switch)), None)


def time_s(rows, *which):
    return float(find(rows, *which)["iteration_time_s"])


def alone(rows, model, messages):
    """Seconds with each single library."""
    return {name: time_s(rows, model, messages, name) for name in SINGLE if find(rows, model, messages, name)}


def gain(rows, model, messages, over, switch="event"):
    """More throughput than @over."""
    return time_s(rows, model, messages, over) / time_s(rows, model, messages, MIXED, switch) - 1


def by_term(rows, model, messages):
    """Seconds of each term that mixing saves over NCCL; below 0: that wait in another's place."""
    single, mixed = find(rows, model, messages, NCCL), find(rows, model, messages, MIXED)
    return {term: float(single[f"{term}_s"] or 0) - float(mixed[f"{term}_s"] or 0) for term in TERMS}


def all_to_all_factor(rows):
    """How many times as long NCCL's all-to-alls of the mixture of experts would have to take for the published gain."""
    ep_s = float(find(rows, MOE, USUAL, NCCL)["ep_s"])
    rest_s = time_s(rows, MOE, USUAL, NCCL) - ep_s
    return ((1 + PUBLISHED[MOE]) * time_s(rows, MOE, USUAL, MIXED) - rest_s) / ep_s


def percent(share):
    return f"{100 * share:.1f} %"


def tables(rows):
    gains, terms = [], []
    for model in MODELS:
        for messages in MESSAGES:
            singles = alone(rows, model, messages)
            best, worst = min(singles, key=singles.get), max(singles, key=singles.get)
            gains.append([model, messages, f"{best} {percent(gain(rows, model, messages, best))}",
                          f"{worst} {percent(gain(rows, model, messages, worst))}",
                          f"{100 * PUBLISHED[model]:.0f} %" if messages == USUAL else "-"])
            saved = by_term(rows, model, messages)
            terms.append([model, messages, *(f"{1e3 * saved[term]:.2f}" for term in TERMS),
                          *(f"{1e3 * (time_s(rows, model, messages, MIXED, switch) - time_s(rows, model, messages, MIXED, 'none')):.3f}"
                            for switch in ("event", "host"))])
    return "\n".join((table(["model", "messages", "over the best", "over the worst", "published"], gains),
                      table(["ms saved over NCCL", "messages", *TERMS, "switches by event", "by host"], terms)))


# --- the picture ---

WIDTH, HEIGHT, PANEL, LEFT = 930, 330, 270, 40
COLOURS = {"compute": "#bbb", "tp": "#4d8fd0", "dp": "#1f5fa8", "ep": "#b3541e", "host": "#6a4c93"}


def picture(rows):
    elements, bottom, top = [], HEIGHT - 60, 60
    for i, model in enumerate(MODELS):
        left, names = LEFT + i * (PANEL + 30), [name for name in (*SINGLE, MIXED) if find(rows, model, USUAL, name)]
        highest = max(time_s(rows, model, USUAL, name) for name in names)
        elements += [text(left + PANEL / 2, top - 14, model), line(left, bottom, left + PANEL, bottom, "#333")]
        for k, name in enumerate(names):
            row, y, width = find(rows, model, USUAL, name), bottom, PANEL / len(names)
            for term in TERMS:
                height = float(row[f"{term}_s"] or 0) / highest * (bottom - top - 20)
                y -= height
                elements.append(box(left + k * width + 6, y, width - 12, height, COLOURS[term]))
            slower = time_s(rows, model, USUAL, name) / time_s(rows, model, USUAL, NCCL)
            elements += [text(left + (k + 0.5) * width, y - 5, f"{slower:.3f}", size=10),
                         text(left + (k + 0.5) * width, bottom + 16 + 12 * (k % 2), name, size=10)]
    x = LEFT
    for term, colour in COLOURS.items():
        elements += [box(x, 14, 12, 12, colour), text(x + 18, 24, term, "start")]
        x += 90
    elements.append(text(WIDTH / 2, HEIGHT - 10, "iteration time over NCCL's, and what it consists of; usual messages"))
    return draw(WIDTH, HEIGHT, "libraries", elements)
