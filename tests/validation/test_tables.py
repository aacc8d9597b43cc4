#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All shipped rows: the tables of docs/validation.md and README.md are those of scripts/validation-tables, no row of
unseen.csv is without a prediction, and no source of ten rows or more is met 3 points worse in the median than
validation/medians.csv has it, nor any accelerator by validation/accelerators.csv, whose rows lie no more than that to
another side, either; nor is a line of README's table met so much worse in its median, its bias or its nine in ten. None is exempt.
Published steps and those measured for this project have bounds of their own.

Environment: LIGHTPATH (the built program)."""
import csv
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import unittest

from command import run

SOURCE = pathlib.Path(__file__).resolve().parents[2]
STEPS = ("training", "unseen", "users", "users-2", "experts-landscape", "own")
OTHERS = ("collectives", "collectives-users", "gemm", "grouped", "contention", "own-memory")
MANY = 10  # rows of a source that is held by itself
WORSE = 0.03

folder = tempfile.TemporaryDirectory(prefix="lightpath-")
all_rows = {}


def setUpModule():
    """Each file is predicted once, for all that is asked of its rows."""
    unittest.addModuleCleanup(folder.cleanup)
    for name in (*STEPS, *OTHERS):
        done = run("validate", "--format=json", f"--cases={SOURCE / 'validation' / name}.csv", check=True)
        pathlib.Path(folder.name, f"{name}.json").write_text(done.stdout, encoding="utf-8")
        all_rows[name] = json.loads(done.stdout)["rows"]


class Tables(unittest.TestCase):
    rows = all_rows

    def test_all_run(self):
        self.assertGreaterEqual(len(self.rows["unseen"]), 674)
        for name in ("training", "unseen", "users"):
            self.assertEqual([(row["id"], row["reason"]) for row in self.rows[name] if row["status"] != "ok"], [])

    def test_no_source_gets_worse(self):
        with open(SOURCE / "validation/medians.csv", newline="", encoding="utf-8") as file:
            known = list(csv.DictReader(file))
        errors = {}
        for name, row in ((name, row) for name, its in self.rows.items() for row in its):
            errors.setdefault((name, row["source"]), []).append(abs(row["error"]))
        self.assertEqual({(one["file"], one["source"]): int(one["rows"]) for one in known},
                         {key: len(its) for key, its in errors.items() if len(its) >= MANY})
        for one in known:
            with self.subTest(one["source"]):
                self.assertLess(statistics.median(errors[one["file"], one["source"]]), float(one["median"]) + WORSE)

    def test_no_accelerator_moves(self):
        with open(SOURCE / "validation/accelerators.csv", newline="", encoding="utf-8") as file:
            known = list(csv.DictReader(file))
        files = {"steps": STEPS, **{name: (name,) for name in OTHERS[:4]}}
        errors = {}
        for what, names in files.items():
            for row in (row for name in names for row in self.rows[name]):
                errors.setdefault((what, row["accelerator"]), []).append(row["error"])
        self.assertEqual({(one["what"], one["accelerator"]): int(one["rows"]) for one in known},
                         {key: len(its) for key, its in errors.items()})
        for one in known:
            its = errors[one["what"], one["accelerator"]]
            with self.subTest(f"{one['what']} of {one['accelerator']}"):
                self.assertLess(statistics.median(map(abs, its)), float(one["median"]) + WORSE)
                self.assertAlmostEqual(statistics.median(its), float(one["bias"]), delta=WORSE)

    def test_no_line_gets_worse(self):
        """Lines of README's table, in per cent."""
        loader = importlib.machinery.SourceFileLoader("tables", str(SOURCE / "scripts/validation-tables"))
        tables = importlib.util.module_from_spec(importlib.util.spec_from_loader("tables", loader))
        loader.exec_module(tables)
        lines = {line["line"]: line for line in tables.lines_of({name: {"rows": its} for name, its in self.rows.items()})}
        with open(SOURCE / "validation/lines.csv", newline="", encoding="utf-8") as file:
            known = list(csv.DictReader(file))
        self.assertEqual([one["line"] for one in known], list(lines))
        for one in known:
            for figure in ("median", "bias", "90 in 100"):
                with self.subTest(f"{figure} of {one['line']}"):
                    self.assertLess(abs(float(lines[one["line"]][figure])), abs(float(one[figure])) + 100 * WORSE)

    def test_bands(self):
        """Nine in ten blind steps, give or take 5 in 100, lie in the band that is found without their publisher; what is
        shipped is what is found, but for errors that have moved since."""
        words = [word for name in STEPS for word in (pathlib.Path(folder.name, f"{name}.json"),
                                                        SOURCE / "validation" / f"{name}.csv")]
        done = subprocess.run([sys.executable, SOURCE / "scripts/expected-bands", *words], capture_output=True, text=True,
                              check=True)
        shares = dict(re.findall(r"^(\w+): \d+ rows, (\d+) %", done.stderr, re.MULTILINE))
        self.assertAlmostEqual(int(shares["blind"]), 90, delta=5)
        self.assertAlmostEqual(int(shares["all"]), 90, delta=5)
        with open(SOURCE / "validation/expected-bands.csv", newline="", encoding="utf-8") as file:
            known = list(csv.DictReader(file))
        found = list(csv.DictReader(done.stdout.splitlines()))
        named = ("software", "accelerator", "kind")
        self.assertEqual([[row[name] for name in named] for row in known], [[row[name] for name in named] for row in found])
        for old, new in zip(known, found):
            self.assertAlmostEqual(float(old["band"]) / float(new["band"]), 1, delta=0.1, msg=str(old))

    def test_conditions(self):
        """Conditions of frameworks that hold for rows of fewer than three publishers say so."""
        done = subprocess.run([sys.executable, SOURCE / "scripts/framework-conditions", "--check",
                               *(SOURCE / "validation" / f"{name}.csv" for name in STEPS)], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless((SOURCE / ".git").exists(), "no history is here")
    def test_edited(self):
        """Every row that was edited after it had been committed has its line in validation/edited.csv."""
        done = subprocess.run([sys.executable, SOURCE / "scripts/edited-rows", "--check"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_documents(self):
        done = subprocess.run([sys.executable, SOURCE / "scripts/validation-tables", "--check", folder.name],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Published(unittest.TestCase):
    """The published steps (training.csv) with one set of constants for each accelerator. Bounds are others': no row of SC
    2021, table 1, and of Korthikanti et al., table 5, is further off, to either side, than Calculon's worst of the latter,
    8.9 % (Isaev et al., SC 2023); the mean of the sources that the project names is at most the 5 % it asks for; and they
    are not off to one side by more than what one team published twice differs. SC 2021's six steps of DeepSpeed's ZeRO 3
    stand apart: all that its code says explains less than what was measured (docs/validation.md), so that they have to be
    fast, but slower than computing alone."""
    WORST, MEAN = 0.089, 0.05
    NAMED = ("Narayanan et al., SC 2021", "Korthikanti et al., MLSys", "Megatron-LM README, Megatron-Core 0.8",
             "NVIDIA NeMo documentation")
    # Models of SC 2021, table 1, that Megatron-LM's README of January 2021 has on the same machine.
    TWICE = ("1.7b", "3.6b", "7.5b", "18b", "39b", "76b", "145b", "530b", "1t")

    def setUp(self):
        self.rows = {row["id"]: row for row in all_rows["training"]}
        self.unexplained = [row for row in self.rows.values() if row["id"].startswith("sc21-2-zero3")]

    def test_worst(self):
        self.assertEqual(len(self.rows), 80)
        held = [row for row in self.rows.values() if re.match(r"sc21-1-|korthikanti-\w+-(full|selective)$", row["id"])
                and not row["id"].startswith("korthikanti-layer")]
        self.assertEqual(len(held), 18)
        for row in held:
            self.assertLessEqual(abs(row["error"]), self.WORST, row["id"])

    def test_sources(self):
        # How much the two publications' measured times differ in the mean: nothing of ours is in it.
        one_sided = statistics.mean(abs(self.rows[f"megatron-2021-{name}"]["measured_s"] /
                                        self.rows[f"sc21-1-{name}"]["measured_s"] - 1.0) for name in self.TWICE)
        self.assertTrue(0.02 < one_sided < 0.1, one_sided)
        for source in self.NAMED:
            errors = [row["error"] for row in self.rows.values()
                      if row["source"].startswith(source) and row not in self.unexplained]
            with self.subTest(source):
                self.assertGreaterEqual(len(errors), 8)
                self.assertLessEqual(statistics.mean(map(abs, errors)), self.MEAN)
                self.assertLessEqual(abs(statistics.mean(errors)), one_sided)

    def test_unexplained(self):
        self.assertEqual(len(self.unexplained), 6)
        for row in self.unexplained:
            self.assertLess(row["error"], 0.0, row["id"])
            self.assertGreater(row["error"], row["terms_s"]["compute"] / row["measured_s"] - 1.0, row["id"])


class Own(unittest.TestCase):
    """Steps and memory of transformers that were measured for this project. Half of those on H100 were used to choose what an
    operation costs a host; those on H200 were predicted before they were run."""
    # Medians and nine in ten of absolute errors, where they stand plus 3 points.
    BOUNDS = {("H100", "s"): (0.102, 0.27), ("H200", "s"): (0.088, 0.32), ("H100", "memory_gb"): (0.092, 0.17),
              ("H200", "memory_gb"): (0.080, 0.17)}

    def test_bounds(self):
        errors = {key: [] for key in self.BOUNDS}
        for row in all_rows["own"] + all_rows["own-memory"]:
            if row["status"] == "out-of-scope":
                continue
            self.assertEqual(row["status"], "ok", row["id"])
            card = "H200" if "h200" in row["id"] else "H100"
            errors[card, "memory_gb" if row["id"].endswith("memory") else "s"].append(abs(row["error"]))
        for key, (median, most) in self.BOUNDS.items():
            its = sorted(errors[key])
            self.assertGreaterEqual(len(its), 38)
            self.assertLess(statistics.median(its), median, key)
            self.assertLess(its[int(0.9 * (len(its) - 1))], most, key)


if __name__ == "__main__":
    unittest.main()
