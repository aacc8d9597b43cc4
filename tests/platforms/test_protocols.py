#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Protocols of libraries.xml are made of what NCCL counts with, of links and of networks: NCCL 2.30.7 (commit 5067397),
src/graph/tuning.cc, baseLatencies and hwLatencies. Routes of shipped systems take 0.47 us in a domain and 2.7 us beyond."""
import math
import pathlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = ROOT / "platforms/libraries.xml"
INSIDE, OUTSIDE = 0.47, 2.7
# What scripts/nccl-choices calls them.
MACHINES = {"nccl-volta": "volta", "nccl-volta-quad": "volta-quad", "nccl-volta-switch": "volta-switch",
            "nccl-ampere": "ampere", "nccl-hopper": "hopper", "nccl-blackwell": "blackwell", "nccl-pcie": "pcie", "tcp": "tcp"}
KINDS = ("ll", "ll128", "simple")
# NVLS waits for its switches alone, and counts nothing else.
BASE = {"ring": (6.6, 14.0, 8.4), "tree": (6.8, 14.0, 8.4), "switch": (None, None, 25.0)}
NVLINK = {"ring": (0.6, 1.9, 3.4), "tree": (0.6, 1.25, 4.0)}
# A tree's Simple takes what posting to a card costs, three times 2 us, which is more than a ring's 5.7 us.
PCIE = {"ring": (1.0, 2.5, 5.7), "tree": (1.0, 1.9, 6.0)}
NETWORK = {"ring": (2.7, 4.0, 14.0), "tree": (5.0, 8.5, 14.0), "switch": (None, None, 20.9)}
# Fitted to measured collectives of one domain (test_collectives, test_measured_libraries hold them).
FITTED = re.compile(r"nccl-(volta|ampere).*")
UNITS = {"us": 1.0, "s": 1e6, "KiB": 1024, "MiB": 1 << 20, "ns": 1e-3, "GBps": 1.0}


def number(text):
    value, unit = re.fullmatch(r"([\d.]+)(\D*)", text).groups()
    return float(value) * UNITS.get(unit, 1.0)


def kind_of(name):
    """Algorithm and the place of a protocol in NCCL's tables, and whether it leaves the domain."""
    parts = name.split("-")
    algorithm = "switch" if parts[0] == "switch" else "tree" if "tree" in parts else "ring"
    kind = next((KINDS.index(part) for part in parts if part in KINDS), 2)
    return algorithm, kind, parts[0] in ("fabric", "tree", "efa") or parts == ["switch", "tree"]


class Protocols(unittest.TestCase):
    def setUp(self):
        root = ElementTree.parse(LIBRARIES).getroot()
        self.libraries, self.transports = ({one.get("name"): {
            part.get("name"): {key: number(text) for key, text in part.attrib.items() if key not in ("name", "source")}
            for part in one.findall("protocol")} for one in root.findall(what)} for what in ("library", "transport"))
        self.root = root

        self.of_nccl = {name: its for name, its in self.libraries.items() if name.startswith("nccl-")}

    def each(self, libraries, check):
        for library, protocols in libraries.items():
            for name, its in protocols.items():
                with self.subTest(library=library, protocol=name):
                    check(library, name, its, *kind_of(name))

    def test_bases(self):
        def check(library, _, its, algorithm, kind, leaves):
            if leaves or not FITTED.fullmatch(library):
                self.assertAlmostEqual(its["base"], BASE[algorithm][kind])
        self.each(self.of_nccl | self.transports, check)

    def test_hops(self):
        """In rings between domains the steps inside hide behind those outside, and take what LL's do."""
        def check(library, name, its, algorithm, kind, leaves):
            if algorithm == "switch":
                self.assertEqual(its["domain-hop"], 0.0)
            else:
                table = PCIE if library == "nccl-pcie" else NVLINK
                hop = table[algorithm][0 if leaves and algorithm == "ring" else kind]
                self.assertAlmostEqual(its["domain-hop"], hop - INSIDE)
            if library != "nccl-efa-hf" or not leaves:  # of one cluster, measured
                hop = 0.0 if name in ("switch", "switch-72") else NETWORK[algorithm][kind] - OUTSIDE
                self.assertAlmostEqual(its["fabric-hop"], hop)
        self.each(self.of_nccl, check)

    def test_flags(self):
        """Half of what LL sends are flags; LL128 has 120 of 128 bytes of data, which NCCL takes for 0.92, also of what
        the cards' 0.92 pass."""
        for library, protocols in (self.of_nccl | self.transports).items():
            for name, its in protocols.items():
                with self.subTest(library=library, protocol=name):
                    whole = protocols.get(re.sub("ll(128)?", "simple", name)) or protocols.get(name.removesuffix("-ll"))
                    if name.endswith("-ll"):
                        self.assertAlmostEqual(its["fabric-share"], whole["fabric-share"] / 2)
                    if name in ("ll", "fabric-ll", "tree-ll") and not FITTED.fullmatch(library) and library in self.libraries:
                        self.assertAlmostEqual(its["domain-share"], whole["domain-share"] / 2)
                    if name == "ll128" and not FITTED.fullmatch(library):
                        self.assertAlmostEqual(its["domain-share"], 0.92 * whole["domain-share"], places=3)
                    if name.startswith("ll128"):
                        self.assertAlmostEqual(its["fabric-share"], 0.92 * 120 / 128, delta=0.003)
        for library in ("nccl-volta-switch", "nccl-ampere"):
            protocols = self.libraries[library]
            self.assertAlmostEqual(protocols["ll"]["domain-share"], protocols["ll128"]["domain-share"] / 2)
        for library in self.transports:
            self.assertEqual({its["domain-share"] for its in self.transports[library].values()}, {1.0})

    def test_shares_by_links(self):
        """Of a V100's six links a group of a mesh has 1, 4 or 6, of four GPUs 2, 4 or 6; of an MI300X's seven 1 or 3; of a
        TPU's axes each has its part."""
        for library, whole, n_links, groups in (
                ("nccl-volta", "simple-8", 6, {"simple-2": 1, "simple-4": 4}),
                ("nccl-volta", "ll128-8", 6, {"ll128-2": 1, "ll128-4": 4, "ll": 1}),
                ("nccl-volta-quad", "simple-4", 6, {"simple-2": 2, "simple-3": 4}),
                ("nccl-volta-quad", "ll128-4", 6, {"ll128-2": 2, "ll128-3": 4, "ll": 1}),
                ("rccl", "direct", 7, {"simple-2": 1, "simple-4": 3}),
                ("ici-2d", "link", 2, {"axis": 1, "slice": 2}), ("ici-3d", "link", 3, {"axis": 1, "plane": 2, "slice": 3})):
            protocols = self.libraries[library]
            for name, n in groups.items():
                with self.subTest(library=library, protocol=name):
                    self.assertAlmostEqual(protocols[name]["domain-share"], protocols[whole]["domain-share"] * n / n_links,
                                           places=4)
        # The same chip and the same links: what the whole of a domain reaches is one number.
        whole = {self.libraries[library][name]["domain-share"] for library in self.libraries if "volta" in library
                 for name in ("fabric-simple", "tree-simple", max(self.libraries[library], key=lambda one: (
                     one.startswith("simple"), one)))}
        self.assertEqual(len(whole), 1, whole)
        limits = {library: {text for choice in self.root.iter("library") if choice.get("name") == library
                            for one in choice.findall("choice") if (text := one.get("ranks-up-to"))}
                  for library in ("rccl", "ici-2d", "ici-3d")}
        self.assertEqual(limits, {"rccl": {"2", "4"}, "ici-2d": {"16"}, "ici-3d": {"16", "256"}})

    def test_hops_of_tori(self):
        """A hop of a TPU's links takes 1 us (jax-ml/scaling-book, tpus.md): rings both ways over two axes of 16 have 16
        of them, which the systems' 255 hops of two links take, and libraries add nothing."""
        systems = ElementTree.parse(ROOT / "platforms/systems.xml").getroot()
        link, = {part.get("value") for one in systems.iter("system") if one.get("name") == "tpu-v4-slices"
                for part in one.findall("parameter") if part.get("name") == "domain-latency"}
        for library in ("ici-2d", "ici-3d"):
            for name, its in self.libraries[library].items():
                with self.subTest(library=library, protocol=name):
                    ring = its["base"] + 255 * (its["domain-hop"] + 2 * number(link))
                    self.assertAlmostEqual(ring / 16, 1, delta=0.02)
                    self.assertEqual(its["fabric-hop"], its["domain-hop"])

    def test_chunks(self):
        """An eighth of NCCL_BUFFSIZE, 4 MiB, and 8 MiB as Amazon's plug-in sets it; LL's step has 8 lines of 16 B for 512
        threads, half of them flags; trees halve their chunks down to 32 KiB, NVLS has NCCL_NVLS_CHUNKSIZE."""
        def check(library, name, its, algorithm, kind, _):
            large = 8 << 20 if library in ("efa", "efa-1") and name == "fabric-simple" else 4 << 20
            wanted = large / 8
            if name == "fabric-ll" and library not in ("tcp", "omni-path"):
                wanted = 8 * 16 * 512 / 2
            if algorithm == "tree" and kind == 2:
                wanted = 32 << 10
            if name == "switch-tree":
                wanted = 128 << 10 if library != "efa" else 512 << 10
            self.assertEqual(its["chunk"], wanted)
        self.each(self.of_nccl | self.transports, check)

    def test_one_fit(self):
        """One fit gave the bases of all V100's protocols in a domain, one those of A100's LL and LL128, and one share the
        cards of all libraries but Hopper's in Simple."""
        for name, library in (("ll", "volta"), ("simple", "volta"), ("ll", "ampere")):
            bases = {its["base"] for one, protocols in self.of_nccl.items() if library in one for key, its in protocols.items()
                     if re.fullmatch(name + (r"(128)?" if name == "ll" else "") + r"(-\d)?", key)}
            self.assertEqual(len(bases), 1, (name, library))
        efa = {its["fabric-hop"] for name, its in self.libraries["nccl-efa-hf"].items() if name.startswith("efa")}
        self.assertEqual(len(efa), 1, "one network")
        for generation in ("volta", "ampere"):
            shares = {protocols[name]["domain-share"] for library, protocols in self.of_nccl.items() if generation in library
                      for name in ("fabric-ll", "tree-ll")}
            self.assertEqual(len(shares), 1, generation)
        shares = {its["fabric-share"] for library, protocols in self.of_nccl.items() for its in protocols.values()
                  if library not in ("nccl-hopper", "nccl-efa-hf")}
        self.assertEqual(shares, {0.46, 0.86, 0.92})
        hopper = {name: its["fabric-share"] for name, its in self.libraries["nccl-hopper"].items() if kind_of(name)[2]}
        self.assertEqual({share for name, share in hopper.items() if not name.endswith("ll")},
                         {its["fabric-share"] for library in ("efa", "cxi", "gib") for name, its in self.transports[library].items()
                          if not name.endswith("ll")})
        rccl = self.libraries["rccl"].values()  # of one fit to its own measured rings
        self.assertEqual([len({its[key] for its in rccl}) for key in ("base", "domain-hop", "fabric-hop", "fabric-share")], [1] * 4)

    def test_networks(self):
        """A network's own time is the same under every protocol, but for what NCCL has between them, or where Simple waits
        for a host's completion, 3 us; cxi sends short messages as InfiniBand does."""
        for library, more, tree in (("tcp", 11.3, 2.3), ("omni-path", 11.3, 2.3), ("tcpxo", 11.3, 2.3), ("gib", 11.3, 0.0),
                                    ("efa", 3.0, 0.0), ("efa-1", 3.0, 0.0), ("cxi", None, 2.3)):
            with self.subTest(network=library):
                hops = {name: its["fabric-hop"] for name, its in self.transports[library].items()}
                self.assertAlmostEqual(hops["tree-ll"], hops["fabric-ll"] + tree)
                self.assertEqual(len({hop for name, hop in hops.items() if not name.endswith("ll")}), 1)
                if more is not None:
                    self.assertAlmostEqual(hops["fabric-simple"], hops["fabric-ll"] + more)
                self.assertEqual(len({its["fabric-share"] for name, its in self.transports[library].items()
                                      if not name.endswith("ll")}), 1)
        # 8 B between two hosts by sockets take 45.82 and 38.17 us (nccl-tests, issue 82). A small all-reduce between two
        # machines says 28 us on p5 and 21 us on p6-b200 a hop; Amazon's plug-in counts 75 us on p4d
        # (aws-ofi-nccl, src/platform-aws.cpp). Eight GH200 of Alps say 107 and 119 us (docs.cscs.ch, communication/nccl).
        for library, name, hop_us in (("tcp", "fabric-simple", (45.82 + 38.17) / 2 - 8.4 - OUTSIDE),
                                      ("efa", "tree-ll", math.sqrt(28 * 21) - OUTSIDE), ("efa-1", "tree-ll", 75 - OUTSIDE),
                                      ("cxi", "fabric-simple", (107 + 119) / 2), ("omni-path", "fabric-ll", 0.0)):
            with self.subTest(network=library):
                self.assertAlmostEqual(self.transports[library][name]["fabric-hop"], hop_us, delta=0.02 * hop_us)

    def test_cards(self):
        """The fastest cards of each network, Gb/s: sockets reach 4 to 6 GB/s with any card, p6-b300 has two for each GPU."""
        cards = {"tcp": 40, "omni-path": 100, "efa": 800, "efa-1": 100, "cxi": 200, "gib": 400, "tcpx": 200, "tcpxo": 200}
        self.assertEqual({one.get("name"): number(one.get("rate-max")) for one in self.root.findall("transport")},
                         {name: rate / 8 for name, rate in cards.items()})

    def test_same_machines(self):
        """What Hugging Face's cluster does in a domain is what its H100 do, and MVAPICH2's two tables are of one library."""
        hopper, own = self.libraries["nccl-hopper"], self.libraries["nccl-efa-hf"]
        for name in ("ll", "ll128", "simple", "switch"):
            self.assertEqual({**own[name], "fabric-share": 0}, {**hopper[name], "fabric-share": 0}, name)
        for name, its in self.libraries["mvapich2-gdr"].items():
            self.assertEqual(its, self.libraries["lassen-mvapich2"][name], name)

    def test_sends_at_once(self):
        """Libraries have as many as the one that they name."""
        of = {one.get("name"): one for one in self.root.findall("library")}
        taken = {name: match[1] for name, one in of.items()
                 if (match := re.fullmatch("as (.*)", one.get("sends-at-once-source", "")))}
        self.assertGreater(len(taken), 3)
        for name, other in taken.items():
            self.assertEqual(of[name].get("sends-at-once"), of[other].get("sends-at-once"), name)

    def test_choices(self):
        """Rows are as scripts/nccl-choices estimates them, but that sockets have none for LL's broadcasts and reductions, and
        that of the cluster with measured hops those beyond a domain are its own."""
        text = LIBRARIES.read_text(encoding="utf-8")
        for name, machine in (MACHINES | {"nccl-efa-hf": "hopper"}).items():
            own = text[text.index(f' name="{name}"'):]
            own = own[:re.search("</(library|transport)>", own).start()]
            printed = subprocess.run([sys.executable, ROOT / "scripts/nccl-choices", machine],
                                     capture_output=True, text=True, check=True).stdout
            left_out = "broadcast|reduce" if name == "tcp" else "none"
            domains = "one" if name == "nccl-efa-hf" else ""
            with self.subTest(name):
                rows = [sorted(re.findall(rf'<choice operation="(?!(?:{left_out})")[^>]*? domains="{domains}[^>]*?/>', part, re.S))
                        for part in (own, printed)]
                self.assertEqual(*rows)
                self.assertTrue(rows[0])


if __name__ == "__main__":
    unittest.main()
