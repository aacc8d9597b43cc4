#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is validated is what everybody gets: for rows of every shipped source, the command that
"validate --write-inputs" writes gives the seconds that "validate" gives, to the last digit.

Environment: LIGHTPATH (the built program)."""
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

from command import refused, run, taken

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Larger machines take seconds each.
ACCELERATORS_MAX = 512


class WrittenInputs(unittest.TestCase):
    def cases(self, folder):
        """The rows of machines that are not too large, as a file."""
        with open(SOURCE / "validation/training.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        size = lambda row: int(re.search(r"\baccelerators=(\d+)", row["machine"]).group(1))
        least = {row["source"]: size(row) for row in sorted(rows, key=size, reverse=True)}
        kept = [row for row in rows
                if size(row) <= max(ACCELERATORS_MAX, least[row["source"]])]
        self.assertEqual({row["source"] for row in rows}, {row["source"] for row in kept})
        self.assertGreaterEqual(len(kept), 50)
        path = folder / "cases.csv"
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(kept)
        return path, len(kept)

    def test_same_seconds(self):
        with tempfile.TemporaryDirectory(prefix="lightpath-") as name:
            folder = pathlib.Path(name)
            path, n_rows = self.cases(folder)
            result = json.loads(taken("validate", f"--cases={path}", f"--write-inputs={folder}/in", "--format=json"))
            wanted = {row["id"]: row["simulated_s"] for row in result["rows"]}
            lines = [line.split() for line in (folder / "in/commands.sh").read_text().splitlines()
                     if line.startswith("lightpath ")]
            self.assertEqual(len(lines), n_rows)
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                reports = pool.map(lambda line: taken(*line[1:], "--format=json", cwd=folder / "in"), lines)
            got = {line[2].removesuffix(".workload.xml"):
                   json.loads(report)["simulated"]["iteration_time_s"]
                   for line, report in zip(lines, reports)}
            self.assertEqual(got, wanted)

    def test_names(self):
        """Rows of one id have files of their own, and no id makes an option or leaves the folder; files that
        a row names are found from there."""
        with tempfile.TemporaryDirectory(prefix="lightpath-") as name:
            folder = pathlib.Path(name)
            (folder / "table.csv").write_text("layer,expert,load\n0,0,1\n0,1,3\n")
            header = ("id,source,layers,hidden,seq,experts,accelerator,accelerators,ep,micro_batch,global_batch,"
                      "iteration_s,set\n")
            rows = [f"{row},s,4,256,{seq},2,a100-80,2,2,1,4,1,routing-table=table.csv\n"
                    for row, seq in (("a", 512), ("a", 1024), ("-b", 512), ("../c", 512))]
            (folder / "cases.csv").write_text(header + "".join(rows))
            result = json.loads(taken("validate", "--cases=cases.csv", "--write-inputs=in", "--format=json",
                                      cwd=folder))
            lines = [line.split() for line in (folder / "in/commands.sh").read_text().splitlines()[1:]]
            self.assertEqual([line[2].removesuffix(".workload.xml") for line in lines], ["a", "a-2", "_b", "_._c"])
            got = [json.loads(taken(*line[1:], "--format=json", cwd=folder / "in"))["simulated"]["iteration_time_s"]
                   for line in lines]
            self.assertEqual(got, [row["simulated_s"] for row in result["rows"]])
            self.assertNotEqual(got[0], got[1])

    def test_rows_without_a_plan(self):
        """A comment says why; other kinds of rows are refused in one line."""
        with tempfile.TemporaryDirectory(prefix="lightpath-") as name:
            folder = pathlib.Path(name)
            (folder / "odd.csv").write_text("id,source,model,accelerator,accelerators,iteration_s\n"
                                            "a/b,s,nothing known,a100-80,8,1\n")
            self.assertEqual(run("validate", f"--cases={folder}/odd.csv", f"--write-inputs={folder}/in").returncode, 1)
            line = (folder / "in/commands.sh").read_text().splitlines()[1]
            self.assertTrue(line.startswith("# a_b: ") and "column model" in line, line)
            refused("got rows of gemm, wanted training", "validate", f"--cases={SOURCE}/validation/gemm.csv",
                    f"--write-inputs={folder}/in")


if __name__ == "__main__":
    sys.exit(unittest.main())
