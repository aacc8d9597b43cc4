#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lower bound by which search leaves out plans (model/README.md, "Lower bound") is below the simulated time: of
random plans on trees, narrow trees, tori and circuits, and of measured rows.

Environment: LIGHTPATH (the built program), LIGHTPATH_PLANS (how many are drawn), LIGHTPATH_SEED, LIGHTPATH_ROWS
(every so many of the measured rows)."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/validation"))
import test_accounting

from command import PROGRAM, run

PLANS = int(os.environ.get("LIGHTPATH_PLANS", "60"))
SEED = int(os.environ.get("LIGHTPATH_SEED", "1"))
EVERY = int(os.environ.get("LIGHTPATH_ROWS", "25"))
# Sums of some thousands of times in double precision.
ROUNDING = 1e-9
MACHINES = (
    ["--system=dgx-h100", "--oversubscription=2"],
    ["--system=generic", "--domain-size=4", "--scale-out-bandwidth=1GBps"],
    ["--system=generic", "--domain-size=4", "--leaf-ports=4", "--oversubscription=4", "--path-choice=hash", "--paths=2"],
    ["--system=ocs", "--domain-size=4", "--policy=demand", "--reconfiguration-time=1ms"],
    ["--system=ocs", "--domain-size=4", "--policy=static"],
    ["--system=ocs", "--domain-size=4", "--policy=rotor", "--reconfiguration-time=10us"],
    ["--system=optical-substrate", "--domain-size=4"],
    ["--system=rail-only"],
    ["--system=generic", "--domain-size=1", "--topology=torus", "--dimensions=4x8"],
    ["--system=generic", "--domain-size=2", "--topology=dragonfly", "--router-ports=4", "--group-routers=4",
     "--nics-per-domain=2"],
)


def search(*words):
    """The only plan of a search, or None where no run accepts it."""
    done = run("search", *words, "--format=json")
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "changes nothing" not in line]
        assert len(errors) == 1 and done.returncode in (1, 2), (words, done.stderr)
        return None
    plans = json.loads(done.stdout)["plans"]
    return plans[0] if plans else None


class LowerBound(unittest.TestCase):
    def check(self, plan, words):
        for key in "bound_s", "running_bound_s":
            self.assertLessEqual(plan[key], plan["iteration_time_s"] * (1 + ROUNDING), key + " " + " ".join(words))
        return plan["bound_s"] / plan["iteration_time_s"], plan["running_bound_s"] / plan["iteration_time_s"]

    def test_drawn(self):
        dice, ratios = random.Random(SEED), []
        for _ in range(40 * PLANS):
            system, n, settings, framework = test_accounting.draw(dice)
            machine = dice.choice(MACHINES) if dice.random() < 0.6 else ["--system=" + system]
            if "torus" in " ".join(machine):
                n = 32
            if dice.random() < 0.25:
                settings["placement"] = "scattered"
            layers = settings.pop("layers")
            words = ["gpt3-125m", *machine, f"--accelerators={n}", "--framework=" + framework, "--ignore-memory",
                     f"--vary=layers={layers}", *[f"--set={name}={value}" for name, value in settings.items()]]
            plan = search(*words)
            if plan is not None:
                ratios.append(self.check(plan, words))
            if len(ratios) == PLANS:
                break
        self.assertEqual(len(ratios), PLANS)
        # Bounds of a few per cent would rule out nothing.
        for number, least in enumerate((0.5, 0.9)):
            self.assertGreater(sorted(ratio[number] for ratio in ratios)[PLANS // 2], least)

    def test_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("training.csv", "unseen.csv"):
                with open(SOURCE / "validation" / name, encoding="utf-8") as file:
                    lines = file.readlines()
                part = os.path.join(folder, name)
                with open(part, "w", encoding="utf-8") as file:
                    file.writelines([lines[0]] + lines[1::EVERY])
                subprocess.run([PROGRAM, "validate", "--cases=" + part, "--write-inputs=" + part + ".inputs"],
                               capture_output=True, check=True)
                n = 0
                for path in sorted(pathlib.Path(part + ".inputs").glob("*.workload.xml")):
                    layers = xml.etree.ElementTree.parse(path).find("transformer").get("layers")
                    words = [str(path), str(path).replace(".workload.", ".platform."), "--ignore-memory",
                             "--vary=layers=" + layers]
                    plan = search(*words)
                    if plan is not None:
                        self.check(plan, words)
                        n += 1
                self.assertGreater(n, len(lines) // EVERY // 2)


if __name__ == "__main__":
    unittest.main()
