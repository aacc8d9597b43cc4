# SPDX-License-Identifier: Apache-2.0
"""Tables and picture of railonly.xml: what an all-to-all loses without spines between rails."""
from drawing import box, line, picture as draw, text
from switching import table

ACCELERATORS, DOMAIN = 256, 64
BYTES = 4_000_000_000
RATES = ((25, 300), (50, 450))  # GB/s of an accelerator, out of the domain and within it
NETWORKS = ("rails meet", "rails never meet")
COLUMNS = ("out_gbps", "domain_gbps", "network", "time_s")

# Of each kind of row one that takes well below a second.
FEW = ["$out_gbps = 25 and $network = 'rails meet'"]


def times(rows, out):
    return [next(float(row["time_s"]) for row in rows
                 if (row["out_gbps"], row["network"]) == (str(out), network))
            for network in NETWORKS]


def port_s(out):
    """Of an accelerator's own port, for what leaves its domain."""
    return BYTES * (ACCELERATORS - DOMAIN) / ACCELERATORS / (out * 1e9)


def more(rows, out):
    """What forwarding adds, over the time of the port."""
    joined, apart = times(rows, out)
    return (apart - joined) / port_s(out)


def closed_form(out, domain):
    """Everything that changes the rail crosses the domain once more."""
    return (DOMAIN - 1) / DOMAIN * out / domain


def tables(rows):
    lines = [[str(out), str(domain), *(f"{1e3 * time_s:.1f}" for time_s in times(rows, out)),
              f"{100 * more(rows, out):.1f}", f"{100 * closed_form(out, domain):.1f}"]
             for out, domain in RATES]
    return table(["out, GB/s", "domain, GB/s", "rails meet, ms", "never, ms",
                  "more, % of the port's time", "closed form, %"], lines)


# --- the picture ---

WIDTH, HEIGHT, BAR = 560, 260, 60


def picture(rows):
    elements, highest = [], 1.15 * max(max(times(rows, out)) for out, _ in RATES)
    bottom = HEIGHT - 40
    elements.append(line(30, bottom, WIDTH - 30, bottom, "#333"))
    for i, (out, domain) in enumerate(RATES):
        for k, (time_s, colour) in enumerate(zip(times(rows, out), ("#777", "#1f5fa8"))):
            height = time_s / highest * (bottom - 40)
            x = 80 + i * 240 + k * (BAR + 6)
            elements += [box(x, bottom - height, BAR, height, colour),
                         text(x + BAR / 2, bottom - height - 5, f"{1e3 * time_s:.0f} ms", size=11)]
        elements.append(text(80 + i * 240 + BAR + 3, bottom + 18,
                             f"{out} GB/s out, {domain} within", size=11))
    elements.append(text(WIDTH / 2, 20, "all-to-all of 4 GB: rails that meet (grey), rails that "
                         "never do (blue)"))
    return draw(WIDTH, HEIGHT, "railonly", elements)
