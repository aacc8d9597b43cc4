#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Public models' configurations are imported with the parameters that they have, or the nearest type is named; plans that
are proposed fit beside the reserve of every command, and run.

Environment: LIGHTPATH (the built program)."""
import json
import os
import pathlib
import tempfile
import unittest

from model_configs import MODELS, llama
from command import Case, run

MAXIMUM = {"llama-3.1-8b": 8192, "deepseek-v3": 4096, "qwen3-32b": 8192, "phi-4": 8192, "llama-2-70b": 4096,
           "gpt-neox-20b": 2048}


class Import(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.xml = os.path.join(folder.name, "workload.xml")

    def write(self, config):
        path = os.path.join(self.folder, "model.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(config if isinstance(config, str) else json.dumps(config))
        return path

    def imported(self, config, *words):
        """What was made of it, and the values of attributes."""
        result = json.loads(self.taken("import", "huggingface", self.write(config), "-o", self.xml, "--format=json",
                                       *words))
        return result, {row["attribute"]: row["value"] for row in result["mapped"]}

    def fault(self, config, *words):
        done = run("import", "huggingface", self.write(config), *words)
        self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
        return done.stderr.strip()

    def test_models(self):
        """Parameters to 4e-3, which pages round to; shapes that no family has are refused with the nearest one."""
        for name, (expected, config) in MODELS.items():
            with self.subTest(name):
                if isinstance(expected, str):
                    self.assertTrue(self.fault(config).endswith(f"; the nearest is {expected}"))
                    continue
                result, values = self.imported(config)
                self.assertAlmostEqual(result["parameters"] / expected, 1.0, delta=4e-3)
                self.assertLessEqual(int(values["seq"]), 8192)
                self.assertEqual(int(values["seq"]), MAXIMUM.get(name, int(values["seq"])))

    def test_nearest(self):
        """By words of the name, and by experts where those leave a choice or say nothing."""
        experts = {"num_experts": 128, "num_experts_per_tok": 8}
        for nearest, config in (
                ("deepseek_v3", {"model_type": "deepseek_v35", "hidden_size": 64}),
                ("deepseek_v2", {"model_type": "deepseek_vl_v2"}),
                ("qwen3", {"model_type": "qwen3_omni", "text_config": {"hidden_size": 64}}),
                ("qwen3_moe", {"model_type": "qwen3_omni_moe", "text_config": {"hidden_size": 64, **experts}}),
                ("mixtral", llama("hunyuan_v1_moe", "x", num_local_experts=256, num_experts_per_tok=8)),
                ("llama", llama("internlm2", "x")), ("gemma3", {"model_type": "gemma3n"}),
                ("deepseek_v3", {"model_type": "my_model", "kv_lora_rank": 512, "n_routed_experts": 64,
                                 "num_hidden_layers": 4})):
            self.assertTrue(self.fault(config).endswith(f"; the nearest is {nearest}"), config["model_type"])

    def test_architectures(self):
        """They say the family where model_type is absent or not known, and only there."""
        for config in (llama("my_llama"), {key: value for key, value in llama().items() if key != "model_type"}):
            result, values = self.imported(config)
            self.assertAlmostEqual(result["parameters"] / 8.03e9, 1, delta=1e-3)
            self.assertIn("architectures", [row["key"] for row in result["unmapped"]])
        _, values = self.imported(llama("llama", "MistralForCausalLM"))
        self.assertNotIn("window", values)
        self.assertIn("model_type", self.fault(llama("other", "OtherForCausalLM")))
        # A later version of a family is another one.
        self.assertIn("nearest", self.fault(llama("other", "DeepseekV35ForCausalLM")))

    def test_left_out(self):
        """Types that no workload describes are refused with the reason; a list of layers is read or refused."""
        self.assertIn("side by side", self.fault(llama("falcon_h1", "FalconH1ForCausalLM")))
        _, config = MODELS["granite-4-h-small"]
        for types in (["mamba"] * 39, ["mamba"] * 39 + ["rwkv"], "mamba"):
            self.assertIn("layer_types: got", self.fault(dict(config, layer_types=types)))
        _, config = MODELS["nemotron-3-nano"]
        for letters in ("M" * 51, "X" * 52, 5):
            self.assertIn("hybrid_override_pattern: got", self.fault(dict(config, hybrid_override_pattern=letters)))
        _, config = MODELS["kimi-linear"]
        for layers in ([0], [28], ["a"], 4):
            self.assertIn("linear_attn_config: got", self.fault(
                dict(config, linear_attn_config=dict(config["linear_attn_config"], full_attn_layers=layers))))

    def test_text_inside(self):
        """The text of a model of images is found under other names, by the names of its classes, too."""
        _, config = MODELS["qwen2.5-vl-72b"]
        inner = dict(config, architectures=["Qwen2ForCausalLM"])
        del inner["model_type"]
        for key in ("text_config", "llm_config", "language_config"):
            result, _ = self.imported({"model_type": "seer", "architectures": ["SeerModel"], key: inner})
            self.assertAlmostEqual(result["parameters"] / 72.7e9, 1.0, delta=4e-3)

    def test_interleaved_windows(self):
        """Command R7B's layers have a window but each fourth."""
        _, values = self.imported(MODELS["command-r7b"][1])
        self.assertEqual((values["window"], values["layer-pattern"]), ("4096", "3*window+1*full"))

    def test_no_plan(self):
        """Where no plan is found: what is wrong with the model, before the memory of the machine."""
        on = ("--system=dgx-a100", "--accelerators=8")
        for config, said in ((dict(llama(), hidden_size=4097), "wanted a divisor of hidden (4097)"),
                             (dict(llama(), num_hidden_layers=9999), "the memory for this model")):
            self.assertIn(said, self.fault(config, *on))

    def test_infinity(self):
        """As Python writes it, where a value may stand; all else is strict."""
        text = json.dumps(llama(limit=[0.0, float("inf")], lowest=float("-inf"), words='Infinity, "Infinity" \\'))
        result, _ = self.imported(text)
        values = {row["key"]: row["value"] for row in result["unmapped"]}
        self.assertEqual((values["limit"], values["lowest"]), ("[0.0,Infinity]", "-Infinity"))
        self.assertIn('Infinity, \\"Infinity\\"', values["words"])
        for bad in (text.replace("Infinity]", "NaN]"), text.replace("Infinity]", "Infinityx]"),
                    text.replace("-Infinity", "- Infinity"), text.replace("8192", "8192Infinity"),
                    text.replace('"limit"', "Infinity")):
            self.assertIn("got no JSON", self.fault(bad))
        self.assertIn("hidden_size: got Infinity, wanted a whole number",
                      self.fault(text.replace("4096", "Infinity", 1)))

    def test_expert_layers(self):
        """moe_layer_freq as a list, and what a workload cannot say of it."""
        _, config = MODELS["deepseek-v3"]
        small = dict(config, num_hidden_layers=6, first_k_dense_replace=0)
        for freq, dense, every, whole in (([0, 1, 1, 1, 1, 1], "1", None, True), ([1] * 6, None, None, True),
                                          ([0, 1, 0, 1, 0, 1], None, "2", True), ([0, 0, 1, 0, 0, 1], None, "3", True),
                                          ([0, 0, 1, 0, 1, 0], "1", "2", True), ([1, 0, 1, 1, 1, 1], None, None, False),
                                          ([0, 1, 1, 0, 1, 1], "1", None, False), ([0] * 6, None, None, True)):
            result, values = self.imported(dict(small, moe_layer_freq=freq))
            self.assertEqual((values.get("dense-layers"), values.get("expert-every")), (dense, every), freq)
            self.assertEqual("experts" in values, any(freq))
            self.assertEqual("moe_layer_freq" in [row["key"] for row in result["unmapped"]], not whole, freq)
        for bad in ([0, 1], [0, 1, 1, 1, 1, 2], [0, 1, 1, 1, 1, "1"], "often"):
            self.assertIn("moe_layer_freq: got", self.fault(dict(small, moe_layer_freq=bad)))

    def test_mistral(self):
        """Mistral's own params.json: parameters that the models are published with, windows layer by layer, and what is
        no transformer or another's file."""
        seven = {"dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32, "n_kv_heads": 8,
                 "norm_eps": 1e-5, "vocab_size": 32000}
        mixture = {"num_experts_per_tok": 2, "num_experts": 8}
        for expected, config in ((7.24e9, seven), (46.7e9, dict(seven, moe=mixture)),
                                 (122.6e9, dict(seven, dim=12288, n_layers=88, hidden_dim=28672, n_heads=96,
                                                vocab_size=32768, model_type="transformer"))):
            result, values = self.imported(config)
            self.assertAlmostEqual(result["parameters"] / expected, 1.0, delta=1e-3)
            self.assertEqual((values["seq"], "window" in values), ("8192", False))
        latent = {"q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
                  "v_head_dim": 128, "moe": {"num_experts": 256, "num_experts_per_tok": 8, "expert_hidden_dim": 2048,
                                             "num_shared_experts": 1, "first_k_dense_replace": 3, "route_every_n": 1}}
        deepseek = dict(seven, dim=7168, n_layers=61, hidden_dim=18432, n_heads=128, n_kv_heads=128, vocab_size=129280)
        expected, own = MODELS["deepseek-v3"]
        result, values = self.imported(dict(deepseek, **latent))
        self.assertEqual((values["experts"], values["shared-experts"], values["dense-layers"]), ("256", "1", "3"))
        self.assertAlmostEqual(result["parameters"] / self.imported(own)[0]["parameters"], 1.0, delta=1e-9)
        _, values = self.imported(dict(seven, sliding_window=[4096, 4096, 4096, None], max_seq_len=32768))
        self.assertEqual((values["window"], values["layer-pattern"]), ("4096", "3*window+1*full"))
        for bad, part in ((dict(seven, model_type="rwkv"), "model_type: got \"rwkv\""),
                          (dict(seven, model_type=3), "model_type: got 3"),
                          ({"dim": 4096, "n_layers": 32, "n_heads": 32, "multiple_of": 256}, "n_kv_heads: got none"),
                          (dict(seven, sliding_window=[4096, 1024]), "sliding_window: got [4096"),
                          (dict(seven, sliding_window=[4096] * 3), "sliding_window: got [4096")):
            self.assertIn(part, self.fault(bad))

    def test_jamba(self):
        """Attention and experts stand where the offsets say; one expert is a network as others have."""
        config = MODELS["jamba-v0.1"][1]
        _, values = self.imported(config)
        self.assertEqual((values["layer-pattern"], values["expert-every"]), ("4*mamba-1+1*full+3*mamba-1", "2"))
        result, values = self.imported(dict(config, num_experts=1, mamba_dt_rank="auto"))
        self.assertFalse({"experts", "selective-rank"} & set(values))
        self.assertNotIn("expert_layer_offset", [row["key"] for row in result["unmapped"]])
        for bad in ({"attn_layer_offset": 8}, {"expert_layer_offset": 2}, {"mamba_dt_rank": "many"}):
            self.assertIn(f"{next(iter(bad))}: got ", self.fault(dict(config, **bad)))

    def test_dropout(self):
        for key in ("hidden_dropout_prob", "hidden_dropout", "resid_pdrop", "residual_dropout"):
            for value, wanted in ((0.1, "yes"), (0.0, "no"), (None, "no")):
                result, values = self.imported(llama(**{key: value}))
                self.assertEqual(values["dropout"], wanted)
                self.assertNotIn(key, [row["key"] for row in result["unmapped"]])
        self.assertIn("hidden_dropout_prob: got 2.0", self.fault(llama(hidden_dropout_prob=2.0)))

    def test_options(self):
        """Length and framework stand as given; a system is as good as its file."""
        _, config = MODELS["llama-3.1-8b"]
        _, values = self.imported(config, "--seq=131072", "--framework=fsdp")
        self.assertEqual((values["seq"], values["framework"], values["dp"]), ("131072", "fsdp", "1"))
        _, values = self.imported(config, "--platform=dgx-h100-64")
        with_file = pathlib.Path(self.xml).read_text(encoding="utf-8")
        self.imported(config, "--system=dgx-h100", "--accelerators=64")
        with_system = pathlib.Path(self.xml).read_text(encoding="utf-8")
        self.assertEqual(with_file.replace("dgx-h100-64.xml", "dgx-h100-64"), with_system)
        for words, part in ((("--system=dgx-h100",), "--system: got it alone"),
                            (("--accelerators=8",), "--accelerators: got it alone"),
                            (("--system=dgx-h100", "--accelerators=8", "--platform=dgx-h100-64"), "--platform: got it"),
                            (("--system=dgx", "--accelerators=8"), "--system: "),
                            (("--system=dgx-h100", "--accelerators=12"), "--accelerators: 12"),
                            (("--seq=0",), "--seq: "), (("--seq=long",), "--seq: "),
                            (("--framework=torch",), "--framework: ")):
            self.assertIn(part, self.fault(config, *words))

    def test_plans(self):
        """They leave a tenth of the memory, as the report of the run counts it, in the length, framework and precision
        that people train with; batches are of some 4 million tokens."""
        for name, system, accelerators, *words in (
                ("llama-3.1-8b", "dgx-h100", 8), ("llama-3.1-70b", "dgx-h100", 64), ("mixtral-8x22b", "dgx-h100", 128),
                ("gemma-2-9b", "dgx-a100", 16), ("olmoe", "dgx-h100", 8), ("phi-2", "dgx-1", 8),
                ("deepseek-v2", "dgx-h100", 256), ("llama-3.1-8b", "tpu-v5p-slices", 64),
                ("qwen3-32b", "dgx-h100", 64, "--framework=torchtitan"), ("glm-4.5-air", "dgx-b200", 64)):
            with self.subTest(name, system=system):
                machine = (f"--system={system}", f"--accelerators={accelerators}")
                _, values = self.imported(MODELS[name][1], *machine, *words)
                platform = os.path.join(self.folder, "machine.xml")
                self.taken("platform", "generate", *machine, "-o", platform)
                result = json.loads(self.taken("estimate", self.xml, platform, "--format=json"))
                memory = result["memory"]
                self.assertTrue(memory["fits"], memory)
                self.assertGreater(memory["reserve_bytes"], 0)
                ranks = int(values["tp"]) * int(values["pp"]) * int(values["dp"])
                self.assertEqual(ranks, accelerators)
                tokens = int(values["global-batch"]) * int(values["seq"])
                least = 4 * int(values["pp"]) * int(values["dp"]) * int(values["micro-batch"]) * int(values["seq"])
                self.assertTrue(2e6 < tokens < 9e6 or tokens == least, tokens)
                usual = "maxtext" if system.startswith("tpu") else "megatron-core"
                self.assertEqual(values["framework"], words[0].split("=")[1] if words else usual)
                self.assertEqual(values["precision"], "fp16" if system == "dgx-1" else "bf16")
        self.assertIn("and its reserve", self.fault(MODELS["deepseek-v3"][1], "--system=dgx-h100", "--accelerators=8"))


if __name__ == "__main__":
    unittest.main()
