#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adapters beside frozen weights (LoRA, QLoRA): what is trained, sent, kept and computed follows from the matrices' sizes, and
each rank by itself takes as long as ranks that are alike together.

Environment: LIGHTPATH (the built program)."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.command import refused, result

MACHINE = ("llama-3-8b", "--system=dgx-h100", "--accelerators=8", "--ignore-memory")
PLAN = "tp=1 dp=8 micro-batch=1 global-batch=8 seq=2048 precision=bf16 gradient-precision=bf16 recompute=none separate-projections=yes "
# Of Llama 3 8B: inputs and outputs of each product.
SIZES = {"queries": (4096, 4096), "keys": (4096, 1024), "values": (4096, 1024), "projection": (4096, 4096), "up": (4096, 14336),
         "gate": (4096, 14336), "down": (14336, 4096)}
LAYERS, ALL, ENDS = 32, 8030261248, (2 * 128256 + 1) * 4096
ATTENTION = ("queries", "keys", "values", "projection")


def settings(text):
    return [f"--set={one}" for one in text.split()]


def run(text, *words):
    return result("simulate", *MACHINE, *words, *settings(PLAN + text))


def adapters(rank, targets):
    return LAYERS * sum(rank * sum(SIZES[one]) for one in targets)


class Lora(unittest.TestCase):
    def test_parameters(self):
        """8 ranks of a ring send 14 times the gradients; PEFT prints 3,407,872 and 41,943,040 trainable parameters."""
        for text, wanted in (("lora-rank=8 lora-targets=q_proj,v_proj", 3407872), ("lora-rank=16", 41943040),
                             ("lora-rank=16 lora-targets=attention", adapters(16, ATTENTION)),
                             ("lora-rank=64 lora-targets=up,gate,down", adapters(64, ("up", "gate", "down")))):
            with self.subTest(text):
                done = run(text + " zero=0 library=single-ring", "--no-difference")
                self.assertEqual(done["traffic_bytes"]["dp"], 14 * wanted * 2)
                memory = done["memory"]
                self.assertAlmostEqual(memory["optimizer_bytes"] / (wanted * 12), 1.0, delta=1e-9)
                self.assertAlmostEqual(memory["weights_bytes"] / ((ALL + wanted) * 2), 1.0, delta=1e-9)

    def test_sharded(self):
        """ZeRO 3 gathers all parameters forward and back, and scatters adapters' gradients alone; stage 1 gathers adapters."""
        trained = adapters(16, ATTENTION)
        lora = "lora-rank=16 lora-targets=attention library=single-ring "
        done = run(lora + "zero=3", "--no-difference")
        self.assertAlmostEqual(done["traffic_bytes"]["dp"] / (7 * 2 * (2 * (ALL + trained) + trained)), 1.0, delta=1e-9)
        done = run(lora + "zero=1", "--no-difference")
        self.assertAlmostEqual(done["traffic_bytes"]["dp"] / (7 * 2 * 2 * trained), 1.0, delta=1e-9)

    def test_quantized(self):
        """4 bits, an 8-bit scale for 64 and one of 4 bytes for 256 of these (Dettmers et al., arXiv 2305.14314)."""
        lora = "lora-rank=16 lora-targets=attention library=single-ring quantized-weights=yes "
        trained, bits = adapters(16, ATTENTION), 4 + 8 / 64 + 32 / (64 * 256)
        weights = (ALL - ENDS) * bits / 8 + (ENDS + trained) * 2
        done = run(lora + "zero=0", "--no-difference")
        self.assertAlmostEqual(done["memory"]["weights_bytes"] / weights, 1.0, delta=1e-9)
        sharded = run(lora + "zero=3", "--no-difference")
        self.assertAlmostEqual(sharded["memory"]["weights_bytes"] / (weights / 8), 1.0, delta=1e-9)
        self.assertAlmostEqual(sharded["traffic_bytes"]["dp"] / (7 * (2 * weights + 2 * trained)), 1.0, delta=1e-9)
        plain = run(lora.replace("quantized-weights=yes", "") + "zero=0", "--no-difference")
        self.assertGreater(done["simulated"]["terms_s"]["compute"], plain["simulated"]["terms_s"]["compute"])
        self.assertLess(done["simulated"]["terms_s"]["compute"], 2 * plain["simulated"]["terms_s"]["compute"])

    def test_operations(self):
        """Products but adapters' are forward and for inputs alone, scores' three times; an adapter's go thrice."""
        tokens, rank = 2048, 16
        weights = LAYERS * sum(a * b for a, b in SIZES.values()) + 128256 * 4096
        scores = LAYERS * 4 * 4096 * tokens
        model = tokens * (2 * 2 * weights + 3 * scores)
        rows = result("workload", "kernels", *MACHINE[:-1], *settings(PLAN + f"lora-rank={rank} attention=unfused"))["kernels"]
        frozen = sum(one["flop"] * one["runs"] for one in rows if not one["kernel"].startswith("adapter"))
        adapted = sum(one["flop"] * one["runs"] for one in rows if one["kernel"].startswith("adapter"))
        self.assertAlmostEqual(frozen / model, 1.0, delta=1e-9)
        self.assertAlmostEqual(adapted / (3 * 2 * tokens * adapters(rank, SIZES)), 1.0, delta=1e-9)
        done = run(f"lora-rank={rank} attention=unfused", "--no-difference")["simulated"]
        self.assertAlmostEqual(done["model_tflops_per_accelerator"] * 1e12 * done["iteration_time_s"] / model, 1.0, delta=1e-9)

    def test_collapse_and_closed_form(self):
        for text in ("zero=0", "zero=1 overlap-dp=yes bucket=25MiB", "zero=3 overlap-dp=yes overlap-param=yes", "zero=3 gather-unit=tensor",
                     "zero=0 tp=2 dp=4 sequence-parallel=yes", "zero=3 recompute=full quantized-weights=yes adapter-casts=yes",
                     "zero=0 pp=2 dp=4 global-batch=16 adapter-casts=autocast lora-dropout=yes",
                     "zero=2 experts=8 top-k=2 ep=4 expert-ffn=1024"):
            with self.subTest(text):
                lora = f"lora-rank=32 lora-targets=queries,values,down layers=8 {text} "
                on, off = (run(lora, "--no-difference", f"--collapse={one}") for one in ("on", "off"))
                time_s = on["simulated"]["iteration_time_s"]
                self.assertAlmostEqual(time_s / off["simulated"]["iteration_time_s"], 1.0, delta=1e-6)
                self.assertTrue(0.85 < on["closed_form"]["iteration_time_s"] / time_s < 1.1, on["closed_form"]["iteration_time_s"] / time_s)

    def test_closed_form_is_exact(self):
        """One ring of all ranks, nothing hidden, no host: both add up the same."""
        for text in ("zero=0", "zero=1 overlap-param=no", "zero=3 overlap-param=no"):
            done = run(f"lora-rank=8 lora-targets=attention library=single-ring cuda-graphs=yes overlap-dp=no {text}", "--no-difference")
            for term in ("compute", "dp"):
                self.assertAlmostEqual(done["closed_form"]["terms_s"][term] / done["simulated"]["terms_s"][term], 1.0, delta=1e-9,
                                       msg=(text, term))

    def test_refused(self):
        refused("quantized-weights: got yes, wanted no without lora-rank", "simulate", *MACHINE, *settings(PLAN + "quantized-weights=yes"))
        refused('"q_proj,q" is no list', "simulate", *MACHINE, *settings(PLAN + "lora-rank=8 lora-targets=q_proj,q"))
        refused("lora-rank", "simulate", *MACHINE, *settings(PLAN + "lora-r=8"))


if __name__ == "__main__":
    unittest.main()
