#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables in columns of their own (validation/prepare.py): words, names of models, accelerators and software, operators of
layers, exchanges of tokens.

Environment: LIGHTPATH (the built program)."""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "validation"))

from preparation import collectives, framework, machine, products, sources, words  # noqa: E402
from preparation.models import Models  # noqa: E402
from preparation.program import Program  # noqa: E402
from preparation.row import Refusal, Row  # noqa: E402


def row(**fields):
    return Row(fields, list(fields), "file.csv:2")


class Prepare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = Program()
        cls.models = Models(cls.program)

    @classmethod
    def tearDownClass(cls):
        cls.program.close()

    def test_accelerators(self):
        for text, name in (
                ("A100-SXM (LLMCompass)", "a100-80"), ("A100-class (not named)", "a100-80"),
                ("4x A100 TP=4 (LLMCompass fig 5i)", "a100-80"), ("NVIDIA A100-SXM4-40GB", "a100-40"),
                ("A100 40 GB", "a100-40"), ("A100-PCIE-40GB", "a100-40-pcie"), ("A100 PCIe", "a100-80-pcie"),
                ("8xV100-SXM2-16GB", "v100-16"), ("V100", "v100-32"), ("H100 SXM", "h100-sxm"), ("H100", "h100-sxm"),
                ("H100 96GB", "h100-sxm-96"), ("NVIDIA H100 64GB", "h100-sxm-64"), ("A100-SXM-64GB", "a100-64"), ("H100 PCIe", "h100-pcie"), ("H100 NVL", "h100-nvl"),
                ("H200 SXM", "h200"), ("GH200 SXM 900W", "gh200-144"), ("GH200 96GB", "gh200-96"),
                ("GB200 SXM", "gb200"), ("B300 SXM", "b300"), ("MI 300X", "mi300x"),
                ("AMD Instinct MI250X", "mi250x-gcd"), ("MI250", "mi250-gcd"), ("TPU v5e", "tpu-v5e"),
                ("TPUv3", "tpu-v3"), ("Intel Gaudi 2", "gaudi2"), ("h100-sxm-96", "h100-sxm-96"),
                ("a100-40", "a100-40"), ("L40S", "l40s"), ("NVIDIA L40", "l40"), ("L4 24GB", "l4"),
                ("NVIDIA A40-48GB", "a40"), ("8x A10", "a10"), ("NVIDIA A10G", "a10g"), ("Tesla T4", "t4"),
                ("NVIDIA RTX A6000", "a6000"), ("A6000 48GB", "a6000"), ("RTXA6000", "a6000"),
                ("NVIDIA GeForce RTX 4090", "rtx-4090"), ("RTX4090", "rtx-4090"), ("8x4090", "rtx-4090"),
                ("GeForce RTX 3090 24GB", "rtx-3090"), ("RTX 3090 Ti", None), ("RTX 4090 D", None),
                ("RTX 4090 Laptop GPU", None), ("RTX 6000 Ada", None), ("GeForce RTX 2080", None), ("abacus", None),
                ("TPU", None), ("", None)):
            self.assertEqual(words.card(text, self.program.accelerators), name, text)

    def test_other_memory(self):
        """A card is not silently taken for one of another memory."""
        for text, name, told in (("NVIDIA H100 72GB", "h100-sxm", "none of 72 GB"), ("NVIDIA H100 64GB", "h100-sxm-64", None),
                                 ("A100-SXM-64GB", "a100-64", None),
                                 ("GeForce RTX 4090 48 GB", "rtx-4090", "none of 48 GB"), ("B200 180GB", "b200", None),
                                 ("B200 192 GB", "b200", None), ("MI300X 192GB", "mi300x", None), ("H20 141GB", "h20", "none of 141"),
                                 ("GeForce RTX 3090 24GB", "rtx-3090", None), ("L40S 48GB", "l40s", None)):
            one = row(accelerator=text)
            self.assertEqual(machine.accelerator_of(one, self.program, self.models)["name"], name, text)
            self.assertEqual(any(told in note for note in one.notes) if told else not any("none of" in note for note in one.notes),
                             True, (text, one.notes))

    def test_stated_network(self):
        """A rate of three digits is rounded by less than 1 %; 64 bits sent as 66, as InfiniBand does, are 3 % less."""
        for text, is_other in (("400", False), ("398", False), ("403", False), ("388", True), ("360", True), ("440", True),
                               ("200", True), ("", False)):
            its, texts = row(scale_out_Gbps=text), {"scale-out-bandwidth": None}
            machine.named_scale_out(its, texts, {"name": "p5", "scale_out_bytes_per_s": 50e9}, True)
            self.assertEqual(texts["scale-out-bandwidth"] is not None, is_other, text)

    def test_words(self):
        for column, text, word in (
                ("precision", "BF16", "bf16"), ("precision", "amp_bf16", "bf16"), ("precision", "bf16-mixed", "bf16"),
                ("precision", "mixed fp16", "fp16"), ("precision", "mixed", "bf16"), ("precision", "FP8-CS", "fp8"),
                ("precision", "FP8-MX", "mxfp8"), ("precision", "fp8 blockwise", "fp8-block"),
                ("precision", "NVFP4", "nvfp4"), ("precision", "FP4", "nvfp4"), ("precision", "MXFP4 weights", "mxfp4"),
                ("precision", "AQT int8", "int8"), ("precision", "half", "fp16"), ("precision", "int3", "int3"),
                ("recompute", "True", "full"), ("recompute", "no", "none"), ("recompute", "core_attn", "selective"),
                ("recompute", "some", "some"), ("attention", "flash-attention-2", "flash"),
                ("attention", "SDPA", "flash"), ("attention", "standard", "unfused"), ("attention", "none", "none"),
                ("ffn_kind", "GeGLU", "swiglu"), ("ffn_kind", "squared-relu", "gelu"), ("tied", "True", "yes"),
                ("tied", "not tied", "no"), ("sequence_parallel", "0", "no"), ("sequence_parallel", " Y ", "yes"),
                ("tied", "-1", "-1"), ("tied", "N/A", "N/A"), ("recompute", "1.5", "1.5"),
                ("framework", "MaxText 0.1", "maxtext"), ("framework", "JAX", "xla"), ("framework", "FSDP2", "fsdp"),
                ("framework", "Megatron-DeepSpeed", "deepspeed"), ("framework", "abacus", "abacus"),
                ("seq", "2,048", "2048"), ("seq", "2048.0", "2048"), ("seq", "2048.5", "2048.5"), ("hidden", "", ""),
                ("model", "GPT, 2.0", "GPT, 2.0")):
            self.assertEqual(words.meaning(column, text), word, (column, text))

    def test_models(self):
        """Every shape is a workload by itself, and every name finds its own."""
        self.assertGreater(len({id(node) for _, node in self.models.names}), 100)
        for _, node in self.models.names:
            name = node.get("names").split("|")[0]
            self.assertIs(self.models.find(name), node, name)
            if node.get("out-of-scope") is None:
                self.parameters(name)

    def parameters(self, name):
        shape = {**self.models.shape(self.models.find(name)), "seq": "2048", "micro-batch": "1", "global-batch": "1"}
        answer = self.program.ask("plan", "--system=generic --accelerators=1 --accelerator=h100-sxm",
                                  " ".join(f"{key}={value}" for key, value in shape.items()))
        self.assertNotIn("error", answer, name)
        return answer["parameters"]

    def test_sizes(self):
        """Parameters by the count against those that a model's publisher states, within their rounding."""
        for name, wanted, within in (
                ("Llama 13B", 13.0e9, 0.01),  # arXiv 2302.13971, table 2
                ("LLaMA-65B", 65.2e9, 0.01),  # the same
                ("Llama 2 13B", 13.0e9, 0.01),  # arXiv 2307.09288, table 1
                ("Llama 3.2 1B", 1.23e9, 0.01),  # model card of meta-llama/Llama-3.2-1B
                ("Llama 4 Scout", 109e9, 0.02),  # model card, without its image encoder
                ("Llama 4 Maverick", 400e9, 0.02),  # model card
                ("Mistral 7B", 7.24e9, 0.01),  # model card of mistralai/Mistral-7B-v0.1
                ("Mixtral 8x22B", 141e9, 0.01),  # mistral.ai, April 2024
                ("Qwen2.5-72B", 72.7e9, 0.01),  # model card
                ("Qwen3 32B", 32.8e9, 0.01),  # model card
                ("Gemma 2 27B", 27.2e9, 0.01),  # arXiv 2408.00118, table 2: 1,180M + 26,047M
                ("GPT NeoX 20B", 20.6e9, 0.01),  # arXiv 2204.06745, section 2
                ("Falcon 40B", 41.3e9, 0.01),  # files of tiiuae/falcon-40b
                ("Falcon 180B", 179.5e9, 0.01),  # files of tiiuae/falcon-180B
                ("Nemotron4 15B", 15.6e9, 0.02),  # arXiv 2402.16819: 3.2B embedding, 12.5B other
                ("Nemotron4-340B", 341e9, 0.01),  # arXiv 2406.11704: 9.4B embedding, 331.6B other
                ("DeepSeek-V2", 236e9, 0.01),  # arXiv 2405.04434
                ("DeepSeek V2 Lite", 15.7e9, 0.02),  # arXiv 2405.04434, appendix B
                ("GPT OSS 20B", 20.9e9, 0.01),  # arXiv 2508.10925, table 1
                ("Grok-1", 314e9, 0.01),  # x.ai
                ("DBRX", 132e9, 0.01),  # databricks.com
                ("OLMoE", 6.92e9, 0.01),  # arXiv 2409.02060
                ("PaLM 62B", 62.5e9, 0.01),  # arXiv 2204.02311, table 1
                ("Command R Plus", 104e9, 0.01),  # model card
                ("GLM 4.5", 355e9, 0.02),  # arXiv 2508.06471, its layer for two tokens besides
                ("MPT-30b", 30e9, 0.01)):  # model card: 29.95B
            self.assertLess(abs(self.parameters(name) / wanted - 1.0), within, name)

    def test_names(self):
        for text, name in (
                ("LLAMA3.1_405B", "Llama 3 405B"), ("Llama 3.1 405B-proxy (30 layers)", "Llama 3 405B"),
                ("LLAMA2-70B", "Llama 2 70B"), ("llama-7b", "Llama 7B"),
                ("Qwen3_235B_a22B (tokendrop)", "Qwen 3 235B A22B"), ("DeepSeekV3 (dropless)", "DeepSeek V3"),
                ("DeepSeek-V3 671B (MoE 256 experts)", "DeepSeek V3"), ("DeepSeek-V2-Lite", "DeepSeek V2 Lite"),
                ("Gemma2 9B", "Gemma 2 9B"), ("Nemotron_3_Super", "Nemotron 3 Super"), ("Nemotron-3-8B", "Nemotron 8B"),
                ("GPT3-175B", "GPT 3 175B"), ("GPT-3 175B", "GPT 3 175B"), ("GPT 1.7B", None),
                ("Llama-style 3.98G", None), ("", None)):
            model = self.models.find(text)
            self.assertEqual(model.get("names").split("|")[0] if model is not None else None, name, text)
        for text, name in (("H100-SXM5-80GB", "h100-sxm"), ("TPU v5 lite", "tpu-v5e"), ("Trillium", "tpu-v6e"),
                           ("abacus", None)):
            self.assertEqual(self.models.accelerator(text), name)

    def test_sources(self):
        """What is stated counts, and a source's name however it is written, but whole words alone."""
        for source, stated, name in (
                ("MosaicML llm-foundry benchmarking", "fsdp", "llm-foundry"), ("LLMFoundry", "fsdp", "llm-foundry"),
                ("the LLM Foundry's tables", "fsdp", "llm-foundry"),
                ("MosaicML llm-foundry benchmarking", "transformers-fsdp", None),
                ("JAX-Toolbox PAX README", "xla", "pax"), ("Impax", "xla", None), ("PAXML", "xla", None),
                ("Narayanan et al., SC 2021", "megatron-lm-2021", None),
                ("Megatron-LM README Jan 2021", "megatron-lm-2021", "megatron-lm-2020"),
                ("DLPerf GPT, Megatron-LM", "megatron-lm-2021", "megatron-lm-2020"),
                ("DLPerf GPT, OneFlow", "none", None),
                ("MLPerf Training v5.1 closed llama31_8b, NVIDIA", "megatron-core", "mlperf-2025"),
                ("MLPerf Training v5.1 closed llama31_8b, Cisco", "megatron-core", "mlperf-2025"),
                ("MLPerf Training v3.1 closed, NVIDIA", "megatron-core", None), ("", "fsdp", None)):
            self.assertEqual(sources.software(source, stated), name, source)
        self.assertEqual(sources.machine("HuggingFace Ultra-Scale Playbook benchmark (nanotron)"), "p5-hf")
        self.assertIsNone(sources.machine("AWS awsome-distributed-training"))
        self.assertEqual(sources.probe("HF ultra-scale bench csv"), (2 ** 30, True))
        self.assertIsNone(sources.probe("nccl-tests"))

    def test_what_sources_name_is_there(self):
        for _, stated, name in sources.SOFTWARE:
            self.assertLessEqual({stated, name}, set(self.program.frameworks))
        self.assertLessEqual({system for _, system in sources.MACHINES}, set(self.program.systems))
        self.assertEqual(framework.name_of(row(source="", framework="NeMo"), self.program), "megatron-core")

    def test_software(self):
        for text, name in (("DDP", "ddp"), ("PyTorch DDP", "ddp"), ("DistributedDataParallel", "ddp"), ("FSDP2", "fsdp"),
                           ("PyTorch FSDP, DDP between", "fsdp"), ("PyTorch", "fsdp"), ("Megatron DDP", "megatron-core"),
                           ("HF Trainer", "transformers-ddp"), ("accelerate", "transformers-ddp"), ("TRL", "transformers-ddp"),
                           ("LLaMA-Factory, DeepSpeed ZeRO-2", "transformers-deepspeed"), ("verl", "verl"),
                           ("ms-swift DeepSpeed ZeRO3", "transformers-deepspeed"), ("Axolotl FSDP2", "transformers-fsdp"),
                           ("Megatron-SWIFT", "megatron-core"), ("Megatron-DeepSpeed", "deepspeed"), ("llm.q", "llm.c"),
                           ("prime-rl", "prime-rl"), ("OLMo-core 2.1", "olmo-core"), ("verl, Megatron", "megatron-core"),
                           ("verl, DeepSpeed", "transformers-deepspeed"), ("Lit-GPT", "litgpt"), ("OneFlow", "none"), ("Unsloth", "transformers-ddp"),
                           ("OpenRLHF", "transformers-deepspeed")):
            self.assertEqual(framework.name_of(row(source="", framework=text), self.program), name, text)

    def test_operators(self):
        layer = "GPT-3 layer prefill (h 12288, bs 8, s 2048), operator "
        for note, machine, wanted in (
                ("batched attention_score 64x2048x256x1024", "A100", ("product", (2048, 256, 1024, 64))),
                (layer + "Q_mul_K", "TP=4", ("product", (2048, 128, 2048, 192))),
                (layer + "A_mul_V", "TP=4", ("product", (2048, 2048, 128, 192))),
                (layer + "Q_K_V", "TP=4", ("product", (16384, 12288, 9216, 1))),
                (layer + "K_proj", "TP=4", ("product", (16384, 12288, 3072, 1))),
                (layer + "Wo_proj", "TP=4", ("product", (16384, 3072, 12288, 1))),
                (layer + "W1_proj", "TP=4", ("product", (16384, 12288, 12288, 1))),
                (layer + "W2_proj", "one", ("product", (16384, 49152, 12288, 1))),
                (layer + "Softmax", "tp 8", ("softmax", (96 * 2048 * 2048, 8))),
                (layer + "LayerNorm_MHA", "TP=4", ("elementwise", (16384 * 12288, 4))),
                (layer + "GeLU", "TP=4", ("elementwise", (16384 * 12288, 4))),
                (layer + "AllReduce_FFN", "TP=4", ("all-reduce", (16384 * 12288, 4))),
                ("decode (h 4096, mb 4, s 1024, 16 heads), operator Q_mul_K", "A100", ("product", (1, 256, 1024, 64)))):
            self.assertEqual(products.kernel_of(row(note=note, gpu=machine)), wanted, note)
        for note, part in (
                ("", "wanted sides M, N and K"), ("h 64, bs 1, s 8, operator Dance", "wanted an operator such as Q_mul_K"),
                ("bs 1, s 8, operator Softmax", "wanted a layer such as"),
                ("h 64, s 8, operator Softmax", "wanted a layer such as"),
                ("h 64, bs 1, operator Softmax", "wanted a layer such as")):
            with self.assertRaises(Refusal, msg=note) as caught:
                products.kernel_of(row(note=note, gpu=""))
            self.assertIn(part, str(caught.exception))

    def exchange(self, size, variant, ranks, domains):
        fields = row(bytes_as_stated=size, variant=variant)
        run = collectives.exchange(fields, collectives.exchange_of(fields), ranks, domains)
        return {name: float(value) for name, value in (word.split("=") for word in run.split(" ")[1:])}

    def test_exchanges(self):
        """DeepEP's table: 128 tokens of 7168 in 77 us are 98 GB/s dispatched in fp8, in 114 us 127 GB/s combined in bf16
        (docs/legacy.md, low-latency kernels, EP 8); two digits of time."""
        size = "128 tok x 7168, top-8"
        self.assertAlmostEqual(self.exchange(size, "dispatch (low-latency)", 8, 1)["each"] / 77e-6 / 98e9, 1, delta=0.01)
        self.assertAlmostEqual(self.exchange(size, "combine (low-latency)", 8, 1)["each"] / 114e-6 / 127e9, 1, delta=0.02)
        normal = self.exchange("1 tok x 128, top-8", "dispatch", 512, 64)  # fp8 with a scale: 132 bytes
        self.assertAlmostEqual(normal["across"] / 132, 4 * (1 - 0.75 ** 8))
        self.assertAlmostEqual(normal["inside"] / 132, 32 * (1 - (31 / 32) ** 8))
        self.assertAlmostEqual(self.exchange("1 tok x 128, top-8", "dispatch", 2, 2)["across"] / 132, 2 * (1 - 0.5 ** 8))
        for bad in ("", "1048576", "tok", "1 tok x 7168", "1 tok x 8, top-2 or so"):
            self.assertIsNone(collectives.exchange_of(row(bytes_as_stated=bad)), bad)

    def test_systems(self):
        for accelerator, system in (("v100-32", "dgx-a100"), ("a800", "dgx-a100"), ("a100-80-pcie", "dgx-a100"),
                                    ("h800", "dgx-h100"), ("gb300", "gb300-nvl72"), ("mi300x", "dgx-h100"),
                                    ("b200", "dgx-b200")):
            self.assertEqual(collectives.system_of(accelerator), system)

    def test_transports(self):
        """Networks and machines of clouds, as tables and papers write them."""
        for text, name in (("2x p5.48xlarge", "efa"), ("p5en.48xlarge, EFA", "efa"), ("p6-b200.48xlarge", "efa"),
                           ("H100 + EFA (a cluster)", "efa"), ("2x p4d.24xlarge, EFA", "efa-1"), ("p4de", "efa-1"),
                           ("2x a3-highgpu-8g (TCPX)", "tcpx"), ("a3-megagpu-8g", "tcpxo"), ("GPUDirect-TCPXO", "tcpxo"),
                           ("2x a3-ultragpu-8g (H200)", "gib"), ("Alps, Slingshot 11", "cxi"), ("Slingshot-11", "cxi"),
                           ("Polaris, Slingshot 10", None), ("4 Omni-Path per node", "omni-path"), ("MI300X, CX7", None),
                           ("gp5.48", None), ("80 GiB", None), ("NCCL/gIB on A4", "gib"), ("EFAv3", "efa"),
                           ("", None)):
            self.assertEqual(words.transport(text), name, text)

    def test_what_is_restated_stays(self):
        """A file in the new columns is copied; the script's output of a row is what the program reads of it."""
        text = ("id,source,model,layers,hidden,heads,seq,vocab,accelerator,accelerators,tp,pp,micro_batch,global_batch,"
                "iteration_s\na,some,m,4,1024,16,512,51200,a100-80,8,2,1,1,8,0.05\nb,some,Unheard 5B,,,,,,h100,8,,,,8,1\n")
        with tempfile.TemporaryDirectory() as folder:
            old, new = pathlib.Path(folder, "old.csv"), pathlib.Path(folder, "new.csv")
            old.write_text(text, encoding="utf-8")
            script = [sys.executable, SOURCE / "validation/prepare.py"]
            new.write_bytes(subprocess.run([*script, old], check=True, capture_output=True).stdout)
            again = subprocess.run([*script, new], check=True, capture_output=True).stdout
            self.assertEqual(again.decode(), new.read_text(encoding="utf-8"))
            rows = list(csv.DictReader(new.read_text(encoding="utf-8").splitlines()))
            self.assertIn("tp=2", rows[0]["workload"].split(" "))
            self.assertIn("Unheard 5B", rows[1]["refused"])
            answers = [subprocess.run([os.environ["LIGHTPATH"], "validate", f"--cases={path}"], capture_output=True,
                                      check=True).stdout.replace(path.name.encode(), b"") for path in (old, new)]
            self.assertEqual(*answers)


if __name__ == "__main__":
    unittest.main()
