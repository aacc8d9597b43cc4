#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Network cards keep the rate that a system's have, whatever number of them a domain gets, and what that leaves to an
accelerator is said.

Environment: LIGHTPATH (the built program)."""
import json
import os
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree as xml

from command import Case

SYSTEMS = xml.parse(pathlib.Path(__file__).resolve().parents[2] / "platforms/systems.xml").getroot()
UNITS = {"GBps": 1e9, "Gbps": 1e9 / 8}


def parameters(name):
    """Of a system, with those of the one that it is like."""
    system = next(one for one in SYSTEMS if one.get("name") == name)
    own = parameters(system.get("like")) if system.get("like") else {}
    return own | {one.get("name"): one.get("value") for one in system}


def rate(text):
    return float(text[:-4]) * UNITS[text[-4:]]


def card_of(name):
    """By the words of systems.xml: a card's own rate, or that of the accelerators that share it."""
    of = parameters(name)
    if "nic-bandwidth" in of:
        return rate(of["nic-bandwidth"])
    return rate(of["scale-out-bandwidth"]) * int(of["accelerators-per-nic"])


class Cards(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "machine.xml")

    def described(self, *options):
        self.taken("platform", "generate", *options, "-o", self.file)
        facts = json.loads(self.taken("platform", "describe", self.file, "--format=json"))
        port = [tier for tier in facts["tiers"] if tier["name"] in ("port", "torus")]
        return facts, port[0]["link_bytes_per_s"] if port else None

    def test_every_system(self):
        """One card, one for two accelerators, one for each; planes have a port of a card each; a warning where an accelerator has more or less than the system's."""
        seen = 0
        for system in SYSTEMS:
            name, size = system.get("name"), int(parameters(system.get("name"))["domain-size"])
            if not 1 < size <= 72:
                continue
            for cards in sorted({1, size // 2, size}):
                with self.subTest(name, cards=cards):
                    facts, port = self.described(f"--system={name}", f"--accelerators={4 * size}",
                                                 f"--nics-per-domain={cards}")
                    share = card_of(name) * cards / size
                    own = card_of(name) / int(parameters(name)["accelerators-per-nic"])
                    self.assertAlmostEqual(port * facts["planes"] / card_of(name), 1, delta=1e-9)
                    self.assertAlmostEqual(facts["scale_out_bytes_per_s"] / share, 1, delta=1e-9)
                    self.assertEqual(len(facts.get("warnings", [])), int(abs(share / own - 1) > 1e-6))
                    seen += 1
        self.assertGreater(seen, 50)

    def test_given_rates(self):
        """A rate per accelerator holds, and so does one of a card; a card that is faster than the system's is said."""
        for options, wanted, warned in (
                ("--scale-out-bandwidth=25GBps", 50e9, False), ("--scale-out-bandwidth=50GBps", 100e9, True),
                ("--scale-out-bandwidth=26GBps", 52e9, True), ("--scale-out-bandwidth=10GBps", 20e9, False), ("--nic-bandwidth=100GBps", 100e9, False)):
            facts, port = self.described("--system=dgx-h100", "--accelerators=16", "--nics-per-domain=4", options)
            self.assertEqual(port, wanted)
            self.assertEqual("warnings" in facts, warned)

    def test_words(self):
        """In text, JSON, the file and a run."""
        facts, _ = self.described("--system=dgx-h100", "--accelerators=16", "--nics-per-domain=4")
        warning, = facts["warnings"]
        self.assertEqual(warning, "--nics-per-domain: 4 of dgx-h100's cards, 50 GB/s each, for 8 accelerators are "
                                  "25 GB/s per accelerator, where the system has 50 GB/s")
        self.assertIn(f"warning     {warning}\n", self.taken("platform", "describe", self.file))
        run = json.loads(self.taken("simulate", "gpt3-125m", self.file, "--set=dp=16", "--format=json"))
        self.assertIn(warning, run["warnings"])

    def test_small_differences(self):
        """A card that is a tenth faster than the system's is another."""
        facts, _ = self.described("--system=dgx-h100", "--accelerators=64", "--nics-per-domain=8", "--scale-out-bandwidth=55GBps")
        self.assertIn("warnings", facts)

    def test_published_rate(self):
        """NVIDIA/nccl, issue 1368: all-reduces of large buffers on five hosts of eight H100 with four cards of 400 Gb/s
        each reach 150 to 190 GB/s of bus bandwidth."""
        self.described("--system=dgx-h100", "--accelerators=40", "--nics-per-domain=4")
        run, = json.loads(self.taken("collective", "all-reduce", self.file, "--bytes=1GiB", "--format=json"))["runs"]
        self.assertTrue(150e9 < 2 * 39 / 40 * 2 ** 30 / run["time_s"] < 190e9, run)


if __name__ == "__main__":
    unittest.main()
