# SPDX-License-Identifier: Apache-2.0
"""Direct connection from the traffic matrix against fat trees of equal price: 128 A100 in domains of
8, circuits that are set once before the job (static), after TopoOpt (NSDI 2023, arXiv 2202.00433).

Circuits are simulated step by step and without collapsing, so that relays meet what they forward:
batches are small for that."""
from drawing import box, line, picture as draw, text
from program import figures, on_machines, sets
from switching import table

ACCELERATORS = 128
LINK_GBPS = 50  # each way of a link of 400 Gb/s
# Opus (arXiv 2602.12521): a 400G transceiver, a port of a packet switch, one of a circuit switch.
TRANSCEIVER_USD, PACKET_PORT_USD, CIRCUIT_PORT_USD = 879, 37299 / 64, 520
# A link of an accelerator in a fat tree of two levels: transceivers at both ends of two links, and
# three ports of switches. Directly: its own transceiver, and a port of the circuit switch.
TREE_LINK_USD = 4 * TRANSCEIVER_USD + 3 * PACKET_PORT_USD
DIRECT_LINK_USD = TRANSCEIVER_USD + CIRCUIT_PORT_USD
PORTS = (2, 4, 6)
WORKLOADS = {
    "gpt3-175b": "tp=8 pp=8 dp=2 global-batch=16",
    "llama-3-70b": "tp=8 pp=1 dp=16 micro-batch=1 global-batch=16 zero=3 precision=bf16 "
                   "kernels=eager overlap-dp=yes overlap-param=yes",
    "mixtral-8x7b": "tp=8 pp=4 dp=4 ep=4 micro-batch=8 global-batch=256 virtual-stages=1 "
                    "schedule=1f1b recompute=full overlap-dp=yes overlap-param=yes",
}
# Direct circuits; a fat tree of equal price; one switch for all with the same links.
NETWORKS = ("direct", "fat tree", "ideal switch")
COLUMNS = ("workload", "ports", "network", "gbps", "iteration_time_s", "tokens_per_s", "price_usd")


def cases():
    return [(workload, ports, network) for workload in WORKLOADS for ports in PORTS
            for network in NETWORKS]


# Of each kind of row one that takes well below a second.
FEW = [("gpt3-175b", 2, "fat tree"), ("llama-3-70b", 4, "ideal switch")]


def rate_gbps(network, ports):
    """Of an accelerator, each way."""
    whole = ports * LINK_GBPS
    return whole * DIRECT_LINK_USD / TREE_LINK_USD if network == "fat tree" else whole


def machine(network, ports):
    rate = f"--scale-out-bandwidth={rate_gbps(network, ports):.6g}GBps"
    common = [f"--accelerators={ACCELERATORS}", rate]
    if network == "direct":
        return ["--system=ocs", "--policy=static", f"--ports-per-accelerator={ports}",
                f"--wavelength-bandwidth={LINK_GBPS}GBps", *common]
    crossbar = ["--topology=crossbar"] if network == "ideal switch" else []
    return ["--system=dgx-a100", *crossbar, *common]


def price_usd(network, ports):
    """Of the network between domains; nobody sells the ideal switch."""
    return ACCELERATORS * ports * DIRECT_LINK_USD if network != "ideal switch" else ""


def run_case(case):
    workload, ports, network = case
    whole = ["--fidelity=message", "--collapse=off"] if network == "direct" else []
    result = on_machines([machine(network, ports)], "simulate", workload,
                         *sets(WORKLOADS[workload]), *whole, "--ignore-memory")["simulated"]
    values = (*case, rate_gbps(network, ports), result["iteration_time_s"],
              result["tokens_per_s"], price_usd(network, ports))
    return [dict(zip(COLUMNS, map(figures, values)))]


# --- what follows ---


def times(rows, workload, ports):
    return [next(float(row["iteration_time_s"]) for row in rows
                 if (row["workload"], row["ports"], row["network"]) ==
                 (workload, str(ports), network)) for network in NETWORKS]


def tables(rows):
    lines = []
    for workload in WORKLOADS:
        for ports in PORTS:
            direct, tree, ideal = times(rows, workload, ports)
            lines.append([f"`{workload}`", str(ports),
                          f"{ACCELERATORS * ports * DIRECT_LINK_USD / 1e3:,.0f}",
                          f"{rate_gbps('direct', ports):.0f}", f"{direct:.3f}",
                          f"{rate_gbps('fat tree', ports):.1f}", f"{tree:.3f}",
                          f"{tree / direct:.2f}", f"{ideal:.3f}"])
    return table(["model", "links", "price, kUSD", "direct, GB/s", "s", "fat tree, GB/s", "s",
                  "direct is faster by", "ideal switch, s"], lines)


# --- the picture ---

COLOURS = {"direct": "#1f5fa8", "fat tree": "#b3541e", "ideal switch": "#777"}
WIDTH, PANEL_WIDTH, PANEL_HEIGHT, BAR = 880, 240, 220, 20


def panel(rows, workload, left, top):
    bottom = top + PANEL_HEIGHT
    every = {ports: times(rows, workload, ports) for ports in PORTS}
    highest = 1.1 * max(max(some) for some in every.values())
    yield text(left, top - 12, f"{workload}: seconds", "start", size=13)
    yield line(left, bottom, left + PANEL_WIDTH, bottom, "#333")
    pitch = PANEL_WIDTH / len(PORTS)
    for i, ports in enumerate(PORTS):
        middle = left + (i + 0.5) * pitch
        for k, (network, value) in enumerate(zip(NETWORKS, every[ports])):
            height = value / highest * PANEL_HEIGHT
            x = middle + (k - 1.5) * BAR
            yield box(x, bottom - height, BAR - 2, height, COLOURS[network])
            yield text(x + BAR / 2 - 1, bottom - height - 4, f"{value:.3g}", size=9)
        yield text(middle, bottom + 17, f"{ports} links", size=11)


def picture(rows):
    elements = []
    for i, workload in enumerate(WORKLOADS):
        elements += panel(rows, workload, 40 + i * (PANEL_WIDTH + 45), 75)
    for k, (network, colour) in enumerate(COLOURS.items()):
        elements += [box(40 + k * 170, 16, 14, 14, colour),
                     text(60 + k * 170, 28, network, "start")]
    elements.append(text(WIDTH / 2, 345, "of equal price: direct circuits and the fat tree; the "
                         "ideal switch has the direct circuits' links and no price"))
    return draw(WIDTH, 360, "direct", elements)
