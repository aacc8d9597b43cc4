#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All-reduces between two domains, as NCCL and RCCL choose: trees where cards of 100 Gb/s are what is slow, rings
with A100 and cards of 200 Gb/s, against measurements; and the rows for two domains as scripts/nccl-choices has them.

Environment: LIGHTPATH (the built program)."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from command import run

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = {"nccl-volta": "volta", "nccl-volta-quad": "volta-quad", "nccl-volta-switch": "volta-switch",
             "nccl-ampere": "ampere", "nccl-hopper": "hopper", "nccl-blackwell": "blackwell", "nccl-pcie": "pcie"}


class TwoDomains(unittest.TestCase):
    def run_of(self, options, size, *more):
        with tempfile.NamedTemporaryFile(suffix=".xml") as file:
            done = run("platform", "generate", *options.split(), "-o", file.name)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = run("collective", "all-reduce", file.name, f"--bytes={size}", "--format=json", *more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)["runs"][0]

    def test_choices(self):
        """tree: NCCL's estimate is lower, by its search and its limit of a channel (src/graph/search.cc, tuning.cc)."""
        for options, algorithm in (
                ("--system=dgx-1 --accelerators=16 --nics-per-domain=1 --nic-bandwidth=100Gbps", "tree x 8"),
                ("--system=dgx-1 --accelerators=16", "tree x 8"),
                ("--system=dgx-2 --accelerators=32", "tree x 16"),
                ("--system=dgx-a100 --accelerators=16 --nic-bandwidth=100Gbps", "tree x 8"),
                ("--system=dgx-a100 --accelerators=16", "ring x 8"),
                ("--system=dgx-h100 --accelerators=16 --nic-bandwidth=200Gbps", "tree x 8"),
                ("--system=dgx-h100 --accelerators=16 --nic-bandwidth=100Gbps", "tree x 8"),
                ("--system=dgx-h100 --accelerators=16", "in-network+tree"),
                ("--system=dgx-h100 --accelerators=2 --domain-size=1", "ring")):
            with self.subTest(options=options):
                self.assertEqual(self.run_of(options, "1GB")["algorithm"], algorithm)

    def test_measured(self):
        """nccl-tests issue 22: 1 GB took 134 ms by default, 268 ms as rings, two hosts of eight with a card of 100
        Gb/s; NCCL issue 1048 and nccl-tests issue 100: 86 and 91 GB/s of the bus, two of eight A100 with four cards
        of 200 Gb/s each."""
        one = "--system=dgx-1 --accelerators=16 --nics-per-domain=1 --nic-bandwidth=100Gbps"
        default, ring = (self.run_of(one, "1GB", *more)["time_s"] for more in ((), ("--algorithm=ring",)))
        self.assertAlmostEqual(ring / default / (268 / 134), 1.0, delta=0.1)
        four = "--system=dgx-a100 --accelerators=16 --nics-per-domain=4 --nic-bandwidth=200Gbps"
        self.assertAlmostEqual(self.run_of(four, "4GB")["bus_bytes_per_s"] / 88.5e9, 1.0, delta=0.1)

    def test_table(self):
        text = (ROOT / "platforms" / "libraries.xml").read_text()
        for library, machine in LIBRARIES.items():
            own = text[text.index(f'<library name="{library}"'):]
            own = own[:own.index("</library>")]
            printed = subprocess.run([sys.executable, ROOT / "scripts" / "nccl-choices", machine],
                                     capture_output=True, text=True, check=True).stdout
            with self.subTest(library=library):
                rows = [sorted(re.findall(r"<choice [^>]*?/>", part, re.S)) for part in (own, printed)]
                self.assertEqual(*rows)


if __name__ == "__main__":
    unittest.main()
