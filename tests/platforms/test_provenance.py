#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the catalogue of accelerators says of where its constants come from is true: what was taken
over from another accelerator is what that one has, and what is its own is told."""
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree

CATALOGUE = pathlib.Path(__file__).resolve().parents[2] / "platforms/accelerators.xml"
WORDS = ("as", "own", "calibrated-on", "tested-on")
# The only constants whose sources nobody could name, and that the head of the file lists.
WITHOUT_SOURCE = {"memory-efficiency": {"0.90"}, "launch": {"4us"}, "gemm-ramp": {"256B"},
                  "elementwise-efficiency": {"0.60", "0.50"}, "gemm-efficiency": {"0.70"},
                  "attention-efficiency": {"0.45", "0.35"}, "host kernel": {"30us"},
                  "host collective": {"75us"}}
OURS = re.compile(r"(?:^|; |: )([a-z, -]+?):? ours, without a source")


class Provenance(unittest.TestCase):
    def setUp(self):
        self.accelerators = {node.get("name"): node
                             for node in ElementTree.parse(CATALOGUE).getroot().findall("accelerator")}
        self.parts = [(name, part) for name, node in self.accelerators.items()
                      for part in node if part.tag in ("achievable", "host")]

    def test_taken_over(self):
        """Every value but an accelerator's own is that of the one it was taken over from."""
        n_held = 0
        for name, part in self.parts:
            if part.get("as") is None:
                self.assertIsNone(part.get("own"), name)
                continue
            other = self.accelerators[part.get("as")].find(part.tag)
            own = (part.get("own") or "").split()
            for key, value in part.attrib.items():
                if key in WORDS or (key not in other.attrib and key == "burst-efficiency"):
                    continue
                with self.subTest(accelerator=name, part=part.tag, value=key):
                    if key in own:
                        self.assertNotEqual(value, other.get(key), "not its own")
                    else:
                        self.assertEqual(value, other.get(key))
                        n_held += 1
        self.assertGreater(n_held, 150)

    def test_said(self):
        """The text names the accelerator and what is its own."""
        for name, part in self.parts:
            text = part.get("calibrated-on")
            said = set(re.findall(r"taken over from ([a-z0-9.-]+[a-z0-9])", text))
            with self.subTest(accelerator=name, part=part.tag):
                self.assertEqual(said, {part.get("as")} if part.get("as") else set())
                for key in (part.get("own") or "").split():
                    self.assertIn(key, text)

    def test_without_source(self):
        """The head of the file lists the constants that have no source."""
        head = CATALOGUE.read_text(encoding="utf-8").split("<accelerators>")[0]
        for key, values in WITHOUT_SOURCE.items():
            for value in values:
                self.assertRegex(head, rf"{key}[^;:]*{re.escape(value)}")
        for name, part in self.parts:
            text, prefix = part.get("calibrated-on"), "host " if part.tag == "host" else ""
            for words in OURS.findall(text):
                said = [key for key in part.attrib if re.search(rf"\b{key}\b", words)]
                rest = [key for key in part.attrib if prefix + key in WITHOUT_SOURCE and key not in text]
                for key in said or rest:
                    with self.subTest(accelerator=name, value=key):
                        self.assertIn(part.get(key), WITHOUT_SOURCE[prefix + key])
        efficiencies = {part.get("memory-efficiency") for _, part in self.parts
                        if part.tag == "achievable" and part.get("tiles") != "systolic"}
        self.assertEqual(efficiencies, {"0.90"})

    def test_measured_on_tpus(self):
        """What Google's microbenchmarks reach of the peaks (AI-Hypercomputer/tpu-recipes,
        microbenchmarks/README.md, ironwood/README.md and ironwood/hbm/hbm.md)."""
        measured = {"tpu-v6e": (827.474 / 918, 1359.6 / 1640),
                    "tpu-v7x": (2 * 956.382 / 2307, 2 * 3210.48 / 7380)}
        for name, (product, copy) in measured.items():
            part = self.accelerators[name].find("achievable")
            self.assertAlmostEqual(float(part.get("burst-efficiency")), product, delta=0.005)
            self.assertAlmostEqual(float(part.get("memory-efficiency")), copy, delta=0.005)
            self.assertAlmostEqual(float(part.get("elementwise-efficiency")), copy, delta=0.005)

    def value(self, name, key, part="achievable"):
        return float(self.accelerators[name].find(part).get(key))

    def test_training_of_alone(self):
        """Products in training keep of those alone what an A100's keep, 0.80 of 0.88, or of large arrays a TPU v5p's, 0.75 of
        0.90; a GeForce RTX 3090's best are 1.08 of its peak."""
        for name, burst in (("mi250x-gcd", None), ("mi300x", None), ("mi325x", None), ("mi350x", None), ("rtx-4090", None),
                            ("rtx-3090", 1.08)):
            with self.subTest(name):
                self.assertAlmostEqual(self.value(name, "gemm-efficiency"),
                                       (burst or self.value(name, "burst-efficiency")) * 0.80 / 0.88, delta=0.006)
        self.assertAlmostEqual(self.value("gaudi3", "gemm-efficiency"), 1243.0 / 1677 * 0.75 / 0.90, delta=0.006)

    def test_clock_by_power(self):
        """Power goes with the clock's third power: 500 W hold a chip at 0.89 of what 700 W do."""
        for name in ("h100-sxm-96", "h100-pcie"):
            for key in ("gemm-efficiency", "attention-efficiency", "eager-attention-efficiency", "triton-attention-efficiency"):
                with self.subTest(name, value=key):
                    self.assertAlmostEqual(self.value(name, key), self.value("h100-sxm", key) * (500 / 700) ** (1 / 3), delta=0.006)
        self.assertAlmostEqual(self.value("h100-sxm-96", "burst-efficiency"),
                               self.value("h100-sxm", "burst-efficiency") * (500 / 700) ** (1 / 3), delta=0.006)
        # A seventh of the rate at half of the power: nearer to the peak than any H100, and below it.
        self.assertTrue(0.82 < self.value("h20", "gemm-efficiency") < self.value("h20", "burst-efficiency") < 0.95)

    def test_best_products(self):
        """TFLOP/s of the best products that others found: S. Bekman's table, HazyResearch/HipKittens, analysis/fp8_gemm
        (hipBLASLt), stas00/ml-engineering, issue 76, zzc0721/torch-performance-test-data."""
        for name, rate, peak, within in (("gaudi2", 418.7, 432, 0.01), ("gaudi3", 1243.0, 1677, 0.02),
                                         ("mi350x", 2660.15, 4614, 0.03), ("mi250x-gcd", (127 + 147) / 2, 191.5, 0.03),
                                         ("rtx-4090", 164.8, 165.15, 0.01)):
            with self.subTest(name):
                self.assertAlmostEqual(self.value(name, "burst-efficiency") * peak / rate, 1.0, delta=within)

    def test_attention_of_both_passes(self):
        """Of both passes, 3.5 times the forward pass' FLOP, 2.5 of them backward, heads of 128 under a causal mask, TFLOP/s:
        HazyResearch/HipKittens, analysis/attn (MI355X, 4,096 and 8,192 tokens: composable_kernel, AOTriton, AITER with as
        many heads of keys and with an eighth); Shah et al., arXiv 2407.08608 (H100, FlashAttention-2, 8,192 tokens; a mask
        costs its backward pass what it costs the forward one, 0.89); TileLang (RTX 4090, 2,048 tokens)."""
        def both(forward, backward):
            return 3.5 / (1 / forward + 2.5 / backward)
        for name, key, peak, rates in (
                ("mi355x", "eager-attention-efficiency", 2516.6, (both(755, 456), both(844, 480))),
                ("mi355x", "torch-attention-efficiency", 2516.6, (both(422, 143), both(630.4, 224.0))),
                ("h100-sxm", "eager-attention-efficiency", 989.4, (both(333, 318 * 0.89),)),
                ("rtx-4090", "attention-efficiency", 165.15, (both(151, 99),))):
            with self.subTest(name, value=key):
                self.assertAlmostEqual(self.value(name, key), sum(rates) / len(rates) / peak, delta=0.01)
        self.assertTrue(both(1204.7, 271.7) / 2516.6 < self.value("mi355x", "attention-efficiency") < both(1173.2, 1034.1) / 2516.6)
        # NVIDIA/cudnn-frontend, benchmark/sdpa_benchmark_training: GB300, heads of 128, and of 192 and 128.
        self.assertTrue(0.50 < self.value("gb300", "attention-efficiency") < 0.54)

    def test_same_kernels(self):
        """One kernel on two chips: by shares of the peak, by multiprocessors, or by what instructions reach: Hopper's tensor
        cores 0.63 of their peak by those of an A100 (Luo et al., arXiv 2402.13499)."""
        for name, key, other in (("mi300x", "eager-attention-efficiency", "mi355x"), ("mi325x", "eager-attention-efficiency", "mi355x"),
                                 ("mi300x", "torch-attention-efficiency", "mi355x"), ("mi325x", "torch-attention-efficiency", "mi355x"),
                                 ("mi325x", "attention-efficiency", "mi300x"), ("rtx-3090", "attention-efficiency", "rtx-4090"),
                                 ("a40", "attention-efficiency", "a100-80"), ("a6000", "attention-efficiency", "a100-80"),
                                 ("b300", "attention-efficiency", "gb300"), ("gh200-96", "burst-efficiency", "gh200-144"),
                                 ("v100-16", "gemm-efficiency", "v100-32"), ("v100-16", "gemm-ramp", "v100-32"),
                                 ("v100-16", "elementwise-efficiency", "v100-32"), ("v100-16", "alignment", "v100-32")):
            with self.subTest(name, value=key):
                one, two = (self.accelerators[chip].find("achievable").get(key) for chip in (name, other))
                self.assertEqual(one, two)
        for name in ("b200", "gb200", "gb300", "b300"):
            part = self.accelerators[name].find("achievable")
            self.assertEqual(part.get("torch-attention-efficiency"), part.get("attention-efficiency"), name)
        self.assertAlmostEqual(self.value("gb200", "eager-attention-efficiency") * 2500 / 152,
                               self.value("b200", "eager-attention-efficiency") * 2250 / 148, delta=0.05)
        self.assertAlmostEqual(self.value("h100-sxm", "triton-attention-efficiency"),
                               0.63 * self.value("a100-80", "triton-attention-efficiency"), delta=0.005)

    def test_alike(self):
        """What compilers lay out before the run keeps the same in reserve on all of their chips, and its hosts issue nothing;
        Hopper's products of odd rows, and what a halving of alignment costs, are of one measurement."""
        laid_out = {name: node for name, node in self.accelerators.items() if node.find("reserve") is not None}
        self.assertEqual(len({tuple(sorted((key, text) for key, text in node.find("reserve").attrib.items() if "source" not in key))
                              for node in laid_out.values()}), 1)
        for name in laid_out:
            wanted = 30.0 if name.startswith("gaudi") else 0.0
            for key in ("kernel", "collective"):
                text = self.accelerators[name].find("host").get(key)
                self.assertEqual(float(text[:-2]), wanted if key == "kernel" else wanted * 2.5, (name, key))
        for key in ("odd-efficiency", "misaligned-efficiency"):
            self.assertEqual(len({part.get(key) for _, part in self.parts if part.get(key) and part.get("tiles") != "systolic"}), 1, key)

    def test_fits(self):
        """What the catalogue says of fits: the range within which a value is as good holds the value."""
        for name in ("tpu-v4", "tpu-v5p", "tpu-v6e", "gb300", "a100-80"):
            text = self.accelerators[name].find("achievable").get("calibrated-on")
            low, high = re.search(r"(0\.\d+) to (0\.\d+)(?= as good)", text).groups()
            with self.subTest(name):
                self.assertTrue(float(low) <= self.value(name, "gemm-efficiency") <= float(high))


if __name__ == "__main__":
    sys.exit(unittest.main())
