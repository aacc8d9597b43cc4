# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of characterize.xml: sharding and model parallelism with little and with much bandwidth between
nodes."""
from drawing import Logarithmic, box, curve, line, picture as draw, text
from switching import table

MACHINES = ("polaris", "dgx-a100")
MODELS = ("gpt3-125m", "gpt3-350m", "gpt3-760m", "gpt3-1.3b", "gpt3-2.7b", "gpt3-6.7b")
STAGES = (1, 2, 3)
GPUS = (8, 16, 32, 64, 128, 256, 512)
COMBINATIONS = ("TP + DP", "PP + DP", "TP + PP + DP")
DIVIDED = ("gpt3-6.7b", "gpt3-13b")
DIVIDED_GPUS = (64, 128, 256, 512)
COLUMNS = ("model", "option", "gpus", "machine", "iteration_time_s", "compute_s",
           "communication_s", "waiting_s", "tokens_per_s", "bytes")
TERMS = {"compute_s": ("compute", "optimizer"),
         "communication_s": ("tp", "pp", "dp", "reconfiguration"),
         "waiting_s": ("bubble", "host")}

# Of each kind of row one that takes well below a second.
FEW = ["$model = 'gpt3-125m' and $option = 'ZeRO 1' and $gpus = 8 and $machine = 'polaris'",
       "$model = 'gpt3-350m' and $option = 'ZeRO 3' and $gpus = 16 and $machine = 'dgx-a100'",
       "$model = 'gpt3-6.7b' and $option = 'ZeRO 1' and $gpus = 8 and $machine = 'polaris'",
       "$model = 'gpt3-6.7b' and $option = 'PP + DP' and $gpus = 512 and $machine = 'polaris'",
       "$model = 'gpt3-13b' and $option = 'TP + DP' and $gpus = 64 and $machine = 'dgx-a100'"]
# What has no room has a row of names.
REFUSED = (": memory: got",)
# Parts of a step sum to it: rows have all figures.
shown = str


def derive(point):
    """Parts of a step, and bytes of all ranks."""
    if "terms_s" not in point:
        return {}
    parts = {part: sum(point["terms_s"][term] for term in TERMS[part]) for part in TERMS}
    return {**parts, "bytes": sum(of["bytes"] for of in point["parallelisms"])}


class Results:
    """The rows by model, option, GPUs and machine."""

    def __init__(self, rows):
        self.rows = {(row["model"], row["option"], int(row["gpus"]), row["machine"]): row
                     for row in rows}

    def value(self, column, *case):
        """None where the plan has no room."""
        found = self.rows[case][column]
        return float(found) if found else None

    def speed(self, model, option, n, machine):
        """Tokens a second of one GPU."""
        tokens_per_s = self.value("tokens_per_s", model, option, n, machine)
        return None if tokens_per_s is None else tokens_per_s / n

    def efficiency(self, model, option, n, machine):
        """Over the speed with the fewest GPUs that have room."""
        speeds = [self.speed(model, option, few, machine) for few in GPUS]
        first = next(speed for speed in speeds if speed is not None)
        speed = self.speed(model, option, n, machine)
        return None if speed is None else speed / first

    def computing(self, *case):
        """The share of a step in which GPUs compute."""
        compute_s = self.value("compute_s", *case)
        return None if compute_s is None else compute_s / self.value("iteration_time_s", *case)

    def order(self, model, options, n, machine):
        """@options that have room, the fastest first, equal ones (to 0.1 %) in one group."""
        speeds = {option: self.speed(model, option, n, machine) for option in options}
        groups = []
        for option in sorted((one for one in options if speeds[one] is not None),
                             key=lambda one: -speeds[one]):
            if groups and speeds[option] > 0.999 * speeds[groups[-1][0]]:
                groups[-1].append(option)
            else:
                groups.append([option])
        return [sorted(group) for group in groups]

    def differ(self, model, options, n):
        return len({str(self.order(model, options, n, machine)) for machine in MACHINES}) > 1


def order_text(groups):
    return " > ".join(" = ".join(group) for group in groups) or "none has room"


ZERO = tuple(f"ZeRO {stage}" for stage in STAGES)


def speed_cell(results, *case):
    speed = results.speed(*case)
    if speed is None:
        return "-"
    return f"{speed:,.0f} ({100 * results.efficiency(*case):.0f} %)"


def speeds_table(results, machine):
    return table(["model", "sharding", *map(str, GPUS)], [
        [f"`{model}`", option, *(speed_cell(results, model, option, n, machine) for n in GPUS)]
        for model in MODELS for option in ZERO])


SPLIT_GPUS = (8, 64, 512)


def split_table(results):
    head = ["model", "sharding", *(f"`{machine}`, {n}" for machine in MACHINES for n in SPLIT_GPUS)]
    lines = []
    for model in MODELS:
        for option in ZERO:
            cells = []
            for machine in MACHINES:
                for n in SPLIT_GPUS:
                    compute, communication = (
                        results.value(column, model, option, n, machine)
                        for column in ("compute_s", "communication_s"))
                    cells.append("-" if compute is None
                                 else f"{compute:.3f} + {communication:.3f}")
            lines.append([f"`{model}`", option, *cells])
    return table(head, lines)


def combination_cell(results, *case):
    """Tokens a second of a GPU, and seconds: computing, communication, waiting for stages."""
    speed = results.speed(*case)
    if speed is None:
        return "-"
    parts = " + ".join(f"{results.value(column, *case):.2f}" for column in TERMS)
    return f"{speed:,.0f} ({parts})"


def combinations_table(results, model):
    head = ["GPUs", "machine", *COMBINATIONS, "order"]
    return table(head, [
        [str(n), f"`{machine}`",
         *(combination_cell(results, model, option, n, machine)
           for option in COMBINATIONS),
         order_text(results.order(model, list(COMBINATIONS), n, machine))]
        for n in DIVIDED_GPUS for machine in MACHINES])


def tables(rows):
    results = Results(rows)
    texts = [f"`{machine}`:\n\n{speeds_table(results, machine)}" for machine in MACHINES]
    texts.append("Seconds of a step, computing + communication that nothing hides:\n\n"
                 + split_table(results))
    texts += [f"`{model}`:\n\n{combinations_table(results, model)}" for model in DIVIDED]
    zero = [results.differ(model, ZERO, n) for model in MODELS for n in GPUS]
    combined = [results.differ(model, list(COMBINATIONS), n) for model in DIVIDED
                for n in DIVIDED_GPUS]
    texts.append(f"The machines order the three combinations differently in {sum(combined)} of "
                 f"{len(combined)} cases, the three stages in {sum(zero)} of {len(zero)}.\n")
    return "\n".join(texts)


# --- the picture ---

WIDTH, PANEL_WIDTH, PANEL_HEIGHT = 880, 360, 210
LEFT, TOP = 60, 96
COLOURS = dict(zip(MODELS, ("#88c0e8", "#4f9ad1", "#1f5fa8", "#f0a848", "#d06a1f", "#8c2f1b")))
OPTION_COLOURS = dict(zip(COMBINATIONS, ("#1f5fa8", "#d06a1f", "#3a9d5d")))
FASTEST = 2400  # tokens/s of a GPU, the height of the lower panels


def corner(i, k):
    return LEFT + i * (PANEL_WIDTH + 70), TOP + k * (PANEL_HEIGHT + 100)


def grid(left, top, values, at, shown):
    for value in values:
        y = at(value)
        yield line(left, y, left + PANEL_WIDTH, y)
        yield text(left - 6, y + 4, shown(value), "end", size=11)
    yield line(left, top + PANEL_HEIGHT, left + PANEL_WIDTH, top + PANEL_HEIGHT, "#333")


def computing_panel(results, machine, left, top):
    bottom = top + PANEL_HEIGHT
    along = Logarithmic(GPUS[0], GPUS[-1], left + 10, left + PANEL_WIDTH - 10)

    def height(value):
        return bottom - value / 1.1 * PANEL_HEIGHT
    yield text(left, top - 10, f"{machine}: computing, of a step, by GPUs", "start", size=13)
    yield from grid(left, top, (0.0, 0.25, 0.5, 0.75, 1.0), height, lambda v: f"{100 * v:.0f} %")
    for n in GPUS:
        yield text(along.at(n), bottom + 17, n, size=11)
    for model in MODELS:
        for option, dash in (("ZeRO 3", "5 4"), ("ZeRO 1", None)):
            shares = ((n, results.computing(model, option, n, machine)) for n in GPUS)
            points = [(along.at(n), height(share)) for n, share in shares if share is not None]
            yield curve(points, COLOURS[model], dash)


def combinations_panel(results, machine, left, top):
    bottom = top + PANEL_HEIGHT
    model, bar = DIVIDED[0], 22

    def height(value):
        return bottom - value / FASTEST * PANEL_HEIGHT
    yield text(left, top - 10, f"{machine}: {model}, tokens/s of a GPU", "start", size=13)
    yield from grid(left, top, (0, 500, 1000, 1500, 2000), height, lambda v: f"{v:,}")
    step = PANEL_WIDTH / len(DIVIDED_GPUS)
    for i, n in enumerate(DIVIDED_GPUS):
        yield text(left + (i + 0.5) * step, bottom + 17, f"{n} GPUs", size=11)
        begin = left + (i + 0.5) * step - bar * len(COMBINATIONS) / 2
        for k, option in enumerate(COMBINATIONS):
            speed = results.speed(model, option, n, machine)
            if speed is None:
                continue
            y = height(speed)
            yield box(begin + k * bar, y, bar - 3, bottom - y, OPTION_COLOURS[option])
            yield text(begin + k * bar + (bar - 3) / 2, y - 4, f"{speed:.0f}", size=8)


def legend(y, entries, dashes=()):
    at = LEFT
    for name, colour in entries:
        yield box(at, y, 14, 14, colour)
        yield text(at + 20, y + 12, name, "start")
        at += 34 + 7.4 * len(name)
    for name, dash in dashes:
        yield line(at, y + 7, at + 26, y + 7, "#333", dash, 2)
        yield text(at + 32, y + 12, name, "start")
        at += 46 + 7.4 * len(name)


def picture(rows):
    results = Results(rows)
    elements = [*legend(16, COLOURS.items()),
                *legend(42, (), (("ZeRO 1 and 2", None), ("ZeRO 3", "5 4")))]
    for i, machine in enumerate(MACHINES):
        elements += computing_panel(results, machine, *corner(i, 0))
        elements += combinations_panel(results, machine, *corner(i, 1))
    elements += legend(corner(0, 1)[1] - 52, OPTION_COLOURS.items())
    return draw(WIDTH, corner(0, 1)[1] + PANEL_HEIGHT + 36, "characterize", elements)
