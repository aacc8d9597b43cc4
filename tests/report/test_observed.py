#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a page says was observed: bytes are conserved, and links carry no more than they can.

Environment: LIGHTPATH (the built program)."""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

# By the command, whether protocols add nothing to the bytes, and whether rings leave out nothing.
RUNS = {
    "simulate gpt3-175b dgx-a100-1024 --set global-batch=128 --set library=single-ring": True,
    "simulate gpt3-175b dgx-a100-1024 --set global-batch=128": False,
    "simulate mixtral-8x7b dgx-h100-64 --set library=single-ring": True,
    "simulate two-jobs polaris-64 --set library=single-ring": True,
    "simulate busy-fabric dgx-h100-64 --set global-batch=64": False,
    "simulate llama-3-8b dgx-h100-64 --set dp=16 --set global-batch=64 --set library=single-ring "
    "--collapse=off": True}


def observe(line):
    """The document of a run's page."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "page.html"
        subprocess.run([os.environ["LIGHTPATH"], *line.split(), f"--report={path}"], check=True,
                       capture_output=True, text=True)
        found = re.search(r'id="document">\n(.*?)</script>', path.read_text(), re.DOTALL)
    return json.loads(found[1])


class Observed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.documents = {line: observe(line) for line in RUNS}

    def close(self, value, wanted, where, tolerance=1e-9):
        self.assertTrue(math.isclose(value, wanted, rel_tol=tolerance), (where, value, wanted))

    def test_bins(self):
        """The bytes of a series are those of the whole run, and no bin has more than fits."""
        for line, document in self.documents.items():
            observed = document["observed"]
            bin_s, end_s = observed["bin_s"], observed["duration_s"]
            for one in observed["tiers"] + observed["links"]:
                where = (line, one.get("name", one["tier"]))
                self.close(sum(one["bytes_by_class"].values()), one["bytes"], where)
                self.close(one["bytes"] / one["bytes_per_s"] / end_s, one["utilisation"], where)
                if "utilisation_by_bin" not in one:
                    continue
                lengths = [min((i + 1) * bin_s, end_s) - i * bin_s
                           for i in range(len(one["utilisation_by_bin"]))]
                self.close(sum(lengths), end_s, where)
                self.assertLess(max(one["utilisation_by_bin"]), 1.0 + 2e-6, where)
                if "links" in one:
                    mean = sum(share * length for share, length
                               in zip(one["utilisation_by_bin"], lengths)) / end_s
                    self.assertAlmostEqual(mean, one["utilisation"], delta=2e-6, msg=where)

    def test_followed_links(self):
        """Where every flow is simulated, what a link's flows moved is what the program says."""
        line = next(line for line in RUNS if line.endswith("--collapse=off"))
        observed = self.documents[line]["observed"]
        bin_s, end_s = observed["bin_s"], observed["duration_s"]
        followed = [link for link in observed["links"] if "utilisation_by_bin" in link]
        self.assertGreater(len(followed), 10)
        for link in followed:
            lengths = [min((i + 1) * bin_s, end_s) - i * bin_s
                       for i in range(len(link["utilisation_by_bin"]))]
            mean = sum(share * length for share, length
                       in zip(link["utilisation_by_bin"], lengths)) / end_s
            self.assertAlmostEqual(mean, link["utilisation"], delta=2e-6, msg=link["name"])

    def test_pairs(self):
        """What blocks send each other is the traffic of the run, class by class."""
        for line, is_bare in RUNS.items():
            document = self.documents[line]
            jobs = document.get("jobs", [document])
            for name in jobs[0]["traffic_bytes"]:
                wanted = sum(job["traffic_bytes"][name] * job.get("iterations", 1) for job in jobs)
                found = sum(pair["bytes"] for pair in document["observed"]["pairs"]
                            if pair["class"] == name)
                if is_bare:
                    self.close(found, wanted, (line, name))
                else:
                    self.assertGreaterEqual(found, wanted * (1 - 1e-9), (line, name))

    def test_messages(self):
        """Megatron's tensor parallelism sums twice a layer forward and twice backward, in a buffer
        of s b h in two bytes (Narayanan et al., SC 2021, section 3.2); with recomputation twice
        more. The embedding sums once each way, and is another class."""
        line = next(iter(RUNS))
        document = self.documents[line]
        plan = document["plan"]
        sums = [one for one in document["observed"]["messages"]
                if one["class"] == "tp" and one["operation"] == "all-reduce"]
        if plan["sequence-parallel"] == "yes":
            sums = [one for one in document["observed"]["messages"]
                    if one["class"] == "tp" and one["operation"] == "reduce-scatter"]
        size = plan["seq"] * plan["micro-batch"] * plan["hidden"] * 2
        self.assertEqual({one["bytes"] for one in sums}, {size})
        micro_batches = plan["global-batch"] // plan["micro-batch"]
        passes = 6 if plan["recompute"] == "full" else 4
        self.assertEqual(sum(one["count"] for one in sums), passes * plan["layers"] * micro_batches)

    def test_timeline(self):
        """Slices lie in the run, and those of one stream of one rank do not overlap."""
        for line, document in self.documents.items():
            observed = document["observed"]
            lanes = {}
            for one in observed["timeline"]:
                self.assertGreaterEqual(one["start_s"], 0.0, line)
                self.assertLess(one["start_s"], one["end_s"], line)
                self.assertLessEqual(one["end_s"], observed["duration_s"] * (1 + 1e-12), line)
                if one["lane"] == "compute":
                    lanes.setdefault((one.get("job"), one["stage"]), []).append(one)
            for slices in lanes.values():
                slices.sort(key=lambda one: one["start_s"])
                for before, after in zip(slices, slices[1:]):
                    self.assertLessEqual(before["end_s"], after["start_s"] + 1e-9, line)


if __name__ == "__main__":
    sys.exit(unittest.main())
