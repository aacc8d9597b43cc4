#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random plans of up to 64 ranks, of every parallelism, schedule, sharding and family, on five machines
and drawn trees of rails: each valid plan ends (no deadlock), moves the bytes that the published formulas say, has terms that sum
to its time, is no shorter than its kernels, and no faster with contention than without; and where all ranks are
simulated no link carries more than it can.

The formulas are written down here again, from the papers, and share nothing with the program: those of
Anthony et al. (arXiv 2408.10197, table of volumes), Korthikanti et al. (arXiv 2205.05198, 4.2.2), Liu
et al. (arXiv 2310.01889) and Jacobs et al. (arXiv 2309.14509); docs/contention.md has them too."""
import concurrent.futures
import json
import math
import os
import random
import sys
import tempfile

import command
import link_law
import rail_trees

PLANS = int(os.environ.get("LIGHTPATH_PLANS", "4400")) // 2
SEED = int(os.environ.get("LIGHTPATH_SEED", "2026"))
MACHINES = [
    "--system=dgx-a100 --accelerators=64",
    "--system=generic --accelerators=64 --domain-size=4 --leaf-ports=8 --oversubscription=2",
    "--system=polaris --accelerators=64",
    "--system=optical-substrate --accelerators=64 --domain-size=16",
    "--system=dgx-a100 --accelerators=64 --accelerator=b200 --peak-int8=2Pf",
]
RAIL_TREE_SHARE = 0.3
# Buffers are cut at whole bytes, once in each collective.
BYTES_TOLERANCE = 1e-6
# Alone, a ring's message takes its largest block's time, and one over relays that share cards up to 0.2 % more.
CONTENTION_TOLERANCE = float(os.environ.get("LIGHTPATH_CONTENTION", "0.002"))


def listed(r, plan):
    """Layers by slice, some of them none."""
    layers = [0] * (plan["pp"] * plan["virtual-stages"])
    for _ in range(plan["layers"]):
        layers[r.randrange(len(layers))] += 1
    return ",".join(map(str, layers))


# What software does beside its plan, and does not change who sends how much: each of them now and then.
SOFTWARE = {
    "gather-lists": ["yes"], "unit-copies": ["yes"], "array-units": ["yes"], "root-unit": ["no"],
    "gather-ahead": ["pass"], "drop-gradients": ["yes"], "flat-gradients": ["yes"], "cast-shards": ["yes"],
    "gradient-buffers": ["yes"], "main-gradients": ["yes"], "triangular-softmax": ["yes"], "core-copies": ["yes"], "score-biases": ["yes"], "fused-accumulation": ["yes"], "cast-gradients": ["yes"], "fused-loss": ["yes", "native", "compiled", "liger", "chunked", "cut"], "fused-activation": ["yes"],
    "narrow-logits": ["yes"], "layer-graphs": ["routing", "attention"], "lora-rank": [8], "lora-targets": ["attention", "queries,down"], "adapter-casts": ["yes", "autocast"], "lora-dropout": ["yes"], "narrow-activations": ["yes"], "scaling": ["current"],
    "offload-inputs": ["yes"], "clamped-activation": ["yes"], "experts-eager": ["yes"], "expert-loop": ["yes"], "expert-slices": ["yes"], "tensor-hooks": ["yes"],
    "experts-one-by-one": ["yes"], "experts-kernel": ["torch"], "routing-kernels": ["3"], "routing-draws": ["layer", "iteration"],
    "attention-kernel": ["vendor", "torch", "flash-2", "flash-1", "triton", "unfused"], "separate-projections": ["gate", "yes"],
    "complex-rotary": ["yes"], "eager-rotary": ["yes"], "rotary-slices": ["yes"], "eager-norms": ["yes"], "eager-activation": ["yes"], "gelu-steps": ["yes"], "eager-softmax": ["yes"], "clip-gradients": ["yes"], "kept-steps": ["yes"], "autocast": ["yes"], "positions": ["rotary"], "layout": ["batch-first"], "norm": ["rmsnorm", "layernorm"],
    "dropout": ["yes", "no"], "overlap-tp-pairs": ["yes"], "overlap-ep": ["yes"], "host-sync": ["kernels"],
    "scatter-gather": ["yes", "outputs"], "keep-gathered": ["yes"], "input-collectives": ["apart", "sums-apart"], "parallel-loss": ["yes", "gathered"], "count-sync": ["yes"], "gradient-check": ["yes"], "first-buckets": ["yes"],
    "offload-activations": ["yes"], "narrow-attention": ["yes"], "experts-fused": ["yes"], "fused-dispatch": ["yes"], "mask-dispatch": ["yes"], "eager-dispatch": ["yes"], "head-norms": ["yes"],
    "experts-padded": ["yes"], "casts-apart": ["yes"], "scales-apart": ["yes"], "step-bytes": [4, 12], "memory-reserve": ["0B", "4GB"], "amped-efficiency": ["micro-batch"],
    "collective-checks": ["stages-apart"], "eager-optimizer": ["yes"], "shifted-logits": ["yes"], "gradient-copies": [1, 3],
}
# What changes that, too.
MOVING = {
    "mtp-layers": [1, 2], "recompute-layers": [1, "1/2", "1/3"], "early-stop": ["yes"], "repeat-heads": ["yes"],
    "dispatch-precision": ["fp8", "fp32"], "stage-layers": ["front", "with-ends", "by-weight"],
    "selective": ["alternate", "norms", "core", "qkv,norms", "ffn,projection", "attention"],
    "bias": ["yes", "no", "qkv"], "bucket": ["by-replicas", "100kB"], "overlap-fraction": [0.5],
}


def add(r, plan, choices, share):
    """Some of @choices, whatever the plan says of them."""
    for name, values in choices.items():
        if r.random() < share:
            plan[name] = r.choice(values)
    return plan


def draw(r):
    """A plan; many are refused."""
    c = r.choice
    tp, cp, dp, pp = c([1, 1, 2, 4]), c([1, 1, 1, 2, 4]), c([1, 2, 4, 8]), c([1, 1, 2, 4])
    if tp * cp * dp * pp > 64:
        return None
    plan = {"hidden": 512, "heads": 8, "ffn": 2048, "seq": c([512, 1024]), "vocab": 1024,
            "layers": c([4, 8, 9]), "tp": tp, "cp": cp, "dp": dp, "pp": pp,
            "kv-heads": c([8, 8, 4, 2]), "attention": c(["flash", "unfused"]),
            "ffn-kind": c(["gelu", "swiglu"]), "sequence-parallel": c(["yes", "no"]), "cp-kind": c(["ring", "ulysses", "gather", "gathered-ring"]),
            "recompute": c(["none", "light", "selective", "full"]),
            "tied-embeddings": c(["yes", "no"]), "embedding": c(["yes", "yes", "no"]), "parallel-blocks": c(["no", "no", "no", "yes"]),
            "schedule": c(["gpipe", "1f1b", "1f1b", "interleaved", "zero-bubble", "dualpipe"])}
    v = c([2, 2, 3]) if plan["schedule"] == "interleaved" else 1
    b, m = c([1, 2]), c([1, 2, 4, 8])
    if plan["schedule"] == "dualpipe":
        m = max(m, 2 * pp)
    if v > 1:
        m = max(1, m // pp) * pp
    plan.update({"virtual-stages": v, "micro-batch": b, "global-batch": b * m * dp})
    if r.random() < 0.2:
        plan.update({"window": 128, "window-every": c([1, 2])})
    if r.random() < 0.15:
        plan.update({"kv-rank": 64, "query-rank": c([0, 96]), "rope-width": 32, "head-width": 64, "kv-heads": 8})
    if r.random() < 0.4:
        plan.update({"experts": 16, "top-k": c([1, 2, 4]), "expert-ffn": c([512, 1024]),
                     "shared-experts": c([0, 1]), "ep": c([1, 2, 4, 8, 16]),
                     "expert-every": c([1, 2]), "dense-layers": c([0, 1]),
                     "capacity-factor": c([0, 0, 1.25]), "skew": c([0, 0, 0.5]),
                     "seed": r.randrange(1000)})
        if r.random() < 0.3:
            plan.update({"expert-groups": 4, "group-limit": 2})
        if r.random() < 0.3:
            plan["expert-tp"] = 1
        if r.random() < 0.4:
            plan["ep-relay"] = c([2, 4])
    zero = c([0, 0, 1, 2, 3])
    plan.update({"zero": zero, "prefetch": c([0, 1, 3])})
    if zero and r.random() < 0.3:
        plan["shard-degree"] = c([1, 2, 4])
    if zero in (1, 2) and r.random() < 0.3:
        plan["zero-variant"] = "deepspeed"
    if zero in (1, 2) and not plan.get("experts") and r.random() < 0.3:
        plan["parameter-gather"] = "broadcast"
    if zero == 3:
        plan["reshard"] = c(["yes", "no"])
        if r.random() < 0.4:
            plan.update({"gather-unit": "tensor", "live-parameters": c([0, 1e5, 2e6, 1e7, 1e9]),
                         "gather-bucket": c([0, 1e6, 1e8])})
    sync = r.random()
    if sync < 0.45:
        plan["gradient-sync"] = "each" if sync < 0.3 else "last"
    plan.update({"overlap-dp": c(["yes", "no"]), "overlap-tp": c(["no", "bulk", "yes"]),
                 "overlap-pp": c(["yes", "no"]),
                 "overlap-param": c(["yes", "no"]) if zero else "no",
                 "bucket": c(["all", "1MB", "10MB", "1000000-parameters"]), "slowdown": c([1, 1, 1.2]),
                 "cuda-graphs": c(["yes", "no"]), "placement": c(["packed", "packed", "scattered"]),
                 "stage-layers": c(["even", "even", "balanced", listed(r, plan)]),
                 "host-sync": c(["none", "messages", "passes"]),
                 "kernels": c(["fused", "fused", "eager"]),
                 "rank-order": c(["tp-cp-ep-dp-pp", "tp-cp-ep-dp-pp", "tp-cp-pp-ep-dp",
                                  "tp-cp-dp-ep-pp", "dp-tp-cp-ep-pp"]),
                 "precision": c(["bf16", "fp16", "fp32", "tf32"] +
                                (["fp8", "fp8-block", "mxfp8", "nvfp4", "int8"] if r.random() < 0.5 else [])),
                 "narrow-parameters": c(["yes", "no"]),
                 "gradient-precision": c(["fp32", "bf16", "fp16"]),
                 "communication-precision": c(["auto", "auto", "auto", "fp8", "fp32", "bf16"]),
                 "optimizer": c(["adam", "sgd", "adam-8bit", "adam-bf16", "none"])})
    return add(r, plan, SOFTWARE, c([0, 0.1, 0.3]))


def possible(plan):
    """@plan without what is always refused, and most often: as many plans as possible are to run."""
    if plan["pp"] == 1 and plan["schedule"] in ("interleaved", "dualpipe"):
        plan.update({"schedule": "1f1b", "virtual-stages": 1})
    while plan["tp"] * plan["cp"] * plan["dp"] % plan.get("ep", 1):
        plan["ep"] //= 2
    if plan.get("ep", 1) % plan.get("ep-relay", 1):
        del plan["ep-relay"]
    if plan.get("ep", 1) == 1 or plan.get("host-sync") == "kernels":
        plan.pop("overlap-ep", None)
    if plan.get("host-sync") == "kernels":
        plan.update({f"overlap-{name}": "no" for name in ("dp", "tp", "pp", "param")})
    if plan.get("experts", 0) or plan["parallel-blocks"] == "yes":
        plan.pop("input-collectives", None)
    if plan["tp"] > plan["kv-heads"]:
        plan.update({"kv-heads": 8} if plan.get("separate-projections") == "yes" else {"kv-division": "gathered"})
    if "input-collectives" in plan:
        plan.update({"separate-projections": "yes", "overlap-tp": "no"})
    return plan


class Volumes:
    """Bytes on the wire over all ranks, by class, as the formulas say."""

    def __init__(self, p):
        self.p = p
        self.tp, self.cp, self.dp, self.pp = p["tp"], p["cp"], p["dp"], p["pp"]
        self.ranks = self.tp * self.cp * self.dp * self.pp
        self.m = p["global-batch"] // (p["micro-batch"] * self.dp)
        self.x = 4 if p["precision"] in ("fp32", "tf32") else 2
        self.wire = {"fp8": 1, "bf16": 2, "fp32": 4}.get(p["communication-precision"], self.x)
        # An operand with its scales: fp32 for 128, a byte for 32 or for 16; weights in mxfp8 are
        # gathered in 16 bits.
        operand, weight = {"fp8": (1, 1), "fp8-block": (1 + 4 / 128, 1),
                           "mxfp8": (1 + 1 / 32, 2), "nvfp4": (0.5 + 1 / 16, 0.5 + 1 / 16),
                           "int8": (1, 2)}.get(p["precision"], (self.x, self.x))
        self.gathered = operand if p["communication-precision"] == "auto" else self.wire
        self.layer_x = weight if p["narrow-parameters"] == "yes" else self.x
        self.tokens = p["micro-batch"] * p["seq"] / self.cp
        self.a = self.tokens * p["hidden"] * self.wire
        self.sp = p["sequence-parallel"] == "yes"
        self.mla = p.get("kv-rank", 0) > 0
        self.e = p.get("experts", 0)
        self.ep = p.get("ep", 1)
        inner = self.tp * self.cp * self.dp
        self.etp = p.get("expert-tp") or (self.tp if (self.cp * self.dp) % self.ep == 0 else 1)
        self.edp = inner // (self.ep * self.etp) if self.e else 1
        self.dual = p["schedule"] == "dualpipe"
        self.full = p["recompute"] == "full"
        every, dense = p.get("expert-every", 1), p.get("dense-layers", 0)
        self.moe = [bool(self.e) and i >= dense and (i - dense) % every == every - 1
                    for i in range(p["layers"])]
        self.slots = p.get("top-k", 0) * (p.get("capacity-factor", 0) or 1)

    def tensor(self):
        """All-reduces of A (or their halves): 2 a layer and pass, a half more for each block under
        sequence parallelism, whose gathers are of operands; blocks side by side share them."""
        block = 2.0 + (1.0 if self.full else 0.0)
        if self.sp:
            block *= 0.5
            again = 0.0 if self.p.get("keep-gathered") == "yes" else 0.5
            block += (block + again) * self.gathered / self.wire
        per_micro_batch = 0.0
        for moe in self.moe:
            if moe:
                n = block + (block if not self.sp or self.p.get("shared-experts", 0) else 0.0)
                if self.sp and self.etp > 1:
                    per_micro_batch += (3.0 if self.full else 2.0) * self.slots
            else:
                n = block * (1.0 if self.p["parallel-blocks"] == "yes" else 2.0) + self.inputs_apart()
            per_micro_batch += n
        if self.p.get("kv-division") == "gathered":  # also queries, keys and values, and back
            per_micro_batch += 0.5 * (3 if self.full else 2) * (1 + self.p["kv-heads"] / 4) * len(self.moe)
        # Each all-reduce moves 2 (t-1)/t A from each of t ranks, on each replica of the layers once. Parts
        # of messages are gathered on arrival, and those that were kept once more.
        parts = {"no": 0, "yes": 2, "outputs": 3}[self.p.get("scatter-gather", "no")] * (not self.sp)
        gathers = parts * (self.pp * self.p["virtual-stages"] - 1)
        self.parameters()
        own = self.whole * (2 if self.p["gradient-precision"] != "fp32" else 4) if self.sp else 0.0
        return ((2 * per_micro_batch + gathers) * self.a * self.m + 2 * own * (2 if self.dual else 1)) * (
            self.tp - 1) * self.dp * self.cp

    def inputs_apart(self):
        """Of these, those that a dense layer's products do not share: sums of the gradients of their inputs, and
        gathers of these, forward, in recomputation and for the gradients of weights."""
        inputs = self.p.get("input-collectives", "shared")
        if inputs == "shared":
            return 0.0
        more = 3.0 if self.p["ffn-kind"] == "swiglu" else 2.0
        if not self.sp:
            return more
        times = 1.0 + (1.0 if self.full else 0.0) + (0.0 if self.p.get("keep-gathered") == "yes" else 1.0)
        return 0.5 * more * (1.0 + (times * self.gathered / self.wire if inputs == "apart" else 0.0))

    def pipeline(self):
        slices = self.pp * self.p["virtual-stages"]
        share = self.tp if self.sp or self.p.get("scatter-gather", "no") != "no" else 1
        return 2 * self.m * (slices - 1) * self.a / share * self.tp * self.cp * self.dp

    def places(self, experts, n):
        """Of @n that share @experts those that some of top-k different ones, drawn evenly, stand on."""
        k = self.p["top-k"]
        return n * (1 - math.comb(experts - experts // n, k) / math.comb(experts, k))

    def experts(self):
        """Two exchanges a pass: (n-1)/n k b s h from each rank; limited to M of G nodes,
        (G-1)/G M, and (n/G-1)/(n/G) of a copy for each rank with experts of the token."""
        if not self.e:
            return 0.0
        own = self.a / (self.tp if self.sp else 1)
        groups, limit = self.p.get("expert-groups", 1), self.p.get("group-limit", 1)
        relay = self.p.get("ep-relay", 1)
        if limit < groups and self.ep % groups == 0:
            copies, ranks = limit, self.places(self.e * limit // groups, self.ep * limit // groups)
        elif relay > 1:  # as many parts as its experts, drawn evenly, hit
            groups = relay
            copies, ranks = self.places(self.e, relay), self.places(self.e, self.ep)
        else:
            groups = 1
        if groups > 1:
            node = self.ep // groups
            volume = (groups - 1) / groups * min(self.slots, copies) + (node - 1) / node * min(self.slots, ranks)
        else:
            volume = (self.ep - 1) / self.ep * self.slots
        passes = 3 if self.full else 2
        return 2 * passes * sum(self.moe) * self.m * volume * own * self.tp * self.cp * self.dp

    def context(self):
        p = self.p
        if self.mla:
            q = k = 8 * (64 + p["rope-width"]) / self.tp
            v = o = 8 * 64 / self.tp
        else:
            q = o = p["hidden"] / self.tp
            k = v = p["hidden"] / 8 * max(p["kv-heads"] / self.tp, 1)
        local = self.tokens * self.wire
        unfused = "unfused" in (p["attention"], p.get("attention-kernel"))
        again = self.full or (p["recompute"] == "selective" and unfused)
        if p["cp-kind"] != "ulysses":
            # n-1 steps of keys and values; backward of their gradients too, or n in fp32
            volume = (self.cp - 1) * local * (k + v) * (2 + (1 if again else 0))
            home = p["cp-kind"] == "gathered-ring" and self.cp > 1
            volume += self.cp * self.tokens * 4 * (k + v) if home else (self.cp - 1) * local * (k + v)
        else:
            passes = 3 if self.full else 2
            # A head of keys and values at least for each rank.
            copies = 1 if self.mla else max(self.cp / max(p["kv-heads"] / self.tp, 1), 1)
            volume = (self.cp - 1) / self.cp * local * (q + copies * (k + v) + o) * passes
        return volume * p["layers"] * self.m * self.tp * self.cp * self.dp

    def parameters(self):
        """Of layers, of embedding and head: dense over tp, or whole; experts over ep and their tp."""
        p = self.p
        h, f, fe, gpt = p["hidden"], p["ffn"], p.get("expert-ffn", 0), p["ffn-kind"] == "gelu"
        matrices = 2 if gpt else 3
        norm = (2 if p.get("norm", "layernorm" if gpt else "rmsnorm") == "layernorm" else 1) * h
        if self.mla:
            width = 8 * (64 + p["rope-width"])
            queries = p["query-rank"] * (h + width) if p["query-rank"] else h * width
            attention = (queries + h * (p["kv-rank"] + p["rope-width"])
                         + p["kv-rank"] * 8 * 128 + 8 * 64 * h + p["query-rank"] + p["kv-rank"])
            biases = 2 * width + 8 * 64 + h
        else:
            kv = h / 8 * p["kv-heads"]
            attention = 2 * h * h + 2 * h * kv
            biases = h + 2 * kv + h
        attention += biases if gpt else 0

        def ffn(width):
            return matrices * h * width + ((matrices - 1) * width + h if gpt else 0)
        latent = (h + 1) * (p["query-rank"] + p["kv-rank"]) + h * p["rope-width"] if self.mla else 0
        dense = experts = whole = 0.0
        for moe in self.moe:
            dense += attention + 2 * norm
            n_biases = 1 + (p.get("shared-experts", 0) if moe else 1) if gpt else 0
            whole += 2 * norm + latent + h * (n_biases + self.e * moe)
            if moe:
                dense += h * self.e + p.get("shared-experts", 0) * ffn(fe)
                experts += self.e * ffn(fe)
            else:
                dense += ffn(f)
        ends = whole_ends = 0.0
        self.whole = whole + (norm if p["embedding"] == "yes" else 0)
        if p["embedding"] == "yes":
            places = 0 if p.get("positions") == "rotary" else p["seq"]
            whole_ends = places * h + norm
            # Of tied ones the last stage has a copy.
            copies = 0 if p["tied-embeddings"] == "no" or (self.pp > 1 and not self.dual) else -1
            ends = whole_ends + p["vocab"] * h * (2 + copies)
        return (whole + (dense - whole) / self.tp, whole_ends + (ends - whole_ends) / self.tp,
                (experts / self.etp + (1 - 1 / self.etp) * sum(self.moe) * self.e * h * gpt) / self.ep)

    def matrices(self):
        """Of all layers, over tp: of attention, and of networks that are no experts."""
        p = self.p
        h, kv = p["hidden"], p["hidden"] / 8 * p["kv-heads"]
        attention = 2 * h * h + 2 * h * kv
        if self.mla:
            width = 8 * (64 + p["rope-width"])
            attention = (p["query-rank"] or h) * width + p["kv-rank"] * 8 * 128 + 8 * 64 * h
            attention += self.tp * h * (p["query-rank"] + p["kv-rank"] + p["rope-width"])
        ffn = (2 if p["ffn-kind"] == "gelu" else 3) * h * p["ffn"]
        return (attention * len(self.moe) + ffn * (len(self.moe) - sum(self.moe))) / self.tp

    def norms(self):
        """What no gather tensor by tensor has: norms and biases of layers without experts, over tp."""
        alone = Volumes({**self.p, "experts": 0})
        return (alone.parameters()[0] - alone.matrices()) * (1 - sum(self.moe) / len(self.moe))

    def gathers(self, each):
        """How often all parameters are gathered."""
        zero, kept = self.p["zero"], self.p.get("reshard") == "no"
        if kept and self.pp > 1 and not each:
            return 1  # parameters stay from the first forward to the last backward pass
        return {0: 0, 1: 1, 2: 1, 3: self.m * (1 if kept else 2)}[zero]

    def data(self):
        """ZeRO's table: an all-reduce is 2 (n-1)/n P g from each rank, its halves one each. At least and at
        most: tensor by tensor, what is used again soon stays behind a forward pass."""
        p = self.p
        dense, ends, experts = self.parameters()
        g = 2 if p["gradient-precision"] != "fp32" else 4
        n = self.dp * self.cp * (2 if self.dual else 1)
        shard = p.get("shard-degree", 0) or n
        edp = self.edp * (2 if self.dual else 1)
        zero = p["zero"]
        each = p.get("gradient-sync", "each" if zero == 3 else "last") == "each"
        sums = (self.m if each else 1) * (2 if zero == 0 or p.get("zero-variant") == "deepspeed" else 1)
        gathers = self.gathers(each)
        tensors = p.get("gather-unit") == "tensor"
        stays, again = self.norms() if tensors else 0.0, self.matrices() if tensors and self.full else 0.0

        # A group of n ranks moves 2 (n-1) bytes for each byte it sums; slices are on pp ranks, or two.
        def volume(times, more):
            layers = times * (dense - stays) + more
            common = [(dense, layers, self.layer_x), (ends, times * ends, self.x)]
            apart = [(experts, times * experts, self.layer_x)]
            if p.get("shard-degree", 0):
                common, apart = common + apart, []
            return (sum(self.tp * n // shard * (shard - 1) * (summed * sums * g + gathered * x)
                        for summed, gathered, x in common)
                    + sum(self.ep * self.etp * (edp - 1) * (summed * sums * g + gathered * x)
                          for summed, gathered, x in apart)
                    + self.tp * shard * 2 * (n // shard - 1) * sum(part[0] for part in common) / shard * g
                    * (self.m if each else 1))
        if p.get("reshard") == "no":
            # Where several micro-batches are under way a backward pass may find nothing left, and gathers itself.
            return volume(gathers, 0.0), volume(gathers, (gathers - 1) * again)
        # A pass that computes again uses each matrix once more.
        most = volume(gathers, gathers / 2 * again)
        least = volume(min(gathers, self.m), 0.0) if tensors and p["live-parameters"] > 0 else most
        return least, most

    def embedding(self):
        """A divided vocabulary's: two all-reduces of A, or their halves, a half more where the head gathers
        again; for the loss, three of 4 bytes a token. And gradients of a table that two stages hold."""
        p = self.p
        if p["embedding"] == "no":
            return 0.0
        volume, summed = 2 * self.a, p.get("parallel-loss") == "yes"
        if p.get("parallel-loss") == "gathered":
            volume += 0.5 * self.tokens * p["vocab"] * self.x
        if summed:
            volume += 3 * 4 * self.tokens
            if self.sp and p.get("keep-gathered") != "yes":
                volume += 0.5 * self.a
        total = 2 * (self.tp - 1) * volume * self.m * self.dp * self.cp
        if p["tied-embeddings"] == "yes" and self.pp > 1 and not self.dual:
            g = 2 if p["gradient-precision"] != "fp32" else 4
            total += 2 * p["vocab"] * p["hidden"] * g * self.dp * self.cp
        return total

    def all(self):
        return {"embedding": self.embedding(), "tp": self.tensor(), "pp": self.pipeline(), "ep": self.experts(),
                "cp": self.context(), "dp": self.data()}


def faults(plan, result):
    """What is wrong with a result: a list of sentences."""
    found = []
    time_s = result["simulated"]["iteration_time_s"]
    terms = result["simulated"]["terms_s"]
    if abs(sum(terms.values()) - time_s) > 1e-9 * time_s:
        found.append(f"terms sum to {sum(terms.values())}, not {time_s}")
    if min(terms.values()) < -1e-9 * time_s:
        found.append(f"a negative term: {terms}")
    kernels_s = result["closed_form"]["terms_s"]["compute"]  # of the mean stage, so of some stage
    if time_s < kernels_s * (1 - 1e-9):
        found.append(f"{time_s} s is shorter than its kernels, {kernels_s} s")
    alone_s = result["simulated"]["uncontended_iteration_time_s"]
    if alone_s > time_s * (1 + CONTENTION_TOLERANCE):
        found.append(f"uncontended {alone_s} s, contended {time_s} s")
    # What adapters send, test_lora.py holds.
    for name, wanted in ({} if "lora-rank" in plan else Volumes(plan).all()).items():
        got = result["traffic_bytes"][name]
        least, most = wanted if isinstance(wanted, tuple) else (wanted, wanted)
        slack = BYTES_TOLERANCE * most + 4096
        if not least - slack <= got <= most + slack:
            found.append(f"{name}: {got} bytes, wanted {least:.0f} to {most:.0f}")
    return found


def run(task):
    plan, machine, options = task
    line = ["simulate", "gpt3-175b", machine, "--format=json", "--ignore-memory",
            "--framework=none", "--set=library=single-ring", *options]
    line += [f"--set={name}={value}" for name, value in plan.items()]
    with tempfile.TemporaryDirectory(prefix="lightpath-") as folder:
        tables = os.path.join(folder, "tables")
        by_ranks = "--collapse=off" in options
        done = command.run(*line, *[f"--csv={tables}"] * by_ranks, timeout=300)
        if done.returncode == 1 and done.stderr.count("\n") == 1 and ("wanted" in done.stderr or " ... " in done.stderr):
            return False, []
        if done.returncode != 0:
            return True, [f"exit {done.returncode}: {done.stderr}"]
        result = json.loads(done.stdout)
        found = faults(plan, result)
        if by_ranks and link_law.holds(plan):
            fault = link_law.fault(tables, result["simulated"]["iteration_time_s"])
            found += [] if fault is None else [fault]
    return True, ["lightpath " + " ".join(line) + ": " + fault for fault in found]


def main():
    r = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="lightpath-") as folder:
        machines = rail_trees.Machines(folder)
        tasks = []
        while len(tasks) < PLANS:
            plan = draw(r)
            if plan is None:
                continue
            options = []
            if r.random() < 0.15:
                options.append("--fidelity=message")
            if r.random() < 0.15:
                options.append("--collapse=off")
            tasks.append((possible(plan), machines.draw(r, MACHINES, RAIL_TREE_SHARE), options))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(run, tasks))
    n_run = sum(valid for valid, _ in results)
    complaints = [fault for _, found in results for fault in found]
    for complaint in complaints[:20]:
        print(complaint)
    print(f"{n_run} of {PLANS} plans are valid; {len(complaints)} faults")
    return 0 if not complaints and n_run > PLANS / 3 else 1


if __name__ == "__main__":
    sys.exit(main())
