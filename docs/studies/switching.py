# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of switching.xml: policies and dead times of circuit switches."""
from drawing import Logarithmic, curve, line, picture as draw, text

PORTS = 2
MODELS = {"gpt3-175b": "dense, replicas", "llama-3-70b": "dense, sharded (FSDP)", "llama-3-70b-128k": "long context",
          "mixtral-8x7b": "experts"}
POLICIES = ("demand", "provision", "phase")
DEAD_TIMES = [f"{digit}{zeros}{unit}" for unit in ("ns", "us", "ms", "s")
              for zeros in ("", "0", "00") for digit in (1, 3)][2:-1]  # 10 ns to 100 s
PIEZO = "41.44ms"  # MixNet (SIGCOMM 2025), appendix C: a piezo switch, control included
MORE_PORTS = (3, 4, 6, 8)
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
COLUMNS = ("model", "policy", "ports", "dead_time", "iteration_time_s", "reconfigurations",
           "critical_path_reconfigurations", "wait_exposed_s", "wait_hidden_s")

# Of each kind of row one that takes well below a second.
FEW = ["$model = 'gpt3-175b' and $policy = 'crossbar'", "$model = 'gpt3-175b' and $policy = 'demand' and $dead_time = 1",
       "$model = 'gpt3-175b' and $policy = 'provision' and $ports = 2 and $dead_time = 0.1",
       "$model = 'gpt3-175b' and $policy = 'provision' and $ports = 4 and $dead_time = 0.04144",
       "$model = 'mixtral-8x7b' and $policy = 'phase' and $dead_time = 1e-5",
       "$model = 'mixtral-8x7b' and $policy = 'demand' and $dead_time = 0.03"]


def derive(point):
    """Networks without a dead time, or ports, are run once."""
    unused = {"crossbar": ("ports", "dead_time"), "static": ("dead_time",)}
    return {column: "" for column in unused.get(point["policy"], ())}


def seconds(dead_time):
    number = dead_time.rstrip("nums")
    return float(number) * SECONDS[dead_time[len(number):]]


def rows_of(model):
    """(model, policy, ports, dead time) of its rows, in order."""
    yield model, "crossbar", "", ""
    yield model, "static", PORTS, ""
    for policy in POLICIES:
        for dead_time in DEAD_TIMES:
            yield model, policy, PORTS, dead_time
        for ports in (PORTS, *MORE_PORTS) if policy == "provision" else ():
            yield model, policy, ports, PIEZO


class Results:
    """The rows of a model: seconds over dead times by policy, and those of the crossbar."""

    def __init__(self, rows, model):
        self.rows = [row for row in rows if row["model"] == model]
        self.crossbar_s = self.time_s("crossbar")
        self.static_s = self.time_s("static")

    def row(self, policy, dead_time=None, ports=None):
        return next(row for row in self.rows
                    if row["policy"] == policy and dead_time in (None, row["dead_time"])
                    and (ports is None or row["ports"] == str(ports)))

    def time_s(self, policy, dead_time=None):
        return float(self.row(policy, dead_time)["iteration_time_s"])

    def lost(self, policy):
        """(dead time in seconds, fraction by which the crossbar is faster), by dead time."""
        return [(seconds(dead_time), self.time_s(policy, dead_time) / self.crossbar_s - 1.0)
                for dead_time in DEAD_TIMES]

    def leaves(self, policy, fraction):
        """The dead time from which on more than @fraction is lost: between two runs on a straight
        line."""
        points = self.lost(policy)
        last = max((i for i, (_, lost) in enumerate(points) if lost <= fraction), default=-1)
        if last < 0 or last + 1 == len(points):
            return None
        (low, below), (high, above) = points[last], points[last + 1]
        return low + (high - low) * (fraction - below) / (above - below)

    def slope(self, policy):
        """Seconds of the iteration for each second of dead time, between 1 and 10 s."""
        return (self.time_s(policy, "10s") - self.time_s(policy, "1s")) / 9.0


def length(value_s):
    if value_s is None:
        return "-"
    for unit, size in reversed(SECONDS.items()):
        if value_s >= size:
            return f"{float(f'{value_s / size:.2g}'):g} {unit}"
    return f"{value_s:.2g} s"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def tables(rows):
    by_model = {model: Results(rows, model) for model in MODELS}
    leaving = [[f"`{model}`", policy, *(length(of.leaves(policy, f)) for f in (0.01, 0.1, 1.0)),
                length(next((s for s, lost in of.lost(policy)
                             if (lost + 1.0) * of.crossbar_s > 1.001 * of.static_s), None))]
               for model, of in by_model.items() for policy in POLICIES]
    waits = {model: {at: int(of.row("demand", at)["critical_path_reconfigurations"])
                     for at in ("1ms", "100ms", "10s")} for model, of in by_model.items()}
    why = [[f"`{model}`", f"{of.crossbar_s:.2f} s", *(f"{n:,}" for n in waits[model].values()),
            f"{of.slope('demand'):.0f}", length(0.01 * of.crossbar_s / waits[model]["1ms"]),
            length(of.leaves("demand", 0.01))] for model, of in by_model.items()]
    ports = [[f"`{model}`", f"{of.static_s / of.crossbar_s:.3f}",
              *(f"{float(row['iteration_time_s']) / of.crossbar_s:.3f} "
                f"({int(row['reconfigurations']):,})"
                for n in (PORTS, *MORE_PORTS) for row in [of.row("provision", PIEZO, n)])]
             for model, of in by_model.items()]
    return "\n".join([
        table(["model", "policy", "1 % longer from", "10 % from", "twice as long from",
               "longer than `static` from"], leaving),
        table(["model", "iteration", "waits at 1 ms", "at 100 ms", "at 10 s",
               "dead times in a row at 10 s", "1 % of the iteration / waits at 1 ms",
               "1 % longer from"], why),
        table(["model", "`static`, 2 ports", *(f"{n} ports" for n in (PORTS, *MORE_PORTS))],
              ports)])


# --- the picture ---

COLOURS = {"static": "#777", "demand": "#b3541e", "provision": "#1f5fa8", "phase": "#3a9d5d"}
DASHES = {"static": "2 4", "phase": "6 5"}
PUBLISHED = (("100 us", 1e-4), ("50 ms", 0.05), ("1 s", 1.0))  # ACTINA, Opus, MixNet
WIDTH, PANEL_WIDTH, PANEL_HEIGHT = 880, 340, 220
LOWEST, HIGHEST = 1e-4, 1e4  # fractions lost


def panel(of, title, left, top):
    right, bottom = left + PANEL_WIDTH, top + PANEL_HEIGHT
    across = Logarithmic(1e-8, 1e2, left, right)
    up = Logarithmic(LOWEST, HIGHEST, bottom, top)
    for exponent in range(-4, 5):
        value = 10.0**exponent
        label = f"{value * 100:g} %" if value < 10 else f"{value:,.0f} x"
        strong = label in ("1 %", "10 %")
        yield line(left, up.at(value), right, up.at(value), "#aaa" if strong else "#e4e4e4")
        yield text(left - 6, up.at(value) + 4, label, "end", size=11)
    for value, label in ((1e-8, "10 ns"), (1e-6, "1 us"), (1e-4, "100 us"), (1e-2, "10 ms"),
                         (1.0, "1 s"), (1e2, "100 s")):
        yield line(across.at(value), bottom, across.at(value), bottom + 4, "#333")
        yield text(across.at(value), bottom + 17, label, size=11)
    for label, value in PUBLISHED:
        yield line(across.at(value), top, across.at(value), bottom, "#c9b458", "1 3")
    yield line(left, bottom, right, bottom, "#333")
    yield text(left, top - 10, title, "start", size=13)
    static = up.at(of.static_s / of.crossbar_s - 1.0 or LOWEST)
    yield line(left, static, right, static, COLOURS["static"], DASHES["static"], 2)
    for policy in POLICIES:
        points = [(across.at(s), up.at(max(lost, LOWEST))) for s, lost in of.lost(policy)]
        yield curve(points, COLOURS[policy], DASHES.get(policy))


def picture(rows):
    elements = []
    for i, (model, kind) in enumerate(MODELS.items()):
        elements += panel(Results(rows, model), f"{model}: {kind}",
                          80 + (i % 2) * (PANEL_WIDTH + 90), 70 + (i // 2) * (PANEL_HEIGHT + 70))
    x = 80
    for policy in ("static", *POLICIES):
        elements += [line(x, 24, x + 34, 24, COLOURS[policy], DASHES.get(policy), 2),
                     text(x + 40, 28, policy, "start")]
        x += 120
    elements += [line(x, 24, x + 34, 24, "#c9b458", "1 3", 2),
                 text(x + 40, 28, "published: 100 us, 50 ms, 1 s", "start"),
                 text(WIDTH / 2, 625, "dead time of a switch; upwards: time lost over the iteration on an "
                      "electrical crossbar (lowest line: 0.01 % or less)")]
    return draw(WIDTH, 640, "switching", elements)
