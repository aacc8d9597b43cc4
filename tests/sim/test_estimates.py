#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The consistent closed form ranks plans as the simulation does: on a tree with a quarter of the
bandwidth above its leaves, with FSDP's overlap and without, with libraries that use all cards.

Plans whose simulated times differ by less than CLOSE may change places. Environment: LIGHTPATH (the
built program)."""
import json
import sys
import tempfile
import unittest

from command import taken

CLOSE = 0.05  # both forms are built of the same kernel times; networks differ by less than this
NEAR = 0.15  # how far the closed form may be from the simulation in any plan here


class Estimates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def generate(self, name, *options):
        path = f"{self.folder}/{name}.xml"
        taken("platform", "generate", *options, "-o", path)
        return path

    def left_out(self, model, *words):
        report = json.loads(taken("estimate", *words, f"--model={model}", "--format=json"))
        return " / ".join(report["amped" if model == "amped" else "closed_form"]["left_out"])

    def test_left_out(self):
        """AMPeD's form says for which settings it has no symbols; both that uneven experts count as even."""
        plan = self.left_out("amped", "gpt3-175b", "dgx-a100-1024", "--set=virtual-stages=2")
        self.assertIn("no symbols for virtual-stages, host-sync", plan)
        for workload, platform, blocks in (("gpt3-125m", "dgx-a100-8", "76 % of them, without logits"),
                                           ("t5-11b", "dgx-a100-1024", "45 % of them, without logits, decoder-layers, head-width")):
            self.assertIn("operations: MFU counts all of the model's, the form takes time for " + blocks,
                          self.left_out("amped", workload, platform))
        self.assertNotIn("operations", plan)
        self.assertNotIn("operations", self.left_out("consistent", "gpt3-125m", "dgx-a100-8"))
        for model in ("consistent", "amped"):
            uneven = self.left_out(model, "mixtral-8x7b", "dgx-h100-64", "--set=skew=0.3")
            self.assertIn("experts: their loads count as even", uneven)

    def test_kernels(self):
        """Those of a micro-batch, times micro-batches, are the computing of every stage together; and text has all rows."""
        for words, stages, micro_batches in (
                (["gpt3-175b", "dgx-a100-1024"], 8, 96),
                (["llama-3-8b", "dgx-h100-64", "--set=dp=64"], 1, 2),
                (["mixtral-8x7b", "dgx-h100-64", "--set=recompute=full"], 4, 16)):
            report = json.loads(taken("estimate", *words, "--kernels", "--format=json"))
            rows = report["kernels"]
            plan = report["plan"]
            self.assertEqual((plan["pp"], plan["global-batch"] // (plan["dp"] * plan["micro-batch"])), (stages, micro_batches))
            computing_s = sum(row["runs"] * row["time_s"] for row in rows) * micro_batches / stages
            self.assertAlmostEqual(computing_s / report["closed_form"]["terms_s"]["compute"], 1.0, delta=1e-12)
            lines = taken("estimate", *words, "--kernels").split("\nkernels of a micro-batch")[1].splitlines()[2:]
            self.assertEqual([line.split()[:3] for line in lines], [[row["pass"], row["block"], row["kernel"]] for row in rows])

    def times(self, workload, platform, base, plans):
        """(simulated, estimated, plan) of each plan."""
        found = []
        for plan in plans:
            settings = [f"--set={setting}" for setting in (base + " " + plan).split()]
            result = json.loads(taken("simulate", workload, platform, "--format=json",
                                    "--ignore-memory", *settings))
            found.append((result["simulated"]["iteration_time_s"],
                          result["closed_form"]["iteration_time_s"], plan))
            self.assertLess(abs(result["difference"]["unexplained_s"]), 0.02 * found[-1][0], plan)
        return found

    def check(self, *arguments):
        times = self.times(*arguments)
        for simulated, estimated, plan in times:
            self.assertLess(abs(estimated / simulated - 1.0), NEAR, (simulated, estimated, plan))
        for a in times:
            for b in times:
                if a[0] < (1.0 - CLOSE) * b[0]:
                    self.assertLess(a[1], b[1], (a, b))

    def test_narrow_tree(self):
        """Leaves of four domains, 4:1: gradients that leave them wait, messages less so."""
        narrow = self.generate("narrow", "--system=dgx-a100", "--accelerators=128",
                               "--leaf-ports=4", "--oversubscription=4")
        self.check("gpt3-13b", narrow,
                   "framework=none library=single-ring zero=0 micro-batch=1 global-batch=256",
                   ["tp=8 pp=1 dp=16", "tp=4 pp=1 dp=32", "tp=8 pp=2 dp=8", "tp=2 pp=4 dp=16",
                    "tp=1 pp=8 dp=16", "tp=4 pp=4 dp=8"])

    def test_tree_matters(self):
        """The same plan takes longer above narrower leaves, by what the simulation says."""
        job = ["gpt3-13b", "", "framework=none library=single-ring zero=0 micro-batch=1 "
               "global-batch=256", ["tp=4 pp=1 dp=32"]]
        for ratio in (1, 2, 4):
            job[1] = self.generate(f"ratio-{ratio}", "--system=dgx-a100", "--accelerators=128",
                                   "--leaf-ports=4", f"--oversubscription={ratio}")
            (simulated, estimated, _), = self.times(*job)
            self.assertAlmostEqual(estimated / simulated, 1.0, delta=0.01)

    def test_sharded(self):
        """FSDP with its overlap, without, and beside tensor and pipeline parallelism."""
        machine = self.generate("h100", "--system=dgx-h100", "--accelerators=64",
                                "--accelerator=h100-sxm-96")
        plans = ["dp=64 tp=1", "dp=64 tp=1 overlap-dp=no overlap-param=no", "dp=8 tp=8",
                 "dp=16 tp=4", "dp=32 tp=2", "dp=16 tp=1 pp=4",
                 "dp=64 tp=1 shard-degree=8 overlap-dp=replicas"]
        self.check("llama-3-8b", machine, "framework=fsdp micro-batch=1 global-batch=128", plans)

    def test_sums_that_wait(self):
        """Sums within a slice wait on chips whose cores do them, those between slices never do."""
        for system, on_cores in (("tpu-v5p-slices", True), ("tpu-v6e-slices", False),
                                 ("dgx-h100", False)):
            machine = self.generate(system, f"--system={system}", "--accelerators=32",
                                    "--domain-size=8")
            base = "precision=bf16 zero=3 tp=1 pp=1 dp=32 micro-batch=8 global-batch=256 overlap-param=yes "
            plans = [f"shard-degree={degree} overlap-dp={value}" for degree in (8, 0)
                     for value in ("yes", "replicas", "no", "accelerator")]
            sets, whole = [], []
            for i, (simulated, estimated, _) in enumerate(
                    self.times("gpt3-1.3b", machine, base + "framework=none", plans)):
                (sets if i < 4 else whole).append((simulated, estimated))
            for kind in (0, 1):
                yes, replicas, no, accelerator = (times[kind] for times in sets)
                self.assertLess(yes, replicas, system)
                self.assertLess(replicas, no, system)
                self.assertEqual(accelerator, replicas if on_cores else yes, system)
                self.assertEqual(whole[1][kind], whole[2][kind], "there is one set of shards")

    def test_little_bandwidth(self):
        """On Polaris FSDP's gathers outlast the computing that they hide behind."""
        self.check("llama-3-8b", "polaris-64",
                   "framework=fsdp library=single-ring micro-batch=1 global-batch=64 dp=64",
                   ["overlap-dp=yes overlap-param=yes", "overlap-dp=no overlap-param=no",
                    "overlap-dp=yes overlap-param=no", "overlap-dp=no overlap-param=yes",
                    "overlap-dp=yes overlap-param=yes recompute=none"])


if __name__ == "__main__":
    sys.exit(unittest.main())
