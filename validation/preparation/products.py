# SPDX-License-Identifier: Apache-2.0
"""Rows of measured matrix products and other kernels of a layer, from their shape only."""

import re

from . import collectives, sources, words
from .row import Refusal

COLUMNS = ["id", "source", "publisher", "where", "machine", "run", "seconds", "tflops", "inferred", "refused", "note"]
SIDE_MAX = 1000000000
DOMAIN_MAX = 1024  # more accelerators than any domain has
HEAD_WIDTH, FFN_WIDTHS = 128.0, 4.0
# The first prefix that fits: "fp8_e4m3" is fp8.
PRECISIONS = [("fp8-block", "fp8-block"), ("mxfp8", "mxfp8"), ("fp8", "fp8"), ("float8", "fp8"), ("fp16", "fp16"),
              ("float16", "fp16"), ("half", "fp16"), ("bf16", "bf16"), ("bfloat16", "bf16"), ("tf32", "tf32"),
              ("fp32", "fp32"), ("float32", "fp32")]
ELEMENT_BYTES = {"fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2, "fp8": 1, "fp8-block": 1, "mxfp8": 1}
# Prefixes of operators' names, in lower case and without what is no letter or digit.
OPERATORS = ("qkv qmulk amulv qproj kproj vproj woproj w1proj w2proj softmax layernorm gelu allreduce").split()


def find_number(pattern, text, usual=None):
    match = re.search(pattern, text, re.IGNORECASE)
    value = float(match.group(1)) if match else usual
    return value if value is None or 1.0 <= value <= 1e9 else usual


def layer_of(note, machine):
    """A layer in the words of a note, "h 12288, bs 8, s 2048": hidden, batch, sequence, heads, tp, whether it decodes."""
    hidden = find_number(r"\bh(?:idden)? *=? *([0-9]+)", note)
    batch = find_number(r"\b(?:bs|mb|batch) *=? *([0-9]+)", note)
    seq = find_number(r"\bs(?:eq)? *=? *([0-9]+)", note)
    if None in (hidden, batch, seq):
        raise Refusal(f'note: got "{note[:60]}", wanted a layer such as "h 12288, bs 8, s 2048"')
    heads = find_number(r"\b([0-9]+) heads", note, hidden / HEAD_WIDTH)
    tp = find_number(r"\btp *=? *([0-9]+)", machine) or find_number(r"\btp *=? *([0-9]+)", note, 1.0)
    return hidden, batch, seq, heads, tp, "decod" in note.lower()


def operator_of(note, machine):
    """An operator of a GPT layer by the name that measurements give it: its kind and its sizes."""
    at = note.find("operator ")
    if at < 0:
        raise Refusal(f'note: got "{note[:60]}", wanted sides M, N and K, a batched product, or an operator of a layer')
    word = re.match("[^ ,]*", note[at + len("operator "):]).group()
    normal = re.sub("[^a-z0-9]", "", word.lower())
    name = next((name for name in OPERATORS if normal.startswith(name)), None)
    if name is None:
        raise Refusal(f'note: got "{note[at:at + 60]}", wanted an operator such as Q_mul_K, Wo_proj, Softmax or '
                      "AllReduce_MHA")
    hidden, batch, seq, heads, tp, decodes = layer_of(note, machine)
    queries = 1.0 if decodes else seq
    tokens, own, head, sets = batch * queries, hidden / tp, hidden / heads, batch * heads / tp
    products = {"qkv": (tokens, hidden, 3.0 * own, 1.0), "qmulk": (queries, head, seq, sets),
                "amulv": (queries, seq, head, sets), "qproj": (tokens, hidden, own, 1.0),
                "kproj": (tokens, hidden, own, 1.0), "vproj": (tokens, hidden, own, 1.0),
                "woproj": (tokens, own, hidden, 1.0), "w1proj": (tokens, hidden, FFN_WIDTHS * own, 1.0),
                "w2proj": (tokens, FFN_WIDTHS * own, hidden, 1.0)}
    if name in products:
        return "product", products[name]
    elements = {"softmax": sets * queries * seq, "layernorm": tokens * hidden, "gelu": tokens * FFN_WIDTHS * own,
                "allreduce": tokens * hidden}
    return {"softmax": "softmax", "allreduce": "all-reduce"}.get(name, "elementwise"), (elements[name], tp)


def kernel_of(row):
    """Kind and sizes: of a product m, k, n and how many."""
    m, n, k = (row.count(side, 1, SIDE_MAX, 0) for side in "MNK")
    groups = row.count("groups", 1, SIDE_MAX, 1)
    if m and n and k:
        return "product", (m, k, n, groups)
    note = row.text("note")
    match = re.search(r"\b([0-9]+) ?x ?([0-9]+) ?x ?([0-9]+) ?x ?([0-9]+)\b", note)
    if match:
        batch, m, k, n = (int(side) for side in match.groups())
        return "product", (m, k, n, batch)
    return operator_of(note, row.text("gpu"))


def restate_run(row, program):
    name = words.card(row.text("gpu"), program.accelerators)
    if name is None:
        raise row.fault("gpu", 'an accelerator that "platform list" knows')
    lower = row.text("dtype").lower()
    precision = next((precision for prefix, precision in PRECISIONS if lower.startswith(prefix)), None)
    if precision is None:
        raise row.fault("dtype", "fp32, tf32, fp16, bf16, fp8, fp8-block or mxfp8")
    if row.text("kernel") not in ("", "products", "torch"):
        raise row.fault("kernel", "products or torch")
    kind, sizes = kernel_of(row)
    # In a mean over many iterations kernels queue on the device, and the host is not waited for.
    queued = "iterations" in row.text("note").lower()
    row.infer(f"accelerator {name}{'' if queued else ', one kernel at a time'}")
    if kind == "all-reduce":
        elements, ranks = sizes
        if not 2 <= ranks <= DOMAIN_MAX:
            raise Refusal(f"note: got an all-reduce among {ranks:.0f} accelerators, wanted TP=2 to TP={DOMAIN_MAX}")
        size = elements * ELEMENT_BYTES[precision]
        if not 1.0 <= size <= collectives.BYTES_MAX:
            raise Refusal(f"note: got an all-reduce of {size:g} bytes, wanted 1 to {collectives.BYTES_MAX:g}")
        return (collectives.machine_of(name, int(ranks), 1),
                f"all-reduce {int(size)}")
    machine = f"system=generic accelerators=1 accelerator={name}"
    run = (f"product m={sizes[0]:.17g} k={sizes[1]:.17g} n={sizes[2]:.17g}" if kind == "product" else
           f"{kind} elements={sizes[0]:.17g}")
    if kind == "product" and sizes[3] != 1:
        run += f" batch={sizes[3]:.17g}"
    run += f" precision={precision}"
    if row.has("kernel"):
        run += f" kernel={row.text('kernel')}"
    return machine, run + (" queued=yes" if queued else "")


def restate(row, program, models):
    """The fields of the row as a run."""
    del models
    out = {"source": row.text("source"), "publisher": sources.publisher(row.text("source")),
           "note": row.text("note")}
    if row.has("tflops"):
        out["tflops"] = row.text("tflops")
    else:
        try:
            out["seconds"] = repr(float(row.text("time_ms")) * 1e-3)
        except ValueError:
            out["seconds"] = row.text("time_ms")
    try:
        out["machine"], out["run"] = restate_run(row, program)
    except Refusal as refusal:
        out["refused"] = str(refusal)
    out["inferred"] = " | ".join(row.notes)
    return out
