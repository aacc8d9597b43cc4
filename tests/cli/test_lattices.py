#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tori, plain and twisted: the bound of the all-to-all against arithmetic, and what is simulated
against measurements of TPU v4 (Jouppi et al., ISCA 2023: 1.63 and 1.31 times a plain torus).

Environment: LIGHTPATH (the built program)."""
import pathlib
import tempfile
import unittest

from command import generate, refused, result

# By ports, all as even as can be: sizes n and 2n.
SHAPES = {128: "4,4,8", 256: "4,8,8", 1024: "8,8,16", 2048: "8,16,16"}


class Lattices(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def machine(self, ports, *options):
        return generate(self.folder / f"{ports}{''.join(options)}.xml",
                        f"--system=tpu-v4 --accelerators={ports} {' '.join(options)}")

    def both(self, ports):
        return self.machine(ports, "--turns=yes"), self.machine(ports, "--twist=yes")

    def test_bounds(self):
        """A lattice's mean distance over six links, and the longest dimension of the plain one."""
        for ports, ratio in ((128, 1.745), (256, 1.391), (1024, 1.722), (2048, 1.376)):
            plain, twisted = [result("platform", "describe", file) for file in self.both(ports)]
            with self.subTest(ports=ports):
                self.assertEqual(twisted["dimensions"], SHAPES[ports])
                self.assertEqual((plain["twisted"], twisted["twisted"]), ("no", "yes"))
                faster = twisted["all_to_all_bytes_per_s"] / plain["all_to_all_bytes_per_s"]
                self.assertAlmostEqual(faster, ratio, delta=0.0005)

    def test_said(self):
        """Sizes that a torus would have anyway may be said; they are refused beside other topologies."""
        shape = SHAPES[128].replace(",", "x")
        said = self.machine(128, f"--dimensions={shape}", "--turns=yes")
        self.assertEqual(result("platform", "describe", said)["dimensions"], SHAPES[128])
        refused("--dimensions: ", "platform", "generate", "--system=dgx-a100", "--accelerators=64", f"--dimensions={shape}",
                status=2)

    def time_s(self, file):
        told = result("collective", "all-to-all", file, "--bytes=1GiB")
        self.assertEqual(told["runs"][0]["algorithm"], "torus")
        return told["runs"][0]["time_s"]

    def test_simulated(self):
        for ports, measured in ((128, 1.63), (256, 1.31)):
            plain, twisted = map(self.time_s, self.both(ports))
            with self.subTest(ports=ports):
                self.assertLess(abs(plain / twisted / measured - 1.0), 0.07)
                bound = [result("platform", "describe", file)["all_to_all_bytes_per_s"]
                         for file in self.both(ports)]
                # No simulation is faster than the bound, and the plain one meets it, at the 0.9 of a link that
                # XLA's collectives get.
                bytes_out = (1 << 30) * (ports - 1) / ports / 0.9
                self.assertAlmostEqual(bytes_out / plain / bound[0], 1.0, delta=1e-3)
                self.assertLess(bytes_out / twisted, bound[1])

    def test_training(self):
        """Experts on all ports: the exchange is what the twist makes faster, and nothing else is
        slower for it."""
        runs = []
        for file in self.both(128):
            runs.append(result("simulate", "glam-64e", file, "--ignore-memory",
                                  *(f"--set={setting}" for setting in (
                                      "layers=4", "experts=128", "tp=1", "expert-tp=1", "pp=1",
                                      "dp=128", "ep=128",
                                      "micro-batch=1", "global-batch=128", "framework=none",
                                      "library=single-ring"))))
        plain, twisted = [run["simulated"]["terms_s"]["ep"] for run in runs]
        self.assertAlmostEqual(plain / twisted, 1.6, delta=0.01)
        computing = [run["simulated"]["terms_s"]["compute"] for run in runs]
        self.assertAlmostEqual(computing[0] / computing[1], 1.0, places=12)

    def describe(self, *options):
        return result("platform", "describe", generate(self.folder / "blocks.xml", " ".join(["--system=ocs-torus", *options])))

    def test_blocks(self):
        """A job's torus is of whole blocks, of any shape, around those that failed; TPU v4's 4,096
        chips have 6,144 ports of circuit switches (Jouppi et al., ISCA 2023)."""
        for options, dimensions, blocks in (
                (("--accelerators=128",), "4,4,8", [0, 1]),
                (("--accelerators=512", "--failed-blocks=0,3"), "8,8,8", [1, 2, *range(4, 10)]),
                (("--accelerators=512", "--dimensions=4x8x16"), "4,8,16", [*range(8)]),
                (("--accelerators=192", "--dimensions=4x4x12"), "4,4,12", [0, 1, 2]),
                (("--accelerators=256", "--twist=yes", "--failed-blocks=1"), "4,8,8", [0, 2, 3, 4])):
            with self.subTest(options):
                facts = self.describe(*options)
                self.assertEqual((facts["dimensions"], facts["blocks"]), (dimensions, blocks))
        whole = self.describe("--accelerators=4096", "--turns=no",
                              "--technology=pluggable-400g-opus",
                              "--switch-technology=piezo-polatis-192")["network"]
        self.assertEqual((whole["switch_ports"], whole["transceivers"]), (6144, 6144))
        for options, message in (
                (("--accelerators=4096", "--failed-blocks=5"), "blocks: 63 of 64 work, wanted"),
                (("--accelerators=128", "--failed-blocks=64"), "failed-blocks: block 64, wanted"),
                (("--accelerators=128", "--failed-blocks=3,3"), "block 3 twice, wanted"),
                (("--accelerators=128", "--failed-blocks="), "--failed-blocks: "),
                (("--accelerators=128", "--failed-blocks=-1"), "--failed-blocks: "),
                (("--accelerators=128", "--block-size=0"), "--block-size: "),
                (("--accelerators=96", "--dimensions=4x4x6"), "block-size: 4 for a dimension of 6")):
            with self.subTest(message):
                refused(message, "platform", "generate", "--system=ocs-torus", *options, status=2)

    def test_parts(self):
        """Over a part of a torus links carry what every pair has, as with a flow for each; a whole one can be asked for by
        name."""
        _, twisted = self.both(128)
        for size in ("1MiB", "1GiB"):
            request = ("collective", "all-to-all", twisted, "--ranks=16", "--bytes=" + size)
            part, pairs = result(*request), result(*request, "--algorithm=direct")
            # What a pair has is cut at whole bytes on the wire by itself.
            self.assertAlmostEqual(part["runs"][0]["time_s"] / pairs["runs"][0]["time_s"], 1.0, delta=1e-5)
        refused("wanted all ports of a torus in order", "collective", "all-to-all", twisted, "--ranks=16", "--algorithm=torus")

    def test_refusals(self):
        for system, twist, message in (
                ("tpu-v4", "yes", "--twist: yes for a torus of 4x4x4, wanted sizes n and 2n"),
                ("tpu-v4", "2", '--twist: "2" is not yes or no'),
                ("dgx-a100", "yes", "--twist: given for a fat-tree, wanted it for another topology only")):
            with self.subTest(message):
                refused(message, "platform", "generate", f"--system={system}", "--accelerators=64", f"--twist={twist}", status=2)


if __name__ == "__main__":
    unittest.main()
