# SPDX-License-Identifier: Apache-2.0
"""The rules by which a row of measured training becomes the attributes of a workload."""

import math
import re

from . import framework, padding, phrases, words
from .row import HOSTS_MAX, Refusal, count_of

HEAD_WIDTH = 128  # the usual width of a head, where none is stated

# Columns that are attributes of a workload under another name, and what an empty one means.
COLUMNS = [("layers", "layers", None), ("hidden", "hidden", None), ("heads", "heads", None),
           ("kv_heads", "kv-heads", None), ("ffn", "ffn", None), ("ffn_kind", "ffn-kind", None),
           ("vocab", "vocab", None), ("tied", "tied-embeddings", None), ("seq", "seq", None),
           ("experts", "experts", None), ("attention", "attention", None), ("tp", "tp", "1"), ("pp", "pp", "1"),
           ("cp", "cp", "1"), ("ep", "ep", "1"), ("virtual_stages", "virtual-stages", None), ("zero", "zero", None),
           ("global_batch", "global-batch", None)]
NEEDED = [("hidden", "hidden", "the width of the model"), ("seq", "seq", "tokens of a sequence"),
          ("global_batch", "global-batch", "sequences of an iteration")]
# What may not stand in column "set", since it has a column; of the last two a setting may say what frameworks decide.
OWN_COLUMNS = set("framework layers hidden heads kv_heads ffn ffn_kind vocab tied seq experts attention tp pp dp cp ep "
                  "precision virtual_stages micro_batch global_batch recompute zero sequence_parallel".split())
HABITS = ("zero", "sequence_parallel")


class Restatement:
    """A row on its way: its settings so far, in their order."""

    def __init__(self, row, program, models):
        self.row, self.program, self.models = row, program, models
        self.settings = {}
        self.is_layer = row.text("kind") == "layer"
        self.model = models.find(row.text("model"))
        self.shares_open = self.runs_as_stated = False
        self.machine = None
        self.framework_defaults = set()  # settings that stand for what the framework decides anyway

    def number(self, name):
        """A setting as a number; 1 where nothing is said."""
        return count_of(self.settings[name]) if name in self.settings else 1

    def put(self, column, name, value):
        """Sets an attribute to what @column says, in whatever words."""
        answer = self.program.ask("accepts", name, value)
        if "settings" in answer:
            self.row.infer(f'{answer["settings"]}: in place of "{value}"')
            self.settings.update(part.split("=") for part in answer["settings"].split(" "))
            return
        if "error" in answer:
            word = words.meaning(column, value)
            if word == value or "error" in self.program.ask("accepts", name, word):
                raise Refusal(f"column {column}: {answer['error']}")
            self.row.infer(f'{column} {word}: in place of "{value}"')
            value = word
        self.settings[name] = value

    def apply(self):
        for rule in (take_model, take_layers_of_name, take_top_k_of_name, take_columns, drop_single_expert, complete_shape, pad_vocabulary,
                     cut_to_layer, take_replicas, take_sequence_parallel, take_precision, take_framework,
                     take_settings, note_sequence_parallel, take_zero, phrases.take, padding.pad_sizes, deal_slices,
                     limit_slices):
            rule(self)

    def take_default(self, name):
        """Sets @name to what the framework decides, which the program does by itself; None where it decides nothing."""
        value = self.program.default(self.settings, name)
        if value is not None:
            self.framework_defaults.add(name)
            self.settings[name] = value
        return value


def take_model(self):
    """A public model supplies what its row does not state."""
    if self.model is None:
        if not self.row.has("layers"):
            raise self.row.fault("model", "the name of a public model where column layers is empty")
        return
    self.settings.update(self.models.shape(self.model))
    if not self.row.has("layers"):
        self.row.infer(f"shape: that of {self.model.get('names').split('|')[0]}, by its name")


def take_layers_of_name(self):
    """"Llama 3.1 405B-proxy (8 layers)": a model cut short says so in its name."""
    parts = words.tokens(self.row.text("model"))
    for before, word in zip(parts, parts[1:]):
        if word == "layers" and before[0].isdigit():
            self.row.infer(f"layers {before}: the name of the model says so")
            self.put("model", "layers", before)
            return


def take_top_k_of_name(self):
    """"Mixtral-8x22B-G8T8 (64 experts, top-8)": a model with other experts than the public one's says how many of them
    a token takes."""
    stated = re.search(r"top-?([0-9]+)", self.row.text("model"), re.IGNORECASE)
    if stated and "top-k" in self.settings and self.settings["top-k"] != stated[1]:
        self.row.infer(f"top-k {stated[1]}: the name of the model says so")
        self.put("model", "top-k", stated[1])


def take_columns(self):
    for column, attribute, absent in COLUMNS:
        text = self.row.text(column) or absent
        if text is not None:
            self.put(column, attribute, text)
    own = self.row.text("experts")
    if own and self.row.has("ffn") and self.model is not None and "expert-ffn" in self.settings and \
            self.models.shape(self.model).get("experts", own) != own and self.settings["ffn"] != self.settings["expert-ffn"]:
        self.row.infer(f"expert-ffn {self.settings['ffn']}: of as many experts as are stated")
        self.settings["expert-ffn"] = self.settings["ffn"]


def drop_single_expert(self):
    """Tables of models with and without experts have 0, or 1, where there are none."""
    if "top-k" not in self.settings and self.settings.get("experts") == "1":
        self.settings["experts"] = "0"
        self.row.infer("experts 0: one of which each token takes is none")


def complete_shape(self):
    """What neither the row nor a public model states of the shape."""
    settings, row = self.settings, self.row
    for column, attribute, wanted in NEEDED:
        if attribute not in settings:
            raise row.fault(column, wanted)
    open_shape = [text for attribute, text, of_layer in (
        ("ffn-kind", "ffn-kind gelu", True), ("ffn", "ffn of four times hidden", True),
        ("tied-embeddings", "embeddings not tied", False))
        if attribute not in settings and (of_layer or not self.is_layer)]
    if open_shape:
        row.infer(f"{', '.join(open_shape)}: nothing is stated")
    # Models with gated networks (Llama and later) rotate queries and keys, those before learn positions.
    settings.setdefault("positions", "rotary" if settings.get("ffn-kind") == "swiglu" else "learned")
    settings.setdefault("tied-embeddings", "no")  # rows say "yes" where they are
    hidden = self.number("hidden")
    if "heads" not in settings and hidden % HEAD_WIDTH == 0:
        settings["heads"] = str(hidden // HEAD_WIDTH)
        row.infer(f"heads {settings['heads']}: of 128, as most have")
    if self.number("experts") > 1 and "top-k" not in settings:
        settings["top-k"] = "2"
        row.infer("top-k 2: as in GShard and Mixtral")


def pad_vocabulary(self):
    """Megatron pads vocabularies to a multiple of 128 tp; others do alike."""
    if not self.is_layer and "vocab" not in self.settings:
        self.settings["vocab"] = "51200"
        self.row.infer("vocabulary 51200: GPT-2's as Megatron pads it")
    block, vocab = 128 * self.number("tp"), self.number("vocab")
    padded = -(-vocab // block) * block if block else vocab
    if not self.is_layer and padded != vocab:
        self.row.infer(f"vocabulary {padded}: of {vocab} words, padded to a multiple of 128 for each rank of tp")
    self.settings["vocab"] = str(padded)


def cut_to_layer(self):
    """A row of one layer is that layer alone, without embedding, logits and optimiser."""
    if self.is_layer:
        self.settings.update({"layers": "1", "embedding": "no", "tied-embeddings": "no", "optimizer": "none"})


def take_replicas(self):
    """The accelerators are tp x pp x dp x cp; a dp that is left out follows from the others. Some sources count
    replicas of experts, or of a part of the model: the accelerators decide, of which some may be left over."""
    row = self.row
    if not row.has("accelerators"):
        raise row.fault("accelerators", "their number")
    n = row.count("accelerators", 1, HOSTS_MAX, words_too=True, quiet=True)
    others = self.number("tp") * self.number("pp") * self.number("cp")
    dp = row.text("dp")
    if not dp:
        dp = str(max(n // others, 1)) if others else "1"
        row.infer(f"dp {dp}: the accelerators over tp, pp and cp")
    self.put("dp", "dp", dp)
    ranks = others * self.number("dp")
    if ranks == n:
        return
    own = n // others if others else 0
    if own < 1:
        raise row.fault("accelerators", f"{ranks}, the product of tp, pp, dp and cp")
    self.settings["dp"] = str(own)
    if str(own) == dp:
        row.infer(f"{own * others} accelerators: tp, pp, dp and cp; the rest is idle")
    else:
        row.infer(f"dp {own}: the accelerators over tp, pp and cp, not {dp}")


def take_sequence_parallel(self):
    """Without tensor parallelism there is nothing to divide, whatever a row says."""
    text = self.row.text("sequence_parallel") if self.number("tp") >= 2 else "no"
    if text:
        self.put("sequence_parallel", "sequence-parallel", text)


def take_precision(self):
    text = self.row.text("precision")
    if not text:
        text = "bf16"
        self.row.infer("precision bf16: nothing is stated")
    self.put("precision", "precision", text)


def take_framework(self):
    self.put("framework", "framework", framework.name_of(self.row, self.program))


def check_setting(row, name, value):
    """What has a column of its own stands there, since rules look there. A table without that column has no other
    place for it."""
    column = "tied" if name == "tied-embeddings" else name.replace("-", "_")
    if column not in OWN_COLUMNS or column not in row.columns:
        return
    if row.text(column) != value if row.has(column) else column not in HABITS:
        raise row.fault("set", f"{name} in column {column}")


def take_settings(self):
    """Settings of that run, beyond or against its framework's defaults: "NAME=VALUE NAME=VALUE"."""
    for text in self.row.text("set").split(" "):
        if not text:
            continue
        name, equals, value = text.partition("=")
        if not equals:
            raise self.row.fault("set", "NAME=VALUE")
        check_setting(self.row, name, value)
        self.put("set", name, value)


def note_sequence_parallel(self):
    """What no column says of sequence parallelism the framework decides."""
    if "sequence-parallel" not in self.settings and self.take_default("sequence-parallel") is None:
        self.settings["sequence-parallel"] = "no"
        self.row.infer("sequence-parallel no: nothing is stated")


def take_zero(self):
    """Where nothing says which states replicas share: as the framework has it, else none unless the plan fits so
    alone (plan.share_states())."""
    strategy = words.STRATEGY.search(f"{self.row.text('framework')} {self.row.text('note')}")
    if "zero" not in self.settings and strategy is not None:
        self.put("note", "zero", strategy.group())
    stage = words.STAGE.search(f"{self.row.text('framework')} {self.row.text('note')}")
    if "zero" not in self.settings and stage is not None:
        self.row.infer(f'zero {stage[1]}: "{stage[0]}" is stated')
        self.settings["zero"] = stage[1]
    if "zero" not in self.settings:
        self.shares_open = self.take_default("zero") is None
        self.settings.setdefault("zero", "0")


def deal_slices(self):
    """Software without a rule of its own refuses slices that are not equal, so that they were listed: where layers
    divide only with embedding and logits counted, these were counted; where they do not at all, lists are balanced."""
    pp, layers = self.number("pp"), self.number("layers")
    slices = pp * max(self.number("virtual-stages"), 1)
    divides = slices > 0 and (layers + 2) % slices == 0
    if (pp < 2 or layers % slices == 0 or (layers < slices and not divides) or "stage-layers" in self.settings or
            self.program.default(self.settings, "stage-layers") is not None):
        return
    self.settings["stage-layers"] = "with-ends" if divides else "balanced"
    self.row.infer("stage-layers with-ends: with embedding and logits they divide by the slices" if divides else
                   "stage-layers balanced: they do not divide by the slices")


def limit_slices(self):
    """Else every slice has a layer unless they are listed, and without stages there is one."""
    if "stage-layers" in self.settings:
        return
    pp = self.number("pp")
    most = self.number("layers") // pp if pp > 1 else 1
    if most and self.number("virtual-stages") > most:
        self.settings["virtual-stages"] = str(most)
        self.row.infer(f"virtual stages {most}: as many as there are layers for")
