# SPDX-License-Identifier: Apache-2.0
"""Other words for values, as tables, papers and configurations write them."""

import re

# Of several that a text holds the first meaning counts; one of its words is enough.
PRECISIONS = [("mxfp4", "mxfp4"), ("nvfp4 fp4 float4", "nvfp4"), ("mxfp8 mx", "mxfp8"),
              ("block blockwise subchannel", "fp8-block"), ("fp8 float8 e4m3 hybrid", "fp8"), ("int8 aqt", "int8"),
              ("tf32", "tf32"), ("bf16 bfloat16", "bf16"), ("fp16 float16 half amp", "fp16"), ("mixed", "bf16"),
              ("fp32 float32 single", "fp32")]
ANSWERS = [("no not false off n 0 untied", "no"), ("yes true on y 1 tied", "yes")]
MEANINGS = {
    "precision": PRECISIONS,
    "recompute": [("selective attention attn core op partial", "selective"),
                  ("full uniform block all yes true on 1", "full"), ("none no false off never 0", "none")],
    "attention": [("unfused standard naive math eager", "unfused"),
                  ("flash flash1 flash2 flash3 fa fa2 fa3 flashattention sdpa cudnn fused triton xformers splash "
                   "memory", "flash")],
    "ffn_kind": [("swiglu geglu reglu glu silu gated", "swiglu"), ("gelu relu relu2 squared mlp", "gelu")],
    "tied": ANSWERS,
    "sequence_parallel": ANSWERS,
    "framework": [("torchtitan", "torchtitan"), ("nanotron", "nanotron"), ("internevo internlm", "internevo"),
                  ("foundry composer", "llm-foundry"), ("deepspeed neox", "deepspeed"),
                  ("megatron mcore nemo primus", "megatron-core"), ("maxtext", "maxtext"),
                  ("pax paxml jax xla neuron levanter t5x gspmd", "xla"),
                  ("fsdp fsdp2 shard hsdp prime olmo modalities", "fsdp"), ("ddp distributeddataparallel", "ddp"),
                  ("pytorch torch torchtune", "fsdp")],
}
# What trains the models of Hugging Face's transformers, by words of its name, and how it shares states among replicas: as is
# said, else as it does by default: verl by FSDP (verl/trainer/config: strategy), the others by DDP (transformers, Trainer;
# Axolotl, LLaMA-Factory, ms-swift and TRL, which are built on it; accelerate).
TRAINERS = set("transformers trainer accelerate axolotl llamafactory factory swift trl verl".split())
SHARING = [("deepspeed zero zero1 zero2 zero3", "transformers-deepspeed"), ("verl", "verl"), ("fsdp fsdp2 hsdp", "transformers-fsdp"),
           ("", "transformers-ddp")]
# Of these what recomputes all layers unless it is told otherwise (hiyouga/LLaMA-Factory, src/llamafactory/hparams/
# model_args.py: disable_gradient_checkpointing; modelscope/ms-swift, swift/trainers/arguments.py, and huggingface/trl of
# 2026, trl/trainer/base_config.py: gradient_checkpointing).
CHECKPOINTING = set("llamafactory factory swift trl".split())
COUNTS = set("layers hidden heads kv_heads ffn vocab seq experts tp pp dp cp ep zero virtual_stages global_batch "
             "micro_batch accelerators accelerators_per_domain nics_per_domain".split())
# What sources call recomputation, and the parts of a layer that are computed again. Of two names of which one begins
# with the other the longer stands first.
POLICIES = [("save_dot_with_context_except_mlp", "norms,ffn"), ("save_dot_except_mlpwi", "norms,attention,ffn"),
            ("save_dot_except_mlp", "norms,attention,ffn"), ("save_qkv_proj", "norms,attention,projection,ffn"),
            ("save_out_proj", "norms,qkv,attention,ffn"), ("qkv_proj_offloaded", "norms,attention,projection,ffn"),
            ("q,k,v projections offloaded", "norms,attention,projection,ffn"),
            ("minimal_with_context", "norms,activation"), ("minimal_flash", "norms,activation"),
            ("minimal_offloaded", "norms,attention,activation"), ("remat minimal", "norms,attention,activation")]
# PyTorch's strategies of sharding (torch/distributed/fsdp/api.py), and names of kernels of attention, within a text.
STRATEGY = re.compile(r"(?<![A-Za-z])_?(?:FULL_SHARD|SHARD_GRAD_OP|NO_SHARD|HYBRID_SHARD(?:_ZERO2)?)(?![A-Za-z])")
# DeepSpeed's stages, as configurations and their files name them ("ds_config_zero3.json", "ZeRO-2", "zero stage 1").
STAGE = re.compile(r"(?<![A-Za-z])(?:ds_config_)?zero[-_ ]?(?:stage[-_ ]?)?([0-3])(?![0-9=+])", re.IGNORECASE)
KERNEL = re.compile(r"(?<![a-z0-9])(?:fa ?-?[1-4]|flash[-_ ]?(?:attention|attn)[-_ v]{0,2}[1-4]|flex[-_ ]?attention|cudnn attention)"
                    r"(?![a-z0-9.])", re.IGNORECASE)
# What carries bytes between hosts, by words for networks and for machines of clouds: the first that a text holds counts.
TRANSPORTS = [(r"omni-?path", "omni-path"), (r"tcpxo|a3-mega", "tcpxo"), (r"tcpx|a3-(?:high|edge)", "tcpx"),
              (r"nccl/gib|a3-ultra|a4-high", "gib"), (r"p3dn|p4de?", "efa-1"),
              (r"efa(?:v[0-9])?(?![a-z])|p5en?(?![a-z0-9])|p(?:5|6-b[23]00|6e-gb200)\.", "efa"),
              (r"slingshot[- ]?11", "cxi")]
# Families of accelerators whose generation is a word of its own, and what makes another card of the one before it.
SPLIT_FAMILIES = ("tpu", "gaudi", "mi")
VARIANTS = ("ti", "super", "d", "laptop", "mobile")


def plain(text):
    """In lower case, with blanks for all that is neither letter nor digit."""
    return re.sub(r"[^a-z0-9]", " ", text.lower())


def meaning(column, text):
    """The value that @text, in @column, stands for; @text itself where nothing is known."""
    if column in COUNTS:
        whole = text.replace(",", "")
        head, point, tail = whole.partition(".")
        return head if point and head and not tail.strip("0") else whole
    lower = text.lower().strip()
    words = [word for word in plain(lower).split(" ") if len(word) > 1 or (word and len(lower) == 1)]
    for known, value in MEANINGS.get(column, []):
        if set(known.split(" ")) & set(words):
            return value
    return text


def names(text):
    """The words of @text that may be names of systems or frameworks."""
    return re.sub(r"[^a-z0-9-]", " ", text.lower()).split(" ")


def tokens(text):
    """The words and numbers that names of models are compared by: "llama 3.1 405 b w mtp"."""
    return [token.lower() for token in re.findall(r"[A-Za-z]+|[0-9]+(?:\.[0-9]+)?", text)]


def bears(text, name):
    """Whether @text has the letters and digits of @name, from the begin of a word to the end of one, in any case and
    whatever stands between them."""
    between = r"[^A-Za-z0-9]*"
    pattern = between.join(re.escape(letter) for letter in name if re.match("[A-Za-z0-9]", letter))
    return re.search(rf"(?<![A-Za-z0-9]){pattern}(?![A-Za-z0-9])", text, re.IGNORECASE | re.ASCII) is not None


def transport(text):
    """Of machines that @text names, or None."""
    return next((name for words, name in TRANSPORTS if re.search(rf"(?<![a-z0-9])(?:{words})", text.lower())), None)


def policy(text):
    """Parts and name of the policy of recomputation that @text names, or (None, None)."""
    if text == "minimal":
        return "norms,attention,activation", text
    return next(((parts, name) for name, parts in POLICIES if name in text), (None, None))


def card_words(text):
    """The words of an accelerator's name: "80gb" is 80, "sxm5" is sxm, "8xa100" a100, "rtx4090" 4090."""
    words, family = [], None
    for raw in plain(text).split(" "):
        if not raw or raw == "rtx":
            continue
        if words and raw in VARIANTS:
            words[-1] += raw
            continue
        if family is None and raw in SPLIT_FAMILIES:
            family = raw
            continue
        word, family = (family or "") + raw, None
        digits = re.match("[0-9]*", word).group()
        rest = word[len(digits):]
        if digits and rest in ("g", "gb", "gib"):
            word = digits
        elif word.startswith("sxm"):
            word = "sxm"
        elif word.startswith("rtx"):
            word = word[len("rtx"):]
        elif digits and rest.startswith("x") and len(rest) > 1:
            word = rest[1:]
        words.append(word)
    return words


def card(text, accelerators):
    """The accelerator of the catalogue that fits the words of @text best, or None: of equals that of most memory, the
    first of these."""
    words = card_words(text)
    best, best_score = None, -1
    for one in accelerators:
        parts = card_words(one["name"])
        if parts[0] not in words:
            continue
        score = 100
        for part in parts[1:]:
            implied = part == "sxm" and "pcie" not in words and "nvl" not in words
            score += 100 if part in words or implied else -1
        if score > best_score or (score == best_score and one["memory_bytes"] > best["memory_bytes"]):
            best, best_score = one, score
    return best["name"] if best else None
