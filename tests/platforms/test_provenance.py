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


if __name__ == "__main__":
    sys.exit(unittest.main())
