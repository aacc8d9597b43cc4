# SPDX-License-Identifier: Apache-2.0
"""Circuits that turn by the clock (a rotor), that are set up on request (demand, provision), and that
have an electrical network beside them (hybrid): 128 A100 in domains of eight, two lanes and 200 Gb/s for
each accelerator, against an electrical crossbar of the same rate on the same rails.

A hybrid has four fifths of the rate over circuits and one fifth beside them. A rotor's slot is ten dead
times, so that circuits carry bytes nine tenths of the time."""
from drawing import Logarithmic, curve, line, picture as draw, text
from program import figures, on_machines, sets
from switching import table

ACCELERATORS, RATE_GBPS = 128, 25
DEAD_TIMES = {"1us": 1e-6, "10us": 1e-5, "100us": 1e-4, "1ms": 1e-3, "10ms": 1e-2, "100ms": 0.1}
SLOTS = {"1us": "10us", "10us": "100us", "100us": "1ms", "1ms": "10ms", "10ms": "100ms", "100ms": "1s"}
COMMON = "micro-batch=1 virtual-stages=1 schedule=1f1b"
MODELS = {
    "gpt3-175b": f"tp=8 pp=4 dp=4 global-batch=64 {COMMON}",
    "llama-3-70b": "precision=bf16 tp=8 pp=2 dp=8 zero=3 reshard=yes global-batch=64 micro-batch=2 "
                   "virtual-stages=1 schedule=1f1b kernels=eager",
    "mixtral-8x7b": "tp=8 pp=4 dp=4 ep=4 global-batch=128 micro-batch=8 virtual-stages=1 "
                    "schedule=1f1b recompute=full",
}
NETWORKS = ("demand", "provision", "hybrid", "rotor, one circuit", "rotor, two")
COLUMNS = ("model", "network", "dead_time", "iteration_time_s", "closed_form_s", "reconfiguration_s")


def cases():
    """(model, network, dead time)"""
    for model in MODELS:
        yield model, "electrical", ""
        for network in NETWORKS:
            for dead_time in DEAD_TIMES:
                yield model, network, dead_time


# Of each kind of row one that takes well below a second.
FEW = [("gpt3-175b", "rotor, two", "100us"), ("llama-3-70b", "hybrid", "10ms"),
       ("mixtral-8x7b", "electrical", "")]


def machine(model, network, dead_time):
    size = [f"--accelerators={ACCELERATORS}"]
    if network == "electrical":
        return ["--system=dgx-a100", "--topology=crossbar", "--joined-rails=no", *size]
    circuits = ["--system=ocs", "--circuit-ports=2", f"--reconfiguration-time={dead_time}", *size]
    if network == "hybrid":
        # Circuits of experts take all lanes.
        steered = ["--circuit-traffic=ep"] if model == "mixtral-8x7b" else []
        return [*circuits, "--policy=hybrid", "--hybrid-policy=provision", *steered,
                f"--scale-out-bandwidth={RATE_GBPS * 0.8:g}GBps",
                f"--electrical-bandwidth={RATE_GBPS * 0.2:g}GBps"]
    if network.startswith("rotor"):
        return [*circuits, "--policy=rotor", f"--slot-time={SLOTS[dead_time]}",
                f"--rotor-hops={2 if network == NETWORKS[-1] else 1}"]
    return [*circuits, f"--policy={network}"]


def run_case(case):
    result = on_machines([machine(*case)], "simulate", case[0], *sets(MODELS[case[0]]),
                         "--ignore-memory")
    values = (*case, result["simulated"]["iteration_time_s"],
              result["closed_form"]["iteration_time_s"],
              result["simulated"]["terms_s"]["reconfiguration"])
    return [dict(zip(COLUMNS, map(figures, values)))]


# --- what follows ---


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
