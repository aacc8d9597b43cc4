# SPDX-License-Identifier: Apache-2.0
"""Circuits that follow the demand of experts, after MixNet (SIGCOMM 2025, arXiv 2501.03905): 128 H100
in servers of 8 with eight cards of 400 Gb/s. Six of them lead to circuit switches and two to an
electrical network (hybrid); or all eight to a non-blocking electrical network, or to circuits that are set
once, from the traffic of the whole job (static). Mixtral 8x7B, EP 8, TP 8, PP 2, micro-batches of 8
sequences of 4,096 tokens.

A server is one attachment of all its cards, since its domain brings bytes to any of them."""
from drawing import Logarithmic, curve, line, picture as draw, text
from program import figures, on_machines, sets
from switching import table

ACCELERATORS, DOMAIN, CARDS, CARD_GBPS = 128, 8, 8, 50
DEAD_TIMES = ("1us", "1ms", "5ms", "25ms", "100ms", "1s", "10s")
SECONDS = {"1us": 1e-6, "1ms": 0.001, "5ms": 0.005, "25ms": 0.025, "100ms": 0.1, "1s": 1.0,
           "10s": 10.0}
PLAN = ("tp=8 pp=2 dp=8 ep=8 ep-relay=1 seq=4096 micro-batch=8 global-batch=128 virtual-stages=1 "
        "schedule=1f1b recompute=full skew=0.3")
# Demand is known when the gate has spoken, or ahead.
HYBRIDS = ("hybrid", "hybrid, ahead")
COLUMNS = ("network", "dead_time", "iteration_time_s", "ep_s", "reconfigurations", "circuit_bytes",
           "beside_bytes")


def cases():
    return [("electrical", ""), ("static", ""),
            *((network, time) for network in HYBRIDS for time in DEAD_TIMES)]


def machine(network, dead_time):
    def rate(cards):
        return f"--scale-out-bandwidth={cards * CARD_GBPS / DOMAIN:g}GBps"
    common = [f"--accelerators={ACCELERATORS}", "--accelerator=h100-sxm", f"--domain-size={DOMAIN}",
              "--domain-bandwidth=450GBps", "--nics-per-domain=1", "--joined-rails=yes",
              "--port-order=node", "--scale-out-latency=1us"]
    if network == "electrical":
        return ["--system=generic", "--topology=crossbar", rate(CARDS), *common]
    if network == "static":
        return ["--system=ocs", "--policy=static", f"--circuit-ports={CARDS}", rate(CARDS), *common]
    return ["--system=ocs", "--policy=hybrid", "--circuit-traffic=ep", "--circuit-ports=6", rate(6),
            f"--electrical-bandwidth={2 * CARD_GBPS}GBps", f"--reconfiguration-time={dead_time}",
            f"--circuit-forecast={'ahead' if network == HYBRIDS[1] else 'gate'}", *common]


def run_case(case):
    result = on_machines([machine(*case)], "simulate", "mixtral-8x7b", *sets(PLAN),
                         "--ignore-memory")
    circuits, run = result.get("circuits", {}), result["simulated"]
    hybrid = circuits.get("hybrid", {})
    values = (*case, run["iteration_time_s"], run["terms_s"]["ep"],
              circuits.get("reconfigurations", ""), hybrid.get("circuit_bytes", ""),
              hybrid.get("beside_bytes", ""))
    return [dict(zip(COLUMNS, map(figures, values)))]


# --- what follows ---


def find(rows, network, dead_time=""):
    return next(row for row in rows if (row["network"], row["dead_time"]) == (network, dead_time))


def time_s(rows, network, dead_time=""):
    return float(find(rows, network, dead_time)["iteration_time_s"])


def tables(rows):
    whole = time_s(rows, "electrical")
    lines = []
    for network, dead_time in cases():
        row = find(rows, network, dead_time)
        beside, over = row["beside_bytes"], row["circuit_bytes"]
        share = 100 * float(over) / (float(over) + float(beside)) if over else None
        lines.append([network, dead_time or "-", f"{float(row['iteration_time_s']):.3f}",
                      f"{float(row['ep_s']):.3f}",
                      f"{float(row['iteration_time_s']) / whole:.3f}",
                      "-" if share is None else f"{share:.0f}"])
    return table(["network", "dead time", "iteration, s", "experts' all-to-alls, s",
                  "over electrical", "over circuits, %"], lines)


# --- the picture ---

WIDTH, HEIGHT = 620, 300


def picture(rows):
    left, right, top, bottom = 70, WIDTH - 130, 40, HEIGHT - 50
    every = [float(row["iteration_time_s"]) for row in rows]
    low, high = 0.95 * min(every), 1.05 * max(every)

    def height(value):
        return bottom - (value - low) / (high - low) * (bottom - top)
    across = Logarithmic(1e-6, 10.0, left, right)
    elements = [line(left, bottom, right, bottom, "#333"), line(left, top, left, bottom, "#333")]
    for name, colour in zip(HYBRIDS, ("#1f5fa8", "#3a8f5a")):
        points = [(across.at(SECONDS[time]), height(time_s(rows, name, time)))
                  for time in DEAD_TIMES]
        elements += [curve(points, colour),
                     text(right + 6, points[-1][1] + 4, name, "start", colour)]
    for network, colour in (("electrical", "#777"), ("static", "#b3541e")):
        at = height(time_s(rows, network))
        elements += [line(left, at, right, at, colour), text(right + 6, at + 4, network, "start")]
    for time in DEAD_TIMES:
        elements.append(text(across.at(SECONDS[time]), bottom + 18, time, size=11))
    elements.append(text(WIDTH / 2, 20, "seconds of an iteration, by the dead time of circuits"))
    return draw(WIDTH, HEIGHT, "mixnet", elements)
