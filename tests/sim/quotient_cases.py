# SPDX-License-Identifier: Apache-2.0
"""Random fabrics, and random scenarios on them: jobs beside each other, some of them alike and mirrored,
packed, dealt out or straddling, with slow ranks, skewed experts, other traffic, and links that lose
bandwidth. Small: each takes well under a second."""
import rail_trees
import test_properties

# By accelerators; what is in brackets is drawn.
FABRICS = [
    "--system=dgx-h100 --leaf-ports=4 --oversubscription={1,2,4}",
    "--system=dgx-h100 --port-order=node --leaf-ports=16 --oversubscription={1,2,4}",
    "--system=dgx-a100",
    "--system=generic --domain-size={2,4} --leaf-ports={4,8} --oversubscription={1,2,4}",
    "--system=generic --domain-size=1 --leaf-ports=8 --oversubscription={1,2,4}",
    "--system=generic --domain-size={1,4} --leaf-ports=8 --path-choice=hash --paths={2,4}",
    "--system=generic --domain-size=1 --topology=torus --dimensions={4x8,2x16}",
    "--system=generic --domain-size=2 --topology=dragonfly --router-ports=4 --group-routers=4"
    " --nics-per-domain=2",
    "--system=generic --domain-size=8 --nics-per-domain=4 --leaf-ports={4,12}",
    "--system=hgx-h800 --oversubscription={2,4} --leaf-ports=4",
    "--system=polaris",
]
# Attributes that a plan may have at most, so that a case stays small.
LAYERS, MICRO_BATCHES = 4, 4


def draw_fabric(r):
    """The options of a generated machine, and how many accelerators it has."""
    text = rail_trees.draw_options(r, FABRICS if r.random() < 0.6 else rail_trees.RAIL_TREES)
    size = 32 if "torus" in text else r.choice([32, 64])
    return f"{text} --accelerators={size}", size


def mend(plan):
    """Takes back what most often makes a plan invalid."""
    n = plan["tp"] * plan["cp"] * plan["dp"]
    if plan.get("experts"):
        plan["ep"] = min(plan["ep"], n // plan.get("expert-tp", plan["tp"]))
        plan["ep-relay"] = min(plan.get("ep-relay", 1), plan["ep"])
        plan["rank-order"] = "tp-cp-ep-dp-pp" if plan["rank-order"].startswith("dp") else plan["rank-order"]
    if plan.get("ep", 1) > 1 or plan["schedule"] == "dualpipe":
        plan.pop("shard-degree", None)
    if plan.get("shard-degree", 0) > plan["dp"]:
        plan["shard-degree"] = plan["dp"]


def draw_plan(r, room):
    """A plan of at most @room ranks."""
    while True:
        plan = test_properties.draw(r)
        if plan is None or plan["tp"] * plan["cp"] * plan["dp"] * plan["pp"] > room:
            continue
        if r.random() < 0.8 and (plan["dp"] < 4 or n_ranks(plan) < room / 2):
            continue
        if plan["pp"] == 1 and plan["schedule"] in ("dualpipe", "interleaved"):
            continue
        mend(plan)
        plan["layers"] = min(plan["layers"], max(LAYERS, plan["pp"] * plan["virtual-stages"]))
        plan["stage-layers"] = "even"
        least = 2 * plan["pp"] if plan["schedule"] == "dualpipe" else plan["pp"]
        m = min(plan["global-batch"] // plan["micro-batch"] // plan["dp"], max(MICRO_BATCHES, least))
        if plan["virtual-stages"] > 1:
            m = max(1, m // plan["pp"]) * plan["pp"]
        plan["global-batch"] = m * plan["micro-batch"] * plan["dp"]
        if plan["precision"] in ("mxfp8", "nvfp4", "fp8", "fp8-block"):
            plan["precision"] = "bf16"
        plan["library"] = r.choice(["single-ring", "auto", "auto"])
        del plan["placement"]
        return plan


def n_ranks(plan):
    return plan["tp"] * plan["cp"] * plan["dp"] * plan["pp"]


def draw_places(r, n_jobs, n, size):
    """Accelerators of each of @n_jobs jobs of @n ranks: blocks dealt out in turn, from one to all of a
    job's ranks at a time; sometimes shuffled."""
    width = r.choice([2, 4, 8, n, n, n])
    while n % width:
        width //= 2
    places = [[] for _ in range(n_jobs)]
    free = list(range(size))
    if r.random() < 0.12:
        r.shuffle(free)
    elif r.random() < 0.2:
        shift = r.randrange(size)
        free = free[shift:] + free[:shift]
    for i in range(n // width * n_jobs):
        places[i % n_jobs] += free[i * width:(i + 1) * width]
    return places


def draw_jobs(r, size):
    """Elements, and the sizes of the jobs."""
    n_jobs = r.choice([1, 1, 2, 2, 3, 4])
    room = size // n_jobs
    plans = [draw_plan(r, room)]
    n = n_ranks(plans[0])
    for _ in range(n_jobs - 1):
        plans.append(plans[0] if r.random() < 0.75 else
                     next(p for p in iter(lambda: draw_plan(r, n), None) if n_ranks(p) <= n))
    places = draw_places(r, n_jobs, n, size)
    start, iterations = r.choice([0, 0, 0, 1]), r.choice([1, 1, 2])
    elements = []
    for i, plan in enumerate(plans):
        attributes = " ".join(f'{name}="{value}"' for name, value in plan.items())
        own = places[i][:n_ranks(plan)]
        begin = start if r.random() < 0.8 else r.randint(0, 2)
        elements.append(f'<job name="j{i}" workload="gpt3-175b" framework="none" {attributes} '
                        f'accelerators="{",".join(map(str, own))}" start="{begin}ms" '
                        f'iterations="{iterations}"/>')
    return elements, plans


def draw_stragglers(r, plans):
    elements = []
    for i, plan in enumerate(plans):
        if r.random() < 0.7:
            continue
        n = n_ranks(plan)
        slow = r.choice([[r.randrange(n)], sorted(r.sample(range(n), min(n, 2))), list(range(0, n, 2)),
                         list(range(n))])
        jitter = f'distribution="lognormal" jitter="0.1" seed="{r.randint(0, 9)}"' if r.random() < 0.15 else ""
        elements.append(f'<straggler job="j{i}" ranks="{",".join(map(str, slow))}" '
                        f'factor="{r.choice([1.05, 1.2, 1.5])}" {jitter}/>')
    return elements


def draw_traffic(r, size):
    elements = []
    for i in range(r.choice([0, 0, 0, 0, 1, 1, 2])):
        some = list(range(0, size, r.choice([1, 2, 4]))) if r.random() < 0.5 else \
            r.sample(range(size), r.randint(2, 12))
        pattern = r.choice(["permutation", "uniform", "pairs", "pairs", "pairs", "incast", "all-to-all"])
        some = some[:5] if pattern == "incast" else some[:12] if pattern != "pairs" else some
        pace = r.choice(['', 'load="0.1"'] + 3 * ['load="0.2" gaps="fixed"', 'load="0.1" gaps="fixed"'])
        elements.append(f'<traffic name="t{i}" pattern="{pattern}" accelerators="{",".join(map(str, some))}" '
                        f'message="{r.choice(["1MB", "10MB"])}" {pace} seed="{r.randint(0, 9)}"/>')
    return elements


def draw_failures(r, size, is_incast):
    """Ports that fail, and some that recover, at once or in steps. A port that many send to keeps most of its rate:
    flows that it cannot carry away pile up for minutes."""
    if r.random() < 0.75:
        return []
    at, factor = r.randint(0, 8), r.choice([0.1, 0.5, 0.9])
    if is_incast:
        factor = 0.9
    ports = r.choice([[r.randrange(size)], r.sample(range(size), 3), list(range(0, size, 8))])
    kind = r.choice(["scale-up", "scale-out", "scale-out"])
    what = 'dead="yes"' if r.random() < 0.2 else f'bandwidth-factor="{factor}"'
    changes = [(at, what)]
    for better in r.choice([[], [1], [1], [0.95, 1], [0.92, 1]]):
        at += r.randint(1, 4)
        changes.append((at, f'bandwidth-factor="{better}"'))
    return [f'<failure at="{at}ms" port="{kind}:{port}" {what}/>' for port in ports for at, what in changes]


def draw_scenario(r, size):
    """A scenario as text."""
    jobs, plans = draw_jobs(r, size)
    stragglers, traffic = draw_stragglers(r, plans), draw_traffic(r, size)
    is_incast = any("incast" in element for element in traffic)
    elements = jobs + stragglers + traffic + draw_failures(r, size, is_incast)
    return '<scenario name="drawn">\n' + "\n".join(elements) + "\n</scenario>\n"
