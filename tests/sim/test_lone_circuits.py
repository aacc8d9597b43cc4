#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job whose traffic meets no other has no contention, whatever its circuits do: isolated times are of the
ways that bytes take, over circuits or beside them, forwarded or not."""
import json
import random
import unittest

from test_circuits import Machines, opus
from command import run

JOBS = {
    "sums": "dp=8 pp=1",
    "stages": "dp=1 pp=8",
    "shards": "dp=8 pp=1 zero=3",
    "experts": "dp=8 pp=1 experts=8 top-k=2 ep=8",
}
HYBRID = "--policy=hybrid --electrical-bandwidth=5GBps"


class LoneCircuits(Machines):
    def run_it(self, machine, plan, *words):
        file = self.generate("m.xml", f"--system=ocs --accelerators=64 --reconfiguration-time=25ms {machine}")
        settings = (*plan.split(), "tp=8", "layers=8", "global-batch=16", "virtual-stages=1", "schedule=1f1b",
                    "embedding=no", "overlap-dp=no", "library=single-ring")
        done = run("simulate", "gpt3-175b", file, *(f"--set={one}" for one in settings), "--framework=none",
                   "--ignore-memory", "--format=json", *words)
        self.assertEqual(done.returncode, 0, f"{machine} {plan}: {done.stderr}")
        return json.loads(done.stdout)

    def hold(self, machine, plan, *words):
        result = self.run_it(machine, plan, *words)
        time_s, difference = result["simulated"]["iteration_time_s"], result["difference"]
        for part in ("contention_s", "unexplained_s"):
            self.assertLessEqual(abs(difference[part]), 1e-6 * time_s, f"{machine}, {plan}: {part}")
        return result

    def test_switched(self):
        """All-to-alls over fewer lanes than peers forward bytes: that is their own."""
        for policy in ("demand", "provision", "phase"):
            for plan in JOBS.values():
                self.hold(f"--policy={policy}", plan)

    def test_static(self):
        """Circuits that never change: rings and pairs of all-to-alls take paths over others' ports."""
        for machine in ("--policy=static", "--policy=static --circuit-ports=4"):
            for plan in (*JOBS.values(), "dp=4 pp=1 cp=2"):
                for fidelity in ("flow", "message"):
                    self.hold(machine, plan, f"--fidelity={fidelity}")

    def test_never_negative(self):
        """Where traffic does meet, alone it takes no longer: rings that forward for each other share ports."""
        draw = random.Random(12)
        for _ in range(16):
            machine = f"--policy={draw.choice(('static', 'static', 'provision'))} --circuit-ports={draw.choice((2, 4))}"
            pp, dp, cp = draw.choice(((4, 2, 1), (2, 4, 1), (2, 2, 2), (1, 4, 2)))
            plan = f"pp={pp} dp={dp} cp={cp} zero={draw.choice((0, 1))}"
            fidelity = draw.choice(("flow", "message"))
            result = self.run_it(machine, plan, f"--fidelity={fidelity}")
            time_s, difference = result["simulated"]["iteration_time_s"], result["difference"]
            self.assertGreaterEqual(difference["contention_s"], -1e-6 * time_s, f"{machine} {plan} {fidelity}")
            self.assertLessEqual(abs(difference["unexplained_s"]), 1e-6 * time_s, f"{machine} {plan} {fidelity}")

    def test_beside(self):
        """What is not steered, or too small for circuits, goes beside them at 5 GB/s, a fifth of theirs."""
        for machine in ("--circuit-traffic=none", "--circuit-traffic=dp --circuit-min-bytes=100GB"):
            for name in ("sums", "shards", "experts"):
                result = self.hold(f"{HYBRID} {machine}", JOBS[name])
                over = self.run_it("--policy=demand", JOBS[name])
                self.assertAlmostEqual(result["simulated"]["terms_s"]["dp"] / over["simulated"]["terms_s"]["dp"], 5.0,
                                       delta=0.01)

    def test_sizes(self):
        """Messages of a context-parallel group of four, by size over circuits or beside them: simulation and
        closed form choose alike. All-to-alls have smaller ones and larger ones."""
        for kind in ("gather", "ulysses"):
            for size in ("1kB", "4MB", "20MB", "100GB"):
                for fidelity in ("flow", "message"):
                    result = self.hold(f"{HYBRID} --circuit-traffic=cp --circuit-ports=4 --circuit-min-bytes={size}",
                                       f"dp=1 pp=1 cp=4 cp-kind={kind}", f"--fidelity={fidelity}")
                    took_s, form_s = (result[of]["terms_s"]["cp"] for of in ("simulated", "closed_form"))
                    self.assertAlmostEqual(took_s / form_s, 1.0, delta=1e-3, msg=f"{kind} {size} {fidelity}")

    def test_bridged(self):
        """Sums and messages that take turns at lanes go beside circuits until these are up, in the run and in the
        closed form alike: each counts it as contention."""
        difference = self.run_it(HYBRID, "dp=2 pp=4")["difference"]
        self.assertGreater(difference["closed_form_contention_s"], 0.0)
        self.assertAlmostEqual(difference["closed_form_contention_s"] / difference["contention_s"], 1.0, delta=1e-6)
        self.assertAlmostEqual(difference["unexplained_s"], 0.0, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
