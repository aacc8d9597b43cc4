# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of mixnet.xml: circuits that follow the demand of experts."""
from drawing import Logarithmic, curve, line, picture as draw, text
from switching import table

LARGE, SMALL = MODELS = ("Mixtral 8x22B", "Mixtral 8x7B")
RATES = (100, 200, 400, 800)  # Gb/s of a card
# Of MixNet's repository mixnet-project/mixnet-project.github.io, data/normalized_performance.csv: time over
# the fastest, by rate.
PUBLISHED = {
    LARGE: {"fat tree": (1.3743484582, 1.1940221720, 1.0816994102, 1.0241518771),
            "MixNet": (1.4541709245, 1.2006052856, 1.1138412705, 1.0126344226),
            "TopoOpt": (2.6965232221, 1.9760227478, 1.5752009815, 1.2669499896)},
    SMALL: {"fat tree": (1.2098142915, 1.0786571640, 1.0302239854, 1.0002911779),
            "MixNet": (1.2487696208, 1.0975801537, 1.0309467183, 1.0012663602),
            "TopoOpt": (2.2731738552, 1.6250242345, 1.2684465306, 1.1430216690)}}
ELECTRICAL, MIXNET, WEIGHED, TORUS, STATIC = NETWORKS = (
    "electrical", "MixNet", "MixNet that weighs", "torus", "static, from the traffic")
DEAD_TIMES = ("1us", "5ms", "25ms", "100ms", "1s", "10s")
SECONDS = {"1us": 1e-6, "5ms": 0.005, "25ms": 0.025, "100ms": 0.1, "1s": 1.0,
           "10s": 10.0}
USUAL = "0.3"  # spread of the loads of experts
COLUMNS = ("model", "gbps", "network", "dead_time", "skew", "iteration_time_s", "compute_s", "ep_s",
           "reconfigurations", "circuit_bytes", "beside_bytes")

# Of each kind of row one that takes well below a second.
FEW = ["$model = 'Mixtral 8x22B' and $gbps = 400 and $network = 'electrical' and $skew < 1",
       "$model = 'Mixtral 8x7B' and $gbps = 100 and $network = 'electrical'"]


def derive(point):
    """Networks without a dead time are run once."""
    return {} if point["network"] in (MIXNET, WEIGHED) else {"dead_time": ""}


def find(rows, model, gbps, network, dead_time="", skew=USUAL):
    wanted = (model, str(gbps), network, dead_time, skew)
    return next(row for row in rows if (row["model"], row["gbps"], row["network"], row["dead_time"],
                                        row["skew"]) == wanted)


def time_s(rows, *which):
    return float(find(rows, *which)["iteration_time_s"])


def published(model, network, gbps):
    """Over the fat tree of the same rate."""
    at = RATES.index(gbps)
    return PUBLISHED[model][network][at] / PUBLISHED[model]["fat tree"][at]


def over_electrical(rows, model, gbps, network, dead_time="", skew=USUAL):
    return (time_s(rows, model, gbps, network, dead_time, skew) /
            time_s(rows, model, gbps, ELECTRICAL, "", skew))


def slowed(rows, model, gbps):
    """The electrical network at @gbps, over that at 800 Gb/s: theirs and ours."""
    tree = PUBLISHED[model]["fat tree"]
    return (tree[RATES.index(gbps)] / tree[-1],
            time_s(rows, model, gbps, ELECTRICAL) / time_s(rows, model, 800, ELECTRICAL))


def gain(rows, model, gbps):
    """How much faster MixNet is than the static topology: theirs over TopoOpt, ours over the torus."""
    return (published(model, "TopoOpt", gbps) / published(model, "MixNet", gbps),
            over_electrical(rows, model, gbps, TORUS) / over_electrical(rows, model, gbps, MIXNET, "25ms"))


def mean_gain(rows, model):
    pairs = [gain(rows, model, gbps) for gbps in RATES]
    return tuple(sum(pair[i] for pair in pairs) / len(pairs) for i in (0, 1))


def delay_lines(rows):
    chosen = [(ELECTRICAL, "", USUAL), *((MIXNET, time, USUAL) for time in DEAD_TIMES),
              (WEIGHED, "25ms", USUAL), (WEIGHED, "1s", USUAL), (ELECTRICAL, "", "1"),
              (MIXNET, "1us", "1"), (MIXNET, "25ms", "1"), (WEIGHED, "25ms", "1")]
    for network, dead_time, skew in chosen:
        row = find(rows, LARGE, 400, network, dead_time, skew)
        over, beside = row["circuit_bytes"], row["beside_bytes"]
        share = f"{100 * float(over) / (float(over) + float(beside)):.0f}" if over else "-"
        yield [network, dead_time or "-", skew, f"{float(row['iteration_time_s']):.2f}",
               f"{float(row['ep_s']):.2f}",
               f"{over_electrical(rows, LARGE, 400, network, dead_time, skew):.3f}",
               row["reconfigurations"] or "-", share]


def tables(rows):
    ratios = []
    for model in MODELS:
        for gbps in RATES:
            theirs, ours = slowed(rows, model, gbps)
            ratios.append([
                model, str(gbps), f"{theirs:.2f}", f"{ours:.2f}", f"{published(model, 'MixNet', gbps):.2f}",
                f"{over_electrical(rows, model, gbps, MIXNET, '25ms'):.2f}",
                f"{published(model, 'TopoOpt', gbps):.2f}",
                f"{over_electrical(rows, model, gbps, TORUS):.2f}",
                f"{over_electrical(rows, model, gbps, STATIC):.2f}" if gbps == 400 else "",
                *(f"{value:.2f}" for value in gain(rows, model, gbps))])
    return "\n".join([
        table(["model", "Gb/s", "fat tree over 800 Gb/s", "ours", "MixNet over fat tree", "ours",
               "TopoOpt over fat tree", "torus, ours", "static from the traffic, ours",
               "MixNet over TopoOpt", "over torus, ours"], ratios),
        table(["network", "dead time", "skew", "iteration, s", "experts' all-to-alls, s",
               "over electrical", "circuits set up", "over circuits, %"], list(delay_lines(rows)))])


# --- the picture ---

WIDTH, HEIGHT = 880, 340
STYLES = {"fat tree": (ELECTRICAL, "", "#777"), "MixNet": (MIXNET, "25ms", "#1f5fa8"),
          "TopoOpt": (TORUS, "", "#b3541e")}


def rates_panel(rows, model, left, right, top, bottom):
    across = Logarithmic(100, 800, left, right)
    low, high = 0.95, 3.6

    def up(value):
        return bottom - (value - low) / (high - low) * (bottom - top)
    yield text((left + right) / 2, top - 12, model)
    for value in (1.0, 1.5, 2.0, 2.5, 3.0, 3.5):
        yield line(left, up(value), right, up(value), "#333" if value == 1.0 else "#e4e4e4")
        yield text(left - 5, up(value) + 4, f"{value:.1f}", "end", size=10)
    for gbps in RATES:
        yield text(across.at(gbps), bottom + 18, f"{gbps}", size=10)
    whole = time_s(rows, model, 800, ELECTRICAL)
    for name, (network, dead_time, colour) in STYLES.items():
        yield curve([(across.at(gbps), up(time_s(rows, model, gbps, network, dead_time) / whole))
                     for gbps in RATES], colour)
        theirs = PUBLISHED[model]
        yield curve([(across.at(gbps), up(theirs[name][i] / theirs["fat tree"][-1]))
                     for i, gbps in enumerate(RATES)], colour, "4 4")


def delays_panel(rows, left, right, top, bottom):
    across = Logarithmic(1e-6, 10.0, left, right)
    low, high = 0.95, 1.55

    def up(value):
        return bottom - (value - low) / (high - low) * (bottom - top)
    yield text((left + right) / 2, top - 12, f"{LARGE}, 400 Gb/s, by dead time")
    for value in (1.0, 1.1, 1.2, 1.3, 1.4, 1.5):
        yield line(left, up(value), right, up(value), "#777" if value == 1.0 else "#e4e4e4")
        yield text(left - 5, up(value) + 4, f"{value:.1f}", "end", size=10)
    level = up(over_electrical(rows, LARGE, 400, TORUS))
    yield line(left, level, right, level, STYLES["TopoOpt"][2])
    for time in ("1us", "25ms", "1s"):
        yield text(across.at(SECONDS[time]), bottom + 18, time, size=10)
    yield curve([(across.at(SECONDS[time]), up(over_electrical(rows, LARGE, 400, MIXNET, time)))
                 for time in DEAD_TIMES], STYLES["MixNet"][2])


def picture(rows):
    top, bottom = 75, HEIGHT - 55
    elements = []
    for i, model in enumerate(MODELS):
        elements += rates_panel(rows, model, 45 + i * 285, 270 + i * 285, top, bottom)
    elements += delays_panel(rows, 620, WIDTH - 25, top, bottom)
    x = 45
    for name, (network, _, colour) in STYLES.items():
        label = f"{network} (theirs: {name})"
        elements += [line(x, 24, x + 26, 24, colour, None, 3), text(x + 32, 28, label, "start")]
        x += 60 + 6.2 * len(label)
    elements.append(text(x, 28, "dashed: published", "start"))
    elements.append(text(300, HEIGHT - 12, "Gb/s of a card; upwards: time over the electrical network's at "
                         "800 Gb/s", size=11))
    elements.append(text(742, HEIGHT - 12, "upwards: time over the electrical network's", size=11))
    return draw(WIDTH, HEIGHT, "mixnet", elements)
