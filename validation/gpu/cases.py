# SPDX-License-Identifier: Apache-2.0
"""The training steps that are measured: shapes, and how each is run."""

# family, layers, hidden, heads, key-value heads, head width, ffn, vocabulary, tied, what else
SHAPES = {
    "gpt2": ("gpt2", 12, 768, 12, 12, 64, 3072, 50257, True, {}),
    "gpt2-medium": ("gpt2", 24, 1024, 16, 16, 64, 4096, 50257, True, {}),
    "gpt2-large": ("gpt2", 36, 1280, 20, 20, 64, 5120, 50257, True, {}),
    "gpt2-xl": ("gpt2", 48, 1600, 25, 25, 64, 6400, 50257, True, {}),
    "llama-0.5b": ("llama", 20, 1280, 20, 20, 64, 3456, 32000, False, {}),
    "tinyllama-1.1b": ("llama", 22, 2048, 32, 4, 64, 5632, 32000, False, {}),
    "llama-3.2-1b": ("llama", 16, 2048, 32, 8, 64, 8192, 128256, True, {}),
    "llama-3.2-3b": ("llama", 28, 3072, 24, 8, 128, 8192, 128256, True, {}),
    "llama-3.1-8b": ("llama", 32, 4096, 32, 8, 128, 14336, 128256, False, {}),
    "qwen2.5-0.5b": ("qwen2", 24, 896, 14, 2, 64, 4864, 151936, True, {}),
    "qwen2.5-1.5b": ("qwen2", 28, 1536, 12, 2, 128, 8960, 151936, True, {}),
    "qwen2.5-3b": ("qwen2", 36, 2048, 16, 2, 128, 11008, 151936, True, {}),
    "qwen3-0.6b": ("qwen3", 28, 1024, 16, 8, 128, 3072, 151936, True, {}),
    "smollm2-135m": ("llama", 30, 576, 9, 3, 64, 1536, 49152, True, {}),
    "smollm2-360m": ("llama", 32, 960, 15, 5, 64, 2560, 49152, True, {}),
    "smollm2-1.7b": ("llama", 24, 2048, 32, 32, 64, 8192, 49152, True, {}),
    "qwen3-1.7b": ("qwen3", 28, 2048, 16, 8, 128, 6144, 151936, True, {}),
    "pythia-410m": ("gpt_neox", 24, 1024, 16, 16, 64, 4096, 50304, False, {}),
    "pythia-1.4b": ("gpt_neox", 24, 2048, 16, 16, 128, 8192, 50304, False, {}),
    "olmoe-1b": ("qwen3_moe", 8, 2048, 16, 16, 128, 4096, 50304, False, dict(experts=32, top=4, expert_ffn=1024)),
    "qwen3-moe-1b": ("qwen3_moe", 12, 1024, 16, 4, 64, 3072, 32000, False, dict(experts=64, top=8, expert_ffn=512)),
    "mixtral-1b": ("mixtral", 12, 1024, 16, 4, 64, 3584, 32000, False, dict(experts=8, top=2, expert_ffn=3584)),
    "qwen2-moe-1b": ("qwen2_moe", 8, 1024, 16, 16, 64, 2816, 32000, False, dict(experts=60, top=4, expert_ffn=704, shared=4)),
}

# shape, batch, seq, attention, precision, optimizer, what else: compile, ckpt, lora, accumulate, experts
STEPS = """
gpt2            8  1024 sdpa  autocast foreach
gpt2            1   256 sdpa  autocast foreach
llama-3.2-1b    4  2048 sdpa  bf16     foreach
qwen2.5-0.5b    1  2048 sdpa  bf16     foreach
llama-0.5b      1   256 sdpa  bf16     foreach
qwen3-moe-1b    2  2048 sdpa  bf16     foreach experts=eager
qwen3-moe-1b    2  2048 sdpa  bf16     foreach experts=grouped_mm
gpt2           16  1024 sdpa  autocast fused   compile
llama-3.2-1b    4  2048 sdpa  bf16     fused   compile
gpt2            1  1024 sdpa  autocast foreach
gpt2           32  1024 sdpa  autocast foreach
gpt2            8  1024 eager autocast foreach
gpt2            8  1024 sdpa  bf16     fused
gpt2-medium     4  1024 sdpa  autocast foreach
gpt2-medium     8  1024 sdpa  autocast foreach ckpt
gpt2-large      4  1024 sdpa  bf16     foreach
gpt2-xl         2  1024 sdpa  autocast foreach
gpt2-xl         4  1024 sdpa  bf16     fused   ckpt
gpt2-xl         1   512 sdpa  bf16     foreach
llama-0.5b      8   512 sdpa  bf16     foreach
llama-0.5b      4  2048 sdpa  autocast fused
llama-0.5b      4  1024 eager bf16     foreach
tinyllama-1.1b  4  2048 sdpa  bf16     foreach
tinyllama-1.1b  8  1024 sdpa  autocast foreach
llama-3.2-1b    1   512 sdpa  bf16     foreach
llama-3.2-1b    4  2048 sdpa  autocast fused
llama-3.2-1b    8  2048 sdpa  bf16     foreach ckpt
llama-3.2-1b    1  8192 sdpa  bf16     foreach
llama-3.2-1b    1 16384 sdpa  bf16     foreach ckpt
llama-3.2-1b    2  2048 eager bf16     foreach
llama-3.2-3b    1  2048 sdpa  bf16     foreach
llama-3.2-3b    4  2048 sdpa  bf16     fused   ckpt
llama-3.2-3b    1  1024 sdpa  autocast fused   ckpt
qwen2.5-0.5b    1   256 sdpa  autocast foreach
qwen2.5-0.5b    8  1024 sdpa  bf16     foreach
qwen2.5-0.5b    4  2048 sdpa  autocast fused
qwen2.5-0.5b    8  2048 sdpa  bf16     foreach ckpt
qwen2.5-0.5b    1   512 sdpa  autocast foreach accumulate=8
qwen2.5-1.5b    1   512 sdpa  bf16     foreach
qwen2.5-1.5b    2  2048 sdpa  bf16     fused
qwen2.5-1.5b    4  2048 sdpa  autocast foreach ckpt
qwen2.5-1.5b    1 16384 sdpa  bf16     foreach ckpt
qwen2.5-3b      1  1024 sdpa  bf16     foreach
qwen2.5-3b      2  2048 sdpa  bf16     fused   ckpt
qwen3-0.6b      2  2048 sdpa  bf16     foreach
qwen3-0.6b      1   512 sdpa  autocast foreach
qwen3-moe-1b    1   512 sdpa  bf16     foreach experts=grouped_mm
mixtral-1b      4  1024 sdpa  bf16     foreach experts=eager
mixtral-1b      4  1024 sdpa  bf16     foreach experts=grouped_mm
qwen2-moe-1b    2  1024 sdpa  bf16     foreach experts=eager
qwen2-moe-1b    2  1024 sdpa  bf16     foreach experts=grouped_mm
llama-3.2-1b    4  2048 flex_attention bf16 foreach
llama-3.2-3b    2  2048 sdpa  bf16     foreach lora
qwen2.5-1.5b    4  1024 sdpa  bf16     foreach lora ckpt
llama-3.1-8b    1  2048 sdpa  bf16     foreach lora ckpt
qwen2.5-0.5b    4  2048 sdpa  bf16     fused   compile
llama-0.5b      4  2048 sdpa  bf16     foreach compile
llama-3.2-3b    2  2048 sdpa  bf16     fused   compile
tinyllama-1.1b  2  2048 flex_attention bf16 fused
gpt2            2  1024 sdpa  autocast fused accumulate=16
"""

# On H200, drawn up after the first had been run.
MORE = """
gpt2            4  1024 sdpa  autocast foreach
gpt2           12   512 sdpa  bf16     foreach
gpt2-medium     2  1024 sdpa  bf16     foreach
gpt2-medium     8  1024 sdpa  autocast fused
gpt2-large      8  1024 sdpa  autocast foreach ckpt
gpt2-xl         4  1024 sdpa  autocast fused
smollm2-135m    4  2048 sdpa  bf16     foreach
smollm2-135m   16  1024 sdpa  autocast fused
smollm2-360m    8  2048 sdpa  bf16     foreach
smollm2-360m    1   512 sdpa  autocast foreach
smollm2-1.7b    2  2048 sdpa  bf16     fused
smollm2-1.7b    4  4096 sdpa  bf16     foreach ckpt
llama-3.2-1b    2  4096 sdpa  bf16     fused
llama-3.2-1b    1  2048 sdpa  autocast foreach
llama-3.2-1b    4  1024 eager bf16     foreach
llama-3.2-3b    2  2048 sdpa  autocast fused
llama-3.2-3b    1  8192 sdpa  bf16     foreach ckpt
llama-3.1-8b    1  4096 sdpa  bf16     fused   ckpt
llama-3.1-8b    2  2048 sdpa  bf16     foreach
qwen2.5-0.5b    2  2048 sdpa  bf16     foreach
qwen2.5-0.5b   16  1024 sdpa  autocast foreach
qwen2.5-1.5b    8  2048 sdpa  bf16     foreach ckpt
qwen2.5-1.5b    4  1024 sdpa  autocast foreach
qwen2.5-3b      4  2048 sdpa  bf16     foreach
qwen3-0.6b      4  4096 sdpa  bf16     fused
qwen3-1.7b      2  2048 sdpa  bf16     foreach
qwen3-1.7b      1  1024 sdpa  autocast fused   ckpt
pythia-410m     8  2048 sdpa  bf16     foreach
pythia-410m     1  1024 sdpa  autocast foreach
pythia-1.4b     4  2048 sdpa  autocast fused
tinyllama-1.1b  2  2048 sdpa  autocast foreach accumulate=4
olmoe-1b        4  2048 sdpa  bf16     foreach experts=grouped_mm
mixtral-1b      2  2048 sdpa  bf16     foreach experts=grouped_mm
qwen2-moe-1b    1  1024 sdpa  bf16     foreach experts=eager
smollm2-1.7b    4  2048 sdpa  bf16     fused   compile
smollm2-360m    8  1024 sdpa  autocast fused   compile
gpt2-medium     8  1024 sdpa  autocast fused   compile
llama-3.2-1b    2  2048 sdpa  bf16     fused   compile
"""
SETS = {"h100": STEPS, "h200": MORE}


def steps(card="h100"):
    out = []
    for number, line in enumerate(filter(None, SETS[card].split("\n")), 1):
        shape, batch, seq, attention, precision, optimizer, *flags = line.split()
        flags = dict(f.split("=") if "=" in f else (f, True) for f in flags)
        out.append(dict(id=f"own-{card}-{number:02d}", shape=shape, batch=int(batch), seq=int(seq), attention=attention,
                        precision=precision, optimizer=optimizer, compile="compile" in flags, ckpt="ckpt" in flags,
                        lora="lora" in flags, accumulate=int(flags.get("accumulate", 1)), experts=flags.get("experts", "")))
    return out


def title(c):
    words = [c["shape"], f"{c['batch']} x {c['seq']}", c["attention"], c["precision"], c["optimizer"] + " AdamW"]
    words += [f"{c['accumulate']} accumulated"] if c["accumulate"] > 1 else []
    words += ["torch.compile"] if c["compile"] else []
    words += ["gradient checkpointing"] if c["ckpt"] else []
    words += ["LoRA of rank 16 on q, k, v and o"] if c["lora"] else []
    words += [f"experts_implementation {c['experts']}"] if c["experts"] else []
    return "; ".join(words)
