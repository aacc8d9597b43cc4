# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of direct.xml: direct connection from the traffic matrix against fat trees of equal price."""
from drawing import box, line, picture as draw, text
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
WORKLOADS = ("gpt3-175b", "llama-3-70b", "mixtral-8x7b")
# Direct circuits; a fat tree of equal price; one switch for all with the same links.
NETWORKS = ("direct", "fat tree", "ideal switch")
COLUMNS = ("workload", "ports", "network", "iteration_time_s", "tokens_per_s")

# Of each kind of row one that takes well below a second.
FEW = ["$workload = 'gpt3-175b' and $ports = 2 and $network = 'fat tree'",
       "$workload = 'llama-3-70b' and $ports = 4 and $network = 'ideal switch'"]


def rate_gbps(network, ports):
    """Of an accelerator, each way."""
    whole = ports * LINK_GBPS
    return whole * DIRECT_LINK_USD / TREE_LINK_USD if network == "fat tree" else whole


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
