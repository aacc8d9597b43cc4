#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a page says was observed: bytes are conserved, and links carry no more than they can.

Environment: LIGHTPATH (the built program)."""
import json
import math
import pathlib
import re
import sys
import tempfile
import unittest

from command import generate, run

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
        run(*line.split(), f"--report={path}", check=True)
        found = re.search(r'id="document">\n(.*?)</script>', path.read_text(), re.DOTALL)
    return json.loads(found[1])


# By classes of ranks, where leaves and ports are shared; rank by rank it is the same.
GPT3 = ("gpt3-175b {} --set layers=8 --set hidden=1024 --set heads=16 --set ffn=4096 --set vocab=1024 --set seq=512 "
        "--set embedding=no --set micro-batch=1 --set global-batch=32 --set pp=2 --set tp=4 --set dp=8 --set framework=none")
MIXTRAL = ("mixtral-8x7b {} --set layers=8 --set hidden=512 --set heads=8 --set kv-heads=4 --set ffn=1024 --set vocab=1024 "
           "--set seq=512 --set embedding=no --set virtual-stages=1 --set schedule=1f1b --set overlap-pp=no --set pp=2 "
           "--set dp=32 --set ep=8 --set global-batch=64 --set framework=none")
CLASSES = [(GPT3, "--system=dgx-a100 --accelerators=64 --leaf-ports=2 --oversubscription=2"),
           (GPT3 + " --set overlap-dp=yes --set bucket=2MB --set algorithm-dp=tree",
            "--system=generic --accelerators=64 --domain-size=4 --leaf-ports=4 --oversubscription=4"),
           (MIXTRAL, "--system=dgx-h100 --accelerators=64 --leaf-ports=4 --oversubscription=4")]


class Classes(unittest.TestCase):
    """What stands for classes is counted as often as there are members."""
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.lines = []
        for i, (line, options) in enumerate(CLASSES):
            machine = f"{cls.folder.name}/{i}.xml"
            generate(machine, options)
            cls.lines.append(line.format(machine))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def same(self, one, other, where):
        """The same keys and texts; numbers to rounding, shares of a bin to the last digit that is told."""
        self.assertEqual(type(one), type(other), where)
        if isinstance(one, dict):
            self.assertEqual(one.keys(), other.keys(), where)
            for key in one:
                self.same(one[key], other[key], (*where, key))
        elif isinstance(one, list):
            self.assertEqual(len(one), len(other), where)
            for i, pair in enumerate(zip(one, other)):
                self.same(*pair, (*where, i))
        elif isinstance(one, float):
            self.assertTrue(math.isclose(one, other, rel_tol=1e-9, abs_tol=3e-6), (where, one, other))
        else:
            self.assertEqual(one, other, where)

    def test_observed(self):
        for line in self.lines:
            by_classes, by_ranks = (observe(f"simulate {line} --collapse={how}") for how in ("on", "off"))
            self.assertIn("one of each is simulated", by_classes["engine"]["proof"], line)
            one, other = by_classes["observed"], by_ranks["observed"]
            # Merged collectives of a domain are spread over the delay that they are part of.
            tiers = [[tier for tier in found["tiers"] if tier["tier"] != "scale_up"] for found in (one, other)]
            self.same(*tiers, (line, "tiers"))
            for key in ("blocks", "pairs"):
                self.same(one.get(key), other.get(key), (line, key))
            links = {link["name"]: link for link in other["links"]}
            both = [link for link in one["links"] if link["name"] in links and link["tier"] != "scale_up"]
            self.assertGreater(len(both), 10, line)
            for link in both:
                self.same(link, links[link["name"]], (line, link["name"]))
            # What computes is merged, too.
            lanes = [[(row["lane"], row["stage"], row["name"], row["start_s"], row["end_s"]) for row in found["timeline"]
                      if row["lane"] not in ("compute", "tp")] for found in (one, other)]
            self.same(*(sorted(map(list, lane)) for lane in lanes), (line, "timeline"))

    def test_calls(self):
        """characterize takes the mean over all ranks of how long calls take."""
        for line in self.lines:
            found = [json.loads(run("characterize", *line.split(), "--format=json", f"--collapse={how}", check=True).stdout)["operations"] for how in ("on", "off")]
            self.same(*found, (line,))


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
                if "terms_s" in one:
                    self.close(sum(one["terms_s"].values()), one["end_s"] - one["start_s"], (line, one), 1e-4)
                if one["lane"] == "compute":
                    lanes.setdefault((one.get("job"), one["stage"]), []).append(one)
            for slices in lanes.values():
                slices.sort(key=lambda one: one["start_s"])
                for before, after in zip(slices, slices[1:]):
                    self.assertLessEqual(before["end_s"], after["start_s"] + 1e-9, line)


if __name__ == "__main__":
    sys.exit(unittest.main())
