# SPDX-License-Identifier: Apache-2.0
"""What a row of measured training says in words, beyond its columns."""

import math
import re

from . import words
from .row import COUNT_MAX, Refusal

FORWARD_SHARE = 1.0 / 3.0  # forward FLOP over those of all passes, where nothing is recomputed
DOMAIN_USUAL = 8  # accelerators of a domain where a row does not state them
BEFORE = ("no ", "not ", "without ", "w/o ")
BEHIND = ("=false", "=no", "=off", "=0", " off", ": false", ": no")


def says(row, word, column="note"):
    """Whether @column has @word, and not between words that deny it."""
    text = row.text(column)
    at = text.find(word)
    return (at >= 0 and not text[:at].lower().endswith(BEFORE)
            and not text[at + len(word):].lower().startswith(BEHIND))


def number_behind(row, word):
    """The number behind @word in the note, or 0."""
    _, found, rest = row.text("note").partition(word)
    match = re.match(r"\s*\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", rest) if found else None
    number = float(match.group()) if match else 0.0
    return number if math.isfinite(number) else 0.0


def take_compiler(self):
    if says(self.row, "torch.compile"):
        if self.settings.get("kernels") != "fused":
            self.row.infer("kernels fused: torch.compile is stated")
            self.settings["kernels"] = "fused"
    elif (self.program.default(self.settings, "kernels") == "fused" and "kernels" not in self.settings and
          re.search(r"(?<![-a-z])(?:eager|torch\.compile)(?![-a-z])", self.row.text("note").lower())):
        self.row.infer("kernels eager: the note says that nothing is compiled")
        self.settings["kernels"] = "eager"


def take_liger(self):
    """Its kernels take the place of norms, rotary positions and the loss of transformers' models (linkedin/Liger-Kernel,
    src/liger_kernel/transformers/monkey_patch.py: apply_liger_kernel_to_llama)."""
    if not says(self.row, "Liger") and not says(self.row, "liger"):
        return
    if not self.settings.get("framework", "").startswith("transformers"):
        return
    self.row.infer("fused-loss, norms and rotary positions fused: Liger is stated")
    for name, value in (("fused-loss", "liger"), ("fused-activation", "yes"), ("eager-norms", "no"), ("rotary-slices", "no"), ("eager-rotary", "no")):
        self.settings.setdefault(name, value)


# Settings that stand for operations one by one, and the words of what a kernel does in their place.
FUSED = [("eager-norms", "norm"), ("eager-rotary", "rope|rotary"), ("rotary-slices", "rope|rotary"),
         ("eager-activation", "swiglu|geglu|activation")]


def take_fused(self):
    """"fused RMSNorm, rotary positions and cross-entropy", "use_fused_rope": kernels that a note names up to the next
    semicolon or full stop take the place of what the framework runs one by one."""
    note = self.row.text("note").lower()
    named = " ".join(found[1] for found in re.finditer(r"(?<![a-z])fused[-_ ]([^;.]*)", note)
                     if not note[:found.start()].removesuffix("use_").endswith(BEFORE))
    kernels = self.settings.get("kernels", self.program.default(self.settings, "kernels") or "fused")
    settings = dict(self.settings, kernels=kernels)
    changes = [(name, "no") for name, said in FUSED
               if re.search(said, named) and self.program.default(settings, name) == "yes"]
    if re.search("loss|cross.?entropy", named) and self.program.default(settings, "fused-loss") is None:
        changes.append(("fused-loss", "yes"))
    changes = [(name, value) for name, value in changes if name not in self.settings]
    if changes:
        self.row.infer(f"{' '.join(f'{name}={value}' for name, value in changes)}: fused kernels are stated")
        self.settings.update(changes)


def take_attention_kernel(self):
    """Whose kernel of attention the note names."""
    found = words.KERNEL.search(self.row.text("note"))
    if found is not None and self.settings.get("attention") == "flash" and "attention-kernel" not in self.settings:
        self.put("note", "attention", found.group())


def stated_shards(row):
    """Replicas that share states by the note's words; 0: it has none."""
    if says(row, "HSDP"):
        try:
            return row.count("accelerators_per_domain", 1, COUNT_MAX, DOMAIN_USUAL, words_too=True, quiet=True)
        except Refusal:
            pass
    stated = number_behind(row, "zero1=")
    return int(stated) if stated <= COUNT_MAX else 0


def take_shards(self):
    replicas, shards = self.number("dp") * self.number("cp"), stated_shards(self.row)
    if (shards == 0 or shards >= replicas or replicas % shards or self.settings.get("zero") == "0" or
            "shard-degree" in self.settings):
        return
    self.row.infer(f"shard-degree {shards}: its note says how many replicas share states")
    self.settings["shard-degree"] = str(shards)


def take_relay(self):
    """Both send a token once to each domain that has one of its experts (deepseek-ai/DeepEP, README.md: forwarding
    between NVLink and RDMA domains; HybridEP is its later form)."""
    name = None
    for one in ("DeepEP", "HybridEP"):
        if says(self.row, one) or says(self.row, one, "overlap"):
            name = one
    if name is not None and self.number("ep") > 1 and "ep-relay" not in self.settings:
        self.row.infer(f"ep-relay domains: {name} is stated")
        self.settings["ep-relay"] = "domains"


def take_folding(self):
    """Parallel folding leaves experts whole, whatever tp divides beside them; the plans that it is compared with, "TP+EP"
    and "FSDP+EP" among them, divide experts as all else (arXiv 2504.14960, section 3)."""
    divides = self.number("tp") > 1 and self.number("ep") > 1 and self.settings.get("sequence-parallel") == "yes"
    if not divides or "expert-tp" in self.settings:
        return
    coupled = re.search(r"expert TP = TP|(?:TP|FSDP) ?\+ ?EP", self.row.text("note"))
    if coupled is not None:
        self.row.infer(f'expert-tp {self.settings["tp"]}: "{coupled.group()}" is stated')
        self.settings["expert-tp"] = self.settings["tp"]
    elif says(self.row, "folding"):
        self.row.infer("expert-tp 1: folding is stated")
        self.settings["expert-tp"] = "1"


def hundredths_again(self):
    """The share of layers whose forward pass hardware FLOP have once more, in hundredths; 0 where that is not said, or
    selective recomputation has scores to compute."""
    model, hardware = number_behind(self.row, "MFU "), number_behind(self.row, "HFU ")
    if (model == 0.0 or hardware <= model or self.row.text("recompute") != "selective" or
            self.settings.get("attention") != "flash"):
        return 0
    return math.floor(100.0 * min(1.0, (hardware / model - 1.0) / FORWARD_SHARE) + 0.5)


def take_recomputed_layers(self):
    hundredths = hundredths_again(self)
    if hundredths:
        self.settings["recompute-layers"] = f"{hundredths}/100"
        self.row.infer(f"recompute full of {hundredths}/100 of the layers: by hardware over model FLOP")


def take_policy(self):
    """What the source calls recomputation, where that says more than column recompute does."""
    stated = self.row.text("recompute_as_stated")
    parts, name = words.policy(stated)
    if parts is None or "selective" in self.settings:
        return
    self.row.infer(f'recompute selective of {parts}: what "{name}" does not keep')
    self.settings["selective"] = parts
    if "layer input and" in stated:
        self.settings.setdefault("offload-inputs", "yes")


def take_numbers(self):
    """Numbers of the shape for which there is no column."""
    for word, attribute in (("capacity factor ", "capacity-factor"), ("head_dim ", "head-width")):
        number = number_behind(self.row, word)
        if number and attribute not in self.settings:
            self.settings[attribute] = f"{number:.4g}"
            self.row.infer(f"{attribute} {number:.4g}: its note says so")


def take_dropped_tokens(self):
    """Megatron-Bridge's recipes that drop tokens cut experts' buffers at their mean load and fill them up to it
    (src/megatron/bridge/training/utils/moe_token_drop.py: apply_moe_token_drop)."""
    model = self.row.text("model").lower()
    if any(word in model for word in ("tokendrop", "token drop", "token-drop")):
        if "capacity-factor" not in self.settings:
            self.row.infer("capacity-factor 1: the model's name says that tokens are dropped")
            self.settings["capacity-factor"] = "1"


def take(self):
    for rule in (take_compiler, take_liger, take_fused, take_attention_kernel, take_shards, take_relay, take_folding,
                 take_recomputed_layers, take_policy, take_numbers, take_dropped_tokens):
        rule(self)


def recompute(self):
    """The attribute that column recompute means, with what is said beside it."""
    if hundredths_again(self) > 0:
        return "full"
    if words.policy(self.row.text("recompute_as_stated"))[0] is not None:
        return "selective"
    return self.row.text("recompute")
