#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps and memory of transformers that were measured for this project (validation/own.csv, own-memory.csv). Half of those on H100 were
used to choose what an operation costs a host; those on H200 were predicted before they were run.

Environment: LIGHTPATH (the built program)."""
import json
import pathlib
import statistics
import unittest

from command import run

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Medians and nine in ten of absolute errors, where they stand plus 3 points.
BOUNDS = {("H100", "s"): (0.102, 0.27), ("H200", "s"): (0.088, 0.32), ("H100", "memory_gb"): (0.092, 0.17),
          ("H200", "memory_gb"): (0.080, 0.17)}


class Own(unittest.TestCase):
    def test_bounds(self):
        errors = {key: [] for key in BOUNDS}
        rows = []
        for name in ("own", "own-memory"):
            done = run("validate", "--format=json", f"--cases={SOURCE / 'validation' / name}.csv", check=True)
            rows += json.loads(done.stdout)["rows"]
        for row in rows:
            if row["status"] == "out-of-scope":
                continue
            self.assertEqual(row["status"], "ok", row["id"])
            card = "H200" if "h200" in row["id"] else "H100"
            errors[card, "memory_gb" if row["id"].endswith("memory") else "s"].append(abs(row["error"]))
        for key, (median, most) in BOUNDS.items():
            its = sorted(errors[key])
            self.assertGreaterEqual(len(its), 38)
            self.assertLess(statistics.median(its), median, key)
            self.assertLess(its[int(0.9 * (len(its) - 1))], most, key)


if __name__ == "__main__":
    unittest.main()
