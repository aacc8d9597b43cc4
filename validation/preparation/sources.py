# SPDX-License-Identifier: Apache-2.0
"""What sources of measured rows ran, where the columns of their tables are less exact. A name is held against column
"source" (words.bears()); the first that fits counts, if column "framework" means what stands behind it."""

from . import words

SOFTWARE = [
    # InternEvo's own runs (InternLM/InternEvo, doc/en/train_performance.md); the columns name what it is like
    ("InternEvo", "megatron-core", "internevo"),
    # FSDP under Composer and llm-foundry's models (mosaicml/llm-foundry, scripts/train/benchmarking/README.md)
    ("llm-foundry", "fsdp", "llm-foundry"),
    # FSDP with the Llama of the Foundation Model Stack (foundation-model-stack/fms-fsdp, README.md)
    ("fms-fsdp", "fsdp", "fms-fsdp"),
    # FSDP2 under NeMo AutoModel (NVIDIA-NeMo/Automodel, examples/benchmark/configs)
    ("AutoModel", "fsdp", "automodel"),
    # FSDP2 is torchtitan's way of sharding (pytorch/torchtitan, README.md)
    ("torchtitan", "fsdp", "torchtitan"),
    # XLA's programs of MaxText, PAX and T5X (AI-Hypercomputer/maxtext, README.md; NVIDIA/JAX-Toolbox,
    # rosetta/rosetta/projects/pax/README.md and projects/t5x/README.md)
    ("MaxText", "xla", "maxtext"),
    ("PAX", "xla", "pax"),
    ("T5X", "xla", "t5x"),
    # FSDP and DDP under software whose settings its code has (PrimeIntellect-ai/prime-rl, allenai/OLMo-core,
    # pytorch/torchtune, Lightning-AI/litgpt and the benchmarks of Lightning-AI/lightning-thunder, which train LitGPT's
    # models; karpathy/nanoGPT; volcengine/verl; hpcaitech/ColossalAI, examples/language)
    ("prime-rl", "fsdp", "prime-rl"),
    ("OLMo-core", "fsdp", "olmo-core"),
    ("torchtune", "fsdp", "torchtune"),
    ("LitGPT", "fsdp", "litgpt"),
    ("lightning-thunder", "fsdp", "litgpt"),
    ("modded-nanogpt", "ddp", "nanogpt"),
    ("nanoGPT", "ddp", "nanogpt"),
    ("verl", "transformers-fsdp", "verl"),
    ("Colossal-AI", "none", "colossalai"),
    # Written in CUDA C++ (karpathy/llm.c, README.md; IST-DASLab/llmq, README.md)
    ("llm.c", "none", "llm.c"),
    ("llm.q", "none", "llm.c"),
    # BigScience's own Megatron-DeepSpeed, whose scripts block launches (bigscience-workshop/bigscience,
    # train/tr11-176B-ml/tr11-176B-ml.slurm)
    ("BigScience", "deepspeed", "bigscience"),
    # READMEs of before the merge that brought scatter-gather (NVIDIA/Megatron-LM, commit aed2f75e of 11 April 2021); DLPerf
    # ran commit 8aa4619f of 22 March (Oneflow-Inc/DLPerf, Megatron-LM/README.md)
    ("Megatron-LM README, September 2020", "megatron-lm-2021", "megatron-lm-2020"),
    ("Megatron-LM README, January 2021", "megatron-lm-2021", "megatron-lm-2020"),
    ("Megatron-LM README Sep 2020", "megatron-lm-2021", "megatron-lm-2020"),
    ("Megatron-LM README Jan 2021", "megatron-lm-2021", "megatron-lm-2020"),
    ("DLPerf GPT, Megatron-LM", "megatron-lm-2021", "megatron-lm-2020"),
    # Bang et al. (MICRO 2024) ran Megatron-DeepSpeed (vTrain's data/README.md) and name no engine: Megatron-LM's loop of
    # 2023
    ("vTrain (MICRO24)", "deepspeed", "megatron-lm-2022"),
    # Recipes of 2025 begin with NeMo's container 25.04 (NVIDIA/dgxc-benchmarking, release 25.05)
    ("NVIDIA dgxc-benchmarking", "megatron-core", "megatron-core-2025-04"),
    # Entries run NVIDIA's submission or what is like it; that AMD's have no graphs is left out, and so is Cisco's own code
    ("MLPerf Training v5.1", "megatron-core", "mlperf-2025"),
]
# The cluster of the playbook's jobs (Hugging Face, The Ultra-Scale Playbook, 2025)
MACHINES = [("Ultra-Scale", "p5-hf")]
# nanotron times 256 Mi elements of fp32, gathered into a list and scattered from one (huggingface/nanotron, commit
# e3b886c6, src/nanotron/trainer.py: measure_bandwidth())
PROBES = [("Ultra-Scale", 1 << 30, True)]
# Who published what, by a name that column "source" bears; else a source is its own publisher, by its name up to a comma.
PUBLISHERS = [
    ("llm-foundry issue 1153", "a user of llm-foundry"), ("MarinFold", "MarinFold"), ("modded-nanogpt", "modded-nanogpt"),
    ("nanoGPT", "nanoGPT"), ("LitGPT", "Lightning AI"), ("lightning-thunder", "Lightning AI"), ("torchprime", "Google"),
    ("torchtune", "PyTorch"), ("DeepSpeed on Azure", "Microsoft"), ("DeepLearningExamples", "NVIDIA"),
    ("JAX-Toolbox", "NVIDIA"), ("TransformerEngine", "NVIDIA"), ("Megatron-Bridge", "NVIDIA"), ("NeMo", "NVIDIA"),
    ("dgxc-benchmarking", "NVIDIA"), ("Megatron-Core", "NVIDIA"), ("Megatron-MoE-ModelZoo", "NVIDIA"),
    ("Megatron-LM README", "NVIDIA"), ("Megatron-LM, examples", "NVIDIA"), ("Megatron-LM, golden values", "NVIDIA"),
    ("Narayanan", "NVIDIA"), ("Korthikanti", "NVIDIA"), ("MoE Parallel Folding", "NVIDIA"), ("Nemotron", "NVIDIA"),
    ("NVIDIA", "NVIDIA"), ("AutoModel", "NVIDIA"), ("BioNeMo", "NVIDIA"), ("MLPerf", "MLPerf's submitters"),
    ("torchtitan", "PyTorch"), ("torchao", "PyTorch"), ("PyTorch FSDP", "PyTorch"), ("grouped_mm", "PyTorch"),
    ("OPT-175B", "Meta"), ("Llama 3 paper", "Meta"), ("fms-fsdp", "IBM"), ("fms-acceleration", "IBM"),
    ("MosaicML", "Databricks"), ("llm-foundry", "Databricks"), ("DBRX", "Databricks"),
    ("Ultra-Scale", "Hugging Face"), ("HF ultra-scale", "Hugging Face"), ("Hugging Face", "Hugging Face"),
    ("Bekman", "Bekman"), ("ml-engineering", "Bekman"), ("BigScience", "BigScience"), ("MaxText", "Google"),
    ("tpu-recipes", "Google"), ("gpu-recipes", "Google"), ("AMD", "AMD"), ("Megatron-DeepSpeed", "Microsoft"),
    ("DeepSpeed-MoE", "Microsoft"), ("MS-AMP", "Microsoft"), ("nnScaler", "Microsoft"), ("InternEvo", "Shanghai AI Lab"),
    ("InternLM", "Shanghai AI Lab"), ("vTrain", "vTrain"), ("ms-swift", "ModelScope"), ("DeepGEMM", "DeepSeek"),
    ("DeepEP", "DeepSeek"), ("LLMCompass", "LLMCompass"), ("nccl", "NVIDIA's trackers")]


def publisher(source):
    own = next((name for word, name in PUBLISHERS if words.bears(source, word)), None)
    return own or source.split(",")[0]


def software(source, stated):
    return next((mine for name, its, mine in SOFTWARE if its == stated and words.bears(source, name)), None)


def machine(source):
    return next((system for name, system in MACHINES if words.bears(source, name)), None)


def probe(source):
    """Bytes, and whether they lie in lists."""
    return next(((size, lists) for name, size, lists in PROBES if words.bears(source, name)), None)
