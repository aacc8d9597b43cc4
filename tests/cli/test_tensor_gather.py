#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ZeRO 3 tensor by tensor (gather-unit) sends what a coordinator written here as DeepSpeed's would
gather (deepspeed/runtime/zero/partitioned_param_coordinator.py, __params_to_release), and what is
hidden ends no earlier than computing and sending allow.

Environment: LIGHTPATH (the built program)."""
import itertools
import json
import pathlib
import tempfile
import unittest

from command import taken

RANKS, LAYERS, HIDDEN, BYTES = 16, 6, 1024, 2
ATTENTION = [3 * HIDDEN**2, HIDDEN**2]
MATRICES = ATTENTION + [4 * HIDDEN**2, 4 * HIDDEN**2]
LIMITS = [0, 5 * HIDDEN**2, 8 * HIDDEN**2 + 1, 20 * HIDDEN**2, 31 * HIDDEN**2, 10**9]


def simulate(platform, *settings):
    plan = ["framework=none", "library=single-ring", "embedding=no", f"layers={LAYERS}",
            f"hidden={HIDDEN}", "heads=16", f"ffn={4 * HIDDEN}", "tp=1", "pp=1", f"dp={RANKS}",
            "micro-batch=1", f"global-batch={2 * RANKS}", "zero=3", "gather-unit=tensor",
            "schedule=1f1b", "cuda-graphs=yes", "gradient-precision=fp16", *settings]
    return json.loads(taken("simulate", "gpt3-175b", platform, "--format=json",
                          *(f"--set={setting}" for setting in plan)))


def gathered(recompute, limit):
    """Parameters that a micro-batch gathers: sub-modules in the order in which passes use them, each
    released behind its use unless it comes again before @limit others."""
    forward = [(layer, k) for layer in range(LAYERS) for k in range(len(MATRICES))]
    trace = list(forward)
    for layer in reversed(range(LAYERS)):
        own = [(layer, k) for k in range(len(MATRICES))]
        trace += (own if recompute == "full" else []) + own[::-1]
    there, total = set(), 0
    for step, module in enumerate(trace):
        total += 0 if module in there else MATRICES[module[1]]
        there.discard(module)
        traversed = 0
        for later in trace[step + 1:]:
            if traversed >= limit:
                break
            if later == module:
                there.add(module)
                break
            traversed += MATRICES[later[1]]
    return total


class TensorGather(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.platform = str(pathlib.Path(folder.name, "machine.xml"))
        taken("platform", "generate", "--system=generic", "--domain-size=1", "--topology=crossbar",
            f"--accelerators={RANKS}", "-o", self.platform)

    def test_bytes(self):
        """Of each byte that is gathered or summed every rank but one sends one."""
        for recompute, limit in itertools.product(["none", "full"], LIMITS):
            sums = None
            for ahead in ("no", "yes"):
                result = simulate(self.platform, f"recompute={recompute}",
                                  f"live-parameters={limit}", f"overlap-param={ahead}",
                                  f"gather-bucket={3 * HIDDEN**2}")
                sent = result["traffic_bytes"]["dp"] / (RANKS - 1)
                rest = sent / 2 - gathered(recompute, limit) * BYTES
                parameters = LAYERS * (sum(MATRICES) + 13 * HIDDEN)  # biases and norms besides
                self.assertAlmostEqual(rest / BYTES, parameters, delta=1, msg=(recompute, limit))
                sums = sums or rest
                self.assertEqual(rest, sums)

    def test_hidden(self):
        """Neither computing nor the link ends earlier than it can, and hiding is no loss."""
        alone = simulate(self.platform, "live-parameters=2e7")
        hidden = simulate(self.platform, "live-parameters=2e7", "gather-bucket=4e6",
                          "overlap-param=yes")
        shown, whole = (result["simulated"] for result in (hidden, alone))
        first_s = MATRICES[0] * BYTES * (RANKS - 1) / RANKS / 25e9
        self.assertLess(shown["iteration_time_s"], whole["iteration_time_s"])
        self.assertGreater(shown["iteration_time_s"], whole["terms_s"]["compute"] + first_s)
        self.assertGreater(shown["iteration_time_s"], 0.999 * whole["terms_s"]["dp"])

    def test_buckets(self):
        """Smaller buckets of sums pay more latencies, none that could overflow is filled, and both
        forms know how many there are."""
        times = []
        for bucket in (4 * HIDDEN**2, 8 * HIDDEN**2 + 20 * HIDDEN, 10**9):
            result = simulate(self.platform, f"bucket={bucket}-parameters")
            got, form = (result[key]["iteration_time_s"] for key in ("simulated", "closed_form"))
            self.assertAlmostEqual(got / form, 1.0, delta=1e-9)
            times.append(got)
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertLess(times[2], times[0])

    def test_lists(self):
        """Before each gather the host waits for the device, and slices for each rank while that has
        nothing to do: 10 us a slice, however much there was to compute."""
        for heavy in (1, 8):
            step_s = {}
            for graphs in ("yes", "no"):
                result = simulate(self.platform, "gather-lists=yes", f"cuda-graphs={graphs}",
                                  "live-parameters=1", f"micro-batch={heavy}", "recompute=full",
                                  f"global-batch={heavy * RANKS}", "bucket=1-parameters")
                step_s[graphs] = result["simulated"]["iteration_time_s"]
            gathers = LAYERS * (3 * len(MATRICES) - 1)  # the last of a layer comes again at once
            least_s = gathers * RANKS * 10e-6
            self.assertGreater(step_s["no"] - step_s["yes"], 0.999 * least_s)

    def test_stages(self):
        """What a stage gathers before its message comes is waited for, too: unit by unit and tensor
        by tensor no micro-batch's gathers can be faster than the card."""
        for unit in ("layer", "tensor"):
            result = simulate(self.platform, "pp=2", "dp=8", "global-batch=16", "overlap-param=yes",
                              f"gather-unit={unit}", "prefetch=6", "live-parameters=1e9",
                              "gather-bucket=1e6", "overlap-dp=yes", "gather-ahead=pass")
            card_s = LAYERS / 2 * sum(MATRICES) * BYTES * 7 / 8 / 25e9
            self.assertGreater(result["simulated"]["iteration_time_s"], 2 * 2 * card_s)


if __name__ == "__main__":
    unittest.main()
