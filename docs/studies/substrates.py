# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of substrates.xml: an expert model on an electrical network, and on optical substrates."""
from drawing import curve, line, picture as draw, text, Logarithmic
from switching import table

SIZES = (8, 16, 32, 64, 128, 512, 3072)  # accelerators of a substrate
FACTORS = (1, 2, 4)  # bandwidth off the chip, to the substrate
# Gradients summed by one ring over all replicas; or in a domain first, and then between domains.
ALGORITHMS = ("ring", "ring+ring")
FORMS = {"simulated": "simulated", "consistent": "closed_form", "amped": "amped"}
TERMS = ("compute", "tp", "dp", "ep", "optimizer")
COLUMNS = ("network", "size", "factor", "algorithm",
           *(f"{form}_{name}_s" for form in FORMS for name in ("time", *TERMS)))

# Of each kind of row one that takes well below a second.
FEW = ["$network = 'electrical' and $size = 8 and $factor = 1 and $algorithm = 'ring'",
       "$network = 'electrical' and $size = 64 and $factor = 2 and $algorithm = 'ring+ring'",
       "$network = 'substrate' and $factor = 1 and $algorithm = 'ring'"]


class Results:
    def __init__(self, rows):
        self.rows = {(row["network"], int(row["size"]), int(row["factor"]), row["algorithm"]): row
                     for row in rows}

    def value(self, form, size, factor, network="electrical", name="time", algorithm="ring+ring"):
        return float(self.rows[network, size, factor, algorithm][f"{form}_{name}_s"])

    def gain(self, form, size, factor, network="electrical", algorithm="ring+ring"):
        """How much faster than eight to a domain, electrical between them, with the same
        algorithm."""
        return (self.value(form, 8, 1, algorithm=algorithm) /
                self.value(form, size, factor, network, algorithm=algorithm))


# Ways of reading the rows: what is predicted, and with which algorithm.
READINGS = {"simulated, one ring": ("simulated", "ring"),
            "simulated, rings in two levels": ("simulated", "ring+ring"),
            "consistent form": ("consistent", "ring"), "AMPeD": ("amped", "ring")}


def tables(rows):
    of = Results(rows)
    steps = [("electrical, 8 a node", "electrical", 8, 1),
             ("substrate in place of the network", "substrate", 8, 1),
             *((f"{size} to a substrate", "electrical", size, 1) for size in SIZES[1:]),
             *((f"{size:,} to a substrate, {factor} x bandwidth", "electrical", size, factor)
               for size in (64, 3072) for factor in FACTORS[1:])]
    gains = [[name, *(f"{of.gain(form, size, factor, network, algorithm):.2f}"
                      for form, algorithm in READINGS.values())]
             for name, network, size, factor in steps]
    parts = []
    for name, (form, algorithm) in READINGS.items():
        radix = of.gain(form, 3072, 1, algorithm=algorithm)
        bandwidth = of.gain(form, 8, 4, algorithm=algorithm)
        both = of.gain(form, 3072, 4, algorithm=algorithm)
        parts.append([name, f"{radix:.2f}", f"{bandwidth:.2f}", f"{both / radix / bandwidth:.2f}",
                      f"{both:.2f}"])
    seconds = [[f"{name}: {reading}",
                *(f"{of.value(form, size, factor, network, term, algorithm):.3f}"
                  for term in ("time", *TERMS))]
               for name, network, size, factor in (
                   ("electrical", "electrical", 8, 1), ("3,072, 4 x", "electrical", 3072, 4))
               for reading, (form, algorithm) in READINGS.items()]
    return "\n".join([
        table(["times as fast", *READINGS], gains),
        table(["of the last row", "radix", "bandwidth", "both together", "product"], parts),
        table(["seconds", "iteration", *TERMS], seconds)])


# --- the picture ---

COLOURS = ("#b3541e", "#1f5fa8", "#777", "#3a9d5d")
DASHES = (None, None, "2 4", "6 5")
WIDTH, PANEL_WIDTH, PANEL_HEIGHT, HIGHEST = 880, 230, 260, 4.4


def panel(of, factor, left, top):
    right, bottom = left + PANEL_WIDTH, top + PANEL_HEIGHT
    across = Logarithmic(8, 3072, left, right)

    def up(gain):
        return bottom - (gain - 0.5) / (HIGHEST - 0.5) * PANEL_HEIGHT

    for gain in (1, 2, 3, 4):
        yield line(left, up(gain), right, up(gain), "#aaa" if gain == 1 else "#e4e4e4")
        yield text(left - 6, up(gain) + 4, f"{gain}", "end", size=11)
    for size in SIZES:
        yield line(across.at(size), bottom, across.at(size), bottom + 4, "#333")
        yield text(across.at(size), bottom + 17, f"{size:,}", size=10)
    yield line(left, bottom, right, bottom, "#333")
    yield text(left, top - 10, f"{factor} x bandwidth off the chip", "start", size=13)
    for (form, algorithm), colour, dash in zip(READINGS.values(), COLOURS, DASHES):
        yield curve([(across.at(size), up(of.gain(form, size, factor, algorithm=algorithm)))
                     for size in SIZES], colour, dash)


def picture(rows):
    of = Results(rows)
    elements = []
    for i, factor in enumerate(FACTORS):
        elements += panel(of, factor, 50 + i * (PANEL_WIDTH + 55), 75)
    x = 50
    for name, colour, dash in zip(READINGS, COLOURS, DASHES):
        elements += [line(x, 24, x + 34, 24, colour, dash, 2), text(x + 40, 28, name, "start")]
        x += 68 + 6.6 * len(name)
    elements.append(text(WIDTH / 2, 385, "accelerators of a substrate; upwards: times as fast as "
                         "eight to a node with an electrical network"))
    return draw(WIDTH, 400, "substrates", elements)
