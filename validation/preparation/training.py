# SPDX-License-Identifier: Apache-2.0
"""Rows of measured training."""

import hashlib

from . import framework, machine, plan, sources, words
from .row import Refusal
from .shape import Restatement

KINDS = ("", "training", "layer", "composed", "memory")
COLUMNS = ["id", "source", "publisher", "where", "kind", "model", "framework", "machine", "workload", "iteration_s", "memory_GB",
           "iteration_origin", "inferred", "unchecked", "refused", "group", "note"]
# What rows of one group have in common: the columns below, and settings that are no plan's.
WORK = ("kind model layers hidden ffn ffn_kind heads kv_heads vocab tied seq experts attention precision global_batch "
        "system accelerator accelerators accelerators_per_domain scale_up_GBps scale_out_Gbps nics_per_domain").split()
OF_PLAN = set("cp-kind ep-relay expert-tp gradient-sync placement prefetch rank-order recompute recompute-layers reshard "
              "schedule selective shard-degree stage-layers zero-variant".split())
ADAPTERS = {"lora", "qlora", "dora"}


def group_of(row, program):
    """Names the work of a row: model, batch, precision, machine and software. Rows of one group differ in their plans."""
    quiet = type(row)(row.fields, row.columns, row.where)
    said = [framework.name_of(quiet, program), *(row.text(column) for column in WORK)]
    said += [word for word in row_set(row) if word.split("=")[0] not in OF_PLAN]
    return hashlib.sha256("|".join(said).encode()).hexdigest()[:12]


def row_set(row):
    return [word for word in row.text("set").split(" ") if word]


def check_scope(self):
    kind = self.model.get("out-of-scope") if self.model is not None else None
    named = set(words.tokens(self.row.text("model"))) | set(words.tokens(self.row.text("source")))
    stated = {word.split("=")[0] for word in row_set(self.row)}
    if kind is None and named & ADAPTERS and "lora-rank" not in stated:
        kind = "adapters (LoRA) beside frozen weights, or their rank, lora-rank, in column set"
    if kind is not None:
        raise Refusal(kind, scope=True)
    if self.row.text("kind") not in KINDS:
        raise self.row.fault("kind", "training, layer, composed or memory")


def choose_attention(self, accelerator):
    """Floats of 8 bits came with Hopper and its contemporaries, in the year of FlashAttention (May 2022); no software
    for them is older."""
    if "attention" in self.settings or self.take_default("attention") is not None:
        return
    flash = accelerator["has_fp8"]
    why = f", and {accelerator['name']} came after FlashAttention" if flash else ""
    self.settings["attention"] = "flash" if flash else "unfused"
    self.row.infer(f"attention {self.settings['attention']}: nothing is stated{why}")


def restate(row, program, models):
    """The fields of the row in attributes."""
    self = Restatement(row, program, models)
    out = {name: row.text(name) for name in ("source", "where", "kind", "model", "iteration_s", "memory_GB",
                                             "iteration_origin", "note")}
    out["group"] = group_of(row, program)
    out["publisher"] = sources.publisher(row.text("source"))
    try:
        check_scope(self)
        self.apply()
        options, accelerator = machine.options_of(row, program, models)
        self.machine = "--" + options.replace(" ", " --")
        choose_attention(self, accelerator)
        settings = plan.settle(self)
        out["framework"] = settings.pop("framework")
        out["machine"] = options
        out["workload"] = " ".join(f"{name}={value}" for name, value in settings.items() if name not in self.framework_defaults)
    except Refusal as refusal:
        out["refused"] = ("out of scope: " if refusal.scope else "") + str(refusal)
    out["unchecked"] = "memory" if self.runs_as_stated else ""
    out["inferred"] = " | ".join(row.notes)
    return out
