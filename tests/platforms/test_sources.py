#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbers of technologies.xml, systems.xml and reliability.xml that follow from others: from counts that their sources list, from
physics, from a part's own name, or from what one machine has several entries for."""
import pathlib
import re
import unittest
import xml.etree.ElementTree as ElementTree

PLATFORMS = pathlib.Path(__file__).resolve().parents[2] / "platforms"
TECHNOLOGIES, RELIABILITY = PLATFORMS / "technologies.xml", PLATFORMS / "reliability.xml"
SYSTEMS = PLATFORMS / "systems.xml"
UNITS = {"GBps": 1e9, "pJ/bit": 1e-12, "Gbps": 1e9, "Tbps": 1e12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "W": 1.0, "USD": 1.0, "h": 1.0,
         "m": 1 / 60, "s": 1.0, "": 1.0}
LIGHT_M_PER_S = 299792458.0


def number(text):
    value, unit = re.fullmatch(r"([\d.]+)(.*)", text).groups()
    return float(value) * UNITS[unit]


class Technologies(unittest.TestCase):
    def setUp(self):
        self.entries = {one.get("name"): {part.get("name"): [number(part.get(key)) for key in ("value", "up-to") if part.get(key)]
                                          for part in one} for one in ElementTree.parse(TECHNOLOGIES).getroot()}

    def test_light(self):
        """Glass has a group index of 1.47 (silica at 1,550 nm) to 1.5."""
        for name, its in self.entries.items():
            if "latency-per-metre" in its:
                self.assertAlmostEqual(its["latency-per-metre"][0], 1.5 / LIGHT_M_PER_S, delta=0.03 * 1.5 / LIGHT_M_PER_S, msg=name)

    def test_energy_of_modules(self):
        """A module at full rate takes its power over its rate for a bit: 19 to 20 pJ with a DSP (mapyourtech.com), 10 to 15
        without (public text), 11.3, 6.8 to 6.9 and 4.4 beside a switch chip, by 9, 5.4 to 5.5 and 3.5 W for 800 Gb/s."""
        for name, low, high in (("pluggable-800g", 19, 20), ("pluggable-800g-opus", 19, 20), ("linear-800g", 10, 15),
                                ("co-packaged-nvidia", 11.3, 11.3), ("co-packaged-bailly", 6.8, 6.9), ("co-packaged-davisson", 4.4, 4.4)):
            its = self.entries[name]
            with self.subTest(name):
                powers = its["transceiver-power"]
                for power, energy in ((powers[0], low), (powers[-1], high)):
                    # 15 W is what 19 pJ are rounded to.
                    self.assertAlmostEqual(power / its["rate"][0] / 1e-12 / energy, 1.0, delta=0.055)
                if name.startswith("co-packaged"):
                    self.assertAlmostEqual(its["energy-per-bit"][0], powers[-1] / its["rate"][0], delta=0.1e-12)
        # The electrical lanes of a host are among what 21 and 13 pJ count, beside the module.
        self.assertGreater(self.entries["pluggable-800g"]["energy-per-bit"][0], 16 / 800e9)
        self.assertLess(self.entries["linear-800g"]["energy-per-bit"][0], self.entries["pluggable-800g"]["transceiver-power"][0] / 800e9)

    def test_names(self):
        """A part that is named after its ports or its rate has them."""
        n = 0
        for name, its in self.entries.items():
            with self.subTest(name):
                if (found := re.search(r"(?<!\d)(\d+)g(?![a-z])", name)) and "rate" in its:
                    self.assertEqual(its["rate"][0], float(found[1]) * 1e9)
                    n += 1
                if "ports" in its and (found := re.search(r"-r?s?(\d{2,})(?:x\d+g.*)?$", name)):
                    self.assertEqual(its["ports"][0], float(found[1]))
                    n += 1
                if name.startswith("wdm") and (found := re.search(r"-(\d+)$", name)):
                    self.assertEqual(its["wavelengths"][0], float(found[1]))
        self.assertGreater(n, 20)

    def test_devices(self):
        """51.2 Tb/s of Tomahawk 5; 25.6 of a QM9700 and 115.2 of a Q3400 each way; TeraPHY's 8 Tb/s; 16 and 8 wavelengths."""
        for name, rate in (("tomahawk-5", 51.2e12), ("qm9700", 25.6e12), ("electrical-64x400g-opus", 25.6e12),
                           ("electrical-144x800g-opus", 115.2e12)):
            self.assertAlmostEqual(self.entries[name]["ports"][0] * self.entries[name]["rate"][0] / rate, 1.0)
        self.assertEqual(self.entries["optical-io-teraphy"]["rate"], [8e12])
        waveguides = self.entries["waveguide-substrate"]
        self.assertAlmostEqual(waveguides["wavelengths"][0] * waveguides["wavelength-rate"][0], 448e9)

    def test_one_family(self):
        """Polatis' switches differ in ports; the time from the command on holds the beam's, and the link's comes after it."""
        family = [its for name, its in self.entries.items() if name.startswith("piezo-polatis")]
        for key in ("settling-time", "switching-time", "relock-time", "insertion-loss-db", "port-price"):
            self.assertEqual(len({tuple(its[key]) for its in family}), 1, key)
        first = family[0]
        self.assertGreater(first["switching-time"][0], first["settling-time"][-1])
        self.assertLess(first["switching-time"][-1], 60e-3)  # its 99th percentile
        self.assertGreater(first["relock-time"][0], 100 * first["switching-time"][-1])
        self.assertEqual(self.entries["piezo-polatis-192"]["power"][0] * 4 / 3, self.entries["piezo-polatis-384"]["power"][0])
        # 100,000 to 120,000 USD for 300 ports.
        r300 = self.entries["mems-lumentum-r300"]
        for price, whole in zip(r300["port-price"], (100e3, 120e3)):
            self.assertAlmostEqual(price * r300["ports"][0] / whole, 1.0, delta=0.011)
        # 20 mW for each element that is held: 32 ports of a Benes network have 32 / 2 (2 log2 32 - 1) = 144, of a crossbar 496.
        self.assertTrue(144 * 0.02 < self.entries["heater-mzi-32"]["power"][0] <= 32 * 31 / 2 * 0.02 + 0.1)

    def test_prices(self):
        """Prices grow with the rate, and of one bit fall or stay."""
        for family, key in (("pluggable", "transceiver-price"), ("pluggable", "card-price"), ("electrical", "port-price")):
            prices = [self.entries[f"{family}-{rate}g"][key][0] for rate in (100, 200, 400, 800)]
            self.assertEqual(prices, sorted(prices), (family, key))


class Systems(unittest.TestCase):
    """GB/s, one way."""

    def setUp(self):
        self.systems = {one.get("name"): {part.get("name"): part.get("value") for part in one}
                        for one in ElementTree.parse(SYSTEMS).getroot()}

    def value(self, system, name):
        return number(self.systems[system][name])

    def test_domains(self):
        """NVLink: links of 25 GB/s, 50 from Blackwell on; an MI300X has 7 of 64, an MI355X 7 of 76.8; PCIe has 16 lanes of
        128 bits in 130; a TPU has two links an axis; a domain's route has two links of 0.47 us together."""
        links = {"v100-32": 6 * 25, "a100-40": 12 * 25, "a100-64": 12 * 25, "a100-80": 12 * 25, "h100-sxm": 18 * 25, "h100-sxm-64": 18 * 25,
                 "h800": 8 * 25, "b200": 18 * 50, "b300": 18 * 50, "gb200": 18 * 50, "gb300": 18 * 50, "mi300x": 7 * 64,
                 "mi355x": 7 * 76.8}
        lanes = {"pcie-3": 8, "pcie-4": 16, "pcie-5": 32}
        axes = {"tpu-v4-slices": (3, 50), "tpu-v5e-slices": (2, 50), "tpu-v5p-slices": (3, 100), "tpu-v6e-slices": (2, 100),
                "tpu-v7x-slices": (3, 100)}
        n = 0
        for name, its in self.systems.items():
            wanted = links.get(its.get("accelerator"))
            if name in lanes:
                wanted = lanes[name] * 16 * 128 / 130 / 8
            if name in axes:
                wanted = 2 * axes[name][0] * axes[name][1]
            if wanted is not None and "domain-bandwidth" in its:
                self.assertAlmostEqual(self.value(name, "domain-bandwidth") / 1e9 / wanted, 1.0, delta=0.004, msg=name)
                n += 1
            if "domain-latency" in its:
                self.assertIn(its["domain-latency"], ("235ns", "31ns") if name in axes else ("235ns",), name)
        self.assertGreater(n, 25)

    def test_cards(self):
        """Cards, Gb/s: what accelerators have of them together is a card; a route by InfiniBand takes 2.7 us, on 2, 4 or 5 links."""
        cards = {"dgx-1": 100, "dgx-2": 100, "dgx-a100": 200, "dgx-h100": 400, "dgx-b200": 400, "dgx-b300": 800, "polaris": 100,
                 "marenostrum-5": 200, "leonardo": 100, "ocs": 200, "hgx-h800": 400, "mi300x-platform": 400, "mi355x-platform": 400,
                 "gb200-nvl72": 400, "gb300-nvl72": 800, "frontier": 200, "hgx-a100-4nic": 200, "p5": 400, "a3-highgpu": 200,
                 "a3-megagpu": 200, "rail-only": 400, "summit": 100, "lassen": 100, "jean-zay-v100": 100, "generic": 200, "trn1": 100}
        for name, rate in cards.items():
            with self.subTest(name):
                card = self.value(name, "scale-out-bandwidth") * self.value(name, "accelerators-per-nic")
                self.assertAlmostEqual(card / (rate * 1e9 / 8), 1.0, delta=1e-6)
                self.assertEqual(self.value(name, "nic-bandwidth") if "nic-bandwidth" in self.systems[name] else card,
                                 rate * 1e9 / 8)
                self.assertIn(self.systems[name]["scale-out-latency"], ("675ns", "1.35us", "540ns", "3us"))


class Reliability(unittest.TestCase):
    def setUp(self):
        self.profiles = {one.get("name"): one for one in ElementTree.parse(RELIABILITY).getroot()}

    def part(self, profile, name):
        return self.profiles[profile].find(f"part[@name='{name}']")

    def test_llama(self):
        """Of 419 unexpected interruptions in 54 days on 16,384 GPUs (arXiv 2407.21783, table 5) each part has the sum of the
        counts that its source lists."""
        parts = [one for one in self.profiles["llama-3"].findall("part")]
        for part in parts:
            counts = re.findall(r"\w (\d+)(?=[,; ]|$)", part.get("source").split(": ", 1)[1])
            listed = sum(map(int, counts)) if part.get("name") != "link" else int(counts[0])
            self.assertEqual(float(part.get("failures")), listed, part.get("name"))
            self.assertEqual(part.get("in"), f"{54 * 24}h")
            wanted = {"host": 16384 / 8, "software": 1}.get(part.get("name"), 16384)
            self.assertEqual(float(part.get("of")), wanted, part.get("name"))
        self.assertEqual(sum(float(part.get("failures")) for part in parts), 419)

    def test_others(self):
        """RSC-1: 1.8 h between failures of 16,384 GPUs; OPT: 2 machines of 128 a day; BLOOM: 1 to 2 GPUs of 48 nodes and 32
        in reserve a week; 2 % of switches in a quarter; a module lasts 0.5 to 1, a co-packaged one 2.6 million hours."""
        for profile, name, failures, of, hours in (("rsc-1", "host", 1, 16384 / 8, 1.8), ("opt-175b", "host", 2, 1024 / 8, 24),
                                                   ("bloom-176b", "accelerator", 1.5, 48 * 8 + 32, 7 * 24),
                                                   ("pluggable", "switch", 0.02, 1, 365 * 24 / 4)):
            its = self.part(profile, name)
            self.assertEqual([number(its.get(key)) for key in ("failures", "of", "in")], [failures, of, hours], profile)
        self.assertEqual(number(self.part("pluggable", "link").get("mtbf")), 1e6 / 2)
        self.assertEqual(number(self.part("co-packaged", "link").get("mtbf")), 2.6e6 / 2)
        self.assertEqual(self.part("tpu-v4", "host").get("availability"), "0.99")

    def test_settings(self):
        """Hosts of 8 GPUs, of 4 TPU v4 (4,096 chips, 1,024 hosts), whose blocks are 4 x 4 x 4; a job that failed is tried
        again after 11 minutes in the median (arXiv 2605.09370), 5 of which find the node; repairs take a day or 4 hours."""
        for name, profile in self.profiles.items():
            its = {one.get("name"): one.get("value") for one in profile.findall("setting")}
            if "host-size" in its:
                self.assertEqual(its["host-size"], "4" if name == "tpu-v4" else "8", name)
            if "detection-time" in its:
                self.assertEqual(its["detection-time"], "5m", name)
            if "scheduling-time" in its:
                self.assertAlmostEqual(number(its["detection-time"]) + number(its["scheduling-time"]), 11 / 60)
            self.assertEqual(its.get("block", "64"), f"{4 ** 3}")
            self.assertIn(its.get("storage-bandwidth"), (None, "2TBps"))
            for part in profile.findall("part"):
                wanted = "4h" if part.get("name") in ("link", "switch") else "24h"
                self.assertIn(part.get("repair"), (None, wanted), (name, part.get("name")))


if __name__ == "__main__":
    unittest.main()
