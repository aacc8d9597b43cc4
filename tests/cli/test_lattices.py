#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tori, plain and twisted: the bound of the all-to-all against arithmetic, and what is simulated
against measurements of TPU v4 (Jouppi et al., ISCA 2023: 1.63 and 1.31 times a plain torus).

Environment: LIGHTPATH (the built program)."""
import json
import pathlib
import tempfile
import unittest

from command import run

# By ports, all as even as can be: sizes n and 2n.
SHAPES = {128: "4,4,8", 256: "4,8,8", 1024: "8,8,16", 2048: "8,16,16"}


class Lattices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def machine(self, ports, *options):
        file = pathlib.Path(self.folder.name, f"{ports}{''.join(options)}.xml")
        done = run("platform", "generate", "--system=tpu-v4", f"--accelerators={ports}",
                         *options, "-o", file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return file

    def json(self, *arguments):
        done = run(*arguments, "--format=json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def both(self, ports):
        return self.machine(ports, "--turns=yes"), self.machine(ports, "--twist=yes")

    def test_bounds(self):
        """A lattice's mean distance over six links, and the longest dimension of the plain one."""
        for ports, ratio in ((128, 1.745), (256, 1.391), (1024, 1.722), (2048, 1.376)):
            plain, twisted = [self.json("platform", "describe", file) for file in self.both(ports)]
            with self.subTest(ports=ports):
                self.assertEqual(twisted["dimensions"], SHAPES[ports])
                self.assertEqual((plain["twisted"], twisted["twisted"]), ("no", "yes"))
                faster = twisted["all_to_all_bytes_per_s"] / plain["all_to_all_bytes_per_s"]
                self.assertAlmostEqual(faster, ratio, delta=0.0005)

    def test_said(self):
        """Sizes that a torus would have anyway may be said; they are refused beside other topologies."""
        shape = SHAPES[128].replace(",", "x")
        said = self.machine(128, f"--dimensions={shape}", "--turns=yes")
        self.assertEqual(self.json("platform", "describe", said)["dimensions"], SHAPES[128])
        done = run("platform", "generate", "--system=dgx-a100", "--accelerators=64",
                         f"--dimensions={shape}")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)

    def time_s(self, file):
        result = self.json("collective", "all-to-all", file, "--bytes=1GiB")
        self.assertEqual(result["runs"][0]["algorithm"], "torus")
        return result["runs"][0]["time_s"]

    def test_simulated(self):
        for ports, measured in ((128, 1.63), (256, 1.31)):
            plain, twisted = map(self.time_s, self.both(ports))
            with self.subTest(ports=ports):
                self.assertLess(abs(plain / twisted / measured - 1.0), 0.07)
                bound = [self.json("platform", "describe", file)["all_to_all_bytes_per_s"]
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
            runs.append(self.json("simulate", "glam-64e", file, "--ignore-memory",
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
        done = run("platform", "generate", "--system=ocs-torus", *options, "-o",
                         pathlib.Path(self.folder.name, "blocks.xml"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.json("platform", "describe", pathlib.Path(self.folder.name, "blocks.xml"))

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
            done = run("platform", "generate", "--system=ocs-torus", *options)
            with self.subTest(message):
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
                self.assertIn(message, done.stderr)

    def test_parts(self):
        """Over a part of a torus links carry what every pair has, as with a flow for each; a whole one can be asked for by
        name."""
        _, twisted = self.both(128)
        for size in ("1MiB", "1GiB"):
            request = ("collective", "all-to-all", twisted, "--ranks=16", "--bytes=" + size)
            part, pairs = self.json(*request), self.json(*request, "--algorithm=direct")
            # What a pair has is cut at whole bytes on the wire by itself.
            self.assertAlmostEqual(part["runs"][0]["time_s"] / pairs["runs"][0]["time_s"], 1.0, delta=1e-5)
        wrong = run("collective", "all-to-all", twisted, "--ranks=16", "--algorithm=torus")
        self.assertEqual(wrong.returncode, 1)
        self.assertEqual(wrong.stderr.count("\n"), 1)
        self.assertIn("wanted all ports of a torus in order", wrong.stderr)

    def test_refusals(self):
        for arguments, status, message in (
                (("platform", "generate", "--system=tpu-v4", "--accelerators=64", "--twist=yes"),
                 2, "--twist: yes for a torus of 4x4x4, wanted sizes n and 2n"),
                (("platform", "generate", "--system=tpu-v4", "--accelerators=64", "--twist=2"),
                 2, '--twist: "2" is not yes or no'),
                (("platform", "generate", "--system=dgx-a100", "--accelerators=64", "--twist=yes"),
                 2, "--twist: given for a fat-tree, wanted it for another topology only")):
            done = run(*arguments)
            with self.subTest(message):
                self.assertEqual(done.returncode, status)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
