# SPDX-License-Identifier: Apache-2.0
"""Exported Chakra traces in ASTRA-sim, beside the programs that they are of: every kernel takes whole microseconds, which is what a
trace tells other readers, and launching is free. ASTRA-sim's GB/s are 2^30 bytes a second.

Environment, to run ASTRA-sim anew: ASTRA_SIM, the folder of its program congestion_aware; else its stored times are taken."""
import csv
import json
import os
import pathlib
import re
import subprocess
import tempfile

from program import BARE, figures, lightpath
from switching import table

# Of ASTRA-sim; with 599a0473 of its network, astra-network-analytical, and fece597f of its reader, astra-sim/chakra.
COMMIT = "518bd513"
COLUMNS = ("case", "ranks", "network", "theirs_s", "ours_s")
HERE = pathlib.Path(__file__).resolve().parent
RATE = 50_000_000_000  # B/s of a link
HOP_NS = 500
SYSTEM = {"scheduling-policy": "FIFO", "endpoint-delay": 0, "active-chunks-per-dimension": 1, "preferred-dataset-splits": 1,
          "collective-optimization": "baseline", "local-mem-bw": 1e9, "boost-mode": 0, "roofline-enabled": 0, "peak-perf": 900}


# --- programs ---

def collective(name, n, algorithm=""):
    own = f' algorithm="{algorithm}"' if algorithm else ""
    return (f'<groups name="all" size="{n}"{own}/><ranks list="0-{n - 1}"><compute time="1ms"/>'
            f'<{name} group="all" bytes="40MB"/><compute time="1ms"/></ranks>')


def chain(n):
    """Messages from rank to rank, four times."""
    ranks = ""
    for rank in range(n):
        receive = '<receive from="-1" bytes="10MB"/>' if rank > 0 else ""
        send = '<send to="+1" bytes="10MB"/>' if rank < n - 1 else ""
        ranks += f'<ranks list="{rank}"><repeat times="4">{receive}<compute time="1ms"/>{send}</repeat></ranks>'
    return ranks


def beside(n):
    """A collective beside another, each on a stream of its own, and kernels beside both."""
    return (f'<groups name="all" size="{n}"/><groups name="half" class="tp" size="{n // 2}"/><ranks list="0-{n - 1}">'
            '<compute time="1ms"/><all-reduce group="all" bytes="40MB" queue="a"/><all-gather group="half" bytes="40MB" queue="b"/>'
            '<compute time="1ms"/><wait for="a"/><wait for="b"/></ranks>')


def plan(workload, *settings):
    """What the ranks of a plan do, in whole microseconds, and with a host that costs nothing."""
    def make(machine):
        words = [word for setting in (*BARE, *settings) for word in ("--set", setting)]
        text = lightpath("workload", "program", workload, machine, *words)
        text = re.sub(r"<host [^>]*/>", "", text)
        text = re.sub(r' (host|issue|bound|idle|wait)="[^"]*"', "", text)
        return re.sub(r' time="([0-9.e-]+)(us|s)"', lambda found: f' time="{round(float(found[1]) * {"us": 1, "s": 1e6}[found[2]])}us"',
                      text)
    return make


# Networks: ASTRA-sim's, and ours of as many links on each way.
GPT = ("gpt3-125m", "micro-batch=1")
MIXTRAL = ("mixtral-8x7b", "layers=2", "seq=1024", "tp=1", "pp=1", "virtual-stages=1", "schedule=1f1b", "micro-batch=1")
CASES = {
    "all-reduce, ring": (collective("all-reduce", 4), 4, "Ring", {}),
    "all-reduce, ring of 16": (collective("all-reduce", 16), 16, "FullyConnected", {}),
    "all-reduce, ring over a switch": (collective("all-reduce", 8), 8, "Switch", {}),
    "all-reduce, direct": (collective("all-reduce", 8, "direct"), 8, "FullyConnected", {"all-reduce": "direct"}),
    "all-reduce, halving and doubling": (collective("all-reduce", 8, "halving-doubling"), 8, "FullyConnected",
                                         {"all-reduce": "halvingDoubling"}),
    "all-reduce, double tree": (collective("all-reduce", 8, "tree"), 8, "FullyConnected", {"all-reduce": "doubleBinaryTree"}),
    "all-gather, ring": (collective("all-gather", 8), 8, "Ring", {}),
    "reduce-scatter, ring": (collective("reduce-scatter", 8), 8, "FullyConnected", {}),
    "all-to-all": (collective("all-to-all", 8), 8, "FullyConnected", {}),
    "all-to-all over a switch": (collective("all-to-all", 8), 8, "Switch", {}),
    "all-to-all on a ring": (collective("all-to-all", 8), 8, "Ring", {}),
    "messages down a chain": (chain(4), 4, "Ring", {}),
    "two collectives at a time": (beside(8), 8, "FullyConnected", {}),
    "dp 8, gradients beside kernels": (plan(*GPT, "dp=8", "tp=1", "pp=1", "global-batch=8", "overlap-dp=yes"), 8,
                                       "FullyConnected", {}),
    "tp 4": (plan(*GPT, "dp=1", "tp=4", "pp=1", "global-batch=2"), 4, "Ring", {}),
    "pp 4, 1F1B": (plan(*GPT, "dp=1", "tp=1", "pp=4", "global-batch=8"), 4, "FullyConnected", {}),
    "pp 4, 1F1B on a ring": (plan(*GPT, "dp=1", "tp=1", "pp=4", "global-batch=8"), 4, "Ring", {}),
    "pp 4, interleaved": (plan(*GPT, "dp=1", "tp=1", "pp=4", "global-batch=8", "schedule=interleaved",
                               "virtual-stages=3"), 4, "FullyConnected", {}),
    "tp 2, pp 2, dp 4": (plan(*GPT, "dp=4", "tp=2", "pp=2", "global-batch=16"), 16, "FullyConnected", {}),
    "ep 4, dp 4": (plan(*MIXTRAL, "dp=4", "ep=4", "global-batch=4"), 4, "FullyConnected", {}),
}


# --- runs ---

def write_machine(path, n, network, algorithms, has_all_to_all):
    """A torus of one dimension, or a crossbar. Of FullyConnected what goes to all at once uses all links of a port, what goes to one
    neighbour one."""
    if network == "Ring":
        made = lightpath("platform", "generate", "--system=generic", f"--accelerators={n}", "--domain-size=1", "--topology=torus",
                         f"--dimensions={n // 2}x2", f"--scale-out-bandwidth={RATE}Bps", f"--scale-out-latency={HOP_NS}ns")
        path.write_text(made.replace(f'topo_parameters="{n // 2},2"', f'topo_parameters="{n}"'))
        return
    is_wide = network == "FullyConnected" and (has_all_to_all or "direct" in algorithms.values())
    links = n - 1 if is_wide else 1
    lightpath("platform", "generate", "--system=generic", f"--accelerators={n}", f"--domain-size={n}",
              f"--domain-latency={HOP_NS if network == 'Switch' else HOP_NS / 2}ns", f"--domain-bandwidth={RATE * links}Bps", "-o", path)


def astra(folder, n, network, algorithms):
    kinds = {f"{kind}-implementation": [algorithms.get(kind, "direct" if kind == "all-to-all" else "ring")]
             for kind in ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")}
    (folder / "system.json").write_text(json.dumps({**SYSTEM, **kinds}))
    (folder / "memory.json").write_text('{"memory-type": "NO_MEMORY_EXPANSION"}')
    (folder / "network.yml").write_text(f"topology: [ {network} ]\nnpus_count: [ {n} ]\nbandwidth: [ {RATE / 2**30:.12f} ]\n"
                                        f"latency: [ {HOP_NS}.0 ]\n")
    files = {"workload": "traces/trace", "comm-group": "traces/groups.json", "system": "system.json", "remote-memory": "memory.json",
             "network": "network.yml"}
    done = subprocess.run([pathlib.Path(os.environ["ASTRA_SIM"]) / "congestion_aware",
                           *(f"--{key}-configuration={folder / file}" for key, file in files.items())],
                          cwd=folder, capture_output=True, text=True)
    ends = re.findall(r"Wall time: (\d+)", done.stdout)
    if len(ends) != n:
        raise SystemExit(f"ASTRA-sim: {len(ends)} of {n} ranks have ended: {done.stdout[-400:]}{done.stderr[-400:]}")
    return max(map(int, ends)) / 1e9


def stored(case):
    with (HERE / "astrasim.csv").open(newline="") as file:
        return next(row["theirs_s"] for row in csv.DictReader(file) if row["case"] == case)


def cases():
    return list(CASES)


def run_case(case):
    make, n, network, algorithms = CASES[case]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        machine, program = folder / "machine.xml", folder / "program.xml"
        write_machine(machine, n, network, algorithms, "all-to-all" in case)
        text = make(machine) if callable(make) else f'<program name="p" ranks="{n}" library="single-ring">{make}</program>'
        program.write_text(text)
        found = json.loads(lightpath("simulate", program, machine, "--fidelity=message", "--format=json"))
        if "ASTRA_SIM" in os.environ:
            lightpath("export", "chakra", program, machine, "-o", folder / "traces")
            theirs = figures(astra(folder, n, network, algorithms))
        else:
            theirs = stored(case)
    return [{"case": case, "ranks": str(n), "network": network, "theirs_s": theirs,
             "ours_s": figures(found["simulated"]["iteration_time_s"])}]


FEW = ["all-reduce, ring", "all-to-all on a ring", "two collectives at a time", "pp 4, 1F1B"]


def difference(row):
    return float(row["ours_s"]) / float(row["theirs_s"]) - 1


def of_rows(rows):
    lines = [[row["case"], row["network"], f"{1e3 * float(row['theirs_s']):.3f}", f"{1e3 * float(row['ours_s']):.3f}",
              f"{100 * difference(row):+.2f}"] for row in rows]
    return table(["case", "network", f"ASTRA-sim {COMMIT}, ms", "ours", "more, %"], lines)


def tables(rows):
    """Where they differ by more than what ASTRA-sim rounds off, and all."""
    return of_rows([row for row in rows if abs(difference(row)) > 2e-5]) + "\n" + of_rows(rows)
