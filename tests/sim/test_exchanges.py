#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All-to-alls against bounds of capacity: bytes that cross a cut over its rate, worked out here."""
import json
import random
import unittest

from test_circuits import Machines, opus
from command import run

PLAIN = "--domain-latency=0s --scale-out-latency=0s "
EVERY = ("", "--collapse=off", "--fidelity=message", "--fidelity=message --collapse=off")


class Exchanges(Machines):
    def run_it(self, *words):
        done = run(*words, "--format=json")
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
        return json.loads(done.stdout)

    def exchange_s(self, file, size, options=""):
        return self.run_it("collective", "all-to-all", file, "--library=single-ring",
                           f"--bytes={size}B", *options.split())["runs"][0]["time_s"]

    def machine(self, options):
        return self.generate("m.xml", f"--system=generic {PLAIN}{options}")

    def hold(self, file, size, bound_s, options="", below=1.0 + 1e-6):
        """Flows meet the bound. Messages end one by one, and the last ones leave links idle."""
        for every in EVERY:
            took_s = self.exchange_s(file, size, f"{options} {every}")
            most = max(below, 1.02) if "message" in every else below
            self.assertGreaterEqual(took_s, bound_s * (1.0 - 1e-6), f"{options} {every}")
            self.assertLessEqual(took_s, bound_s * most, f"{options} {every}")

    def test_leaves(self):
        """Blocks that leave a leaf of 32 of 128 ports share its links up, 32 / ratio of them; with
        wide leaves the ports decide."""
        for ratio in (1, 2, 4, 8):
            file = self.machine("--accelerators=128 --domain-size=8 --scale-out-bandwidth=50GBps "
                                f"--leaf-ports=32 --oversubscription={ratio}")
            size = 128 * 10**6
            self.hold(file, size, max(120 * 10**6 / 50e9, 96 * 10**6 * ratio / 50e9))

    def test_large(self):
        """More members than are followed pair by pair, in node and rail order, with hashed paths,
        over rails that never meet, and on a dragonfly."""
        size, leaf, rate = 8, 32, 50e9
        for n, ratio, options, out in (
                (4096, 4, "--port-order=node", 32 * (4096 - 32)),
                (4096, 4, "--port-order=rail --nics-per-domain=8", 32 * (4096 - 32) - 32 * 7),
                (2304, 2, "--port-order=node", 32 * (2304 - 32)),
                (2304, 1, "--port-order=rail --nics-per-domain=8 --joined-rails=no --domain-bandwidth=1TBps",
                 32 * 8 * (2304 // 8 - 32))):
            file = self.machine(f"--accelerators={n} --domain-size={size} --leaf-ports={leaf} "
                                f"--oversubscription={ratio} --nic-bandwidth={rate:.0f}Bps {options}")
            bound_s = max(out / (leaf / ratio), n - size) * 10**6 / rate
            self.assertAlmostEqual(self.exchange_s(file, n * 10**6) / bound_s, 1.0, delta=1e-6, msg=options)

    def test_large_hashed(self):
        """By hash no link carries more than its part of what leaves a leaf by over a sixteenth: of 9,088
        pairs four paths of eight links each get 1/8, give or take."""
        file = self.machine("--accelerators=2304 --domain-size=8 --leaf-ports=32 --oversubscription=4 "
                            "--nic-bandwidth=50GBps --port-order=node --path-choice=hash --paths=8")
        bound_s = 32 * (2304 - 32) / 8 * 10**6 / 50e9
        took_s = self.exchange_s(file, 2304 * 10**6)
        self.assertTrue(bound_s * 1.001 < took_s < bound_s * 1.0625, f"{took_s} {bound_s}")

    def test_large_torus(self):
        """33 of 64 rows of a torus, first along rows: a link along a row carries 528 pairs of places (up
        to 32 steps) to each of 33 rows; one between rows at most 17 x 16 x 64."""
        file = self.machine("--accelerators=4096 --domain-size=1 --topology=torus --dimensions=64x64 "
                            "--turns=no --nic-bandwidth=50GBps")
        took_s = self.exchange_s(file, 2112 * 10**6, "--ranks=2112")
        self.assertAlmostEqual(took_s / (528 * 33 * 10**6 / 50e9), 1.0, delta=1e-6)

    def test_several_groups(self):
        """Four groups, each over all leaves: what leaves a leaf is that of all of them."""
        file = self.machine("--accelerators=128 --domain-size=1 --scale-out-bandwidth=50GBps "
                            "--leaf-ports=32 --oversubscription=4")
        size = 32 * 10**6
        self.hold(file, size, 32 * 24 * 10**6 / (8 * 50e9), "--ranks=32 --groups=4 --strided", 1.01)

    def test_dragonfly(self):
        """Between each two groups of eight ports is one link, which carries 64 blocks each way, 2 MB
        each of 64 MB among 32."""
        file = self.machine("--accelerators=32 --domain-size=1 --topology=dragonfly --scale-out-bandwidth=25GBps "
                            "--group-routers=4 --router-ports=2 --local-links=1 --global-links=1")
        self.hold(file, 64 * 10**6, 64 * 2 * 10**6 / 25e9)

    def test_rails(self):
        """Rails that never meet: of 16 blocks seven stay in the domain and seven change rails over it,
        eight leave by the card."""
        file = self.machine("--accelerators=16 --domain-size=8 --domain-bandwidth=10GBps "
                            "--topology=crossbar --nic-bandwidth=10GBps --nics-per-domain=8 "
                            "--port-order=rail --joined-rails=no")
        for every in ("", "--collapse=off"):
            self.assertAlmostEqual(self.exchange_s(file, 16 * 10**6, every), 14e6 / 10e9, delta=1e-12)
        self.hold(file, 16 * 10**6, 14e6 / 10e9, below=1.1)

    def test_experts(self):
        """In training, simulated and in closed form: 16 all-to-alls, 3/4 of whose bytes leave a leaf
        of 32 ports over eight links; that is contention of the leaf tier."""
        file = self.machine("--accelerators=128 --domain-size=8 --scale-out-bandwidth=50GBps "
                            "--leaf-ports=32 --oversubscription=4")
        bytes_of = 4096 * 4 * 4096 * 2  # tokens, top-k, hidden, bf16
        bound_s = 4 * 4 * 32 * bytes_of * 3 / 4 / (8 * 50e9)
        words = ("gpt3-1.3b", file, *(f"--set={name}" for name in (
            "layers=4", "hidden=4096", "heads=32", "ffn=14336", "seq=4096", "experts=128", "top-k=4",
            "expert-ffn=1024", "tp=1", "pp=1", "dp=128", "ep=128", "micro-batch=1", "zero=0",
            "global-batch=128", "library=single-ring", "embedding=no", "optimizer=none",
            "precision=bf16")), "--ignore-memory", "--framework=none")
        for every in ("", "--collapse=off"):
            result = self.run_it("simulate", *words, *every.split())
            for form in ("simulated", "closed_form"):
                self.assertAlmostEqual(result[form]["terms_s"]["ep"] / bound_s, 1.0, delta=1e-3)
        tiers = self.run_it("contention", *words)["tiers_s"]
        ports_s = 4 * 4 * 120 / 128 * bytes_of / 50e9
        self.assertAlmostEqual(tiers["leaf"] / (bound_s - ports_s), 1.0, delta=0.01)

    def test_experts_of_dragonflies(self):
        """Simulated and in closed form: local links carry blocks on their way between groups, too. In
        groups of four routers with eight ports a link between two routers has 8 x 8 blocks of its
        ports, 8 x 32 on their way out to a group that it leads to, and 32 x 8 that come in from one.
        Leaves of a dragonfly+ have links to two spines for what leaves their four ports."""
        bytes_of = 4096 * 4 * 4096 * 2  # tokens, top-k, hidden, bf16
        for options, experts, n_blocks, n_links in (
                ("dragonfly --group-routers=4 --router-ports=8 --local-links=1 --global-links=8", 128,
                 8 * 8 + 2 * 8 * 32, 1),
                ("dragonfly-plus --group-routers=8 --router-ports=4 --group-spines=2 --global-links=4", 32,
                 4 * 28, 2)):
            file = self.machine("--accelerators=128 --domain-size=4 --nics-per-domain=4 --nic-bandwidth=25GBps "
                                f"--topology={options}")
            result = self.run_it("simulate", "gpt3-1.3b", file, *(f"--set={name}" for name in (
                "layers=4", "hidden=4096", "heads=32", "ffn=14336", "seq=4096", f"experts={experts}", "top-k=4",
                "expert-ffn=1024", "tp=1", "pp=1", "dp=128", f"ep={experts}", "micro-batch=1", "zero=0",
                "global-batch=128", "library=single-ring", "embedding=no", "optimizer=none",
                "precision=bf16")), "--ignore-memory", "--framework=none")
            bound_s = 4 * 4 * n_blocks * bytes_of / experts / (n_links * 25e9)
            for form in ("simulated", "closed_form"):
                self.assertAlmostEqual(result[form]["terms_s"]["ep"] / bound_s, 1.0, delta=1e-6, msg=form + options)

    def test_uneven(self):
        """With experts that are not loaded alike an all-to-all is at least as slow as its busiest leaf
        allows, which is never less than with even ones of the same bytes in all."""
        file = self.machine("--accelerators=32 --domain-size=4 --scale-out-bandwidth=25GBps "
                            "--leaf-ports=8 --oversubscription=4")
        words = ("mixtral-8x7b", file, "--set=layers=2", "--set=tp=1", "--set=pp=1", "--set=virtual-stages=1", "--set=schedule=1f1b",
                 "--set=dp=32",
                 "--set=ep=8", "--set=global-batch=32", "--set=library=single-ring", "--set=zero=0",
                 "--ignore-memory", "--framework=none")
        even_s, skewed_s, off_s = (
            self.run_it("simulate", *words, *more)["simulated"]["terms_s"]["ep"]
            for more in ((), ("--set=skew=0.5",), ("--set=skew=0.5", "--collapse=off")))
        self.assertGreater(skewed_s, even_s)
        self.assertAlmostEqual(skewed_s / off_s, 1.0, delta=1e-6)

    def test_beside_a_job_without(self):
        """A job without all-to-alls beside one that has them, on other leaves: each takes what it does in a
        scenario of its own."""
        file = self.machine("--accelerators=32 --domain-size=4 --scale-out-bandwidth=25GBps "
                            "--leaf-ports=8 --oversubscription=4")
        common = ('framework="none" library="single-ring" layers="2" virtual-stages="1" schedule="1f1b" tp="1" '
                  'pp="1" dp="16" zero="0" micro-batch="1" global-batch="16"')
        jobs = (f'<job name="experts" workload="mixtral-8x7b" {common} ep="16" experts="16" accelerators="0-15"/>',
                f'<job name="dense" workload="gpt3-1.3b" {common} accelerators="16-31"/>')
        for every in EVERY:
            alone_s, ended_s = [], []
            for members in (jobs[:1], jobs[1:], jobs, jobs[::-1]):
                path = f"{self.folder.name}/scenario.xml"
                with open(path, "w", encoding="utf-8") as out:
                    out.write(f'<scenario name="s">{"".join(members)}</scenario>')
                result = self.run_it("simulate", path, file, "--ignore-memory", *every.split())
                told = {job["name"]: job for job in result["jobs"]}
                alone_s.append({name: job["alone_s"] for name, job in told.items()})
                ended_s.append({name: job["end_s"] for name, job in told.items()})
            own_s = {**alone_s[0], **alone_s[1]}
            for seconds in (*alone_s[2:], *ended_s):
                for name, took_s in seconds.items():
                    self.assertAlmostEqual(took_s / own_s[name], 1.0, delta=1e-9, msg=f"{name} {every}")

    def test_random(self):
        """On drawn machines no level of a tree carries more than its links can."""
        draw = random.Random(39)
        for _ in range(12):
            size, leaf = draw.choice((1, 2, 4, 8)), draw.choice((8, 16))
            n, ratio = draw.choice((32, 64)), draw.choice((1, 2, 4))
            file = self.machine(f"--accelerators={n} --domain-size={size} --leaf-ports={leaf} "
                                f"--oversubscription={ratio} --scale-out-bandwidth=20GBps")
            block = draw.randrange(1, 10**6)
            out = leaf * (n - leaf) * block / (leaf / ratio * 20e9)
            self.hold(file, n * block, max(out, (n - size) * block / 20e9), below=1.2)


if __name__ == "__main__":
    unittest.main()
