# SPDX-License-Identifier: Apache-2.0
"""What a part of circuits that has failed before the iteration costs: a port of one accelerator, or the
switch that joins the ports of one number of all of them, on circuits that never change, that are set up on
request, that turn, and that have an electrical network beside them. 128 A100 in domains of eight, 200 Gb/s
for each accelerator over two, three or four ports, a dead time of 10 ms (100 us on rotors, slots of 1 ms)."""
import json
import pathlib
import tempfile

from drawing import box, line, picture as draw, text
from program import BARE, figures, lightpath
from switching import table

PLANS = {
    "gpt3-175b": "tp=8 pp=4 dp=4 global-batch=64 micro-batch=1 virtual-stages=1 schedule=1f1b",
    "llama-3-70b": "precision=bf16 tp=8 pp=2 dp=8 zero=3 reshard=yes global-batch=64 micro-batch=2 "
                   "virtual-stages=1 schedule=1f1b kernels=eager",
}
POLICIES = {
    "static": "--policy=static",
    "demand": "--policy=demand --reconfiguration-time=10ms",
    "hybrid": "--policy=hybrid --hybrid-policy=demand --reconfiguration-time=10ms "
              "--scale-out-bandwidth=20GBps --electrical-bandwidth=5GBps",
    "rotor": "--policy=rotor --reconfiguration-time=100us --slot-time=1ms",
}
PORTS = (2, 3, 4)
PARTS = {"a port": "port:0:0", "a plane": "plane:0"}
COLUMNS = ("model", "policy", "ports", "part", "healthy_s", "failed_s", "why_not")


def cases():
    """(model, policy, ports, part)"""
    for model in PLANS:
        for policy in POLICIES:
            for ports in PORTS:
                for part in PARTS:
                    yield model, policy, ports, part


# Of each kind of row one that takes well below a second.
FEW = [("gpt3-175b", "static", 2, "a port"), ("gpt3-175b", "rotor", 3, "a plane")]


def machine(policy, ports):
    return ["--system=ocs", "--accelerators=128", f"--circuit-ports={ports}", "--circuit-scope=plane",
            *POLICIES[policy].split()]


def scenario(model, part):
    settings = " ".join('{}="{}"'.format(*setting.split("="))
                        for setting in [*BARE, *PLANS[model].split()])
    return (f'<scenario name="failure"><job name="job" workload="{model}" {settings}/>'
            f'<failure circuit="{PARTS[part]}" at="0s" dead="yes"/></scenario>')


def run_case(case):
    model, policy, ports, part = case
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/failure.xml", f"{folder}/machine.xml"]
        pathlib.Path(files[0]).write_text(scenario(model, part), encoding="utf-8")
        lightpath("platform", "generate", *machine(policy, ports), "-o", files[1])
        try:
            result = json.loads(lightpath("simulate", *files, "--ignore-memory", "--format=json"))
        except SystemExit as refused:
            return [dict(zip(COLUMNS, (*map(figures, case), "", "", reason(str(refused)))))]
    job = result["jobs"][0]
    lost_s = job["difference"]["faults_s"]
    return [dict(zip(COLUMNS, map(figures, (*case, job["alone_s"] - lost_s, job["alone_s"], ""))))]


def reason(message):
    """Why it is refused, in a word."""
    return "lanes" if "failures leave" in message else "path" if "no path" in message else message


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
