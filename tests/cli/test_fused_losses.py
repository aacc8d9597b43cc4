#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Losses that are fused with the head's products or not: they multiply the same matrices, pass over logits as often as their
code says, and are chosen by the words that people write.

Environment: LIGHTPATH (the built program)."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.command import refused, result

MACHINE = ("llama-3-8b", "--system=dgx-h100", "--accelerators=8")
PLAN = "framework=none tp=1 pp=1 dp=8 micro-batch=2 global-batch=16 precision=bf16 gradient-precision=bf16 recompute=none "
TOKENS, WIDTH, WORDS = 2 * 8192, 4096, 128256
LOSSES = ("no", "yes", "native", "compiled", "liger", "chunked", "cut")


def settings(text):
    return [f"--set={one}" for one in text.split()]


def head(text):
    rows = result("workload", "kernels", *MACHINE, *settings(PLAN + text))["kernels"]
    return [one for one in rows if one["block"] == "head" and "norm" not in one["kernel"]]


def memory(text):
    return result("simulate", *MACHINE, "--ignore-memory", "--no-difference", *settings(PLAN + text))["memory"]["activations_bytes"]


class FusedLosses(unittest.TestCase):
    def test_products(self):
        """Three of tokens, width and words, whatever fuses them, and one more where logits are made again; of a frozen head one less."""
        product = 2 * TOKENS * WIDTH * WORDS
        for loss in LOSSES:
            with self.subTest(loss):
                for text, n in (("", 3), (" lora-rank=8", 2)):
                    flop = sum(one["flop"] * one["runs"] for one in head(f"fused-loss={loss}{text}"))
                    self.assertAlmostEqual(flop / ((n + (loss == "chunked")) * product), 1.0, delta=1e-12)

    def test_passes(self):
        """Bytes of what only passes over logits: reads and writes of 16 bits, and of fp32."""
        wanted = {"no": (2 + 9 * 4, 2 + 3 * 4), "yes": (3 * 2, 2 * 2), "native": (2 + 6 * 4, 2 + 3 * 4), "compiled": (2, 2 * 2),
                  "liger": (3 * 2, 0), "chunked": (2 + 13 * 4, 3 * 2 + 13 * 4), "cut": (0, 0)}
        for loss, each in wanted.items():
            for passed, bytes_ in zip(("forward", "backward-input"), each):
                got = sum(one["bytes"] * one["runs"] for one in head(f"fused-loss={loss}") if one["pass"] == passed and one["flop"] == 0)
                self.assertEqual(got, bytes_ * TOKENS * WORDS, (loss, passed))

    def test_chunks(self):
        """16,384 tokens, 128,256 words of 4,096: 32 chunks of 512, as the source computes them; all forward."""
        rows = [one for one in head("fused-loss=liger") if one["flop"] > 0]
        self.assertEqual({one["pass"] for one in rows}, {"forward"})
        self.assertEqual({one["products"] for one in rows}, {32})
        self.assertEqual({min(one["m"], one["k"], one["n"]) for one in rows}, {512})

    def test_memory(self):
        kept = {loss: memory(f"fused-loss={loss}") for loss in LOSSES}
        logits = TOKENS * WORDS
        self.assertAlmostEqual(kept["no"] - kept["yes"], 2 * logits)
        self.assertAlmostEqual(kept["compiled"] - kept["yes"], 2 * logits)
        self.assertAlmostEqual(kept["yes"] - kept["cut"], 2 * logits)
        self.assertEqual(kept["chunked"], kept["cut"])
        self.assertAlmostEqual(kept["liger"] - kept["cut"], 2 * 512 * WORDS)

    def test_words(self):
        liger = "fused-loss=liger fused-activation=yes eager-norms=no eager-rotary=no rotary-slices=no"
        for word, same in (("with=liger", liger), ("with=use_liger_kernel,host-sync=passes", liger + " host-sync=passes"),
                           ("with=cut_cross_entropy", "fused-loss=cut"), ("fused-loss=cut-cross-entropy", "fused-loss=cut"),
                           ("fused-loss=transformer_engine", "fused-loss=yes"), ("optimizer=adamw_torch_fused", "eager-optimizer=no"),
                           ("optimizer=paged_adamw_32bit", "eager-optimizer=no"), ("optimizer=adamw_torch", "eager-optimizer=yes"),
                           ("optimizer=adamw_8bit", "optimizer=adam-8bit eager-optimizer=no"),
                           ("optimizer=OptimizerNames.ADAMW_BNB", "optimizer=adam-8bit eager-optimizer=no")):
            with self.subTest(word):
                both = [result("estimate", *MACHINE, *settings(PLAN.replace("framework=none", "framework=transformers-5") + one))
                        for one in (word, same)]
                self.assertEqual(both[0]["plan"], both[1]["plan"])
                self.assertEqual(both[0]["closed_form"], both[1]["closed_form"])
        refused("lige", "estimate", *MACHINE, "--set=with=lige")


if __name__ == "__main__":
    unittest.main()
