# SPDX-License-Identifier: Apache-2.0
"""Sizes that do not divide, made to."""

import math


def take(self, name, size, why):
    self.row.infer(f"{name} {size}: {self.number(name)} {why}")
    self.settings[name] = str(size)


def pad(self, name, block, why):
    size = self.number(name)
    if name in self.settings and block > 0 and size % block:
        take(self, name, -(-size // block) * block, why)


def pad_heads(self):
    """Heads keep their width."""
    heads, hidden, tp = self.number("heads"), self.number("hidden"), self.number("tp")
    if "heads" not in self.settings or heads == 0 or tp == 0 or heads % tp == 0 or hidden % heads:
        return
    self.settings.setdefault("head-width", str(hidden // heads))
    shares = "kv-heads" in self.settings and self.number("kv-heads") != heads
    pad(self, "heads", tp, "do not divide by tp")
    if not shares:
        self.settings["kv-heads"] = self.settings["heads"]


def suits(kv_heads, heads, tp):
    return heads % kv_heads == 0 and (kv_heads % tp == 0 or tp % kv_heads == 0)


def pad_kv_heads(self):
    heads, tp, kv = self.number("heads"), self.number("tp"), self.number("kv-heads")
    if not {"kv-heads", "heads"} <= self.settings.keys() or kv == 0 or tp == 0 or suits(kv, heads, tp):
        return
    size = next((size for size in range(kv, heads) if suits(size, heads, tp)), max(heads, kv))
    if size != kv:
        take(self, "kv-heads", size, "neither divide tp nor are divided by it, or do not divide heads")


def limit_experts(self):
    """Experts lie on ranks of tp, cp and dp."""
    ep, experts = self.number("ep"), self.number("experts")
    if ep < 2 or "experts" not in self.settings:
        return
    most = math.gcd(ep, experts, self.number("tp") * self.number("cp") * self.number("dp"))
    if most != ep:
        take(self, "ep", most, "divides neither the experts nor the ranks")


def pad_sizes(self):
    """The fullest replica decides when a step ends."""
    pad_heads(self)
    pad_kv_heads(self)
    pad(self, "ffn", self.number("tp"), "do not divide by tp")
    block = self.number("cp") * (1 if self.settings.get("sequence-parallel") == "no" else self.number("tp"))
    for name in ("seq", "decoder-seq"):
        pad(self, name, block, "do not divide over tp and cp")
    limit_experts(self)
    pad(self, "global-batch", self.number("dp"), "do not divide by dp")


def padded(own, micro_batch):
    """Sequences of a replica's batch with the last pass as long as the others."""
    return -(-own // micro_batch) * micro_batch


def least_padded(own, most):
    """The size from half of @most to @most by which @own sequences are padded least; of several the largest. Sizes, or
    the numbers of passes that they make, are gone through: whichever are fewer."""
    least = (most + 1) // 2
    if most >= own:
        return max(own, least)
    if most <= own // most:
        sizes = range(most, least - 1, -1)
    else:
        sizes = (min(max(-(-own // n), least), most) for n in range(own // most, own // least + 2))
    chosen = most
    for size in sizes:
        if padded(own, size) < padded(own, chosen):
            chosen = size
    return chosen


def micro_batch(self, stated):
    """@stated, or what is nearest to it of which a replica's batch is a multiple."""
    dp = max(self.number("dp"), 1)
    own = self.number("global-batch") // dp
    if own == 0 or own % stated == 0:
        return stated
    chosen = min(least_padded(own, stated), own)
    self.row.infer(f"micro-batch {chosen}: a replica's {own} sequences are no multiple of {stated}")
    if own % chosen:
        take(self, "global-batch", padded(own, chosen) * dp, "do not divide by the micro-batch")
    return chosen
