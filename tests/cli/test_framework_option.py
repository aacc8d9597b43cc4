#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frameworks on the command line: --framework, what beats what, and where values come from.

Environment: LIGHTPATH (the built program)."""
import json
import pathlib
import sys
import tempfile
import unittest
from xml.etree import ElementTree

from command import Case


class FrameworkOption(Case):
    LINES = (("simulate", "gpt3-125m", "dgx-a100-8"), ("estimate", "gpt3-125m", "dgx-a100-8"),
             ("compare", "gpt3-125m", "dgx-a100-8", "dgx-h100-64"), ("contention", "gpt3-125m", "dgx-a100-8"),
             ("characterize", "gpt3-125m"), ("goodput", "gpt3-125m", "dgx-a100-8"),
             ("workload", "describe", "gpt3-125m"), ("workload", "check", "gpt3-125m"))

    def test_unknown(self):
        """A name that is unknown is refused as the option's, with the nearest; as a setting's, where it is one."""
        for line in self.LINES:
            for name in ("nanotro", ""):
                self.refused(2, f'lightpath: --framework: "{name}" is not one of none, ', *line, f"--framework={name}")
            self.refused(1, "--set framework=nanotro: ", *line, "--set=framework=nanotro")
        self.refused(2, "the nearest is nanotron", *self.LINES[0], "--framework=nanotro")

    def test_words(self):
        """Software is named as people write it; what is not modelled is refused, with the nearest."""
        for word, name in (("NANOTRON", "nanotron"), ("LLaMA-Factory", "transformers-ddp"), ("TRL", "transformers-ddp")):
            self.assertEqual(self.taken("estimate", "gpt3-125m", "dgx-a100-8", f"--framework={word}"),
                             self.taken("estimate", "gpt3-125m", "dgx-a100-8", f"--framework={name}"))
        for line in self.LINES:
            self.refused(2, 'lightpath: --framework: got "veScale", which is not modelled; the nearest is "torchtitan"',
                         *line, "--framework=veScale")
        with tempfile.TemporaryDirectory() as folder:
            config, output = pathlib.Path(folder) / "config.json", pathlib.Path(folder) / "out.xml"
            config.write_text(json.dumps({"model_type": "llama", "hidden_size": 512, "intermediate_size": 1024, "vocab_size": 1000,
                                          "num_attention_heads": 8, "num_hidden_layers": 4, "max_position_embeddings": 2048}))
            line = ("import", "huggingface", config, "-o", output)
            self.refused(2, 'nearest is "torchtitan"', *line, "--framework=veScale")
            self.taken(*line, "--framework=LLaMA-Factory")
            described = json.loads(self.taken("workload", "describe", output, "--format=json"))
            self.assertEqual(described["plan"]["framework"], "transformers-ddp")

    def test_two(self):
        """The option and a setting that name different frameworks are refused; the same one is taken."""
        for line in self.LINES:
            self.refused(2, 'lightpath: --framework: got "nanotron" beside --set framework=none, wanted one framework',
                         *line, "--framework=nanotron", "--set=framework=none")
        line = ("workload", "describe", "gpt3-125m", "--framework=nanotron")
        self.assertEqual(self.taken(*line, "--set=framework=nanotron"), self.taken(*line))

    def test_precedence(self):
        """The option beats the file's framework; a setting, and the file, beat the framework's defaults."""
        described = json.loads(self.taken("workload", "describe", "gpt3-125m", "--framework=nanotron",
                                          "--set=slowdown=1", "--format=json"))
        plan, origins = described["plan"], described["plan_origins"]
        self.assertEqual((plan["framework"], plan["kernels"], plan["slowdown"]), ("nanotron", "eager", 1))
        self.assertEqual({name: origins[name]["origin"] for name in ("framework", "kernels", "slowdown", "tp")},
                         {"framework": "setting", "kernels": "framework", "slowdown": "setting", "tp": "file"})
        self.assertTrue(all(origin.get("source") for origin in origins.values() if origin["origin"] == "framework"))
        asked = json.loads(self.taken("workload", "describe", "gpt3-125m", "--set=framework=nanotron",
                                      "--set=slowdown=1", "--format=json"))
        self.assertEqual(asked, described)

    def test_slowdown(self):
        """What overlaps computing slows it by 18.9 %, the mean that Lee et al. measured (arXiv 2507.03114)."""
        frameworks = ElementTree.parse(pathlib.Path(__file__).resolve().parents[2] / "workloads/frameworks.xml")
        self.assertEqual({one.get("value") for one in frameworks.iter("setting") if one.get("name") == "slowdown"}, {"1.189"})

    def test_compiled(self):
        """What is compiled has no operations one by one, which models of transformers have otherwise."""
        names = ("eager-norms", "eager-rotary", "rotary-slices")
        for framework in ("transformers-deepspeed", "transformers-fsdp", "transformers-ddp", "transformers-5", "verl"):
            for words, wanted in (((), "yes"), (("--set=kernels=eager",), "yes"), (("--set=kernels=fused",), "no")):
                plan = json.loads(self.taken("workload", "describe", "llama-3-8b", f"--framework={framework}", *words,
                                             "--format=json"))["plan"]
                with self.subTest(framework, words=words):
                    self.assertEqual([plan.get(name, "no") for name in names], [wanted] * len(names))

    def test_loops(self):
        """Who calls experts in a loop is told that the host binds; not with CUDA graphs, nor without experts."""
        for model, words, expected in (("mixtral-8x7b", (), True), ("mixtral-8x7b", ("--set=cuda-graphs=yes",), False),
                                       ("mixtral-8x7b", ("--set=expert-loop=no",), False), ("llama-3-8b", (), False)):
            report = json.loads(self.taken("simulate", model, "dgx-h100-64", "--plan=fit", "--framework=transformers-ddp",
                                           "--set=schedule=1f1b", "--set=virtual-stages=1", "--ignore-memory",
                                           "--format=json", *words))
            self.assertEqual(any("a loop in Python" in one for one in report["warnings"]), expected, (model, words))

    def test_described(self):
        """The text says who gave each value, who beats others first, in lines of a page's width."""
        text = self.taken("workload", "describe", "gpt3-125m", "--framework=nanotron", "--set=slowdown=1", "--verbose")
        rows = text.split("where the plan's values come from\n")[1].split("\n\n")[0].split("\n")
        self.assertEqual([row.split()[0] for row in rows if row.startswith("  ") and row[2] != " "],
                         ["setting", "file", "framework", "default"])
        self.assertIn("            kernels=eager: PyTorch runs operations one by one where torch.compile is not called", rows)
        self.assertLessEqual(max(map(len, text.split("\n"))), 100)

    def test_shown(self):
        """Lists and checks name the framework of each workload."""
        listed = [row for row in json.loads(self.taken("workload", "list", "--format=json"))["workloads"]
                  if row["name"] != "dlrm"]  # a program by hand
        self.assertEqual({row["name"]: row["framework"] for row in listed}["gpt3-175b"], "megatron-lm-2021")
        table = self.taken("workload", "list")
        for row in listed:
            self.assertRegex(table, f"(?m)^{row['name']} .* {row['framework']} ")
            self.assertTrue(self.taken("workload", "check", row["name"]).endswith(f", framework {row['framework']}\n"))

    def test_check(self):
        """One line, or all that describe says of the same workload."""
        self.assertEqual(self.taken("workload", "check", "gpt3-175b").count("\n"), 1)
        plan = ["gpt3-175b", "--framework=megatron-core", "--set", "pp=4"]
        self.assertIn("framework megatron-lm-2021", self.taken("workload", "check", *plan[:1]))
        for form in ("--verbose", "--format=json"):
            self.assertEqual(self.taken("workload", "check", *plan, form), self.taken("workload", "describe", *plan, form))
        self.refused(1, "tp: got 3", "workload", "check", "gpt3-175b", "--set", "tp=3")
        self.refused(1, 'library: got "ideal", wanted "single-ring"', "workload", "check", "gpt3-175b", "--set",
                     "library=ideal")
        self.refused(1, 'protocol: "xyz" is not one of', "workload", "describe", "gpt3-175b", "--set", "protocol=xyz")
        self.refused(1, 'protocol: "ll" is not one of', "workload", "check", "gpt3-175b", "--set", "library=rccl",
                     "--set", "protocol=ll")


if __name__ == "__main__":
    sys.exit(unittest.main())
