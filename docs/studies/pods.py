# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of pods.xml: pods of copper and of light for experts."""
from drawing import Logarithmic, curve, line, picture as draw, text
from switching import table

NETWORKS = ("copper, 4 x 128", "light, 512", "light, 512, 32 Tb/s")
# Relative time to train a model of over a trillion parameters (Bernadskiy et al., arXiv 2510.15893).
PUBLISHED = dict(zip(NETWORKS, (1.00, 0.60, 0.37)))
FACTORS = (1, 2, 3, 4, 6, 8)
TERMS = ("compute", "tp", "dp", "ep", "optimizer")
COLUMNS = ("plan", "kernels", "factor", "network", "time_s", "closed_form_s",
           *(f"{term}_s" for term in TERMS))
# Plan, kernels and factor of all rows, each on all networks.
WAYS = [*(("512 experts over all", "roofline", factor) for factor in FACTORS),
        ("512 experts over all", "measured", 1), ("384 experts in 128", "roofline", 1),
        ("384 experts in 128", "roofline", 4)]

# Of each kind of row one that takes well below a second.
FEW = ["$plan = '512 experts over all' and $kernels = 'roofline' and $factor = 4 and $network = 'light, 512'"]


def find(rows, plan, kernels, factor, network):
    wanted = (plan, kernels, str(factor), network)
    return next(row for row in rows
                if (row["plan"], row["kernels"], row["factor"], row["network"]) == wanted)


def relative(rows, plan, kernels, factor, network):
    """Time over that of the pods of copper."""
    return (float(find(rows, plan, kernels, factor, network)["time_s"]) /
            float(find(rows, plan, kernels, factor, "copper, 4 x 128")["time_s"]))


def tables(rows):
    relations = [["published", "", "", *(f"{value:.2f}" for value in PUBLISHED.values())]]
    relations += [[plan, kernels, f"{factor} x B200",
                   *(f"{relative(rows, plan, kernels, factor, network):.2f}" for network in NETWORKS)]
                  for plan, kernels, factor in WAYS]
    seconds = []
    for factor in (1, 4):
        for network in NETWORKS:
            row = find(rows, "512 experts over all", "roofline", factor, network)
            seconds.append([f"{factor} x B200, {network}",
                            *(f"{float(row[name]):.3f}" for name in
                              ("time_s", "closed_form_s", *(f"{term}_s" for term in TERMS)))])
    return "\n".join([
        table(["experts", "kernels", "package", *NETWORKS], relations),
        table(["512 experts, roofline", "simulated, s", "closed form, s", *TERMS], seconds)])


# --- the picture ---

WIDTH, HEIGHT = 640, 330
COLOURS = ("#777", "#1f5fa8", "#b3541e")


def picture(rows):
    left, right, top, bottom = 60, WIDTH - 190, 45, HEIGHT - 60
    across = Logarithmic(1, 8, left, right)

    def up(value):
        return bottom - value / 1.1 * (bottom - top)

    elements = [line(left, bottom, right, bottom, "#333"), line(left, top, left, bottom, "#333")]
    for value in (0.2, 0.4, 0.6, 0.8, 1.0):
        elements += [line(left, up(value), right, up(value), "#e4e4e4"),
                     text(left - 6, up(value) + 4, f"{value:.1f}", "end", size=11)]
    for factor in FACTORS:
        elements.append(text(across.at(factor), bottom + 18, f"{factor} x", size=11))
    for network, colour in zip(NETWORKS, COLOURS):
        points = [(across.at(factor), up(relative(rows, "512 experts over all", "roofline", factor,
                                                  network))) for factor in FACTORS]
        level = up(PUBLISHED[network])
        elements += [line(left, level, right, level, colour, "5 4"), curve(points, colour),
                     text(right + 8, level + 4, f"{network}: {PUBLISHED[network]:.2f}", "start",
                          colour)]
    elements += [text(WIDTH / 2, 22, "time over that of four copper pods (dashed: published)"),
                 text((left + right) / 2, HEIGHT - 16, "peak and memory bandwidth of a package over B200's",
                      size=12)]
    return draw(WIDTH, HEIGHT, "pods", elements)
