# SPDX-License-Identifier: Apache-2.0
"""Pods of copper and of light for experts, after Lightmatter (Bernadskiy et al., Hot Interconnects
2025, arXiv 2510.15893): 512 packages as four pods of 128 in copper with 14.4 Tb/s each, as one pod
with 14.4 Tb/s, and as one with 32 Tb/s. Relative time to train a model of over a trillion
parameters: 1.00, 0.60 and 0.37.

What the published figures do not say is the package's own speed: it is B200's, peak and memory
bandwidth, times a factor, and nothing else is fitted."""
from drawing import Logarithmic, curve, line, picture as draw, text
from program import figures, on_machines, sets
from switching import table

ACCELERATORS, SCALE_OUT_GBPS = 512, 200  # 1.6 Tb/s between pods
# Packages of a pod, and GB/s of each, one way.
NETWORKS = {"copper, 4 x 128": (128, 1800), "light, 512": (512, 1800), "light, 512, 32 Tb/s": (512, 4000)}
PUBLISHED = dict(zip(NETWORKS, (1.00, 0.60, 0.37)))
PEAK_TF, MEMORY_TBPS = 2250, 8  # B200: bf16, dense; HBM3e
FACTORS = (1, 2, 3, 4, 6, 8)
COMMON = ("tp=16 pp=1 dp=32 expert-tp=1 sequence-parallel=yes virtual-stages=1 schedule=1f1b "
          "recompute=none zero=1 micro-batch=4 global-batch=1024")
# Kimi K2's shape. With an expert for each package their tokens cross all pods; with its own 384
# experts, spread over 128 ranks, they stay in the pod of copper.
PLANS = {"512 experts over all": f"experts=512 ep=512 {COMMON}",
         "384 experts in 128": f"experts=384 ep=128 {COMMON}"}
KERNELS = ("roofline", "measured")
ROOFLINE = [f"--{name}-efficiency=1" for name in ("gemm", "memory", "elementwise", "attention")] + [
    "--launch=0s", "--host-kernel=0s", "--host-collective=0s"]
TERMS = ("compute", "tp", "dp", "ep", "optimizer")
COLUMNS = ("plan", "kernels", "factor", "network", "time_s", "closed_form_s",
           *(f"{term}_s" for term in TERMS))


def cases():
    """(plan, kernels, factor, network)"""
    ways = [("512 experts over all", "roofline", factor) for factor in FACTORS]
    ways += [("512 experts over all", "measured", 1), ("384 experts in 128", "roofline", 1),
             ("384 experts in 128", "roofline", 4)]
    return [(*way, network) for way in ways for network in NETWORKS]


# Of each kind of row one that takes well below a second.
FEW = [("512 experts over all", "roofline", 4, "light, 512")]


def machine(kernels, factor, network):
    pod, rate = NETWORKS[network]
    between = [] if pod == ACCELERATORS else [f"--scale-out-bandwidth={SCALE_OUT_GBPS}GBps",
                                              "--scale-out-latency=2us"]
    return ["--system=optical-substrate", f"--accelerators={ACCELERATORS}", "--accelerator=b200",
            f"--domain-size={pod}", f"--domain-bandwidth={rate}GBps", "--domain-latency=100ns",
            *between, f"--peak-bf16={PEAK_TF * factor}Tf",
            f"--memory-bandwidth={MEMORY_TBPS * factor}TBps",
            *(ROOFLINE if kernels == "roofline" else [])]


def run_case(case):
    plan, *way = case
    result = on_machines([machine(*way)], "simulate", "kimi-k2", *sets(PLANS[plan]),
                         "--ignore-memory")
    run = result["simulated"]
    values = [*case, run["iteration_time_s"], result["closed_form"]["iteration_time_s"],
              *(run["terms_s"][term] for term in TERMS)]
    return [dict(zip(COLUMNS, map(figures, values)))]


# --- what follows ---


def find(rows, plan, kernels, factor, network):
    wanted = (plan, kernels, str(factor), network)
    return next(row for row in rows
                if (row["plan"], row["kernels"], row["factor"], row["network"]) == wanted)


def relative(rows, plan, kernels, factor, network):
    """Time over that of the pods of copper."""
    return (float(find(rows, plan, kernels, factor, network)["time_s"]) /
            float(find(rows, plan, kernels, factor, "copper, 4 x 128")["time_s"]))


def tables(rows):
    ways = list(dict.fromkeys(case[:3] for case in cases()))
    relations = [["published", "", "", *(f"{value:.2f}" for value in PUBLISHED.values())]]
    relations += [[plan, kernels, f"{factor} x B200",
                   *(f"{relative(rows, plan, kernels, factor, network):.2f}" for network in NETWORKS)]
                  for plan, kernels, factor in ways]
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
